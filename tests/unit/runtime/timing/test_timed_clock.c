/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/bare/bits.h"
#include "format/instruction.h"
#include "runtime/timing/timed_clock.h"

/*
 * Sync has three compiled slots, of which 0 and 2 start block 0 and block 1 of its queue;
 * Vector has one. The runtime put one word before each stream.
 */
struct fixture {
	struct nx_device_program program;
	struct nx_core_program core_program;
	struct nx_device_queue queue;
	uint8_t sync_code[3][NX_SLOT_BYTES], vector_code[1][NX_SLOT_BYTES];
	struct nx_loaded_slot sync[4], vector[2];
	struct nx_loaded_block blocks[2];
	struct nx_loaded_queue loaded_queue;
	struct nx_loaded_core core;
	struct nx_loaded_code code;
	struct nx_timed_run run;
	struct nx_timed_clock *clock;
};

static const struct nx_actor sync_engine = {0, false, NX_ENGINE_SYNC},
			     vector_engine = {0, false, NX_ENGINE_VECTOR}, queue = {0, true, 0};

static void put_instruction(struct fixture *f, unsigned engine, uint32_t slot, uint64_t start_ps)
{
	nx_vec_push(&f->run.instructions,
		    ((struct nx_timed_instruction){start_ps, start_ps + 50, 0, slot, 0,
						   (uint8_t)engine}));
}

static void put_packet(struct fixture *f, uint16_t dma_engine, uint64_t start_ps, uint64_t end_ps)
{
	nx_vec_push(&f->run.packets,
		    ((struct nx_timed_packet){start_ps, end_ps, end_ps, 64, dma_engine, 0, 5}));
}

static void load(struct fixture *f)
{
	for (uint32_t i = 0; i < 4; i++) {
		f->sync[i].compiler_pc = i ? i - 1 : NX_NO_INDEX;
		f->sync[i].queue = i == 1 || i == 3 ? 0 : NX_NO_INDEX;
		f->sync[i].block = i == 3;
	}
	f->vector[0] = (struct nx_loaded_slot){.compiler_pc = NX_NO_INDEX, .queue = NX_NO_INDEX};
	f->vector[1] = (struct nx_loaded_slot){.compiler_pc = 0, .queue = NX_NO_INDEX};
	/* Two packets on ring 0 and one on ring 1, for each block. */
	for (unsigned b = 0; b < 2; b++)
		for (unsigned r = 1; r <= NX_LOADED_RINGS; r++)
			f->blocks[b].first[r] = r == 1 ? 2 : 3;
	f->loaded_queue = (struct nx_loaded_queue){
		.engine = NX_ENGINE_SYNC, .queue_index = 5, .blocks = f->blocks, .block_count = 2};
	f->core.streams[NX_ENGINE_SYNC] = (struct nx_loaded_stream){0, f->sync, 4};
	f->core.streams[NX_ENGINE_VECTOR] = (struct nx_loaded_stream){0, f->vector, 2};
	f->core.queues = &f->loaded_queue;
	f->core.queue_count = 1;
	f->code =
		(struct nx_loaded_code){.program = &f->program, .cores = &f->core, .core_count = 1};
}

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	for (unsigned i = 0; i < 3; i += 2) {
		f.sync_code[i][0] = NX_OP_PSEUDO_DMA_TRIGGER;
		memcpy(f.sync_code[i] + 12, "qSPIO0", 6);
	}
	f.core_program.code[NX_ENGINE_SYNC] = nx_slice_of(f.sync_code, sizeof(f.sync_code));
	f.core_program.code[NX_ENGINE_VECTOR] = nx_slice_of(f.vector_code, sizeof(f.vector_code));
	f.core_program.queues = &f.queue;
	f.core_program.queue_count = 1;
	nx_text_map_put(&f.core_program.queue_by_name[NX_ENGINE_SYNC], nx_slice_text("qSPIO0"), 0);
	f.program.cores = &f.core_program;
	f.program.core_count = 1;
	load(&f);
	/* By the compiler's slots: Sync at 100, 200, 900; Vector at 500. */
	put_instruction(&f, NX_ENGINE_SYNC, 2, 200);
	put_instruction(&f, NX_ENGINE_SYNC, 1, 100);
	put_instruction(&f, NX_ENGINE_SYNC, 3, 900);
	put_instruction(&f, NX_ENGINE_VECTOR, 1, 500);
	/* Block 0 ends at 450 on ring 0, at 480 on ring 1; block 1 at 1300. */
	put_packet(&f, 1, 1000, 1300);
	put_packet(&f, 0, 300, 450);
	put_packet(&f, 0, 250, 400);
	put_packet(&f, 1, 260, 480);
	put_packet(&f, 0, 1000, 1100);
	put_packet(&f, 0, 1010, 1200);
	f.clock = nx_timed_clock_new(&f.code, &f.run);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_timed_clock_free(f->clock);
	nx_text_map_release(&f->core_program.queue_by_name[NX_ENGINE_SYNC]);
	nx_vec_release(&f->run.instructions);
	nx_vec_release(&f->run.packets);
	return 0;
}

