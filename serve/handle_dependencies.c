/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a row waited for and what waited for it.
 *
 * Device profiles have edges between rows (the table Flow). Events of a system profile share the
 * ids of their flows: earlier events of a flow are predecessors, later ones successors.
 */
#include <string.h>

#include "query/table_rows.h"
#include "serve/handlers.h"
#include "serve/row_json.h"

#define EVENTS_MAX 200u
#define FLOWS_MAX 100u

enum { KIND = NX_EVENT_COLUMN_COUNT, GAP };

/* Tables whose rows edges connect. */
static const char *const ends[] = {"Instruction", "DmaPacketAggregated", "DmaPacket"};
#define END_COUNT (sizeof(ends) / sizeof(ends[0]))

struct asked_row {
	struct nx_request *request;
	const struct nx_stored_table *table;
	struct nx_event_columns columns;
	uint64_t row;
	int64_t id, start_ns;
	struct nx_flow_ids NX_VEC_BODY(const char *) flow_ids; /* in the request's arena */
	struct nx_json_writer w;
};

/* --- the row itself ------------------------------------------------------------ */

static int64_t integer_of(const struct asked_row *a, const struct nx_value *values,
			  const char *column)
{
	size_t field;

	if (!column || !nx_stored_table_find(a->table, column, &field) ||
	    values[field].kind != NX_VALUE_I64)
		return 0;
	return values[field].i64;
}

static void read_flow_ids(struct asked_row *a, const struct nx_value *values)
{
	size_t field;

	if (!nx_stored_table_find(a->table, "flow_id", &field) ||
	    values[field].kind != NX_VALUE_LIST)
		return;
	for (size_t i = 0; i < values[field].list.count && i < FLOWS_MAX; i++)
		if (values[field].list.items[i].kind == NX_VALUE_TEXT)
			nx_vec_push(&a->flow_ids, nx_arena_copy(&a->request->arena,
								values[field].list.items[i].text));
}

static enum nx_status read_row(struct asked_row *a, struct nx_error *err)
{
	struct nx_row_stream *rows;
	const struct nx_value *values;
	enum nx_status st = nx_table_rows_find(&rows, a->table, a->row, &values, err);

	nx_event_columns_find(&a->columns, a->table);
	if (!st) {
		a->id = integer_of(a, values, a->columns.id);
		a->start_ns = integer_of(a, values, a->columns.start);
		read_flow_ids(a, values);
	}
	nx_row_stream_close(rows);
	return st;
}

/* --- edges --------------------------------------------------------------------- */

/* "FROM Flow WHERE ..." of the edges on one side of the row. */
static void append_edges(const struct asked_row *a, bool is_before, struct nx_bytes *sql)
{
	nx_bytes_printf(sql, " FROM Flow WHERE %s_table = ", is_before ? "out" : "in");
	nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(a->table->name));
	nx_bytes_printf(sql, " AND %s_id = %lld", is_before ? "out" : "in", (long long)a->id);
}

/* SELECT ... of the rows of one table that edges lead to; false if the profile has no such rows. */
static bool append_end(const struct asked_row *a, bool is_before, size_t end, const char *word,
		       struct nx_bytes *sql)
{
	const char *side = is_before ? "in" : "out";
	const struct nx_stored_table *table;
	struct nx_event_columns columns;

	if (nx_open_profile_table(a->request->profile, ends[end], &table, NULL) ||
	    !nx_event_columns_find(&columns, table) || !columns.id)
		return false;
	nx_sql_append(sql, word);
	nx_sql_append(sql, "SELECT ");
	nx_event_sql_append_columns(sql, &columns, end);
	nx_sql_append(sql, ", kind, gap FROM ");
	nx_event_sql_append_source(sql, table,
				   nx_profile_folder_find(&a->request->profile->folder, ends[end]));
	nx_bytes_printf(sql,
			" JOIN (SELECT %s_id AS other, dependency_type AS kind, "
			"CAST(gap_time AS BIGINT) AS gap",
			side);
	append_edges(a, is_before, sql);
	nx_bytes_printf(sql, " AND %s_table = '%s') ON other = \"%s\"", side, ends[end],
			columns.id);
	return true;
}

static void render_edges(const struct asked_row *a, bool is_before, struct nx_bytes *sql)
{
	const char *word = "SELECT * FROM (";

	for (size_t i = 0; i < END_COUNT; i++)
		if (append_end(a, is_before, i, word, sql))
			word = " UNION ALL ";
	if (sql->len)
		nx_bytes_printf(sql, ") ORDER BY gap NULLS LAST, s %s, t, r LIMIT %u",
				is_before ? "DESC" : "ASC", EVENTS_MAX);
}

