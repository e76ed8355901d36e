/* SPDX-License-Identifier: Apache-2.0 */
/* Where the hits of a search lie, in the format of a window, with hits instead of spans. */
#include <assert.h>

#include "model/schema.h"
#include "serve/handlers.h"
#include "serve/search.h"
#include "serve/tile.h"
#include "serve/time_part.h"

struct asked_marks {
	struct nx_server *server;
	struct nx_request *request;
	const struct nx_timeline *timeline;
	struct nx_search search;
	struct nx_time_part part;
	uint64_t px;
};

/* --- hits ---------------------------------------------------------------------- */

/* The engine returns the hits of 64 rows as one mask, so that millions of hits are few rows. */
static enum nx_status choose_rows(struct nx_request *request, const struct nx_search_table *table,
				  struct nx_row_choice *rows, struct nx_error *err)
{
	struct nx_bytes sql = {0};
	struct nx_row_stream *words = NULL;
	const struct nx_value *word;
	enum nx_status st;

	nx_row_choice_init(rows, table->stored->row_count);
	nx_sql_append(&sql,
		      "SELECT CAST(" NX_EVENT_ROW " // 64 AS BIGINT) AS w, "
		      "bit_or(CAST(1 AS UBIGINT) << CAST(" NX_EVENT_ROW " % 64 AS UBIGINT)) AS m");
	nx_search_append_rows(&sql, table);
	nx_sql_append(&sql, " GROUP BY w");
	st = nx_question_ask(request, &sql, &words, err);
	while (!st && !(st = nx_row_stream_next(words, &word, err)) && word)
		nx_row_choice_add_word(rows, (uint64_t)word[0].i64, word[1].u64);
	nx_row_stream_close(words);
	nx_vec_release(&sql);
	return st;
}

static enum nx_status add_table(const struct asked_marks *a, const struct nx_search_table *table,
				struct nx_hit_set *set, struct nx_error *err)
{
	const struct nx_schema_table *schema =
		nx_schema_find_table(nx_slice_text(table->stored->name));
	const struct nx_hit_wish wish = {nx_request_is_wanted, a->request};
	struct nx_row_choice rows;
	enum nx_status st;

	if (!schema)
		return NX_OK;
	st = choose_rows(a->request, table, &rows, err);
	if (!st)
		st = nx_hit_set_add(set, a->timeline, (uint64_t)(schema - nx_schema_tables), &rows,
				    &wish, err);
	nx_row_choice_release(&rows);
	return st;
}

static enum nx_status find_hits(const struct asked_marks *a, struct nx_answer **hits,
				struct nx_error *err)
{
	const char *id = a->request->profile->record.id;
	struct nx_answer found = {0};
	enum nx_status st;

	*hits = nx_answer_cache_take(a->server->answers, id, a->search.key);
	if (*hits)
		return NX_OK;
	st = nx_question_begin(a->server, a->request, err);
	for (size_t i = 0; !st && i < a->search.table_count; i++)
		st = add_table(a, &a->search.tables[i], &found.hits, err);
	st = nx_question_end(a->request, st, err);
	if (!st)
		st = nx_open_profile_check(a->request->profile, err);
	if (!st)
		*hits = nx_answer_cache_put(a->server->answers, id, a->search.key, &found);
	nx_hit_set_release(&found.hits);
	return st;
}

/* --- drawing ------------------------------------------------------------------- */

static struct nx_tile_item make_item(const struct nx_tile *tile, const struct nx_hit_mark *mark,
				     double *edge)
{
	double x0 = nx_tile_x(tile, mark->start_ns), x1 = nx_tile_x(tile, mark->end_ns);
	struct nx_tile_item item = {
		.count = mark->count < UINT32_MAX ? (uint32_t)mark->count : UINT32_MAX,
		.name = mark->name,
		.colour = NX_CODE_NONE,
		.busy = 1,
		.row = mark->row,
	};

	x0 = x0 < *edge ? *edge : x0;
	x1 = x1 > tile->px ? tile->px : x1 < x0 ? x0 : x1;
	*edge = x1;
	item.x0 = (float)x0;
	item.x1 = (float)x1;
	return item;
}

static void draw_strip(const struct asked_marks *a, const struct nx_hit_strip *strip,
		       struct nx_tile *tile)
{
	const struct nx_timeline_window window = {.from_ns = a->part.from_ns,
						  .to_ns = a->part.to_ns,
						  .bucket_count = (uint32_t)a->px};
	struct nx_tile_items items = {0};
	struct nx_hit_marks marks = {0};
	double edge = 0;

	nx_hit_set_marks(a->timeline, strip, &window, &marks);
	for (size_t i = 0; i < marks.len; i++)
		nx_vec_push(&items, make_item(tile, &marks.items[i], &edge));
	if (items.len)
		nx_tile_add_items(tile, strip->track, strip->depth, items.items, items.len);
	nx_vec_release(&items);
	nx_vec_release(&marks);
}

static enum nx_status draw(const struct asked_marks *a, const struct nx_hit_set *set,
			   struct nx_reply *reply, struct nx_error *err)
{
	struct nx_tile tile;
	enum nx_status st = NX_OK;

	assert(a->px && a->px <= NX_TILE_PX_MAX);
	reply->type = NX_TYPE_OCTETS;
	nx_tile_begin(&tile, &reply->body, a->part.from_ns, a->part.to_ns, (uint32_t)a->px);
	for (size_t i = 0; !st && i < set->strips.len && tile.strip_count < NX_TILE_STRIPS_MAX;
	     i++) {
		draw_strip(a, &set->strips.items[i], &tile);
		st = nx_request_go_on(a->request, err);
	}
	nx_tile_end(&tile);
	return st;
}

NX_HANDLER(marks)
{
	struct asked_marks a = {.server = server, .request = request};
	struct nx_answer *hits = NULL;
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (!st)
		st = nx_open_profile_timeline(request->profile, &a.timeline, err);
	if (!st)
		st = nx_request_time_part(request, a.timeline, &a.part, err);
	if (!st)
		st = nx_request_need_u64(request, "px", NX_TILE_PX_MAX, &a.px, err);
	if (!st && !a.px)
		st = nx_fail(err, NX_USAGE, "'px' should be at least 1");
	if (!st)
		st = nx_search_init(&a.search, request, err);
	if (!st)
		st = find_hits(&a, &hits, err);
	if (!st)
		st = draw(&a, &hits->hits, reply, err);
	nx_answer_cache_return(server->answers, hits);
	return st;
}
