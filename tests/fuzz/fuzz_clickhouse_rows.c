/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the answer of a ClickHouse, in pieces of any size. Beyond "does not crash": every
 * cell can be read, memory stays proportional to the input, and the size of the pieces changes
 * nothing.
 */
#include "base/map.h"
#include "store/clickhouse/clickhouse_rows.h"
#include "tests/fuzz/expect.h"

/* A column of one byte ("a\t") costs a struct and a cell; an item of a list ("1,") a slice. */
#define BYTES_PER_INPUT_BYTE 128
#define BYTES_FIXED 65536

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
	uint64_t digest;
	uint64_t row_count;
};

static uint64_t digest_texts(uint64_t digest, const struct nx_slice *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		digest = nx_fnv1a(digest + texts[i].len, texts[i].data, texts[i].len);
	return digest;
}

static uint64_t digest_cell(uint64_t digest, unsigned kind, const union nx_cell *cell)
{
	switch (kind) {
	case NX_CELL_I64:
	case NX_CELL_F64:
		return nx_fnv1a(digest, &cell->i64, sizeof(cell->i64));
	case NX_CELL_BOOL:
		return digest + cell->boolean;
	case NX_CELL_TEXT:
		return digest_texts(digest, &cell->text, 1);
	case NX_CELL_LIST_I64:
		return nx_fnv1a(digest, cell->list_i64.items,
				cell->list_i64.count * sizeof(int64_t));
	case NX_CELL_LIST_TEXT:
		return digest_texts(digest, cell->list_text.items, cell->list_text.count);
	default:
		expect(kind == NX_CELL_NULL);
		return digest + 1;
	}
}

static enum nx_status on_row(void *context, const struct nx_clickhouse_row *row,
			     struct nx_error *err)
{
	struct reading *reading = context;

	(void)err;
	reading->row_count++;
	for (size_t i = 0; i < row->column_count; i++) {
		expect(row->kinds[i] == NX_CELL_NULL || row->kinds[i] == row->columns[i].kind);
		expect(row->columns[i].name && row->columns[i].type);
		reading->digest = digest_cell(reading->digest, row->kinds[i], &row->cells[i]);
	}
	return NX_OK;
}

static enum nx_status read_all(struct nx_slice bytes, size_t piece, struct reading *reading)
{
	struct nx_clickhouse_rows rows;
	struct nx_error err = {0};
	enum nx_status st = NX_OK;

	nx_clickhouse_rows_init(&rows, on_row, reading);
	for (size_t at = 0; !st && at < bytes.len; at += piece)
		st = nx_clickhouse_rows_take(&rows, nx_slice_part(bytes, at, piece), &err);
	if (!st)
		st = nx_clickhouse_rows_finish(&rows, &err);
	expect(!st || (err.status == st && err.message[0]));
	expect(rows.arena.used_bytes + rows.partial.cap + rows.texts.cap + 8 * rows.numbers.cap +
		       16 * rows.items.cap <=
	       bytes.len * BYTES_PER_INPUT_BYTE + BYTES_FIXED);
	nx_clickhouse_rows_release(&rows);
	return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_slice bytes = nx_slice_part(nx_slice_of(data, size), 1, SIZE_MAX);
	struct reading in_pieces = {0}, at_once = {0};
	enum nx_status st;

	if (!bytes.len)
		return 0;
	st = read_all(bytes, (size_t)data[0] + 1, &in_pieces);
	expect(read_all(bytes, bytes.len, &at_once) == st);
	expect(in_pieces.digest == at_once.digest && in_pieces.row_count == at_once.row_count);
	return 0;
}
