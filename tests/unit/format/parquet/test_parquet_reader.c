/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bare/bits.h"
#include "format/parquet_footer.h"
#include "format/parquet_page.h"
#include "format/parquet_reader.h"
#include "format/parquet_thrift.h"
#include "memory_table.h"

enum { TIME, FLAG, NUMBER, TEXT, LIST, TEXTS, SMALL, RATIO, FIELDS };

static const struct nx_parquet_field fields[FIELDS] = {
	[TIME] = {.name = "time", .type = NX_PARQUET_I64},
	[FLAG] = {.name = "flag", .type = NX_PARQUET_BOOL, .is_optional = true},
	[NUMBER] = {.name = "number", .type = NX_PARQUET_F64, .is_optional = true},
	[TEXT] = {.name = "text", .type = NX_PARQUET_TEXT},
	[LIST] = {.name = "list", .type = NX_PARQUET_I64, .is_list = true},
	[TEXTS] = {.name = "texts", .type = NX_PARQUET_TEXT, .is_list = true, .is_optional = true},
	[SMALL] = {.name = "small", .type = NX_PARQUET_I32},
	[RATIO] = {.name = "ratio", .type = NX_PARQUET_F32, .is_optional = true},
};

static int32_t small_of(int64_t i)
{
	return i % 2 ? INT32_MIN + (int32_t)i : INT32_MAX - (int32_t)(i % 7);
}

static void put_row(struct nx_parquet_writer *w, int64_t i)
{
	const struct nx_slice texts[] = {nx_slice_text("a"), nx_slice_text("bc")};
	const int64_t list[] = {i, -i, 5};
	char text[24];

	nx_parquet_put_i64(w, TIME, i * 10);
	if (i % 3)
		nx_parquet_put_bool(w, FLAG, i % 2);
	if (i % 4)
		nx_parquet_put_f64(w, NUMBER, (double)i / 8);
	snprintf(text, sizeof(text), "text %d", (int)(i % 50));
	nx_parquet_put_text(w, TEXT, text);
	nx_parquet_put_list_i64(w, LIST, list, (size_t)(i % 4));
	if (i % 2)
		nx_parquet_put_list_text(w, TEXTS, texts, (size_t)(i % 3));
	nx_parquet_put_i32(w, SMALL, small_of(i));
	if (i % 5)
		nx_parquet_put_f32(w, RATIO, (float)(i % 9) / 3);
	assert_int_equal(nx_parquet_end_row(w, NULL), NX_OK);
}

static struct nx_memory_table make_table(int64_t row_count, size_t group_rows, size_t page_rows)
{
	const struct nx_parquet_options options = {
		.group_rows = group_rows, .page_rows = page_rows, .threads = 1};
	struct nx_memory_table table = {0};
	struct nx_parquet_writer *w;

	assert_int_equal(nx_parquet_open(&w, nx_memory_table_sink(&table), fields, FIELDS, &options,
					 NULL),
			 NX_OK);
	for (int64_t i = 0; i < row_count; i++)
		put_row(w, i);
	nx_parquet_add_metadata(w, "key", "value");
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
	return table;
}

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

/* --- files that lie ------------------------------------------------------------------- */

/* Reads all there is; whatever it returns, it must return. */
static enum nx_status read_all(struct nx_slice bytes, struct nx_error *err)
{
	size_t columns[FIELDS], count, rows;
	struct nx_parquet_reader *r;
	struct nx_parquet_cursor *c;
	enum nx_status st = nx_parquet_reader_open_bytes(&r, bytes, "table", err);

	if (st)
		return st;
	(void)nx_parquet_reader_fields(r, &count);
	for (size_t i = 0; i < FIELDS; i++)
		columns[i] = i;
	st = nx_parquet_cursor_open(&c, r, columns, count < FIELDS ? count : FIELDS, NULL, err);
	nx_parquet_cursor_limit(c, (size_t)1 << 20);
	while (!st && !(st = nx_parquet_cursor_next(c, &rows, err)) && rows)
		;
	nx_parquet_cursor_close(c);
	nx_parquet_reader_close(r);
	return st;
}

