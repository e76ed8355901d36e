/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/influx/influx_line.h"

static void expect(const struct nx_row *row, struct nx_influx_point point, const char *line)
{
	struct nx_track_columns track = nx_track_columns_of(row->table);
	struct nx_bytes out = {0};

	nx_influx_line_append(&out, row, &track, &point);
	nx_vec_push(&out, '\0');
	assert_string_equal((const char *)out.items, line);
	nx_vec_release(&out);
}

static void a_row_is_a_point(void **state)
{
	struct nx_influx_point point = {nx_slice_text("p"), 1700, 0, 3};
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_ActiveTime);
	nx_row_put_i64(&row, NX_COL_ActiveTime_start_ts, 5);
	nx_row_put_i64(&row, NX_COL_ActiveTime_end_ts, -6);
	nx_row_put_text(&row, NX_COL_ActiveTime_engine, "vector");
	nx_row_put_i64(&row, NX_COL_ActiveTime_pcore_idx, 1);
	expect(&row, point,
	       "ActiveTime,profile=p,pcore_idx=1,engine=vector start_ts=5i,end_ts=-6i,row=3i "
	       "1700\n");
	point.ordinal = 2;
	expect(&row, point,
	       "ActiveTime,profile=p,pcore_idx=1,engine=vector,ordinal=2 "
	       "start_ts=5i,end_ts=-6i,row=3i 1700\n");
}

static void nulls_and_empty_tags_are_left_out(void **state)
{
	struct nx_influx_point point = {nx_slice_text(""), -1, 0, 0};
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_Instruction);
	nx_row_put_text(&row, NX_COL_Instruction_engine, "");
	expect(&row, point, "Instruction row=0i -1\n");
}

static void tags_are_escaped(void **state)
{
	struct nx_influx_point point = {nx_slice_text("a b,c=d\ne\\"), 0, 0, 0};
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_Warning);
	expect(&row, point, "Warning,profile=a\\ b\\,c\\=d_e_ row=0i 0\n");
}

static void texts_are_quoted(void **state)
{
	struct nx_influx_point point = {nx_slice_text("p"), 0, 0, 0};
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_Warning);
	nx_row_put_text(&row, NX_COL_Warning_message, "say \"a\\b\", c=d");
	nx_row_put_text(&row, NX_COL_Warning_category, "");
	expect(&row, point,
	       "Warning,profile=p message=\"say \\\"a\\\\b\\\", c=d\",category=\"\",row=0i 0\n");
}

static void floats_are_shortest_and_finite(void **state)
{
	struct nx_influx_point point = {nx_slice_text("p"), 0, 0, 0};
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_CpuUsage);
	nx_row_put_f64(&row, NX_COL_CpuUsage_util_percent, (double)0.1f);
	expect(&row, point, "CpuUsage,profile=p util_percent=0.1,row=0i 0\n");
	nx_row_put_f64(&row, NX_COL_CpuUsage_util_percent, NAN);
	expect(&row, point, "CpuUsage,profile=p row=0i 0\n");
	/* Finite, but not as the float that the column is. */
	nx_row_put_f64(&row, NX_COL_CpuUsage_util_percent, 1e300);
	expect(&row, point, "CpuUsage,profile=p row=0i 0\n");
}

static void booleans_and_lists_have_a_form(void **state)
{
	struct nx_influx_point point = {nx_slice_text("p"), 0, 0, 0};
	struct nx_slice items[] = {nx_slice_text("a\"b\\c\n\x1f"), nx_slice_text("")};
	int64_t numbers[] = {1, -2};
	struct nx_row row;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_SchemaFields);
	nx_row_put_bool(&row, NX_COL_SchemaFields_field_required, true);
	expect(&row, point, "SchemaFields,profile=p field_required=true,row=0i 0\n");
	nx_row_init(&row, NX_SCHEMA_SystemProfileEvents);
	nx_row_put_list_text(&row, NX_COL_SystemProfileEvents_flow_id, items, 2);
	expect(&row, point,
	       "SystemProfileEvents,profile=p "
	       "flow_id=\"[\\\"a\\\\\\\"b\\\\\\\\c\\\\u000a\\\\u001f\\\",\\\"\\\"]\",row=0i 0\n");
	nx_row_init(&row, NX_SCHEMA_BirInstruction);
	nx_row_put_list_i64(&row, NX_COL_BirInstruction_element_count_per_interval, numbers, 2);
	expect(&row, point,
	       "BirInstruction,profile=p element_count_per_interval=\"[1,-2]\",row=0i 0\n");
}

static void series_differ_by_table_and_track(void **state)
{
	struct nx_track_columns track = nx_track_columns_of(NX_SCHEMA_Instruction);
	struct nx_row row;
	uint64_t without, with;

	(void)state;
	nx_row_init(&row, NX_SCHEMA_Instruction);
	without = nx_influx_series_hash(&row, &track);
	nx_row_put_i64(&row, NX_COL_Instruction_start_ts, 1);
	assert_true(nx_influx_series_hash(&row, &track) == without);
	nx_row_put_i64(&row, NX_COL_Instruction_pcore_idx, 0);
	with = nx_influx_series_hash(&row, &track);
	assert_true(with != without);
	nx_row_put_text(&row, NX_COL_Instruction_engine, "pe");
	assert_true(nx_influx_series_hash(&row, &track) != with);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_is_a_point),
		cmocka_unit_test(nulls_and_empty_tags_are_left_out),
		cmocka_unit_test(tags_are_escaped),
		cmocka_unit_test(texts_are_quoted),
		cmocka_unit_test(floats_are_shortest_and_finite),
		cmocka_unit_test(booleans_and_lists_have_a_form),
		cmocka_unit_test(series_differ_by_table_and_track),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
