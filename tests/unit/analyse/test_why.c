/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/why/why.h"
#include "base/arena.h"
#include "tests/unit/made_profile.h"

#define SIGNALS 8
#define SEMAPHORE 40
#define NS INT64_C(1000)

/* Slots 1 of Scalar and Vector compute and count semaphores 40 and 41; slot 2 of Tensor waits for
 * the first, slot 3 for the second. */
struct fixture {
	struct nx_made_profile made;
	struct nx_slot_signals signals[SIGNALS];
	struct nx_why *why;
	int64_t engines_ps[2][NX_ENGINE_COUNT], causes_ps[NX_CAUSE_COUNT], path_ps;
	int64_t waits_ps[NX_ENGINE_COUNT]; /* of Tensor, for others */
	int64_t queueing_ps;		   /* of Vector */
};

static struct nx_slot *slot_of(struct fixture *f, enum nx_engine engine, unsigned slot)
{
	return &f->made.slots[0][engine][slot];
}

static void set_signals(struct fixture *f, enum nx_engine engine, unsigned slot, unsigned signals,
			struct nx_slot_signals s)
{
	s.barrier = s.barrier ? s.barrier : NX_NONE;
	s.dma_semaphore = -1;
	f->signals[signals] = s;
	slot_of(f, engine, slot)->signals = signals;
}

static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	nx_made_profile_init(&f->made);
	for (unsigned i = 0; i < SIGNALS; i++)
		f->signals[i] = (struct nx_slot_signals){.barrier = NX_NONE, .dma_semaphore = -1};
	f->made.p.program.signals = f->signals;
	f->made.p.program.signal_count = SIGNALS;
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		for (unsigned i = 0; i < NX_MADE_SLOTS; i++)
			slot_of(f, e, i)->compiler_slot = i;
	set_signals(f, NX_ENGINE_SCALAR, 1, 1,
		    (struct nx_slot_signals){
			    .changes = {{NX_STEP_INCREMENT, SEMAPHORE, 1}, {0, 0, 0}}});
	set_signals(f, NX_ENGINE_VECTOR, 1, 2,
		    (struct nx_slot_signals){
			    .changes = {{NX_STEP_INCREMENT, SEMAPHORE + 1, 1}, {0, 0, 0}}});
	set_signals(f, NX_ENGINE_TENSOR, 2, 3,
		    (struct nx_slot_signals){.before = {NX_TEST_AT_LEAST, SEMAPHORE, 1}});
	set_signals(f, NX_ENGINE_TENSOR, 3, 4,
		    (struct nx_slot_signals){.before = {NX_TEST_AT_LEAST, SEMAPHORE + 1, 1}});
	f->made.p.capture.has_window_end = true;
	f->made.p.capture.total_time_ps = 100000 * NS;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_why_free(f->why);
	nx_made_profile_release(&f->made);
	nx_heap_free(f);
	return 0;
}

static void change(struct fixture *f, unsigned semaphore, uint32_t value, enum nx_engine source,
		   uint64_t time_ns)
{
	struct nx_event event = {.time_ps = time_ns * 1000,
				 .value = value,
				 .id = (uint8_t)semaphore,
				 .is_semaphore = true,
				 .mode = 3,
				 .source = (uint8_t)source};

	nx_made_profile_add_row(&f->made, NX_TABLE_EVENT, &event);
}

static void packet(struct fixture *f, uint64_t start_ns, uint64_t end_ns, uint32_t size_bytes)
{
	struct nx_packet row = {.start_ps = start_ns * 1000,
				.end_ps = end_ns * 1000,
				.size_bytes = size_bytes,
				.dma_engine = 0,
				.dma_queue = 1,
				.queue_class = NX_QUEUE_DATA};

	nx_made_profile_add_row(&f->made, NX_TABLE_PACKET, &row);
}

static void sum_engine(void *context, const struct nx_engine_time *row)
{
	struct fixture *f = context;

	f->engines_ps[row->graph][row->engine] += row->time_ps;
	if (row->engine == NX_ENGINE_TENSOR && row->cause == NX_CAUSE_WAIT)
		f->waits_ps[row->blocker] += row->time_ps;
	if (row->engine == NX_ENGINE_VECTOR && row->cause == NX_CAUSE_QUEUEING)
		f->queueing_ps += row->time_ps;
}

