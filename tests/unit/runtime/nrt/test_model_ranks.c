/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two ranks of a model, a thread each. Words are handed to the door as a device would; when they
 * happen is what a simulator would say, or is left open.
 */
#include <nrt/nrt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/device/device_ranks.h"
#include "runtime/device/element.h"
#include "runtime/nrt/ranks/model_ranks.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"
#include "tests/unit/runtime/nrt/rank_threads.h"

#define RANKS 2u
#define COUNT 1024u
#define US UINT64_C(1000000)
/* All-reduce of 4 KiB over 2 ranks of a trn2: two steps, and 4 KiB at 64 B/ns. */
#define COST_PS UINT64_C(5064000)
#define TRIGGER_PS UINT64_C(1491000)
#define BARRIER_PS UINT64_C(369000)

struct job {
	bool has_times;
	uint64_t late_ps[RANKS]; /* that a rank triggers the first one later than 10 us */
	bool is_watched[RANKS];
	uint64_t begin_ns[RANKS], latest_ns[RANKS];
	enum nx_status st[RANKS];
	bool was_watched[RANKS];
	float sums[RANKS];
	struct nx_port_run run[RANKS];
	struct nx_port_collective rows[RANKS][2];
};

static int open_runtime(void **state)
{
	setenv("NEURON_EXPLORER_INSTANCE", "trn2.48xlarge", 1);
	return nx_fixture_begin(state);
}

/* The second is triggered 20 us after the first. */
static struct nx_device_moment moment(const struct job *job, uint32_t rank, uint32_t pc)
{
	uint64_t trigger_ps = 10 * US + job->late_ps[rank] + pc * 20 * US;

	return (struct nx_device_moment){job->has_times, trigger_ps, trigger_ps + TRIGGER_PS,
					 trigger_ps + TRIGGER_PS + COST_PS};
}

static enum nx_status reduce(const struct nx_device_ranks *door, const struct job *job,
			     uint32_t rank, uint32_t pc, float *sum)
{
	float in[COUNT], out[COUNT];
	struct nx_device_collective call = {
		.word = {.kind = NX_COLLECTIVE_ALL_REDUCE,
			 .op = 4,
			 .dtype = NX_DTYPE_FP32,
			 .group = 3,
			 .element_count = COUNT},
		.input = nx_slice_of(in, sizeof(in)),
		.output = (uint8_t *)out,
		.output_len = sizeof(out),
		.engine = 2,
		.pc = pc,
		.when = moment(job, rank, pc),
	};
	struct nx_error err = {0};
	enum nx_status st;

	for (unsigned i = 0; i < COUNT; i++)
		in[i] = (float)(rank + 1);
	st = door->run(door->context, &call, &err);
	*sum = out[COUNT - 1];
	return st;
}

static void run_rank(void *context, uint32_t rank, uint32_t count)
{
	struct job *job = context;
	struct nx_model_ranks *ranks = NULL;
	struct nx_error err = {0};
	enum nx_status st = nx_model_ranks_open(rank, rank, count, 99, &ranks, &err);

	job->was_watched[rank] = job->is_watched[rank];
	job->latest_ns[rank] = job->begin_ns[rank];
	if (!st)
		st = nx_model_ranks_begin(ranks, 1, &job->was_watched[rank], &err);
	if (!st)
		st = nx_model_ranks_latest(ranks, &job->latest_ns[rank], &err);
	for (uint32_t pc = 0; pc < 2 && !st; pc++)
		st = reduce(nx_model_ranks_door(ranks), job, rank, pc, &job->sums[rank]);
	job->st[rank] = st;
	if (ranks)
		nx_model_ranks_end(ranks, st != NX_OK, &job->run[rank]);
	if (!st && job->run[rank].collective_count == 2)
		memcpy(job->rows[rank], job->run[rank].collectives, sizeof(job->rows[rank]));
	nx_model_ranks_close(ranks);
}

