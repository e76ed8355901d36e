/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction: operand text of a slot.
 *
 * The layout table at the end has a pattern or a function for each opcode whose
 * layout is known. docs/formats/isa.md says which spellings are the profiler's
 * and which are ours.
 */
#include "format/instruction.h"

#include <string.h>

#include "base/bare/bits.h"
#include "base/bare/text.h"
#include "format/operand_text.h"

#define PAYLOAD_AT 12 /* the end of the header */
#define REGISTER_LIST_MAX 32
#define ALL_GROUPS 0x0f

#define COPY_FIELDS "src={d32}@{x12}{4:16} dst={d33}@{x44}{4:48} channels={b34} "
#define TOP8_FIELDS "src={d32}@{x12}{4:16} dst={d33}@{x48}{2:52} channels={b34} "

/* --- Tensor engine ------------------------------------------------------- */

static void put_fp32_mode(struct nx_operand_text *t)
{
	static const char *const modes[] = {"", "fp32_mode=LOW ", "fp32_mode=HIGH ",
					    "fp32_mode=LOW_HIGH "};

	nx_operand_put(t, modes[t->slot[33] & 3]);
}

/* Said only when a part of the array is used; q2 is the third group of 32. */
static void put_group(struct nx_operand_text *t, const char *name, uint8_t mask)
{
	static const char *const quarters[] = {[1] = "q0", [2] = "q1", [4] = "q2", [8] = "q3"};

	if (mask == 0 || mask == ALL_GROUPS)
		return;
	nx_operand_put(t, name);
	if (mask < sizeof(quarters) / sizeof(quarters[0]) && quarters[mask])
		nx_operand_put(t, quarters[mask]);
	else
		nx_operand_put_hex(t, mask);
	nx_operand_put(t, " ");
}

static void put_ldweights(struct nx_operand_text *t)
{
	put_fp32_mode(t);
	if (t->context->arch != NX_ARCH_V2)
		nx_operand_put(t, t->slot[34] & 1 ? "transpose_mode=ENABLED "
						  : "transpose_mode=DISABLED ");
	nx_operand_put_fields(t, "src={d32}@{x16}{3:20} {b38}*{b39} ");
	put_group(t, "row_grp=", t->slot[44]);
	put_group(t, "col_grp=", t->slot[45]);
}

static void put_matmul(struct nx_operand_text *t)
{
	uint8_t zero_region = t->slot[40];

	nx_operand_put_fields(t, "acc_flags={b43} ");
	if (zero_region) {
		nx_operand_put(t, "psum_zero=");
		nx_operand_put_u64(t, zero_region < 32 ? UINT64_C(2) << zero_region : zero_region);
		nx_operand_put(t, " ");
	}
	put_fp32_mode(t);
	put_group(t, "row_grp=", t->slot[44]);
	put_group(t, "col_grp=", t->slot[45]);
	nx_operand_put_fields(t, "src={d32}@{x16}{3:20} dst={x48}{3:52} {b38}*{b39} ");
}

/* --- element instructions ------------------------------------------------ */

static void put_activate(struct nx_operand_text *t)
{
	const uint8_t *s = t->slot;
	char buf[4];

	nx_operand_put(t, nx_activation_name(s[35], buf));
	if (s[12] & 1) {
		nx_operand_put(t, " bias_imm=");
		nx_operand_put_fixed(t, nx_load_f32(s + 40));
	} else {
		nx_operand_put_fields(t, " bias_ptr={m32}@{x40}");
	}
	nx_operand_put_fields(t,
			      " src={n32}@{x16}{3:20} dst={d33}@{x48}{3:52} channels={b34} scale=");
	if (s[13] & 1)
		nx_operand_put_fields(t, "[{x36}]");
	else
		nx_operand_put_fixed(t, nx_load_f32(s + 36));
	nx_operand_put(t, " imm=");
	if (t->context->arch == NX_ARCH_V2)
		nx_operand_put_fields(t, "[{x44}]");
	else
		nx_operand_put_fixed(t, nx_load_f32(s + 44));
	nx_operand_put(t, " accumulator_cmd=");
	nx_operand_put_named(t, s[14] ? NULL : "IDLE", s[14]);
}

