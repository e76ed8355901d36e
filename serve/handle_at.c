/* SPDX-License-Identifier: Apache-2.0 */
/* What a track has at a moment: the span, the value, or the nearest edge to snap to. */
#include <string.h>

#include "serve/handlers.h"

struct asked_at {
	uint32_t track, depth;
	uint64_t time_ns, within_ns;
	bool to_starts, to_ends; /* the nearest edge instead of the span */
	int step;		 /* 0: none */
};

static enum nx_status parse_nearest(const struct nx_request *request, struct asked_at *a,
				    struct nx_error *err)
{
	const char *nearest = nx_request_find(request, "nearest");
	enum nx_status st =
		nx_request_u64(request, "within", UINT64_MAX, UINT64_MAX, &a->within_ns, err);

	if (st || !nearest)
		return st;
	a->to_starts = !strcmp(nearest, "start") || !strcmp(nearest, "any");
	a->to_ends = !strcmp(nearest, "end") || !strcmp(nearest, "any");
	if (!a->to_starts && !a->to_ends)
		return nx_fail(err, NX_USAGE, "'nearest' should be start, end or any");
	return NX_OK;
}

static enum nx_status parse_at(const struct nx_request *request, struct asked_at *a,
			       struct nx_error *err)
{
	const char *step = nx_request_find(request, "step");
	uint64_t track, depth;
	enum nx_status st = nx_request_need_u64(request, "track", UINT32_MAX, &track, err);

	if (!st)
		st = nx_request_u64(request, "depth", 0, UINT32_MAX, &depth, err);
	if (!st)
		st = nx_request_need_u64(request, "time", UINT64_MAX, &a->time_ns, err);
	if (!st)
		st = parse_nearest(request, a, err);
	if (st)
		return st;
	a->track = (uint32_t)track;
	a->depth = (uint32_t)depth;
	if (step && strcmp(step, "1") != 0 && strcmp(step, "-1") != 0)
		return nx_fail(err, NX_USAGE, "'step' should be 1 or -1");
	a->step = !step ? 0 : *step == '-' ? -1 : 1;
	return NX_OK;
}

static enum nx_status fail_nothing(struct nx_error *err)
{
	return nx_fail(err, NX_NOT_FOUND, "there is nothing at this moment of the track");
}

/* --- spans --------------------------------------------------------------------------------- */

/* The span at the moment, or the one a step before or after it. Between spans, a step leads to the
 * nearest one on that side. */
static uint64_t find_idx(const struct nx_timeline *timeline, const struct asked_at *a)
{
	uint64_t here = nx_timeline_find(timeline, a->track, a->depth, a->time_ns);
	uint64_t next, count = nx_timeline_span_count(timeline, a->track, a->depth);

	if (!a->step)
		return here;
	next = nx_timeline_next(timeline, a->track, a->depth, a->time_ns);
	if (a->step > 0 && here != NX_SPAN_NONE)
		next = here + 1;
	if (a->step > 0)
		return next < count ? next : NX_SPAN_NONE;
	if (here != NX_SPAN_NONE)
		next = here;
	return next ? next - 1 : NX_SPAN_NONE;
}

static void put_span(const struct nx_timeline *timeline, const struct asked_at *a, uint64_t idx,
		     const uint64_t *edge_ns, struct nx_reply *reply)
{
	struct nx_json_writer w;
	struct nx_span span = {0};

	nx_timeline_span(timeline, a->track, a->depth, idx, &span);
	nx_reply_json(reply, &w);
	nx_json_key_u64(&w, "track", a->track);
	nx_json_key_u64(&w, "depth", a->depth);
	nx_json_key_u64_text(&w, "index", idx);
	nx_json_key_u64_text(&w, "row", span.row);
	nx_json_key_u64_text(&w, "start_ns", span.start_ns);
	nx_json_key_u64_text(&w, "end_ns", span.end_ns);
	nx_json_key(&w, "name");
	nx_json_slice(&w, nx_timeline_name(timeline, span.name));
	if (edge_ns)
		nx_json_key_u64_text(&w, "edge_ns", *edge_ns);
	nx_json_end_object(&w);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Spans of a depth do not overlap, so the nearest edge belongs to one of the two spans that start
 * before the moment or to the first that starts at it or later. */
static enum nx_status put_nearest(const struct nx_timeline *timeline, const struct asked_at *a,
				  struct nx_reply *reply, struct nx_error *err)
{
	uint64_t next = nx_timeline_next(timeline, a->track, a->depth, a->time_ns);
	uint64_t best = UINT64_MAX, best_idx = NX_SPAN_NONE, best_edge = 0;
	struct nx_span span;

	for (uint64_t i = next > 2 ? next - 2 : 0; i <= next; i++) {
		if (!nx_timeline_span(timeline, a->track, a->depth, i, &span))
			break;
		for (int end = 0; end < 2; end++) {
			uint64_t edge = end ? span.end_ns : span.start_ns;

			if ((end ? !a->to_ends : !a->to_starts) ||
			    distance(edge, a->time_ns) > a->within_ns ||
			    (best_idx != NX_SPAN_NONE && distance(edge, a->time_ns) >= best))
				continue;
			best = distance(edge, a->time_ns);
			best_idx = i;
			best_edge = edge;
		}
	}
	if (best_idx == NX_SPAN_NONE)
		return fail_nothing(err);
	put_span(timeline, a, best_idx, &best_edge, reply);
	return NX_OK;
}

static enum nx_status answer_span(const struct nx_timeline *timeline, const struct asked_at *a,
				  struct nx_reply *reply, struct nx_error *err)
{
	uint64_t idx;

	if (a->to_starts || a->to_ends)
		return put_nearest(timeline, a, reply, err);
	idx = find_idx(timeline, a);
	if (idx == NX_SPAN_NONE)
		return fail_nothing(err);
	put_span(timeline, a, idx, NULL, reply);
	return NX_OK;
}

/* --- counters -------------------------------------------------------------------------------- */

static enum nx_status answer_value(const struct nx_timeline *timeline, const struct asked_at *a,
				   struct nx_reply *reply, struct nx_error *err)
{
	uint64_t end_ns = a->time_ns < UINT64_MAX ? a->time_ns + 1 : UINT64_MAX;
	struct nx_timeline_window window = {a->track, 0, end_ns - 1, end_ns, 1};
	struct nx_counter_bucket bucket;
	struct nx_json_writer w;
	enum nx_status st = nx_timeline_counter(timeline, &window, &bucket, err);

	if (st)
		return st;
	if (!bucket.has_value)
		return fail_nothing(err);
	nx_reply_json(reply, &w);
	nx_json_key_u64(&w, "track", a->track);
	nx_json_key_u64_text(&w, "time_ns", a->time_ns);
	nx_json_key_f64(&w, "value", bucket.last);
	nx_json_end_object(&w);
	return NX_OK;
}

NX_HANDLER(at)
{
	const struct nx_timeline *timeline;
	struct asked_at a = {0};
	struct nx_track track;
	enum nx_status st = parse_at(request, &a, err);

	if (!st)
		st = nx_request_open_profile(server, request, err);
	if (!st)
		st = nx_open_profile_timeline(request->profile, &timeline, err);
	if (st)
		return st;
	if (!nx_timeline_track(timeline, a.track, &track) || track.kind == NX_TRACK_GROUP)
		return nx_fail(err, NX_NOT_FOUND, "there is no track %u", a.track);
	return track.kind == NX_TRACK_SPANS ? answer_span(timeline, &a, reply, err)
					    : answer_value(timeline, &a, reply, err);
}
