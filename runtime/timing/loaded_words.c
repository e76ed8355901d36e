/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_words: the words that the runtime writes around the compiler's.
 *
 * The same kinds of words in the same order as in captures of trn2, as far as an
 * execution passes them; what only a first start, a stop or an error reaches is
 * left out (docs/design/simulator.md).
 */
#include "base/bare/bits.h"
#include "format/instruction.h"
#include "runtime/timing/loaded_code_internal.h"

#define WORD_MARK 0x10 /* second byte of every word */
#define BARRIER_SEMAPHORE 2
#define WAIT_EQUAL 0x01
#define UPDATE_INCREMENT 0x13 /* each with "on completion" */
#define UPDATE_ADD 0x15
#define UPDATE_SET 0x19
#define COMPARE_ALWAYS 0
#define COMPARE_EQUAL 3
#define BOUND_REGISTER 61u
#define SHAPE_IN_REGISTER 0x80u
/* Where captures show host words, doorbells and SBUF on the engines' bus. */
#define HOST_WORDS UINT64_C(0x8005c035e000)
#define DOORBELLS UINT64_C(0x801002083038)
#define DOORBELL_STEP 0x1000u
#define HBM_BASE UINT64_C(0x800000000000)

static uint8_t *add(struct nx_slot_list *out, uint8_t opcode)
{
	struct nx_loaded_slot slot = {.compiler_pc = NX_NO_INDEX,
				      .kind = NX_LOADED_INSERTED,
				      .queue = NX_NO_INDEX,
				      .block = NX_NO_INDEX};

	slot.word[0] = opcode;
	slot.word[1] = WORD_MARK;
	nx_vec_push(out, slot);
	return out->items[out->len - 1].word;
}

static void add_load(struct nx_slot_list *out, uint64_t offset, uint8_t register_count,
		     uint8_t first_register)
{
	uint8_t *word = add(out, NX_OP_TENSOR_LOAD);

	word[12] = NX_DTYPE_UINT32;
	word[14] = register_count;
	word[15] = 1;
	nx_store64(word + 16, HOST_WORDS + offset);
	nx_store32(word + 24, register_count > 1);
	for (uint8_t i = 0; i < register_count; i++)
		word[32 + i] = (uint8_t)(first_register + i);
}

static void add_branch(struct nx_slot_list *out, uint8_t condition, uint32_t byte_distance)
{
	uint8_t *word = add(out, NX_OP_COMPARE_BRANCH);

	word[12] = condition;
	if (condition == COMPARE_ALWAYS)
		word[3] = 2;
	else
		word[13] = NX_DTYPE_INT32;
	word[14] = 3;
	nx_store32(word + 48, byte_distance);
}

static void add_notify(struct nx_slot_list *out, uint16_t hint)
{
	uint8_t *word = add(out, NX_OP_NOTIFY);

	word[2] = 9;
	nx_store16(word + 36, hint);
	word[39] = 1;
}

/* One step of the chain: when the semaphore is `from` (0: at once) it is changed. */
static void add_step(struct nx_slot_list *out, uint32_t from, uint8_t update, uint32_t value)
{
	uint8_t *word = add(out, NX_OP_EVENT_SEMAPHORE);

	if (from) {
		word[32] = WAIT_EQUAL;
		word[33] = BARRIER_SEMAPHORE;
		nx_store32(word + 36, from);
	}
	word[34] = update;
	word[35] = BARRIER_SEMAPHORE;
	nx_store32(word + 40, value);
}

/*
 * The five engines meet: PE begins, the count goes down the chain to SP and back up, and PE puts
 * it to 0 for the next time.
 */
static void add_barrier(struct nx_slot_list *out, unsigned engine)
{
	static const uint8_t down[NX_ENGINE_COUNT] = {0, 1, 2, 3, 4};
	static const uint8_t up[NX_ENGINE_COUNT] = {8, 7, 6, 5, 0};

	(void)add(out, NX_OP_DRAIN);
	if (engine == NX_ENGINE_TENSOR) {
		add_step(out, 0, UPDATE_ADD, 1);
		add_step(out, up[engine], UPDATE_SET, 0);
	} else {
		add_step(out, down[engine], UPDATE_INCREMENT, 1);
		if (up[engine])
			add_step(out, up[engine], UPDATE_INCREMENT, 1);
	}
	(void)add(out, NX_OP_DRAIN);
}