static void sum_path(void *context, const struct nx_why_piece *piece)
{
	struct fixture *f = context;

	assert_true(piece->end_ps > piece->start_ps);
	f->causes_ps[piece->cause] += piece->end_ps - piece->start_ps;
	f->path_ps += piece->end_ps - piece->start_ps;
}

/* Whatever the rows are, both partitions cover the window and a replay repeats it. */
static const struct nx_release_node *explain(struct fixture *f)
{
	struct nx_why_change nothing = {0};
	struct nx_error err;

	assert_int_equal(nx_why_build(&f->why, &f->made.p, true, &err), NX_OK);
	nx_why_engine_times(f->why, sum_engine, f);
	nx_why_path(f->why, sum_path, f);
	for (unsigned g = 0; g < 2; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			if (f->engines_ps[g][e])
				assert_int_equal(f->engines_ps[g][e], 100000 * NS);
	assert_int_equal(f->path_ps, 100000 * NS);
	assert_int_equal(nx_why_replay(f->why, &nothing).end_ps, 100000 * NS);
	return nx_why_graph(f->why)->nodes.items;
}

static void later_of_two_waits_releases(void **state)
{
	struct fixture *f = *state;
	const struct nx_release_node *nodes;

	/* Scalar is done 10 ns before Vector; Tensor has to wait for both */
	f->signals[3].before = (struct nx_signal){NX_TEST_AT_LEAST, SEMAPHORE, 1};
	slot_of(f, NX_ENGINE_TENSOR, 2)->control = NX_CONTROL_OTHER;
	nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 1, 1000, 4990);
	nx_made_profile_run(&f->made, NX_ENGINE_VECTOR, 1, 1000, 5000);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 2, 5029, 5029);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 3, 5110, 6000);
	change(f, SEMAPHORE, 1, NX_ENGINE_SCALAR, 5001);
	change(f, SEMAPHORE + 1, 1, NX_ENGINE_VECTOR, 5011);
	nodes = explain(f);
	assert_int_equal(nx_why_counts(f->why).matched_count, 2);
	assert_int_equal(nodes[2].cause, 0);
	assert_int_equal(nodes[2].release, NX_RELEASE_SEMAPHORE);
	assert_int_equal(nodes[2].how, NX_HOW_RECORDED);
	/* the word before lets the sequencer go on at 5029 + 78, after Vector's 5011 + 42 */
	assert_int_equal(nodes[3].cause, 2);
	assert_int_equal(nodes[3].release, NX_RELEASE_PROGRAM);
	assert_int_equal(nodes[3].slack_ps, 54 * NS);
}

static void a_lost_record_is_filled_in(void **state)
{
	struct fixture *f = *state;
	const struct nx_release_node *nodes;

	nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 1, 1000, 5000);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 2, 5053, 6000);
	nodes = explain(f);
	assert_int_equal(nodes[1].cause, 0);
	assert_int_equal(nodes[1].how, NX_HOW_FILLED);
	assert_int_equal(nodes[1].event_ps, 5011 * NS);
	assert_int_equal(nx_why_counts(f->why).matched_count, 1);
	assert_int_equal(f->causes_ps[NX_CAUSE_UNEXPLAINED], 0);
}

/* The third producer makes value 3, although its change came 20 us late. */
static void counts_instead_of_looking_for_the_nearest(void **state)
{
	struct fixture *f = *state;
	const struct nx_release_node *nodes;

	f->signals[3].before.value = 3;
	for (uint64_t i = 0; i < 5; i++)
		nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 1, 1000 + i * 1000,
				    1900 + i * 1000);
	change(f, SEMAPHORE, 1, NX_ENGINE_SCALAR, 1911);
	change(f, SEMAPHORE, 2, NX_ENGINE_SCALAR, 2911);
	change(f, SEMAPHORE, 3, NX_ENGINE_SCALAR, 23911);
	change(f, SEMAPHORE, 4, NX_ENGINE_SCALAR, 23912);
	change(f, SEMAPHORE, 5, NX_ENGINE_SCALAR, 23913);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 2, 23953, 24000);
	nodes = explain(f);
	assert_int_equal(nodes[5].cause, 2);
	assert_int_equal(nodes[5].event_ps, 23911 * NS);
	/* the signal was late: the trace is the brake */
	assert_int_equal(f->causes_ps[NX_CAUSE_TRACE], (23911 - 3900) * NS);
}

