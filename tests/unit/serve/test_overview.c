/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/overview.h"

struct rows {
	const struct nx_active *active;
	const struct nx_packet *packets;
	const struct nx_throttle *throttles;
	size_t active_count, packet_count, throttle_count;
	enum nx_table failing;
};

static enum nx_status scan(void *context, enum nx_table table, nx_row_fn fn, void *fn_context,
			   struct nx_error *err)
{
	const struct rows *rows = context;

	if (rows->failing && table == rows->failing)
		return nx_fail(err, NX_IO, "no more");
	if (table == NX_TABLE_ACTIVE)
		for (size_t i = 0; i < rows->active_count; i++)
			fn(fn_context, &rows->active[i]);
	if (table == NX_TABLE_PACKET)
		for (size_t i = 0; i < rows->packet_count; i++)
			fn(fn_context, &rows->packets[i]);
	if (table == NX_TABLE_THROTTLE)
		for (size_t i = 0; i < rows->throttle_count; i++)
			fn(fn_context, &rows->throttles[i]);
	return NX_OK;
}

struct fixture {
	struct nx_arena arena;
	struct nx_overview overview;
};

static enum nx_status build(struct fixture *f, struct rows *rows, uint64_t total_ps,
			    uint32_t graph_count)
{
	struct nx_profile profile = {
		.capture = {.total_time_ps = total_ps, .graph_count = graph_count},
		.source = {scan, NULL, rows},
	};

	return nx_overview_build(&f->overview, &profile, &f->arena, NULL);
}

static unsigned level(const struct fixture *f, uint32_t core, unsigned lane, unsigned column)
{
	return nx_overview_level(&f->overview, &f->overview.cores[core].lanes[lane], column);
}

static void test_shares_of_columns(void **state)
{
	/* columns of 10 ps; 5..27 covers half of 0, all of 1, 7 of 2 */
	static const struct nx_active active[] = {
		{.start_ps = 5, .end_ps = 27, .engine = NX_ENGINE_VECTOR},
		{.start_ps = 29, .end_ps = 30, .engine = NX_ENGINE_VECTOR},
		{.start_ps = 0, .end_ps = 12000, .graph = 1, .engine = NX_ENGINE_TENSOR},
	};
	struct rows rows = {.active = active, .active_count = 3};
	struct fixture f = {0};

	(void)state;
	assert_int_equal(build(&f, &rows, 12000, 2), NX_OK);
	assert_int_equal(f.overview.column_ps, 10);
	assert_int_equal(f.overview.column_count, 1200);
	assert_int_equal(level(&f, 0, NX_ENGINE_VECTOR, 0), 5000);
	assert_int_equal(level(&f, 0, NX_ENGINE_VECTOR, 1), 10000);
	assert_int_equal(level(&f, 0, NX_ENGINE_VECTOR, 2), 8000);
	assert_int_equal(level(&f, 0, NX_ENGINE_VECTOR, 3), 0);
	assert_int_equal(level(&f, 0, NX_ENGINE_TENSOR, 0), 0);
	assert_int_equal(level(&f, 1, NX_ENGINE_TENSOR, 1199), 10000);
	assert_int_equal(f.overview.cores[0].lanes[NX_ENGINE_VECTOR].total_ps, 23);
	nx_arena_release(&f.arena);
}

static void test_overlapping_packets_count_once(void **state)
{
	static const struct nx_packet packets[] = {
		{.start_ps = 0, .end_ps = 8},
		{.start_ps = 2, .end_ps = 5},
		{.start_ps = 6, .end_ps = 9},
		{.start_ps = 6, .end_ps = 2},
	};
	struct rows rows = {.packets = packets, .packet_count = 4};
	struct fixture f = {0};

	(void)state;
	assert_int_equal(build(&f, &rows, 12000, 1), NX_OK);
	assert_int_equal(level(&f, 0, NX_LANE_DMA, 0), 9000);
	assert_int_equal(f.overview.cores[0].lanes[NX_LANE_DMA].total_ps, 9);
	nx_arena_release(&f.arena);
}

static void test_throttling_is_what_was_withheld(void **state)
{
	static const struct nx_throttle throttles[] = {
		{.start_ps = 0, .end_ps = 10, .k = 4, .n = 4},
		{.start_ps = 10, .end_ps = 20, .k = 1, .n = 4},
		{.start_ps = 20, .end_ps = 30, .k = 7, .n = 0},
	};
	struct rows rows = {.throttles = throttles, .throttle_count = 3};
	struct fixture f = {0};

	(void)state;
	assert_int_equal(build(&f, &rows, 12000, 1), NX_OK);
	assert_int_equal(level(&f, 0, NX_LANE_THROTTLE, 0), 0);
	assert_int_equal(level(&f, 0, NX_LANE_THROTTLE, 1), 7000); /* 7.5 ps, whole ps count */
	assert_int_equal(level(&f, 0, NX_LANE_THROTTLE, 2), 0);
	nx_arena_release(&f.arena);
}

static void test_last_column_may_be_shorter(void **state)
{
	/* 1201 ps: columns of 2 ps, the 601st of 1 ps */
	static const struct nx_active active = {.start_ps = 1200, .end_ps = 9999};
	struct rows rows = {.active = &active, .active_count = 1};
	struct fixture f = {0};

	(void)state;
	assert_int_equal(build(&f, &rows, 1201, 1), NX_OK);
	assert_int_equal(f.overview.column_count, 601);
	assert_int_equal(nx_overview_column_ps(&f.overview, 599), 2);
	assert_int_equal(nx_overview_column_ps(&f.overview, 600), 1);
	assert_int_equal(level(&f, 0, 0, 600), 10000);
	nx_arena_release(&f.arena);
}

static void test_absurd_times(void **state)
{
	static const struct nx_active active[] = {
		{.start_ps = 0, .end_ps = UINT64_MAX},
		{.start_ps = UINT64_MAX, .end_ps = UINT64_MAX},
	};
	struct rows rows = {.active = active, .active_count = 2};
	struct fixture f = {0};

	(void)state;
	assert_int_equal(build(&f, &rows, UINT64_MAX, 1), NX_OK);
	assert_int_equal(level(&f, 0, 0, 0), 10000);
	assert_int_equal(level(&f, 0, 0, f.overview.column_count - 1), 10000);
	nx_arena_release(&f.arena);
	assert_int_equal(build(&f, &rows, 0, 1), NX_OK);
	assert_int_equal(f.overview.column_count, 1);
	nx_arena_release(&f.arena);
	rows.active_count = 0;
	assert_int_equal(build(&f, &rows, 0, 0), NX_OK);
	nx_arena_release(&f.arena);
}

static void test_failures_are_passed_on(void **state)
{
	struct rows rows = {.failing = NX_TABLE_PACKET};
	struct fixture f = {0};

	(void)state;
	assert_int_equal(build(&f, &rows, 100, 1), NX_IO);
	nx_arena_release(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_of_columns),
		cmocka_unit_test(test_overlapping_packets_count_once),
		cmocka_unit_test(test_throttling_is_what_was_withheld),
		cmocka_unit_test(test_last_column_may_be_shorter),
		cmocka_unit_test(test_absurd_times),
		cmocka_unit_test(test_failures_are_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
