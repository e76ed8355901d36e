/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction: operand text of a slot. docs/formats/isa.md says which spellings are the profiler's
 * and which are ours.
 */
#include "format/instruction.h"

#include <assert.h>
#include <string.h>

#include "base/bare/bits.h"
#include "base/bare/text.h"
#include "format/operand_text.h"

#define PAYLOAD_AT NX_WORD_HEADER_BYTES
#define ALL_GROUPS 0x0f

/* --- parts of patterns in opcodes.def ------------------------------------ */

#define COPY_FIELDS "src={d32}@{x12}{4:16} dst={d33}@{x44}{4:48} channels={b34} "
#define TOP8_FIELDS "src={d32}@{x12}{4:16} dst={d33}@{x48}{2:52} channels={b34} "
#define FP32_MODE "?fp32_mode={e33:LOW=1,HIGH=2,LOW_HIGH=3} "
#define TRANSPOSE_MODE "+transpose_mode={b34} ?transpose_mode={e34:DISABLED=0,ENABLED=1} "
#define GROUPS "{!44:15} {!45:15} ?row_grp={g44} ?col_grp={g45} "
#define REGISTER_WINDOW "[{i24},{i28}][{b14},{b15}]"
#define DMA_SIDE(side, offset, index, kind)                                                        \
	"?" side "_var_id={t" index "}{!" kind ":16} ?" side "_var_offset={u" offset "} "          \
	"?" side "_table_offset_reg={r" offset "}{!" kind ":40} "                                  \
	"?" side "_table_offset_imm={u" offset "}{!" kind ":32} "                                  \
	"?" side "_table_index={t" index "} ?" side "_addr_imm={l" offset "} "
#define DMA_FIELDS                                                                                 \
	"semaphore={b13} sem_increment={b14} src_elem_size={h36} dst_elem_size={h60} "             \
	"src_pattern=[{i24},{i28}][{h32},{h34}] dst_pattern=[{i48},{i52}][{h56},{h58}] " DMA_SIDE( \
		"src", "16", "20", "23")                                                           \
		DMA_SIDE("dst", "40", "44", "47") "?src_shape_reg={b38} ?dst_shape_reg={b39} "     \
						  "+in_dtype={d62} +out_dtype={d63} "

/* --- Tensor engine ------------------------------------------------------- */

static void put_fp32_mode(struct nx_operand_text *t)
{
	static const char *const modes[] = {"", "fp32_mode=LOW ", "fp32_mode=HIGH ",
					    "fp32_mode=LOW_HIGH "};

	nx_operand_put(t, modes[t->slot[33] & 3]);
}

/* Printed only if a part of the array is used. */
static void put_groups(struct nx_operand_text *t)
{
	if (t->slot[44] && t->slot[44] != ALL_GROUPS)
		nx_operand_put_fields(t, "row_grp={g44} ");
	if (t->slot[45] && t->slot[45] != ALL_GROUPS)
		nx_operand_put_fields(t, "col_grp={g45} ");
}

static void put_ldweights(struct nx_operand_text *t)
{
	put_fp32_mode(t);
	if (t->context->arch != NX_ARCH_V2)
		nx_operand_put(t, t->slot[34] & 1 ? "transpose_mode=ENABLED "
						  : "transpose_mode=DISABLED ");
	nx_operand_put_fields(t, "src={d32}@{x16}{3:20} {b38}*{b39} ");
	put_groups(t);
}

static void put_matmul(struct nx_operand_text *t)
{
	nx_operand_put_fields(t, "acc_flags={b43} ~psum_zero={z40} ");
	put_fp32_mode(t);
	put_groups(t);
	nx_operand_put_fields(t, "src={d32}@{x16}{3:20} dst={x48}{3:52} {b38}*{b39} ");
}

/* --- element instructions ------------------------------------------------ */

static void put_activate(struct nx_operand_text *t)
{
	const uint8_t *s = t->slot;

	nx_operand_put_fields(t, s[12] & 1 ? "{f35} bias_imm={F40}" : "{f35} bias_ptr={m32}@{x40}");
	nx_operand_put_fields(t, " src={n32}@{x16}{3:20} dst={d33}@{x48}{3:52} channels={b34} ");
	nx_operand_put_fields(t, s[13] & 1 ? "scale=[{x36}]" : "scale={F36}");
	nx_operand_put_fields(t, t->context->arch == NX_ARCH_V2 ? " imm=[{x44}]" : " imm={F44}");
	nx_operand_put_fields(t, " accumulator_cmd={e14:IDLE=0}");
}

