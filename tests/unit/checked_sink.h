/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checked_sink: a sink in front of another that fails on the first row nx_row_check objects to,
 * and on tables that are begun twice, not begun or not ended.
 */
#ifndef NX_TESTS_UNIT_CHECKED_SINK_H
#define NX_TESTS_UNIT_CHECKED_SINK_H

#include <inttypes.h>

#include "model/table_sink.h"

struct nx_checked_sink {
	struct nx_table_sink sink; /* give this one to the analysis */
	struct nx_table_sink *target;
	uint64_t row_counts[NX_SCHEMA_TABLE_COUNT];
	uint8_t states[NX_SCHEMA_TABLE_COUNT];
};

enum checked_state { CHECKED_UNTOUCHED, CHECKED_OPEN, CHECKED_ENDED };

/* The kind a column's values have; LIST_ROWS never reaches a store. */
static const uint8_t checked_kind_of_type[NX_SCHEMA_TYPE_COUNT] = {
	[NX_SCHEMA_BOOLEAN] = NX_CELL_BOOL,	   [NX_SCHEMA_INT32] = NX_CELL_I64,
	[NX_SCHEMA_INT64] = NX_CELL_I64,	   [NX_SCHEMA_FLOAT] = NX_CELL_F64,
	[NX_SCHEMA_DOUBLE] = NX_CELL_F64,	   [NX_SCHEMA_TEXT] = NX_CELL_TEXT,
	[NX_SCHEMA_ENUM] = NX_CELL_TEXT,	   [NX_SCHEMA_LIST_INT64] = NX_CELL_LIST_I64,
	[NX_SCHEMA_LIST_TEXT] = NX_CELL_LIST_TEXT,
};

static inline const char *checked_kind_name(unsigned kind)
{
	static const char *const names[] = {
		"null", "an integer",	    "a number",	     "a boolean",
		"text", "list of integers", "list of texts",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "nothing known";
}

static inline bool checked_is_value(const struct nx_schema_enum *enumeration, struct nx_slice text)
{
	for (unsigned i = 0; i < enumeration->value_count; i++)
		if (nx_slice_is(text, enumeration->values[i].text))
			return true;
	return false;
}

static inline enum nx_status checked_cell(const struct nx_schema_table *table, unsigned at,
					  unsigned kind, const union nx_cell *cell,
					  struct nx_error *err)
{
	const struct nx_schema_column *column = &table->columns[at];

	if (kind == NX_CELL_NULL)
		return column->is_required
			       ? nx_fail(err, NX_FORMAT, "%s.%s is required and has no value",
					 table->name, column->name)
			       : NX_OK;
	if (kind != checked_kind_of_type[column->type])
		return nx_fail(err, NX_FORMAT, "%s.%s was given %s instead of %s", table->name,
			       column->name, checked_kind_name(kind),
			       checked_kind_name(checked_kind_of_type[column->type]));
	if (column->type == NX_SCHEMA_INT32 && cell->i64 != (int32_t)cell->i64)
		return nx_fail(err, NX_FORMAT, "%s.%s cannot hold %" PRId64 ": it has 32 bits",
			       table->name, column->name, cell->i64);
	if (column->type == NX_SCHEMA_ENUM &&
	    !checked_is_value(&nx_schema_enums[column->target], cell->text))
		return nx_fail(err, NX_FORMAT, "%s.%s cannot be '%.*s': %s has no such value",
			       table->name, column->name, (int)nx_slice_part(cell->text, 0, 60).len,
			       (const char *)cell->text.data, nx_schema_enums[column->target].name);
	return NX_OK;
}

/* FORMAT, naming table and column: a required column is null, a value has another type, does not
 * fit int32 or is not in its enumeration. */
static inline enum nx_status nx_row_check(const struct nx_row *row, struct nx_error *err)
{
	const struct nx_schema_table *table = &nx_schema_tables[row->table];
	enum nx_status st = NX_OK;

	for (unsigned i = 0; i < row->column_count && !st; i++)
		st = checked_cell(table, i, row->kinds[i], &row->cells[i], err);
	/* A column of a wider table put into this one's row. */
	for (unsigned i = row->column_count; i < NX_SCHEMA_COLUMNS_MAX && !st; i++)
		if (row->kinds[i] != NX_CELL_NULL)
			st = nx_fail(err, NX_FORMAT, "%s has no column %u: it has %u", table->name,
				     i, row->column_count);
	return st;
}

static inline struct nx_checked_sink *checked_of(struct nx_table_sink *sink)
{
	return (struct nx_checked_sink *)sink;
}

/* A failure of the target is the checked sink's as well, so that its caller stops too. */
static inline void checked_take_over(struct nx_checked_sink *checked)
{
	nx_table_sink_follow(&checked->sink, checked->target);
}

static inline void checked_refuse(struct nx_checked_sink *checked, enum nx_schema_table_id table,
				  const char *what)
{
	struct nx_error error;

	nx_fail(&error, NX_FORMAT, "table %s %s", nx_schema_tables[table].name, what);
	nx_table_sink_fail(&checked->sink, &error);
}

static inline void checked_begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_checked_sink *checked = checked_of(sink);

	if (checked->states[table] != CHECKED_UNTOUCHED) {
		checked_refuse(checked, table, "is begun twice");
		return;
	}
	checked->states[table] = CHECKED_OPEN;
	nx_table_sink_begin(checked->target, table);
	checked_take_over(checked);
}

static inline void checked_put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_checked_sink *checked = checked_of(sink);
	struct nx_error error;

	if (checked->states[row->table] != CHECKED_OPEN) {
		checked_refuse(checked, row->table, "gets a row while it is not open");
		return;
	}
	if (nx_row_check(row, &error)) {
		nx_context(&error, "row %" PRIu64, checked->row_counts[row->table]);
		nx_table_sink_fail(sink, &error);
		return;
	}
	checked->row_counts[row->table]++;
	if (!checked->target->error.status)
		checked->target->ops->put(checked->target, row);
	checked_take_over(checked);
}

static inline void checked_end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_checked_sink *checked = checked_of(sink);

	if (checked->states[table] != CHECKED_OPEN) {
		checked_refuse(checked, table, "is ended while it is not open");
		return;
	}
	checked->states[table] = CHECKED_ENDED;
	nx_table_sink_end(checked->target, table);
	checked_take_over(checked);
}

static inline void nx_checked_sink_init(struct nx_checked_sink *checked,
					struct nx_table_sink *target)
{
	static const struct nx_table_sink_ops ops = {checked_begin, checked_put, checked_end};

	memset(checked, 0, sizeof(*checked));
	checked->sink.ops = &ops;
	checked->target = target;
}

/* The target's status, or what was wrong with a row; also fails when a table is still open. */
static inline enum nx_status nx_checked_sink_finish(struct nx_checked_sink *checked,
						    struct nx_error *err)
{
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (checked->states[i] == CHECKED_OPEN)
			checked_refuse(checked, i, "is begun and not ended");
	return nx_table_sink_status(&checked->sink, err);
}

#endif
