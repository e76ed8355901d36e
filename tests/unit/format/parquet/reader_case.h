/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_case: a table with a column of every kind, whose rows can be worked out, and a reader that
 * takes all there is in a file, also in one that lies.
 *
 * Include after <cmocka.h>.
 */
#ifndef NX_TESTS_READER_CASE_H
#define NX_TESTS_READER_CASE_H

#include <stdio.h>
#include <string.h>

#include "base/bare/bits.h"
#include "format/parquet/parquet_reader.h"
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

static inline int32_t small_of(int64_t i)
{
	return i % 2 ? INT32_MIN + (int32_t)i : INT32_MAX - (int32_t)(i % 7);
}

static inline void put_row(struct nx_parquet_writer *w, int64_t i)
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

static inline struct nx_memory_table make_table(int64_t row_count, size_t group_rows,
						size_t page_rows)
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

/* Reads all there is; whatever it returns, it must return. */
static inline enum nx_status read_all(struct nx_slice bytes, struct nx_error *err)
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

static inline void expect_refusal(const void *bytes, size_t len, enum nx_status status,
				  const char *sentence)
{
	struct nx_error err = {0};

	assert_int_equal(read_all(nx_slice_of(bytes, len), &err), status);
	assert_non_null(strstr(err.message, sentence));
}

/* A footer's length and the file's last word behind it. */
static inline void append_footer(struct nx_bytes *file, const struct nx_bytes *message)
{
	uint8_t length[4];

	nx_store32(length, (uint32_t)message->len);
	nx_bytes_append(file, message->items, message->len);
	nx_bytes_append(file, length, 4);
	nx_bytes_append(file, "PAR1", 4);
}

#endif