static void a_cut_file_is_refused_wherever_it_is_cut(void **state)
{
	struct nx_memory_table table = make_table(40, 0, 0);
	struct nx_error err;

	(void)state;
	for (size_t len = 0; len < table.bytes.len; len++)
		assert_int_not_equal(read_all(nx_slice_of(table.bytes.items, len), &err), NX_OK);
	assert_int_equal(read_all(nx_memory_table_slice(&table), &err), NX_OK);
	nx_vec_release(&table.bytes);
}

static void a_changed_byte_never_harms(void **state)
{
	static const uint8_t changes[] = {0x01, 0xff};
	struct nx_memory_table table = make_table(40, 25, 10);
	struct nx_error err;
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < table.bytes.len; i++)
		for (size_t k = 0; k < sizeof(changes); k++) {
			table.bytes.items[i] ^= changes[k];
			refused += read_all(nx_memory_table_slice(&table), &err) != NX_OK;
			table.bytes.items[i] ^= changes[k];
		}
	assert_true(refused > table.bytes.len / 2);
	nx_vec_release(&table.bytes);
}

static void expect_refusal(const void *bytes, size_t len, enum nx_status status,
			   const char *sentence)
{
	struct nx_error err = {0};

	assert_int_equal(read_all(nx_slice_of(bytes, len), &err), status);
	assert_non_null(strstr(err.message, sentence));
}

static void other_files_are_told_apart(void **state)
{
	(void)state;
	expect_refusal("", 0, NX_FORMAT, "cannot read table: it is no Parquet file");
	expect_refusal("PAR", 3, NX_FORMAT, "it is no Parquet file");
	expect_refusal("\x7f"
		       "ELFxxxxxxxxxxxx",
		       16, NX_FORMAT, "it is no Parquet file");
	expect_refusal("PAR1\0\0\0\0PARE", 12, NX_FORMAT, "its end is missing");
	expect_refusal("PAR1\xff\xff\xff\xffPAR1", 12, NX_FORMAT,
		       "its footer is longer than the file");
	expect_refusal("PAR1\0\1\0\0\0PAR1", 13, NX_FORMAT, "its footer is damaged");
	expect_refusal("PAR1PAR1", 8, NX_FORMAT, "its end is missing");
}

/* A file of one column of three integers, of which parts can be made strange. */
struct strange {
	struct nx_parquet_field field;
	struct nx_parquet_page page;
	struct nx_parquet_chunk chunk;
	const char *body;
	size_t body_len;
	uint64_t rows;
};

static struct strange usual(void)
{
	return (struct strange){
		.field = {.name = "x", .type = NX_PARQUET_I64},
		.page = {.level_count = 3, .plain_bytes = 24, .stored_bytes = 24},
		.chunk = {.offset = 4, .level_count = 3},
		.body = "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0",
		.body_len = 24,
		.rows = 3,
	};
}

static void append_footer(struct nx_bytes *file, const struct nx_bytes *message)
{
	uint8_t length[4];

	nx_store32(length, (uint32_t)message->len);
	nx_bytes_append(file, message->items, message->len);
	nx_bytes_append(file, length, 4);
	nx_bytes_append(file, "PAR1", 4);
}

static struct nx_bytes make_strange(struct strange s)
{
	struct nx_bytes file = {0}, groups = {0}, message = {0};
	struct nx_parquet_group group = {.row_count = s.rows, .chunks = &s.chunk};
	struct nx_parquet_footer footer = {
		.fields = &s.field, .field_count = 1, .row_count = s.rows, .group_count = 1};

	nx_bytes_append(&file, "PAR1", 4);
	nx_parquet_page_write(&s.page, &file);
	nx_bytes_append(&file, s.body, s.body_len);
	if (!s.chunk.stored_bytes)
		s.chunk.stored_bytes = file.len - 4;
	nx_parquet_footer_put_group(&footer, &group, 0, &groups);
	nx_parquet_footer_write(&footer, &groups, &message);
	append_footer(&file, &message);
	nx_vec_release(&groups);
	nx_vec_release(&message);
	return file;
}

