/* SPDX-License-Identifier: Apache-2.0 */
/* operand_text: the words operand texts are made of. */
#include "format/operand_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bare/bits.h"
#include "base/number.h"

void nx_operand_put_bytes(struct nx_operand_text *t, const char *bytes, size_t len)
{
	size_t room = t->cap - 1 - t->len;

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

void nx_operand_put_dtype(struct nx_operand_text *t, unsigned dtype)
{
	nx_operand_put_named(t, nx_dtype_name(dtype), dtype);
}

const char *nx_alu_name(uint8_t op)
{
	static const char *const names[256] = {
		[0x00] = "BYPASS", [0x04] = "ADD", [0x05] = "SUBTRACT", [0x06] = "MULTIPLY",
		[0x08] = "MAX",	   [0x09] = "MIN", [0x16] = "IS_LT",	[0xc4] = "ADD_INT",
	};

	return names[op];
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

static void put_number_field(struct nx_operand_text *t, char kind, const uint8_t *at)
{
	switch (kind) {
	case 'b':
		nx_operand_put_u64(t, *at);
		break;
	case 'h':
		nx_operand_put_u64(t, nx_load16(at));
		break;
	case 'u':
		nx_operand_put_u64(t, nx_load32(at));
		break;
	case 'i':
		nx_operand_put_i64(t, (int32_t)nx_load32(at));
		break;
	case 'x':
		nx_operand_put_hex(t, nx_load32(at));
		break;
	default:
		nx_operand_put_hex(t, nx_load64(at));
		break;
	}
}

static void put_field(struct nx_operand_text *t, char kind, unsigned offset)
{
	const uint8_t *at = t->slot + offset;

	if (kind >= '2' && kind <= '4')
		put_access_pattern(t, offset, (unsigned)(kind - '0'));
	else if (kind == 'd')
		nx_operand_put_dtype(t, *at);
	else if (kind == 'n')
		nx_operand_put_dtype(t, *at & 15);
	else if (kind == 'm')
		nx_operand_put_dtype(t, *at >> 4);
	else if (kind == 'a')
		nx_operand_put_named(t, nx_alu_name(*at), *at);
	else if (kind == 's')
		nx_operand_put_register(t, *at);
	else if (kind == 'r')
		nx_operand_put_register(t, nx_load32(at));
	else
		put_number_field(t, kind, at);
}

void nx_operand_put_fields(struct nx_operand_text *t, const char *pattern)
{
	while (*pattern) {
		size_t plain = strcspn(pattern, "{");
		unsigned offset = 0;
		char kind;

		nx_operand_put_bytes(t, pattern, plain);
		pattern += plain;
		if (!*pattern)
			break;
		kind = pattern[1];
		pattern += pattern[2] == ':' ? 3 : 2;
		for (; *pattern != '}'; pattern++)
			offset = offset * 10 + (unsigned)(*pattern - '0');
		pattern++;
		put_field(t, kind, offset);
	}
}

/* --- waits and updates --------------------------------------------------- */

static void put_semaphore(struct nx_operand_text *t, uint8_t index)
{
	const char *const *names = t->context->semaphore_names;
	const char *name = names ? names[index] : NULL;

	nx_operand_put(t, name ? "S[" : "$S[");
	nx_operand_put_u64(t, index);
	nx_operand_put(t, "]");
	if (name) {
		nx_operand_put(t, " (");
		nx_operand_put(t, name);
		nx_operand_put(t, ")");
	}
}

static void put_event(struct nx_operand_text *t, uint8_t index, const char *what)
{
	nx_operand_put(t, "$E[");
	nx_operand_put_u64(t, index);
	nx_operand_put(t, "]");
	nx_operand_put(t, what);
}

static void put_unknown_mode(struct nx_operand_text *t, const char *mark, uint8_t mode,
			     uint8_t index)
{
	nx_operand_put(t, mark);
	nx_operand_put_u64(t, mode);
	nx_operand_put(t, "[");
	nx_operand_put_u64(t, index);
	nx_operand_put(t, "]");
}

void nx_operand_put_wait(struct nx_operand_text *t, uint8_t mode, uint8_t index, uint32_t value)
{
	static const char *const events[16] = {
		[6] = "==1", [7] = "==1-", [14] = "==0", [15] = "==0+"};

	if (mode == 0)
		return;
	if (nx_wait_sign(mode)) {
		put_semaphore(t, index);
		nx_operand_put(t, nx_wait_sign(mode));
		nx_operand_put_u64(t, value);
	} else if (mode < 16 && events[mode]) {
		put_event(t, index, events[mode]);
	} else {
		put_unknown_mode(t, "?w", mode, index);
	}
}

void nx_operand_put_update(struct nx_operand_text *t, uint8_t mode, uint8_t index, uint32_t value)
{
	static const char *const operators[16] = {
		[1] = "+", [2] = "-", [3] = "++", [4] = "--", [5] = "+=", [7] = "-=", [9] = "="};
	unsigned what = mode & 15;

	if (mode == 0)
		return;
	if (mode > 0x1f || !operators[what]) {
		put_unknown_mode(t, "?u", mode, index);
		return;
	}
	if (what <= 2) {
		put_event(t, index, operators[what]);
	} else {
		put_semaphore(t, index);
		nx_operand_put(t, operators[what]);
		if (what >= 5)
			nx_operand_put_u64(t, value);
	}
	nx_operand_put(t, mode & 16 ? "@complete" : "@read");
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
