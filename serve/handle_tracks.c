/* SPDX-License-Identifier: Apache-2.0 */
/* The tracks of a timeline in the order in which they are shown, and the names of spans. */
#include <assert.h>
#include <stdlib.h>

#include "model/schema.h"
#include "serve/handlers.h"

#define NAMES_MAX 10000u

struct ordered_track {
	struct nx_track track;
	uint32_t id;
};

/* By parent, so that the children of one lie together; roots, whose parent is the largest, last. */
static int compare(const void *a, const void *b)
{
	const struct ordered_track *x = a, *y = b;

	if (x->track.parent != y->track.parent)
		return x->track.parent < y->track.parent ? -1 : 1;
	if (x->track.rank != y->track.rank)
		return x->track.rank < y->track.rank ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

struct forest {
	struct ordered_track *tracks; /* as compare orders them */
	uint32_t *first_child;	      /* of each id, in tracks; after the last, the roots' */
	uint32_t count;
};

static void plant(struct forest *f, const struct nx_timeline *timeline, struct nx_arena *arena)
{
	f->count = nx_timeline_track_count(timeline);
	f->tracks = NX_NEW_ARRAY(arena, struct ordered_track, f->count);
	f->first_child = NX_NEW_ARRAY(arena, uint32_t, (size_t)f->count + 1);
	for (uint32_t i = 0; i < f->count; i++) {
		f->tracks[i].id = i;
		nx_timeline_track(timeline, i, &f->tracks[i].track);
	}
	if (f->count)
		qsort(f->tracks, f->count, sizeof(*f->tracks), compare);
	for (uint32_t i = 0; i <= f->count; i++)
		f->first_child[i] = f->count;
	for (uint32_t i = f->count; i-- > 0;) {
		uint32_t parent = f->tracks[i].track.parent;

		f->first_child[parent < f->count ? parent : f->count] = i;
	}
}

static void put_attributes(struct nx_json_writer *w, const struct nx_track *track)
{
	nx_json_key(w, "attributes");
	nx_json_begin_object(w);
	for (uint32_t i = 0; i < track->attribute_count; i++) {
		nx_json_key_slice(w, track->attributes[i].key);
		nx_json_slice(w, track->attributes[i].value);
	}
	nx_json_end_object(w);
}

/* When the last span of any depth starts. */
static uint64_t last_start(const struct nx_timeline *timeline, const struct nx_track *track,
			   uint32_t id)
{
	uint64_t latest_ns = 0, count;
	struct nx_span span;

	for (uint32_t d = 0; d < track->depth_count; d++) {
		count = nx_timeline_span_count(timeline, id, d);
		if (count && nx_timeline_span(timeline, id, d, count - 1, &span) &&
		    span.start_ns > latest_ns)
			latest_ns = span.start_ns;
	}
	return latest_ns;
}

static void put_track(struct nx_json_writer *w, const struct nx_timeline *timeline,
		      const struct nx_track *track, uint32_t id)
{
	static const char *const kinds[NX_TRACK_KIND_COUNT] = {"group", "spans", "counter"};
	bool has_table = track->kind != NX_TRACK_GROUP && track->keys[0] < NX_SCHEMA_TABLE_COUNT;

	assert(track->kind < NX_TRACK_KIND_COUNT);
	nx_json_begin_object(w);
	nx_json_key_u64(w, "id", id);
	nx_json_key_u64_or_null(w, "parent", track->parent != NX_TRACK_NONE, track->parent);
	nx_json_key_text(w, "kind", kinds[track->kind]);
	nx_json_key(w, "name");
	nx_json_slice(w, track->name);
	nx_json_key(w, "unit");
	nx_json_slice(w, track->unit);
	nx_json_key_text_or_null(w, "table",
				 has_table ? nx_schema_tables[track->keys[0]].name : NULL);
	nx_json_key_u64(w, "depth_count", track->depth_count);
	nx_json_key_u64_text(w, "row_count", track->row_count);
	nx_json_key_u64_text(w, "lost_count", track->lost_count);
	if (track->row_count) {
		nx_json_key_u64_text(w, "first_ns", track->first_ns);
		nx_json_key_u64_text(w, "last_ns", track->last_ns);
	}
	if (track->row_count && track->kind == NX_TRACK_SPANS)
		nx_json_key_u64_text(w, "last_start_ns", last_start(timeline, track, id));
	put_attributes(w, track);
	nx_json_end_object(w);
}

/*
 * Depth first without recursion: a stack of places among siblings. A parent is always
 * declared before its children, so there are no circles.
 */
static void put_forest(struct nx_json_writer *w, const struct nx_timeline *timeline,
		       const struct forest *f, struct nx_arena *arena)
{
	uint32_t *stack = NX_NEW_ARRAY(arena, uint32_t, (size_t)f->count + 1);
	size_t height = 0;

	stack[height++] = f->first_child[f->count];
	while (height) {
		uint32_t at = stack[height - 1];
		const struct ordered_track *t = &f->tracks[at];

		if (at >= f->count) {
			height--;
			continue;
		}
		assert(height <= f->count);
		put_track(w, timeline, &t->track, t->id);
		stack[height - 1] =
			at + 1 < f->count && f->tracks[at + 1].track.parent == t->track.parent
				? at + 1
				: f->count;
		stack[height++] = f->first_child[t->id];
	}
}

NX_HANDLER(tracks)
{
	const struct nx_timeline *timeline;
	uint64_t from_ns = 0, to_ns = 0;
	struct nx_json_writer w;
	struct forest forest;
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (!st)
		st = nx_open_profile_timeline(request->profile, &timeline, err);
	if (st)
		return st;
	nx_timeline_extent(timeline, &from_ns, &to_ns);
	plant(&forest, timeline, &request->arena);
	nx_reply_json(reply, &w);
	nx_json_key_u64_text(&w, "from_ns", from_ns);
	nx_json_key_u64_text(&w, "to_ns", to_ns);
	nx_json_key_u64(&w, "name_count", nx_timeline_name_count(timeline));
	nx_json_key_array(&w, "tracks");
	put_forest(&w, timeline, &forest, &request->arena);
	nx_json_end_array(&w);
	nx_json_end_object(&w);
	return NX_OK;
}

/* --- names -------------------------------------------------------------------------------- */

static enum nx_status put_listed(struct nx_json_writer *w, const struct nx_timeline *timeline,
				 const char **ids, size_t count, struct nx_error *err)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t id;

		if (!nx_slice_to_u64(nx_slice_text(ids[i]), &id))
			return nx_fail(err, NX_USAGE, "'ids' should be whole numbers, not '%.100s'",
				       ids[i]);
		nx_json_slice(w, id < NX_NAME_NONE ? nx_timeline_name(timeline, (uint32_t)id)
						   : (struct nx_slice){0});
	}
	return NX_OK;
}

