/* SPDX-License-Identifier: Apache-2.0 */
#include "model/schema_fields.h"

#include <assert.h>
#include <stdio.h>

#define VALUES_MAX 256

/* The values of an enumeration joined by ", "; returns out. */
static const char *values_text(const struct nx_schema_enum *enumeration, char out[VALUES_MAX])
{
	size_t at = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < enumeration->value_count; i++) {
		at += (size_t)snprintf(out + at, VALUES_MAX - at, "%s%s", i ? ", " : "",
				       enumeration->values[i].text);
		assert(at < VALUES_MAX);
	}
	return out;
}

static void put_type(struct nx_row *row, const struct nx_schema_column *column)
{
	enum nx_schema_type type = column->type;

	nx_row_put_text(row, NX_COL_SchemaFields_field_type,
			nx_schema_is_list(type) ? "array" : nx_schema_type_word(type));
	nx_row_put_text(row, NX_COL_SchemaFields_field_format, nx_schema_type_format(type));
	if (*column->unit)
		nx_row_put_text(row, NX_COL_SchemaFields_field_unit, column->unit);
	if (!column->is_bounded)
		return;
	nx_row_put_f64(row, NX_COL_SchemaFields_field_minimum, (double)column->minimum);
	nx_row_put_f64(row, NX_COL_SchemaFields_field_maximum, (double)column->maximum);
}

static void write_column(struct nx_table_sink *sink, struct nx_row *row,
			 enum nx_schema_table_id table, unsigned at)
{
	const struct nx_schema_column *column = &nx_schema_tables[table].columns[at];
	char values[VALUES_MAX];

	nx_row_put_text(row, NX_COL_SchemaFields_table_name, nx_schema_tables[table].name);
	nx_row_put_text(row, NX_COL_SchemaFields_table_description,
			nx_schema_tables[table].description);
	nx_row_put_text(row, NX_COL_SchemaFields_field_name, column->name);
	nx_row_put_text(row, NX_COL_SchemaFields_field_description, nx_schema_describe(column));
	nx_row_put_text(row, NX_COL_SchemaFields_field_example, nx_schema_example(table, at));
	nx_row_put_bool(row, NX_COL_SchemaFields_field_required, column->is_required);
	put_type(row, column);
	if (column->type == NX_SCHEMA_ENUM)
		nx_row_put_text(row, NX_COL_SchemaFields_field_enum_values,
				values_text(&nx_schema_enums[column->target], values));
	nx_table_sink_put(sink, row);
}

void nx_schema_fields_write(struct nx_table_sink *sink)
{
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_SchemaFields);
	nx_table_sink_begin(sink, NX_SCHEMA_SchemaFields);
	for (unsigned table = 0; table < NX_SCHEMA_TABLE_COUNT; table++)
		for (unsigned i = 0; i < nx_schema_tables[table].column_count; i++)
			write_column(sink, &row, table, i);
	nx_table_sink_end(sink, NX_SCHEMA_SchemaFields);
}
