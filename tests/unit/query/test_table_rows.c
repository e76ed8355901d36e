/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "query/table_rows.h"
#include "tests/unit/query/stored_fixture.h"

enum { ID, START, END, FIELDS };

static const struct nx_parquet_field spans[FIELDS] = {
	[ID] = {.name = "id", .type = NX_PARQUET_I64},
	[START] = {.name = "start_ts", .type = NX_PARQUET_I64, .is_optional = true},
	[END] = {.name = "end_ts", .type = NX_PARQUET_I64, .is_optional = true},
};

#define NONE INT64_MIN

static void put_span(struct stored_fixture *f, int64_t id, int64_t start_ns, int64_t end_ns)
{
	nx_parquet_put_i64(f->writer, ID, id);
	if (start_ns != NONE)
		nx_parquet_put_i64(f->writer, START, start_ns);
	if (end_ns != NONE)
		nx_parquet_put_i64(f->writer, END, end_ns);
	assert_int_equal(nx_parquet_end_row(f->writer, NULL), NX_OK);
}

static struct nx_row_stream *open_rows(struct stored_fixture *f,
				       const struct nx_table_choice *choice)
{
	struct nx_row_stream *rows;

	assert_int_equal(nx_table_rows_open(&rows, &f->table, choice, NULL), NX_OK);
	return rows;
}

/* The ids of a range as text: "1 2 "; counted in a second pass. */
static void check_ids(struct stored_fixture *f, struct nx_time_range range, const char *expected)
{
	static const size_t id = ID;
	const struct nx_table_choice choice = {.fields = &id, .field_count = 1, .range = range};
	struct nx_row_stream *rows = open_rows(f, &choice);
	const struct nx_value *row;
	char ids[256] = "";
	size_t len = 0;
	uint64_t count = 0, rest;

	assert_int_equal(rows->column_count, 1);
	while (!nx_row_stream_next(rows, &row, NULL) && row) {
		len += (size_t)snprintf(ids + len, sizeof(ids) - len, "%lld ",
					(long long)row[0].i64);
		count++;
	}
	nx_row_stream_close(rows);
	assert_string_equal(ids, expected);
	rows = open_rows(f, &choice);
	assert_int_equal(nx_row_stream_count_rest(rows, &rest, NULL), NX_OK);
	assert_int_equal(rest, count);
	nx_row_stream_close(rows);
}

static struct nx_time_range between(int64_t from_ns, int64_t to_ns)
{
	return (struct nx_time_range){true, true, from_ns, to_ns};
}

/* Two rows to a group, so that some groups are skipped and some are read in vain. */
static void rows_that_overlap_the_range_are_found(void **state)
{
	struct stored_fixture *f = *state;

	stored_begin(f, "T.parquet", spans, FIELDS, 2);
	put_span(f, 1, 0, 1000);
	put_span(f, 2, 10, 20);
	put_span(f, 3, 20, 30);
	put_span(f, 4, 30, 30);
	put_span(f, 5, 40, 50);
	put_span(f, 6, 50, 60);
	put_span(f, 7, 60, 70);
	stored_end(f);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	check_ids(f, (struct nx_time_range){0}, "1 2 3 4 5 6 7 ");
	check_ids(f, between(20, 50), "1 3 4 5 ");
	check_ids(f, between(30, 31), "1 4 ");
	check_ids(f, between(70, 80), "1 ");
	check_ids(f, between(1000, 1001), "");
	check_ids(f, between(-50, 0), "");
	check_ids(f, (struct nx_time_range){.has_from = true, .from_ns = 50}, "1 6 7 ");
	check_ids(f, (struct nx_time_range){.has_to = true, .to_ns = 20}, "1 2 ");
	check_ids(f, (struct nx_time_range){.has_to = true, .to_ns = INT64_MIN}, "");
}

static void a_row_without_an_end_is_a_moment_and_one_without_a_start_is_nowhere(void **state)
{
	struct stored_fixture *f = *state;

	stored_begin(f, "T.parquet", spans, FIELDS, 2);
	put_span(f, 1, 5, 6);
	put_span(f, 2, NONE, 100);
	put_span(f, 3, 50, NONE);
	put_span(f, 4, 49, NONE);
	put_span(f, 5, NONE, NONE);
	put_span(f, 6, NONE, 60);
	stored_end(f);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	check_ids(f, between(50, 100), "3 ");
	check_ids(f, between(0, 50), "1 4 ");
	check_ids(f, (struct nx_time_range){0}, "1 2 3 4 5 6 ");
}

