/* SPDX-License-Identifier: Apache-2.0 */
/* What fits a search, page by page in order of time. */
#include "serve/event_json.h"
#include "serve/handlers.h"
#include "serve/search.h"

#define HITS_MAX 1000u
#define HITS_USUAL 100u
/* To leave out hits the engine has to sort them, so pages end somewhere. */
#define OFFSET_MAX 1000000u

struct asked_search {
	const struct nx_timeline *timeline;
	struct nx_search search;
	struct nx_question question;
	uint64_t offset, limit;
	struct nx_json_writer w;
};

/* "total" and "duration_ns" */
static enum nx_status put_totals(struct asked_search *a, struct nx_error *err)
{
	struct nx_bytes sql = {0}, sum = {0};
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row = NULL;
	enum nx_status st;

	nx_sql_append(&sql, "SELECT count(*), coalesce(sum(e - s), 0) FROM ");
	st = nx_search_append_hits(&sql, &a->search, err);
	if (!st)
		st = nx_question_ask(&a->question, &sql, &rows, err);
	if (!st)
		st = nx_row_stream_next(rows, &row, err);
	if (!st && row) {
		nx_json_key_u64_text(&a->w, "total", (uint64_t)row[0].i64);
		nx_value_append_text(&row[1], &sum);
		nx_json_key(&a->w, "duration_ns");
		nx_json_slice(&a->w, nx_slice_of(sum.items, sum.len));
	}
	nx_row_stream_close(rows);
	nx_vec_release(&sql);
	nx_vec_release(&sum);
	return st;
}

static enum nx_status render_page(const struct asked_search *a, struct nx_request *request,
				  struct nx_bytes *sql, struct nx_error *err)
{
	enum nx_status st;

	nx_sql_append(sql, "SELECT * FROM ");
	st = nx_search_append_hits(sql, &a->search, err);
	nx_sql_append(sql,
		      nx_arena_printf(&request->arena, " ORDER BY s, t, r LIMIT %llu OFFSET %llu",
				      (unsigned long long)a->limit, (unsigned long long)a->offset));
	return st;
}

static enum nx_status put_hits(struct asked_search *a, struct nx_request *request,
			       struct nx_error *err)
{
	struct nx_bytes sql = {0};
	struct nx_row_stream *rows = NULL;
	const struct nx_value *row;
	struct nx_event_row event;
	enum nx_status st = render_page(a, request, &sql, err);

	if (!st)
		st = nx_question_ask(&a->question, &sql, &rows, err);
	nx_json_key(&a->w, "rows");
	nx_json_begin_array(&a->w);
	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row) {
		nx_event_read(&event, row);
		nx_json_begin_object(&a->w);
		nx_event_json_put(&a->w, a->timeline, a->search.tables[event.table].stored->name,
				  &event);
		nx_json_end_object(&a->w);
	}
	nx_json_end_array(&a->w);
	nx_row_stream_close(rows);
	nx_vec_release(&sql);
	return st;
}

static enum nx_status answer(struct asked_search *a, struct nx_request *request,
			     struct nx_reply *reply, struct nx_error *err)
{
	enum nx_status st;

	nx_reply_json(reply, &a->w);
	nx_json_begin_object(&a->w);
	st = put_totals(a, err);
	if (!st)
		st = put_hits(a, request, err);
	nx_json_end_object(&a->w);
	return st;
}

NX_HANDLER(search)
{
	struct asked_search a = {0};
	struct nx_open_profile *profile;
	enum nx_status st = nx_open_profiles_take(nx_server_profiles(server),
						  nx_request_variable(request, "p"), &profile, err);

	if (!st)
		st = nx_request_u64(request, "offset", 0, OFFSET_MAX, &a.offset, err);
	if (!st)
		st = nx_request_u64(request, "limit", HITS_USUAL, HITS_MAX, &a.limit, err);
	if (!st)
		st = nx_search_init(&a.search, profile, request, err);
	if (!st)
		st = nx_question_begin(&a.question, server, request, profile, err);
	if (!st) {
		a.timeline = profile->timeline;
		st = answer(&a, request, reply, err);
		st = nx_question_end(&a.question, st, err);
	}
	nx_open_profiles_return(profile);
	return st;
}
