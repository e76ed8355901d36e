/* SPDX-License-Identifier: Apache-2.0 */
/* table_columns: columns of a stored table with their meaning in the schema. */
#ifndef NX_SERVE_TABLE_COLUMNS_H
#define NX_SERVE_TABLE_COLUMNS_H

#include "base/json_writer.h"
#include "model/schema.h"
#include "query/stored_table.h"

/* NULL for a column that the schema does not know. */
const struct nx_schema_column *nx_table_column_schema(const struct nx_stored_table *table,
						      size_t field);
/* {"name","type","unit","description"}; type is boolean, integer, number, string or list. */
void nx_table_column_put(struct nx_json_writer *w, const struct nx_stored_table *table,
			 size_t field);
/* "unit" and "description" of the open object, empty where nothing is known. */
void nx_table_column_put_meaning(struct nx_json_writer *w, const struct nx_stored_table *table,
				 size_t field);

#endif
