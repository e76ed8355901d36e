/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lanes.h"

#include <stdbool.h>

/* Viewers drop what nests deeper than 512. */
#define MAX_DEPTH 256

/* Intervals of the lane that are still open at start, given that ends shrink inwards. */
static size_t open_at(const struct nx_lane *lane, uint64_t start)
{
	size_t count = lane->open.len;

	while (count && lane->open.items[count - 1] <= start)
		count--;
	return count;
}

static bool fits(const struct nx_lane *lane, uint64_t start, uint64_t end)
{
	size_t count = open_at(lane, start);

	return !count || (count < MAX_DEPTH && lane->open.items[count - 1] >= end);
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
	size_t at = 0;
	struct nx_lane *lane;

	if (end < start)
		end = start;
	while (at < lanes->lanes.len && !fits(&lanes->lanes.items[at], start, end))
		at++;
	if (at == lanes->lanes.len)
		nx_vec_push(&lanes->lanes, ((struct nx_lane){0}));
	lane = &lanes->lanes.items[at];
	close_down_to(lanes, at, open_at(lane, start), fn, context);
	nx_vec_push(&lane->open, end);
	return at;
}

void nx_lanes_finish(struct nx_lanes *lanes, nx_lane_end_fn fn, void *context)
{
	for (size_t i = 0; i < lanes->lanes.len; i++) {
		close_down_to(lanes, i, 0, fn, context);
		nx_vec_release(&lanes->lanes.items[i].open);
	}
	nx_vec_release(&lanes->lanes);
}
