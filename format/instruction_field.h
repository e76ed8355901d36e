/* SPDX-License-Identifier: Apache-2.0 */
/* instruction_field: reads operands by their patterns (operand_text.h) into a slot. */
#ifndef NX_FORMAT_INSTRUCTION_FIELD_H
#define NX_FORMAT_INSTRUCTION_FIELD_H

#include "format/instruction_source.h"

struct nx_instruction_reader {
	struct nx_cursor cursor;
	const struct nx_instruction_names *names;
	uint8_t *slot;
	struct nx_expression_value operands[2]; /* {o} and {v}, stored at the end */
	bool has_operand[2];
	bool has_header_value;
	uint8_t raw[NX_SLOT_BYTES]; /* bytes of raw=, valid where the mask has a bit */
	uint64_t raw_mask;
};

/*
 * Reads and stores one operand of a pattern. If the text differs, the cursor is at the difference.
 */
NX_MUST_CHECK enum nx_status nx_instruction_read_field(struct nx_instruction_reader *r,
						       const char *pattern, struct nx_error *err);

/* An integer from low to high. */
NX_MUST_CHECK enum nx_status nx_instruction_read_number(struct nx_instruction_reader *r,
							int64_t low, int64_t high, int64_t *out,
							struct nx_error *err);

/*
 * Reads a wait or an update, for the header or for the body of an EVENT_SEMAPHORE. False if the
 * text is neither; otherwise *status says whether it is valid.
 */
bool nx_instruction_try_meeting(struct nx_instruction_reader *r, bool is_body,
				enum nx_status *status, struct nx_error *err);

/* At the end of an operand: a blank, or nothing more. */
static inline bool nx_instruction_is_at_end(const struct nx_instruction_reader *r)
{
	char next = nx_cursor_peek(&r->cursor);

	return next == '\0' || next == ' ' || next == '\t';
}

#endif