static void check_strange(struct strange s, enum nx_status status, const char *sentence)
{
	struct nx_bytes file = make_strange(s);

	if (status) {
		expect_refusal(file.items, file.len, status, sentence);
	} else {
		struct nx_error err = {0};

		assert_int_equal(read_all(nx_slice_of(file.items, file.len), &err), NX_OK);
	}
	nx_vec_release(&file);
}

/* The integers 1, 2 and 3 in a page of 12 bytes. */
static struct strange narrow(void)
{
	struct strange s = usual();

	s.field.type = NX_PARQUET_I32;
	s.body = "\1\0\0\0\2\0\0\0\3\0\0\0";
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 12;
	return s;
}

static void check_integers(struct strange s, const int64_t *want, size_t count)
{
	struct nx_bytes file = make_strange(s);
	const struct nx_parquet_values *v;
	const size_t column = 0;
	struct nx_parquet_reader *r;
	struct nx_parquet_cursor *c;
	size_t rows;

	assert_int_equal(nx_parquet_reader_open_bytes(&r, nx_slice_of(file.items, file.len),
						      "table", NULL),
			 NX_OK);
	assert_int_equal(nx_parquet_cursor_open(&c, r, &column, 1, NULL, NULL), NX_OK);
	assert_int_equal(nx_parquet_cursor_next(c, &rows, NULL), NX_OK);
	assert_int_equal(rows, s.rows);
	v = nx_parquet_cursor_values(c, 0);
	assert_int_equal(v->starts ? v->starts[rows] : rows, count);
	assert_memory_equal(v->i64, want, count * sizeof(*want));
	nx_parquet_cursor_close(c);
	nx_parquet_reader_close(r);
	nx_vec_release(&file);
}

/* Differences of 32 bits: from the largest integer 1 leads to the smallest. */
static void narrow_differences_wrap_at_32_bits(void **state)
{
	static const int64_t want[] = {INT32_MAX, INT32_MIN, INT32_MIN + 1};
	struct strange s = narrow();

	(void)state;
	s.page.encoding = NX_PARQUET_DELTA;
	s.body = "\x80\1\4\3\xfe\xff\xff\xff\xf\2\0\0\0\0";
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 14;
	check_integers(s, want, 3);
	s.field.type = NX_PARQUET_F32;
	check_strange(s, NX_UNSUPPORTED, "column x has encoding 5");
}

/* We write no such lists, others do: two rows, of which the first has two values. */
static void lists_of_narrow_integers_are_read(void **state)
{
	static const int64_t want[] = {1, -2, 3};
	struct strange s = narrow();

	(void)state;
	s.field.is_list = true;
	s.rows = 2;
	s.body = "\2\0\0\0\3\2" /* packed: 0, 1, 0 */
		 "\2\0\0\0\6\1" /* a run of 1 */
		 "\1\0\0\0\xfe\xff\xff\xff\3\0\0\0";
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 24;
	check_integers(s, want, 3);
}

static void narrow_pages_are_bounded_by_four_bytes(void **state)
{
	static const int64_t want[] = {1, 2, 3};
	struct strange s = narrow();

	(void)state;
	check_integers(s, want, 3);
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 11;
	check_strange(s, NX_FORMAT, "the values of a page are cut");
	s.field.type = NX_PARQUET_F32;
	check_strange(s, NX_FORMAT, "the values of a page are cut");
	s = narrow();
	s.page.kind = NX_PARQUET_DICTIONARY_PAGE;
	check_strange(s, NX_FORMAT, "fewer values than it states"); /* three fit */
	s.page.level_count = 4;
	check_strange(s, NX_FORMAT, "its dictionary is cut");
}

static bool has_range(enum nx_parquet_type type, size_t bound_len)
{
	struct strange s = narrow();
	struct nx_bytes file;
	struct nx_parquet_reader *r;
	bool result;

	s.field.type = type;
	s.chunk.stats.has_range = true;
	s.chunk.stats.min = s.chunk.stats.max = nx_slice_of("\0\0\0\0\0\0\0", bound_len);
	file = make_strange(s);
	assert_int_equal(nx_parquet_reader_open_bytes(&r, nx_slice_of(file.items, file.len),
						      "table", NULL),
			 NX_OK);
	result = nx_parquet_reader_stats(r, 0, 0)->has_range;
	nx_parquet_reader_close(r);
	nx_vec_release(&file);
	return result;
}

