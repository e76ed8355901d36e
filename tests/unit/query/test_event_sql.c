/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/event_sql.h"
#include "tests/unit/query/duckdb_fixture.h"

struct opened {
	struct nx_stored_table table;
	const struct nx_folder_table *files;
	struct nx_event_columns columns;
};

static void open_table(struct duckdb_fixture *f, const char *name, struct opened *o)
{
	fixture_open(f, NULL);
	o->files = nx_profile_folder_find(&f->folder, name);
	assert_non_null(o->files);
	if (nx_stored_table_open(&o->table, o->files, &f->err))
		fail_msg("%s", f->err.message);
}

/* "SELECT columns FROM source WHERE range ORDER BY r" */
static void assert_events(struct duckdb_fixture *f, const struct opened *o,
			  const struct nx_time_range *range, const char *expected)
{
	struct nx_bytes sql = {0};

	nx_sql_append(&sql, "SELECT ");
	nx_event_sql_append_columns(&sql, &o->columns, 3);
	nx_sql_append(&sql, " FROM ");
	nx_event_sql_append_source(&sql, &o->table, o->files);
	nx_sql_append(&sql, " WHERE ");
	nx_event_sql_append_range(&sql, &o->columns, range);
	nx_sql_append(&sql, " ORDER BY r");
	nx_bytes_append_zeros(&sql, 1);
	assert_answer(f, (const char *)sql.items, expected);
	nx_vec_release(&sql);
}

static void rows_are_numbered_through_all_parts(void **state)
{
	struct duckdb_fixture *f = *state;
	struct opened o = {0};

	fixture_make(f, "T_0.parquet",
		     "SELECT i * 10 AS start_ts, i * 10 + 5 AS end_ts, 'a' || i AS name FROM "
		     "range(3) r(i)");
	/* the columns of a part may come in any order */
	fixture_make(f, "T_1.parquet",
		     "SELECT 'b' || i AS name, i * 10 + 35 AS end_ts, i * 10 + 30 AS start_ts "
		     "FROM range(2) r(i)");
	open_table(f, "T", &o);
	assert_true(nx_event_columns_find(&o.columns, &o.table));
	assert_events(f, &o, &(struct nx_time_range){0},
		      "3|0|0|5|a0|NULL|NULL\n3|1|10|15|a1|NULL|NULL\n3|2|20|25|a2|NULL|NULL\n"
		      "3|3|30|35|b0|NULL|NULL\n3|4|40|45|b1|NULL|NULL");
	assert_events(f, &o,
		      &(struct nx_time_range){
			      .has_from = true, .from_ns = 15, .has_to = true, .to_ns = 40},
		      "3|2|20|25|a2|NULL|NULL\n3|3|30|35|b0|NULL|NULL");
	nx_stored_table_close(&o.table);
}

static void columns_are_found_under_their_many_names(void **state)
{
	struct duckdb_fixture *f = *state;
	struct opened o = {0};

	fixture_make(
		f, "T.parquet",
		"SELECT 5::BIGINT AS timestamp, 7::BIGINT AS duration, 'hot' AS type, 1::BIGINT "
		"AS pc, 'Tensor' AS engine UNION ALL SELECT 12, 0, NULL, NULL, NULL UNION ALL "
		"SELECT -3, NULL, 'x', 9, ''");
	open_table(f, "T", &o);
	assert_true(nx_event_columns_find(&o.columns, &o.table));
	assert_string_equal(o.columns.start, "timestamp");
	assert_null(o.columns.end);
	assert_string_equal(o.columns.duration, "duration");
	assert_events(f, &o, &(struct nx_time_range){0},
		      "3|0|5|12|hot|Tensor|1\n3|1|12|12|NULL|NULL|NULL\n3|2|-3|-3|x||9");
	/* a moment at the begin is in, what ends there is not */
	assert_events(f, &o, &(struct nx_time_range){.has_from = true, .from_ns = 12},
		      "3|1|12|12|NULL|NULL|NULL");
	nx_stored_table_close(&o.table);
}

