/* SPDX-License-Identifier: Apache-2.0 */
/* What a profile suggests to look at first: stretches of time, and findings over all of it. */
#include "analyse/insights.h"
#include "base/number.h"
#include "model/schema.h"
#include "query/insight_facts.h"
#include "serve/handlers.h"
#include "serve/insight_cache.h"

#define BANDS_MAX 200u
/* Stretches nearer than this part of the profile's time are drawn as one. */
#define GAP_PART 100u

struct asked_insights {
	struct nx_request *request;
	const struct nx_open_profile *profile;
	uint64_t from_ns, to_ns;
	struct nx_insight_facts facts;
	struct nx_insight_rows rows;
	struct nx_json_writer w;
};

/* Whose tracks a band lies over. */
static const struct {
	const char *name, *title;
	enum nx_schema_table_id tables[2];
} kinds[NX_BAND_KIND_COUNT] = {
	[NX_BAND_THROTTLING] = {"throttling",
				"Throttled",
				{NX_SCHEMA_Throttle, NX_SCHEMA_Instruction}},
	[NX_BAND_SMALL_DMA] = {"small_dma",
			       "Small DMA transfers",
			       {NX_SCHEMA_DmaPacket, NX_SCHEMA_DmaPacketAggregated}},
	[NX_BAND_RELOAD] = {"reload",
			    "Loaded again and again",
			    {NX_SCHEMA_DmaPacketAggregated, NX_SCHEMA_DmaPacketAggregated}},
	[NX_BAND_BARRIER] = {"barrier", "Barrier", {NX_SCHEMA_Instruction, NX_SCHEMA_Instruction}},
	[NX_BAND_COLLECTIVE] = {"collective", "Collective", {NX_SCHEMA_CcOp, NX_SCHEMA_CcOp}},
};

/* --- bands --------------------------------------------------------------------- */

static const char *detail_of(const struct asked_insights *a, const struct nx_band *band)
{
	static const struct nx_insight_subject nothing = {.name = ""};
	const struct nx_insight_subject *s =
		band->kind == NX_BAND_SMALL_DMA ? &nothing : &a->rows.subjects.items[band->subject];
	double length_ns = (double)(band->end_ns - band->start_ns);
	struct nx_arena *arena = &a->request->arena;

	switch (band->kind) {
	case NX_BAND_THROTTLING:
		return nx_arena_printf(arena, "%s took %.0f %% of the tensor engine's cycles here.",
				       s->name, length_ns > 0 ? 100 * band->weight / length_ns : 0);
	case NX_BAND_SMALL_DMA:
		return nx_arena_printf(arena,
				       "%llu of %.0f transfers move less than %d bytes each; they "
				       "hold up HBM, so times of instructions here tell little. "
				       "Join them into larger ones.",
				       (unsigned long long)band->count, band->weight,
				       NX_SMALL_DMA_BYTES);
	case NX_BAND_RELOAD:
		return nx_arena_printf(arena,
				       "%s is brought into the state buffer %.1f times, %llu bytes "
				       "in all; keep it there, or use it where it is loaded.",
				       s->name, s->factor, (unsigned long long)s->bytes);
	case NX_BAND_BARRIER:
		return "The cores wait for each other.";
	case NX_BAND_COLLECTIVE:
		return nx_arena_printf(arena, "%s of %llu bytes.", s->name,
				       (unsigned long long)s->bytes);
	case NX_BAND_KIND_COUNT:
		break;
	}
	return "";
}

static bool is_of_core(const struct nx_track *track, int64_t core)
{
	char digits[NX_NUMBER_MAX];
	struct nx_slice wanted = nx_slice_of(digits, nx_format_i64(digits, core));

	for (uint32_t i = 0; i < track->attribute_count; i++)
		if (nx_slice_is(track->attributes[i].key, "pcore_idx"))
			return nx_slice_equal(track->attributes[i].value, wanted);
	return true;
}

static void put_tracks(struct asked_insights *a, const struct nx_band *band)
{
	enum nx_band_kind kind = band->kind;
	int64_t core = kind == NX_BAND_THROTTLING ? a->rows.subjects.items[band->subject].core : -1;
	const struct nx_timeline *timeline = a->profile->timeline;
	struct nx_track track;

	nx_json_key(&a->w, "tracks");
	nx_json_begin_array(&a->w);
	for (uint32_t i = 0; timeline && nx_timeline_track(timeline, i, &track); i++)
		if (track.kind == NX_TRACK_SPANS && (core < 0 || is_of_core(&track, core)) &&
		    (track.keys[0] == kinds[kind].tables[0] ||
		     track.keys[0] == kinds[kind].tables[1]))
			nx_json_u64(&a->w, i);
	nx_json_end_array(&a->w);
}

static void put_band(struct asked_insights *a, const struct nx_band *band)
{
	nx_json_begin_object(&a->w);
	nx_json_key_text(&a->w, "kind", kinds[band->kind].name);
	nx_json_key_text(&a->w, "title", kinds[band->kind].title);
	nx_json_key_text(&a->w, "detail", detail_of(a, band));
	nx_json_key_u64_text(&a->w, "from_ns", band->start_ns);
	nx_json_key_u64_text(&a->w, "to_ns", band->end_ns);
	put_tracks(a, band);
	nx_json_end_object(&a->w);
}

