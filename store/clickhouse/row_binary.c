/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/row_binary.h"

#include "base/bare/bits.h"

/* Of a value that is neither text nor list, with its null byte. */
#define SCALAR_MAX 9
#define LEB128_MAX 10

static uint8_t *put_length(uint8_t *at, size_t length)
{
	for (; length >= 0x80; length >>= 7)
		*at++ = (uint8_t)(length | 0x80);
	*at++ = (uint8_t)length;
	return at;
}

static void append_length(struct nx_bytes *out, size_t length)
{
	nx_vec_reserve(out, out->len + LEB128_MAX);
	out->len = (size_t)(put_length(out->items + out->len, length) - out->items);
}

void nx_row_binary_text(struct nx_bytes *out, struct nx_slice text)
{
	nx_vec_reserve(out, out->len + LEB128_MAX + text.len);
	append_length(out, text.len);
	if (text.len)
		memcpy(out->items + out->len, text.data, text.len);
	out->len += text.len;
}

static uint8_t *put_f32(uint8_t *at, double value)
{
	float narrow = (float)value;

	memcpy(at, &narrow, sizeof(narrow));
	return at + sizeof(narrow);
}

static uint8_t *put_f64(uint8_t *at, double value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static uint8_t *put_number(uint8_t *at, enum nx_schema_type type, bool is_null,
			   const union nx_cell *cell)
{
	switch (type) {
	case NX_SCHEMA_BOOLEAN:
		*at = !is_null && cell->boolean;
		return at + 1;
	case NX_SCHEMA_INT32:
		nx_store32(at, is_null ? 0 : (uint32_t)cell->i64);
		return at + 4;
	case NX_SCHEMA_INT64:
		nx_store64(at, is_null ? 0 : (uint64_t)cell->i64);
		return at + 8;
	case NX_SCHEMA_FLOAT:
		return put_f32(at, is_null ? 0 : cell->f64);
	default:
		return put_f64(at, is_null ? 0 : cell->f64);
	}
}

static void append_list(struct nx_bytes *out, unsigned kind, const union nx_cell *cell)
{
	size_t count = kind == NX_CELL_LIST_I64	   ? cell->list_i64.count
		       : kind == NX_CELL_LIST_TEXT ? cell->list_text.count
						   : 0;

	append_length(out, count);
	if (kind == NX_CELL_LIST_I64)
		nx_bytes_append(out, cell->list_i64.items, count * sizeof(int64_t));
	for (size_t i = 0; kind == NX_CELL_LIST_TEXT && i < count; i++)
		nx_row_binary_text(out, cell->list_text.items[i]);
}

static void append_cell(struct nx_bytes *out, const struct nx_schema_column *column, unsigned kind,
			const union nx_cell *cell)
{
	bool is_null = kind == NX_CELL_NULL;
	uint8_t *at;

	if (nx_schema_is_list(column->type)) {
		append_list(out, kind, cell);
		return;
	}
	nx_vec_reserve(out, out->len + SCALAR_MAX);
	at = out->items + out->len;
	if (!column->is_required) {
		*at++ = is_null;
		out->len++;
		if (is_null)
			return;
	}
	if (column->type == NX_SCHEMA_TEXT || column->type == NX_SCHEMA_ENUM)
		nx_row_binary_text(out, is_null ? nx_slice_of("", 0) : cell->text);
	else
		out->len = (size_t)(put_number(at, column->type, is_null, cell) - out->items);
}

void nx_row_binary_append(struct nx_bytes *out, const struct nx_row *row)
{
	const struct nx_schema_column *columns = nx_schema_tables[row->table].columns;

	for (unsigned i = 0; i < row->column_count; i++)
		append_cell(out, &columns[i], row->kinds[i], &row->cells[i]);
}
