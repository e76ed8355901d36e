/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a Parquet file: what is returned can be read to its end, in bounded memory. */
#include <stdlib.h>

#include "format/parquet/parquet_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_COLUMNS 32
#define MOST_GROUPS 8
#define LIMIT_BYTES ((size_t)4 << 20)

static volatile uint64_t sink; /* keeps the reads */

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void touch_value(const struct nx_parquet_values *v, size_t i)
{
	switch (v->type) {
	case NX_PARQUET_BOOL:
		require(v->flags[i] <= 1);
		break;
	case NX_PARQUET_I32:
		require(v->i64[i] == (int32_t)v->i64[i]);
		break;
	case NX_PARQUET_I64:
		sink += (uint64_t)v->i64[i];
		break;
	case NX_PARQUET_F32:
	case NX_PARQUET_F64:
		sink += v->f64[i] > 0;
		break;
	case NX_PARQUET_TEXT:
		for (size_t k = 0; k < v->texts[i].len; k += 61)
			sink += v->texts[i].data[k];
		if (v->texts[i].len)
			sink += v->texts[i].data[v->texts[i].len - 1];
		break;
	}
}

static void touch_values(const struct nx_parquet_values *v)
{
	size_t first = 0, count = v->row_count;

	if (v->starts) {
		first = v->starts[0];
		for (size_t i = 0; i < v->row_count; i++)
			require(v->starts[i] <= v->starts[i + 1]);
		count = v->starts[v->row_count];
	}
	for (size_t i = first; i < count; i++)
		touch_value(v, i);
	for (size_t i = 0; v->is_null && i < v->row_count; i++)
		require(v->is_null[i] <= 1);
}

static void touch_footer(const struct nx_parquet_reader *r, size_t column_count)
{
	struct nx_slice key, value;
	uint64_t rows = 0;

	for (size_t g = 0; g < nx_parquet_reader_group_count(r); g++) {
		rows += nx_parquet_reader_group_rows(r, g);
		for (size_t i = 0; i < column_count; i++) {
			const struct nx_parquet_stats *s = nx_parquet_reader_stats(r, g, i);

			if (s->has_range && s->min.len)
				sink += s->min.data[s->min.len - 1];
		}
	}
	require(rows == nx_parquet_reader_row_count(r));
	for (size_t i = 0; nx_parquet_reader_metadata(r, i, &key, &value); i++)
		sink += key.len + value.len;
}

static void read_rows(const struct nx_parquet_reader *r, size_t column_count, uint64_t first,
		      uint64_t count)
{
	size_t columns[MOST_COLUMNS], rows;
	struct nx_parquet_cursor *c;
	struct nx_error err = {0};
	enum nx_status st;

	for (size_t i = 0; i < MOST_COLUMNS; i++)
		columns[i] = i;
	column_count = column_count < MOST_COLUMNS ? column_count : MOST_COLUMNS;
	require(!nx_parquet_cursor_open(&c, r, columns, column_count, NULL, &err));
	nx_parquet_cursor_limit(c, LIMIT_BYTES);
	nx_parquet_cursor_choose_rows(c, first, count);
	for (size_t g = 0; g < MOST_GROUPS; g++) {
		st = nx_parquet_cursor_next(c, &rows, &err);
		require(!st || err.message[0]);
		if (!st && !rows)
			break;
		for (size_t i = 0; !st && i < column_count; i++)
			touch_values(nx_parquet_cursor_values(c, i));
	}
	nx_parquet_cursor_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_parquet_reader *r;
	struct nx_error err = {0};
	size_t column_count;

	if (nx_parquet_reader_open_bytes(&r, nx_slice_of(data, size), "input", &err)) {
		require(err.message[0] && !r);
		return 0;
	}
	(void)nx_parquet_reader_fields(r, &column_count);
	touch_footer(r, column_count);
	read_rows(r, column_count, 0, UINT64_MAX);
	read_rows(r, column_count, nx_parquet_reader_row_count(r) / 2, 3);
	nx_parquet_reader_close(r);
	return 0;
}
