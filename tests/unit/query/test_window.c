/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/window.h"

static void assert_sql(const struct nx_window *w, enum nx_sql_dialect dialect, const char *expected)
{
	struct nx_bytes sql = {0};
	struct nx_error err;

	if (nx_window_render(w, dialect, &sql, &err))
		fail_msg("%s", err.message);
	assert_string_equal((const char *)sql.items, expected);
	nx_vec_release(&sql);
}

static void assert_usage(const struct nx_window *w, const char *message)
{
	struct nx_bytes sql = {0};
	struct nx_error err = {0};

	assert_int_equal(nx_window_render(w, NX_SQL_DUCKDB, &sql, &err), NX_USAGE);
	assert_string_equal(err.message, message);
	nx_vec_release(&sql);
}

static const struct nx_window_aggregate count_rows = {NX_WINDOW_COUNT, NULL, false};

static void counts_in_buckets(void **state)
{
	const char *const groups[] = {"engine"};
	const struct nx_window w = {
		.profile = "run 'a'",
		.table = "Instruction",
		.start_column = "start_ts",
		.end_column = "end_ts",
		.from = 100,
		.to = 1099,
		.bucket_count = 10,
		.groups = groups,
		.group_count = 1,
		.aggregates = &count_rows,
		.aggregate_count = 1,
		.limit_count = 50,
	};

	(void)state;
	assert_int_equal(nx_window_bucket_width(&w), 100);
	assert_sql(&w, NX_SQL_DUCKDB,
		   "SELECT \"engine\", (greatest(\"start_ts\", 100) - 100) // 100 AS "
		   "\"bucket_idx\", CAST(count(*) AS BIGINT) AS \"row_count\" FROM \"Instruction\" "
		   "WHERE \"start_ts\" < 1099 AND (\"start_ts\" >= 100 OR \"end_ts\" > 100) GROUP "
		   "BY \"engine\", \"bucket_idx\" ORDER BY \"engine\", \"bucket_idx\" LIMIT 50");
	assert_sql(
		&w, NX_SQL_CLICKHOUSE,
		"SELECT `engine`, intDiv(greatest(`start_ts`, toInt64(100)) - toInt64(100), "
		"toInt64(100)) AS `bucket_idx`, toInt64(count(*)) AS `row_count` FROM "
		"`Instruction` WHERE `profile` = 'run \\'a\\'' AND `start_ts` < toInt64(1099) AND "
		"(`start_ts` >= toInt64(100) OR `end_ts` > toInt64(100)) GROUP BY `engine`, "
		"`bucket_idx` ORDER BY `engine`, `bucket_idx` LIMIT 50");
}

static void adds_up_the_window_as_one(void **state)
{
	const struct nx_window_aggregate aggregates[] = {{NX_WINDOW_SUM, "bytes", false},
							 {NX_WINDOW_MAX, "ratio", true},
							 {NX_WINDOW_LONGEST, "name", false}};
	const struct nx_window w = {
		.table = "Dma",
		.start_column = "s",
		.end_column = "e",
		.from = INT64_MIN / 2,
		.to = -1,
		.aggregates = aggregates,
		.aggregate_count = 3,
	};

	(void)state;
	assert_sql(&w, NX_SQL_DUCKDB,
		   "SELECT CAST(sum(\"bytes\") AS BIGINT) AS \"sum_bytes\", CAST(max(\"ratio\") AS "
		   "DOUBLE) AS \"max_ratio\", arg_max(\"name\", \"e\" - \"s\") AS \"longest_name\" "
		   "FROM \"Dma\" WHERE \"s\" < -1 AND (\"s\" >= -4611686018427387904 OR \"e\" > "
		   "-4611686018427387904) HAVING count(*) > 0");
	assert_sql(
		&w, NX_SQL_CLICKHOUSE,
		"SELECT toInt64(sum(`bytes`)) AS `sum_bytes`, toFloat64(max(`ratio`)) AS "
		"`max_ratio`, argMax(`name`, `e` - `s`) AS `longest_name` FROM `Dma` WHERE `s` < "
		"toInt64(-1) AND (`s` >= toInt64(-4611686018427387904) OR `e` > "
		"toInt64(-4611686018427387904)) HAVING count(*) > 0");
}

