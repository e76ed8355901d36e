/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an answer of a process that runs SQL: columns, then rows. Memory stays proportional
 * to the input, and rows that were read are written as the same bytes again.
 */
#include "query/row_wire.h"
#include "tests/fuzz/expect.h"

#define BYTES_PER_INPUT_BYTE 64
#define BYTES_FIXED 65536
#define COLUMNS_MAX 1000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_rows(struct nx_slice from, size_t column_count, struct nx_arena *arena)
{
	struct nx_value *row = NX_NEW_ARRAY(arena, struct nx_value, column_count);

	while (from.len && column_count) {
		struct nx_slice before = from;
		struct nx_bytes again = {0};

		if (nx_row_wire_get_row(&from, arena, row, column_count))
			return;
		expect(from.len < before.len);
		expect(nx_row_wire_put_row(&again, row, column_count, SIZE_MAX / 2));
		/* a flag may be any byte other than 0, so compare lengths */
		expect(again.len == before.len - from.len);
		nx_vec_release(&again);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_slice from = nx_slice_of(data, size);
	struct nx_arena arena = {0};
	struct nx_column *columns;
	size_t count;

	if (!nx_row_wire_get_columns(&from, &arena, &columns, &count) && count <= COLUMNS_MAX)
		read_rows(from, count, &arena);
	expect(arena.used_bytes <= size * BYTES_PER_INPUT_BYTE + BYTES_FIXED);
	nx_arena_release(&arena);
	return 0;
}