static void step_sync(struct fixture *f, uint32_t pc)
{
	nx_timed_clock_stepped(f->clock,
			       &(struct nx_schedule_step){.actor = sync_engine,
							  .engine = NX_ENGINE_SYNC,
							  .pc = pc,
							  .word = nx_word_of(f->sync_code[pc])});
}

static void step_vector(struct fixture *f)
{
	nx_timed_clock_stepped(f->clock,
			       &(struct nx_schedule_step){.actor = vector_engine,
							  .engine = NX_ENGINE_VECTOR,
							  .word = nx_word_of(f->vector_code[0])});
}

static void step_queue(struct fixture *f)
{
	nx_timed_clock_stepped(f->clock,
			       &(struct nx_schedule_step){.actor = queue,
							  .engine = NX_ENGINE_SYNC,
							  .word = nx_word_of(f->sync_code[0])});
}

static size_t choose(struct fixture *f)
{
	const struct nx_actor all[] = {vector_engine, queue, sync_engine};

	return nx_timed_clock_choose(f->clock, all, 3);
}

enum { VECTOR, QUEUE, SYNC };

/* 100 Sync, 200 Sync, 480 the queue, 500 Vector, 900 Sync, 1300 the queue. */
static void steps_are_taken_in_the_order_of_their_times(void **state)
{
	struct fixture *f = *state;

	for (unsigned again = 0; again < 2; again++) {
		nx_timed_clock_restart(f->clock);
		step_sync(f, 0);
		assert_int_equal(choose(f), SYNC);
		step_sync(f, 1);
		assert_int_equal(choose(f), QUEUE);
		step_queue(f);
		step_sync(f, 2);
		assert_int_equal(choose(f), SYNC); /* it has ended: nobody knows when it goes on */
		assert_int_equal(
			nx_timed_clock_choose(f->clock,
					      (const struct nx_actor[]){queue, vector_engine}, 2),
			1);
		step_vector(f);
	}
}

/* Before anything was started, a queue that claims to be ready cannot be waited for. */
static void what_the_run_does_not_know_goes_first(void **state)
{
	struct fixture *f = *state;
	const struct nx_actor strange[] = {sync_engine, {0, true, 99}};

	nx_timed_clock_restart(f->clock);
	assert_int_equal(choose(f), QUEUE);
	assert_int_equal(nx_timed_clock_choose(f->clock, strange, 2), 1);
	assert_int_equal(nx_timed_clock_choose(f->clock, &sync_engine, 1), 0);
}

/* Rows of cores, engines and slots that the code does not have. */
static void rows_that_lie_are_left_out(void **state)
{
	struct fixture *f = *state;
	struct nx_timed_clock *clock;

	nx_vec_push(&f->run.instructions, ((struct nx_timed_instruction){1, 2, 0, 99, 0, 0}));
	nx_vec_push(&f->run.instructions, ((struct nx_timed_instruction){1, 2, 0, 0, 9, 0}));
	nx_vec_push(&f->run.instructions, ((struct nx_timed_instruction){1, 2, 0, 0, 0, 9}));
	nx_vec_push(&f->run.packets, ((struct nx_timed_packet){1, 2, 3, 4, 500, 9, 200}));
	clock = nx_timed_clock_new(&f->code, &f->run);
	nx_timed_clock_restart(clock);
	assert_int_equal(nx_timed_clock_choose(clock, &vector_engine, 1), 0);
	nx_timed_clock_free(clock);
	nx_timed_clock_free(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(steps_are_taken_in_the_order_of_their_times),
		TEST(what_the_run_does_not_know_goes_first),
		TEST(rows_that_lie_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
