/* SPDX-License-Identifier: Apache-2.0 */
/* What a timeline draws: windows of tracks, and what their colours mean. */
#include <string.h>

#include "model/schema.h"
#include "serve/handlers.h"
#include "serve/tile.h"

struct strip {
	uint32_t track, depth;
	const struct nx_column_codes *codes;
	bool is_counter;
};

struct asked_window {
	uint64_t from_ns, to_ns, px;
	struct nx_strips NX_VEC_BODY(struct strip) strips;
	bool is_waiting; /* colours have to be made first, on the other queue */
};

static enum nx_status parse_range(const struct nx_request *request, struct asked_window *a,
				  struct nx_error *err)
{
	enum nx_status st = nx_request_need_u64(request, "from", UINT64_MAX, &a->from_ns, err);

	if (!st)
		st = nx_request_need_u64(request, "to", UINT64_MAX, &a->to_ns, err);
	if (!st)
		st = nx_request_need_u64(request, "px", NX_TILE_PX_MAX, &a->px, err);
	if (!st && (a->from_ns >= a->to_ns || !a->px))
		st = nx_fail(err, NX_USAGE, "'from' should be before 'to', and 'px' at least 1");
	return st;
}

/* "3" or "3:1" */
static enum nx_status parse_strip(const char *text, const struct nx_timeline *timeline,
				  struct nx_track *track, uint64_t *id, uint64_t *depth,
				  struct nx_error *err)
{
	size_t len = strcspn(text, ":");

	*depth = NX_ALL_DEPTHS;
	if (!nx_slice_to_u64(nx_slice_of(text, len), id) ||
	    (text[len] && !nx_slice_to_u64(nx_slice_text(text + len + 1), depth)))
		return nx_fail(err, NX_USAGE,
			       "'tracks' should be numbers such as 3 or 3:0, not '%.100s'", text);
	if (*id >= NX_TRACK_NONE || !nx_timeline_track(timeline, (uint32_t)*id, track) ||
	    track->kind == NX_TRACK_GROUP ||
	    (text[len] && *depth >= track->depth_count && track->kind == NX_TRACK_SPANS))
		return nx_fail(err, NX_NOT_FOUND, "there is no track '%.100s' to draw", text);
	return NX_OK;
}

/* Tables that have no such column, and tracks of no table, are drawn without colours. */
static enum nx_status find_codes(struct nx_open_profile *profile, const struct nx_track *track,
				 struct nx_request *request, struct strip *strip,
				 struct asked_window *a, struct nx_error *err)
{
	const char *column = nx_request_find(request, "colour");
	const struct nx_stored_table *table;
	const char *name;
	size_t field;

	if (!column || !*column || track->keys[0] >= NX_SCHEMA_TABLE_COUNT)
		return NX_OK;
	name = nx_schema_tables[track->keys[0]].name;
	if (nx_open_profile_table(profile, name, &table, NULL) ||
	    !nx_stored_table_find(table, column, &field))
		return NX_OK;
	if (nx_open_profile_codes(profile, name, column,
				  nx_request_is_slow(request) ? request : NULL, &strip->codes, err))
		return err->status;
	a->is_waiting |= !strip->codes;
	return NX_OK;
}

static enum nx_status add_strips(struct nx_open_profile *profile, struct nx_request *request,
				 const char *text, struct asked_window *a, struct nx_error *err)
{
	struct strip strip = {0};
	struct nx_track track = {0};
	uint64_t id = 0, depth = 0, depth_end;
	enum nx_status st = parse_strip(text, profile->timeline, &track, &id, &depth, err);

	if (st)
		return st;
	strip.track = (uint32_t)id;
	strip.is_counter = track.kind == NX_TRACK_COUNTER;
	if (!strip.is_counter)
		st = find_codes(profile, &track, request, &strip, a, err);
	depth_end = depth == NX_ALL_DEPTHS ? track.depth_count : depth + 1;
	depth = depth == NX_ALL_DEPTHS ? 0 : depth;
	if (strip.is_counter)
		depth = 0, depth_end = 1;
	for (; !st && depth < depth_end; depth++) {
		strip.depth = (uint32_t)depth;
		if (a->strips.len == NX_TILE_STRIPS_MAX ||
		    (a->strips.len + 1) * a->px > NX_TILE_ALL_PX_MAX)
			return nx_fail(err, NX_LIMIT,
				       "that is too much at once; ask for fewer tracks or pixels");
		nx_vec_push(&a->strips, strip);
	}
	return st;
}

