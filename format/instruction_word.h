/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction_word: where each field of an instruction word lies.
 *
 * A word has 64 bytes: a header of 12, then a body whose layout depends on the opcode. Outside of
 * format/, view it with nx_word_of and name the field; make check refuses offsets. Any 64 bytes may
 * be viewed, at any address. docs/formats/isa.md explains the fields; bytes without a name here
 * have no known meaning.
 */
#ifndef NX_FORMAT_INSTRUCTION_WORD_H
#define NX_FORMAT_INSTRUCTION_WORD_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bare/bits.h"
#include "machine/hardware.h"

#define NX_LAYOUT __attribute__((packed, may_alias))
#define NX_WORD_HEADER_BYTES 12
#define NX_WORD_MARK 0x10 /* `mark` of every word but PSEUDO_EXTENSION */

/* --- semaphores -------------------------------------------------------------------------- */

enum nx_wait_mode {
	NX_WAIT_NONE,
	NX_WAIT_EQUAL,
	NX_WAIT_LESS,
	NX_WAIT_AT_MOST,
	NX_WAIT_MORE,
	NX_WAIT_AT_LEAST,
};
#define NX_WAIT_REGISTER 0x80 /* added to a mode: the value is the number of a register */

enum nx_update_mode { /* the low four bits */
		      NX_UPDATE_NONE = 0,
		      NX_UPDATE_INCREMENT = 3,
		      NX_UPDATE_DECREMENT = 4,
		      NX_UPDATE_ADD = 5,
		      NX_UPDATE_SUBTRACT = 7,
		      NX_UPDATE_SET = 9,
};
#define NX_UPDATE_MODE_MASK 15
#define NX_UPDATE_ON_COMPLETION 0x10 /* else as soon as the operands are read */

/* Whether a semaphore's value ends a wait. An unknown mode does not wait. */
static inline bool nx_wait_holds(unsigned mode, uint32_t have, uint32_t value)
{
	switch (mode) {
	case NX_WAIT_EQUAL:
		return have == value;
	case NX_WAIT_LESS:
		return have < value;
	case NX_WAIT_AT_MOST:
		return have <= value;
	case NX_WAIT_MORE:
		return have > value;
	case NX_WAIT_AT_LEAST:
		return have >= value;
	default:
		return true;
	}
}

/* "==" to ">="; NULL for a mode that does not compare. */
static inline const char *nx_wait_sign(unsigned mode)
{
	static const char *const signs[] = {NULL, "==", "<", "<=", ">", ">="};

	return mode <= NX_WAIT_AT_LEAST ? signs[mode] : NULL;
}

/* --- parts of words ---------------------------------------------------------------------- */

struct nx_word_sync { /* a wait for a semaphore, or an update of one */
	uint8_t mode;
	uint8_t semaphore;
} NX_LAYOUT;

struct nx_word_header {
	uint8_t opcode; /* enum nx_opcode */
	uint8_t mark;
	uint8_t debug;
	uint8_t debug_hint;
	struct nx_word_sync wait, update;
	uint32_t value; /* of both */
} NX_LAYOUT;
static_assert(sizeof(struct nx_word_header) == NX_WORD_HEADER_BYTES, "the body begins at byte 12");

/* An on-chip operand: start address and up to four (step, count) pairs, fastest first. */
struct nx_access {
	bool is_write;
	uint32_t address;
	uint8_t partition_count; /* the first is part of the address */
	unsigned dtype;		 /* element type used to size it */
	unsigned dims;
	int16_t steps[4]; /* in elements */
	uint16_t counts[4];
};

static inline uint64_t nx_access_elements(const struct nx_access *a)
{
	uint64_t n = 1;

	assert(a->dims <= 4);
	for (unsigned i = 0; i < a->dims; i++)
		n *= a->counts[i];
	return n;
}

