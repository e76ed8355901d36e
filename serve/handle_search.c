/* SPDX-License-Identifier: Apache-2.0 */
/* The hits of a search, page by page in order of time. */
#include <assert.h>

#include "serve/handlers.h"
#include "serve/row_json.h"
#include "serve/search.h"

#define HITS_MAX 1000u
#define HITS_USUAL 100u
/* To skip hits the engine has to sort them all, so the offset is limited. */
#define OFFSET_MAX 1000000u

struct asked_search {
	struct nx_request *request;
	struct nx_search search;
	uint64_t offset, limit;
	struct nx_json_writer w;
};

/* "total" and "duration_ns" */
static enum nx_status put_totals(struct asked_search *a, struct nx_error *err)
{
	struct nx_bytes sql = {0}, sum = {0};
	struct nx_row_stream *rows;
	const struct nx_value *row = NULL;
	enum nx_status st;

	nx_sql_append(&sql, "SELECT count(*), coalesce(sum(CAST(e AS HUGEINT) - s), 0) FROM ");
	nx_search_append_hits(&sql, &a->search);
	st = nx_question_ask(a->request, &sql, &rows, err);
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

static enum nx_status put_hits(struct asked_search *a, struct nx_error *err)
{
	struct nx_bytes sql = {0};
	struct nx_row_stream *rows;
	const struct nx_value *row;
	struct nx_event_row event;
	enum nx_status st;

	nx_sql_append(&sql, "SELECT * FROM ");
	nx_search_append_hits(&sql, &a->search);
	nx_bytes_printf(&sql, " ORDER BY s, t, r LIMIT %llu OFFSET %llu",
			(unsigned long long)a->limit, (unsigned long long)a->offset);
	st = nx_question_ask(a->request, &sql, &rows, err);
	nx_json_key_array(&a->w, "rows");
	while (!st && !(st = nx_row_stream_next(rows, &row, err)) && row) {
		nx_event_read(&event, row);
		assert(event.table < a->search.table_count);
		nx_json_begin_object(&a->w);
		nx_row_json_event(&a->w, a->request->profile->timeline,
				  a->search.tables[event.table].stored->name, &event);
		nx_json_end_object(&a->w);
	}
	nx_json_end_array(&a->w);
	nx_row_stream_close(rows);
	nx_vec_release(&sql);
	return st;
}

NX_HANDLER(search)
{
	struct asked_search a = {.request = request};
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (!st)
		st = nx_request_u64(request, "offset", 0, OFFSET_MAX, &a.offset, err);
	if (!st)
		st = nx_request_u64(request, "limit", HITS_USUAL, HITS_MAX, &a.limit, err);
	if (!st)
		st = nx_search_init(&a.search, request, err);
	if (!st)
		st = nx_question_begin(server, request, err);
	if (st)
		return st;
	nx_reply_json(reply, &a.w);
	st = put_totals(&a, err);
	if (!st)
		st = put_hits(&a, err);
	nx_json_end_object(&a.w);
	return st;
}
