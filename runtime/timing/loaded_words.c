/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaded_words: the words that the runtime writes around the compiler's.
 *
 * They are those of captures of trn2, and of trn1 with an older runtime, without the ones
 * that an execution never reaches (docs/design/simulator.md).
 */
#include <assert.h>

#include "format/instruction.h"
#include "runtime/timing/loaded_code_internal.h"

#define BARRIER_SEMAPHORE 2
#define BOUND_REGISTER 61u
#define SHAPE_IN_REGISTER 0x80u
/* Where captures show host words, doorbells and HBM on the engines' bus. */
#define HOST_WORDS UINT64_C(0x8005c035e000)
#define DOORBELLS UINT64_C(0x801002083038)
#define DOORBELL_STEP 0x1000u
#define SECOND_DOORBELL UINT64_C(0x80000) /* of the second half of the DMA engines; assumed */
#define REPORT_OFFSET 0x40u
#define HBM_BASE UINT64_C(0x800000000000)

static union nx_word *add(struct nx_slot_list *out, uint8_t opcode)
{
	struct nx_loaded_slot slot = {.compiler_pc = NX_NO_INDEX,
				      .kind = NX_LOADED_INSERTED,
				      .queue = NX_NO_INDEX,
				      .block = NX_NO_INDEX};

	slot.word.header.opcode = opcode;
	slot.word.header.mark = NX_WORD_MARK;
	nx_vec_push(out, slot);
	return &out->items[out->len - 1].word;
}

static void add_load(struct nx_slot_list *out, uint64_t offset, uint8_t register_count,
		     uint8_t first_register)
{
	struct nx_register_transfer_word *w = &add(out, NX_OP_TENSOR_LOAD)->registers;

	w->dtype = NX_DTYPE_UINT32;
	w->counts[0] = register_count;
	w->counts[1] = 1;
	w->address = HOST_WORDS + offset;
	w->steps[0] = register_count > 1;
	for (uint8_t i = 0; i < register_count; i++)
		w->registers[i] = (uint8_t)(first_register + i);
}

static void add_branch(struct nx_slot_list *out, enum nx_comparison comparison,
		       uint32_t byte_distance)
{
	struct nx_branch_word *w = &add(out, NX_OP_COMPARE_BRANCH)->branch;

	w->comparison = (uint8_t)comparison;
	if (comparison == NX_COMPARE_ALWAYS)
		w->header.debug_hint = 2;
	else
		w->dtype = NX_DTYPE_INT32;
	w->flags = 3;
	w->target = byte_distance;
}

static void add_notify(struct nx_slot_list *out, uint16_t hint)
{
	struct nx_notify_word *w = &add(out, NX_OP_NOTIFY)->notify;

	w->header.debug = 9;
	w->hint = hint;
	w->kind = 1;
}

/* One step of the chain: when the semaphore is `from` (0: at once) it is changed. */
static void add_step(struct nx_slot_list *out, uint32_t from, enum nx_update_mode update,
		     uint32_t value)
{
	struct nx_event_semaphore_word *w = &add(out, NX_OP_EVENT_SEMAPHORE)->event_semaphore;

	if (from) {
		w->wait = (struct nx_word_sync){NX_WAIT_EQUAL, BARRIER_SEMAPHORE};
		w->wait_value = from;
	}
	w->update.mode = (uint8_t)(update | NX_UPDATE_ON_COMPLETION);
	w->update.semaphore = BARRIER_SEMAPHORE;
	w->update_value = value;
}

/* The five engines meet: from PE the count passes down the chain to SP and back; PE clears it. */
static void add_chain(struct nx_slot_list *out, unsigned engine)
{
	static const uint8_t down[NX_ENGINE_COUNT] = {0, 1, 2, 3, 4};
	static const uint8_t up[NX_ENGINE_COUNT] = {8, 7, 6, 5, 0};

	if (engine == NX_ENGINE_TENSOR) {
		add_step(out, 0, NX_UPDATE_ADD, 1);
		add_step(out, up[engine], NX_UPDATE_SET, 0);
	} else {
		add_step(out, down[engine], NX_UPDATE_INCREMENT, 1);
		if (up[engine])
			add_step(out, up[engine], NX_UPDATE_INCREMENT, 1);
	}
	(void)add(out, NX_OP_DRAIN);
}

static void add_barrier(struct nx_slot_list *out, unsigned engine)
{
	(void)add(out, NX_OP_DRAIN);
	add_chain(out, engine);
}

void nx_loaded_words_begin(struct nx_slot_list *out, unsigned engine,
			   enum nx_loading_runtime runtime)
{
	assert(engine < NX_ENGINE_COUNT);
	add_load(out, 0, 1, 0);
	(void)add(out, NX_OP_DRAIN);
	add_branch(out, NX_COMPARE_EQUAL, NX_SLOT_BYTES);
	add_notify(out, NX_NOTIFY_HINT_START);
	if (runtime == NX_LOADED_BY_OLDER) {
		(void)add(out, NX_OP_DRAIN);
		/* PE waits here for the tables, and the others for PE. */
		if (engine == NX_ENGINE_TENSOR)
			(void)add(out, NX_OP_NOP);
		add_chain(out, engine);
		return;
	}
	add_barrier(out, engine);
	add_load(out, 0x7000, 2, 130);
	add_barrier(out, engine);
	add_barrier(out, engine);
}

