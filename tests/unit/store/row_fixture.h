/* SPDX-License-Identifier: Apache-2.0 */
/* row_fixture: whole rows of published tables for tests that care for a few of their columns. */
#ifndef NX_TESTS_UNIT_STORE_ROW_FIXTURE_H
#define NX_TESTS_UNIT_STORE_ROW_FIXTURE_H

#include "model/table_sink.h"

static inline void put_anything(struct nx_row *row, unsigned at,
				const struct nx_schema_column *column)
{
	switch (column->type) {
	case NX_SCHEMA_BOOLEAN:
		nx_row_put_bool(row, at, false);
		break;
	case NX_SCHEMA_INT32:
	case NX_SCHEMA_INT64:
		nx_row_put_i64(row, at, 0);
		break;
	case NX_SCHEMA_FLOAT:
	case NX_SCHEMA_DOUBLE:
		nx_row_put_f64(row, at, 0);
		break;
	case NX_SCHEMA_ENUM:
		nx_row_put_enum(row, at, (enum nx_schema_enum_id)column->target, 0);
		break;
	case NX_SCHEMA_LIST_INT64:
		nx_row_put_list_i64(row, at, NULL, 0);
		break;
	case NX_SCHEMA_LIST_TEXT:
		nx_row_put_list_text(row, at, NULL, 0);
		break;
	default:
		nx_row_put_text(row, at, "");
	}
}

/* Gives a value to what is required and has none, and hands the row over. */
static inline void put_whole_row(struct nx_table_sink *sink, struct nx_row *row)
{
	const struct nx_schema_column *columns = nx_schema_tables[row->table].columns;

	for (unsigned i = 0; i < row->column_count; i++)
		if (columns[i].is_required && row->kinds[i] == NX_CELL_NULL)
			put_anything(row, i, &columns[i]);
	nx_table_sink_put(sink, row);
}

#endif
