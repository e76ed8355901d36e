/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "export/json_sections.h"
#include "format/instruction.h"
#include "tables/fillers.h"
#include "tests/unit/tables/table_fixture.h"

static const struct nx_row *summary_of(const struct nx_table_fixture *f)
{
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_Summary), 1);
	return nx_table_memory_row(&f->memory, NX_SCHEMA_Summary, 0);
}

static void check_cell(const struct nx_row *row, unsigned column, const struct nx_json *metric)
{
	if (row->kinds[column] == NX_CELL_I64)
		assert_int_equal(row->cells[column].i64, nx_json_as_i64(metric, -1));
	else if (row->kinds[column] == NX_CELL_F64)
		assert_true(row->cells[column].f64 == nx_json_as_f64(metric, -1));
	else
		fail_msg("%s is neither", nx_schema_tables[row->table].columns[column].name);
}

/* Returns how many columns have a metric of their name. */
static unsigned compare(const struct nx_row *row, const struct nx_json *metrics)
{
	unsigned common_count = 0;

	for (unsigned i = 0; i < NX_COLUMN_COUNT_Summary; i++) {
		const char *name = nx_schema_tables[NX_SCHEMA_Summary].columns[i].name;
		const struct nx_json *metric = nx_json_get(metrics, name);

		if (!metric)
			continue;
		check_cell(row, i, metric);
		common_count++;
	}
	return common_count;
}

static unsigned compare_with_export(const struct nx_synthetic_options *options, bool with_neff)
{
	struct nx_table_fixture f;
	struct nx_bytes text = {0};
	struct nx_arena arena = {0};
	struct nx_json_writer w;
	struct nx_json *metrics;
	unsigned common_count, filled_count = 0;

	nx_table_fixture_make(&f, options, with_neff);
	nx_json_init_bytes(&w, &text, false);
	nx_json_summary(&w, f.profile);
	assert_int_equal(nx_json_parse(nx_slice_of(text.items, text.len), &arena, &metrics, &f.err),
			 NX_OK);
	common_count = compare(summary_of(&f), metrics);
	for (unsigned i = 0; i < NX_COLUMN_COUNT_Summary; i++)
		filled_count += summary_of(&f)->kinds[i] != NX_CELL_NULL;
	assert_int_equal(filled_count, common_count + 4); /* and those that are no metrics */
	nx_arena_release(&arena);
	nx_vec_release(&text);
	nx_table_fixture_release(&f);
	return common_count;
}

static void columns_equal_the_exported_summary(void **state)
{
	struct nx_synthetic_options old = nx_synthetic_tiny;

	(void)state;
	old.version = 4;
	old.arch = 1;
	old.graph_count = 1;
	assert_true(compare_with_export(&nx_synthetic_demo, true) > 85);
	assert_true(compare_with_export(&nx_synthetic_tiny, false) > 70);
	assert_true(compare_with_export(&old, true) > 85);
}

static void rows_of_all_other_tables_are_counted(void **state)
{
	struct nx_table_fixture f;
	uint64_t row_count = 0;

	(void)state;
	nx_table_fixture_make(&f, &nx_synthetic_tiny, true);
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (i != NX_SCHEMA_Summary)
			row_count += nx_table_memory_count(&f.memory, (enum nx_schema_table_id)i);
	assert_true(row_count > 0);
	assert_int_equal(summary_of(&f)->cells[NX_COL_Summary_total_row_count].i64, row_count);
	nx_table_fixture_release(&f);
}

struct extent {
	const struct nx_profile *profile;
	uint64_t first_ps, last_ps;
};

static void extend(struct extent *e, uint64_t start_ps, uint64_t end_ps)
{
	e->first_ps = start_ps < e->first_ps ? start_ps : e->first_ps;
	e->last_ps = end_ps > e->last_ps ? end_ps : e->last_ps;
}

static void extend_by_instruction(void *context, const void *item)
{
	struct extent *e = context;
	const struct nx_instruction *row = item;

	if (!nx_opcode_is_setup(nx_profile_slot(e->profile, row)->opcode))
		extend(e, row->start_ps, row->end_ps);
}

static void extend_by_packet(void *context, const void *item)
{
	const struct nx_packet *row = item;

	extend(context, row->start_ps, row->end_ps);
}

static void time_of_execution_spans_the_work(void **state)
{
	struct nx_table_fixture f;
	struct extent e = {.first_ps = UINT64_MAX};

	(void)state;
	nx_table_fixture_make(&f, &nx_synthetic_tiny, true);
	e.profile = f.profile;
	assert_int_equal(nx_profile_scan(f.profile, NX_TABLE_INSTRUCTION, extend_by_instruction, &e,
					 &f.err),
			 NX_OK);
	assert_int_equal(nx_profile_scan(f.profile, NX_TABLE_PACKET, extend_by_packet, &e, &f.err),
			 NX_OK);
	assert_true(e.last_ps > e.first_ps);
	assert_true(summary_of(&f)->cells[NX_COL_Summary_total_exec_time].f64 ==
		    (double)(e.last_ps - e.first_ps) / 1e12);
	nx_table_fixture_release(&f);
}

/* A damaged capture can make them as large as it likes. */
static void numbers_too_large_stop_at_the_highest(void **state)
{
	struct nx_profile p = {.exec_time_ps = 2000000000000,
			       .adjusted_flop_count = UINT64_MAX,
			       .adjusted_transpose_flop_count = 7};
	struct nx_metric metrics[] = {
		{.name = "dma_transfer_average_bytes", .kind = NX_METRIC_COUNT, .count = 12},
		{.name = "hbm_read_bytes", .kind = NX_METRIC_COUNT, .count = UINT64_MAX},
		{.name = "instance_type", .kind = NX_METRIC_TEXT, .text = "trn2"},
		{.name = "total_time", .kind = NX_METRIC_NUMBER, .number = 0.5},
	};
	struct nx_table_memory memory;
	struct nx_device_fill fill = {.profile = &p, .sink = &memory.sink, .row_count = 9};
	const struct nx_row *row;

	(void)state;
	p.metrics.items = metrics;
	p.metrics.len = 4;
	nx_table_memory_init(&memory);
	assert_int_equal(nx_fill_summary(&fill), NX_OK);
	row = nx_table_memory_row(&memory, NX_SCHEMA_Summary, 0);
	assert_true(row->cells[NX_COL_Summary_dma_transfer_average_bytes].f64 == 12);
	assert_int_equal(row->cells[NX_COL_Summary_hbm_read_bytes].i64, INT64_MAX);
	assert_true(row->cells[NX_COL_Summary_total_time].f64 == 0.5);
	assert_true(row->cells[NX_COL_Summary_total_exec_time].f64 == 2);
	assert_int_equal(row->cells[NX_COL_Summary_adjusted_hardware_flops].i64, INT64_MAX);
	assert_int_equal(row->cells[NX_COL_Summary_adjusted_transpose_flops].i64, 7);
	assert_int_equal(row->cells[NX_COL_Summary_total_row_count].i64, 9);
	assert_int_equal(row->kinds[NX_COL_Summary_hbm_write_bytes], NX_CELL_NULL);
	nx_table_memory_release(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_equal_the_exported_summary),
		cmocka_unit_test(rows_of_all_other_tables_are_counted),
		cmocka_unit_test(time_of_execution_spans_the_work),
		cmocka_unit_test(numbers_too_large_stop_at_the_highest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