static void bounds_of_another_width_are_not_used(void **state)
{
	(void)state;
	assert_true(has_range(NX_PARQUET_I32, 4) && has_range(NX_PARQUET_F32, 4));
	assert_false(has_range(NX_PARQUET_I32, 8) || has_range(NX_PARQUET_F32, 8));
	assert_false(has_range(NX_PARQUET_I32, 3) || has_range(NX_PARQUET_I64, 4));
	assert_true(has_range(NX_PARQUET_I64, 8));
}

static void features_that_are_not_known_are_named(void **state)
{
	struct strange s = usual();

	(void)state;
	check_strange(s, NX_OK, "");
	s.chunk.codec = 1;
	check_strange(s, NX_UNSUPPORTED, "column x is compressed in a way that is not known");
	s = usual();
	s.page.encoding = 9;
	check_strange(s, NX_UNSUPPORTED, "column x has encoding 9, which is not known");
	s = usual();
	s.page.encoding = NX_PARQUET_RLE; /* of booleans only */
	check_strange(s, NX_UNSUPPORTED, "column x has encoding 3");
	s = usual();
	s.page.kind = NX_PARQUET_DATA_PAGE_V2;
	check_strange(s, NX_UNSUPPORTED, "data pages of version 2");
}

static void pages_that_contradict_their_chunk_are_refused(void **state)
{
	struct strange s = usual();

	(void)state;
	s.page.level_count = 4;
	check_strange(s, NX_FORMAT, "more values than it states");
	s = usual();
	s.page.level_count = 2;
	check_strange(s, NX_FORMAT, "fewer values than it states");
	s = usual();
	s.page.plain_bytes = 25;
	check_strange(s, NX_FORMAT, "a page is cut");
	s = usual();
	s.page.stored_bytes = 25;
	check_strange(s, NX_FORMAT, "a page is cut");
	s = usual();
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 23;
	check_strange(s, NX_FORMAT, "the values of a page are cut");
	s = usual();
	s.chunk.level_count = 4;
	check_strange(s, NX_FORMAT, "it has not one value per row");
	s = usual();
	s.page.encoding = NX_PARQUET_RLE_DICTIONARY; /* without a dictionary */
	check_strange(s, NX_FORMAT, "the values of a page are cut");
	s = usual();
	s.chunk.codec = NX_PARQUET_ZSTD;
	check_strange(s, NX_FORMAT, "a page is not as long as it states");
}

static void large_claims_cost_nothing(void **state)
{
	struct strange s = usual();

	(void)state;
	s.rows = s.chunk.level_count = UINT64_C(1) << 40;
	check_strange(s, NX_LIMIT, "too many to read at once");
	s.rows = s.chunk.level_count = 2000000000;
	check_strange(s, NX_LIMIT, "a row group needs too much memory at column x");
	s = usual();
	s.chunk.offset = 1 << 20;
	check_strange(s, NX_FORMAT, "column x in a row group is damaged");
	s = usual();
	s.chunk.stored_bytes = 1 << 20;
	check_strange(s, NX_FORMAT, "column x in a row group is damaged");
	s = usual();
	s.chunk.offset = 0;
	check_strange(s, NX_FORMAT, "column x in a row group is damaged");
}

/* One element of a schema: numbers below 0 are left out. */
struct element {
	int type, repetition, children, converted;
};

#define LOGICAL_UINT32 (-2) /* as converted: unsigned by its logical type alone */

