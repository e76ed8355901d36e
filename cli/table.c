/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void nx_table_begin(struct nx_table_view *table, struct nx_arena *arena, const char *titles)
{
	assert(arena && *titles);
	*table = (struct nx_table_view){.arena = arena};
	for (const char *t = titles; *t;) {
		size_t len = strcspn(t, "|");
		bool is_right = *t == '>';

		assert(table->column_count < NX_TABLE_COLUMNS);
		table->is_right[table->column_count++] = is_right;
		nx_vec_push(&table->cells,
			    nx_arena_copy(arena, nx_slice_of(t + is_right, len - is_right)));
		t += len + (t[len] == '|');
	}
}

void nx_table_add(struct nx_table_view *table, const char *fmt, ...)
{
	va_list args, again;
	char *text;
	int len;

	assert(table->column_count);
	va_start(args, fmt);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	text = nx_arena_alloc(table->arena, (size_t)(len < 0 ? 0 : len) + 1);
	text[0] = '\0';
	vsnprintf(text, (size_t)(len < 0 ? 0 : len) + 1, fmt, again);
	va_end(again);
	va_end(args);
	nx_vec_push(&table->cells, text);
}

void nx_table_add_row(struct nx_table_view *table, const char *const *cells, size_t count)
{
	assert(count == table->column_count);
	for (size_t i = 0; i < count; i++)
		nx_vec_push(&table->cells, nx_arena_copy_text(table->arena, cells[i]));
}

static unsigned width_of(const char *text)
{
	return nx_text_width(nx_slice_text(text));
}

static void print_cell(const struct nx_table_view *table, struct nx_output *out, size_t i,
		       size_t width)
{
	const char *cell = table->cells.items[i];
	size_t column = i % table->column_count, gap = width - width_of(cell);
	bool is_last = column + 1 == table->column_count;

	if (table->is_right[column])
		nx_print(out, "%*s%s", (int)gap, "", cell);
	else
		nx_print(out, "%s%*s", cell, is_last ? 0 : (int)gap, "");
	nx_print(out, "%s", is_last ? "\n" : "  ");
}

void nx_table_end(struct nx_table_view *table, struct nx_output *out, unsigned indent)
{
	size_t widths[NX_TABLE_COLUMNS] = {0};

	assert(table->cells.len % table->column_count == 0); /* rows are complete */
	for (size_t i = 0; i < table->cells.len; i++) {
		size_t *width = &widths[i % table->column_count];
		size_t here = width_of(table->cells.items[i]);

		*width = here > *width ? here : *width;
	}
	for (size_t i = 0; i < table->cells.len; i++) {
		if (i % table->column_count == 0)
			nx_print(out, "%*s", (int)indent, "");
		print_cell(table, out, i, widths[i % table->column_count]);
	}
	if (table->cells.len == table->column_count)
		nx_print(out, "%*snone\n", (int)indent, "");
	nx_vec_release(&table->cells);
}
