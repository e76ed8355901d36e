/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/table_memory.h"

#include <assert.h>

static struct nx_table_memory *memory_of(struct nx_table_sink *sink)
{
	return (struct nx_table_memory *)sink;
}

static struct nx_slice keep(struct nx_arena *arena, struct nx_slice text)
{
	return nx_slice_of(nx_arena_copy(arena, text), text.len);
}

static const int64_t *keep_numbers(struct nx_arena *arena, const int64_t *items, size_t count)
{
	int64_t *copy = NX_NEW_ARRAY(arena, int64_t, count + 1);

	if (count)
		memcpy(copy, items, count * sizeof(*items));
	return copy;
}

static const struct nx_slice *keep_texts(struct nx_arena *arena, const struct nx_slice *items,
					 size_t count)
{
	struct nx_slice *copy = NX_NEW_ARRAY(arena, struct nx_slice, count + 1);

	for (size_t i = 0; i < count; i++)
		copy[i] = keep(arena, items[i]);
	return copy;
}

static void keep_cell(struct nx_arena *arena, unsigned kind, union nx_cell *cell)
{
	if (kind == NX_CELL_TEXT)
		cell->text = keep(arena, cell->text);
	else if (kind == NX_CELL_LIST_I64)
		cell->list_i64.items =
			keep_numbers(arena, cell->list_i64.items, cell->list_i64.count);
	else if (kind == NX_CELL_LIST_TEXT)
		cell->list_text.items =
			keep_texts(arena, cell->list_text.items, cell->list_text.count);
}

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	memory_of(sink)->begin_counts[table]++;
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_table_memory *memory = memory_of(sink);
	struct nx_row *copy;
	struct nx_error error;

	if (memory->fail_after && memory->taken_count == memory->fail_after) {
		nx_fail(&error, NX_NO_SPACE, "the memory table is full");
		nx_table_sink_fail(sink, &error);
		return;
	}
	memory->taken_count++;
	copy = NX_NEW(&memory->arena, struct nx_row);
	copy->table = row->table;
	copy->column_count = row->column_count;
	memcpy(copy->kinds, row->kinds, row->column_count);
	for (unsigned i = 0; i < row->column_count; i++) {
		if (row->kinds[i] == NX_CELL_NULL)
			continue;
		copy->cells[i] = row->cells[i];
		keep_cell(&memory->arena, row->kinds[i], &copy->cells[i]);
	}
	nx_vec_push(&memory->rows[row->table], copy);
}

static void end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	memory_of(sink)->end_counts[table]++;
}

void nx_table_memory_init(struct nx_table_memory *memory)
{
	static const struct nx_table_sink_ops ops = {begin, put, end};

	memset(memory, 0, sizeof(*memory));
	memory->sink.ops = &ops;
}

void nx_table_memory_release(struct nx_table_memory *memory)
{
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		nx_vec_release(&memory->rows[i]);
	nx_arena_release(&memory->arena);
}

size_t nx_table_memory_count(const struct nx_table_memory *memory, enum nx_schema_table_id table)
{
	return memory->rows[table].len;
}

const struct nx_row *nx_table_memory_row(const struct nx_table_memory *memory,
					 enum nx_schema_table_id table, size_t at)
{
	assert(at < memory->rows[table].len);
	return memory->rows[table].items[at];
}

const char *nx_table_memory_text(const struct nx_row *row, unsigned column)
{
	if (row->kinds[column] == NX_CELL_NULL)
		return NULL;
	assert(row->kinds[column] == NX_CELL_TEXT);
	return (const char *)row->cells[column].text.data;
}
