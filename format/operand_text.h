/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand_text: patterns of operand texts, and the words that texts are made of.
 *
 * A pattern is a sequence of operands, separated by blanks. instruction.c prints it, and
 * instruction_source.c reads it. A mark may precede an operand:
 *
 *	?	may be left out when read
 *	~	the same, and not printed if the value (a byte or u16) is zero
 *	+	the same, and never printed by the profiler; our source adds it if it differs
 *
 * A key that comes twice has two spellings. A field is a kind and the offset of its first byte:
 *
 *	{b34} byte    {h36} u16      {t20} u24     {u12} u32      {U24} u64
 *	{i24} i32     {w32} 32 bits, with or without a sign (only read)
 *	{x16} u32 as 0x..            {l16} u64 as 0x..
 *	{r24} register number in a u32, {s15} in a byte
 *	{d32} element type, {n12} in the low and {m12} in the high nibble
 *	{a36} ALU operation          {f35} activation function
 *	{e12:A=0,B=1} byte by name or number
 *	{!13:1} no text; when read, the byte becomes 1
 *	{k38} byte as a factor: an operator after it is not read (only read)
 *	{g44} groups of the array: q0 to q3 or a mask
 *	{z40} bytes of the zero region, stored as a power of two
 *	{q12} queue name, 36 bytes
 *	{F36} float32; {o40} float32 or address, as {p35} says: PTR or INSTRUCTION, twice
 *	{v40} value of a MEMSET; the element type decides how it is stored
 *	{L32} registers, {B32} 32 bytes in brackets
 *	{2:20} {3:20} {4:16} access pattern with that many dimensions
 *
 * Everything is cut silently at cap - 1 bytes; the caller writes the NUL.
 */
#ifndef NX_FORMAT_OPERAND_TEXT_H
#define NX_FORMAT_OPERAND_TEXT_H

#include "format/instruction.h"

#define NX_QUEUE_NAME_BYTES 36
#define NX_REGISTER_LIST_MAX 32

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
/* "q2", the third of four groups of rows or columns; NULL for other masks. */
const char *nx_group_name(uint8_t mask);
/* The pattern of an opcode; "" if its layout is unknown. */
const char *nx_instruction_pattern(uint8_t opcode);

static inline bool nx_operand_is_mark(char c)
{
	return c == '?' || c == '~' || c == '+';
}

/* The name of an enum value, or its number when name is NULL. */
void nx_operand_put_named(struct nx_operand_text *t, const char *name, unsigned value);
void nx_operand_put_register(struct nx_operand_text *t, uint32_t index);

/* A sign comes before its prefixes; NULL ends the list. */
struct nx_sync_mode {
	const char *sign;
	uint8_t code;
	bool is_event, has_value;
};
extern const struct nx_sync_mode nx_wait_modes[], nx_update_modes[];

/* Nothing for mode 0; a mode without a spelling shows as ?w9[3] or ?u6[3]. */
void nx_operand_put_wait(struct nx_operand_text *t, uint8_t mode, uint8_t index, uint32_t value);
void nx_operand_put_update(struct nx_operand_text *t, uint8_t mode, uint8_t index, uint32_t value);
/* Wait and update of the slot header, and the space after them. */
void nx_operand_put_prefix(struct nx_operand_text *t);

#endif
