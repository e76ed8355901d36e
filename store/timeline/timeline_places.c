/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/timeline_places.h"

#include "store/timeline/row_place.h"
#include "store/timeline/track_label.h"

static uint32_t group_track(struct nx_timeline_places *p, const struct nx_timeline_rule *rule,
			    const struct nx_row *row)
{
	struct nx_track_label label;
	struct nx_track track;
	uint64_t at;

	nx_track_label_group(&label, rule, row, &track);
	if (!track.name.len)
		return NX_TRACK_NONE;
	if (nx_text_map_get(&p->groups, track.name, &at))
		return (uint32_t)at;
	if (!track.rank)
		track.rank = (int64_t)p->groups.len;
	at = nx_timeline_writer_add_track(p->writer, &track);
	nx_text_map_put(&p->groups,
			nx_slice_of(nx_arena_copy(&p->arena, track.name), track.name.len), at);
	return (uint32_t)at;
}

static void add_series(struct nx_timeline_places *p, struct nx_timeline_place *place,
		       const struct nx_timeline_rule *rule, const struct nx_row *row,
		       uint32_t parent)
{
	for (unsigned i = 0; i < NX_MAX_SERIES && rule->series[i].kind; i++) {
		struct nx_track_label label;
		struct nx_track track;

		nx_track_label_series(&label, rule, row, i, p->items.len, &track);
		track.parent = parent;
		place->tracks[i] = nx_timeline_writer_add_track(p->writer, &track);
		if (rule->series[i].kind != NX_SERIES_RATE)
			continue;
		place->steps[i] = NX_NEW(&p->arena, struct nx_step_counter);
		*place->steps[i] =
			(struct nx_step_counter){.writer = p->writer, .track = place->tracks[i]};
	}
}

static uint32_t new_place(struct nx_timeline_places *p, const struct nx_timeline_rule *rule,
			  const struct nx_row *row)
{
	struct nx_timeline_place place = {.first_ns = nx_row_time_ns(row, rule->start)};
	size_t share_count = rule->last_share ? rule->last_share - rule->first_share + 1u : 0;

	add_series(p, &place, rule, row, group_track(p, rule, row));
	if (share_count)
		place.shares = NX_NEW_ARRAY(&p->arena, struct nx_place_share, share_count);
	for (size_t i = 0; i < share_count; i++)
		place.shares[i] = (struct nx_place_share){.track = NX_TRACK_NONE};
	nx_vec_push(&p->items, place);
	return (uint32_t)(p->items.len - 1);
}

static void look_up_place(struct nx_timeline_places *p, struct nx_recent_place *recent,
			  const struct nx_timeline_rule *rule, const struct nx_row *row)
{
	struct nx_slice key;
	uint64_t at;

	nx_row_place_key(rule, row, &recent->key);
	key = nx_slice_of(recent->key.items, recent->key.len);
	if (!nx_text_map_get(&p->idxs, key, &at)) {
		at = new_place(p, rule, row);
		key = nx_slice_of(nx_arena_copy(&p->arena, key), key.len);
		nx_text_map_put(&p->idxs, key, at);
	}
	recent->place = (uint32_t)at;
}

/* For rows of that key from now on. */
static void replace_place(struct nx_timeline_places *p, struct nx_recent_place *recent,
			  const struct nx_timeline_rule *rule, const struct nx_row *row)
{
	recent->place = new_place(p, rule, row);
	nx_text_map_put(&p->idxs, nx_slice_of(recent->key.items, recent->key.len), recent->place);
}

struct nx_timeline_place *nx_timeline_places_find(struct nx_timeline_places *p,
						  const struct nx_timeline_rule *rule,
						  const struct nx_row *row, uint64_t start_ns)
{
	uint64_t hash = nx_row_place_hash(rule, row);
	struct nx_recent_place *recent = &p->recent[hash >> (64 - NX_RECENT_PLACE_BITS)];

	if (!nx_row_place_is(rule, row, &recent->key))
		look_up_place(p, recent, rule, row);
	if (rule->is_by_process && start_ns < p->items.items[recent->place].last_ns)
		replace_place(p, recent, rule, row);
	p->items.items[recent->place].last_ns = start_ns;
	return &p->items.items[recent->place];
}

enum nx_status nx_timeline_places_finish(struct nx_timeline_places *p, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < p->items.len && !st; i++)
		for (unsigned k = 0; k < NX_MAX_SERIES && !st; k++)
			if (p->items.items[i].steps[k])
				st = nx_step_counter_finish(p->items.items[i].steps[k], err);
	return st;
}

void nx_timeline_places_release(struct nx_timeline_places *p)
{
	for (size_t i = 0; i < p->items.len; i++)
		for (unsigned k = 0; k < NX_MAX_SERIES; k++)
			if (p->items.items[i].steps[k])
				nx_step_counter_release(p->items.items[i].steps[k]);
	for (size_t i = 0; i < sizeof(p->recent) / sizeof(p->recent[0]); i++)
		nx_vec_release(&p->recent[i].key);
	nx_vec_release(&p->items);
	nx_text_map_release(&p->idxs);
	nx_text_map_release(&p->groups);
	nx_arena_release(&p->arena);
}
