/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/fill_fixture.h"

#define OP(name) NX_COL_CcOp_##name

static uint32_t members[] = {4, 6};
static struct nx_collective_group groups[] = {{7, 2, members}};
static struct nx_collective_op ops[] = {{3, 2, "mesh", 1000, 7, 10}, {77, 0, "", 1, 8, 99}};
static uint64_t cc_cores[] = {8, 9};
static struct nx_collective_stream streams[] = {{5, cc_cores, 2}};

static void set_runs(struct nx_fill_fixture *f, struct nx_collective_run *runs, size_t count)
{
	struct nx_capture *c = &f->made.p.capture;

	c->window_start_ps = 1000000;
	c->window_end_ps = 9000000;
	c->has_window_end = true;
	c->graphs[0].collective_ops = ops;
	c->graphs[0].collective_op_count = 2;
	c->graphs[0].collective_groups = groups;
	c->graphs[0].collective_group_count = 1;
	c->graphs[0].collective_streams = streams;
	c->graphs[0].collective_stream_count = 1;
	c->graphs[0].collective_runs = runs;
	c->graphs[0].collective_run_count = count;
	nx_fill_fixture_run(f, nx_fill_collectives);
}

/* 4000 bytes in, 8000 out in 2 us: 4 GB/s, of which half crosses links. */
static void a_gathering_is_told_in_full(void **state)
{
	struct nx_collective_run run = {0, 2, 2000000, 3500000, 5500000};
	const struct nx_row *row;
	struct nx_fill_fixture *f = *state;

	set_runs(f, &run, 1);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_CcOp), 1);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_CcOp, 0);
	assert_int_equal(nx_i64_at(row, OP(start_ts)), 2500);
	assert_int_equal(nx_i64_at(row, OP(end_ts)), 4500);
	assert_int_equal(nx_i64_at(row, OP(duration_ns)), 2000);
	assert_int_equal(nx_i64_at(row, OP(trigger_start_ts)), 1000);
	assert_int_equal(nx_i64_at(row, OP(cc_trigger_start_delay)), 1500);
	assert_string_equal(nx_table_memory_text(row, OP(operation)), "AllGather");
	assert_string_equal(nx_table_memory_text(row, OP(algorithm)), "mesh");
	assert_string_equal(nx_table_memory_text(row, OP(dtype)), "fp32");
	assert_string_equal(nx_table_memory_text(row, OP(trigger_engine)), "GpSimd");
	assert_string_equal(nx_table_memory_text(row, OP(replica_group)), "[4,6]");
	assert_int_equal(nx_i64_at(row, OP(replica_group_id)), 7);
	assert_int_equal(nx_i64_at(row, OP(stream_id)), 5);
	assert_int_equal(nx_i64_at(row, OP(input_size)), 4000);
	assert_int_equal(nx_i64_at(row, OP(output_size)), 8000);
	assert_true(nx_f64_at(row, OP(algorithm_bandwidth)) == 4e9);
	assert_true(nx_f64_at(row, OP(bus_bandwidth)) == 2e9);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_CcStream, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_CcStream_stream_id), 5);
	assert_string_equal(nx_table_memory_text(row, NX_COL_CcStream_cc_core_ids), "[8,9]");
}

static void what_is_not_known_is_null(void **state)
{
	struct nx_collective_run run = {1, 200, 0, 2000000, 2000000};
	struct nx_fill_fixture *f = *state;
	const struct nx_row *row;

	set_runs(f, &run, 1);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_CcOp, 0);
	assert_string_equal(nx_table_memory_text(row, OP(operation)), "unknown");
	assert_string_equal(nx_table_memory_text(row, OP(dtype)), "unknown");
	assert_string_equal(nx_table_memory_text(row, OP(trigger_engine)), "unknown");
	assert_null(nx_table_memory_text(row, OP(replica_group)));
	assert_int_equal(row->kinds[OP(input_size)], NX_CELL_NULL);
	assert_int_equal(row->kinds[OP(bus_bandwidth)], NX_CELL_NULL);
	assert_int_equal(row->kinds[OP(trigger_start_ts)], NX_CELL_NULL);
}

static void runs_outside_the_window_are_left_out(void **state)
{
	struct nx_collective_run runs[] = {{0, 0, 0, 999999, 2000000},
					   {0, 0, 8000000, 8500000, 9000001}};

	set_runs(*state, runs, 2);
	assert_int_equal(nx_table_memory_count(&((struct nx_fill_fixture *)*state)->memory,
					       NX_SCHEMA_CcOp),
			 0);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_gathering_is_told_in_full),
		TEST(what_is_not_known_is_null),
		TEST(runs_outside_the_window_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