static void put_tensor_reduce(struct nx_operand_text *t)
{
	static const char *const axes[] = {[2] = "X", [3] = "XY"};
	uint8_t dim = t->slot[37];

	nx_operand_put_fields(t, "op={a36} dim=");
	nx_operand_put_named(t, dim < sizeof(axes) / sizeof(axes[0]) ? axes[dim] : NULL, dim);
	nx_operand_put(t, t->slot[35] & 1 ? " negated=1 " : " ");
	nx_operand_put_fields(t, COPY_FIELDS);
}

static void put_tensor_scalar(struct nx_operand_text *t)
{
	bool is_ptr[2] = {t->slot[35] & 1, t->slot[35] & 2};

	nx_operand_put_fields(t, "ops={a36},{a37} imm=");
	for (unsigned k = 0; k < 2; k++) {
		const uint8_t *operand = t->slot + 40 + 4 * k;

		nx_operand_put(t, k ? "," : "");
		if (is_ptr[k])
			nx_operand_put_hex(t, nx_load32(operand));
		else
			nx_operand_put_shortest(t, nx_load_f32(operand));
	}
	nx_operand_put(t, is_ptr[0] ? " imm_src=PTR," : " imm_src=INSTRUCTION,");
	nx_operand_put(t, is_ptr[1] ? "PTR" : "INSTRUCTION");
	nx_operand_put_fields(t, " src={d32}@{x16}{3:20} dst={d33}@{x48}{3:52} channels={b34} ");
}

/* The value lies in the element type's own bytes. */
static void put_memset(struct nx_operand_text *t)
{
	unsigned dtype = t->slot[32];
	uint32_t raw = nx_load32(t->slot + 40);
	uint32_t widened = raw << 16;

	nx_operand_put(t, "value=");
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
	nx_operand_put_fields(t, " dst={d32}@{x44}{4:48} channels={b34} ");
}

