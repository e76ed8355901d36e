/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "export/row_sink.h"
#include "tests/unit/export/given_rows.h"

struct fixture {
	char path[32];
	struct nx_output out;
	struct nx_parquet_reader *reader;
	struct nx_parquet_cursor *cursor;
};

static int set_up(void **state)
{
	static struct fixture f;
	int fd;

	f = (struct fixture){.path = "/tmp/nx-rows-XXXXXX"};
	fd = mkstemp(f.path);
	if (fd < 0)
		return 1;
	close(fd);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nx_parquet_cursor_close(f->cursor);
	nx_parquet_reader_close(f->reader);
	return unlink(f->path);
}

static enum nx_status write_rows(struct fixture *f, struct given_rows *given,
				 const struct nx_rows_parquet_shape *shape, struct nx_error *err)
{
	struct nx_row_sink *sink;
	enum nx_status st;

	assert_int_equal(nx_output_open(&f->out, f->path, NULL), NX_OK);
	sink = nx_rows_parquet_open(&f->out, shape);
	st = nx_row_sink_pour(sink, &given->stream, err);
	nx_row_sink_close(sink);
	if (st)
		nx_output_abort(&f->out);
	else
		assert_int_equal(nx_output_commit(&f->out, NULL), NX_OK);
	return st;
}

static void read_group(struct fixture *f, size_t column_count, size_t row_count)
{
	size_t columns[8], count, rows;

	assert_int_equal(nx_parquet_reader_open(&f->reader, f->path, NULL), NX_OK);
	(void)nx_parquet_reader_fields(f->reader, &count);
	assert_int_equal(count, column_count);
	for (size_t i = 0; i < count; i++)
		columns[i] = i;
	assert_int_equal(nx_parquet_cursor_open(&f->cursor, f->reader, columns, count, NULL, NULL),
			 NX_OK);
	assert_int_equal(nx_parquet_cursor_next(f->cursor, &rows, NULL), NX_OK);
	assert_int_equal(rows, row_count);
}

#define I64_OF(n)                                                                                  \
	{                                                                                          \
		.kind = NX_VALUE_I64, .i64 = (n)                                                   \
	}

static void columns_keep_their_types(void **state)
{
	static const struct nx_parquet_field fields[] = {
		{.name = "flag", .type = NX_PARQUET_BOOL, .is_optional = true},
		{.name = "i32", .type = NX_PARQUET_I32, .is_optional = true},
		{.name = "i64", .type = NX_PARQUET_I64, .is_optional = true},
		{.name = "f32", .type = NX_PARQUET_F32, .is_optional = true},
		{.name = "f64", .type = NX_PARQUET_F64, .is_optional = true},
		{.name = "text", .type = NX_PARQUET_TEXT},
	};
	const struct nx_column columns[6] = {{"flag", NX_VALUE_BOOL}, {"i32", NX_VALUE_I64},
					     {"i64", NX_VALUE_I64},   {"f32", NX_VALUE_F32},
					     {"f64", NX_VALUE_F64},   {"text", NX_VALUE_TEXT}};
	const struct nx_value rows[] = {
		{.kind = NX_VALUE_BOOL, .flag = true},
		I64_OF(INT32_MIN),
		I64_OF(INT64_MAX),
		{.kind = NX_VALUE_F32, .f32 = 0.1F},
		{.kind = NX_VALUE_F64, .f64 = 0.1},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("a")},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_NULL},
		{.kind = NX_VALUE_TEXT, .text = nx_slice_text("")},
	};
	struct given_rows given = given_rows_of(columns, 6, rows, 2);
	const struct nx_rows_parquet_shape shape = {fields, 6, NULL};
	struct fixture *f = *state;
	size_t count;

	assert_int_equal(write_rows(f, &given, &shape, NULL), NX_OK);
	read_group(f, 6, 2);
	for (size_t i = 0; i < 6; i++) {
		const struct nx_parquet_values *v = nx_parquet_cursor_values(f->cursor, i);

		assert_int_equal(nx_parquet_reader_fields(f->reader, &count)[i].type,
				 fields[i].type);
		assert_int_equal(v->is_null ? v->is_null[1] : 0, i != 5);
	}
	assert_int_equal(nx_parquet_cursor_values(f->cursor, 0)->flags[0], 1);
	assert_true(nx_parquet_cursor_values(f->cursor, 1)->i64[0] == INT32_MIN);
	assert_true(nx_parquet_cursor_values(f->cursor, 2)->i64[0] == INT64_MAX);
	assert_true(nx_parquet_cursor_values(f->cursor, 3)->f64[0] == (double)0.1F);
	assert_true(nx_parquet_cursor_values(f->cursor, 4)->f64[0] == 0.1);
	assert_true(nx_slice_is(nx_parquet_cursor_values(f->cursor, 5)->texts[0], "a"));
}

