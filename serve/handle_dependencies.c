/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a row waited for and what waited for it.
 *
 * Device profiles have edges between rows (the table Flow). Events of a system profile share
 * the ids of their flows: what began earlier in one of them is before, the rest behind.
 */
#include <string.h>

#include "query/table_rows.h"
#include "serve/event_json.h"
#include "serve/handlers.h"
#include "serve/row_json.h"

#define EVENTS_MAX 200u
#define FLOWS_MAX 100u

enum { KIND = NX_EVENT_COLUMN_COUNT, GAP };

/* Tables that edges lead to and from. */
static const char *const ends[] = {"Instruction", "DmaPacketAggregated", "DmaPacket"};
#define END_COUNT (sizeof(ends) / sizeof(ends[0]))

struct asked_row {
	struct nx_request *request;
	struct nx_open_profile *profile;
	const struct nx_stored_table *table;
	struct nx_event_columns columns;
	uint64_t row;
	int64_t id, start_ns;
	struct nx_flow_ids NX_VEC_BODY(const char *) flow_ids; /* in the request's arena */
	struct nx_question question;
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
	const struct nx_table_choice choice = {.first_row = a->row, .row_count = 1};
	struct nx_row_stream *rows = NULL;
	const struct nx_value *values = NULL;
	enum nx_status st = NX_OK;

	if (a->row < a->table->row_count)
		st = nx_table_rows_open(&rows, a->table, &choice, err);
	if (!st && rows)
		st = nx_row_stream_next(rows, &values, err);
	if (!st && !values)
		st = nx_fail(err, NX_NOT_FOUND, "the table %s has no row %llu", a->table->name,
			     (unsigned long long)a->row);
	if (!st && values) {
		a->id = integer_of(a, values, a->columns.id);
		a->start_ns = integer_of(a, values, a->columns.start);
		read_flow_ids(a, values);
	}
	nx_row_stream_close(rows);
	return st;
}

/* --- edges --------------------------------------------------------------------- */

/* "FROM Flow WHERE ..." of the edges on one side of the row. */
static enum nx_status append_edges(const struct asked_row *a, bool is_before, struct nx_bytes *sql,
				   struct nx_error *err)
{
	enum nx_status st;

	nx_sql_append(sql,
		      is_before ? " FROM Flow WHERE out_table = " : " FROM Flow WHERE in_table = ");
	st = nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(a->table->name), err);
	nx_sql_append(sql, nx_arena_printf(&a->request->arena, " AND %s = %lld",
					   is_before ? "out_id" : "in_id", (long long)a->id));
	return st;
}

/* SELECT ... of the rows of one table that edges lead to. */
static enum nx_status append_end(const struct asked_row *a, bool is_before, size_t end,
				 struct nx_bytes *sql, struct nx_error *err)
{
	const struct nx_stored_table *table;
	struct nx_event_columns columns;
	enum nx_status st = nx_open_profile_table(a->profile, ends[end], &table, err);

	if (st || !nx_event_columns_find(&columns, table) || !columns.id)
		return NX_NOT_FOUND;
	nx_sql_append(sql, "SELECT ");
	st = nx_event_sql_append_columns(sql, &columns, end, err);
	nx_sql_append(sql, ", kind, gap FROM ");
	if (!st)
		st = nx_event_sql_append_source(
			sql, table, nx_profile_folder_find(&a->profile->folder, ends[end]), err);
	nx_sql_append(sql, nx_arena_printf(&a->request->arena,
					   " JOIN (SELECT %s AS other, dependency_type AS kind, "
					   "CAST(gap_time AS BIGINT) AS gap",
					   is_before ? "in_id" : "out_id"));
	if (!st)
		st = append_edges(a, is_before, sql, err);
	nx_sql_append(sql,
		      nx_arena_printf(&a->request->arena, " AND %s = '%s') ON other = \"%s\"",
				      is_before ? "in_table" : "out_table", ends[end], columns.id));
	return st;
}

static enum nx_status render_edges(const struct asked_row *a, bool is_before, struct nx_bytes *sql,
				   struct nx_error *err)
{
	const char *word = "SELECT * FROM (";
	size_t len;
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < END_COUNT && !st; i++) {
		len = sql->len;
		nx_sql_append(sql, word);
		st = append_end(a, is_before, i, sql, err);
		if (st == NX_NOT_FOUND) {
			sql->len = len;
			st = NX_OK;
			continue;
		}
		word = " UNION ALL ";
	}
	nx_sql_append(sql, nx_arena_printf(&a->request->arena,
					   ") ORDER BY gap NULLS LAST, s %s, t, r LIMIT %u",
					   is_before ? "DESC" : "ASC", EVENTS_MAX));
	return st;
}

static enum nx_status count_edges(struct asked_row *a, bool is_before, struct nx_bytes *sql,
				  struct nx_error *err)
{
	nx_sql_append(sql, "SELECT count(*)");
	return append_edges(a, is_before, sql, err);
}

/* --- flows --------------------------------------------------------------------- */

static enum nx_status append_members(const struct asked_row *a, bool is_before,
				     struct nx_bytes *sql, struct nx_error *err)
{
	const char *word = "[";
	enum nx_status st;