static void check_schema(const struct element *elements, size_t count, enum nx_status status,
			 const char *sentence)
{
	struct nx_bytes file = {0}, message = {0};
	struct nx_thrift_writer w = {.out = &message};

	nx_thrift_begin(&w);
	nx_thrift_list(&w, 2, NX_THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		nx_thrift_begin(&w);
		if (elements[i].type >= 0)
			nx_thrift_i32(&w, 1, elements[i].type);
		if (elements[i].repetition >= 0)
			nx_thrift_i32(&w, 3, elements[i].repetition);
		nx_thrift_bytes(&w, 4, nx_slice_text(i ? "x" : "schema"));
		if (elements[i].children >= 0)
			nx_thrift_i32(&w, 5, elements[i].children);
		if (elements[i].converted >= 0)
			nx_thrift_i32(&w, 6, elements[i].converted);
		if (elements[i].converted == LOGICAL_UINT32) {
			nx_thrift_begin_field(&w, 10);
			nx_thrift_begin_field(&w, 10);
			nx_thrift_byte(&w, 1, 32);
			nx_thrift_bool(&w, 2, false);
			nx_thrift_end(&w);
			nx_thrift_end(&w);
		}
		nx_thrift_end(&w);
	}
	nx_thrift_i64(&w, 3, 0);
	nx_thrift_end(&w);
	nx_bytes_append(&file, "PAR1", 4);
	append_footer(&file, &message);
	expect_refusal(file.items, file.len, status, sentence);
	nx_vec_release(&file);
	nx_vec_release(&message);
}

static void schemas_that_are_not_known_are_named(void **state)
{
	const struct element root = {-1, -1, 1, -1};
	const struct element int96[] = {root, {3, 0, -1, -1}};
	const struct element unsigned_column[] = {root, {1, 0, -1, 13}};
	const struct element uint32_column[] = {root, {1, 0, -1, LOGICAL_UINT32}};
	const struct element decimal[] = {root, {2, 0, -1, 5}};
	const struct element repeated[] = {root, {2, 2, -1, -1}};
	const struct element group[] = {root, {-1, 0, 1, -1}, {2, 0, -1, -1}};
	const struct element optional_items[] = {
		root, {-1, 0, 1, 3}, {-1, 2, 1, -1}, {2, 1, -1, -1}};
	const struct element short_list[] = {root, {-1, 0, 1, 3}, {-1, 2, 1, -1}};
	const struct element missing[] = {{-1, -1, 2, -1}, {2, 0, -1, -1}};
	const struct element too_many[] = {root, {2, 0, -1, -1}, {2, 0, -1, -1}};

	(void)state;
	check_schema(int96, 2, NX_UNSUPPORTED, "column x has a type that is not known");
	check_schema(unsigned_column, 2, NX_UNSUPPORTED, "no unsigned INT32");
	check_schema(uint32_column, 2, NX_UNSUPPORTED, "no unsigned INT32");
	check_schema(decimal, 2, NX_UNSUPPORTED, "column x has a type that is not known");
	check_schema(repeated, 2, NX_UNSUPPORTED, "column x is nested in a way");
	check_schema(group, 3, NX_UNSUPPORTED, "column x is nested in a way");
	check_schema(optional_items, 4, NX_UNSUPPORTED, "column x is nested in a way");
	check_schema(short_list, 3, NX_UNSUPPORTED, "column x is nested in a way");
	check_schema(missing, 2, NX_FORMAT, "states columns that are not there");
	check_schema(too_many, 3, NX_FORMAT, "its schema is damaged");
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
		cmocka_unit_test(a_cut_file_is_refused_wherever_it_is_cut),
		cmocka_unit_test(a_changed_byte_never_harms),
		cmocka_unit_test(other_files_are_told_apart),
		cmocka_unit_test(features_that_are_not_known_are_named),
		cmocka_unit_test(pages_that_contradict_their_chunk_are_refused),
		cmocka_unit_test(narrow_differences_wrap_at_32_bits),
		cmocka_unit_test(lists_of_narrow_integers_are_read),
		cmocka_unit_test(narrow_pages_are_bounded_by_four_bytes),
		cmocka_unit_test(bounds_of_another_width_are_not_used),
		cmocka_unit_test(large_claims_cost_nothing),
		cmocka_unit_test(schemas_that_are_not_known_are_named),
	};

	return cmocka_run_group_tests_name("format/parquet_reader", tests, NULL, NULL);
}
