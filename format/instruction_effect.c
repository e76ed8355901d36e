/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction_effect: which memory an instruction reads and writes, and how much.
 *
 * Like the profiler, it counts on-chip operands per partition: elements times element size.
 * Operands with one value per partition (scale, bias, scalar pointers) do not count.
 */
#include "format/instruction.h"

#include <string.h>

#include "base/bare/bits.h"

#define DMA_TABLE_BIT UINT64_C(0x2000000000000000)
#define DMA_VARIABLE_BIT UINT64_C(0x1000000000000000)

enum dtype_place { WHOLE, LOW, HIGH }; /* which bits of the byte hold the element type */

struct operand {
	bool is_write;
	uint8_t at;   /* offset of its pattern */
	uint8_t dims; /* 2 to 4; 0 after the last operand */
	uint8_t dtype_at;
	enum dtype_place place;
	uint8_t lanes_at;
};

#define OPERAND(is_write, layout, field, dims, dtype, place, lanes)                                \
	{                                                                                          \
		is_write, offsetof(struct layout, field), dims, offsetof(struct layout, dtype),    \
			place, offsetof(struct layout, lanes)                                      \
	}
#define READ(...) OPERAND(false, __VA_ARGS__)
#define WRITE(...) OPERAND(true, __VA_ARGS__)
#define COPY_SOURCE READ(nx_copy_word, source, 4, source_dtype, WHOLE, lanes)
#define COPY_OPERANDS COPY_SOURCE, WRITE(nx_copy_word, target, 4, target_dtype, WHOLE, lanes)
#define TOP8_OPERANDS                                                                              \
	READ(nx_top8_word, source, 4, source_dtype, WHOLE, lanes),                                 \
		WRITE(nx_top8_word, target, 2, target_dtype, WHOLE, lanes)
#define PAIR_OPERANDS                                                                              \
	READ(nx_pair_word, first, 3, dtypes, LOW, lanes),                                          \
		READ(nx_pair_word, second, 3, dtypes, HIGH, lanes),                                \
		WRITE(nx_pair_word, target, 3, target_dtype, WHOLE, lanes)

#define MAX_OPERANDS 3
static_assert(MAX_OPERANDS == sizeof(((struct nx_instruction_effect *)0)->accesses) /
				      sizeof(struct nx_access),
	      "an effect has room for all operands");

static const struct operand operands[256][MAX_OPERANDS] = {
#define NX_OPERAND_WORD(code, name, print, pattern, ...) [code] = {__VA_ARGS__},
#include "format/opcodes.def"
};

static struct nx_access access_of(const uint8_t *slot, const struct operand *op)
{
	const uint8_t *steps = slot + op->at + sizeof(uint32_t), *counts = steps + 2 * op->dims;
	uint8_t dtype = slot[op->dtype_at];
	struct nx_access a = {.is_write = op->is_write,
			      .address = nx_load32(slot + op->at),
			      .partition_count = slot[op->lanes_at],
			      .dtype = op->place == LOW	   ? nx_low_dtype(dtype)
				       : op->place == HIGH ? nx_high_dtype(dtype)
							   : dtype,
			      .dims = op->dims};

	memcpy(a.steps, steps, 2 * op->dims);
	memcpy(a.counts, counts, 2 * op->dims);
	return a;
}

static void add_bytes(uint64_t *sum, bool *has, uint64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
	*has = true;
}

static void count_access(struct nx_instruction_effect *e, const struct nx_access *a, bool is_psum)
{
	uint64_t bytes;

	/* Four counts of 65535 and eight-byte elements exceed 64 bits. */
	if (__builtin_mul_overflow(nx_access_elements(a), nx_dtype_bytes(a->dtype), &bytes))
		bytes = UINT64_MAX;
	if (is_psum && a->is_write)
		add_bytes(&e->psum_write_bytes, &e->has_psum_write, bytes);
	else if (is_psum)
		add_bytes(&e->psum_read_bytes, &e->has_psum_read, bytes);
	else if (a->is_write)
		add_bytes(&e->sbuf_write_bytes, &e->has_sbuf_write, bytes);
	else
		add_bytes(&e->sbuf_read_bytes, &e->has_sbuf_read, bytes);
}