static void lists_are_written_of_wide_numbers(void **state)
{
	static const struct nx_parquet_field fields[] = {
		{.name = "i32", .type = NX_PARQUET_I32, .is_list = true},
		{.name = "f32", .type = NX_PARQUET_F32, .is_list = true},
		{.name = "f64", .type = NX_PARQUET_F64, .is_list = true},
		{.name = "texts", .type = NX_PARQUET_TEXT, .is_list = true},
	};
	const struct nx_column columns[4] = {{"i32", NX_VALUE_LIST},
					     {"f32", NX_VALUE_LIST},
					     {"f64", NX_VALUE_LIST},
					     {"texts", NX_VALUE_LIST}};
	const struct nx_value integers[] = {I64_OF(1), I64_OF(-2)};
	const struct nx_value narrow[] = {{.kind = NX_VALUE_F32, .f32 = 0.5F}};
	const struct nx_value wide[] = {{.kind = NX_VALUE_F64, .f64 = 0.1}};
	const struct nx_value texts[] = {{.kind = NX_VALUE_TEXT, .text = nx_slice_text("b")}};
	const struct nx_value row[] = {{.kind = NX_VALUE_LIST, .list = {integers, NULL, 2}},
				       {.kind = NX_VALUE_LIST, .list = {narrow, NULL, 1}},
				       {.kind = NX_VALUE_LIST, .list = {wide, NULL, 1}},
				       {.kind = NX_VALUE_LIST, .list = {texts, NULL, 1}}};
	struct given_rows given = given_rows_of(columns, 4, row, 1);
	const struct nx_rows_parquet_shape shape = {fields, 4, NULL};
	struct fixture *f = *state;
	const struct nx_parquet_values *v;

	assert_int_equal(write_rows(f, &given, &shape, NULL), NX_OK);
	read_group(f, 4, 1);
	v = nx_parquet_cursor_values(f->cursor, 0);
	assert_int_equal(v->type, NX_PARQUET_I64);
	assert_int_equal(v->starts[1], 2);
	assert_true(v->i64[0] == 1 && v->i64[1] == -2);
	v = nx_parquet_cursor_values(f->cursor, 1);
	assert_true(v->type == NX_PARQUET_F64 && v->f64[0] == 0.5);
	assert_true(nx_parquet_cursor_values(f->cursor, 2)->f64[0] == 0.1);
	assert_true(nx_slice_is(nx_parquet_cursor_values(f->cursor, 3)->texts[0], "b"));
}

static const struct nx_parquet_field number = {.name = "n", .type = NX_PARQUET_I64};
static const struct nx_column number_column = {"n", NX_VALUE_I64};

/* Arrow's description of all columns would mislead about a file with some of them. */
static void only_what_is_said_of_the_profile_is_carried_over(void **state)
{
	struct fixture *f = *state;
	struct given_rows given = given_rows_of(&number_column, 1, NULL, 0);
	struct nx_rows_parquet_shape shape = {&number, 1, NULL};
	struct nx_parquet_reader *origin;
	struct nx_parquet_writer *w;
	struct nx_slice key, value;

	assert_int_equal(nx_output_open(&f->out, f->path, NULL), NX_OK);
	assert_int_equal(nx_parquet_open(&w, nx_parquet_to_output(&f->out), &number, 1, NULL, NULL),
			 NX_OK);
	nx_parquet_add_metadata(w, "ARROW:schema", "AAAA");
	nx_parquet_add_metadata(w, "neuron_profile_table", "Instruction");
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
	assert_int_equal(nx_output_commit(&f->out, NULL), NX_OK);
	assert_int_equal(nx_parquet_reader_open(&origin, f->path, NULL), NX_OK);
	shape.origin = origin;
	assert_int_equal(write_rows(f, &given, &shape, NULL), NX_OK);
	nx_parquet_reader_close(origin);
	read_group(f, 1, 0);
	assert_true(nx_parquet_reader_metadata(f->reader, 0, &key, &value));
	assert_true(nx_slice_is(key, "neuron_profile_table"));
	assert_true(nx_slice_is(value, "Instruction"));
	assert_false(nx_parquet_reader_metadata(f->reader, 1, &key, &value));
}

static void a_stream_that_fails_leaves_no_file(void **state)
{
	struct fixture *f = *state;
	struct given_rows given = given_rows_of(&number_column, 1, NULL, 0);
	const struct nx_rows_parquet_shape shape = {&number, 1, NULL};

	given.status = NX_LIMIT;
	assert_int_equal(write_rows(f, &given, &shape, NULL), NX_LIMIT);
	assert_int_not_equal(nx_parquet_reader_open(&f->reader, f->path, NULL), NX_OK);
}

static void a_missing_value_of_a_required_column_is_told(void **state)
{
	const struct nx_value rows[] = {{.kind = NX_VALUE_NULL}};
	struct given_rows given = given_rows_of(&number_column, 1, rows, 1);
	const struct nx_rows_parquet_shape shape = {&number, 1, NULL};
	struct nx_error err = {0};

	assert_int_not_equal(write_rows(*state, &given, &shape, &err), NX_OK);
	assert_non_null(strstr(err.message, "n"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(columns_keep_their_types),
		CASE(lists_are_written_of_wide_numbers),
		CASE(only_what_is_said_of_the_profile_is_carried_over),
		CASE(a_stream_that_fails_leaves_no_file),
		CASE(a_missing_value_of_a_required_column_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
