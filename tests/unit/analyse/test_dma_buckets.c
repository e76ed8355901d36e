/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/dma_buckets.h"
#include "row_list.h"

struct fixture {
	struct row_list out;
	struct nx_dma_buckets b;
};

static int setup(void **state)
{
	struct fixture *f = row_list_fixture_new(sizeof(*f), sizeof(struct nx_dma_bucket));

	*state = f;
	return 0;
}

static void begin(struct fixture *f, uint64_t total_time_ns)
{
	nx_dma_buckets_begin(&f->b, total_time_ns, row_list_add, &f->out);
}

static void point(struct fixture *f, uint8_t graph, uint64_t time_ns, float rate, uint64_t total)
{
	nx_dma_buckets_add(&f->b, &(struct nx_throughput){time_ns * 1000, total, rate, graph});
}

static const struct nx_dma_bucket *at(const struct fixture *f, size_t index)
{
	return row_list_at(&f->out, index);
}

static void a_bucket_sums_its_points(void **state)
{
	struct fixture *f = *state;

	begin(f, 5000);
	point(f, 0, 100, 1.5f, 10);
	point(f, 0, 999, 2.5f, 30);
	point(f, 0, 3000, 8, 40); /* two buckets without points in between */
	assert_int_equal(row_list_count(&f->out), 1);
	nx_dma_buckets_finish(&f->b);
	assert_int_equal(row_list_count(&f->out), 2);
	assert_int_equal(at(f, 0)->start_ns, 0);
	assert_int_equal(at(f, 0)->width_ns, 1000);
	assert_int_equal(at(f, 0)->point_count, 2);
	assert_true(at(f, 0)->sum_bytes_per_s == 4);
	assert_int_equal(at(f, 0)->sum_total_bytes, 40);
	assert_int_equal(at(f, 0)->max_total_bytes, 30);
	assert_int_equal(at(f, 1)->start_ns, 3000);
	assert_int_equal(at(f, 1)->point_count, 1);
	assert_int_equal(at(f, 1)->max_total_bytes, 40);
}

static void graphs_have_buckets_of_their_own(void **state)
{
	struct fixture *f = *state;

	begin(f, 0);
	point(f, 0, 1, 1, 1);
	point(f, 63, 2, 2, 2);
	point(f, 0, 3, 1, 3);
	nx_dma_buckets_finish(&f->b);
	assert_int_equal(row_list_count(&f->out), 2);
	assert_int_equal(at(f, 0)->graph, 0);
	assert_int_equal(at(f, 0)->point_count, 2);
	assert_int_equal(at(f, 1)->graph, 63);
	assert_int_equal(at(f, 1)->sum_total_bytes, 2);
}

static void long_profiles_have_coarser_levels_too(void **state)
{
	struct fixture *f = *state;

	begin(f, 1000 * 1000 + 999); /* 1000 of 1 us */
	assert_int_equal(f->b.level_count, 1);
	begin(f, 1001 * 1000);
	assert_int_equal(f->b.level_count, 2);
	point(f, 0, 11500, 1, 1);
	point(f, 0, 19999, 1, 2);
	point(f, 0, 20000, 1, 3);
	nx_dma_buckets_finish(&f->b);
	assert_int_equal(row_list_count(&f->out), 5);
	assert_int_equal(at(f, 0)->start_ns, 11000);
	assert_int_equal(at(f, 1)->start_ns, 19000);
	assert_int_equal(at(f, 2)->start_ns, 10000); /* both in one bucket of 10 us */
	assert_int_equal(at(f, 2)->width_ns, 10000);
	assert_int_equal(at(f, 2)->point_count, 2);
	assert_int_equal(at(f, 4)->start_ns, 20000);
}

static void absurd_numbers_stay_within_bounds(void **state)
{
	struct fixture *f = *state;

	begin(f, UINT64_MAX / 1000);
	assert_int_equal(f->b.level_count, NX_DMA_BUCKET_LEVELS);
	point(f, 0, UINT64_MAX / 1000, 1, UINT64_MAX);
	point(f, 0, UINT64_MAX / 1000, 1, 2);
	nx_dma_buckets_finish(&f->b);
	assert_int_equal(row_list_count(&f->out), NX_DMA_BUCKET_LEVELS);
	assert_true(at(f, 0)->sum_total_bytes == UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, row_list_fixture_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_bucket_sums_its_points),
		TEST(graphs_have_buckets_of_their_own),
		TEST(long_profiles_have_coarser_levels_too),
		TEST(absurd_numbers_stay_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
