/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "reader_case.h"

static struct nx_parquet_reader *open_reader(const struct nx_memory_table *table)
{
	struct nx_parquet_reader *r;

	assert_int_equal(nx_parquet_reader_open_bytes(&r, nx_memory_table_slice(table), "table",
						      NULL),
			 NX_OK);
	return r;
}

static const size_t all_columns[FIELDS] = {TIME, FLAG, NUMBER, TEXT, LIST, TEXTS, SMALL, RATIO};

/* --- what is written comes back ------------------------------------------------------- */

static void check_lists(const struct nx_parquet_cursor *c, size_t row, int64_t i)
{
	const struct nx_parquet_values *v = nx_parquet_cursor_values(c, LIST);

	assert_int_equal(v->starts[row + 1] - v->starts[row], i % 4);
	if (i % 4 > 1)
		assert_true(v->i64[v->starts[row] + 1] == -i);
	v = nx_parquet_cursor_values(c, TEXTS);
	assert_int_equal(v->is_null[row], i % 2 == 0);
	assert_int_equal(v->starts[row + 1] - v->starts[row], i % 2 ? i % 3 : 0);
	if (i % 2 && i % 3 == 2)
		assert_true(nx_slice_is(v->texts[v->starts[row] + 1], "bc"));
}

/* Of another width in the file, of the usual one here. */
static void check_narrow(const struct nx_parquet_cursor *c, size_t row, int64_t i)
{
	const struct nx_parquet_values *v = nx_parquet_cursor_values(c, SMALL);

	assert_int_equal(v->type, NX_PARQUET_I32);
	assert_null(v->is_null);
	assert_true(v->i64[row] == small_of(i));
	v = nx_parquet_cursor_values(c, RATIO);
	assert_int_equal(v->type, NX_PARQUET_F32);
	assert_int_equal(v->is_null[row], i % 5 == 0);
	assert_true(v->f64[row] == (i % 5 ? (double)((float)(i % 9) / 3) : 0));
}

static void check_row(const struct nx_parquet_cursor *c, size_t row, int64_t i)
{
	const struct nx_parquet_values *v = nx_parquet_cursor_values(c, TIME);
	char text[24];

	assert_null(v->is_null);
	assert_true(v->i64[row] == i * 10);
	v = nx_parquet_cursor_values(c, FLAG);
	assert_int_equal(v->is_null[row], i % 3 == 0);
	assert_int_equal(v->flags[row], i % 3 && i % 2);
	v = nx_parquet_cursor_values(c, NUMBER);
	assert_int_equal(v->is_null[row], i % 4 == 0);
	assert_true(v->f64[row] == (i % 4 ? (double)i / 8 : 0));
	v = nx_parquet_cursor_values(c, TEXT);
	snprintf(text, sizeof(text), "text %d", (int)(i % 50));
	assert_true(nx_slice_is(v->texts[row], text));
	check_lists(c, row, i);
	check_narrow(c, row, i);
}