void nx_loaded_words_begin(struct nx_slot_list *out, unsigned engine)
{
	add_load(out, 0, 1, 0);
	(void)add(out, NX_OP_DRAIN);
	add_branch(out, COMPARE_EQUAL, NX_SLOT_BYTES);
	add_notify(out, NX_NOTIFY_HINT_START);
	add_barrier(out, engine);
	add_load(out, 0x7000, 2, 130);
	add_barrier(out, engine);
	add_barrier(out, engine);
}

void nx_loaded_words_end(struct nx_slot_list *out, unsigned engine, size_t doorbell_count)
{
	/* Each engine clears its part of those that the runtime does not keep for itself. */
	static const uint8_t first[NX_ENGINE_COUNT + 1] = {3, 54, 105, 156, 207, 0};
	size_t at = out->len;
	uint8_t *word;

	add_barrier(out, engine);
	/* The first DRAIN also waits for what was written. */
	out->items[at].word[40] = 1;
	word = add(out, NX_OP_RANGE_CLEAR);
	word[12] = 1;
	word[13] = first[engine];
	word[14] = (uint8_t)(first[engine + 1] - 1);
	add_barrier(out, engine);
	for (size_t i = 0; i < doorbell_count; i++)
		nx_loaded_word_doorbell(add(out, NX_OP_WRITE), (uint32_t)i);
	add_notify(out, NX_NOTIFY_HINT_END);
	add_branch(out, COMPARE_ALWAYS, 0u - (uint32_t)out->len * NX_SLOT_BYTES);
}

/* Keeps the header: waits and updates are the compiler's. */
void nx_loaded_word_doorbell(uint8_t word[NX_SLOT_BYTES], uint32_t queue_index)
{
	memset(word + 12, 0, NX_SLOT_BYTES - 12);
	word[0] = NX_OP_WRITE;
	word[1] = WORD_MARK;
	word[12] = 4;
	nx_store64(word + 16, DOORBELLS + (uint64_t)queue_index * DOORBELL_STEP);
	nx_store64(word + 32, 1);
}

void nx_loaded_word_move(uint8_t word[NX_SLOT_BYTES], uint32_t bound)
{
	memset(word, 0, NX_SLOT_BYTES);
	word[0] = 0xa7; /* MOVE */
	word[1] = WORD_MARK;
	word[12] = 1;
	word[13] = NX_DTYPE_UINT32;
	word[14] = 1;
	nx_store32(word + 24, BOUND_REGISTER);
	nx_store32(word + 32, bound);
}

void nx_loaded_word_replace_load(uint8_t word[NX_SLOT_BYTES])
{
	uint64_t variable = nx_load32(word + 16), offset = nx_load32(word + 20);

	word[0] = NX_OP_TENSOR_LOAD;
	nx_store64(word + 16,
		   (variable ? HBM_BASE + (variable << 32) : NX_ON_CHIP_ADDRESS) + offset);
}

#define PLACE_VARIABLE 0x10

/* A variable by number becomes an address, variable 0 being SBUF; tables stay. */
static void replace_place(uint8_t *at)
{
	uint64_t variable = nx_load32(at + 4) & 0xffffff, offset = nx_load32(at);

	if (at[7] == PLACE_VARIABLE)
		nx_store64(at,
			   (variable ? HBM_BASE + (variable << 24) : NX_ON_CHIP_ADDRESS) + offset);
}

void nx_loaded_word_replace_direct2d(uint8_t word[NX_SLOT_BYTES], bool has_bound)
{
	word[0] = NX_OP_DMA_DIRECT2D;
	replace_place(word + 16);
	replace_place(word + 40);
	if (has_bound)
		word[38] = BOUND_REGISTER | SHAPE_IN_REGISTER;
}

void nx_loaded_word_replace_barrier(uint8_t word[NX_SLOT_BYTES])
{
	word[0] = NX_OP_EVENT_SEMAPHORE;
	memset(word + 12, 0, NX_SLOT_BYTES - 12);
}
