/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction_effect: which memory an instruction reads and writes, and how much.
 *
 * On-chip operands are counted per partition, as the profiler counts them:
 * elements times element size, whatever the number of partitions. Operands that
 * hold one value per partition (scale, bias, scalar pointers) are not counted.
 */
#include "format/instruction.h"

#include <string.h>

#include "base/bare/bits.h"

#define DMA_TABLE_BIT UINT64_C(0x2000000000000000)
#define DMA_VARIABLE_BIT UINT64_C(0x1000000000000000)

enum dtype_place { WHOLE, LOW, HIGH }; /* which bits of the byte hold the element type */

struct operand {
	bool is_write;
	uint8_t address_at;
	uint8_t pattern_at;
	uint8_t dims;
	uint8_t dtype_at;
	enum dtype_place place;
};

struct operand_list {
	uint8_t count;
	struct operand items[3];
};

#define READ(address, pattern, dims, dtype, place)                                                 \
	{                                                                                          \
		false, address, pattern, dims, dtype, place                                        \
	}
#define WRITE(address, pattern, dims, dtype, place)                                                \
	{                                                                                          \
		true, address, pattern, dims, dtype, place                                         \
	}
#define COPY_OPERANDS                                                                              \
	{                                                                                          \
		2,                                                                                 \
		{                                                                                  \
			READ(12, 16, 4, 32, WHOLE), WRITE(44, 48, 4, 33, WHOLE)                    \
		}                                                                                  \
	}
#define TOP8_OPERANDS                                                                              \
	{                                                                                          \
		2,                                                                                 \
		{                                                                                  \
			READ(12, 16, 4, 32, WHOLE), WRITE(48, 52, 2, 33, WHOLE)                    \
		}                                                                                  \
	}
#define PAIR_OPERANDS                                                                              \
	{                                                                                          \
		3,                                                                                 \
		{                                                                                  \
			READ(16, 20, 3, 12, LOW), READ(32, 36, 3, 12, HIGH),                       \
				WRITE(48, 52, 3, 13, WHOLE)                                        \
		}                                                                                  \
	}

static const struct operand_list operand_lists[256] = {
	[0x01] = {1, {READ(16, 20, 3, 32, WHOLE)}},
	[0x02] = {2, {READ(16, 20, 3, 32, WHOLE), WRITE(48, 52, 3, 32, WHOLE)}},
	[0x21] = {2, {READ(16, 20, 3, 32, LOW), WRITE(48, 52, 3, 33, WHOLE)}},
	[0x41] = PAIR_OPERANDS,
	[0x42] = COPY_OPERANDS,
	[0x43] = {2, {READ(16, 20, 3, 32, WHOLE), WRITE(48, 52, 3, 33, WHOLE)}},
	[0x46] = COPY_OPERANDS,
	[0x47] = COPY_OPERANDS,
	[0x48] = COPY_OPERANDS,
	[0x49] = {1, {WRITE(44, 48, 4, 32, WHOLE)}},
	[0x67] = {1, {READ(12, 16, 4, 32, WHOLE)}},
	[0x68] = COPY_OPERANDS,
	[0x6a] = COPY_OPERANDS,
	[0x6b] = COPY_OPERANDS,
	[0x6c] = TOP8_OPERANDS,
	[0x6d] = {1, {READ(16, 20, 2, 32, WHOLE)}},
	[0x6e] = TOP8_OPERANDS,
	[0x72] = PAIR_OPERANDS,
	[0x92] = {2, {READ(36, 40, 2, 13, LOW), WRITE(48, 52, 2, 13, HIGH)}},
	[0xe8] = {2, {READ(16, 20, 3, 32, WHOLE), WRITE(48, 52, 3, 42, WHOLE)}},
};

static unsigned operand_dtype(const uint8_t *slot, const struct operand *op)
{
	uint8_t byte = slot[op->dtype_at];

	if (op->place == LOW)
		return byte & 15;
	return op->place == HIGH ? byte >> 4 : byte;
}

/* Lanes an instruction works on; the array reads from its rows and writes to its columns. */
static uint8_t partition_count_of(const uint8_t *slot, bool is_write)
{
	switch (slot[0]) {
	case NX_OP_LDWEIGHTS:
	case NX_OP_MATMUL:
		return slot[is_write ? 39 : 38];
	case NX_OP_TENSOR_TENSOR:
	case 0x72:
		return slot[15];
	case 0x92:
		return slot[12];
	default:
		return slot[34];
	}
}

