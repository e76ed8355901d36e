/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/json_sections.h"
#include "export_fixture.h"

static void assert_table(struct nx_export_fixture *f, enum nx_table table, const void *rows,
			 size_t row_size, size_t count, const char *want)
{
	uint64_t written = 0;
	size_t objects = 0;

	f->tables[table] = (struct nx_fixture_table){rows, row_size, count};
	assert_int_equal(nx_json_table(&f->w, &f->p, table, &written, &f->err), NX_OK);
	for (const char *at = want; (at = strchr(at, '{')); at++)
		objects++;
	assert_int_equal(written, objects);
	assert_string_equal(nx_export_fixture_text(f), want);
}

static void semaphores_are_named_and_events_left_out(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_event rows[] = {
		{.time_ps = 1999, .id = 8, .value = 3, .is_semaphore = true},
		{.time_ps = 2000, .id = 9, .value = UINT32_MAX, .is_semaphore = true},
		{.time_ps = 3000, .id = 9},
	};

	assert_table(f, NX_TABLE_EVENT, rows, sizeof(rows[0]), 3,
		     "[{\"timestamp\":1,\"id\":\"S[8] (qSyncIO)\",\"value\":3},"
		     "{\"timestamp\":2,\"id\":\"9\",\"value\":4294967295}]");
	f->p.program.semaphore_names[0] = NULL;
	assert_table(f, NX_TABLE_EVENT, rows, sizeof(rows[0]), 1,
		     "[{\"timestamp\":1,\"id\":\"8\",\"value\":3}]");
}

static void pending_may_be_negative(void **state)
{
	struct nx_pending rows[] = {{.time_ps = 5000, .value = -1}};

	assert_table(*state, NX_TABLE_PENDING, rows, sizeof(rows[0]), 1,
		     "[{\"timestamp\":5,\"value\":-1}]");
}

static void throughput_is_float32(void **state)
{
	struct nx_throughput rows[] = {
		{.time_ps = 5000, .total_bytes = 7, .bytes_per_s = 25229131776.0f}};

	assert_table(*state, NX_TABLE_THROUGHPUT, rows, sizeof(rows[0]), 1,
		     "[{\"timestamp\":5,\"total_transfer_bytes\":7,\"transfer_rate\":25229132000,"
		     "\"uses_hbm\":\"false\",\"hbm_total_transfer_bytes\":0,"
		     "\"hbm_transfer_rate\":0}]");
}

static void throttles_last(void **state)
{
	struct nx_throttle rows[] = {{.start_ps = 1500, .end_ps = 4400, .k = 6, .n = 8, .type = 1}};

	assert_table(*state, NX_TABLE_THROTTLE, rows, sizeof(rows[0]), 1,
		     "[{\"timestamp\":1,\"duration\":2,\"k\":6,\"n\":8,\"type\":1}]");
}

static void active_time_has_its_own_names(void **state)
{
	struct nx_export_fixture *f = *state;
	struct nx_active rows[] = {
		{.start_ps = 1500, .end_ps = 4400, .graph = 1, .engine = NX_ENGINE_GPSIMD}};

	f->p.capture.graph_count = 2;
	assert_table(f, NX_TABLE_ACTIVE, rows, sizeof(rows[0]), 1,
		     "[{\"subgraph\":\"sg01\",\"engine\":\"gpsimd\",\"pcore_idx\":1,"
		     "\"start_ts\":1,\"end_ts\":4,\"duration_ns\":2}]");
}

/* 57344 / 229376 is a quarter, and 1 / 229376 as float32 times it still prints so. */
static void memory_is_a_share_of_the_partition_or_of_banks(void **state)
{
	struct nx_buffer_usage rows[] = {
		{.time_ps = 1000, .live_bytes = 57344, .buffer = NX_BUFFER_SBUF},
		{.time_ps = 2000, .buffer = NX_BUFFER_PSUM, .banks = 0x05, .banks_ever = 0x85},
	};

	assert_table(*state, NX_TABLE_BUFFER_USAGE, rows, sizeof(rows[0]), 2,
		     "[{\"timestamp\":1,\"type\":\"sb\",\"usage_avg\":0.25,"
		     "\"partition_0_usage\":0.25,\"partition_32_usage\":0.25,"
		     "\"partition_64_usage\":0.25,\"partition_96_usage\":0.25},"
		     "{\"timestamp\":2,\"type\":\"psum\",\"usage_avg\":0.25,\"bank_0_usage\":1,"
		     "\"bank_2_usage\":1,\"bank_7_usage\":0}]");
}

static void faults_tell_what_is_known(void **state)
{
	struct nx_fault rows[] = {
		{.time_ps = 1000,
		 .w0 = 0x1f000004,
		 .w1 = 0xa,
		 .id = 4,
		 .kind = NX_FAULT_ERROR,
		 .engine = NX_ENGINE_COUNT,
		 .slot = NX_NONE},
		{.time_ps = 2000,
		 .id = 500,
		 .kind = NX_FAULT_ERROR,
		 .engine = NX_ENGINE_COUNT,
		 .slot = NX_NONE},
		{.time_ps = 3000,
		 .id = 2,
		 .kind = NX_FAULT_CUSTOM,
		 .engine = NX_ENGINE_TENSOR,
		 .slot = 1},
		{.kind = NX_FAULT_WARNING, .engine = NX_ENGINE_COUNT, .slot = NX_NONE},
	};

	assert_table(*state, NX_TABLE_FAULT, rows, sizeof(rows[0]), 4,
		     "[{\"timestamp\":1,\"type\":\"Errors\",\"description\":\"memory error\","
		     "\"error_type_id\":4,\"pcore_idx\":0,"
		     "\"metadata_hex\":\"0x0000000a1f000004\"},"
		     "{\"timestamp\":2,\"type\":\"Errors\",\"description\":\"unknown error\","
		     "\"error_type_id\":500,\"pcore_idx\":0,"
		     "\"metadata_hex\":\"0x0000000000000000\"},"
		     "{\"timestamp\":3,\"type\":\"Custom Notification\","
		     "\"description\":\"inference start\",\"error_type_id\":2,\"pcore_idx\":0,"
		     "\"metadata_hex\":\"0x0000000000000000\",\"engine\":\"Tensor\",\"pc\":1,"
		     "\"opcode\":\"MATMUL\"},"
		     "{\"timestamp\":0,\"type\":\"Warnings\","
		     "\"description\":\"hardware warning\",\"error_type_id\":0,\"pcore_idx\":0,"
		     "\"metadata_hex\":\"0x0000000000000000\"}]");
}

static void an_empty_table_is_an_empty_array(void **state)
{
	assert_table(*state, NX_TABLE_PENDING, NULL, 1, 0, "[]");
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_export_fixture_setup, nx_export_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(semaphores_are_named_and_events_left_out),
		TEST(pending_may_be_negative),
		TEST(throughput_is_float32),
		TEST(throttles_last),
		TEST(active_time_has_its_own_names),
		TEST(memory_is_a_share_of_the_partition_or_of_banks),
		TEST(faults_tell_what_is_known),
		TEST(an_empty_table_is_an_empty_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
