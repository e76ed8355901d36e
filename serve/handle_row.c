/* SPDX-License-Identifier: Apache-2.0 */
/* One row with all it says: what the details of an event show. */
#include "query/table_rows.h"
#include "serve/field_group.h"
#include "serve/handlers.h"
#include "serve/row_json.h"
#include "serve/span_place.h"
#include "serve/table_columns.h"

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
	struct nx_span_place place;
	uint64_t start_ns, end_ns;
	bool has_time = nx_stored_table_times(a->table, &times), is_drawn = false;

	start_ns = has_time ? time_of(&a->values[times.start]) : 0;
	end_ns = has_time ? time_of(&a->values[times.end]) : 0;
	if (has_time && a->profile->timeline)
		is_drawn = nx_span_place_find(a->profile->timeline, a->table->name, a->row,
					      start_ns, &place);
	nx_span_place_json(w, is_drawn ? &place : NULL);
	nx_json_key_u64_text(w, "start_ns", start_ns);
	nx_json_key_u64_text(w, "end_ns", end_ns > start_ns ? end_ns : start_ns);
}

static void put_fields(struct nx_json_writer *w, const struct asked_row *a)
{
	nx_json_key(w, "fields");
	nx_json_begin_array(w);
	for (size_t i = 0; i < a->table->field_count; i++) {
		const char *name = a->table->fields[i].name;

		nx_json_begin_object(w);
		nx_json_key_text(w, "name", name);
		nx_json_key(w, "value");
		nx_row_json_value(w, &a->values[i]);
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
	nx_json_begin_object(&w);
	nx_json_key_text(&w, "table", a->table->name);
	nx_json_key_u64_text(&w, "row", a->row);
	put_place(&w, a);
	put_fields(&w, a);
	nx_json_end_object(&w);
}

static enum nx_status read_row(struct asked_row *a, struct nx_reply *reply, struct nx_error *err)
{
	const struct nx_table_choice choice = {.first_row = a->row, .row_count = 1};
	struct nx_row_stream *rows = NULL;
	enum nx_status st = NX_OK;

	if (a->row < a->table->row_count)
		st = nx_table_rows_open(&rows, a->table, &choice, err);
	if (!st && rows)
		st = nx_row_stream_next(rows, &a->values, err);
	if (!st && !a->values)
		st = nx_fail(err, NX_NOT_FOUND, "the table %s has no row %llu", a->table->name,
			     (unsigned long long)a->row);
	if (!st && a->values)
		put_row(a, reply);
	nx_row_stream_close(rows);
	return st;
}

NX_HANDLER(row)
{
	struct nx_open_profile *profile = NULL;
	struct asked_row a = {0};
	enum nx_status st = nx_request_variable_u64(request, "row", &a.row, err);

	if (!st)
		st = nx_open_profiles_take(nx_server_profiles(server),
					   nx_request_variable(request, "p"), &profile, err);
	if (!st)
		st = nx_open_profile_table(profile, nx_request_variable(request, "T"), &a.table,
					   err);
	a.profile = profile;
	if (!st)
		st = read_row(&a, reply, err);
	nx_open_profiles_return(profile);
	return st;
}
