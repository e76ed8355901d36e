/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction_source: the text of an instruction that assembles to the same 64 bytes.
 *
 * The text is the profiler's (format/instruction.h), so a profile can be assembled again:
 *
 *	MATMUL S[4]>=1 S[5]++@complete acc_flags=3 src=fp32@0x100[1,0,0][128,1,1]
 *		dst=0x2000000[1,0,0][128,1,1] 128*128
 *
 * Operands come in any order, numbers may be expressions, and an access pattern may leave out its
 * last dimensions. Fields that the profiler does not print follow: by name (set=1) if they have
 * one, otherwise as `raw=46:10`, an offset and hexadecimal bytes. docs/assembler.md lists the
 * operands.
 */
#ifndef NX_FORMAT_INSTRUCTION_SOURCE_H
#define NX_FORMAT_INSTRUCTION_SOURCE_H

#include "base/expression.h"
#include "format/instruction.h"

/* Any text that nx_instruction_source writes, with its NUL. */
#define NX_INSTRUCTION_SOURCE_MAX (NX_INSTRUCTION_TEXT_MAX + 1024)

struct nx_instruction_names {
	const struct nx_expression_names *symbols; /* NULL: numbers only */
	/* The core's queues in the compiler's spelling; texts name them as the profiler does. */
	const char *const *queues;
	size_t queue_count;
};

/*
 * Assembles one instruction, from the name of its opcode to the end of the text. FORMAT if the text
 * is wrong; *fault_at is then the offset of the fault.
 */
NX_MUST_CHECK enum nx_status nx_instruction_assemble(struct nx_slice text,
						     const struct nx_instruction_names *names,
						     uint8_t slot[NX_SLOT_BYTES], size_t *fault_at,
						     struct nx_error *err);

/*
 * Writes opcode and operands, NUL-terminated, and returns the length. A text that would not read
 * back becomes the opcode and raw bytes.
 */
size_t nx_instruction_source(const uint8_t slot[NX_SLOT_BYTES],
			     const struct nx_instruction_context *context,
			     const struct nx_instruction_names *names,
			     char out[NX_INSTRUCTION_SOURCE_MAX]);

/* The opcode of a name; false if there is none. */
bool nx_opcode_find(struct nx_slice name, uint8_t *opcode);

#endif
