/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asking: runs SQL on behalf of a request.
 *
 *	st = nx_question_begin(&question, server, request, profile, err);
 *	if (!st) {
 *		st = nx_question_ask(&question, &sql, &rows, err);
 *		... read and close the rows ...
 *		st = nx_question_end(&question, st, err);
 *	}
 *
 * Takes an engine of the server's pool (query/engine_pool.h). It is stopped when the client
 * disconnects, or after half a minute for all queries of the request together. Handlers that query
 * run on the slow queue.
 */
#ifndef NX_SERVE_ASKING_H
#define NX_SERVE_ASKING_H

#include "query/engine_pool.h"
#include "query/watchdog.h"
#include "serve/open_profiles.h"
#include "serve/request.h"

#define NX_QUESTION_LIMIT_MS 30000u

struct nx_server;
struct nx_asking; /* the engines and timer of a server */
struct nx_hit_cache;
struct nx_insight_cache;

/* The timer outlives it. */
struct nx_asking *nx_asking_new(struct nx_timer *timer);
/* Requires that no query runs. */
void nx_asking_free(struct nx_asking *asking);
struct nx_hit_cache *nx_asking_hits(struct nx_asking *asking);
struct nx_insight_cache *nx_asking_insights(struct nx_asking *asking);

struct nx_question {
	struct nx_request *request;
	struct nx_engine_pool *pool;
	struct nx_duckdb *engine;
	struct nx_watchdog dog;
};

/* UNSUPPORTED, with a hint, if DuckDB is missing. */
NX_MUST_CHECK enum nx_status nx_question_begin(struct nx_question *question,
					       struct nx_server *server, struct nx_request *request,
					       const struct nx_open_profile *profile,
					       struct nx_error *err);
/* Close the rows before the next query and before the end. *rows is NULL after a failure. */
NX_MUST_CHECK enum nx_status nx_question_ask(struct nx_question *question,
					     const struct nx_bytes *sql,
					     struct nx_row_stream **rows, struct nx_error *err);
/* st is the status so far; CANCELLED by the time limit becomes LIMIT. */
NX_MUST_CHECK enum nx_status nx_question_end(struct nx_question *question, enum nx_status st,
					     struct nx_error *err);

#endif
