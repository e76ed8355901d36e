/* SPDX-License-Identifier: Apache-2.0 */
/* operand_text: the words operand texts are made of. */
#include "format/operand_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bare/bits.h"
#include "base/number.h"

void nx_operand_put_bytes(struct nx_operand_text *t, const char *bytes, size_t len)
{
	size_t room = t->cap - 1 - t->len;

	assert(t->len < t->cap);
	if (len > room)
		len = room;
	memcpy(t->out + t->len, bytes, len);
	t->len += len;
}

void nx_operand_put(struct nx_operand_text *t, const char *words)
{
	nx_operand_put_bytes(t, words, strlen(words));
}

void nx_operand_put_u64(struct nx_operand_text *t, uint64_t value)
{
	char buf[NX_NUMBER_MAX];

	nx_operand_put_bytes(t, buf, nx_format_u64(buf, value));
}

void nx_operand_put_i64(struct nx_operand_text *t, int64_t value)
{
	char buf[NX_NUMBER_MAX];

	nx_operand_put_bytes(t, buf, nx_format_i64(buf, value));
}

void nx_operand_put_hex(struct nx_operand_text *t, uint64_t value)
{
	char buf[NX_NUMBER_MAX];

	nx_operand_put(t, "0x");
	nx_operand_put_bytes(t, buf, nx_format_hex(buf, value));
}

void nx_operand_put_fixed(struct nx_operand_text *t, float value)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%f", (double)value);
	nx_operand_put(t, buf);
}

void nx_operand_put_shortest(struct nx_operand_text *t, float value)
{
	char buf[32];

	for (int digits = 1; digits <= 9; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, (double)value);
		if (strtof(buf, NULL) == value)
			break;
	}
	nx_operand_put(t, buf);
}

void nx_operand_put_named(struct nx_operand_text *t, const char *name, unsigned value)
{
	if (name)
		nx_operand_put(t, name);
	else
		nx_operand_put_u64(t, value);
}

const char *nx_alu_name(uint8_t op)
{
	static const char *const names[256] = {
		[0x00] = "BYPASS", [0x04] = "ADD", [0x05] = "SUBTRACT", [0x06] = "MULTIPLY",
		[0x08] = "MAX",	   [0x09] = "MIN", [0x16] = "IS_LT",	[0xc4] = "ADD_INT",
	};

	return names[op];
}

const char *nx_group_name(uint8_t mask)
{
	static const char *const names[256] = {[1] = "q0", [2] = "q1", [4] = "q2", [8] = "q3"};

	return names[mask];
}

void nx_operand_put_register(struct nx_operand_text *t, uint32_t index)
{
	nx_operand_put(t, "$R[");
	nx_operand_put_u64(t, index);
	nx_operand_put(t, "]");
}

/* dims int16 steps, then dims uint16 counts. */
static void put_access_pattern(struct nx_operand_text *t, unsigned at, unsigned dims)
{
	for (unsigned i = 0; i < 2 * dims; i++) {
		uint16_t raw = nx_load16(t->slot + at + 2 * i);

		nx_operand_put(t, i % dims ? "," : "[");
		nx_operand_put_i64(t, i < dims ? (int16_t)raw : (int32_t)raw);
		if (i % dims == dims - 1)
			nx_operand_put(t, "]");
	}
}

/* "A=0,B=1}": the name of a code, or its number. */
static void put_listed(struct nx_operand_text *t, const char *list, unsigned code)
{
	while (*list != '}') {
		size_t len = strcspn(list, "=");

		if (strtoul(list + len + 1, NULL, 10) == code) {
			nx_operand_put_bytes(t, list, len);
			return;
		}
		list += strcspn(list, ",}");
		list += *list == ',';
	}
	nx_operand_put_u64(t, code);
}

/* The value lies in the element type's own bytes. */
static void put_memset_value(struct nx_operand_text *t, uint32_t raw)
{
	unsigned dtype = t->slot[32];
	uint32_t widened = raw << 16;

	if (dtype == NX_DTYPE_FP32)
		nx_operand_put_shortest(t, nx_load_f32(&raw));
	else if (dtype == NX_DTYPE_BF16)
		nx_operand_put_shortest(t, nx_load_f32(&widened));
	else if (dtype == NX_DTYPE_INT32)
		nx_operand_put_i64(t, (int32_t)raw);
	else if (nx_dtype_bytes(dtype) == 2)
		nx_operand_put_hex(t, raw & 0xffff);
	else if (nx_dtype_bytes(dtype) == 1)
		nx_operand_put_hex(t, raw & 0xff);
	else
		nx_operand_put_hex(t, raw);
}