static void put_tensor_reduce(struct nx_operand_text *t)
{
	nx_operand_put_fields(t, "op={a36} dim={e37:X=2,XY=3}");
	nx_operand_put(t, t->slot[35] & 1 ? " negated=1 " : " ");
	nx_operand_put_fields(t, COPY_FIELDS);
}

static void put_copy_predicated_scalar(struct nx_operand_text *t)
{
	nx_operand_put_fields(t, "predicate={d32}@{x16}{3:20} ");
	if (t->slot[33] & 1)
		nx_operand_put(t, "inverted=1 ");
	if (t->slot[43] == 1)
		nx_operand_put_fields(t, "scalar_ptr={d41}@{x44}");
	else
		nx_operand_put_fields(t, "scalar_src={b43} scalar={d41}@{x44}");
	nx_operand_put_fields(t, " dst={d42}@{x48}{3:52} channels={b34} ");
}

/* --- sequencer ----------------------------------------------------------- */

static void put_event_semaphore(struct nx_operand_text *t)
{
	const uint8_t *s = t->slot;

	nx_operand_put_fields(t, "setter={b12} ");
	nx_operand_put_wait(t, s[32], s[33], nx_load32(s + 36));
	nx_operand_put(t, " ");
	nx_operand_put_update(t, s[34], s[35], nx_load32(s + 40));
	nx_operand_put(t, " ");
}

static void put_write(struct nx_operand_text *t)
{
	if (t->slot[13])
		nx_operand_put_fields(t, "data={l32},{l40} size={b12},{b13} dst={l16},{l24} ");
	else
		nx_operand_put_fields(t, "data={l32} size={b12} dst={l16} ");
}

/* A 32-bit operand: signed decimal for int32, hexadecimal for uint32. */
static void put_word(struct nx_operand_text *t, uint32_t value, bool is_hex)
{
	if (is_hex)
		nx_operand_put_hex(t, value);
	else
		nx_operand_put_i64(t, (int32_t)value);
}

static void put_compare_branch(struct nx_operand_text *t)
{
	nx_operand_put_fields(t, "cmp_op={e12:ALWAYS=0,EQ=3} ");
	if (t->slot[12]) {
		nx_operand_put_fields(t, "dtype={d13} cmp0={r16} cmp1=");
		put_word(t, nx_load32(t->slot + 32), t->slot[13] == NX_DTYPE_UINT32);
		nx_operand_put(t, " ");
	}
	nx_operand_put_fields(t, "label_id={u48} ~debugHint={b3}");
}

/* An immediate if bit 0 of byte 14 is set, otherwise a register. */
static void put_source(struct nx_operand_text *t, unsigned at)
{
	uint32_t value = nx_load32(t->slot + at);

	if (t->slot[14] & 1)
		put_word(t, value, t->slot[13] != NX_DTYPE_INT32);
	else
		nx_operand_put_register(t, value);
	nx_operand_put(t, " ");
}

static void put_move(struct nx_operand_text *t)
{
	nx_operand_put_fields(t, "dtype={d13} dst={r24} src=");
	put_source(t, 32);
}

static void put_alu_op(struct nx_operand_text *t)
{
	nx_operand_put_fields(t, "op={a12} dtype={d13} dst={r20} src0={r16} src1=");
	put_source(t, 24);
}

/* --- DMA ----------------------------------------------------------------- */

static void put_pair(struct nx_operand_text *t, const char *side, const char *what, uint64_t value,
		     bool is_hex)
{
	nx_operand_put(t, side);
	nx_operand_put(t, what);
	if (is_hex)
		nx_operand_put_hex(t, value);
	else
		nx_operand_put_u64(t, value);
}

