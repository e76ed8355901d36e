/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction: the 64-byte word of a NeuronCore engine, its names and its text.
 *
 * The text is what AWS's profiler prints (docs/formats/isa.md). An opcode without a known layout
 * prints as its name (or OP_xx) and its raw words.
 */
#ifndef NX_FORMAT_INSTRUCTION_H
#define NX_FORMAT_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bare/slice.h"
#include "format/instruction_word.h"
#include "machine/dtype.h"

#define NX_INSTRUCTION_TEXT_MAX 1024

enum nx_opcode {
#define NX_OPCODE(code, name) NX_OP_##name = (code),
#include "format/opcodes.def"
};

/* The word of a slot; NULL if the code ends before it. */
static inline const uint8_t *nx_instruction_word(struct nx_slice code, uint32_t slot)
{
	return slot < code.len / NX_SLOT_BYTES ? code.data + (size_t)slot * NX_SLOT_BYTES : NULL;
}

#define NX_NOTIFY_HINT_START 2 /* NOTIFY hint (u16 at 36): the inference begins */
#define NX_NOTIFY_HINT_END 3

/* "MATMUL"; NULL for a code without a name. */
const char *nx_opcode_name(uint8_t opcode);
/* The name, or "OP_7B" written into buf (at least 8 bytes). */
const char *nx_opcode_label(uint8_t opcode, char *buf);

/* Instructions that only prepare, order or end other work, by the published list. */
bool nx_opcode_is_setup(uint8_t opcode);

/* "EXP", or the number as text in buf (at least 4 bytes). */
const char *nx_activation_name(uint8_t function, char *buf);

/*
 * qPoolDynamic -> qGpSimdDynamic: a queue's name as the profiler spells it. Writes at most
 * cap - 1 bytes and a NUL; returns the bytes written.
 */
size_t nx_queue_display_name(const char *name, size_t len, char *out, size_t cap);

struct nx_instruction_context {
	unsigned arch; /* as in the NTFF: 1 = V2, 2 = V3, 3 = V4 */
	/* NX_SEMAPHORE_COUNT entries, NULL = unnamed; may itself be NULL */
	const char *const *semaphore_names;
};

/*
 * Writes the operand text with its wait and update, NUL-terminated and cut to cap, and returns its
 * length. NX_INSTRUCTION_TEXT_MAX holds any text whose semaphore names are shorter than 200 bytes.
 * *is_known becomes false if the layout is unknown and raw words were printed instead.
 */
size_t nx_instruction_text(const uint8_t slot[NX_SLOT_BYTES],
			   const struct nx_instruction_context *context, char *out, size_t cap,
			   bool *is_known);

/* What an instruction touches, as far as its layout is known. */
struct nx_instruction_effect {
	uint64_t elements; /* MATMUL: rows * columns * moved elements, else 0 */
	uint64_t sbuf_read_bytes, sbuf_write_bytes; /* per partition for on-chip operands */
	uint64_t psum_read_bytes, psum_write_bytes;
	uint64_t hbm_read_bytes, hbm_write_bytes;
	uint64_t psum_read_sbuf_write_bytes;
	bool is_psum_read_sbuf_write;
	/* which of the counts exist for this opcode */
	bool has_elements, has_sbuf_read, has_sbuf_write, has_psum_read, has_psum_write,
		has_hbm_read, has_hbm_write;
	struct nx_access accesses[3];
	unsigned access_count;
};

void nx_instruction_effect(const uint8_t slot[NX_SLOT_BYTES], unsigned arch,
			   struct nx_instruction_effect *out);

/* PSEUDO_DMA_TRIGGER: the queue and the block that it starts. */
struct nx_dma_trigger {
	char queue[37];
	uint32_t block_id;
};
bool nx_instruction_dma_trigger(const uint8_t slot[NX_SLOT_BYTES], struct nx_dma_trigger *out);

/* PSEUDO_CORE_BARRIER: the barrier, and the semaphore that the cores share for it. */
struct nx_core_barrier {
	uint32_t id;
	uint8_t semaphore;
};
bool nx_instruction_core_barrier(const uint8_t slot[NX_SLOT_BYTES], struct nx_core_barrier *out);

/* TENSOR_LOAD, TENSOR_STORE and their pseudo words: memory to registers, or back. */
struct nx_register_transfer {
	unsigned value_count;
	bool is_on_chip; /* SBUF or PSUM, not HBM */
};
bool nx_instruction_register_transfer(const uint8_t slot[NX_SLOT_BYTES], unsigned arch,
				      struct nx_register_transfer *out);

/* The semaphore an instruction waits for before it starts; false if there is none. */
bool nx_instruction_wait(const uint8_t slot[NX_SLOT_BYTES], uint8_t *semaphore);

/*
 * How much arithmetic a MATMUL is; zeros for anything else, UINT64_MAX for a count beyond 64 bits.
 * An fp32 product is computed in two passes, a MATMUL each; a pass counts half. Adjusted counts are
 * in bf16 equivalents: fp32 takes four times as long, uint8 half, fp8 half on Trn2 and later. An
 * fp32 MATMUL that names no pass is the whole product; no capture seen has one.
 */
struct nx_flops {
	uint64_t raw_count;
	uint64_t adjusted_count;
};
struct nx_flops nx_instruction_flops(const uint8_t slot[NX_SLOT_BYTES], unsigned arch);

/*
 * Floating point operations of a MATMUL over that many elements, as AWS publishes them for an
 * instruction: by element type alone, so any fp32 MATMUL counts as one of two passes. INT64_MAX if
 * they do not fit. The adjusted number is in bf16 equivalents, -1 for element types without a
 * published cost.
 */
struct nx_matmul_flops {
	int64_t raw;
	int64_t adjusted;
};
struct nx_matmul_flops nx_matmul_flops(const uint8_t slot[NX_SLOT_BYTES], unsigned arch,
				       uint64_t elements);

#endif