static void the_dominant_name_takes_two_levels(void **state)
{
	const char *const groups[] = {"engine"};
	const struct nx_window_aggregate aggregates[] = {{NX_WINDOW_COUNT, NULL, false},
							 {NX_WINDOW_DOMINANT, "opcode", false},
							 {NX_WINDOW_MAX, "bytes", false},
							 {NX_WINDOW_LONGEST, "name", false}};
	const struct nx_window w = {
		.table = "T",
		.start_column = "s",
		.end_column = "e",
		.from = 0,
		.to = 10,
		.bucket_count = 5,
		.groups = groups,
		.group_count = 1,
		.aggregates = aggregates,
		.aggregate_count = 4,
	};

	(void)state;
	assert_sql(
		&w, NX_SQL_DUCKDB,
		"SELECT \"engine\", \"bucket_idx\", CAST(sum(\"nx_part_0\") AS BIGINT) AS "
		"\"row_count\", arg_max(nx_label, nx_label_time) AS \"dominant_opcode\", "
		"CAST(max(\"nx_part_2\") AS BIGINT) AS \"max_bytes\", arg_max(\"nx_part_3\", "
		"\"nx_rank_3\") AS \"longest_name\" FROM (SELECT \"engine\", (greatest(\"s\", 0) - "
		"0) // 2 AS \"bucket_idx\", \"opcode\" AS nx_label, sum(\"e\" - \"s\") AS "
		"nx_label_time, CAST(count(*) AS BIGINT) AS \"nx_part_0\", CAST(max(\"bytes\") AS "
		"BIGINT) AS \"nx_part_2\", arg_max(\"name\", \"e\" - \"s\") AS \"nx_part_3\", "
		"max(\"e\" - \"s\") AS \"nx_rank_3\" FROM \"T\" WHERE \"s\" < 10 AND (\"s\" >= 0 "
		"OR \"e\" > 0) GROUP BY \"engine\", \"bucket_idx\", \"nx_label\") GROUP BY "
		"\"engine\", \"bucket_idx\" ORDER BY \"engine\", \"bucket_idx\"");
	assert_sql(
		&w, NX_SQL_CLICKHOUSE,
		"SELECT `engine`, `bucket_idx`, toInt64(sum(`nx_part_0`)) AS `row_count`, "
		"argMax(nx_label, nx_label_time) AS `dominant_opcode`, toInt64(max(`nx_part_2`)) "
		"AS `max_bytes`, argMax(`nx_part_3`, `nx_rank_3`) AS `longest_name` FROM (SELECT "
		"`engine`, intDiv(greatest(`s`, toInt64(0)) - toInt64(0), toInt64(2)) AS "
		"`bucket_idx`, `opcode` AS nx_label, sum(`e` - `s`) AS nx_label_time, "
		"toInt64(count(*)) AS `nx_part_0`, toInt64(max(`bytes`)) AS `nx_part_2`, "
		"argMax(`name`, `e` - `s`) AS `nx_part_3`, max(`e` - `s`) AS `nx_rank_3` FROM `T` "
		"WHERE `s` < toInt64(10) AND (`s` >= toInt64(0) OR `e` > toInt64(0)) GROUP BY "
		"`engine`, `bucket_idx`, `nx_label`) GROUP BY `engine`, `bucket_idx` ORDER BY "
		"`engine`, `bucket_idx`");
}

static void filters_of_every_kind(void **state)
{
	const struct nx_value values[] = {
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("it's \\")},
		{.kind = NX_VALUE_I64, .i64 = INT64_MIN},
		{.kind = NX_VALUE_U64, .u64 = UINT64_MAX},
		{.kind = NX_VALUE_F64, .f64 = 0.1},
		{.kind = NX_VALUE_BOOL, .flag = true},
		{.kind = NX_VALUE_F64, .f64 = 1e300},
	};
	const struct nx_window_filter filters[] = {
		{"a\"`", NX_WINDOW_EQUAL, &values[0], 1}, {"b", NX_WINDOW_NOT_EQUAL, &values[1], 1},
		{"c", NX_WINDOW_LESS, &values[2], 1},	  {"d", NX_WINDOW_AT_MOST, &values[3], 1},
		{"e", NX_WINDOW_MORE, &values[5], 1},	  {"f", NX_WINDOW_AT_LEAST, &values[4], 1},
		{"g", NX_WINDOW_ONE_OF, &values[0], 2},	  {"h", NX_WINDOW_ONE_OF, NULL, 0},
		{"i", NX_WINDOW_CONTAINS, &values[0], 1},
	};
	const char *const columns[] = {"x", "y"};
	const struct nx_window w = {
		.table = "T",
		.start_column = "t",
		.from = 1,
		.to = 2,
		.filters = filters,
		.filter_count = 9,
		.columns = columns,
		.column_count = 2,
	};

	(void)state;
	assert_sql(&w, NX_SQL_DUCKDB,
		   "SELECT \"x\", \"y\" FROM \"T\" WHERE \"t\" < 2 AND \"t\" >= 1 AND \"a\"\"`\" = "
		   "'it''s \\' AND \"b\" <> -9223372036854775808 AND \"c\" < 18446744073709551615 "
		   "AND \"d\" <= 0.1e0 AND \"e\" > 1e+300 AND \"f\" >= TRUE AND \"g\" IN ('it''s "
		   "\\', -9223372036854775808) AND 1 = 0 AND contains(\"i\", 'it''s \\') ORDER BY "
		   "\"t\"");
	assert_sql(
		&w, NX_SQL_CLICKHOUSE,
		"SELECT `x`, `y` FROM `T` WHERE `t` < toInt64(2) AND `t` >= toInt64(1) AND "
		"`a\"\\`` = 'it\\'s \\\\' AND `b` <> -9223372036854775808 AND `c` < "
		"18446744073709551615 AND `d` <= 0.1e0 AND `e` > 1e+300 AND `f` >= 1 AND `g` IN "
		"('it\\'s \\\\', -9223372036854775808) AND 1 = 0 AND position(`i`, 'it\\'s \\\\') "
		"> 0 ORDER BY `t`");
}

