/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/asking.h"

#include "serve/hit_cache.h"
#include "serve/insight_cache.h"
#include "serve/server.h"

#define HIT_SETS_MAX 16u
#define HIT_SET_BYTES_MAX (UINT64_C(128) << 20)

struct nx_asking {
	struct nx_timer *timer;
	struct nx_engine_pool *pool;
	struct nx_hit_cache *hits;
	struct nx_insight_cache *insights;
};

struct nx_asking *nx_asking_new(struct nx_timer *timer)
{
	struct nx_asking *asking = nx_heap_alloc(sizeof(*asking));

	*asking = (struct nx_asking){
		.timer = timer,
		.pool = nx_engine_pool_new(timer, &(struct nx_engine_pool_options){0}),
		.hits = nx_hit_cache_new(HIT_SETS_MAX, HIT_SET_BYTES_MAX),
		.insights = nx_insight_cache_new(),
	};
	return asking;
}

void nx_asking_free(struct nx_asking *asking)
{
	if (!asking)
		return;
	nx_insight_cache_free(asking->insights);
	nx_hit_cache_free(asking->hits);
	nx_engine_pool_free(asking->pool);
	nx_heap_free(asking);
}

struct nx_hit_cache *nx_asking_hits(struct nx_asking *asking)
{
	return asking->hits;
}

struct nx_insight_cache *nx_asking_insights(struct nx_asking *asking)
{
	return asking->insights;
}

static bool is_wanted(void *request)
{
	return !nx_request_is_cancelled(request);
}

static void stop_engine(void *engine)
{
	nx_duckdb_stop(engine);
}

enum nx_status nx_question_begin(struct nx_question *q, struct nx_server *server,
				 struct nx_request *request, const struct nx_open_profile *profile,
				 struct nx_error *err)
{
	struct nx_asking *asking = nx_server_asking(server);
	const struct nx_engine_wish wish = {profile->path, profile->record.id, is_wanted, request};
	enum nx_status st;

	*q = (struct nx_question){.request = request, .pool = asking->pool};
	st = nx_engine_pool_take(asking->pool, &wish, &q->engine, err);
	if (!st)
		nx_watchdog_begin(&q->dog, asking->timer,
				  &(struct nx_watch){.stop = stop_engine,
						     .context = q->engine,
						     .is_wanted = is_wanted,
						     .wanted_context = request,
						     .timeout_ms = NX_QUESTION_LIMIT_MS});
	return st;
}

enum nx_status nx_question_ask(struct nx_question *q, const struct nx_bytes *sql,
			       struct nx_row_stream **rows, struct nx_error *err)
{
	enum nx_status st = nx_request_go_on(q->request, err);

	*rows = NULL;
	return st ? st : nx_duckdb_query(q->engine, nx_slice_of(sql->items, sql->len), rows, err);
}

enum nx_status nx_question_end(struct nx_question *q, enum nx_status st, struct nx_error *err)
{
	bool was_stopped = st == NX_CANCELLED;

	st = nx_watchdog_end(&q->dog, st, err);
	if (was_stopped && st == NX_LIMIT)
		nx_fail(err, NX_LIMIT, "the question took longer than %u seconds; ask for less",
			NX_QUESTION_LIMIT_MS / 1000);
	nx_engine_pool_return(q->pool, q->engine, st != NX_IO && st != NX_CANCELLED);
	return st;
}
