/* SPDX-License-Identifier: Apache-2.0 */
#include "format/instruction_source.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bare/bits.h"
#include "base/bare/text.h"
#include "format/instruction_field.h"
#include "format/operand_text.h"

#define PAYLOAD_AT NX_WORD_HEADER_BYTES
#define PAYLOAD_WORDS ((NX_SLOT_BYTES - PAYLOAD_AT) / 4)
static_assert(NX_SLOT_BYTES == 64, "raw_mask has a bit per byte");
/* --- raw bytes --------------------------------------------------------------------- */

static enum nx_status read_raw_run(struct nx_instruction_reader *r, struct nx_error *err)
{
	struct nx_cursor *c = &r->cursor;
	unsigned at = 0, count = 0;

	while (nx_cursor_peek(c) >= '0' && nx_cursor_peek(c) <= '9' && at < NX_SLOT_BYTES)
		at = at * 10 + (unsigned)(c->text.data[c->at++] - '0');
	if (!nx_cursor_take(c, ":"))
		return nx_fail(err, NX_FORMAT, "raw bytes are written offset:hexadecimal");
	for (; nx_hex_value(nx_cursor_peek(c)) >= 0; count++) {
		int high = nx_hex_value(nx_cursor_peek(c)), low;

		c->at++;
		low = nx_hex_value(nx_cursor_peek(c));
		if (low < 0 || at + count >= NX_SLOT_BYTES)
			return nx_fail(err, NX_FORMAT,
				       "raw bytes have two digits each and end within the %d of a "
				       "slot",
				       NX_SLOT_BYTES);
		c->at++;
		r->raw[at + count] = (uint8_t)(high * 16 + low);
		r->raw_mask |= UINT64_C(1) << (at + count);
	}
	return count ? NX_OK : nx_fail(err, NX_FORMAT, "hexadecimal digits are missing here");
}

static enum nx_status read_words(struct nx_instruction_reader *r, struct nx_error *err)
{
	for (unsigned i = 0; i < PAYLOAD_WORDS; i++) {
		int64_t word;
		enum nx_status status;

		if (i && !nx_cursor_take(&r->cursor, ","))
			return nx_fail(err, NX_FORMAT, "words= needs %d numbers", PAYLOAD_WORDS);
		status = nx_instruction_read_number(r, 0, UINT32_MAX, &word, err);
		if (status)
			return status;
		nx_store32(r->slot + PAYLOAD_AT + 4 * i, (uint32_t)word);
	}
	return NX_OK;
}

/* --- operands ------------------------------------------------------------------------ */

#define MAX_FIELDS 40

struct operands {
	const char *fields[MAX_FIELDS];
	bool is_optional[MAX_FIELDS], is_given[MAX_FIELDS];
	unsigned count;
	bool is_raw; /* words= replaces all operands */
};

static size_t key_length(const char *field)
{
	size_t len = strcspn(field, "= {[");

	return field[len] == '=' ? len : 0;
}

/* Splits a pattern at its blanks and stores the values it assumes. */
static void split(const char *pattern, struct operands *o, uint8_t *slot)
{
	struct nx_instruction_reader r = {.slot = slot};

	while (*pattern) {
		size_t len = strcspn(pattern, " ");
		bool is_optional = nx_operand_is_mark(*pattern);

		if (pattern[0] == '{' && pattern[1] == '!') {
			/* reads no text, so it cannot fail */
			if (nx_instruction_read_field(&r, pattern, NULL))
				return;
		} else if (len) {
			assert(o->count < MAX_FIELDS);
			o->is_optional[o->count] = is_optional;
			o->fields[o->count++] = pattern + is_optional;
		}
		pattern += len;
		pattern += *pattern == ' ';
	}
}

static bool has_same_key(const char *a, const char *b)
{
	size_t len = key_length(a);

	return len == key_length(b) && memcmp(a, b, len) == 0;
}

static void mark_given(struct operands *o, unsigned field)
{
	for (unsigned i = 0; i < o->count; i++)
		if (i == field ||
		    (key_length(o->fields[i]) && has_same_key(o->fields[i], o->fields[field])))
			o->is_given[i] = true;
}

/* Takes the first spelling that fits; if none does, reports the one that got furthest. */
static enum nx_status read_spellings(struct nx_instruction_reader *r, struct operands *o,
				     struct nx_slice key, bool *is_found, struct nx_error *err)
{
	size_t start = r->cursor.at, furthest = start;
	uint8_t before[NX_SLOT_BYTES];
	struct nx_error why = {0};

