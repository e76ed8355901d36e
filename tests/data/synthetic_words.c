/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/synthetic_words.h"

#include "base/bare/bits.h"

#define WORD_LENGTH 0x10
#define PARTITIONS 128
#define VARIABLE_BIT (UINT64_C(1) << 60)

void nx_word_plain(uint8_t *word, uint8_t opcode)
{
	memset(word, 0, NX_SLOT_BYTES);
	word[0] = opcode;
	word[1] = WORD_LENGTH;
}

/* Steps of the slower dimensions are those of a dense array. */
static void put_pattern(uint8_t *word, unsigned at, unsigned dims, uint16_t count)
{
	for (unsigned i = 0; i < dims; i++) {
		nx_store16(word + at + 2 * i, i ? count : 1);
		nx_store16(word + at + 2 * dims + 2 * i, i ? 1 : count);
	}
}

static void put_place(uint8_t *word, unsigned at, unsigned dims, uint32_t address, uint16_t count)
{
	nx_store32(word + at, address);
	put_pattern(word, at + 4, dims, count);
}

void nx_word_load_weights(uint8_t *word, struct nx_place source, bool is_transpose)
{
	nx_word_plain(word, NX_OP_LDWEIGHTS);
	put_place(word, 16, 3, source.address, source.count);
	word[32] = (uint8_t)source.dtype;
	word[34] = is_transpose;
	word[38] = PARTITIONS;
	word[39] = PARTITIONS;
}

void nx_word_matmul(uint8_t *word, struct nx_place source, uint32_t target, uint8_t acc_flags,
		    bool is_transpose)
{
	nx_word_plain(word, NX_OP_MATMUL);
	put_place(word, 16, 3, source.address, source.count);
	put_place(word, 48, 3, target, source.count);
	word[32] = (uint8_t)source.dtype;
	word[34] = is_transpose;
	word[38] = PARTITIONS;
	word[39] = PARTITIONS;
	word[43] = acc_flags;
}

void nx_word_activate(uint8_t *word, enum nx_word_function function, struct nx_place source,
		      struct nx_place target)
{
	nx_word_plain(word, NX_OP_ACTIVATE);
	word[12] = 1; /* the bias is a number, not an address */
	put_place(word, 16, 3, source.address, source.count);
	put_place(word, 48, 3, target.address, target.count);
	word[32] = (uint8_t)source.dtype;
	word[33] = (uint8_t)target.dtype;
	word[34] = PARTITIONS;
	word[35] = (uint8_t)function;
	nx_store32(word + 36, 0x3f800000); /* scale 1.0 */
}

void nx_word_copy(uint8_t *word, uint8_t opcode, struct nx_place source, struct nx_place target)
{
	nx_word_plain(word, opcode);
	put_place(word, 12, 4, source.address, source.count);
	put_place(word, 44, 4, target.address, target.count);
	word[32] = (uint8_t)source.dtype;
	word[33] = (uint8_t)target.dtype;
	word[34] = PARTITIONS;
}

void nx_word_reduce(uint8_t *word, enum nx_word_alu op, struct nx_place source,
		    struct nx_place target)
{
	nx_word_copy(word, NX_OP_TENSOR_REDUCE, source, target);
	word[36] = (uint8_t)op;
	word[37] = 2; /* along the fastest dimension */
}

void nx_word_scalar(uint8_t *word, enum nx_word_alu op, struct nx_place source,
		    struct nx_place target)
{
	nx_word_plain(word, NX_OP_TENSOR_SCALAR);
	put_place(word, 16, 3, source.address, source.count);
	put_place(word, 48, 3, target.address, target.count);
	word[32] = (uint8_t)source.dtype;
	word[33] = (uint8_t)target.dtype;
	word[34] = PARTITIONS;
	word[36] = (uint8_t)op;
	word[37] = NX_ALU_BYPASS;
	nx_store32(word + 40, 0x3f000000); /* 0.5 */
}

void nx_word_pair(uint8_t *word, enum nx_word_alu op, struct nx_place a, struct nx_place b,
		  struct nx_place target)
{
	nx_word_plain(word, NX_OP_TENSOR_TENSOR);
	put_place(word, 16, 3, a.address, a.count);
	put_place(word, 32, 3, b.address, b.count);
	put_place(word, 48, 3, target.address, target.count);
	word[12] = (uint8_t)((unsigned)a.dtype | (unsigned)b.dtype << 4);
	word[13] = (uint8_t)target.dtype;
	word[14] = (uint8_t)op;
	word[15] = PARTITIONS;
}

void nx_word_event_semaphore(uint8_t *word, uint8_t semaphore, uint32_t at_least)
{
	nx_word_plain(word, NX_OP_EVENT_SEMAPHORE);
	word[32] = NX_WAIT_AT_LEAST;
	word[33] = semaphore;
	nx_store32(word + 36, at_least);
}

void nx_word_range_clear(uint8_t *word, uint8_t first, uint8_t last)
{
	nx_word_plain(word, NX_OP_EVENT_SEMAPHORE_RANGE_CLEAR);
	word[12] = 1;
	word[13] = first;
	word[14] = last;
}

void nx_word_notify(uint8_t *word, uint16_t hint)
{
	nx_word_plain(word, NX_OP_NOTIFY);
	nx_store16(word + 36, hint);
	word[39] = 1;
}

void nx_word_write(uint8_t *word, uint64_t address, uint32_t data)
{
	nx_word_plain(word, NX_OP_WRITE);
	word[12] = 4;
	nx_store64(word + 16, address);
	nx_store64(word + 32, data);
}

void nx_word_dma_trigger(uint8_t *word, const char *queue, uint32_t block_id)
{
	size_t len = strlen(queue);

	nx_word_plain(word, NX_OP_PSEUDO_DMA_TRIGGER);
	memcpy(word + 12, queue, len < 36 ? len : 36);
	nx_store32(word + 48, block_id);
}

void nx_word_dma(uint8_t *word, const struct nx_word_dma *dma)
{
	nx_word_plain(word, NX_OP_PSEUDO_DMA_DIRECT2D);
	word[13] = dma->semaphore;
	word[14] = 1;
	nx_store64(word + 16, VARIABLE_BIT | (uint64_t)dma->from_variable << 32 | dma->from_offset);
	nx_store64(word + 40, VARIABLE_BIT | (uint64_t)dma->to_variable << 32 | dma->to_offset);
	for (unsigned side = 0; side < 2; side++) {
		uint8_t *pattern = word + (side ? 48 : 24);

		nx_store32(pattern, dma->element_bytes);
		nx_store32(pattern + 4, (uint32_t)dma->element_bytes * dma->element_count);
		nx_store16(pattern + 8, dma->element_count);
		nx_store16(pattern + 10, 1);
	}
	nx_store16(word + 36, dma->element_bytes);
	nx_store16(word + 60, dma->element_bytes);
	word[62] = NX_WORD_BF16;
	word[63] = NX_WORD_BF16;
}

void nx_word_set_wait(uint8_t *word, uint8_t semaphore, uint32_t at_least)
{
	word[4] = NX_WAIT_AT_LEAST;
	word[5] = semaphore;
	nx_store32(word + 8, at_least);
}

void nx_word_set_update(uint8_t *word, uint8_t semaphore)
{
	word[6] = NX_UPDATE_INCREMENT;
	word[7] = semaphore;
}