	nx_sql_append(sql, " FROM ");
	st = nx_event_sql_append_source(
		sql, a->table, nx_profile_folder_find(&a->profile->folder, a->table->name), err);
	nx_sql_append(sql, " WHERE list_has_any(flow_id, ");
	for (size_t i = 0; !st && i < a->flow_ids.len; i++) {
		nx_sql_append(sql, word);
		st = nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(a->flow_ids.items[i]),
					err);
		word = ", ";
	}
	nx_sql_append(sql, nx_arena_printf(&a->request->arena,
					   "]) AND (start_ts, " NX_EVENT_ROW ") %s (%lld, %llu)",
					   is_before ? "<" : ">", (long long)a->start_ns,
					   (unsigned long long)a->row));
	return st;
}

static enum nx_status render_members(const struct asked_row *a, bool is_before,
				     struct nx_bytes *sql, struct nx_error *err)
{
	enum nx_status st;

	nx_sql_append(sql, "SELECT ");
	st = nx_event_sql_append_columns(sql, &a->columns, END_COUNT, err);
	nx_sql_append(sql, nx_arena_printf(&a->request->arena,
					   ", 'flow' AS kind, CAST(NULL AS BIGINT) AS gap"));
	if (!st)
		st = append_members(a, is_before, sql, err);
	nx_sql_append(sql, nx_arena_printf(&a->request->arena, " ORDER BY s %s, r %s LIMIT %u",
					   is_before ? "DESC" : "ASC", is_before ? "DESC" : "ASC",
					   EVENTS_MAX));
	return st;
}

static enum nx_status count_members(const struct asked_row *a, bool is_before, struct nx_bytes *sql,
				    struct nx_error *err)
{
	nx_sql_append(sql, "SELECT count(*)");
	return append_members(a, is_before, sql, err);
}

/* --- the answer ---------------------------------------------------------------- */

static void put_event(struct asked_row *a, const struct nx_value *row)
{
	struct nx_event_row event;

	nx_event_read(&event, row);
	nx_json_begin_object(&a->w);
	nx_event_json_put(&a->w, a->profile->timeline,
			  event.table < END_COUNT ? ends[event.table] : a->table->name, &event);
	nx_json_key(&a->w, "kind");
	nx_row_json_value(&a->w, &row[KIND]);
	nx_json_key(&a->w, "gap_ns");
	nx_row_json_value(&a->w, &row[GAP]);
	nx_json_end_object(&a->w);
}

static enum nx_status put_events(struct asked_row *a, const struct nx_bytes *sql,
				 struct nx_error *err)
{
	struct nx_row_stream *rows;
	const struct nx_value *row;
	enum nx_status st = nx_question_ask(&a->question, sql, &rows, err);

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
	enum nx_status st = nx_question_ask(&a->question, sql, &rows, err);

	if (!st)
		st = nx_row_stream_next(rows, &row, err);
	nx_row_json_value(&a->w, row ? row : &(struct nx_value){0});
	nx_row_stream_close(rows);
	return st;
}

static bool has_edges(const struct asked_row *a)
{
	return a->columns.id && nx_profile_folder_find(&a->profile->folder, "Flow");
}

static enum nx_status put_side(struct asked_row *a, bool is_before, struct nx_error *err)
{
	bool is_flow = a->flow_ids.len > 0, is_known = is_flow || has_edges(a);
	struct nx_bytes events = {0}, total = {0};
	enum nx_status st = NX_OK;

	if (is_known)
		st = is_flow ? render_members(a, is_before, &events, err)
			     : render_edges(a, is_before, &events, err);
	if (!st && is_known)
		st = is_flow ? count_members(a, is_before, &total, err)
			     : count_edges(a, is_before, &total, err);
	nx_json_key(&a->w, is_before ? "predecessors" : "successors");
	nx_json_begin_array(&a->w);
	if (!st && is_known)
		st = put_events(a, &events, err);
	nx_json_end_array(&a->w);
	nx_json_key(&a->w, is_before ? "total_predecessors" : "total_successors");
	if (!st && is_known)
		st = put_total(a, &total, err);
	else
		nx_json_u64(&a->w, 0);
	nx_vec_release(&events);
	nx_vec_release(&total);
	return st;
}

static enum nx_status answer(struct asked_row *a, struct nx_reply *reply, struct nx_error *err)
{
	enum nx_status st;

	nx_reply_json(reply, &a->w);
	nx_json_begin_object(&a->w);
	st = put_side(a, true, err);
	if (!st)
		st = put_side(a, false, err);
	nx_json_end_object(&a->w);
	return st;
}

static enum nx_status open_row(struct asked_row *a, struct nx_error *err)
{
	const char *name = nx_request_variable(a->request, "T");
	enum nx_status st = nx_open_profile_table(a->profile, name, &a->table, err);

	if (st)
		return st;
	nx_event_columns_find(&a->columns, a->table);
	return read_row(a, err);
}

NX_HANDLER(dependencies)
{
	struct asked_row a = {.request = request};
	enum nx_status st = nx_request_variable_u64(request, "row", &a.row, err);

	if (!st)
		st = nx_open_profiles_take(nx_server_profiles(server),
					   nx_request_variable(request, "p"), &a.profile, err);
	if (!st)
		st = open_row(&a, err);
	if (!st)
		st = nx_question_begin(&a.question, server, request, a.profile, err);
	if (!st) {
		st = answer(&a, reply, err);
		st = nx_question_end(&a.question, st, err);
	}
	nx_vec_release(&a.flow_ids);
	nx_open_profiles_return(a.profile);
	return st;
}
