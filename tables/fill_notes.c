/* SPDX-License-Identifier: Apache-2.0 */
/* Tables about the profile rather than of it. */
#include "model/schema_fields.h"
#include "tables/fillers.h"

void nx_put_warnings(const struct nx_warnings *warnings, struct nx_table_sink *sink)
{
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_Warning);
	nx_table_sink_begin(sink, NX_SCHEMA_Warning);
	for (size_t i = 0; i < warnings->len; i++) {
		nx_row_put_text(&row, NX_COL_Warning_message, warnings->items[i].message);
		nx_row_put_text(&row, NX_COL_Warning_category, warnings->items[i].category);
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_Warning);
}

enum nx_status nx_fill_warnings(struct nx_device_fill *fill)
{
	nx_put_warnings(&fill->profile->warnings, fill->sink);
	return NX_OK;
}

enum nx_status nx_fill_schema_fields(struct nx_device_fill *fill)
{
	nx_schema_fields_write(fill->sink);
	return NX_OK;
}