static void put_load_mask(struct nx_operand_text *t)
{
	nx_operand_put(t, "mask=");
	for (unsigned lane = 0; lane < 32; lane++) {
		nx_operand_put(t, lane ? "," : "[");
		nx_operand_put_u64(t, t->slot[32 + lane]);
	}
	nx_operand_put(t, "] ");
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

static void put_notify(struct nx_operand_text *t)
{
	uint8_t kind = t->slot[39];

	nx_operand_put_fields(t, " hint={h36} notification=");
	nx_operand_put_named(t, kind == 1 ? "EXPLICIT" : NULL, kind);
	nx_operand_put(t, "  trace=START ");
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
	static const char *const compares[] = {[0] = "ALWAYS", [3] = "EQ"};
	uint8_t op = t->slot[12];

	nx_operand_put(t, "cmp_op=");
	nx_operand_put_named(t, op < sizeof(compares) / sizeof(compares[0]) ? compares[op] : NULL,
			     op);
	nx_operand_put(t, " ");
	if (op) {
		nx_operand_put_fields(t, "dtype={d13} cmp0={r16} cmp1=");
		put_word(t, nx_load32(t->slot + 32), t->slot[13] == NX_DTYPE_UINT32);
		nx_operand_put(t, " ");
	}
	nx_operand_put_fields(t, "label_id={u48} ");
	if (t->slot[3])
		nx_operand_put_fields(t, "debugHint={b3}");
}

static void put_register_list(struct nx_operand_text *t)
{
	unsigned count = (unsigned)t->slot[14] * t->slot[15];

	if (count > REGISTER_LIST_MAX)
		count = REGISTER_LIST_MAX;
	nx_operand_put(t, "data=");
	for (unsigned i = 0; i < count; i++) {
		nx_operand_put(t, i ? "," : "");
		nx_operand_put_register(t, t->slot[32 + i]);
	}
	nx_operand_put(t, " ");
}

static void put_tensor_load_store(struct nx_operand_text *t)
{
	nx_operand_put_fields(t, "addr={d12}@{l16}[{i24},{i28}][{b14},{b15}] ");
	put_register_list(t);
}

static void put_pseudo_tensor_load(struct nx_operand_text *t)
{
	nx_operand_put_fields(
		t, "dtype={d12} var_id={u16} var_offset={u20} [{i24},{i28}][{b14},{b15}] ");
	put_register_list(t);
}

/* An immediate when bit 0 of byte 14 is set, else a register. */
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

static void put_range_clear(struct nx_operand_text *t)
{
	uint8_t mode = t->slot[12];

	nx_operand_put(t, "mode=");
	nx_operand_put_named(t, mode == 1 ? "SEMAPHORE_ZERO" : NULL, mode);
	nx_operand_put_fields(t, " first={b13} last={b14} ");
}

static void put_ordering_mode(struct nx_operand_text *t)
{
	static const char *const modes[] = {"relaxed", "strict"};
	uint8_t mode = t->slot[12];

	nx_operand_put(t, "ordering_mode=");
	nx_operand_put_named(t, mode < 2 ? modes[mode] : NULL, mode);
	nx_operand_put(t, " ");
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
	nx_operand_put(t, "compute_op=");
	nx_operand_put_named(t, t->slot[15] ? NULL : "NONE", t->slot[15]);
	nx_operand_put(t, " ");
}

static void put_pseudo_dma_direct2d(struct nx_operand_text *t)
{
	nx_operand_put(t, "dge_op=");
	nx_operand_put_named(t, t->slot[12] ? NULL : "DIRECT2D", t->slot[12]);
	nx_operand_put(t, " ");
	put_dma_body(t, true);
	nx_operand_put(t, "  ");
}

static void put_dma_trigger(struct nx_operand_text *t)
{
	struct nx_dma_trigger trigger;
	char name[sizeof(trigger.queue) + 8];
	size_t len;

	if (!nx_instruction_dma_trigger(t->slot, &trigger))
		return;
	len = nx_queue_display_name(trigger.queue, strlen(trigger.queue), name, sizeof(name));
	for (size_t i = 0; i < len; i++)
		if (name[i] < ' ' || name[i] > '~')
			name[i] = '?';
	nx_operand_put_bytes(t, name, len);
	nx_operand_put_fields(t, " block_id={u48} ");
}

static const char *collective_name(uint8_t kind)
{
	static const char *const names[256] = {
		[1] = "ALL_REDUCE",    [2] = "REDUCE_SCATTER", [3] = "ALL_GATHER",
		[4] = "ALL_TO_ALL",    [5] = "PERMUTE",	       [9] = "ALL_TO_ALL_V",
		[64] = "ALL_GATHER_V", [65] = "SEND_RECV",     [66] = "BROADCAST",
	};

	return names[kind];
}

/* One word of it has been published; root and counts_id, for kinds of our own, are ours. */
static void put_trigger_collective(struct nx_operand_text *t)
{
	nx_operand_put(t, "ctype=");
	nx_operand_put_named(t, collective_name(t->slot[32]), t->slot[32]);
	nx_operand_put_fields(t, " input_tensor_id={u16} output_tensor_id={u20} num_elements=");
	nx_operand_put_u64(t, nx_load64(t->slot + 24));
	nx_operand_put_fields(t, " dtype={d13} op={a12} group_id={h14} ");
	if (t->slot[33])
		nx_operand_put_fields(t, "root={b33} ");
	if (nx_load16(t->slot + 34))
		nx_operand_put_fields(t, "counts_id={h34} ");
}

/* --- the table ----------------------------------------------------------- */

struct layout {
	const char *pattern;
	void (*print)(struct nx_operand_text *t);
};

static const struct layout layouts[256] = {
	[0x01] = {.print = put_ldweights},
	[0x02] = {.print = put_matmul},
	[0x21] = {.print = put_activate},
	[0x23] = {.pattern = "table_sel={b12} "},
	[0x41] = {.pattern = "op={a14} src0={n12}@{x16}{3:20} src1={m12}@{x32}{3:36} "
			     "dst={d13}@{x48}{3:52} channels={b15} "},
	[0x42] = {.print = put_tensor_reduce},
	[0x43] = {.print = put_tensor_scalar},
	[0x46] = {.pattern = COPY_FIELDS},
	[0x47] = {.pattern = COPY_FIELDS},
	[0x48] = {.pattern = COPY_FIELDS},
	[0x49] = {.print = put_memset},
	[0x67] = {.pattern = "src={d32}@{x12}{4:16} channels={b34} "},
	[0x68] = {.pattern = "index={d32}@{x12}{4:16} dst={d33}@{x44}{4:48} channels={b34} "},
	[0x69] = {.print = put_load_mask},
	[0x6a] = {.pattern = COPY_FIELDS},
	[0x6b] = {.pattern = COPY_FIELDS},
	[0x6c] = {.pattern = TOP8_FIELDS},
	[0x6d] = {.pattern = "src={d32}@{x16}{2:20} channels={b34} "},
	[0x6e] = {.pattern = TOP8_FIELDS},
	[0x72] = {.pattern = "predicate={n12}@{x16}{3:20} src={m12}@{x32}{3:36} "
			     "dst={d13}@{x48}{3:52} channels={b15} "},
	[0x92] = {.pattern = "cmp_op={b14} fill={s15} base={i16} channel_step={i60} index={4:20} "
			     "src={n13}@{x36}{2:40} dst={m13}@{x48}{2:52} channels={b12} "},
	[0xa0] = {.print = put_event_semaphore},
	[0xa2] = {.pattern = ""},
	[0xa4] = {.pattern = "cycle={u12} "},
	[0xa5] = {.print = put_write},
	[0xa6] = {.print = put_notify},
	[0xa7] = {.print = put_move},
	[0xa8] = {.print = put_alu_op},
	[0xa9] = {.print = put_compare_branch},
	[0xaa] = {.print = put_tensor_load_store},
	[0xab] = {.print = put_tensor_load_store},
	[0xb0] = {.print = put_range_clear},
	[0xb1] = {.print = put_ordering_mode},
	[0xb8] = {.print = put_dma_direct2d},
	[0xc1] = {.print = put_dma_trigger},
	[0xc8] = {.print = put_trigger_collective},
	[0xcc] = {.pattern = ""},
	[0xce] = {.print = put_pseudo_tensor_load},
	[0xd4] = {.print = put_pseudo_dma_direct2d},
	[0xd8] = {.pattern = "semaphore={b16} id={u12} "},
	[0xda] = {.pattern = "tensor_bytes={u12} "},
	[0xe8] = {.print = put_copy_predicated_scalar},
};

const char *nx_instruction_pattern(uint8_t opcode)
{
	return layouts[opcode].pattern;
}

static bool is_payload_zero(const uint8_t *slot)
{
	for (unsigned i = PAYLOAD_AT; i < NX_SLOT_BYTES; i++)
		if (slot[i])
			return false;
	return true;
}

static bool is_layout_known(const uint8_t *slot)
{
	const struct layout *layout = &layouts[slot[0]];

	/* Every branch label seen is empty, so where its fields lie is not known. */
	if (slot[0] == NX_OP_PSEUDO_BRANCH_LABEL)
		return is_payload_zero(slot);
	return layout->pattern || layout->print;
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
	const struct layout *layout = &layouts[slot[0]];

	*is_known = is_layout_known(slot);
	if (cap == 0)
		return 0;
	nx_operand_put_prefix(&t);
	if (!*is_known)
		put_raw_words(&t);
	else if (layout->print)
		layout->print(&t);
	else
		nx_operand_put_fields(&t, layout->pattern);
	out[t.len] = '\0';
	return t.len;
}