static enum nx_status put_page(struct nx_json_writer *w, const struct nx_timeline *timeline,
			       const struct nx_request *request, struct nx_error *err)
{
	uint32_t total = nx_timeline_name_count(timeline);
	uint64_t offset, limit;
	enum nx_status st = nx_request_u64(request, "offset", 0, UINT32_MAX, &offset, err);

	if (!st)
		st = nx_request_u64(request, "limit", NAMES_MAX, NAMES_MAX, &limit, err);
	for (uint64_t i = offset; !st && i < total && i < offset + limit; i++)
		nx_json_slice(w, nx_timeline_name(timeline, (uint32_t)i));
	return st;
}

NX_HANDLER(names)
{
	const struct nx_timeline *timeline;
	struct nx_json_writer w;
	const char **ids;
	size_t count;
	enum nx_status st = nx_request_open_profile(server, request, err);

	if (!st)
		st = nx_open_profile_timeline(request->profile, &timeline, err);
	if (!st)
		st = nx_request_list(request, "ids", NAMES_MAX, &ids, &count, err);
	if (st)
		return st;
	nx_reply_json(reply, &w);
	nx_json_key_array(&w, "names");
	st = count ? put_listed(&w, timeline, ids, count, err)
		   : put_page(&w, timeline, request, err);
	nx_json_end_array(&w);
	nx_json_key_u64_text(&w, "total", nx_timeline_name_count(timeline));
	nx_json_end_object(&w);
	return st;
}
