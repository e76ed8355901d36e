/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_json: rows, columns and events as the API writes them (docs/api.md): integers that
 * JavaScript's numbers cannot hold are texts, NaN and infinities are null.
 */
#ifndef NX_SERVE_ROW_JSON_H
#define NX_SERVE_ROW_JSON_H

#include "export/row_sink.h"
#include "query/event_sql.h"
#include "store/timeline/timeline.h"

void nx_row_json_value(struct nx_json_writer *w, const struct nx_value *value);
/* "key":v */
void nx_row_json_key(struct nx_json_writer *w, const char *key, const struct nx_value *value);
/* [v, v, ...] */
void nx_row_json_row(struct nx_json_writer *w, const struct nx_value *row, size_t column_count);

/* {"name","type","unit","description"}; type is boolean, integer, number, string or list. */
void nx_table_column_put(struct nx_json_writer *w, const struct nx_stored_table *table,
			 size_t field);
/* "unit" and "description" of the open object, empty where the schema has none. */
void nx_table_column_put_meaning(struct nx_json_writer *w, const struct nx_stored_table *table,
				 size_t field);
/* The heading under which the details of an event show a column: "Timing", "Identity",
 * "Operation", "Memory", "Kernel", "Model", "Source" or "Details". */
const char *nx_field_group(const char *column);

/*
 * "track" and "depth" of the open object: where the timeline, which may be NULL, draws a row that
 * starts then. Takes time in proportion to the tracks of the table.
 */
void nx_row_json_place(struct nx_json_writer *w, const struct nx_timeline *timeline,
		       const char *table, uint64_t row, uint64_t start_ns);
/* The members of an open object (E in docs/api.md) but kind and gap; timeline may be NULL. */
void nx_row_json_event(struct nx_json_writer *w, const struct nx_timeline *timeline,
		       const char *table, const struct nx_event_row *event);

#endif
