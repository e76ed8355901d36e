/* SPDX-License-Identifier: Apache-2.0 */
/* Insights: time ranges worth a look, and findings about the whole profile. */
#include <assert.h>
#include <math.h>

#include "analyse/insights.h"
#include "base/number.h"
#include "export/findings_report.h"
#include "model/schema.h"
#include "query/insight_facts.h"
#include "serve/handlers.h"

#define KEY "insights" /* in the cache; keys of searches contain a line break */

/* The tables whose tracks a band covers. */
static const enum nx_schema_table_id tables[NX_BAND_KIND_COUNT][2] = {
	[NX_BAND_THROTTLING] = {NX_SCHEMA_Throttle, NX_SCHEMA_Instruction},
	[NX_BAND_SMALL_DMA] = {NX_SCHEMA_DmaPacket, NX_SCHEMA_DmaPacketAggregated},
	[NX_BAND_RELOAD] = {NX_SCHEMA_DmaPacketAggregated, NX_SCHEMA_DmaPacketAggregated},
	[NX_BAND_BARRIER] = {NX_SCHEMA_Instruction, NX_SCHEMA_Instruction},
	[NX_BAND_COLLECTIVE] = {NX_SCHEMA_CcOp, NX_SCHEMA_CcOp},
};

static bool is_of_core(const struct nx_track *track, int64_t core)
{
	char digits[NX_NUMBER_MAX];
	struct nx_slice wanted = nx_slice_of(digits, nx_format_i64(digits, core));

	for (uint32_t i = 0; i < track->attribute_count; i++)
		if (nx_slice_is(track->attributes[i].key, "pcore_idx"))
			return nx_slice_equal(track->attributes[i].value, wanted);
	return true;
}

static void put_band(struct nx_json_writer *w, struct nx_request *request,
		     const struct nx_insight_rows *rows, const struct nx_band *band)
{
	int64_t core =
		band->kind == NX_BAND_THROTTLING ? rows->subjects.items[band->subject].core : -1;
	const struct nx_timeline *timeline = request->profile->timeline;
	struct nx_track track;

	assert(band->kind < NX_BAND_KIND_COUNT);
	nx_json_begin_object(w);
	nx_json_key_text(w, "kind", nx_band_texts[band->kind].name);
	nx_json_key_text(w, "title", nx_band_texts[band->kind].title);
	nx_json_key_text(w, "detail", nx_insights_detail(rows, band, &request->arena));
	nx_json_key_u64_text(w, "from_ns", band->start_ns);
	nx_json_key_u64_text(w, "to_ns", band->end_ns);
	nx_json_key_array(w, "tracks");
	for (uint32_t i = 0; timeline && nx_timeline_track(timeline, i, &track); i++)
		if (track.kind == NX_TRACK_SPANS && (core < 0 || is_of_core(&track, core)) &&
		    (track.keys[0] == tables[band->kind][0] ||
		     track.keys[0] == tables[band->kind][1]))
			nx_json_u64(w, i);
	nx_json_end_array(w);
	nx_json_end_object(w);
}

static void put_insights(struct nx_bytes *text, struct nx_request *request,
			 const struct nx_insight_facts *facts, const struct nx_insight_rows *rows)
{
	struct nx_insights insights;
	struct nx_json_writer w;

	nx_insights_conclude(&insights, facts, rows);
	nx_json_init_bytes(&w, text, false);
	nx_json_begin_object(&w);
	nx_json_key_array(&w, "bands");
	for (size_t i = 0; i < insights.bands.len; i++)
		put_band(&w, request, rows, &insights.bands.items[i]);
	nx_json_end_array(&w);
	nx_json_key_array(&w, "findings");
	for (size_t i = 0; i < insights.finding_count; i++)
		nx_finding_json(&w, &insights.findings[i]);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	nx_vec_release(&insights.bands);
}

/* Rounds the end up to a whole number of parts, in which transfers are counted. */
static void find_times(const struct nx_timeline *timeline, uint64_t *from_ns, uint64_t *to_ns)
{
	uint64_t part_ns;

	*from_ns = *to_ns = 0;
	if (!timeline || !nx_timeline_extent(timeline, from_ns, to_ns))
		return;
	part_ns = (*to_ns - *from_ns) / NX_INSIGHT_DMA_PARTS + 1;
	if (part_ns < (UINT64_MAX - *from_ns) / NX_INSIGHT_DMA_PARTS)
		*to_ns = *from_ns + part_ns * NX_INSIGHT_DMA_PARTS;
}

static enum nx_status ask(struct nx_server *server, struct nx_request *request,
			  struct nx_bytes *text, struct nx_error *err)
{
	struct nx_insight_facts facts;
	struct nx_insight_rows rows = {0};
	struct nx_query_engine engine;
	uint64_t from_ns, to_ns;
	enum nx_status st = nx_question_begin(server, request, err);

	if (st)
		return st;
	engine = nx_question_engine(request);
	find_times(request->profile->timeline, &from_ns, &to_ns);
	st = nx_insight_facts_ask(&facts, &engine, err);
	if (!st)
		st = nx_insight_rows_ask(&rows, &engine, from_ns, to_ns, &request->arena, err);
	if (!st)
		put_insights(text, request, &facts, &rows);
	nx_insight_rows_release(&rows);
	return st;
}

NX_HANDLER(insights)
{
	struct nx_answer *answer, found = {0};
	enum nx_status st = nx_request_open_profile(server, request, err);
	const char *id;

	if (st)
		return st;
	id = request->profile->record.id;
	answer = nx_answer_cache_take(server->answers, id, KEY);
	if (!answer) {
		st = ask(server, request, &found.text, err);
		if (st)
			return st;
		answer = nx_answer_cache_put(server->answers, id, KEY, &found);
	}
	reply->type = NX_TYPE_JSON;
	nx_bytes_append(&reply->body, answer->text.items, answer->text.len);
	nx_answer_cache_return(server->answers, answer);
	return NX_OK;
}
