/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asking: questions in SQL on behalf of a request.
 *
 *	st = nx_question_begin(&question, server, request, profile, err);
 *	if (!st) {
 *		st = nx_question_ask(&question, &sql, &rows, err);
 *		... read and close the rows ...
 *		st = nx_question_end(&question, st, err);
 *	}
 *
 * An engine is taken from those of the server (query/engine_pool.h); it is stopped when the
 * client goes away or half a minute is over, for all questions of the request together.
 * Handlers that ask run on the queue of long work.
 */
#ifndef NX_SERVE_ASKING_H
#define NX_SERVE_ASKING_H

#include "query/engine_pool.h"
#include "query/watchdog.h"
#include "serve/open_profiles.h"
#include "serve/request.h"

#define NX_QUESTION_LIMIT_MS 30000u

struct nx_server;
struct nx_asking; /* what a server keeps for those who ask */
struct nx_hit_cache;
struct nx_insight_cache;

/* The timer outlives it. */
struct nx_asking *nx_asking_new(struct nx_timer *timer);
/* Nobody asks any more. */
void nx_asking_free(struct nx_asking *asking);
struct nx_hit_cache *nx_asking_hits(struct nx_asking *asking);
struct nx_insight_cache *nx_asking_insights(struct nx_asking *asking);

struct nx_question {
	struct nx_request *request;
	struct nx_engine_pool *pool;
	struct nx_duckdb *engine;
	struct nx_watchdog dog;
};

/* UNSUPPORTED, with what to do, where there is no DuckDB. */
NX_MUST_CHECK enum nx_status nx_question_begin(struct nx_question *question,
					       struct nx_server *server, struct nx_request *request,
					       const struct nx_open_profile *profile,
					       struct nx_error *err);
/* The rows are closed before the next question and before the end. *rows is NULL after a failure.
 */
NX_MUST_CHECK enum nx_status nx_question_ask(struct nx_question *question,
					     const struct nx_bytes *sql,
					     struct nx_row_stream **rows, struct nx_error *err);
/* st is how it went so far; a CANCELLED by the time limit becomes LIMIT. */
NX_MUST_CHECK enum nx_status nx_question_end(struct nx_question *question, enum nx_status st,
					     struct nx_error *err);

#endif