	*is_found = false;
	memcpy(before, r->slot, sizeof(before));
	for (unsigned i = 0; i < o->count; i++) {
		size_t len = key_length(o->fields[i]);

		if (!nx_slice_equal(key, nx_slice_of(o->fields[i], len)))
			continue;
		/* without a key, the next operand may fit */
		if (o->is_given[i] && !len)
			continue;
		*is_found = true;
		if (o->is_given[i])
			return nx_fail(err, NX_FORMAT, "%.*s= is given twice", (int)len,
				       o->fields[i]);
		if (!nx_instruction_read_field(r, o->fields[i], &why)) {
			if (nx_instruction_is_at_end(r)) {
				mark_given(o, i);
				return NX_OK;
			}
			(void)nx_fail(&why, NX_FORMAT, "the operand should end here");
		}
		if (r->cursor.at >= furthest) {
			furthest = r->cursor.at;
			(void)nx_fail(err, NX_FORMAT, "%s", why.message);
		}
		r->cursor.at = start;
		memcpy(r->slot, before, sizeof(before));
	}
	r->cursor.at = furthest;
	return NX_FORMAT;
}

static void list_keys(const struct operands *o, char *out, size_t cap)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < o->count && used < cap; i++) {
		size_t len = key_length(o->fields[i]);

		if (len == 0 || (i && has_same_key(o->fields[i], o->fields[i - 1])))
			continue;
		used += (size_t)snprintf(out + used, cap - used, " %.*s=", (int)len, o->fields[i]);
	}
}

static enum nx_status fail_unknown(struct nx_instruction_reader *r, const struct operands *o,
				   struct nx_slice key, struct nx_error *err)
{
	char keys[400], label[8];

	list_keys(o, keys, sizeof(keys));
	return nx_fail(err, NX_FORMAT, "%s has no operand %.*s=; it has%s raw= words=",
		       nx_opcode_label(r->slot[0], label), (int)(key.len < 40 ? key.len : 40),
		       (const char *)key.data, keys);
}

static enum nx_status read_operand(struct nx_instruction_reader *r, struct operands *o,
				   struct nx_error *err)
{
	struct nx_cursor *c = &r->cursor;
	size_t start = c->at;
	struct nx_slice key = nx_cursor_take_name(c);
	enum nx_status status;
	bool is_found;

	if (nx_cursor_peek(c) != '=')
		key.len = 0;
	if (nx_slice_is(key, "raw") && nx_cursor_take(c, "=")) {
		do {
			status = read_raw_run(r, err);
		} while (!status && nx_cursor_take(c, ","));
		return status;
	}
	if (nx_slice_is(key, "words") && nx_cursor_take(c, "=")) {
		o->is_raw = true;
		return read_words(r, err);
	}
	c->at = start;
	status = read_spellings(r, o, key, &is_found, err);
	if (!status || is_found)
		return status;
	if (key.len)
		return fail_unknown(r, o, key, err);
	return nx_fail(err, NX_FORMAT, "expected an operand (name=value), a wait or an update");
}

static enum nx_status read_operands(struct nx_instruction_reader *r, struct operands *o,
				    struct nx_error *err)
{
	bool is_event_semaphore = r->slot[0] == NX_OP_EVENT_SEMAPHORE, has_setter = false;
	enum nx_status status = NX_OK;

	while (!status) {
		nx_cursor_skip_blanks(&r->cursor);
		if (!nx_cursor_peek(&r->cursor))
			break;
		if (nx_instruction_try_meeting(r, is_event_semaphore && has_setter, &status, err))
			continue;
		status = read_operand(r, o, err);
		has_setter = o->count && o->is_given[0];
	}
	return status;
}

/* --- what needs the whole text ------------------------------------------------------- */

static enum nx_status check_complete(const struct nx_instruction_reader *r,
				     const struct operands *o, struct nx_error *err)
{
	char label[8];

	for (unsigned i = 0; i < o->count && !o->is_raw; i++) {
		size_t len = key_length(o->fields[i]);

		if (o->is_optional[i] || o->is_given[i])
			continue;
		if (len)
			return nx_fail(err, NX_FORMAT,
				       "%s needs %.*s=", nx_opcode_label(r->slot[0], label),
				       (int)len, o->fields[i]);
		return nx_fail(err, NX_FORMAT, "%s needs its %s",
			       nx_opcode_label(r->slot[0], label),
			       o->fields[i][1] == 'k'	? "size, rows*columns"
			       : o->fields[i][1] == 'q' ? "queue's name"
			       : o->fields[i][1] == 'f' ? "function's name"
							: "[step,step][count,count]");
	}
	return NX_OK;
}

static enum nx_status store_scalars(struct nx_instruction_reader *r, struct nx_error *err)
{
	for (unsigned k = 0; k < 2; k++) {
		struct nx_expression_value value = r->operands[k];
		float narrow = (float)value.real;
		uint8_t *at = r->slot + 40 + 4 * k;

		if (!r->has_operand[k])
			continue;
		if (!(r->slot[35] >> k & 1))
			memcpy(at, &narrow, sizeof(narrow));
		else if (value.is_real || value.whole < 0 || value.whole > UINT32_MAX)
			return nx_fail(err, NX_FORMAT, "imm= of a PTR is an address");
		else
			nx_store32(at, (uint32_t)value.whole);
	}
	return NX_OK;
}

