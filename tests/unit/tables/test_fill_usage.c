/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/fill_fixture.h"

static void the_curve_and_its_buckets_are_in_order(void **state)
{
	struct nx_fill_fixture *f = *state;
	/* as the analysis hands them out: graphs at different times */
	struct nx_throughput points[] = {
		{500000, 10, 4, 0}, {1500000, 30, 6, 0}, {200000, 7, 2, 1}, {900000, 9, 1, 1}};
	const struct nx_row *row;

	f->made.p.capture.total_time_ps = 2000000;
	for (unsigned i = 0; i < 4; i++)
		nx_made_profile_add_row(&f->made, NX_TABLE_THROUGHPUT, &points[i]);
	nx_fill_fixture_run(f, nx_fill_dma_usage);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_DmaUsage), 4);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_DmaUsage, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsage_timestamp), 200);
	assert_true(nx_f64_at(row, NX_COL_DmaUsage_current_throughput) == 2);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsage_total_transfer_bytes), 7);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsage_pcore_idx), 1);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_DmaUsageSummary), 3);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_DmaUsageSummary, 1);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsageSummary_timestamp), 0);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsageSummary_pcore_idx), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsageSummary_count), 2);
	assert_true(nx_f64_at(row, NX_COL_DmaUsageSummary_sum_current_throughput) == 3);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsageSummary_sum_total_transfer_bytes), 16);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsageSummary_max_total_transfer_bytes), 9);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsageSummary_bucket_resolution_ns), 1000);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_DmaUsageSummary, 2);
	assert_int_equal(nx_i64_at(row, NX_COL_DmaUsageSummary_timestamp), 1000);
}

static void packet(struct nx_fill_fixture *f, uint32_t idx, uint64_t start_ps, uint32_t size_bytes)
{
	struct nx_packet row = {.start_ps = start_ps,
				.end_ps = start_ps + 1000000,
				.size_bytes = size_bytes,
				.packet_idx = idx};

	nx_made_profile_add_row(&f->made, NX_TABLE_PACKET, &row);
}

static void only_transfers_from_or_to_hbm_count_for_it(void **state)
{
	struct nx_fill_fixture *f = *state;
	struct nx_transfer to_hbm = {.slot = 1}, within = {.slot = 2};
	const struct nx_row *row;

	f->made.slots[0][0][1].flags = NX_SLOT_HBM_WRITE;
	f->made.slots[0][0][2].flags = NX_SLOT_SBUF_WRITE;
	nx_vec_push(&f->made.p.transfers, to_hbm);
	nx_vec_push(&f->made.p.transfers, within);
	f->made.transfer_of[0] = 0;
	f->made.transfer_of[1] = 1;
	f->made.transfer_of[2] = 0;
	packet(f, 0, 1000, 512);
	packet(f, 1, 2000, 512); /* stays on the chip */
	packet(f, 2, 3000, 4);	 /* sets a semaphore */
	packet(f, 3, 4000, 512); /* nobody knows */
	nx_fill_fixture_run(f, nx_fill_hbm_usage);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_HbmUsage), 2);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_HbmUsage, 0);
	assert_int_equal(nx_i64_at(row, NX_COL_HbmUsage_timestamp), 1);
	assert_int_equal(nx_i64_at(row, NX_COL_HbmUsage_total_transfer_bytes), 512);
	assert_true(nx_f64_at(row, NX_COL_HbmUsage_current_throughput) == 512e6);
	row = nx_table_memory_row(&f->memory, NX_SCHEMA_HbmUsage, 1);
	assert_int_equal(nx_i64_at(row, NX_COL_HbmUsage_timestamp), 1001);
	assert_true(nx_f64_at(row, NX_COL_HbmUsage_current_throughput) == 0);
}

static void failures_of_reading_are_returned(void **state)
{
	struct nx_fill_fixture *f = *state;

	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_dma_usage, NX_TABLE_THROUGHPUT),
			 NX_NO_SPACE);
	nx_vec_push(&f->made.p.transfers, ((struct nx_transfer){0}));
	assert_int_equal(nx_fill_fixture_fail(f, nx_fill_hbm_usage, NX_TABLE_PACKET), NX_NO_SPACE);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_fill_fixture_setup, nx_fill_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_curve_and_its_buckets_are_in_order),
		TEST(only_transfers_from_or_to_hbm_count_for_it),
		TEST(failures_of_reading_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
