/* SPDX-License-Identifier: Apache-2.0 */
/* One row with all its fields: the details of an event. */
#include "query/table_rows.h"
#include "serve/handlers.h"
#include "serve/row_json.h"

struct asked_row {
	const struct nx_open_profile *profile;
	const struct nx_stored_table *table;
	uint64_t row;
	const struct nx_value *values;
};

static uint64_t time_of(const struct nx_value *value)
{
	return value->kind == NX_VALUE_I64 && value->i64 > 0 ? (uint64_t)value->i64 : 0;
}

static void put_place(struct nx_json_writer *w, const struct asked_row *a)
{
	struct nx_stored_times times;
	bool has_time = nx_stored_table_times(a->table, &times);
	uint64_t start_ns = has_time ? time_of(&a->values[times.start]) : 0;
	uint64_t end_ns = has_time ? time_of(&a->values[times.end]) : 0;

	nx_row_json_place(w, has_time ? a->profile->timeline : NULL, a->table->name, a->row,
			  start_ns);
	nx_json_key_u64_text(w, "start_ns", start_ns);
	nx_json_key_u64_text(w, "end_ns", end_ns > start_ns ? end_ns : start_ns);
}

static void put_fields(struct nx_json_writer *w, const struct asked_row *a)
{
	nx_json_key_array(w, "fields");
	for (size_t i = 0; i < a->table->field_count; i++) {
		const char *name = a->table->fields[i].name;

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", name);
		nx_row_json_key(w, "value", &a->values[i]);
		nx_table_column_put_meaning(w, a->table, i);
		nx_json_key_text(w, "group", nx_field_group(name));
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_row(const struct asked_row *a, struct nx_reply *reply)
{
	struct nx_json_writer w;

	nx_reply_json(reply, &w);
	nx_json_key_text(&w, "table", a->table->name);
	nx_json_key_u64_text(&w, "row", a->row);
	put_place(&w, a);
	put_fields(&w, a);
	nx_json_end_object(&w);
}

NX_HANDLER(row)
{
	struct asked_row a = {0};
	struct nx_row_stream *rows = NULL;
	enum nx_status st = nx_request_variable_u64(request, "row", &a.row, err);

	if (!st)
		st = nx_request_open_profile(server, request, err);
	a.profile = request->profile;
	if (!st)
		st = nx_open_profile_table(request->profile, nx_request_variable(request, "T"),
					   &a.table, err);
	if (!st)
		st = nx_table_rows_find(&rows, a.table, a.row, &a.values, err);
	if (!st)
		put_row(&a, reply);
	nx_row_stream_close(rows);
	return st;
}
