/* SPDX-License-Identifier: Apache-2.0 */
/* slice: a borrowed run of bytes. Parts are clamped: they never reach outside the whole. */
#ifndef NX_BASE_BARE_SLICE_H
#define NX_BASE_BARE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct nx_slice {
	const uint8_t *data;
	size_t len;
};

static inline struct nx_slice nx_slice_of(const void *data, size_t len)
{
	return (struct nx_slice){(const uint8_t *)data, len};
}

static inline struct nx_slice nx_slice_text(const char *text)
{
	return (struct nx_slice){(const uint8_t *)text, strlen(text)};
}

/* The part of [offset, offset+len) that exists; empty if offset lies outside. */
static inline struct nx_slice nx_slice_part(struct nx_slice whole, uint64_t offset, uint64_t len)
{
	if (!whole.data || offset >= whole.len)
		return (struct nx_slice){whole.data ? whole.data + whole.len : NULL, 0};
	if (len > whole.len - offset)
		len = whole.len - offset;
	return (struct nx_slice){whole.data + offset, (size_t)len};
}

static inline bool nx_slice_equal(struct nx_slice a, struct nx_slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Less than, equal to or greater than 0, as memcmp; a prefix comes first. */
static inline int nx_slice_compare(struct nx_slice a, struct nx_slice b)
{
	size_t common = a.len < b.len ? a.len : b.len;
	int order = common ? memcmp(a.data, b.data, common) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static inline bool nx_slice_is(struct nx_slice a, const char *text)
{
	return nx_slice_equal(a, nx_slice_text(text));
}

static inline bool nx_slice_starts(struct nx_slice a, const char *prefix)
{
	size_t n = strlen(prefix);

	return a.len >= n && memcmp(a.data, prefix, n) == 0;
}

static inline bool nx_slice_ends(struct nx_slice a, const char *suffix)
{
	size_t n = strlen(suffix);

	return a.len >= n && memcmp(a.data + a.len - n, suffix, n) == 0;
}

/* Parses a decimal number; false if the text is not one or it does not fit. */
static inline bool nx_slice_to_u64(struct nx_slice text, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < text.len; i++) {
		uint8_t digit = (uint8_t)(text.data[i] - '0');

		if (digit > 9 || __builtin_mul_overflow(*value, 10u, value) ||
		    __builtin_add_overflow(*value, digit, value)) {
			*value = 0;
			return false;
		}
	}
	return text.len > 0;
}

#endif