/* --- flows --------------------------------------------------------------------- */

static void append_members(const struct asked_row *a, bool is_before, struct nx_bytes *sql)
{
	nx_sql_append(sql, " FROM ");
	nx_event_sql_append_source(sql, a->table,
				   nx_profile_folder_find(&a->request->profile->folder,
							  a->table->name));
	nx_sql_append(sql, " WHERE list_has_any(flow_id, ");
	for (size_t i = 0; i < a->flow_ids.len; i++) {
		nx_sql_append(sql, i ? ", " : "[");
		nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(a->flow_ids.items[i]));
	}
	nx_bytes_printf(sql, "]) AND (start_ts, " NX_EVENT_ROW ") %s (%lld, %llu)",
			is_before ? "<" : ">", (long long)a->start_ns, (unsigned long long)a->row);
}

static void render_members(const struct asked_row *a, bool is_before, struct nx_bytes *sql)
{
	const char *order = is_before ? "DESC" : "ASC";

	nx_sql_append(sql, "SELECT ");
	nx_event_sql_append_columns(sql, &a->columns, END_COUNT);
	nx_sql_append(sql, ", 'flow' AS kind, CAST(NULL AS BIGINT) AS gap");
	append_members(a, is_before, sql);
	nx_bytes_printf(sql, " ORDER BY s %s, r %s LIMIT %u", order, order, EVENTS_MAX);
}

/* --- the answer ---------------------------------------------------------------- */

static void put_event(struct asked_row *a, const struct nx_value *row)
{
	struct nx_event_row event;

	nx_event_read(&event, row);
	nx_json_begin_object(&a->w);
	nx_row_json_event(&a->w, a->request->profile->timeline,
			  event.table < END_COUNT ? ends[event.table] : a->table->name, &event);
	nx_row_json_key(&a->w, "kind", &row[KIND]);
	nx_row_json_key(&a->w, "gap_ns", &row[GAP]);
	nx_json_end_object(&a->w);
}

static enum nx_status put_events(struct asked_row *a, const struct nx_bytes *sql,
				 struct nx_error *err)
{
	struct nx_row_stream *rows;
	const struct nx_value *row;
	enum nx_status st = nx_question_ask(a->request, sql, &rows, err);

	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row)
		put_event(a, row);
	nx_row_stream_close(rows);
	return st;
}

static enum nx_status put_total(struct asked_row *a, const struct nx_bytes *sql,
				struct nx_error *err)
{
	struct nx_row_stream *rows;
	const struct nx_value *row = NULL;
	enum nx_status st = nx_question_ask(a->request, sql, &rows, err);

	if (!st)
		st = nx_row_stream_next(rows, &row, err);
	nx_row_json_value(&a->w, row ? row : &(struct nx_value){0});
	nx_row_stream_close(rows);
	return st;
}

static enum nx_status put_side(struct asked_row *a, bool is_before, struct nx_error *err)
{
	bool is_flow = a->flow_ids.len > 0;
	bool has_edges =
		a->columns.id && nx_profile_folder_find(&a->request->profile->folder, "Flow");
	struct nx_bytes events = {0}, total = {0};
	enum nx_status st = NX_OK;

	nx_sql_append(&total, "SELECT count(*)");
	if (is_flow) {
		render_members(a, is_before, &events);
		append_members(a, is_before, &total);
	} else if (has_edges) {
		render_edges(a, is_before, &events);
		append_edges(a, is_before, &total);
	}
	nx_json_key_array(&a->w, is_before ? "predecessors" : "successors");
	if (events.len)
		st = put_events(a, &events, err);
	nx_json_end_array(&a->w);
	nx_json_key(&a->w, is_before ? "total_predecessors" : "total_successors");
	if (!st && events.len)
		st = put_total(a, &total, err);
	else
		nx_json_u64(&a->w, 0);
	nx_vec_release(&events);
	nx_vec_release(&total);
	return st;
}

NX_HANDLER(dependencies)
{
	struct asked_row a = {.request = request};
	enum nx_status st = nx_request_variable_u64(request, "row", &a.row, err);

	if (!st)
		st = nx_request_open_profile(server, request, err);
	if (!st)
		st = nx_open_profile_table(request->profile, nx_request_variable(request, "T"),
					   &a.table, err);
	if (!st)
		st = read_row(&a, err);
	if (!st)
		st = nx_question_begin(server, request, err);
	if (!st) {
		nx_reply_json(reply, &a.w);
		st = put_side(&a, true, err);
		if (!st)
			st = put_side(&a, false, err);
		nx_json_end_object(&a.w);
	}
	nx_vec_release(&a.flow_ids);
	return st;
}
