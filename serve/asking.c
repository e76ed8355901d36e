/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/asking.h"

#include <assert.h>
#include <string.h>

#include "query/watchdog.h"
#include "serve/server.h"
#include "store/catalogue.h"
#include "store/profile_name.h"

#define QUESTION_LIMIT_MS 30000u

struct nx_question {
	struct nx_engine_pool *pool;
	struct nx_sql_child *engine;
	struct nx_watchdog dog;
};

enum nx_status nx_request_open_profile(struct nx_server *server, struct nx_request *request,
				       struct nx_error *err)
{
	assert(!request->profile);
	return nx_open_profiles_take(server->profiles, nx_request_variable(request, "p"),
				     &request->profile, err);
}

enum nx_status nx_request_open_named(struct nx_server *server, struct nx_request *request,
				     const char *name, struct nx_error *err)
{
	assert(!request->profile);
	if (nx_profile_name_check(nx_slice_text(name), NULL))
		return nx_fail(err, NX_NOT_FOUND, "there is no profile '%.100s'", name);
	return nx_open_profiles_take(server->profiles, name, &request->profile, err);
}

void nx_request_resolve_key(struct nx_server *server, struct nx_request *request)
{
	struct nx_catalogue catalogue = {0};

	for (size_t i = 0; i < request->variable_count; i++) {
		const char *word = request->variables[i].value;
		const struct nx_profile_record *found;

		if (strcmp(request->variables[i].name, "p") != 0 || !nx_profile_is_key(word) ||
		    (request->method != NX_GET && request->method != NX_POST))
			continue;
		found = nx_catalogue_load(&catalogue, server->workspace, NULL)
				? NULL
				: nx_catalogue_find_key(&catalogue, word);
		if (found)
			request->variables[i].value =
				nx_arena_copy_text(&request->arena, found->name);
		nx_catalogue_release(&catalogue);
		return;
	}
}

static void stop_engine(void *engine)
{
	nx_sql_child_stop(engine);
}

enum nx_status nx_question_begin(struct nx_server *server, struct nx_request *request,
				 struct nx_error *err)
{
	const struct nx_engine_wish wish = {request->profile->path, request->profile->record.id,
					    nx_request_is_wanted, request};
	struct nx_question *q = NX_NEW(&request->arena, struct nx_question);
	enum nx_status st;

	assert(!request->question && request->profile);
	q->pool = server->engines;
	st = nx_engine_pool_take(q->pool, &wish, &q->engine, err);
	if (st)
		return st;
	nx_watchdog_begin(&q->dog, server->timer,
			  &(struct nx_watch){.stop = stop_engine,
					     .context = q->engine,
					     .is_wanted = nx_request_is_wanted,
					     .wanted_context = request,
					     .timeout_ms = QUESTION_LIMIT_MS});
	request->question = q;
	return NX_OK;
}

enum nx_status nx_question_ask(struct nx_request *request, const struct nx_bytes *sql,
			       struct nx_row_stream **rows, struct nx_error *err)
{
	enum nx_status st = nx_request_go_on(request, err);

	assert(request->question);
	*rows = NULL;
	return st ? st
		  : nx_sql_child_query(request->question->engine, nx_slice_of(sql->items, sql->len),
				       rows, err);
}

struct nx_query_engine nx_question_engine(const struct nx_request *request)
{
	return nx_sql_child_as_engine(request->question->engine);
}

enum nx_status nx_question_end(struct nx_request *request, enum nx_status st, struct nx_error *err)
{
	struct nx_question *q = request->question;
	bool was_stopped = st == NX_CANCELLED;

	if (!q)
		return st;
	request->question = NULL;
	st = nx_watchdog_end(&q->dog, st, err);
	if (was_stopped && st == NX_LIMIT)
		nx_fail(err, NX_LIMIT, "the question took longer than %u seconds; ask for less",
			QUESTION_LIMIT_MS / 1000);
	/* after a limit it may keep memory that the next query needs */
	nx_engine_pool_return(q->pool, q->engine,
			      st != NX_IO && st != NX_CANCELLED && st != NX_LIMIT);
	return st;
}
