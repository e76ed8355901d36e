/* SPDX-License-Identifier: Apache-2.0 */
/*
 * asking: what a request uses of a profile: the profile itself, and SQL.
 *
 *	st = nx_request_open_profile(server, request, err);	request->profile
 *	st = nx_question_begin(server, request, err);
 *	st = nx_question_ask(request, &sql, &rows, err);
 *	... read and close the rows ...
 *
 * The frame returns the profile and the engine when the handler has returned. The engine is one of
 * the server's pool (query/engine_pool.h); it is stopped when the client disconnects, or after half
 * a minute for all queries of the request together. Handlers that query run on the slow queue.
 */
#ifndef NX_SERVE_ASKING_H
#define NX_SERVE_ASKING_H

#include "serve/open_profiles.h"

struct nx_server;

/* If {p} is the key of a finished profile, replaces it with the profile's name: URLs of AWS's tool
 * have keys. Only for requests that read. */
void nx_request_resolve_key(struct nx_server *server, struct nx_request *request);
/* The profile {p} of the route, as nx_open_profiles_take. */
NX_MUST_CHECK enum nx_status nx_request_open_profile(struct nx_server *server,
						     struct nx_request *request,
						     struct nx_error *err);
/* The same for a name from elsewhere, such as a parameter; NOT_FOUND if no profile can have it. */
NX_MUST_CHECK enum nx_status nx_request_open_named(struct nx_server *server,
						   struct nx_request *request, const char *name,
						   struct nx_error *err);
/* Requires the profile. UNSUPPORTED, with a hint, if DuckDB is missing. */
NX_MUST_CHECK enum nx_status nx_question_begin(struct nx_server *server, struct nx_request *request,
					       struct nx_error *err);
/* Close the rows before the next query and before the end. *rows is NULL after a failure. */
NX_MUST_CHECK enum nx_status nx_question_ask(struct nx_request *request, const struct nx_bytes *sql,
					     struct nx_row_stream **rows, struct nx_error *err);
struct nx_query_engine nx_question_engine(const struct nx_request *request);
/*
 * Returns the engine, if there is one, before the handler is done. st is the status so far;
 * CANCELLED by the time limit becomes LIMIT.
 */
NX_MUST_CHECK enum nx_status nx_question_end(struct nx_request *request, enum nx_status st,
					     struct nx_error *err);

#endif