static void put_queue(struct nx_operand_text *t, const char *queue)
{
	char name[NX_QUEUE_NAME_BYTES + 8];
	size_t len = nx_queue_display_name(queue, strnlen(queue, NX_QUEUE_NAME_BYTES), name,
					   sizeof(name));

	for (size_t i = 0; i < len; i++)
		if (name[i] < ' ' || name[i] > '~')
			name[i] = '?';
	nx_operand_put_bytes(t, name, len);
}

static void put_registers(struct nx_operand_text *t, const uint8_t *numbers)
{
	unsigned count = (unsigned)t->slot[14] * t->slot[15];

	for (unsigned i = 0; i < count && i < NX_REGISTER_LIST_MAX; i++) {
		nx_operand_put(t, i ? "," : "");
		nx_operand_put_register(t, numbers[i]);
	}
}

static void put_mask(struct nx_operand_text *t, const uint8_t *lanes)
{
	for (unsigned lane = 0; lane < NX_MASK_LANES; lane++) {
		nx_operand_put(t, lane ? "," : "[");
		nx_operand_put_u64(t, lanes[lane]);
	}
	nx_operand_put(t, "]");
}

static void put_field(struct nx_operand_text *t, char kind, unsigned offset, const char *list)
{
	const uint8_t *at = t->slot + offset;
	char buf[4];

	switch (kind) {
	case '2':
	case '3':
	case '4':
		put_access_pattern(t, offset, (unsigned)(kind - '0'));
		break;
	case 'b':
		nx_operand_put_u64(t, *at);
		break;
	case 'h':
		nx_operand_put_u64(t, nx_load16(at));
		break;
	case 'u':
		nx_operand_put_u64(t, nx_load32(at));
		break;
	case 'U':
		nx_operand_put_u64(t, nx_load64(at));
		break;
	case 'i':
		nx_operand_put_i64(t, (int32_t)nx_load32(at));
		break;
	case 'x':
		nx_operand_put_hex(t, nx_load32(at));
		break;
	case 'l':
		nx_operand_put_hex(t, nx_load64(at));
		break;
	case 'd':
		nx_operand_put_named(t, nx_dtype_name(*at), *at);
		break;
	case 'n':
		nx_operand_put_named(t, nx_dtype_name(*at & 15), *at & 15);
		break;
	case 'm':
		nx_operand_put_named(t, nx_dtype_name(*at >> 4), *at >> 4);
		break;
	case 'a':
		nx_operand_put_named(t, nx_alu_name(*at), *at);
		break;
	case 'e':
		put_listed(t, list, *at);
		break;
	case 'f':
		nx_operand_put(t, nx_activation_name(*at, buf));
		break;
	case 'g':
		if (nx_group_name(*at))
			nx_operand_put(t, nx_group_name(*at));
		else
			nx_operand_put_hex(t, *at);
		break;
	case 'z':
		nx_operand_put_u64(t, *at < 32 ? UINT64_C(2) << *at : *at);
		break;
	case 's':
		nx_operand_put_register(t, *at);
		break;
	case 'r':
		nx_operand_put_register(t, nx_load32(at));
		break;
	case 'F':
		nx_operand_put_fixed(t, nx_load_f32(at));
		break;
	case 'o':
		if (t->slot[35] >> (offset == 44) & 1)
			nx_operand_put_hex(t, nx_load32(at));
		else
			nx_operand_put_shortest(t, nx_load_f32(at));
		break;
	case 'p':
		nx_operand_put(t, *at & 1 ? "PTR," : "INSTRUCTION,");
		nx_operand_put(t, *at & 2 ? "PTR" : "INSTRUCTION");
		break;
	case 'v':
		put_memset_value(t, nx_load32(at));
		break;
	case 'q':
		put_queue(t, (const char *)at);
		break;
	case 'L':
		put_registers(t, at);
		break;
	case 'B':
		put_mask(t, at);
		break;
	default:
		assert(kind == '!');
	}
}

/* At a mark: whether the operand behind it is printed. */
static bool is_printed(const struct nx_operand_text *t, const char *operand)
{
	const char *field = strchr(operand, '{');
	const uint8_t *at;

	if (*operand != '~' || !field)
		return *operand == '?';
	at = t->slot + strtoul(field + 2, NULL, 10);
	return at[0] || (field[1] == 'h' && at[1]);
}