static void buckets_are_whole_and_cover_the_window(void **state)
{
	static const struct {
		int64_t from, to;
		uint32_t count;
		int64_t width;
	} cases[] = {{0, 10, 3, 4}, {0, 10, 10, 1}, {0, 10, 100, 1}, {0, 10, 0, 1},
		     {-5, 5, 2, 5}, {0, 1, 1, 1},   {7, 7, 5, 1},    {INT64_MIN, -1, 1, INT64_MAX}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_window w = {.from = cases[i].from, .to = cases[i].to};

		w.bucket_count = cases[i].count;
		assert_int_equal(nx_window_bucket_width(&w), cases[i].width);
	}
}

static void what_cannot_be_asked_is_refused(void **state)
{
	const struct nx_window_aggregate no_column = {NX_WINDOW_SUM, NULL, false};
	const struct nx_window_aggregate longest = {NX_WINDOW_LONGEST, "x", false};
	const struct nx_window_aggregate dominants[] = {{NX_WINDOW_DOMINANT, "x", false},
							{NX_WINDOW_DOMINANT, "y", false}};
	const struct nx_value bad = {.kind = NX_VALUE_F64, .f64 = (double)NAN};
	const struct nx_value list = {.kind = NX_VALUE_LIST};
	struct nx_window_filter filter = {"x", NX_WINDOW_EQUAL, &bad, 1};
	const struct nx_window fine = {.table = "T",
				       .start_column = "t",
				       .from = 0,
				       .to = 1,
				       .aggregates = &count_rows,
				       .aggregate_count = 1};
	struct nx_window w = {0};

	(void)state;
	assert_usage(&w, "a window needs a table and its time column");
	w = fine;
	w.to = 0;
	assert_usage(&w, "a window must end after it begins");
	w.from = INT64_MIN;
	w.to = INT64_MAX;
	assert_usage(&w, "a window is longer than 64 bits can count");
	w = fine;
	w.aggregate_count = 0;
	assert_usage(&w, "a window asks for no column");
	w.bucket_count = 1;
	assert_usage(&w, "groups and buckets need something to add up");
	w = fine;
	w.aggregates = &no_column;
	assert_usage(&w, "an aggregate has no column");
	w.aggregates = &longest;
	assert_usage(&w, "rows without an end have no longest or dominant one");
	w.end_column = "e";
	w.aggregates = dominants;
	w.aggregate_count = 2;
	assert_usage(&w, "a window has one dominant name at most");
	w = fine;
	w.filters = &filter;
	w.filter_count = 1;
	assert_usage(&w, "a filter cannot compare with nan");
	filter.values = &list;
	assert_usage(&w, "a filter compares with a number, a text or a truth value");
	filter.value_count = 0;
	assert_usage(&w, "a filter on x needs one value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_in_buckets),
		cmocka_unit_test(adds_up_the_window_as_one),
		cmocka_unit_test(the_dominant_name_takes_two_levels),
		cmocka_unit_test(filters_of_every_kind),
		cmocka_unit_test(buckets_are_whole_and_cover_the_window),
		cmocka_unit_test(what_cannot_be_asked_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
