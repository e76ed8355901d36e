/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/row_json.h"

void nx_row_json_value(struct nx_json_writer *w, const struct nx_value *value)
{
	nx_value_json(w, value, NX_JSON_FOR_SCRIPTS);
}

void nx_row_json_row(struct nx_json_writer *w, const struct nx_value *row, size_t column_count)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < column_count; i++)
		nx_row_json_value(w, &row[i]);
	nx_json_end_array(w);
}
