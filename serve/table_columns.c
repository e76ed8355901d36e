/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/table_columns.h"

const struct nx_schema_column *nx_table_column_schema(const struct nx_stored_table *table,
						      size_t field)
{
	const struct nx_schema_table *s = nx_schema_find_table(nx_slice_text(table->name));

	return s ? nx_schema_find_column(s, nx_slice_text(table->fields[field].name)) : NULL;
}

void nx_table_column_put_meaning(struct nx_json_writer *w, const struct nx_stored_table *table,
				 size_t field)
{
	const struct nx_schema_column *c = nx_table_column_schema(table, field);
	const char *description = c ? nx_schema_describe(c) : NULL;

	nx_json_key_text(w, "unit", c ? c->unit : "");
	nx_json_key_text(w, "description", description ? description : "");
}

static const char *type_word(const struct nx_parquet_field *f)
{
	if (f->is_list)
		return "list";
	switch (f->type) {
	case NX_PARQUET_BOOL:
		return "boolean";
	case NX_PARQUET_I32:
	case NX_PARQUET_I64:
		return "integer";
	case NX_PARQUET_F32:
	case NX_PARQUET_F64:
		return "number";
	case NX_PARQUET_TEXT:
		break;
	}
	return "string";
}

void nx_table_column_put(struct nx_json_writer *w, const struct nx_stored_table *table,
			 size_t field)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "name", table->fields[field].name);
	nx_json_key_text(w, "type", type_word(&table->fields[field]));
	nx_table_column_put_meaning(w, table, field);
	nx_json_end_object(w);
}
