/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_memory: a sink that keeps every row, for tests of whatever fills published tables.
 *
 *	struct nx_table_memory memory;
 *
 *	nx_table_memory_init(&memory);
 *	nx_pending_write(..., &memory.sink);
 *	row = nx_table_memory_row(&memory, NX_SCHEMA_PendingDma, 0);
 *	assert_int_equal(row->cells[NX_COL_PendingDma_value].i64, 1);
 *	nx_table_memory_release(&memory);
 *
 * Rows, texts and lists are copies and live until release.
 */
#ifndef NX_TESTS_TABLE_MEMORY_H
#define NX_TESTS_TABLE_MEMORY_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/table_sink.h"

struct nx_table_memory {
	struct nx_table_sink sink; /* give this one to what is tested */
	struct nx_arena arena;
	NX_VEC(struct nx_row *) rows[NX_SCHEMA_TABLE_COUNT];
	unsigned begin_counts[NX_SCHEMA_TABLE_COUNT];
	unsigned end_counts[NX_SCHEMA_TABLE_COUNT];
	uint64_t fail_after; /* rows it takes before it fails; 0: it never does */
	uint64_t taken_count;
};

void nx_table_memory_init(struct nx_table_memory *memory);
void nx_table_memory_release(struct nx_table_memory *memory);

size_t nx_table_memory_count(const struct nx_table_memory *memory, enum nx_schema_table_id table);
/* Asserts that there is such a row. */
const struct nx_row *nx_table_memory_row(const struct nx_table_memory *memory,
					 enum nx_schema_table_id table, size_t at);
/* The text of a cell, NUL-terminated; NULL when it is null. Asserts that it is a text. */
const char *nx_table_memory_text(const struct nx_row *row, unsigned column);

#endif
