/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/rank_hang.h"

#include <inttypes.h>
#include <stdio.h>

#define LEAST_WAIT_NS UINT64_C(100000000)
#define LONG_FACTOR                                                                                \
	10		/* waits this many times longer than the longest one that ended are hangs  \
			 */
#define NAMED_RANKS 16u /* in a sentence */

static struct nx_rank_place *place_of(struct nx_rank_hang *hang, uint64_t rank)
{
	uint64_t index;

	if (!nx_map_get(&hang->index, rank, &index)) {
		index = hang->ranks.len;
		nx_map_put(&hang->index, rank, index);
		nx_vec_push(&hang->ranks, ((struct nx_rank_place){.rank = rank}));
	}
	return &hang->ranks.items[index];
}

/* A process may have several profiles: one that shows the end of a barrier wins. */
void nx_rank_hang_add(struct nx_rank_hang *hang, const struct nx_rank_barrier *barrier)
{
	struct nx_rank_place *place = place_of(hang, barrier->rank);
	uint64_t wait_ns = barrier->end_ns - barrier->start_ns;

	if (!barrier->is_open && wait_ns > hang->longest_ns)
		hang->longest_ns = wait_ns;
	if (barrier->end_ns > hang->last_ns)
		hang->last_ns = barrier->end_ns;
	if (!place->is_known || barrier->number > place->last.number ||
	    (barrier->number == place->last.number && !barrier->is_open))
		place->last = *barrier;
	place->is_known = true;
}

void nx_rank_hang_mention(struct nx_rank_hang *hang, uint64_t rank)
{
	(void)place_of(hang, rank);
}

static bool is_stuck(const struct nx_rank_hang *hang, const struct nx_rank_place *place)
{
	uint64_t wait_ns = hang->last_ns - place->last.start_ns;

	return place->is_known && place->last.is_open && wait_ns >= LEAST_WAIT_NS &&
	       (hang->is_reported || wait_ns / LONG_FACTOR >= hang->longest_ns);
}

/* The stuck rank whose barrier has the lowest number; NULL: none. */
static const struct nx_rank_place *find_first(const struct nx_rank_hang *hang)
{
	const struct nx_rank_place *first = NULL;

	for (size_t i = 0; i < hang->ranks.len; i++) {
		const struct nx_rank_place *place = &hang->ranks.items[i];

		if (is_stuck(hang, place) && (!first || place->last.number < first->last.number))
			first = place;
	}
	return first;
}

struct list {
	char *at, *end;
	unsigned count;
};

static void add_text(struct list *list, const char *text, uint64_t number)
{
	int len = snprintf(list->at, (size_t)(list->end - list->at), text, number);

	if (len > 0)
		list->at += len < list->end - list->at ? len : list->end - list->at - 1;
}

static void add_rank(struct list *list, uint64_t rank)
{
	if (list->count < NAMED_RANKS)
		add_text(list, list->count ? ", %" PRIu64 : "%" PRIu64, rank);
	else if (list->count == NAMED_RANKS)
		add_text(list, ", ...", 0);
	list->count++;
}

static void describe_missing(const struct nx_rank_hang *hang, uint64_t number, struct list *list)
{
	unsigned count = 0;

	for (size_t i = 0; i < hang->ranks.len; i++) {
		const struct nx_rank_place *place = &hang->ranks.items[i];

		if (place->is_known && place->last.number >= number)
			continue;
		if (count++ >= NAMED_RANKS)
			continue;
		add_text(list, count == 1 ? "Missing: rank %" PRIu64 : "; rank %" PRIu64,
			 place->rank);
		if (!place->is_known)
			add_text(list, ", which has no profile here", 0);
		else
			add_text(list, ", which got as far as collective %" PRIu64,
				 place->last.number);
	}
	if (!count)
		add_text(list, "No rank is missing: all of them entered it, and it did not end", 0);
	else if (count > NAMED_RANKS)
		add_text(list, "; and %" PRIu64 " more", count - NAMED_RANKS);
	add_text(list, ".", 0);
}

bool nx_rank_hang_describe(const struct nx_rank_hang *hang, char *text, size_t cap)
{
	const struct nx_rank_place *first = find_first(hang);
	struct list list = {.at = text, .end = text + cap};

	text[0] = '\0';
	if (!first)
		return false;
	add_text(&list, "The ranks part at collective %" PRIu64, first->last.number);
	if (first->last.execution)
		add_text(&list, " (execution %" PRIu64 ")", first->last.execution);
	add_text(&list, ", in which rank ", 0);
	list.count = 0;
	for (size_t i = 0; i < hang->ranks.len; i++)
		if (is_stuck(hang, &hang->ranks.items[i]) &&
		    hang->ranks.items[i].last.number == first->last.number)
			add_rank(&list, hang->ranks.items[i].rank);
	add_text(&list, list.count == 1 ? " has been waiting for " : " have been waiting for ", 0);
	add_text(&list, "%" PRIu64 " ms. ", (hang->last_ns - first->last.start_ns) / 1000000);
	describe_missing(hang, first->last.number, &list);
	return true;
}

void nx_rank_hang_release(struct nx_rank_hang *hang)
{
	nx_vec_release(&hang->ranks);
	nx_map_release(&hang->index);
}