static void run_job(struct job *job)
{
	for (uint32_t rank = 0; rank < RANKS; rank++)
		job->run[rank] = (struct nx_port_run){.start_ps = 100 * US, .end_ps = 150 * US};
	rank_threads_run(RANKS, run_rank, job);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		assert_int_equal(job->st[rank], NX_OK);
		assert_true(job->sums[rank] == 3);
		assert_int_equal(job->run[rank].collective_count, 2);
		assert_int_equal(job->run[rank].barrier_end_ps, 100 * US + BARRIER_PS);
	}
}

static void check_row(const struct nx_port_collective *row, uint64_t trigger_ps, uint64_t start_ps)
{
	assert_int_equal(row->trigger_ps, 100 * US + trigger_ps);
	assert_int_equal(row->start_ps, 100 * US + start_ps);
	assert_int_equal(row->end_ps, 100 * US + start_ps + COST_PS);
	assert_int_equal(row->group_id, 3);
}

/* --- times ---------------------------------------------------------------------------------- */

static void simulated_times_are_taken_as_they_are(void **state)
{
	struct job job = {.has_times = true};

	(void)state;
	run_job(&job);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		check_row(&job.rows[rank][0], 10 * US, 10 * US + TRIGGER_PS);
		check_row(&job.rows[rank][1], 30 * US, 30 * US + TRIGGER_PS);
		assert_int_equal(job.run[rank].end_ps, 150 * US);
	}
}

/* Both start when the later one comes, and what is behind moves with them. */
static void the_last_to_come_decides(void **state)
{
	struct job job = {.has_times = true, .late_ps = {0, 7 * US}};

	(void)state;
	run_job(&job);
	check_row(&job.rows[0][0], 10 * US, 17 * US + TRIGGER_PS);
	check_row(&job.rows[0][1], 37 * US, 37 * US + TRIGGER_PS);
	check_row(&job.rows[1][0], 17 * US, 17 * US + TRIGGER_PS);
	check_row(&job.rows[1][1], 37 * US, 37 * US + TRIGGER_PS);
	assert_int_equal(job.run[0].end_ps, 150 * US);
}

static void an_execution_reaches_to_its_last_collective(void **state)
{
	struct job job = {.has_times = true, .late_ps = {0, 70 * US}};

	(void)state;
	run_job(&job);
	assert_int_equal(job.run[0].end_ps, 200 * US + TRIGGER_PS + COST_PS);
}

static void without_times_one_follows_the_other(void **state)
{
	struct job job = {.late_ps = {0, 7 * US}};
	uint64_t second_ps = BARRIER_PS + TRIGGER_PS + COST_PS;

	(void)state;
	run_job(&job);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		check_row(&job.rows[rank][0], BARRIER_PS, BARRIER_PS + TRIGGER_PS);
		check_row(&job.rows[rank][1], second_ps, second_ps + TRIGGER_PS);
	}
}

/* --- beginning ------------------------------------------------------------------------------- */

static void one_that_is_watched_is_known_to_all(void **state)
{
	struct job job = {.is_watched = {false, true}, .begin_ns = {500, 200}};

	(void)state;
	run_job(&job);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		assert_true(job.was_watched[rank]);
		assert_int_equal(job.latest_ns[rank], 500);
	}
	job = (struct job){.is_watched = {false, false}};
	run_job(&job);
	assert_false(job.was_watched[0] || job.was_watched[1]);
}

static void a_place_is_the_instances(void **state)
{
	struct nx_collective_place place;

	(void)state;
	setenv("NEURON_EXPLORER_NODE_COUNT", "4", 1);
	place = nx_model_ranks_place(8);
	assert_int_equal(place.rank_count, 8);
	assert_int_equal(place.node_count, 4);
	assert_int_equal(place.arch, NX_DEVICE_TRN2);
	assert_int_equal(nx_model_ranks_place(6).node_count, 1); /* cannot be spread */
	unsetenv("NEURON_EXPLORER_NODE_COUNT");
	assert_int_equal(nx_model_ranks_place(8).node_count, 1);
}

/* --- times alone ------------------------------------------------------------------------------ */

static struct nx_device_collective word_of_times(uint32_t pc)
{
	const struct job job = {.has_times = true};