static void on_chip_effect(const uint8_t *slot, struct nx_instruction_effect *e)
{
	uint8_t opcode = nx_word_opcode(slot);
	bool is_array = opcode == NX_OP_LDWEIGHTS || opcode == NX_OP_MATMUL;
	const struct operand *list = operands[opcode];

	for (unsigned i = 0; i < MAX_OPERANDS && list[i].dims; i++) {
		struct nx_access a = access_of(slot, &list[i]);

		if (nx_dtype_bytes(a.dtype) == 0)
			continue;
		/* The array reads the state buffer and writes PSUM, whatever the addresses are. */
		count_access(e, &a, is_array ? a.is_write : a.address >= NX_PSUM_BASE);
		e->accesses[e->access_count++] = a;
	}
	if (opcode != NX_OP_MATMUL && e->has_psum_read && e->has_sbuf_write) {
		e->is_psum_read_sbuf_write = true;
		e->psum_read_sbuf_write_bytes = e->sbuf_write_bytes;
	}
}

static void matmul_effect(const uint8_t *slot, struct nx_instruction_effect *e)
{
	const struct nx_array_word *w = &nx_word_of(slot)->array;
	struct nx_access moving = nx_access_3d(&w->source, w->dtype, w->rows);

	e->elements = (uint64_t)w->rows * w->columns * nx_access_elements(&moving);
	e->has_elements = true;
	/* PSUM holds fp32 whatever the type of the sums: real exports show the unread halves of
	 * two-byte transposes as live. */
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

static uint64_t dma_side_bytes(const struct nx_word_dma_side *side)
{
	uint64_t bytes = side->element_bytes ? side->element_bytes : NX_DMA_FULL_ELEMENT;

	return (uint64_t)side->outer_count * side->inner_count * bytes;
}

static void dma_effect(const uint8_t *slot, unsigned arch, struct nx_instruction_effect *e)
{
	const struct nx_dma_word *w = &nx_word_of(slot)->dma;
	bool is_pseudo = w->header.opcode == NX_OP_PSEUDO_DMA_DIRECT2D;

	if (is_on_chip(w->source.address, is_pseudo, arch))
		add_bytes(&e->sbuf_read_bytes, &e->has_sbuf_read, dma_side_bytes(&w->source));
	else
		add_bytes(&e->hbm_read_bytes, &e->has_hbm_read, dma_side_bytes(&w->source));
	if (is_on_chip(w->target.address, is_pseudo, arch))
		add_bytes(&e->sbuf_write_bytes, &e->has_sbuf_write, dma_side_bytes(&w->target));
	else
		add_bytes(&e->hbm_write_bytes, &e->has_hbm_write, dma_side_bytes(&w->target));
}

void nx_instruction_effect(const uint8_t slot[NX_SLOT_BYTES], unsigned arch,
			   struct nx_instruction_effect *out)
{
	memset(out, 0, sizeof(*out));
	on_chip_effect(slot, out);
	if (nx_word_opcode(slot) == NX_OP_MATMUL)
		matmul_effect(slot, out);
	else if (nx_word_opcode(slot) == NX_OP_DMA_DIRECT2D ||
		 nx_word_opcode(slot) == NX_OP_PSEUDO_DMA_DIRECT2D)
		dma_effect(slot, arch, out);
}

bool nx_instruction_dma_trigger(const uint8_t slot[NX_SLOT_BYTES], struct nx_dma_trigger *out)
{
	const struct nx_dma_trigger_word *w = &nx_word_of(slot)->dma_trigger;

	if (w->header.opcode != NX_OP_PSEUDO_DMA_TRIGGER)
		return false;
	memcpy(out->queue, w->queue, sizeof(w->queue));
	out->queue[sizeof(w->queue)] = '\0';
	out->block_id = w->block_id;
	return true;
}

bool nx_instruction_core_barrier(const uint8_t slot[NX_SLOT_BYTES], struct nx_core_barrier *out)
{
	const struct nx_core_barrier_word *w = &nx_word_of(slot)->core_barrier;

	if (w->header.opcode != NX_OP_PSEUDO_CORE_BARRIER)
		return false;
	*out = (struct nx_core_barrier){w->id, w->semaphore};
	return true;
}

bool nx_instruction_register_transfer(const uint8_t slot[NX_SLOT_BYTES], unsigned arch,
				      struct nx_register_transfer *out)
{
	const struct nx_register_transfer_word *w = &nx_word_of(slot)->registers;

	switch (w->header.opcode) {
	case NX_OP_TENSOR_LOAD:
	case NX_OP_TENSOR_STORE:
		out->is_on_chip = is_on_chip(w->address, false, arch);
		break;
	case NX_OP_PSEUDO_TENSOR_LOAD:
	case NX_OP_PSEUDO_TENSOR_STORE:
		out->is_on_chip = w->variable == 0;
		break;
	default:
		return false;
	}
	out->value_count = (unsigned)w->counts[0] * w->counts[1];
	return true;
}

/* --- waits ----------------------------------------------------------------- */

static bool is_semaphore_wait(uint8_t mode)
{
	mode &= (uint8_t)~NX_WAIT_REGISTER;
	return mode >= NX_WAIT_EQUAL && mode <= NX_WAIT_AT_LEAST;
}

/* Every word has a wait in its header; EVENT_SEMAPHORE has another in its body. */
bool nx_instruction_wait(const uint8_t slot[NX_SLOT_BYTES], uint8_t *semaphore)
{
	const struct nx_event_semaphore_word *w = &nx_word_of(slot)->event_semaphore;

	if (is_semaphore_wait(w->header.wait.mode)) {
		*semaphore = w->header.wait.semaphore;
		return true;
	}
	if (w->header.opcode != NX_OP_EVENT_SEMAPHORE || !is_semaphore_wait(w->wait.mode))
		return false;
	*semaphore = w->wait.semaphore;
	return true;
}

/* --- flops ----------------------------------------------------------------- */

/* Time of an operation, in quarters of the time in bf16. */
static unsigned quarters(unsigned dtype, unsigned arch)
{
	if (dtype == NX_DTYPE_FP32)
		return 16;
	if (dtype == NX_DTYPE_UINT8)
		return 2;
	if (dtype >= NX_DTYPE_FP8E3 && dtype <= NX_DTYPE_FP8E5)
		return arch > NX_ARCH_V2 ? 2 : 4;
	return 4;
}

static uint64_t times(uint64_t count, unsigned factor)
{
	uint64_t product;

	return __builtin_mul_overflow(count, factor, &product) ? UINT64_MAX : product;
}

/* Of each element; a MATMUL that is one of two passes over fp32 counts half. */
static unsigned flops_each(const struct nx_array_word *w)
{
	return w->dtype == NX_DTYPE_FP32 && w->fp32_mode & NX_FP32_MODE_MASK ? 1 : 2;
}

struct nx_flops nx_instruction_flops(const uint8_t slot[NX_SLOT_BYTES], unsigned arch)
{
	const struct nx_array_word *w = &nx_word_of(slot)->array;
	unsigned each = flops_each(w);
	struct nx_instruction_effect e;
	struct nx_flops flops = {0};

	if (w->header.opcode != NX_OP_MATMUL)
		return flops;
	nx_instruction_effect(slot, arch, &e);
	flops.raw_count = times(e.elements, each);
	flops.adjusted_count = times(e.elements, each * quarters(w->dtype, arch) / 4);
	return flops;
}

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
	unsigned dtype = nx_word_of(slot)->array.dtype;
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
