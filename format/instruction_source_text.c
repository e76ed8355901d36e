/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction_source_text: writes the text that instruction_source.c reads.
 *
 * It writes the profiler's text and reads it back. If bytes differ, it adds named fields, and then
 * the bytes that still differ as raw=.
 */
#include <stdio.h>
#include <string.h>

#include "base/bare/text.h"
#include "format/instruction_source.h"
#include "format/operand_text.h"

/* The first byte from at on that differs; NX_SLOT_BYTES if none does. */
static unsigned next_difference(const uint8_t *a, const uint8_t *b, unsigned at)
{
	while (at < NX_SLOT_BYTES && a[at] == b[at])
		at++;
	return at;
}

static unsigned difference_count(const uint8_t *a, const uint8_t *b)
{
	unsigned count = 0;

	for (unsigned at = 0; at < NX_SLOT_BYTES; at++)
		count += a[at] != b[at];
	return count;
}

static bool reads_back(struct nx_operand_text *t, const struct nx_instruction_names *names,
		       uint8_t *slot)
{
	size_t fault_at;

	/* A name from a file may hold anything; it must not end the line or begin a comment. */
	for (size_t i = 0; i < t->len; i++)
		if (t->out[i] < ' ' || t->out[i] > '~' || t->out[i] == '#')
			return false;
	return !nx_instruction_assemble(nx_slice_of(t->out, t->len), names, slot, &fault_at, NULL);
}

/* Adds the fields that the profiler does not print, as long as they bring the text nearer. */
static void add_extras(struct nx_operand_text *t, const struct nx_instruction_names *names,
		       uint8_t *read)
{
	const char *field = nx_instruction_pattern(t->slot[0]);
	uint8_t with[NX_SLOT_BYTES];

	for (; *field && difference_count(read, t->slot); field += *field == ' ') {
		size_t len = strcspn(field, " "), before = t->len;
		char extra[64];

		if (*field == '+') {
			snprintf(extra, sizeof(extra), " %.*s", (int)len - 1, field + 1);
			nx_operand_put_fields(t, extra);
			if (reads_back(t, names, with) &&
			    difference_count(with, t->slot) < difference_count(read, t->slot))
				memcpy(read, with, sizeof(with));
			else
				t->len = before;
		}
		field += len;
	}
}

static void add_raw(struct nx_operand_text *t, const uint8_t *read)
{
	const char *lead = " raw=";
	unsigned at = next_difference(read, t->slot, 0);

	while (at < NX_SLOT_BYTES) {
		nx_operand_put(t, lead);
		nx_operand_put_u64(t, at);
		nx_operand_put(t, ":");
		for (; at < NX_SLOT_BYTES && read[at] != t->slot[at]; at++) {
			char digits[2];

			nx_hex_encode(digits, nx_slice_of(t->slot + at, 1));
			nx_operand_put_bytes(t, digits, sizeof(digits));
		}
		at = next_difference(read, t->slot, at);
		lead = ",";
	}
}

size_t nx_instruction_source(const uint8_t slot[NX_SLOT_BYTES],
			     const struct nx_instruction_context *context,
			     const struct nx_instruction_names *names,
			     char out[NX_INSTRUCTION_SOURCE_MAX])
{
	struct nx_operand_text t = {out, NX_INSTRUCTION_SOURCE_MAX, 0, slot, context};
	char operands[NX_INSTRUCTION_TEXT_MAX], label[8];
	uint8_t read[NX_SLOT_BYTES];
	size_t opcode_len;
	bool is_known;

	nx_operand_put(&t, nx_opcode_label(slot[0], label));
	opcode_len = t.len;
	nx_instruction_text(slot, context, operands, sizeof(operands), &is_known);
	nx_operand_put(&t, " ");
	nx_operand_put(&t, operands + strspn(operands, " "));
	while (t.out[t.len - 1] == ' ')
		t.len--;
	if (reads_back(&t, names, read)) {
		add_extras(&t, names, read);
		add_raw(&t, read);
	} else { /* every byte raw */
		t.len = opcode_len;
		for (unsigned i = 0; i < NX_SLOT_BYTES; i++)
			read[i] = (uint8_t)(i ? ~slot[i] : slot[i]);
		add_raw(&t, read);
	}
	out[t.len] = '\0';
	return t.len;
}