	return (struct nx_device_collective){
		.word = {.kind = NX_COLLECTIVE_ALL_REDUCE,
			 .op = 4,
			 .dtype = NX_DTYPE_FP32,
			 .element_count = COUNT},
		.pc = pc,
		.when = moment(&job, 0, pc),
	};
}

static enum nx_status pass(struct nx_model_ranks *ranks, const struct nx_device_collective *call,
			   struct nx_error *err)
{
	const struct nx_device_ranks *door = nx_model_ranks_door(ranks);

	return door->run(door->context, call, err);
}

/* Rank 5 of 8 is alone in this process, and the group names it; no data, no waiting. */
static void a_rank_apart_needs_nobody(void **state)
{
	uint32_t members[] = {1, 3, 5, 7};
	struct nx_rank_list list = {.items = members, .count = 4};
	struct nx_port_run run = {.start_ps = 100 * US, .end_ps = 150 * US};
	struct nx_device_collective call = word_of_times(0);
	struct nx_ntff_graph graph = {0};
	struct nx_model_ranks *ranks = NULL;
	struct nx_arena arena = {0};
	uint64_t time_ns = 77;
	bool is_watched = false;
	struct nx_error err;

	(void)state;
	call.groups = (struct nx_rank_lists){.items = &list, .count = 1};
	assert_int_equal(nx_model_ranks_open_apart(0, 5, 8, &ranks, &err), NX_OK);
	assert_int_equal(nx_model_ranks_begin(ranks, 1, &is_watched, &err), NX_OK);
	assert_false(is_watched);
	assert_int_equal(nx_model_ranks_latest(ranks, &time_ns, &err), NX_OK);
	assert_int_equal(time_ns, 77);
	assert_int_equal(pass(ranks, &call, &err), NX_OK);
	nx_model_ranks_end(ranks, false, &run);
	assert_int_equal(run.collective_count, 1);
	assert_int_equal(run.collectives[0].trigger_ps, 110 * US);
	assert_int_equal(run.collectives[0].start_ps, 110 * US + TRIGGER_PS);
	assert_int_equal(run.collectives[0].end_ps, 110 * US + TRIGGER_PS + COST_PS);
	nx_model_ranks_fill(ranks, 0, &arena, &graph);
	assert_int_equal(graph.comms.count, 1);
	assert_int_equal(graph.comms.items[0].rank, 2);
	assert_int_equal(graph.comms.items[0].rank_count, 4);
	nx_arena_release(&arena);
	nx_model_ranks_close(ranks);
}

/* A failed execution leaves no messages behind where there are none: the next one runs. */
static void a_rank_apart_may_fail(void **state)
{
	uint32_t members[] = {1, 2};
	struct nx_rank_list list = {.items = members, .count = 2};
	struct nx_port_run run = {.start_ps = 0};
	struct nx_device_collective call = word_of_times(0);
	struct nx_model_ranks *ranks = NULL;
	bool is_watched = true;
	struct nx_error err = {0};

	(void)state;
	call.groups = (struct nx_rank_lists){.items = &list, .count = 1};
	assert_int_equal(nx_model_ranks_open_apart(0, 0, 8, &ranks, &err), NX_OK);
	assert_int_equal(nx_model_ranks_begin(ranks, 1, &is_watched, &err), NX_OK);
	assert_int_equal(pass(ranks, &call, &err), NX_MISMATCH);
	assert_non_null(strstr(err.message, "rank 0 is not in any replica group"));
	nx_model_ranks_end(ranks, true, &run);
	assert_int_equal(run.collective_count, 0);
	assert_int_equal(nx_model_ranks_begin(ranks, 2, &is_watched, &err), NX_OK);
	nx_model_ranks_close(ranks);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_runtime, nx_fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(simulated_times_are_taken_as_they_are),
		TEST(the_last_to_come_decides),
		TEST(an_execution_reaches_to_its_last_collective),
		TEST(without_times_one_follows_the_other),
		TEST(one_that_is_watched_is_known_to_all),
		TEST(a_place_is_the_instances),
		TEST(a_rank_apart_needs_nobody),
		TEST(a_rank_apart_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
