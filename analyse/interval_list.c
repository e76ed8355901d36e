/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/interval_list.h"

#include <stdlib.h>

#include "base/arena.h"

void nx_interval_join(struct nx_interval *earlier, const struct nx_interval *later)
{
	if (later->end_ps > earlier->end_ps)
		earlier->end_ps = later->end_ps;
	nx_interval_sum(&earlier->element_count, later->element_count);
	nx_interval_sum(&earlier->transpose_element_count, later->transpose_element_count);
	nx_interval_sum(&earlier->hbm_bytes, later->hbm_bytes);
}

static int by_length(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static uint64_t pause_before(const struct nx_intervals *list, size_t i)
{
	uint64_t end_ps = list->items[i - 1].end_ps, start_ps = list->items[i].start_ps;

	return start_ps > end_ps ? start_ps - end_ps : 0;
}

/* The longest pause to be joined, and how many of exactly that length. */
static uint64_t longest_joined(const struct nx_intervals *list, size_t join_count, size_t *equal)
{
	uint64_t *pauses = nx_heap_alloc(list->len * sizeof(*pauses)), longest;

	for (size_t i = 1; i < list->len; i++)
		pauses[i - 1] = pause_before(list, i);
	qsort(pauses, list->len - 1, sizeof(*pauses), by_length);
	longest = pauses[join_count - 1];
	for (*equal = 0; *equal < join_count && pauses[join_count - 1 - *equal] == longest;)
		++*equal;
	nx_heap_free(pauses);
	return longest;
}

void nx_intervals_reduce(struct nx_intervals *list, size_t limit)
{
	size_t kept = 0, equal;
	uint64_t longest;

	if (list->len <= limit)
		return;
	longest = longest_joined(list, list->len - limit, &equal);
	for (size_t i = 1; i < list->len; i++) {
		uint64_t pause = pause_before(list, i);
		bool joins = pause < longest || (pause == longest && equal > 0);

		if (joins && pause == longest)
			equal--;
		if (joins)
			nx_interval_join(&list->items[kept], &list->items[i]);
		else
			list->items[++kept] = list->items[i];
	}
	list->len = kept + 1;
}

void nx_intervals_add(struct nx_intervals *list, const struct nx_interval *interval)
{
	nx_vec_push(list, *interval);
	if (list->len >= 2 * (size_t)NX_INTERVALS_MAX)
		nx_intervals_reduce(list, NX_INTERVALS_MAX);
}