static void add_range_clear(struct nx_slot_list *out, uint8_t first, uint8_t last)
{
	struct nx_range_clear_word *clear =
		&add(out, NX_OP_EVENT_SEMAPHORE_RANGE_CLEAR)->range_clear;

	clear->mode = 1;
	clear->first = first;
	clear->last = last;
}

static void add_clears(struct nx_slot_list *out, unsigned first, unsigned last)
{
	for (unsigned semaphore = first; semaphore <= last; semaphore++) {
		struct nx_event_semaphore_word *w =
			&add(out, NX_OP_EVENT_SEMAPHORE)->event_semaphore;

		w->update.mode = NX_UPDATE_SET | NX_UPDATE_ON_COMPLETION;
		w->update.semaphore = (uint8_t)semaphore;
	}
}

/* GpSimd tells the host how far it came. */
static void add_report(struct nx_slot_list *out)
{
	add_load(out, REPORT_OFFSET, 1, 0);
	out->items[out->len - 1].word.header.opcode = NX_OP_TENSOR_STORE;
	add_load(out, REPORT_OFFSET, 1, 0);
	add_branch(out, NX_COMPARE_EQUAL, NX_SLOT_BYTES);
	nx_loaded_word_doorbell(add(out, NX_OP_WRITE), 0);
}

void nx_loaded_words_end(struct nx_slot_list *out, unsigned engine, size_t doorbell_count,
			 enum nx_loading_runtime runtime)
{
	/* Each engine clears its part of those that the runtime does not keep for itself. */
	static const uint8_t first[NX_ENGINE_COUNT + 1] = {3, 54, 105, 156, 207, 0};
	uint8_t last = (uint8_t)(first[engine + 1] - 1);
	size_t at;

	if (runtime == NX_LOADED_BY_OLDER && engine == NX_ENGINE_GPSIMD)
		add_report(out);
	at = out->len;
	add_barrier(out, engine);
	/* The first DRAIN also waits for what was written. */
	out->items[at].word.drain.waits_for_writes = 1;
	if (runtime == NX_LOADED_BY_OLDER)
		add_clears(out, first[engine], last);
	else
		add_range_clear(out, first[engine], last);
	add_barrier(out, engine);
	for (size_t i = 0; runtime != NX_LOADED_BY_OLDER && i < doorbell_count; i++)
		nx_loaded_word_doorbell(add(out, NX_OP_WRITE), (uint32_t)i);
	add_notify(out, NX_NOTIFY_HINT_END);
	add_branch(out, NX_COMPARE_ALWAYS, 0u - (uint32_t)out->len * NX_SLOT_BYTES);
}

/* Keeps the header: waits and updates are the compiler's. */
void nx_loaded_word_doorbell(union nx_word *word, uint32_t queue_index)
{
	nx_word_clear_body(word);
	word->header.opcode = NX_OP_WRITE;
	word->header.mark = NX_WORD_MARK;
	word->write.sizes[0] = 4;
	word->write.addresses[0] = DOORBELLS + (uint64_t)queue_index * DOORBELL_STEP;
	word->write.data[0] = 1;
}

void nx_loaded_word_doorbells(union nx_word *word, uint32_t queue_index)
{
	nx_loaded_word_doorbell(word, queue_index);
	word->write.sizes[1] = word->write.sizes[0];
	word->write.addresses[1] = word->write.addresses[0] + SECOND_DOORBELL;
	word->write.data[1] = word->write.data[0];
}

void nx_loaded_word_move(union nx_word *word, uint32_t bound)
{
	word->move = (struct nx_move_word){
		.header = {.opcode = NX_OP_MOVE, .mark = NX_WORD_MARK},
		.mode = 1,
		.dtype = NX_DTYPE_UINT32,
		.is_immediate = 1,
		.target_register = BOUND_REGISTER,
		.source = bound,
	};
}

void nx_loaded_word_replace_load(union nx_word *word)
{
	struct nx_register_transfer_word *w = &word->registers;
	uint64_t variable = w->variable, offset = w->offset;

	w->header.opcode = NX_OP_TENSOR_LOAD;
	w->address = (variable ? HBM_BASE + (variable << 32) : NX_ON_CHIP_ADDRESS) + offset;
}

/* A variable by number becomes an address, variable 0 being SBUF; tables stay. */
static void replace_place(struct nx_word_dma_side *side)
{
	uint64_t variable = nx_dma_side_index(side), offset = side->offset;

	if (side->kind == NX_PLACE_VARIABLE)
		side->address =
			(variable ? HBM_BASE + (variable << 24) : NX_ON_CHIP_ADDRESS) + offset;
}

void nx_loaded_word_replace_direct2d(union nx_word *word, bool has_bound)
{
	word->header.opcode = NX_OP_DMA_DIRECT2D;
	replace_place(&word->dma.source);
	replace_place(&word->dma.target);
	if (has_bound)
		word->dma.source_shape_register = BOUND_REGISTER | SHAPE_IN_REGISTER;
}

void nx_loaded_word_replace_barrier(union nx_word *word)
{
	word->header.opcode = NX_OP_EVENT_SEMAPHORE;
	nx_word_clear_body(word);
}
