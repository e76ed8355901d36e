/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: text in columns as wide as their widest cell. It holds all cells in memory: use it for
 * tables of a few screens, not for rows of a trace.
 */
#ifndef NX_CLI_TABLE_H
#define NX_CLI_TABLE_H

#include "base/arena.h"
#include "base/vec.h"
#include "cli/terminal.h"

#define NX_TABLE_COLUMNS 8

struct nx_table_view {
	struct nx_arena *arena;
	size_t column_count;
	bool is_right[NX_TABLE_COLUMNS]; /* numbers */
	struct nx_cells NX_VEC_BODY(const char *) cells;
};

/* Titles separated by '|'; '>' before a title marks a column of numbers. */
void nx_table_begin(struct nx_table_view *table, struct nx_arena *arena, const char *titles);
/* A whole row, with a text for each column. */
#define nx_table_row(table, ...)                                                                   \
	nx_table_add_row(table, (const char *const[]){__VA_ARGS__},                                \
			 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
void nx_table_add_row(struct nx_table_view *table, const char *const *cells, size_t count);
/* One cell. */
void nx_table_add(struct nx_table_view *table, const char *fmt, ...) NX_PRINTF(2, 3);
/* Prints and releases; a table without rows prints "none". */
void nx_table_end(struct nx_table_view *table, struct nx_output *out, unsigned indent);

#endif
