/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of tracks in a time range: counts and durations, by name. */
#include "query/span_statistics.h"
#include "serve/handlers.h"
#include "serve/time_part.h"

#define NAMES_MAX 50u
#define TRACKS_MAX 4096u

struct asked_statistics {
	struct nx_request *request;
	const struct nx_timeline *timeline;
	struct nx_time_part part;
	struct nx_json_writer w;
};

static void put_cost(struct nx_json_writer *w, const struct nx_span_cost *cost)
{
	nx_json_key_u64_text(w, "count", cost->count);
	nx_json_key_u64_text(w, "busy_ns", cost->busy_ns);
	nx_json_key_u64_text(w, "sum_ns", cost->sum_ns);
}

static void put_names(struct asked_statistics *a, const struct nx_span_statistics *s)
{
	nx_json_key_u64(&a->w, "name_count", s->name_count);
	nx_json_key_array(&a->w, "names");
	for (size_t i = 0; i < s->name_count && i < NAMES_MAX; i++) {
		nx_json_begin_object(&a->w);
		nx_json_key(&a->w, "name");
		nx_json_slice(&a->w, nx_timeline_name(a->timeline, s->names[i].name));
		put_cost(&a->w, &s->names[i]);
		nx_json_end_object(&a->w);
	}
	nx_json_end_array(&a->w);
}

static enum nx_status put_spans(struct asked_statistics *a, uint32_t track, struct nx_error *err)
{
	const struct nx_span_part part = {track, a->part.from_ns, a->part.to_ns,
					  nx_request_is_wanted, a->request};
	struct nx_span_statistics s;
	enum nx_status st = nx_span_statistics_take(&s, a->timeline, &part, err);

	if (!st) {
		put_cost(&a->w, &s.total);
		nx_json_key_f64(&a->w, "busy_fraction",
				(double)s.total.busy_ns /
					(double)(a->part.to_ns - a->part.from_ns));
		put_names(a, &s);
	}
	nx_span_statistics_release(&s);
	return st;
}

static enum nx_status put_counter(struct asked_statistics *a, uint32_t track, struct nx_error *err)
{
	const struct nx_timeline_window window = {track, 0, a->part.from_ns, a->part.to_ns, 1};
	struct nx_counter_bucket b;
	enum nx_status st = nx_timeline_counter(a->timeline, &window, &b, err);

	if (st)
		return st;
	nx_json_key_u64_text(&a->w, "count", b.count);
	nx_json_key_f64_or_null(&a->w, "lowest", b.has_value, b.lowest);
	nx_json_key_f64_or_null(&a->w, "highest", b.has_value, b.highest);
	nx_json_key_f64_or_null(&a->w, "mean", b.has_value, b.mean);
	nx_json_key_f64_or_null(&a->w, "last", b.has_value, b.last);
	return NX_OK;
}

static enum nx_status put_track(struct asked_statistics *a, uint32_t id, struct nx_error *err)
{
	struct nx_track track;
	enum nx_status st = NX_OK;

	if (!nx_timeline_track(a->timeline, id, &track))
		return nx_fail(err, NX_NOT_FOUND, "there is no track %u", id);
	if (track.kind == NX_TRACK_GROUP)
		return NX_OK;
	nx_json_begin_object(&a->w);
	nx_json_key_u64(&a->w, "track", id);
	if (track.kind == NX_TRACK_SPANS)
		st = put_spans(a, id, err);
	else
		st = put_counter(a, id, err);
	nx_json_end_object(&a->w);
	return st ? st : nx_request_go_on(a->request, err);
}

/* Without a list: all tracks. */
static enum nx_status put_tracks(struct asked_statistics *a, struct nx_error *err)
{
	uint32_t *ids;
	size_t count;
	enum nx_status st = nx_request_tracks(a->request, TRACKS_MAX, &ids, &count, err);

	nx_json_key_array(&a->w, "tracks");
	for (size_t i = 0; !st && i < count; i++)
		st = put_track(a, ids[i], err);
	for (uint32_t i = 0; !st && !count && i < nx_timeline_track_count(a->timeline); i++)
		st = put_track(a, i, err);
	nx_json_end_array(&a->w);
	return st;
}

NX_HANDLER(statistics)
{
	struct asked_statistics a = {.request = request};
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (!st)
		st = nx_open_profile_timeline(request->profile, &a.timeline, err);
	if (!st)
		st = nx_request_time_part(request, a.timeline, &a.part, err);
	if (!st) {
		nx_reply_json(reply, &a.w);
		nx_json_key_u64_text(&a.w, "from_ns", a.part.from_ns);
		nx_json_key_u64_text(&a.w, "to_ns", a.part.to_ns);
		st = put_tracks(&a, err);
		nx_json_end_object(&a.w);
	}
	return st;
}
