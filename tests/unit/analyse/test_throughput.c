/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "derived.h"

struct fixture {
	struct derived d;
};

static int setup(void **state)
{
	struct fixture *f = derived_fixture_new(sizeof(*f), NX_ANALYSIS_THROUGHPUT);

	*state = f;
	return 0;
}

static void add(struct fixture *f, uint8_t graph, uint64_t start_ps, uint64_t end_ps,
		uint32_t size_bytes)
{
	struct nx_packet row = {
		.start_ps = start_ps, .end_ps = end_ps, .size_bytes = size_bytes, .graph = graph};

	derived_add(&f->d, &row);
}

static void assert_row(const struct fixture *f, size_t index, uint64_t time_ps,
		       uint64_t total_bytes, float bytes_per_s)
{
	const struct nx_throughput *row = row_list_at(&f->d.out, index);

	assert_int_equal(row->time_ps, time_ps);
	assert_int_equal(row->total_bytes, total_bytes);
	assert_float_equal(row->bytes_per_s, bytes_per_s, 100);
}

static void packets_of_one_picosecond_are_one_point(void **state)
{
	struct fixture *f = *state;

	add(f, 0, 0, 1000000, 1000);
	add(f, 0, 0, 500000, 500);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 3);
	assert_row(f, 0, 0, 1500, 2e9f);
	assert_row(f, 1, 500000, 1500, 1e9f);
	assert_row(f, 2, 1000000, 1500, 0);
}

static void an_end_and_a_start_meet_in_one_point(void **state)
{
	struct fixture *f = *state;

	add(f, 0, 0, 1000000, 1000);
	add(f, 0, 1000000, 2000000, 3000);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 3);
	assert_row(f, 0, 0, 1000, 1e9f);
	assert_row(f, 1, 1000000, 4000, 3e9f);
	assert_row(f, 2, 2000000, 4000, 0);
}

static void points_keep_ten_nanoseconds_apart(void **state)
{
	struct fixture *f = *state;

	add(f, 0, 0, 1000000, 1000);
	add(f, 0, 5000, 1000000, 0);
	add(f, 0, 9999, 1009999, 7);
	add(f, 0, 10000, 1000000, 0);
	add(f, 0, 19999, 1000000, 0);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 3);
	assert_row(f, 0, 0, 1000, 1e9f);
	assert_row(f, 1, 10000, 1007, 1e9f + 7e6f);
	assert_row(f, 2, 1000000, 1007, 7e6f); /* the end 9999 ps later is too near */
}

static void ends_come_out_in_order_whatever_they_went_in(void **state)
{
	struct fixture *f = *state;

	/* 7 is prime to 101, so the ends visit 1..100 in a scrambled order */
	for (uint64_t i = 1; i <= 100; i++)
		add(f, 0, 0, i * 7 % 101 * 20000, 1);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 101);
	for (uint64_t i = 0; i <= 100; i++) {
		const struct nx_throughput *row = row_list_at(&f->d.out, i);

		assert_int_equal(row->time_ps, i * 20000);
		assert_int_equal(row->total_bytes, 100);
		if (i)
			assert_true(row->bytes_per_s <
				    ((const struct nx_throughput *)row_list_at(&f->d.out, i - 1))
					    ->bytes_per_s);
	}
}

static void a_packet_without_duration_adds_bytes_and_no_rate(void **state)
{
	struct fixture *f = *state;

	add(f, 0, 100, 100, 64);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 1);
	assert_row(f, 0, 100, 64, 0);
}

static void graphs_have_their_own_rate(void **state)
{
	struct fixture *f = *state;
	const struct nx_throughput *row;

	add(f, 0, 0, 1000000, 1000);
	add(f, 1, 1, 1000001, 2000);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 4);
	row = row_list_at(&f->d.out, 2);
	assert_int_equal(row->graph, 1);
	assert_row(f, 2, 1, 2000, 2e9f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, row_list_fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(packets_of_one_picosecond_are_one_point),
		TEST(an_end_and_a_start_meet_in_one_point),
		TEST(points_keep_ten_nanoseconds_apart),
		TEST(ends_come_out_in_order_whatever_they_went_in),
		TEST(a_packet_without_duration_adds_bytes_and_no_rate),
		TEST(graphs_have_their_own_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
