/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand_text: the words operand texts are made of, for instruction.c.
 *
 * Most bodies are plain sequences of fields of the slot and are written as
 * patterns. A field is a kind and the decimal offset of its first byte:
 *
 *	{b34} byte    {h36} u16      {u12} u32     {i24} i32
 *	{x16} u32 as 0x..            {l16} u64 as 0x..
 *	{r24} register number in a u32, {s15} in a byte
 *	{d32} element type, {n12} in the low and {m12} in the high nibble
 *	{a36} ALU operation
 *	{2:20} {3:20} {4:16} access pattern with that many dimensions
 *
 * Everything is cut silently at cap - 1 bytes; the caller writes the NUL.
 */
#ifndef NX_FORMAT_OPERAND_TEXT_H
#define NX_FORMAT_OPERAND_TEXT_H

#include "format/instruction.h"

struct nx_operand_text {
	char *out;
	size_t cap; /* at least 1 */
	size_t len;
	const uint8_t *slot;
	const struct nx_instruction_context *context;
};

void nx_operand_put_bytes(struct nx_operand_text *t, const char *bytes, size_t len);
void nx_operand_put(struct nx_operand_text *t, const char *words);
void nx_operand_put_fields(struct nx_operand_text *t, const char *pattern);

void nx_operand_put_u64(struct nx_operand_text *t, uint64_t value);
void nx_operand_put_i64(struct nx_operand_text *t, int64_t value);
void nx_operand_put_hex(struct nx_operand_text *t, uint64_t value);
/* %f, as scale, bias and imm are printed. */
void nx_operand_put_fixed(struct nx_operand_text *t, float value);
/* The fewest digits that give the same float32 back, as immediates are printed. */
void nx_operand_put_shortest(struct nx_operand_text *t, float value);

/* "ADD"; NULL for codes without a name. */
const char *nx_alu_name(uint8_t op);
/* The fields of an opcode whose text is a plain sequence of them; NULL for all others. */
const char *nx_instruction_pattern(uint8_t opcode);

/* The name of an enum value, or its number when name is NULL. */
void nx_operand_put_named(struct nx_operand_text *t, const char *name, unsigned value);
void nx_operand_put_dtype(struct nx_operand_text *t, unsigned dtype);
void nx_operand_put_register(struct nx_operand_text *t, uint32_t index);

/* Nothing for mode 0; a mode without a spelling shows as ?w9[3] or ?u6[3]. */
void nx_operand_put_wait(struct nx_operand_text *t, uint8_t mode, uint8_t index, uint32_t value);
void nx_operand_put_update(struct nx_operand_text *t, uint8_t mode, uint8_t index, uint32_t value);
/* Wait and update of the slot header, and the space after them. */
void nx_operand_put_prefix(struct nx_operand_text *t);

#endif