static struct nx_access access_of(const uint8_t *slot, const struct operand *op)
{
	struct nx_access a = {.is_write = op->is_write,
			      .address = nx_load32(slot + op->address_at),
			      .partition_count = partition_count_of(slot, op->is_write),
			      .dtype = operand_dtype(slot, op),
			      .dims = op->dims};

	for (unsigned i = 0; i < a.dims; i++) {
		a.steps[i] = (int16_t)nx_load16(slot + op->pattern_at + 2 * i);
		a.counts[i] = nx_load16(slot + op->pattern_at + 2 * (a.dims + i));
	}
	return a;
}

/* Four counts of 65535 and eight-byte elements pass 64 bits; such a lie saturates. */
static uint64_t access_bytes(const struct nx_access *a)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(nx_access_elements(a), nx_dtype_bytes(a->dtype), &bytes))
		return UINT64_MAX;
	return bytes;
}

static void add_bytes(uint64_t *sum, bool *has, uint64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
	*has = true;
}

static void count_access(struct nx_instruction_effect *e, const struct nx_access *a, bool is_psum)
{
	uint64_t bytes = access_bytes(a);

	if (is_psum && a->is_write)
		add_bytes(&e->psum_write_bytes, &e->has_psum_write, bytes);
	else if (is_psum)
		add_bytes(&e->psum_read_bytes, &e->has_psum_read, bytes);
	else if (a->is_write)
		add_bytes(&e->sbuf_write_bytes, &e->has_sbuf_write, bytes);
	else
		add_bytes(&e->sbuf_read_bytes, &e->has_sbuf_read, bytes);
}

/* The Tensor engine reads the state buffer and writes PSUM, whatever the addresses say. */
static bool is_psum_operand(uint8_t opcode, const struct nx_access *a)
{
	if (opcode == NX_OP_LDWEIGHTS || opcode == NX_OP_MATMUL)
		return a->is_write;
	return a->address >= NX_PSUM_BASE;
}

static void on_chip_effect(const uint8_t *slot, struct nx_instruction_effect *e)
{
	const struct operand_list *list = &operand_lists[slot[0]];

	for (unsigned i = 0; i < list->count; i++) {
		struct nx_access a = access_of(slot, &list->items[i]);

		if (nx_dtype_bytes(a.dtype) == 0)
			continue;
		count_access(e, &a, is_psum_operand(slot[0], &a));
		e->accesses[e->access_count++] = a;
	}
	if (slot[0] != NX_OP_MATMUL && e->has_psum_read && e->has_sbuf_write) {
		e->is_psum_read_sbuf_write = true;
		e->psum_read_sbuf_write_bytes = e->sbuf_write_bytes;
	}
}

static void matmul_effect(const uint8_t *slot, struct nx_instruction_effect *e)
{
	struct nx_access moving = access_of(slot, &operand_lists[NX_OP_MATMUL].items[0]);

	e->elements = (uint64_t)slot[38] * slot[39] * nx_access_elements(&moving);
	e->has_elements = true;
	/* PSUM is occupied as fp32 whatever the type of the sums, also by a transpose that
	 * passes two-byte values through: real exports show its unread halves as live. */
	for (unsigned i = 0; i < e->access_count; i++)
		if (e->accesses[i].is_write)
			e->accesses[i].dtype = NX_DTYPE_FP32;
}

static bool is_on_chip(uint64_t address, bool is_pseudo, unsigned arch)
{
	if (address & DMA_TABLE_BIT)
		return false;
	/* Variable 0 of a NEFF is the state buffer. */
	if (is_pseudo)
		return (address & DMA_VARIABLE_BIT) && (address >> 32 & 0xfffffff) == 0;
	return nx_address_is_on_chip(address, arch);
}

static uint64_t dma_side_bytes(const uint8_t *side)
{
	return (uint64_t)nx_load16(side + 16) * nx_load16(side + 18) * nx_load16(side + 20);
}

static void dma_effect(const uint8_t *slot, unsigned arch, struct nx_instruction_effect *e)
{
	const uint8_t *src = slot + 16, *dst = slot + 40;
	bool is_pseudo = slot[0] == NX_OP_PSEUDO_DMA_DIRECT2D;

	if (is_on_chip(nx_load64(src), is_pseudo, arch))
		add_bytes(&e->sbuf_read_bytes, &e->has_sbuf_read, dma_side_bytes(src));
	else
		add_bytes(&e->hbm_read_bytes, &e->has_hbm_read, dma_side_bytes(src));
	if (is_on_chip(nx_load64(dst), is_pseudo, arch))
		add_bytes(&e->sbuf_write_bytes, &e->has_sbuf_write, dma_side_bytes(dst));
	else
		add_bytes(&e->hbm_write_bytes, &e->has_hbm_write, dma_side_bytes(dst));
}