static void ends_of_the_number_line_are_times_too(void **state)
{
	struct stored_fixture *f = *state;

	stored_begin(f, "T.parquet", spans, FIELDS, 1);
	put_span(f, 1, INT64_MIN + 1, INT64_MIN + 2);
	put_span(f, 2, INT64_MAX, INT64_MAX);
	stored_end(f);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	check_ids(f, (struct nx_time_range){.has_from = true, .from_ns = INT64_MAX}, "2 ");
	check_ids(f, (struct nx_time_range){.has_to = true, .to_ns = INT64_MAX}, "1 ");
	check_ids(f, (struct nx_time_range){.has_from = true, .from_ns = INT64_MIN}, "1 2 ");
}

static void moments_lie_in_the_range(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_parquet_field moments[] = {{.name = "id", .type = NX_PARQUET_I64},
						   {.name = "timestamp", .type = NX_PARQUET_I64}};

	stored_begin(f, "T.parquet", moments, 2, 2);
	for (int64_t i = 0; i < 7; i++) {
		nx_parquet_put_i64(f->writer, 0, i);
		nx_parquet_put_i64(f->writer, 1, i * 10);
		assert_int_equal(nx_parquet_end_row(f->writer, NULL), NX_OK);
	}
	stored_end(f);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	check_ids(f, between(20, 50), "2 3 4 ");
	check_ids(f, between(21, 30), "");
	check_ids(f, (struct nx_time_range){.has_from = true, .from_ns = 60}, "6 ");
}

/* What was not read cannot be missed: the first group's values are overwritten. */
static void groups_outside_the_range_are_not_read(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_table_choice late = {.range = {.has_from = true, .from_ns = 500}};
	const struct nx_table_choice all = {0};
	struct nx_row_stream *rows;
	const struct nx_value *row;
	uint64_t count;
	int fd;

	stored_begin(f, "T.parquet", spans, FIELDS, 100);
	for (int64_t i = 0; i < 200; i++)
		put_span(f, i, i < 100 ? i : i + 1000, i < 100 ? i + 1 : i + 1001);
	stored_end(f);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	fd = open(f->folder.tables.items[0].files[0], O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 4), 8);
	close(fd);
	rows = open_rows(f, &late);
	assert_int_equal(nx_row_stream_count_rest(rows, &count, NULL), NX_OK);
	assert_int_equal(count, 100);
	nx_row_stream_close(rows);
	rows = open_rows(f, &all);
	assert_int_equal(nx_row_stream_next(rows, &row, &f->err), NX_FORMAT);
	assert_non_null(strstr(f->err.message, "T.parquet"));
	nx_row_stream_close(rows);
}

static void parts_follow_each_other(void **state)
{
	struct stored_fixture *f = *state;

	for (int64_t part = 0; part < 3; part++) {
		char name[16];

		snprintf(name, sizeof(name), "T_%d.parquet", (int)part);
		stored_begin(f, name, spans, FIELDS, 0);
		for (int64_t i = 0; i < 2 && part != 1; i++)
			put_span(f, part * 10 + i, part * 10 + i, part * 10 + i + 1);
		stored_end(f);
	}
	assert_int_equal(stored_open(f, "T"), NX_OK);
	check_ids(f, (struct nx_time_range){0}, "0 1 20 21 ");
	check_ids(f, between(1, 21), "1 20 ");
}

static void a_range_over_a_table_without_time_is_refused(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_parquet_field field = {.name = "a", .type = NX_PARQUET_I64};
	const struct nx_table_choice choice = {.range = between(0, 1)};
	struct nx_row_stream *rows;

	stored_begin(f, "Plain.parquet", &field, 1, 0);
	stored_end(f);
	assert_int_equal(stored_open(f, "Plain"), NX_OK);
	assert_int_equal(nx_table_rows_open(&rows, &f->table, &choice, &f->err), NX_USAGE);
	assert_null(rows);
	assert_non_null(strstr(f->err.message, "the table Plain has no time"));
}

static void check_values(const struct nx_value *row)
{
	assert_int_equal(row[0].kind, NX_VALUE_BOOL);
	assert_true(row[0].flag);
	assert_int_equal(row[1].kind, NX_VALUE_I64);
	assert_true(row[1].i64 == INT32_MIN);
	assert_true(row[2].kind == NX_VALUE_I64 && row[2].i64 == 9007199254740993);
	assert_true(row[3].kind == NX_VALUE_F32 && row[3].f32 == 0.1F);
	assert_true(row[4].kind == NX_VALUE_F64 && row[4].f64 == 0.1);
	assert_int_equal(row[5].kind, NX_VALUE_TEXT);
	assert_true(nx_slice_is(row[5].text, "text"));
	assert_int_equal(row[6].kind, NX_VALUE_LIST);
	assert_int_equal(row[6].list.count, 2);
	assert_true(row[6].list.items[1].kind == NX_VALUE_I64 && row[6].list.items[1].i64 == -2);
}