/* The top byte is the kind: an address table entry, a variable or an address. */
static void put_dma_address(struct nx_operand_text *t, const char *side, uint64_t address,
			    bool is_pseudo)
{
	uint32_t low = (uint32_t)address;
	uint64_t above = address >> 32;

	if ((address >> 56) == 0x28) {
		nx_operand_put(t, side);
		nx_operand_put(t, "_table_offset_reg=");
		nx_operand_put_register(t, low);
		nx_operand_put(t, " ");
		put_pair(t, side, "_table_index=", above & 0xffffff, false);
	} else if (address >> 61 & 1) {
		put_pair(t, side, "_table_offset_imm=", low, !is_pseudo);
		nx_operand_put(t, " ");
		put_pair(t, side, "_table_index=", above & 0x1fffffff, false);
	} else if (is_pseudo && (address >> 60 & 1)) {
		put_pair(t, side, "_var_id=", above & 0xfffffff, false);
		nx_operand_put(t, " ");
		put_pair(t, side, "_var_offset=", low, false);
	} else {
		put_pair(t, side, "_addr_imm=", address, true);
	}
}

static void put_dma_body(struct nx_operand_text *t, bool is_pseudo)
{
	nx_operand_put_fields(t, "semaphore={b13} sem_increment={b14}  "
				 "src_elem_size={h36} dst_elem_size={h60} "
				 "src_pattern=[{i24},{i28}][{h32},{h34}] "
				 "dst_pattern=[{i48},{i52}][{h56},{h58}] ");
	put_dma_address(t, "src", nx_load64(t->slot + 16), is_pseudo);
	nx_operand_put_fields(t, " src_shape_reg={b38} ");
	put_dma_address(t, "dst", nx_load64(t->slot + 40), is_pseudo);
	nx_operand_put_fields(t, " dst_shape_reg={b39} ");
	if (t->slot[62] != t->slot[63])
		nx_operand_put_fields(t, "in_dtype={d62} out_dtype={d63} ");
}

static void put_dma_direct2d(struct nx_operand_text *t)
{
	put_dma_body(t, false);
	nx_operand_put_fields(t, "compute_op={e15:NONE=0} ");
}

static void put_pseudo_dma_direct2d(struct nx_operand_text *t)
{
	nx_operand_put_fields(t, "dge_op={e12:DIRECT2D=0} ");
	put_dma_body(t, true);
	nx_operand_put(t, "  ");
}

/* --- all opcodes --------------------------------------------------------- */

static const struct {
	void (*print)(struct nx_operand_text *t); /* NULL: the pattern */
	const char *pattern;			  /* NULL: the layout is unknown */
} words[256] = {
#define NX_WORD(code, name, print, pattern) [code] = {print, pattern},
#include "format/opcodes.def"
};

const char *nx_instruction_pattern(uint8_t opcode)
{
	return words[opcode].pattern ? words[opcode].pattern : "";
}

static bool is_layout_known(const uint8_t *slot)
{
	static const uint8_t zeros[NX_SLOT_BYTES - PAYLOAD_AT];

	/* Every branch label seen is empty, so the place of its fields is unknown. */
	if (slot[0] == NX_OP_PSEUDO_BRANCH_LABEL)
		return memcmp(slot + PAYLOAD_AT, zeros, sizeof(zeros)) == 0;
	return words[slot[0]].pattern != NULL;
}

static void put_raw_words(struct nx_operand_text *t)
{
	for (unsigned at = PAYLOAD_AT; at < NX_SLOT_BYTES; at += 4) {
		const uint8_t *word = t->slot + at; /* little-endian */
		uint8_t bytes[] = {word[3], word[2], word[1], word[0]};
		char hex[2 * sizeof(bytes)];

		nx_hex_encode(hex, nx_slice_of(bytes, sizeof(bytes)));
		nx_operand_put(t, at == PAYLOAD_AT ? "words=0x" : ",0x");
		nx_operand_put_bytes(t, hex, sizeof(hex));
	}
}

size_t nx_instruction_text(const uint8_t slot[NX_SLOT_BYTES],
			   const struct nx_instruction_context *context, char *out, size_t cap,
			   bool *is_known)
{
	struct nx_operand_text t = {.out = out, .cap = cap, .slot = slot, .context = context};

	assert(context);
	*is_known = is_layout_known(slot);
	if (cap == 0)
		return 0;
	nx_operand_put_prefix(&t);
	if (!*is_known)
		put_raw_words(&t);
	else if (words[slot[0]].print)
		words[slot[0]].print(&t);
	else
		nx_operand_put_fields(&t, words[slot[0]].pattern);
	out[t.len] = '\0';
	return t.len;
}