void nx_instruction_effect(const uint8_t slot[NX_SLOT_BYTES], unsigned arch,
			   struct nx_instruction_effect *out)
{
	memset(out, 0, sizeof(*out));
	on_chip_effect(slot, out);
	if (slot[0] == NX_OP_MATMUL)
		matmul_effect(slot, out);
	else if (slot[0] == NX_OP_DMA_DIRECT2D || slot[0] == NX_OP_PSEUDO_DMA_DIRECT2D)
		dma_effect(slot, arch, out);
}

bool nx_instruction_dma_trigger(const uint8_t slot[NX_SLOT_BYTES], struct nx_dma_trigger *out)
{
	if (slot[0] != NX_OP_PSEUDO_DMA_TRIGGER)
		return false;
	memcpy(out->queue, slot + 12, sizeof(out->queue) - 1);
	out->queue[sizeof(out->queue) - 1] = '\0';
	out->block_id = nx_load32(slot + 48);
	return true;
}

bool nx_instruction_core_barrier(const uint8_t slot[NX_SLOT_BYTES], struct nx_core_barrier *out)
{
	if (slot[0] != NX_OP_PSEUDO_CORE_BARRIER)
		return false;
	out->id = nx_load32(slot + 12);
	out->semaphore = slot[16];
	return true;
}

bool nx_instruction_register_transfer(const uint8_t slot[NX_SLOT_BYTES], unsigned arch,
				      struct nx_register_transfer *out)
{
	switch (slot[0]) {
	case NX_OP_TENSOR_LOAD:
	case NX_OP_TENSOR_STORE:
		out->is_on_chip = is_on_chip(nx_load64(slot + 16), false, arch);
		break;
	case NX_OP_PSEUDO_TENSOR_LOAD:
	case 0xcd: /* PSEUDO_TENSOR_STORE */
		out->is_on_chip = nx_load32(slot + 16) == 0;
		break;
	default:
		return false;
	}
	out->value_count = (unsigned)slot[14] * slot[15];
	return true;
}

/* --- waits ----------------------------------------------------------------- */

#define WAIT_FIRST_SEMAPHORE_MODE 1 /* ==, <, <=, >, >= */
#define WAIT_LAST_SEMAPHORE_MODE 5
#define WAIT_REGISTER_BIT 0x80 /* compare with a register instead of the slot's number */

static bool is_semaphore_wait(uint8_t mode)
{
	mode &= (uint8_t)~WAIT_REGISTER_BIT;
	return mode >= WAIT_FIRST_SEMAPHORE_MODE && mode <= WAIT_LAST_SEMAPHORE_MODE;
}

/* Every word has a wait in its header; EVENT_SEMAPHORE has another in its body. */
bool nx_instruction_wait(const uint8_t slot[NX_SLOT_BYTES], uint8_t *semaphore)
{
	if (is_semaphore_wait(slot[4])) {
		*semaphore = slot[5];
		return true;
	}
	if (slot[0] != NX_OP_EVENT_SEMAPHORE || !is_semaphore_wait(slot[32]))
		return false;
	*semaphore = slot[33];
	return true;
}

/* --- flops ----------------------------------------------------------------- */

static int64_t scaled(uint64_t elements, uint64_t factor)
{
	uint64_t product;

	if (__builtin_mul_overflow(elements, factor, &product) || product > INT64_MAX)
		return INT64_MAX;
	return (int64_t)product;
}

struct nx_matmul_flops nx_matmul_flops(const uint8_t slot[NX_SLOT_BYTES], unsigned arch,
				       uint64_t elements)
{
	unsigned dtype = operand_dtype(slot, &operand_lists[NX_OP_MATMUL].items[0]);
	struct nx_matmul_flops flops = {.raw = scaled(elements, 2), .adjusted = -1};

	if (dtype == NX_DTYPE_FP32) {
		flops.raw = scaled(elements, 1);
		flops.adjusted = scaled(elements, 4);
	} else if (dtype == NX_DTYPE_BF16 || dtype == NX_DTYPE_FP16) {
		flops.adjusted = flops.raw;
	} else if (dtype == NX_DTYPE_UINT8) {
		flops.adjusted = scaled(elements, 1);
	} else if (dtype >= NX_DTYPE_FP8E3 && dtype <= NX_DTYPE_FP8E5) {
		flops.adjusted = arch <= NX_ARCH_V2 ? flops.raw : scaled(elements, 1);
	}
	return flops;
}