static void every_type_has_its_kind(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_parquet_field fields[] = {
		{.name = "flag", .type = NX_PARQUET_BOOL, .is_optional = true},
		{.name = "i32", .type = NX_PARQUET_I32, .is_optional = true},
		{.name = "i64", .type = NX_PARQUET_I64, .is_optional = true},
		{.name = "f32", .type = NX_PARQUET_F32, .is_optional = true},
		{.name = "f64", .type = NX_PARQUET_F64, .is_optional = true},
		{.name = "text", .type = NX_PARQUET_TEXT, .is_optional = true},
		{.name = "list", .type = NX_PARQUET_I64, .is_optional = true, .is_list = true},
	};
	const int64_t list[] = {1, -2};
	const struct nx_table_choice all = {0};
	struct nx_row_stream *rows;
	const struct nx_value *row;

	stored_begin(f, "T.parquet", fields, 7, 0);
	nx_parquet_put_bool(f->writer, 0, true);
	nx_parquet_put_i32(f->writer, 1, INT32_MIN);
	nx_parquet_put_i64(f->writer, 2, 9007199254740993);
	nx_parquet_put_f32(f->writer, 3, 0.1F);
	nx_parquet_put_f64(f->writer, 4, 0.1);
	nx_parquet_put_text(f->writer, 5, "text");
	nx_parquet_put_list_i64(f->writer, 6, list, 2);
	assert_int_equal(nx_parquet_end_row(f->writer, NULL), NX_OK);
	assert_int_equal(nx_parquet_end_row(f->writer, NULL), NX_OK);
	stored_end(f);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	rows = open_rows(f, &all);
	assert_int_equal(rows->column_count, 7);
	assert_string_equal(rows->columns[6].name, "list");
	assert_int_equal(rows->columns[6].kind, NX_VALUE_LIST);
	assert_int_equal(nx_row_stream_next(rows, &row, NULL), NX_OK);
	check_values(row);
	assert_int_equal(nx_row_stream_next(rows, &row, NULL), NX_OK);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(row[i].kind, NX_VALUE_NULL);
	assert_int_equal(nx_row_stream_next(rows, &row, NULL), NX_OK);
	assert_null(row);
	nx_row_stream_close(rows);
}

static void columns_come_in_the_order_they_were_chosen(void **state)
{
	struct stored_fixture *f = *state;
	const size_t fields[] = {END, ID};
	const struct nx_table_choice choice = {
		.fields = fields, .field_count = 2, .range = between(0, 100)};
	struct nx_row_stream *rows;
	const struct nx_value *row;

	stored_begin(f, "T.parquet", spans, FIELDS, 0);
	put_span(f, 7, 1, 2);
	stored_end(f);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	rows = open_rows(f, &choice);
	assert_int_equal(rows->column_count, 2);
	assert_string_equal(rows->columns[0].name, "end_ts");
	assert_int_equal(nx_row_stream_next(rows, &row, NULL), NX_OK);
	assert_true(row[0].i64 == 2 && row[1].i64 == 7);
	nx_row_stream_close(rows);
}

/* Two parts of five rows in groups of two: rows 0 to 9 whose ids are their numbers. */
static void rows_are_found_by_their_number(void **state)
{
	struct stored_fixture *f = *state;
	static const size_t id = ID;
	const struct nx_value *row;

	for (int part = 0; part < 2; part++) {
		stored_begin(f, part ? "T_1.parquet" : "T_0.parquet", spans, FIELDS, 2);
		for (int i = 0; i < 5; i++)
			put_span(f, part * 5 + i, i, i + 1);
		stored_end(f);
	}
	assert_int_equal(stored_open(f, "T"), NX_OK);
	for (uint64_t first = 0; first < 12; first++)
		for (uint64_t count = 0; count < 12; count++) {
			const struct nx_table_choice choice = {.fields = &id,
							       .field_count = 1,
							       .first_row = first,
							       .row_count = count};
			uint64_t end = count && first + count < 10 ? first + count : 10;
			struct nx_row_stream *rows = open_rows(f, &choice);

			for (uint64_t i = first; i < end; i++) {
				assert_int_equal(nx_row_stream_next(rows, &row, NULL), NX_OK);
				assert_non_null(row);
				assert_int_equal(row[0].i64, i);
			}
			assert_int_equal(nx_row_stream_next(rows, &row, NULL), NX_OK);
			assert_null(row);
			nx_row_stream_close(rows);
		}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, stored_set_up, stored_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(rows_that_overlap_the_range_are_found),
		CASE(a_row_without_an_end_is_a_moment_and_one_without_a_start_is_nowhere),
		CASE(ends_of_the_number_line_are_times_too),
		CASE(moments_lie_in_the_range),
		CASE(groups_outside_the_range_are_not_read),
		CASE(parts_follow_each_other),
		CASE(a_range_over_a_table_without_time_is_refused),
		CASE(every_type_has_its_kind),
		CASE(columns_come_in_the_order_they_were_chosen),
		CASE(rows_are_found_by_their_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