static enum nx_status parse_strips(struct nx_open_profile *profile, struct nx_request *request,
				   struct asked_window *a, struct nx_error *err)
{
	const char **texts;
	size_t count;
	enum nx_status st =
		nx_request_list(request, "tracks", NX_TILE_STRIPS_MAX, &texts, &count, err);

	if (!st && !count)
		st = nx_fail(err, NX_USAGE, "the request needs the parameter 'tracks'");
	for (size_t i = 0; !st && i < count; i++)
		st = add_strips(profile, request, texts[i], a, err);
	return st;
}

static enum nx_status draw(const struct nx_timeline *timeline, struct nx_request *request,
			   const struct asked_window *a, struct nx_reply *reply,
			   struct nx_error *err)
{
	struct nx_tile tile;
	enum nx_status st = NX_OK;

	reply->type = NX_TYPE_OCTETS;
	nx_tile_begin(&tile, &reply->body, a->from_ns, a->to_ns, (uint32_t)a->px);
	for (size_t i = 0; !st && i < a->strips.len; i++) {
		const struct strip *s = &a->strips.items[i];

		st = nx_request_go_on(request, err);
		if (!st && s->is_counter)
			st = nx_tile_add_counter(&tile, timeline, s->track, err);
		else if (!st)
			st = nx_tile_add_spans(&tile, timeline, s->track, s->depth, s->codes, err);
	}
	nx_tile_end(&tile);
	return st;
}

NX_HANDLER(window)
{
	struct nx_open_profile *profile;
	const struct nx_timeline *timeline;
	struct asked_window a = {0};
	enum nx_status st = nx_open_profiles_take(nx_server_profiles(server),
						  nx_request_variable(request, "p"), &profile, err);

	if (!st)
		st = nx_open_profile_timeline(profile, &timeline, err);
	if (!st)
		st = parse_range(request, &a, err);
	if (!st)
		st = parse_strips(profile, request, &a, err);
	if (!st && a.is_waiting)
		st = nx_request_go_slow(request);
	else if (!st)
		st = draw(timeline, request, &a, reply, err);
	nx_vec_release(&a.strips);
	nx_open_profiles_return(profile);
	return st;
}

/* --- colours --------------------------------------------------------------------------------- */

static void put_values(const struct nx_column_codes *codes, struct nx_reply *reply)
{
	struct nx_json_writer w;

	nx_reply_json(reply, &w);
	nx_json_begin_object(&w);
	nx_json_key(&w, "values");
	nx_json_begin_array(&w);
	for (uint32_t i = 0; i < codes->value_count; i++)
		nx_json_slice(&w, nx_column_codes_value(codes, i));
	nx_json_end_array(&w);
	nx_json_end_object(&w);
}

NX_HANDLER(colours)
{
	struct nx_open_profile *profile = NULL;
	const struct nx_column_codes *codes = NULL;
	const char *table, *column;
	enum nx_status st = nx_request_need(request, "table", &table, err);

	if (!st)
		st = nx_request_need(request, "column", &column, err);
	if (!st)
		st = nx_open_profiles_take(nx_server_profiles(server),
					   nx_request_variable(request, "p"), &profile, err);
	if (!st)
		st = nx_open_profile_codes(profile, table, column,
					   nx_request_is_slow(request) ? request : NULL, &codes,
					   err);
	if (!st && codes)
		put_values(codes, reply);
	else if (!st)
		st = nx_request_go_slow(request);
	nx_open_profiles_return(profile);
	return st;
}
