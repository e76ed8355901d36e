/* SPDX-License-Identifier: Apache-2.0 */
/* What bound a run, and why an engine paused. */
#include <string.h>

#include "analyse/why/why.h"
#include "export/why_report.h"
#include "query/why_rows.h"
#include "serve/handlers.h"

static enum nx_status answer_gap(const struct nx_query_engine *engine, const char *place_text,
				 struct nx_reply *reply, struct nx_error *err)
{
	struct nx_stored_releases stored = {0};
	struct nx_why_gap_answer gap = {0};
	struct nx_gap_place place;
	struct nx_json_writer w;
	enum nx_status st = nx_gap_place_parse(place_text, &place, err);

	if (!st)
		st = nx_stored_releases_ask(&stored, engine, err);
	if (!st)
		st = nx_why_explain_gap(&stored.graph, stored.labels.items, place.core,
					place.engine, place.time_ps, &gap, err);
	if (!st) {
		nx_reply_json(reply, &w);
		nx_gap_json(&w, &gap);
		nx_json_end_object(&w);
	}
	nx_vec_release(&gap.pieces);
	nx_stored_releases_release(&stored);
	return st;
}

static enum nx_status answer_run(const struct nx_query_engine *engine, const char *by,
				 struct nx_reply *reply, struct nx_error *err)
{
	struct nx_why_answer answer;
	struct nx_json_writer w;
	enum nx_status st = nx_why_answer_ask(&answer, engine, by, err);

	if (!st) {
		nx_reply_json(reply, &w);
		nx_why_report_json(&w, &answer);
		nx_json_end_object(&w);
	}
	nx_why_answer_release(&answer);
	return st;
}

static enum nx_status begin(struct nx_server *server, struct nx_request *request,
			    struct nx_error *err)
{
	enum nx_status st = nx_request_open_profile(server, request, err);

	return st ? st : nx_question_begin(server, request, err);
}

NX_HANDLER(why)
{
	enum nx_status st = begin(server, request, err);
	struct nx_query_engine engine;

	if (st)
		return st;
	engine = nx_question_engine(request);
	return answer_run(&engine, nx_request_find(request, "by"), reply, err);
}

NX_HANDLER(why_gap)
{
	const char *at;
	enum nx_status st = nx_request_need(request, "at", &at, err);
	struct nx_query_engine engine;

	if (!st)
		st = begin(server, request, err);
	if (st)
		return st;
	engine = nx_question_engine(request);
	return answer_gap(&engine, at, reply, err);
}