void nx_operand_put_fields(struct nx_operand_text *t, const char *pattern)
{
	bool is_operand_start = true;

	while (*pattern) {
		unsigned long offset;
		size_t plain;
		char *end;

		if (is_operand_start && nx_operand_is_mark(*pattern)) {
			if (!is_printed(t, pattern)) {
				pattern += strcspn(pattern, " ");
				pattern += *pattern == ' ';
				continue;
			}
			pattern++;
		}
		plain = strcspn(pattern, "{ ");
		plain += pattern[plain] == ' ';
		nx_operand_put_bytes(t, pattern, plain);
		is_operand_start = plain && pattern[plain - 1] == ' ';
		pattern += plain;
		if (*pattern != '{')
			continue;
		offset = strtoul(pattern + (pattern[2] == ':' ? 3 : 2), &end, 10);
		put_field(t, pattern[1], (unsigned)offset, end + (*end == ':'));
		pattern = end + strcspn(end, "}") + 1;
	}
}

/* --- waits and updates --------------------------------------------------- */

const struct nx_sync_mode nx_wait_modes[] = {
	{"==", NX_WAIT_EQUAL, false, true},
	{"<=", NX_WAIT_AT_MOST, false, true},
	{"<", NX_WAIT_LESS, false, true},
	{">=", NX_WAIT_AT_LEAST, false, true},
	{">", NX_WAIT_MORE, false, true},
	{"==1-", 7, true, false},
	{"==1", 6, true, false},
	{"==0+", 15, true, false},
	{"==0", 14, true, false},
	{NULL, 0, false, false},
};

const struct nx_sync_mode nx_update_modes[] = {
	{"++", NX_UPDATE_INCREMENT, false, false},
	{"--", NX_UPDATE_DECREMENT, false, false},
	{"+=", NX_UPDATE_ADD, false, true},
	{"-=", NX_UPDATE_SUBTRACT, false, true},
	{"=", NX_UPDATE_SET, false, true},
	{"+", 1, true, false},
	{"-", 2, true, false},
	{NULL, 0, false, false},
};

static void put_indexed(struct nx_operand_text *t, const char *what, uint8_t index)
{
	nx_operand_put(t, what);
	nx_operand_put(t, "[");
	nx_operand_put_u64(t, index);
	nx_operand_put(t, "]");
}

/* "S[8] (qSyncIO0)>=2"; false if the code has no sign. */
static bool put_sync(struct nx_operand_text *t, const struct nx_sync_mode *mode, unsigned code,
		     uint8_t index, uint32_t value)
{
	const char *const *names = t->context->semaphore_names;
	const char *name;

	while (mode->sign && mode->code != code)
		mode++;
	if (!mode->sign)
		return false;
	name = names && !mode->is_event ? names[index] : NULL;
	put_indexed(t, mode->is_event ? "$E" : name ? "S" : "$S", index);
	if (name) {
		nx_operand_put(t, " (");
		nx_operand_put(t, name);
		nx_operand_put(t, ")");
	}
	nx_operand_put(t, mode->sign);
	if (mode->has_value)
		nx_operand_put_u64(t, value);
	return true;
}

void nx_operand_put_wait(struct nx_operand_text *t, uint8_t mode, uint8_t index, uint32_t value)
{
	if (mode == 0 || put_sync(t, nx_wait_modes, mode, index, value))
		return;
	nx_operand_put(t, "?w");
	nx_operand_put_u64(t, mode);
	put_indexed(t, "", index);
}

void nx_operand_put_update(struct nx_operand_text *t, uint8_t mode, uint8_t index, uint32_t value)
{
	unsigned code = mode & NX_UPDATE_MODE_MASK;
	bool is_known = mode <= (NX_UPDATE_MODE_MASK | NX_UPDATE_ON_COMPLETION);

	if (mode == 0)
		return;
	if (is_known && put_sync(t, nx_update_modes, code, index, value)) {
		nx_operand_put(t, mode & NX_UPDATE_ON_COMPLETION ? "@complete" : "@read");
		return;
	}
	nx_operand_put(t, "?u");
	nx_operand_put_u64(t, mode);
	put_indexed(t, "", index);
}

void nx_operand_put_prefix(struct nx_operand_text *t)
{
	const uint8_t *s = t->slot;
	uint32_t value = nx_load32(s + 8);

	if (s[0] != NX_OP_PSEUDO_EXTENSION) {
		nx_operand_put_wait(t, s[4], s[5], value);
		if (s[4] && s[6])
			nx_operand_put(t, " ");
		nx_operand_put_update(t, s[6], s[7], value);
	}
	nx_operand_put(t, " ");
}