static void time_without_a_cause_is_unexplained(void **state)
{
	struct fixture *f = *state;

	nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 1, 1000, 5000);
	change(f, SEMAPHORE, 1, NX_ENGINE_SCALAR, 5011);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 2, 50053, 60000);
	explain(f);
	assert_int_equal(f->causes_ps[NX_CAUSE_UNEXPLAINED], 45000 * NS);
	assert_int_equal(nx_why_counts(f->why).path_unexplained_ps, 45000 * NS);
	assert_int_equal(nx_why_counts(f->why).gap_unexplained_ps, 45000 * NS);
	assert_int_equal(f->waits_ps[NX_ENGINE_SCALAR], 4000 * NS);
}

/* Two blocks of one ring: the second starts when the first is done. */
static void a_block_queues_behind_another(void **state)
{
	static const char *const queue_names[] = {"qSPIO0"};
	struct nx_dma_block blocks[] = {{.semaphore = 50}, {.semaphore = 51}};
	struct fixture *f = *state;
	const struct nx_release_node *nodes;

	nx_made_profile_add_neff(&f->made);
	f->made.neff.engines[NX_ENGINE_SYNC].blocks = blocks;
	f->made.neff.engines[NX_ENGINE_SYNC].block_count = 2;
	f->made.p.program.queue_names = (const char **)(uintptr_t)queue_names;
	f->made.p.program.queue_name_count = 1;
	for (unsigned i = 1; i < 3; i++) {
		struct nx_slot *slot = slot_of(f, NX_ENGINE_SYNC, i);

		slot->flags = NX_SLOT_TRIGGER;
		slot->control = NX_CONTROL_WRITE;
		slot->trigger_queue = 0;
		slot->trigger_block = i;
		slot->trigger_block_index = i - 1;
	}
	set_signals(f, NX_ENGINE_VECTOR, 4, 5,
		    (struct nx_slot_signals){.before = {NX_TEST_AT_LEAST, 51, 1}});
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 1, 1000, 1058);
	nx_made_profile_run(&f->made, NX_ENGINE_SYNC, 2, 1083, 1141);
	packet(f, 1640, 3000, 4096);
	packet(f, 3000, 4000, 3364); /* carries the word that counts the semaphore */
	packet(f, 4000, 6000, 4096);
	packet(f, 6000, 6100, 4);
	change(f, 50, 1, NX_ENGINE_COUNT, 4345);
	change(f, 51, 1, NX_ENGINE_COUNT, 6445);
	nx_made_profile_run(&f->made, NX_ENGINE_VECTOR, 4, 6469, 7000);
	nodes = explain(f);
	assert_int_equal(nx_why_counts(f->why).block_count, 2);
	assert_int_equal(nodes[3].release, NX_RELEASE_TRIGGER);
	assert_int_equal(nodes[3].cause, 0);
	assert_int_equal(nodes[3].end_ps, 4000 * NS);
	assert_int_equal(nodes[4].release, NX_RELEASE_RING);
	assert_int_equal(nodes[4].cause, 3);
	assert_int_equal(nodes[2].release, NX_RELEASE_COMPLETE);
	assert_int_equal(nodes[2].cause, 4);
	assert_int_equal(f->queueing_ps, (4000 - 1640) * NS);
	assert_int_equal(f->causes_ps[NX_CAUSE_TRANSFER], (6100 - 1640) * NS);
	assert_int_equal(f->causes_ps[NX_CAUSE_COMPLETION], 345 * NS);
	assert_int_equal(f->causes_ps[NX_CAUSE_STARTUP], (1640 - 1058) * NS);
}

static void a_throttled_product_is_split(void **state)
{
	struct fixture *f = *state;
	struct nx_throttle limit = {
		.start_ps = 50000 * 1000, .end_ps = 100000 * 1000, .k = 8, .n = 8};

	nx_made_profile_add_row(&f->made, NX_TABLE_THROTTLE, &limit);
	slot_of(f, NX_ENGINE_TENSOR, 1)->flags = NX_SLOT_MATMUL;
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 1, 1000, 1265); /* at half its clock */
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 1, 60000, 60265);
	explain(f);
	assert_int_equal(f->causes_ps[NX_CAUSE_THROTTLED], 50 * NS);
	assert_int_equal(f->causes_ps[NX_CAUSE_USEFUL], (265 + 215) * NS);
}

