/* SPDX-License-Identifier: Apache-2.0 */
/* What a timeline draws: windows of tracks, and what their colours mean. */
#include <string.h>

#include "model/schema.h"
#include "serve/handlers.h"
#include "serve/routes.h"
#include "serve/tile.h"

struct strip {
	uint32_t track, depth;
	const char *table; /* of its colours; NULL: it has none */
	const struct nx_column_codes *codes;
	bool is_counter;
};

/* A request, parsed; kept while it waits for the other queue. */
struct asked_window {
	struct nx_open_profile *profile; /* the request's */
	const struct nx_timeline *timeline;
	const char *column; /* of the colours */
	uint64_t from_ns, to_ns, px;
	struct nx_strips NX_VEC_BODY(struct strip) strips;
	bool lacks_codes; /* they have to be made first */
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
static enum nx_status find_codes(struct asked_window *a, const struct nx_track *track,
				 struct strip *strip, struct nx_error *err)
{
	const struct nx_stored_table *table;
	const char *name;
	enum nx_status st;
	size_t field;

	if (!a->column || !*a->column || track->keys[0] >= NX_SCHEMA_TABLE_COUNT)
		return NX_OK;
	name = nx_schema_tables[track->keys[0]].name;
	if (nx_open_profile_table(a->profile, name, &table, NULL) ||
	    !nx_stored_table_find(table, a->column, &field))
		return NX_OK;
	strip->table = name;
	st = nx_open_profile_codes(a->profile, name, a->column, NULL, &strip->codes, err);
	a->lacks_codes |= !st && !strip->codes;
	return st;
}

static enum nx_status add_strips(struct asked_window *a, const char *text, struct nx_error *err)
{
	struct strip strip = {0};
	struct nx_track track = {0};
	uint64_t id = 0, depth = 0, depth_end;
	enum nx_status st = parse_strip(text, a->timeline, &track, &id, &depth, err);

	if (st)
		return st;
	strip.track = (uint32_t)id;
	strip.is_counter = track.kind == NX_TRACK_COUNTER;
	if (!strip.is_counter)
		st = find_codes(a, &track, &strip, err);
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

static enum nx_status parse_strips(struct nx_request *request, struct asked_window *a,
				   struct nx_error *err)
{
	const char **texts;
	size_t count;
	enum nx_status st =
		nx_request_list(request, "tracks", NX_TILE_STRIPS_MAX, &texts, &count, err);

	if (!st && !count)
		st = nx_fail(err, NX_USAGE, "the request needs the parameter 'tracks'");
	for (size_t i = 0; !st && i < count; i++)
		st = add_strips(a, texts[i], err);
	return st;
}

/* The codes of a table are made once and then found. */
static enum nx_status make_codes(struct asked_window *a, struct nx_request *request,
				 struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < a->strips.len; i++) {
		struct strip *s = &a->strips.items[i];

		if (s->table && !s->codes)
			st = nx_open_profile_codes(a->profile, s->table, a->column, request,
						   &s->codes, err);
	}
	return st;
}

static NX_HANDLER(window_of_state)
{
	struct asked_window *a = request->state;
	struct nx_tile tile;
	enum nx_status st = a->lacks_codes ? make_codes(a, request, err) : NX_OK;

	(void)server;
	if (st)
		return st;
	reply->type = NX_TYPE_OCTETS;
	nx_tile_begin(&tile, &reply->body, a->from_ns, a->to_ns, (uint32_t)a->px);
	for (size_t i = 0; !st && i < a->strips.len; i++) {
		const struct strip *s = &a->strips.items[i];

		st = nx_request_go_on(request, err);
		if (!st && s->is_counter)
			st = nx_tile_add_counter(&tile, a->timeline, s->track, err);
		else if (!st)
			st = nx_tile_add_spans(&tile, a->timeline, s->track, s->depth, s->codes,
					       err);
	}
	nx_tile_end(&tile);
	return st;
}

void nx_forget_window(struct nx_request *request)
{
	struct asked_window *a = request->state;

	nx_vec_release(&a->strips);
}

NX_HANDLER(window)
{
	struct asked_window *a = NX_NEW(&request->arena, struct asked_window);
	enum nx_status st;

	request->state = a;
	a->column = nx_request_find(request, "colour");
	st = nx_request_open_profile(server, request, err);
	a->profile = request->profile;
	if (!st)
		st = nx_open_profile_timeline(a->profile, &a->timeline, err);
	if (!st)
		st = parse_range(request, a, err);
	if (!st)
		st = parse_strips(request, a, err);
	if (st || !a->lacks_codes)
		return st ? st : nx_handle_window_of_state(server, request, reply, err);
	nx_request_continue_slow(request, nx_handle_window_of_state);
	return NX_OK;
}

/* --- colours --------------------------------------------------------------------------------- */

static void put_values(const struct nx_column_codes *codes, struct nx_reply *reply)
{
	struct nx_json_writer w;

	nx_reply_json(reply, &w);
	nx_json_key_array(&w, "values");
	for (uint32_t i = 0; i < codes->value_count; i++)
		nx_json_slice(&w, nx_column_codes_value(codes, i));
	nx_json_end_array(&w);
	nx_json_end_object(&w);
}

static NX_HANDLER(colours_of_column)
{
	const struct nx_column_codes *codes;
	enum nx_status st =
		nx_open_profile_codes(request->profile, nx_request_find(request, "table"),
				      nx_request_find(request, "column"), request, &codes, err);

	(void)server;
	if (!st)
		put_values(codes, reply);
	return st;
}

NX_HANDLER(colours)
{
	const struct nx_column_codes *codes = NULL;
	const char *table, *column;
	enum nx_status st = nx_request_need(request, "table", &table, err);

	if (!st)
		st = nx_request_need(request, "column", &column, err);
	if (!st)
		st = nx_request_open_profile(server, request, err);
	if (!st)
		st = nx_open_profile_codes(request->profile, table, column, NULL, &codes, err);
	if (!st && codes)
		put_values(codes, reply);
	else if (!st)
		nx_request_continue_slow(request, nx_handle_colours_of_column);
	return st;
}