/* struct nx_pattern_3d: an operand as it lies in a word; nx_access_3d() reads it. */
#define NX_DEFINE_PATTERN(n)                                                                       \
	struct nx_pattern_##n##d {                                                                 \
		uint32_t address;                                                                  \
		int16_t steps[n];                                                                  \
		uint16_t counts[n];                                                                \
	} NX_LAYOUT;                                                                               \
	static_assert(sizeof(struct nx_pattern_##n##d) == 4 + 4 * (n), "patterns have no gaps");   \
	static inline struct nx_access nx_access_##n##d(const struct nx_pattern_##n##d *p,         \
							unsigned dtype, uint8_t partition_count)   \
	{                                                                                          \
		struct nx_access a = {.address = p->address,                                       \
				      .partition_count = partition_count,                          \
				      .dtype = dtype,                                              \
				      .dims = (n)};                                                \
                                                                                                   \
		memcpy(a.steps, p->steps, sizeof(p->steps));                                       \
		memcpy(a.counts, p->counts, sizeof(p->counts));                                    \
		return a;                                                                          \
	}
NX_DEFINE_PATTERN(2)
NX_DEFINE_PATTERN(3)
NX_DEFINE_PATTERN(4)
#undef NX_DEFINE_PATTERN

/* Two element types in one byte. */
static inline unsigned nx_low_dtype(uint8_t dtypes)
{
	return dtypes & 15;
}

static inline unsigned nx_high_dtype(uint8_t dtypes)
{
	return dtypes >> 4;
}

/* A number in the word, or where to find it; a flag elsewhere in the word says which. */
union nx_word_scalar {
	float value;
	uint32_t address;
	uint8_t bytes[4];
} NX_LAYOUT;

enum nx_place_kind {
	NX_PLACE_VARIABLE = 0x10,	/* of the NEFF: index, and offset in it */
	NX_PLACE_TABLE = 0x20,		/* of addresses: index, and offset from that address */
	NX_PLACE_TABLE_REGISTER = 0x28, /* the same, but offset is the number of a register */
};

struct nx_word_dma_side {
	union {
		uint64_t address; /* of DMA_DIRECT2D, unless it has a kind */
		struct {
			uint32_t offset;
			uint8_t index[3];
			uint8_t kind; /* enum nx_place_kind */
		} NX_LAYOUT;
	} NX_LAYOUT;
	int32_t outer_step, inner_step; /* bytes */
	uint16_t outer_count, inner_count;
	uint16_t element_bytes; /* 0 means 65536 */
} NX_LAYOUT;
static_assert(sizeof(struct nx_word_dma_side) == 22, "two sides and four bytes each fill a body");

#define NX_DMA_FULL_ELEMENT 65536u

static inline uint32_t nx_dma_side_index(const struct nx_word_dma_side *side)
{
	return side->index[0] | (uint32_t)side->index[1] << 8 | (uint32_t)side->index[2] << 16;
}

static inline uint32_t nx_dma_side_element_bytes(const struct nx_word_dma_side *side)
{
	return side->element_bytes ? side->element_bytes : NX_DMA_FULL_ELEMENT;
}

/* --- bodies ------------------------------------------------------------------------------ */

enum nx_fp32_mode { NX_FP32_NONE, NX_FP32_LOW, NX_FP32_HIGH, NX_FP32_LOW_HIGH };
#define NX_FP32_MODE_MASK 3
#define NX_ACC_START 1 /* sums replace what PSUM holds */

/* LDWEIGHTS has no target, zero_region and acc_flags. */
struct nx_array_word {
	struct nx_word_header header;
	uint8_t pad12[4];
	struct nx_pattern_3d source;
	uint8_t dtype;
	uint8_t fp32_mode; /* & NX_FP32_MODE_MASK */
	uint8_t transpose; /* bit 0 */
	uint8_t pad35[3];
	uint8_t rows, columns;
	uint8_t zero_region; /* 2 << this many bytes; 0 none */
	uint8_t pad41[2];
	uint8_t acc_flags;
	uint8_t row_groups, column_groups; /* a bit per 32 */
	uint8_t pad46[2];
	struct nx_pattern_3d target;
} NX_LAYOUT;

struct nx_activate_word {
	struct nx_word_header header;
	uint8_t is_bias_immediate, is_scale_pointer; /* bit 0 */
	uint8_t accumulate;
	uint8_t pad15;
	struct nx_pattern_3d source;
	uint8_t dtypes; /* source low, bias high */
	uint8_t target_dtype;
	uint8_t lanes;
	uint8_t function;
	union nx_word_scalar scale, bias, immediate;
	struct nx_pattern_3d target;
} NX_LAYOUT;

struct nx_table_load_word {
	struct nx_word_header header;
	uint8_t pad12[23];
	uint8_t function_set;
	uint8_t pad36[28];
} NX_LAYOUT;

struct nx_scalar_word { /* TENSOR_SCALAR */
	struct nx_word_header header;
	uint8_t pad12[4];
	struct nx_pattern_3d source;
	uint8_t source_dtype, target_dtype;
	uint8_t lanes;
	uint8_t pointers; /* bit k: scalars[k] is an address */
	uint8_t ops[2];	  /* ALU operations */
	uint8_t pad38[2];
	union nx_word_scalar scalars[2];
	struct nx_pattern_3d target;
} NX_LAYOUT;

struct nx_pair_word { /* TENSOR_TENSOR, COPY_PREDICATED (first is the predicate) */
	struct nx_word_header header;
	uint8_t dtypes; /* first low, second high */
	uint8_t target_dtype;
	uint8_t op;
	uint8_t lanes;
	struct nx_pattern_3d first, second, target;
} NX_LAYOUT;

struct nx_copy_word { /* COPY, CAST, RECIPROCAL, TENSOR_REDUCE, GATHER, shuffle, transpose */
	struct nx_word_header header;
	struct nx_pattern_4d source;
	uint8_t source_dtype, target_dtype;
	uint8_t lanes;
	uint8_t negated; /* TENSOR_REDUCE: bit 0 */
	uint8_t op, axes;
	uint8_t pad38[6];
	struct nx_pattern_4d target;
} NX_LAYOUT;

struct nx_memset_word {
	struct nx_word_header header;
	uint8_t pad12[16];
	uint16_t count; /* elements, modulo 65536 */
	uint8_t pad30[2];
	uint8_t dtype;
	uint8_t pad33;
	uint8_t lanes;
	uint8_t pad35[5];
	union nx_word_scalar value; /* in the element type's own bytes */
	struct nx_pattern_4d target;
} NX_LAYOUT;

struct nx_top8_word { /* MAX8, FIND_INDEX8 */
	struct nx_word_header header;
	struct nx_pattern_4d source;
	uint8_t source_dtype, target_dtype;
	uint8_t lanes;
	uint8_t pad35[13];
	struct nx_pattern_2d target;
	uint8_t pad60[4];
} NX_LAYOUT;

struct nx_match_word { /* MATCH_VALUE_LOAD */
	struct nx_word_header header;
	uint8_t pad12[4];
	struct nx_pattern_2d source;
	uint8_t pad28[4];
	uint8_t dtype;
	uint8_t pad33;
	uint8_t lanes;
	uint8_t pad35[29];
} NX_LAYOUT;

#define NX_MASK_LANES 32u
struct nx_mask_word { /* LOAD_MASK_SELECT */
	struct nx_word_header header;
	uint8_t pad12[20];
	uint8_t mask[NX_MASK_LANES];
} NX_LAYOUT;

struct nx_scalar_predicated_word { /* COPY_PREDICATED_SCALAR */
	struct nx_word_header header;
	uint8_t pad12[4];
	struct nx_pattern_3d predicate;
	uint8_t predicate_dtype;
	uint8_t inverted; /* bit 0 */
	uint8_t lanes;
	uint8_t pad35[6];
	uint8_t scalar_dtype, target_dtype;
	uint8_t is_scalar_pointer; /* bit 0 */
	uint32_t scalar_address;
	struct nx_pattern_3d target;
} NX_LAYOUT;

struct nx_affine_select_word { /* TENSOR_SCALAR_AFFINE_SELECT */
	struct nx_word_header header;
	uint8_t lanes;
	uint8_t dtypes; /* source low, target high */
	uint8_t comparison;
	uint8_t fill_register;
	int32_t base;
	int16_t steps[4];
	uint16_t counts[4];
	struct nx_pattern_2d source, target;
	int32_t lane_step;
} NX_LAYOUT;

struct nx_event_semaphore_word {
	struct nx_word_header header;
	uint8_t setter;
	uint8_t pad13[19];
	struct nx_word_sync wait, update;
	uint32_t wait_value, update_value;
	uint8_t pad44[20];
} NX_LAYOUT;

struct nx_drain_word {
	struct nx_word_header header;
	uint8_t pad12[28];
	uint8_t waits_for_writes; /* ours: the last DRAIN of an execution */
	uint8_t pad41[23];
} NX_LAYOUT;

struct nx_write_word {
	struct nx_word_header header;
	uint8_t sizes[2]; /* bytes; the second is 0 for a single write */
	uint8_t pad14[2];
	uint64_t addresses[2];
	uint64_t data[2];
	uint8_t pad48[16];
} NX_LAYOUT;

struct nx_notify_word {
	struct nx_word_header header;
	uint8_t pad12[24];
	uint16_t hint; /* NX_NOTIFY_HINT_... */
	uint8_t pad38;
	uint8_t kind; /* 1 explicit */
	uint8_t pad40[24];
} NX_LAYOUT;

struct nx_move_word {
	struct nx_word_header header;
	uint8_t mode;
	uint8_t dtype;
	uint8_t is_immediate; /* bit 0 */
	uint8_t pad15[9];
	uint32_t target_register;
	uint8_t pad28[4];
	uint32_t source; /* a number, or that of a register */
	uint8_t pad36[28];
} NX_LAYOUT;

struct nx_alu_word {
	struct nx_word_header header;
	uint8_t op;
	uint8_t dtype;
	uint8_t is_right_immediate; /* bit 0 */
	uint8_t pad15;
	uint32_t left_register, target_register;
	uint32_t right; /* a number, or that of a register */
	uint8_t pad28[36];
} NX_LAYOUT;

enum nx_comparison { NX_COMPARE_ALWAYS = 0, NX_COMPARE_EQUAL = 3 };
struct nx_branch_word { /* COMPARE_BRANCH */
	struct nx_word_header header;
	uint8_t comparison;
	uint8_t dtype;
	uint8_t flags;
	uint8_t pad15;
	uint32_t left_register;
	uint8_t pad20[12];
	uint32_t right;
	uint8_t pad36[12];
	uint32_t target; /* a label, or once loaded the distance in bytes */
	uint8_t pad52[12];
} NX_LAYOUT;

struct nx_register_transfer_word { /* TENSOR_LOAD, TENSOR_STORE and their pseudo words */
	struct nx_word_header header;
	uint8_t dtype;
	uint8_t pad13;
	uint8_t counts[2];
	union {
		uint64_t address;
		struct { /* of the pseudo words */
			uint32_t variable, offset;
		} NX_LAYOUT;
	} NX_LAYOUT;
	int32_t steps[2];
	uint8_t registers[32];
} NX_LAYOUT;

struct nx_range_clear_word { /* EVENT_SEMAPHORE_RANGE_CLEAR */
	struct nx_word_header header;
	uint8_t mode; /* 1: semaphores become 0 */
	uint8_t first, last;
	uint8_t pad15[49];
} NX_LAYOUT;

struct nx_dma_word { /* DMA_DIRECT2D and its pseudo word */
	struct nx_word_header header;
	uint8_t operation;
	uint8_t semaphore;
	uint16_t increment; /* the high byte is compute_op in DMA_DIRECT2D */
	struct nx_word_dma_side source;
	uint8_t source_shape_register, target_shape_register;
	struct nx_word_dma_side target;
	uint8_t source_dtype, target_dtype;
} NX_LAYOUT;

struct nx_dma_trigger_word {
	struct nx_word_header header;
	char queue[36]; /* padded with NUL */
	uint32_t block_id;
	uint8_t pad52[12];
} NX_LAYOUT;

struct nx_core_barrier_word {
	struct nx_word_header header;
	uint32_t id;
	uint8_t semaphore;
	uint8_t pad17[47];
} NX_LAYOUT;

struct nx_extension_word { /* follows a DMA whose offset is in a register */
	struct nx_word_header header;
	uint32_t tensor_bytes;
	uint8_t pad16[48];
} NX_LAYOUT;

struct nx_trigger_collective_word {
	struct nx_word_header header;
	uint8_t op;
	uint8_t dtype;
	uint16_t group;
	uint32_t input, output; /* variables */
	uint64_t element_count;
	uint8_t kind;
	uint8_t root;	 /* ours */
	uint16_t counts; /* ours */
	uint8_t pad36[28];
} NX_LAYOUT;

union nx_word {
	uint8_t bytes[NX_SLOT_BYTES];
	struct nx_word_header header;
	struct nx_array_word array;
	struct nx_activate_word activate;
	struct nx_table_load_word table_load;
	struct nx_scalar_word scalar;
	struct nx_pair_word pair;
	struct nx_copy_word copy;
	struct nx_memset_word memset;
	struct nx_top8_word top8;
	struct nx_match_word match;
	struct nx_mask_word mask;
	struct nx_scalar_predicated_word scalar_predicated;
	struct nx_affine_select_word affine_select;
	struct nx_event_semaphore_word event_semaphore;
	struct nx_drain_word drain;
	struct nx_write_word write;
	struct nx_notify_word notify;
	struct nx_move_word move;
	struct nx_alu_word alu;
	struct nx_branch_word branch;
	struct nx_register_transfer_word registers;
	struct nx_range_clear_word range_clear;
	struct nx_dma_word dma;
	struct nx_dma_trigger_word dma_trigger;
	struct nx_core_barrier_word core_barrier;
	struct nx_extension_word extension;
	struct nx_trigger_collective_word collective;
} NX_LAYOUT;

static_assert(sizeof(union nx_word) == NX_SLOT_BYTES, "no layout is longer than a slot");
#define NX_FIELD_AT(layout, field, at)                                                             \
	static_assert(sizeof(struct layout) == NX_SLOT_BYTES &&                                    \
			      offsetof(struct layout, field) == (at),                              \
		      #layout " fills a slot and " #field " lies at byte " #at)
NX_FIELD_AT(nx_array_word, target, 48);
NX_FIELD_AT(nx_activate_word, target, 48);
NX_FIELD_AT(nx_table_load_word, function_set, 35);
NX_FIELD_AT(nx_scalar_word, target, 48);
NX_FIELD_AT(nx_pair_word, target, 48);
NX_FIELD_AT(nx_copy_word, target, 44);
NX_FIELD_AT(nx_memset_word, target, 44);
NX_FIELD_AT(nx_top8_word, target, 48);
NX_FIELD_AT(nx_match_word, lanes, 34);
NX_FIELD_AT(nx_mask_word, mask, 32);
NX_FIELD_AT(nx_scalar_predicated_word, target, 48);
NX_FIELD_AT(nx_affine_select_word, lane_step, 60);
NX_FIELD_AT(nx_event_semaphore_word, update_value, 40);
NX_FIELD_AT(nx_drain_word, waits_for_writes, 40);
NX_FIELD_AT(nx_write_word, data, 32);
NX_FIELD_AT(nx_notify_word, kind, 39);
NX_FIELD_AT(nx_move_word, source, 32);
NX_FIELD_AT(nx_alu_word, right, 24);
NX_FIELD_AT(nx_branch_word, target, 48);
NX_FIELD_AT(nx_register_transfer_word, registers, 32);
NX_FIELD_AT(nx_range_clear_word, last, 14);
NX_FIELD_AT(nx_dma_word, target, 40);
NX_FIELD_AT(nx_dma_trigger_word, block_id, 48);
NX_FIELD_AT(nx_core_barrier_word, semaphore, 16);
NX_FIELD_AT(nx_extension_word, tensor_bytes, 12);
NX_FIELD_AT(nx_trigger_collective_word, counts, 34);
#undef NX_FIELD_AT

/* --- viewing ----------------------------------------------------------------------------- */

static inline const union nx_word *nx_word_of(const uint8_t *slot)
{
	return (const union nx_word *)(const void *)slot;
}

static inline uint8_t nx_word_opcode(const uint8_t *slot)
{
	return nx_word_of(slot)->header.opcode;
}

/* Keeps the header with its wait and update. */
static inline void nx_word_clear_body(union nx_word *word)
{
	memset(word->bytes + NX_WORD_HEADER_BYTES, 0, NX_SLOT_BYTES - NX_WORD_HEADER_BYTES);
}

#endif
