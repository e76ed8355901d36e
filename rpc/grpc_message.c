/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/grpc_message.h"

#include <assert.h>
#include <stdio.h>

#include "base/bare/text.h"

#define MAX_TIMEOUT_DIGITS 8
#define MAX_TIMEOUT_VALUE UINT64_C(99999999)

/* --- messages ---------------------------------------------------------------- */

bool nx_grpc_is_content_type(struct nx_slice text)
{
	size_t len = sizeof(NX_GRPC_CONTENT_TYPE) - 1;

	if (!nx_slice_starts(text, NX_GRPC_CONTENT_TYPE))
		return false;
	return text.len == len || text.data[len] == '+' || text.data[len] == ';';
}

void nx_grpc_prefix_write(uint8_t out[NX_GRPC_PREFIX_BYTES], uint32_t len)
{
	out[0] = 0;
	for (unsigned i = 0; i < 4; i++)
		out[1 + i] = (uint8_t)(len >> (24 - 8 * i)); /* most significant first */
}

bool nx_grpc_prefix_read(const uint8_t in[NX_GRPC_PREFIX_BYTES], bool *is_compressed, uint32_t *len)
{
	*is_compressed = in[0] == 1;
	*len = (uint32_t)in[1] << 24 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 8 | in[4];
	return in[0] <= 1;
}

/* --- statuses ---------------------------------------------------------------- */

static const char *const status_names[] = {
#define NAME(name, number) [number] = #name,
	NX_GRPC_STATUS_MAP(NAME)
#undef NAME
};
#define STATUS_COUNT (sizeof(status_names) / sizeof(status_names[0]))

const char *nx_grpc_status_name(enum nx_grpc_status status)
{
	return (unsigned)status < STATUS_COUNT ? status_names[status]
					       : status_names[NX_GRPC_UNKNOWN];
}

enum nx_grpc_status nx_grpc_status_parse(struct nx_slice text)
{
	uint64_t number;

	return nx_slice_to_u64(text, &number) && number < STATUS_COUNT ? (enum nx_grpc_status)number
								       : NX_GRPC_UNKNOWN;
}

enum nx_grpc_status nx_grpc_status_of_http(unsigned http_status)
{
	switch (http_status) {
	case 400:
		return NX_GRPC_INTERNAL;
	case 401:
		return NX_GRPC_UNAUTHENTICATED;
	case 403:
		return NX_GRPC_PERMISSION_DENIED;
	case 404:
		return NX_GRPC_UNIMPLEMENTED;
	case 429:
	case 502:
	case 503:
	case 504:
		return NX_GRPC_UNAVAILABLE;
	default:
		return NX_GRPC_UNKNOWN;
	}
}

/* --- deadlines --------------------------------------------------------------- */

/* Finest first. */
static const struct {
	char letter;
	uint64_t ns;
} units[] = {
	{'n', 1},
	{'u', 1000},
	{'m', 1000000},
	{'S', UINT64_C(1000000000)},
	{'M', UINT64_C(60000000000)},
	{'H', UINT64_C(3600000000000)},
};
#define UNIT_COUNT (sizeof(units) / sizeof(units[0]))

size_t nx_grpc_timeout_write(char out[NX_GRPC_TIMEOUT_BYTES], uint64_t timeout_ns)
{
	size_t unit = 0;
	uint64_t value = timeout_ns;

	while (value > MAX_TIMEOUT_VALUE && unit + 1 < UNIT_COUNT) {
		unit++;
		value = timeout_ns / units[unit].ns + (timeout_ns % units[unit].ns != 0);
	}
	assert(value <= MAX_TIMEOUT_VALUE); /* 2^64 ns are five million hours */
	return (size_t)snprintf(out, NX_GRPC_TIMEOUT_BYTES, "%u%c",
				(unsigned)(value % (MAX_TIMEOUT_VALUE + 1)), units[unit].letter);
}

bool nx_grpc_timeout_read(struct nx_slice text, uint64_t *timeout_ns)
{
	uint64_t value;

	*timeout_ns = 0;
	if (text.len < 2 || text.len > MAX_TIMEOUT_DIGITS + 1 ||
	    !nx_slice_to_u64(nx_slice_of(text.data, text.len - 1), &value))
		return false;
	for (size_t i = 0; i < UNIT_COUNT; i++) {
		if ((char)text.data[text.len - 1] != units[i].letter)
			continue;
		if (__builtin_mul_overflow(value, units[i].ns, timeout_ns))
			*timeout_ns = UINT64_MAX;
		return true;
	}
	return false;
}

/* --- grpc-message ------------------------------------------------------------ */

size_t nx_grpc_text_encode(char *out, size_t cap, struct nx_slice text)
{
	size_t len = 0;

	assert(cap > 0);
	for (size_t i = 0; i < text.len; i++) {
		uint8_t byte = text.data[i];
		bool is_plain = byte >= 0x20 && byte <= 0x7e && byte != '%';

		if (len + (is_plain ? 1 : 3) >= cap)
			break;
		if (is_plain) {
			out[len++] = (char)byte;
		} else {
			out[len++] = '%';
			out[len++] = "0123456789ABCDEF"[byte >> 4];
			out[len++] = "0123456789ABCDEF"[byte & 15];
		}
	}
	out[len] = 0;
	return len;
}

size_t nx_grpc_text_decode(char *out, size_t cap, struct nx_slice text)
{
	size_t len = 0;

	assert(cap > 0);
	for (size_t i = 0; i < text.len && len + 1 < cap; i++) {
		int byte = nx_percent_decode(text, i);

		out[len++] = byte < 0 ? (char)text.data[i] : (char)byte;
		if (byte >= 0)
			i += 2;
	}
	out[len] = 0;
	return len;
}