static bool is_joined(enum nx_band_kind kind)
{
	return kind == NX_BAND_THROTTLING || kind == NX_BAND_RELOAD;
}

/* Those of a kind that are to be joined, then the others as they are. */
static void judge_bands(struct asked_insights *a, struct nx_bands *bands)
{
	const struct nx_bands *stored = &a->rows.bands;

	for (size_t i = 0; i < stored->len; i++)
		if (is_joined(stored->items[i].kind))
			nx_vec_push(bands, stored->items[i]);
	nx_insights_join(bands, 0, (a->to_ns - a->from_ns) / GAP_PART);
	nx_insights_small_dma(a->rows.dma_parts, NX_INSIGHT_DMA_PARTS, a->from_ns, a->to_ns, bands);
	for (size_t i = 0; i < stored->len; i++)
		if (!is_joined(stored->items[i].kind))
			nx_vec_push(bands, stored->items[i]);
}

static void put_bands(struct asked_insights *a)
{
	size_t counts[NX_BAND_KIND_COUNT] = {0};
	struct nx_bands bands = {0};

	judge_bands(a, &bands);
	nx_json_key(&a->w, "bands");
	nx_json_begin_array(&a->w);
	for (size_t i = 0; i < bands.len; i++)
		if (counts[bands.items[i].kind]++ < BANDS_MAX)
			put_band(a, &bands.items[i]);
	nx_json_end_array(&a->w);
	nx_vec_release(&bands);
}

/* --- findings ------------------------------------------------------------------ */

static void put_findings(struct asked_insights *a)
{
	struct nx_finding findings[NX_FINDINGS_MAX];
	size_t count = nx_insights_judge(&a->facts, findings);

	nx_json_key(&a->w, "findings");
	nx_json_begin_array(&a->w);
	for (size_t i = 0; i < count; i++) {
		nx_json_begin_object(&a->w);
		nx_json_key_u64(&a->w, "severity", findings[i].severity);
		nx_json_key_text(&a->w, "title", findings[i].title);
		nx_json_key_text(&a->w, "cause", findings[i].cause);
		nx_json_key_text(&a->w, "advice", findings[i].advice);
		nx_json_key_f64(&a->w, "value", findings[i].value);
		nx_json_key_text(&a->w, "unit", findings[i].unit);
		nx_json_end_object(&a->w);
	}
	nx_json_end_array(&a->w);
}

static void put_answer(struct asked_insights *a, struct nx_reply *reply)
{
	nx_reply_json(reply, &a->w);
	nx_json_begin_object(&a->w);
	put_bands(a);
	put_findings(a);
	nx_json_end_object(&a->w);
}

static enum nx_status ask(struct asked_insights *a, struct nx_server *server, struct nx_error *err)
{
	struct nx_query_engine engine;
	struct nx_question question;
	enum nx_status st = nx_question_begin(&question, server, a->request, a->profile, err);

	if (st)
		return st;
	engine = nx_duckdb_as_engine(question.engine);
	st = nx_insight_facts_ask(&a->facts, &engine, err);
	if (!st)
		st = nx_insight_rows_ask(&a->rows, &engine, a->from_ns, a->to_ns,
					 &a->request->arena, err);
	return nx_question_end(&question, st, err);
}

/* As many equal parts as transfers are counted in, so the end may lie a little later. */
static void find_times(struct asked_insights *a)
{
	uint64_t part_ns;

	if (!nx_timeline_extent(a->profile->timeline, &a->from_ns, &a->to_ns))
		return;
	part_ns = (a->to_ns - a->from_ns) / NX_INSIGHT_DMA_PARTS + 1;
	if (part_ns < (UINT64_MAX - a->from_ns) / NX_INSIGHT_DMA_PARTS)
		a->to_ns = a->from_ns + part_ns * NX_INSIGHT_DMA_PARTS;
}

NX_HANDLER(insights)
{
	struct nx_insight_cache *cache = nx_asking_insights(nx_server_asking(server));
	struct asked_insights a = {.request = request};
	struct nx_open_profile *profile;
	enum nx_status st = nx_open_profiles_take(nx_server_profiles(server),
						  nx_request_variable(request, "p"), &profile, err);

	if (st)
		return st;
	a.profile = profile;
	if (nx_insight_cache_get(cache, profile->record.id, &reply->body)) {
		reply->type = NX_TYPE_JSON;
	} else {
		if (profile->timeline)
			find_times(&a);
		st = ask(&a, server, err);
		if (!st) {
			put_answer(&a, reply);
			nx_insight_cache_put(cache, profile->record.id,
					     nx_slice_of(reply->body.items, reply->body.len));
		}
		nx_insight_rows_release(&a.rows);
	}
	nx_open_profiles_return(profile);
	return st;
}