static void without_a_time_there_are_no_events(void **state)
{
	struct duckdb_fixture *f = *state;
	struct opened o = {0};

	fixture_make(f, "T.parquet", "SELECT 1::BIGINT AS id, 'a' AS name");
	open_table(f, "T", &o);
	assert_false(nx_event_columns_find(&o.columns, &o.table));
	nx_stored_table_close(&o.table);
}

static void a_row_is_read_as_the_timeline_has_it(void **state)
{
	struct nx_value row[NX_EVENT_COLUMN_COUNT] = {
		[NX_EVENT_TABLE] = {.kind = NX_VALUE_I64, .i64 = 2},
		[NX_EVENT_NUMBER] = {.kind = NX_VALUE_I64, .i64 = 17},
		[NX_EVENT_START] = {.kind = NX_VALUE_I64, .i64 = -5},
		[NX_EVENT_END] = {.kind = NX_VALUE_I64, .i64 = 8},
		[NX_EVENT_NAME] = {.kind = NX_VALUE_TEXT, .text = nx_slice_text("n")},
		[NX_EVENT_PC] = {.kind = NX_VALUE_I64, .i64 = -1},
	};
	struct nx_event_row event;

	(void)state;
	nx_event_read(&event, row);
	assert_int_equal(event.table, 2);
	assert_int_equal(event.row, 17);
	assert_int_equal(event.start_ns, 0);
	assert_int_equal(event.end_ns, 8);
	assert_true(nx_slice_is(event.name, "n"));
	assert_null(event.engine.data);
	assert_true(event.has_pc);
	assert_int_equal(event.pc, -1);
}

static void copies_under_way_add_up(void **state)
{
	struct duckdb_fixture *f = *state;

	/* 10 bytes in 10 ns are 1e9 bytes/s; the second is twice as fast and begins in the middle
	 */
	fixture_make(f, "SystemProfileEvents.parquet",
		     "SELECT * FROM (VALUES "
		     "('dmem_buf_copyin', 0::BIGINT, 10::BIGINT, '{\"size\":\"10\"}', 0::BIGINT), "
		     "('dmem_buf_copyin', 5, 10, '{\"size\":\"10\"}', 1), "
		     "('dmem_buf_copyout', 7, 9, '{\"size\":\"2\"}', 0), "
		     "('dmem_buf_copyin', 3, 3, '{\"size\":\"10\"}', 0), "
		     "('dmem_buf_copyin', 3, 4, '{}', 0), ('other', 0, 9, '{\"size\":\"1\"}', 0)) "
		     "t(name, start_ts, end_ts, extra_attributes_json, nc_idx), (SELECT 'i-1' AS "
		     "instance_id, 7::BIGINT AS worker_gid)");
	fixture_open(f, NULL);
	assert_answer(f, nx_bandwidth_sql(false),
		      "i-1|NULL|NULL|device_to_host|7|1000000000\n"
		      "i-1|NULL|NULL|device_to_host|9|0\n"
		      "i-1|NULL|NULL|host_to_device|0|1000000000\n"
		      "i-1|NULL|NULL|host_to_device|5|3000000000\n"
		      "i-1|NULL|NULL|host_to_device|10|0");
	assert_answer(f, nx_bandwidth_sql(true),
		      "i-1|7|0|device_to_host|7|1000000000\n"
		      "i-1|7|0|device_to_host|9|0\n"
		      "i-1|7|0|host_to_device|0|1000000000\n"
		      "i-1|7|0|host_to_device|10|0\n"
		      "i-1|7|1|host_to_device|5|2000000000\n"
		      "i-1|7|1|host_to_device|10|0");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_begin, fixture_end)
	const struct CMUnitTest tests[] = {
		CASE(rows_are_numbered_through_all_parts),
		CASE(columns_are_found_under_their_many_names),
		CASE(without_a_time_there_are_no_events),
		CASE(copies_under_way_add_up),
		cmocka_unit_test(a_row_is_read_as_the_timeline_has_it),
	};

	if (fixture_is_impossible())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