/* A loop of one computation and one branch, three times. */
static void a_loop_keeps_its_order(void **state)
{
	struct fixture *f = *state;
	const struct nx_release_node *nodes;

	slot_of(f, NX_ENGINE_SCALAR, 3)->control = NX_CONTROL_BRANCH;
	set_signals(f, NX_ENGINE_SCALAR, 3, 5, (struct nx_slot_signals){.branch_slots = -1});
	for (uint64_t i = 0; i < 3; i++) {
		nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 2, 1000 + i * 1000,
				    1400 + i * 1000);
		nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 3, 1007 + i * 1000,
				    1934 + i * 1000);
	}
	nodes = explain(f);
	for (uint32_t i = 1; i < 3; i++) {
		assert_int_equal(nodes[2 * i].place, 2);
		assert_int_equal(nodes[2 * i].cause, 2 * i - 1);
		assert_int_equal(nodes[2 * i].release, NX_RELEASE_PROGRAM);
	}
	assert_int_equal(f->causes_ps[NX_CAUSE_UNEXPLAINED], 0);
}

static void a_faster_engine_is_predicted(void **state)
{
	struct fixture *f = *state;
	struct nx_why_change change_of = {.is_scaled[NX_ENGINE_SCALAR] = true};
	struct nx_why_replay replay;

	nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 1, 1000, 5000);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 2, 5053, 6000);
	change(f, SEMAPHORE, 1, NX_ENGINE_SCALAR, 5011);
	explain(f);
	change_of.scale_ppm[NX_ENGINE_SCALAR] = 500000;
	replay = nx_why_replay(f->why, &change_of);
	assert_int_equal(replay.end_ps, (100000 - 2000) * NS);
	assert_int_equal(replay.pinned_count, 0);
}

/* Values that nothing can have counted, causes in the future, ends before starts. */
static void damage_does_no_harm(void **state)
{
	struct fixture *f = *state;
	struct nx_instruction wrong = {
		.start_ps = 9000000, .end_ps = 10, .slot = 1, .engine = NX_ENGINE_SCALAR};

	nx_made_profile_run(&f->made, NX_ENGINE_SCALAR, 1, 1000, 5000);
	change(f, SEMAPHORE, UINT32_MAX, NX_ENGINE_SCALAR, 2000);
	change(f, SEMAPHORE, 0, NX_ENGINE_SCALAR, 2001);
	change(f, SEMAPHORE, 0, NX_ENGINE_SCALAR, 2001);
	change(f, SEMAPHORE, 1, NX_ENGINE_COUNT, 99000);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 2, 5053, 6000);
	nx_made_profile_add_row(&f->made, NX_TABLE_INSTRUCTION, &wrong);
	f->signals[3].before.value = UINT32_MAX;
	explain(f);
}

static void nothing_ran(void **state)
{
	struct fixture *f = *state;
	struct nx_error err;

	assert_int_equal(nx_why_build(&f->why, &f->made.p, true, &err), NX_OK);
	nx_why_engine_times(f->why, sum_engine, f);
	nx_why_path(f->why, sum_path, f);
	assert_int_equal(f->path_ps, 0);
	assert_int_equal(nx_why_counts(f->why).wait_count, 0);
}

static void failures_are_passed_on(void **state)
{
	static const enum nx_table tables[] = {NX_TABLE_INSTRUCTION, NX_TABLE_EVENT,
					       NX_TABLE_THROTTLE};
	struct fixture *f = *state;
	struct nx_error err;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		f->made.failing = tables[i];
		assert_int_not_equal(nx_why_build(&f->why, &f->made.p, false, &err), NX_OK);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(later_of_two_waits_releases),
		TEST(a_lost_record_is_filled_in),
		TEST(counts_instead_of_looking_for_the_nearest),
		TEST(time_without_a_cause_is_unexplained),
		TEST(a_block_queues_behind_another),
		TEST(a_throttled_product_is_split),
		TEST(a_loop_keeps_its_order),
		TEST(a_faster_engine_is_predicted),
		TEST(damage_does_no_harm),
		TEST(nothing_ran),
		TEST(failures_are_passed_on),
	};

	return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