static uint32_t bits_of(double real)
{
	float narrow = (float)real;
	uint32_t bits;

	memcpy(&bits, &narrow, sizeof(bits));
	return bits;
}

/* To nearest, ties to even. */
static uint32_t bfloat16_of(double real)
{
	uint32_t bits = bits_of(real);

	if (isnan(real))
		return bits >> 16 | 0x40;
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static uint32_t fp16_of(double real)
{
	uint32_t sign = signbit(real) ? 0x8000 : 0;
	double size = fabs(real);
	int exponent;

	if (isnan(real))
		return sign | 0x7e00;
	if (size >= 65520)
		return sign | 0x7c00;
	if (size < 0x1p-14)
		return sign | (uint32_t)nearbyint(size * 0x1p24);
	(void)frexp(size, &exponent);
	return sign | (((uint32_t)(exponent + 13) << 10) +
		       (uint32_t)nearbyint(ldexp(size, 11 - exponent)));
}

/* Where the profiler prints bits, an integer is the bits themselves. */
static enum nx_status store_memset(struct nx_instruction_reader *r, bool has_count,
				   struct nx_error *err)
{
	struct nx_expression_value value = r->operands[0];
	unsigned dtype = r->slot[32];
	uint32_t raw = (uint32_t)value.whole, count = 1;

	if (dtype == NX_DTYPE_FP32)
		raw = bits_of(value.real);
	else if (dtype == NX_DTYPE_BF16)
		raw = bfloat16_of(value.real);
	else if (dtype == NX_DTYPE_FP16 && value.is_real)
		raw = fp16_of(value.real);
	else if (value.is_real)
		return nx_fail(err, NX_FORMAT, "value= must be an integer for this element type");
	else if (value.whole < INT32_MIN || value.whole > UINT32_MAX)
		return nx_fail(err, NX_FORMAT, "value= has more than 32 bits");
	nx_store32(r->slot + 40, raw);
	for (unsigned i = 0; i < 4; i++)
		count *= nx_load16(r->slot + 56 + 2 * i);
	if (!has_count)
		nx_store16(r->slot + 28, (uint16_t)count);
	return NX_OK;
}

static enum nx_status finish(struct nx_instruction_reader *r, const struct operands *o,
			     struct nx_error *err)
{
	enum nx_status status = check_complete(r, o, err);

	if (status || o->is_raw)
		return status;
	if (r->slot[0] == NX_OP_TENSOR_SCALAR)
		return store_scalars(r, err);
	if (r->slot[0] == NX_OP_MEMSET)
		return store_memset(r, o->is_given[o->count - 1], err);
	return NX_OK;
}

#define WHOLE_PAYLOAD (~UINT64_C(0) << PAYLOAD_AT)

static enum nx_status assemble(struct nx_instruction_reader *r, struct nx_error *err)
{
	size_t start = r->cursor.at;
	struct nx_slice name = nx_cursor_take_name(&r->cursor);
	struct operands o = {.count = 0};
	enum nx_status status;
	uint8_t opcode;

	memset(r->slot, 0, NX_SLOT_BYTES);
	if (!nx_opcode_find(name, &opcode)) {
		r->cursor.at = start;
		return nx_fail(err, NX_FORMAT,
			       "no instruction is called '%.*s'; unknown ones are OP_00 to OP_FF",
			       (int)(name.len < 40 ? name.len : 40), (const char *)name.data);
	}
	r->slot[0] = opcode;
	r->slot[1] = opcode == NX_OP_PSEUDO_EXTENSION ? 0 : NX_WORD_MARK;
	split(nx_instruction_pattern(opcode), &o, r->slot);
	status = read_operands(r, &o, err);
	if (status)
		return status;
	o.is_raw |= (r->raw_mask & WHOLE_PAYLOAD) == WHOLE_PAYLOAD;
	status = finish(r, &o, err);
	if (status)
		r->cursor.at = start;
	/* raw= overrides everything else */
	for (unsigned i = 0; i < NX_SLOT_BYTES; i++)
		if (r->raw_mask >> i & 1)
			r->slot[i] = r->raw[i];
	return status;
}

enum nx_status nx_instruction_assemble(struct nx_slice text,
				       const struct nx_instruction_names *names,
				       uint8_t slot[NX_SLOT_BYTES], size_t *fault_at,
				       struct nx_error *err)
{
	static const struct nx_instruction_names none;
	struct nx_instruction_reader r = {.names = names ? names : &none, .slot = slot};
	struct nx_error unasked;
	enum nx_status status;

	assert(slot && fault_at);
	r.cursor = (struct nx_cursor){.text = text, .names = r.names->symbols};
	nx_cursor_skip_blanks(&r.cursor);
	status = assemble(&r, err ? err : &unasked);
	*fault_at = r.cursor.at;
	return status;
}
