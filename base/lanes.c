/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lanes.h"

#include <stdbool.h>

/* Viewers drop what nests deeper than 512. */
#define MAX_DEPTH 256

/* A lane that does not exist yet takes anything. */
static struct nx_lane_node leaf_of(const struct nx_lanes *lanes, size_t at)
{
	const struct nx_lane *lane = at < lanes->lanes.len ? &lanes->lanes.items[at] : NULL;
	uint64_t top;

	if (!lane || !lane->live)
		return (struct nx_lane_node){UINT64_MAX, UINT64_MAX};
	top = lane->open.items[lane->live - 1];
	return (struct nx_lane_node){top, lane->live < MAX_DEPTH ? top : 0};
}

static void join(struct nx_lane_node *nodes, size_t at)
{
	const struct nx_lane_node *a = &nodes[2 * at], *b = &nodes[2 * at + 1];

	nodes[at].soonest = a->soonest < b->soonest ? a->soonest : b->soonest;
	nodes[at].room = a->room > b->room ? a->room : b->room;
}

static void update(struct nx_lanes *lanes, size_t lane)
{
	size_t at = lanes->tree.len / 2 + lane;

	lanes->tree.items[at] = leaf_of(lanes, lane);
	while (at /= 2)
		join(lanes->tree.items, at);
}

/* There is always a lane to spare, so every interval fits somewhere. */
static void make_room(struct nx_lanes *lanes)
{
	size_t half = lanes->tree.len / 2;

	if (lanes->lanes.len < half)
		return;
	half = half ? 2 * half : 2;
	nx_vec_reserve(&lanes->tree, 2 * half);
	lanes->tree.len = 2 * half;
	for (size_t i = 0; i < half; i++)
		lanes->tree.items[half + i] = leaf_of(lanes, i);
	for (size_t i = half - 1; i; i--)
		join(lanes->tree.items, i);
}

/* Every interval ends once, so this is cheap on the whole. */
static void pass_ends(struct nx_lanes *lanes, uint64_t start)
{
	const struct nx_lane_node *nodes = lanes->tree.items;
	size_t half = lanes->tree.len / 2;

	while (nodes[1].soonest <= start) {
		size_t at = 1;
		struct nx_lane *lane;

		while (at < half)
			at = 2 * at + (nodes[2 * at].soonest > start);
		if (at - half >= lanes->lanes.len || !lanes->lanes.items[at - half].live)
			return; /* no interval: start is UINT64_MAX, the mark of an empty lane */
		lane = &lanes->lanes.items[at - half];
		while (lane->live && lane->open.items[lane->live - 1] <= start)
			lane->live--;
		update(lanes, at - half);
	}
}

static void close_down_to(struct nx_lanes *lanes, size_t at, size_t count, nx_lane_end_fn fn,
			  void *context)
{
	struct nx_lane *lane = &lanes->lanes.items[at];

	while (lane->open.len > count) {
		lane->open.len--;
		if (fn)
			fn(context, at, lane->open.items[lane->open.len]);
	}
}

size_t nx_lanes_put(struct nx_lanes *lanes, uint64_t start, uint64_t end, nx_lane_end_fn fn,
		    void *context)
{
	struct nx_lane *lane;
	size_t at = 1, half;

	if (end < start)
		end = start;
	make_room(lanes);
	pass_ends(lanes, start);
	half = lanes->tree.len / 2;
	while (at < half) /* the first lane with room */
		at = 2 * at + (lanes->tree.items[2 * at].room < end);
	at -= half;
	if (at == lanes->lanes.len)
		nx_vec_push(&lanes->lanes, ((struct nx_lane){0}));
	lane = &lanes->lanes.items[at];
	close_down_to(lanes, at, lane->live, fn, context);
	nx_vec_push(&lane->open, end);
	lane->live = lane->open.len;
	update(lanes, at);
	return at;
}

void nx_lanes_finish(struct nx_lanes *lanes, nx_lane_end_fn fn, void *context)
{
	for (size_t i = 0; i < lanes->lanes.len; i++) {
		close_down_to(lanes, i, 0, fn, context);
		nx_vec_release(&lanes->lanes.items[i].open);
	}
	nx_vec_release(&lanes->lanes);
	nx_vec_release(&lanes->tree);
}