static void every_value_comes_back(void **state)
{
	struct nx_memory_table table = make_table(1000, 300, 70);
	struct nx_parquet_reader *r = open_reader(&table);
	struct nx_parquet_cursor *c;
	size_t rows;
	int64_t i = 0;

	(void)state;
	assert_int_equal(nx_parquet_cursor_open(&c, r, all_columns, FIELDS, NULL, NULL), NX_OK);
	while (nx_parquet_cursor_next(c, &rows, NULL) == NX_OK && rows) {
		uint64_t first_row;

		assert_int_equal(nx_parquet_cursor_group(c, &first_row), i / 300);
		assert_int_equal(first_row, i);
		for (size_t row = 0; row < rows; row++)
			check_row(c, row, i++);
	}
	assert_int_equal(i, 1000);
	assert_int_equal(nx_parquet_cursor_next(c, &rows, NULL), NX_OK);
	assert_int_equal(rows, 0);
	nx_parquet_cursor_close(c);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

/* Groups of 300 rows in pages of 70, so that ranges begin and end in, at and across both. */
static void chosen_rows_come_alone(void **state)
{
	static const uint64_t ranges[][2] = {{0, 1},	     {69, 1},  {70, 1},	   {69, 2},
					     {0, 70},	     {299, 2}, {300, 300}, {140, 700},
					     {999, 1},	     {999, 5}, {1000, 1},  {0, 1000},
					     {5, UINT64_MAX}};
	struct nx_memory_table table = make_table(1000, 300, 70);
	struct nx_parquet_reader *r = open_reader(&table);

	(void)state;
	for (size_t k = 0; k < sizeof(ranges) / sizeof(ranges[0]); k++) {
		uint64_t i = ranges[k][0], first_row;
		uint64_t end = ranges[k][1] > 1000 - i ? 1000 : i + ranges[k][1];
		struct nx_parquet_cursor *c;
		size_t rows;

		assert_int_equal(nx_parquet_cursor_open(&c, r, all_columns, FIELDS, NULL, NULL),
				 NX_OK);
		nx_parquet_cursor_choose_rows(c, ranges[k][0], ranges[k][1]);
		while (nx_parquet_cursor_next(c, &rows, NULL) == NX_OK && rows) {
			(void)nx_parquet_cursor_group(c, &first_row);
			assert_int_equal(first_row, i);
			for (size_t row = 0; row < rows; row++)
				check_row(c, row, (int64_t)i++);
		}
		assert_int_equal(i, end);
		nx_parquet_cursor_close(c);
	}
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

static void the_footer_tells_columns_and_statistics(void **state)
{
	struct nx_memory_table table = make_table(250, 100, 0);
	struct nx_parquet_reader *r = open_reader(&table);
	const struct nx_parquet_stats *s;
	const struct nx_parquet_field *found;
	size_t count, column;

	(void)state;
	found = nx_parquet_reader_fields(r, &count);
	assert_int_equal(count, FIELDS);
	for (size_t i = 0; i < FIELDS; i++) {
		assert_string_equal(found[i].name, fields[i].name);
		assert_int_equal(found[i].type, fields[i].type);
		assert_int_equal(found[i].is_optional, fields[i].is_optional);
		assert_int_equal(found[i].is_list, fields[i].is_list);
	}
	assert_true(nx_parquet_reader_find(r, "text", &column));
	assert_int_equal(column, TEXT);
	assert_false(nx_parquet_reader_find(r, "tex", &column));
	s = nx_parquet_reader_stats(r, 1, TIME);
	assert_true(s->has_range && s->has_null_count && s->has_distinct_count);
	assert_int_equal(nx_load64(s->min.data), 1000);
	assert_int_equal(nx_load64(s->max.data), 1990);
	assert_int_equal(s->distinct_count, 100);
	s = nx_parquet_reader_stats(r, 0, FLAG);
	assert_int_equal(s->null_count, 34); /* 0, 3, ... 99 */
	s = nx_parquet_reader_stats(r, 2, TEXT);
	assert_true(nx_slice_is(s->min, "text 0") && nx_slice_is(s->max, "text 9"));
	s = nx_parquet_reader_stats(r, 0, SMALL);
	assert_int_equal((int32_t)nx_load32(s->min.data), INT32_MIN + 1);
	assert_int_equal((int32_t)nx_load32(s->max.data), INT32_MAX);
	s = nx_parquet_reader_stats(r, 0, RATIO);
	assert_true(nx_load_f32(s->min.data) == 0 && nx_load_f32(s->max.data) == 8.0F / 3);
	assert_int_equal(s->null_count, 20);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

static uint64_t count_rows(struct nx_parquet_reader *r, int64_t min, int64_t max, uint64_t *first)
{
	const struct nx_parquet_range range = {.column = TIME, .min = min, .max = max};
	const size_t column = TEXT;
	struct nx_parquet_cursor *c;
	uint64_t sum = 0;
	size_t rows;

	*first = UINT64_MAX;
	assert_int_equal(nx_parquet_cursor_open(&c, r, &column, 1, &range, NULL), NX_OK);
	while (nx_parquet_cursor_next(c, &rows, NULL) == NX_OK && rows) {
		uint64_t row;

		(void)nx_parquet_cursor_group(c, &row);
		*first = row < *first ? row : *first;
		sum += rows;
	}
	nx_parquet_cursor_close(c);
	return sum;
}

static void a_range_leaves_out_groups(void **state)
{
	struct nx_memory_table table = make_table(1000, 100, 0);
	struct nx_parquet_reader *r = open_reader(&table);
	uint64_t first;

	(void)state;
	assert_int_equal(count_rows(r, 0, 9990, &first), 1000);
	assert_int_equal(count_rows(r, 3000, 3990, &first), 100);
	assert_int_equal(first, 300);
	assert_int_equal(count_rows(r, 3990, 4000, &first), 200);
	assert_int_equal(count_rows(r, 3991, 3999, &first), 0);
	assert_int_equal(count_rows(r, INT64_MIN, -1, &first), 0);
	assert_int_equal(count_rows(r, 9990, INT64_MAX, &first), 100);
	assert_int_equal(first, 900);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

static size_t count_groups(struct nx_parquet_reader *r, size_t column, int64_t min, int64_t max)
{
	const struct nx_parquet_range range = {.column = column, .min = min, .max = max};
	struct nx_parquet_cursor *c;
	size_t rows, count = 0;

	assert_int_equal(nx_parquet_cursor_open(&c, r, NULL, 0, &range, NULL), NX_OK);
	while (nx_parquet_cursor_next(c, &rows, NULL) == NX_OK && rows)
		count++;
	nx_parquet_cursor_close(c);
	return count;
}

/* In groups of one row each value is its own bounds. */
/* Groups of one row: their times go up by 10, every second small number is negative. */
static void a_second_range_leaves_out_more(void **state)
{
	struct nx_memory_table table = make_table(10, 1, 0);
	struct nx_parquet_reader *r = open_reader(&table);
	const struct nx_parquet_range early = {TIME, INT64_MIN, 30};
	const struct nx_parquet_range negative = {SMALL, INT64_MIN, -1};
	const struct nx_parquet_range text = {TEXT, 0, 0};
	struct nx_parquet_cursor *c;
	size_t rows, groups[2] = {0};

	(void)state;
	assert_int_equal(nx_parquet_cursor_open(&c, r, NULL, 0, &early, NULL), NX_OK);
	assert_int_equal(nx_parquet_cursor_narrow(c, &text, NULL), NX_USAGE);
	assert_int_equal(nx_parquet_cursor_narrow(c, &negative, NULL), NX_OK);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(nx_parquet_cursor_next(c, &rows, NULL), NX_OK);
		assert_int_equal(rows, 1);
		groups[i] = nx_parquet_cursor_group(c, NULL);
	}
	assert_int_equal(nx_parquet_cursor_next(c, &rows, NULL), NX_OK);
	assert_int_equal(rows, 0);
	assert_true(groups[0] == 1 && groups[1] == 3);
	nx_parquet_cursor_close(c);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

static void a_range_may_be_of_narrow_integers(void **state)
{
	struct nx_memory_table table = make_table(10, 1, 0);
	struct nx_parquet_reader *r = open_reader(&table);

	(void)state;
	assert_int_equal(count_groups(r, SMALL, INT64_MIN, -1), 5);
	assert_int_equal(count_groups(r, SMALL, 0, INT64_MAX), 5);
	assert_int_equal(count_groups(r, SMALL, INT32_MIN + 3, INT32_MIN + 3), 1);
	assert_int_equal(count_groups(r, SMALL, (int64_t)INT32_MAX + 1, INT64_MAX), 0);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

static void a_file_is_mapped(void **state)
{
	struct nx_memory_table table = make_table(100, 0, 0);
	char path[] = "/tmp/parquet-XXXXXX";
	int fd = mkstemp(path);
	struct nx_parquet_reader *r;
	struct nx_parquet_cursor *c;
	struct nx_error err;
	size_t rows;

	(void)state;
	assert_int_equal(write(fd, table.bytes.items, table.bytes.len), table.bytes.len);
	assert_int_equal(nx_parquet_reader_open(&r, path, NULL), NX_OK);
	assert_int_equal(nx_parquet_cursor_open(&c, r, all_columns, FIELDS, NULL, NULL), NX_OK);
	assert_int_equal(nx_parquet_cursor_next(c, &rows, NULL), NX_OK);
	assert_int_equal(rows, 100);
	check_row(c, 99, 99);
	assert_int_equal(nx_parquet_cursor_next(c, &rows, NULL), NX_OK);
	nx_parquet_cursor_close(c);
	nx_parquet_reader_close(r);
	assert_int_equal(ftruncate(fd, 3), 0);
	assert_int_equal(nx_parquet_reader_open(&r, path, &err), NX_FORMAT);
	assert_null(r);
	close(fd);
	unlink(path);
	assert_int_equal(nx_parquet_reader_open(&r, path, &err), NX_NOT_FOUND);
	nx_vec_release(&table.bytes);
}

/* --- requests that cannot be met -------------------------------------------------------- */

static void wrong_columns_are_refused(void **state)
{
	struct nx_memory_table table = make_table(10, 0, 0);
	struct nx_parquet_reader *r = open_reader(&table);
	const size_t none = FIELDS;
	struct nx_parquet_range range = {.column = TEXT};
	struct nx_parquet_cursor *c;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_parquet_cursor_open(&c, r, &none, 1, NULL, &err), NX_USAGE);
	assert_string_equal(err.message, "table has no column number 8");
	assert_int_equal(nx_parquet_cursor_open(&c, r, NULL, 0, &range, &err), NX_USAGE);
	assert_string_equal(err.message, "table: a range needs a column of integers");
	range.column = LIST;
	assert_int_equal(nx_parquet_cursor_open(&c, r, NULL, 0, &range, &err), NX_USAGE);
	assert_null(c);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

static void a_group_beyond_the_limit_is_refused(void **state)
{
	struct nx_memory_table table = make_table(1000, 0, 0);
	struct nx_parquet_reader *r = open_reader(&table);
	struct nx_parquet_cursor *c;
	struct nx_error err;
	size_t rows;

	(void)state;
	assert_int_equal(nx_parquet_cursor_open(&c, r, all_columns, FIELDS, NULL, NULL), NX_OK);
	nx_parquet_cursor_limit(c, 30000);
	assert_int_equal(nx_parquet_cursor_next(c, &rows, &err), NX_LIMIT);
	assert_non_null(strstr(err.message, "read fewer columns"));
	assert_int_equal(rows, 0);
	nx_parquet_cursor_close(c);
	nx_parquet_reader_close(r);
	nx_vec_release(&table.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_comes_back),
		cmocka_unit_test(chosen_rows_come_alone),
		cmocka_unit_test(the_footer_tells_columns_and_statistics),
		cmocka_unit_test(a_range_leaves_out_groups),
		cmocka_unit_test(a_second_range_leaves_out_more),
		cmocka_unit_test(a_range_may_be_of_narrow_integers),
		cmocka_unit_test(a_file_is_mapped),
		cmocka_unit_test(wrong_columns_are_refused),
		cmocka_unit_test(a_group_beyond_the_limit_is_refused),
	};

	return cmocka_run_group_tests_name("format/parquet_reader", tests, NULL, NULL);
}
