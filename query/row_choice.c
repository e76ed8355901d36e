/* SPDX-License-Identifier: Apache-2.0 */
#include "query/row_choice.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"

#define BATCH_SPANS 1024u

void nx_row_choice_init(struct nx_row_choice *choice, uint64_t row_count)
{
	size_t bytes = (size_t)(row_count / 64 + 1) * sizeof(uint64_t);

	*choice = (struct nx_row_choice){
		.bits = nx_heap_alloc(bytes), .row_count = row_count, .first = UINT64_MAX};
	memset(choice->bits, 0, bytes);
}

void nx_row_choice_release(struct nx_row_choice *choice)
{
	nx_heap_free(choice->bits);
	*choice = (struct nx_row_choice){0};
}

static void widen(struct nx_row_choice *choice, uint64_t first, uint64_t last)
{
	assert(first <= last && last < choice->row_count);
	choice->first = first < choice->first ? first : choice->first;
	choice->last = last > choice->last ? last : choice->last;
}

void nx_row_choice_add(struct nx_row_choice *choice, uint64_t row)
{
	if (row >= choice->row_count)
		return;
	choice->bits[row / 64] |= UINT64_C(1) << (row % 64);
	widen(choice, row, row);
}

void nx_row_choice_add_word(struct nx_row_choice *choice, uint64_t word, uint64_t mask)
{
	uint64_t first = word * 64;

	if (!mask || word > choice->row_count / 64)
		return;
	if (choice->row_count - first < 64)
		mask &= (UINT64_C(1) << (choice->row_count - first)) - 1;
	if (!mask)
		return;
	choice->bits[word] |= mask;
	widen(choice, first + (uint64_t)__builtin_ctzll(mask),
	      first + 63 - (uint64_t)__builtin_clzll(mask));
}

static void add_depth(struct nx_row_choice *choice, const struct nx_timeline *timeline,
		      const struct nx_timeline_window *window)
{
	struct nx_span spans[BATCH_SPANS];
	uint64_t first, left = nx_timeline_rows(timeline, window, NULL, 0, &first);

	while (left) {
		size_t count =
			nx_timeline_list(timeline, window->track, window->depth, first, spans,
					 left < BATCH_SPANS ? (size_t)left : BATCH_SPANS);

		if (!count)
			return;
		for (size_t i = 0; i < count; i++)
			nx_row_choice_add(choice, spans[i].row);
		first += count;
		left -= count;
	}
}

void nx_row_choice_add_track(struct nx_row_choice *choice, const struct nx_timeline *timeline,
			     uint32_t track, uint64_t from_ns, uint64_t to_ns)
{
	struct nx_timeline_window window = {
		.track = track, .from_ns = from_ns, .to_ns = to_ns, .bucket_count = 1};
	struct nx_track found;

	if (!nx_timeline_track(timeline, track, &found) || found.kind != NX_TRACK_SPANS)
		return;
	for (; window.depth < found.depth_count; window.depth++)
		add_depth(choice, timeline, &window);
}
