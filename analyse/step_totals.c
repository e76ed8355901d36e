/* SPDX-License-Identifier: Apache-2.0 */
/* Steps compared with their like, and gaps of a core over time. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/steps.h"

#define MAX_SAMPLED_GAPS ((size_t)1 << 14)
#define MAD_SCALE 1.4826
/* A step this part of the median longer may be an outlier. */
#define OUTLIER_PART 10u

static int compare_numbers(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Sorts. Of an even number the mean of the two in the middle, rounded down. */
static uint64_t median_of(uint64_t *numbers, size_t count)
{
	uint64_t low, high;

	if (!count)
		return 0;
	qsort(numbers, count, sizeof(*numbers), compare_numbers);
	low = numbers[(count - 1) / 2];
	high = numbers[count / 2];
	return low + (high - low) / 2;
}

/* --- gaps -------------------------------------------------------------------------- */

void nx_gap_sample_add(struct nx_gap_sample *sample, uint64_t duration_ns)
{
	struct nx_gap_durations *d = &sample->durations;

	if (!sample->stride)
		sample->stride = 1;
	if (sample->seen_count++ % sample->stride)
		return;
	if (d->len == MAX_SAMPLED_GAPS) {
		for (size_t i = 0; i < d->len / 2; i++)
			d->items[i] = d->items[2 * i];
		d->len /= 2;
		sample->stride *= 2;
	}
	nx_vec_push(d, duration_ns);
}

void nx_gap_sample_judge(const struct nx_gap_sample *sample, struct nx_gap_total *total)
{
	const struct nx_gap_durations *d = &sample->durations;
	struct nx_gap_durations sorted = {0};
	/* a quarter of fewer than four is one gap */
	size_t quarter = d->len / 4 ? d->len / 4 : 1;

	if (!d->len)
		return;
	for (size_t i = 0; i < d->len; i++)
		nx_vec_push(&sorted, d->items[i]);
	total->first_median_ns = median_of(sorted.items, quarter);
	total->last_median_ns = median_of(sorted.items + d->len - quarter, quarter);
	total->median_ns = median_of(sorted.items, d->len);
	total->is_growing = d->len >= NX_GROWTH_GAPS &&
			    total->last_median_ns >= 2 * total->first_median_ns &&
			    total->last_median_ns >= total->first_median_ns + NX_GROWTH_NS;
	nx_vec_release(&sorted);
}

/* --- steps -------------------------------------------------------------------------- */

/* Steps of one kind and process lie together after sorting. */
static int compare_like(const void *left, const void *right)
{
	const struct nx_step *const *l = left, *const *r = right;
	const struct nx_step *a = *l, *b = *r;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->name != b->name) { /* one copy of each, in the order they came up */
		int order = strcmp(a->name, b->name);

		return order;
	}
	if (a->is_unfinished != b->is_unfinished)
		return a->is_unfinished ? 1 : -1;
	if (a->end_ns - a->start_ns != b->end_ns - b->start_ns)
		return a->end_ns - a->start_ns > b->end_ns - b->start_ns ? -1 : 1;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static uint64_t duration_of(const struct nx_step *step)
{
	return step->end_ns - step->start_ns;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void judge_step(struct nx_step *step, struct nx_step_total *total, size_t count)
{
	double mad_ns = MAD_SCALE * (double)total->mad_ns;
	double beyond_ns = (double)duration_of(step) - (double)total->median_ns;

	if (count < NX_OUTLIER_STEPS)
		return;
	/* steps that are all alike have no MAD: any distance is beyond it */
	if (mad_ns > 0)
		step->duration_mads = beyond_ns / mad_ns;
	step->is_outlier = beyond_ns > NX_OUTLIER_MADS * mad_ns &&
			   beyond_ns > (double)total->median_ns / OUTLIER_PART;
	total->outlier_count += step->is_outlier;
}

/* Steps of one kind and process, those that ended first, the longest of them first. */
static struct nx_step_total total_of(struct nx_step **steps, size_t count, uint64_t *numbers)
{
	struct nx_step_total total = {.name = steps[0]->name,
				      .process = steps[0]->process,
				      .step_count = count,
				      .has_shares = steps[0]->has_shares};
	size_t ended = 0, late = 0;

	for (; ended < count && !steps[ended]->is_unfinished; ended++) {
		numbers[ended] = duration_of(steps[ended]);
		total.total_ns += numbers[ended];
		total.busy_ns += steps[ended]->busy_ns;
		total.runtime_ns += steps[ended]->runtime_ns;
		total.host_ns += steps[ended]->host_ns;
		steps[ended]->rank = (uint32_t)ended + 1;
	}
	total.unfinished_count = count - ended;
	if (ended) {
		total.slowest_num = steps[0]->step_num;
		total.slowest_ns = numbers[0];
	}
	total.median_ns = median_of(numbers, ended);
	for (size_t i = 0; i < ended; i++)
		numbers[i] = distance(duration_of(steps[i]), total.median_ns);
	total.mad_ns = median_of(numbers, ended);
	for (size_t i = 0; i < ended; i++)
		judge_step(steps[i], &total, ended);
	for (size_t i = 0; i < ended; i++)
		numbers[i] = steps[i]->rank_wait_ns;
	total.median_rank_wait_ns = median_of(numbers, ended);
	for (size_t i = 0; i < count; i++)
		if (steps[i]->has_late)
			numbers[late++] = steps[i]->late_ns;
	total.late_count = late;
	total.median_late_ns = median_of(numbers, late);
	return total;
}

/* The same step of all processes. Names are one copy each, so their address identifies them. */
static uint64_t step_key(const struct nx_step *step)
{
	const uint64_t words[] = {(uint64_t)(uintptr_t)step->name, step->step_num};

	return nx_hash_words(words, 2);
}

/* Where only the device was traced, its first execution has to do. */
static uint64_t arrival_ns(const struct nx_step *step)
{
	return step->first_launch_ns ? step->first_launch_ns : step->first_execution_ns;
}

struct meeting {
	uint64_t first_ns;
	uint32_t process; /* that was first */
	bool has_others;
};

/* If a process repeats a number, only the first of these steps has a meaning here. */
static void compare_processes(struct nx_step_analysis *a)
{
	NX_VEC(struct meeting) meetings = {0};
	struct nx_map by_key = {0};
	uint64_t at;

	for (size_t i = 0; i < a->steps.len; i++) {
		const struct nx_step *step = &a->steps.items[i];

		if (!arrival_ns(step))
			continue;
		if (!nx_map_get(&by_key, step_key(step), &at)) {
			nx_map_put(&by_key, step_key(step), meetings.len);
			nx_vec_push(&meetings,
				    ((struct meeting){arrival_ns(step), step->process, false}));
			continue;
		}
		assert(at < meetings.len && meetings.items);
		if (meetings.items[at].process != step->process)
			meetings.items[at].has_others = true;
		if (arrival_ns(step) < meetings.items[at].first_ns)
			meetings.items[at].first_ns = arrival_ns(step);
	}
	for (size_t i = 0; i < a->steps.len; i++) {
		struct nx_step *step = &a->steps.items[i];

		if (!arrival_ns(step) || !nx_map_get(&by_key, step_key(step), &at) ||
		    !meetings.items[at].has_others)
			continue;
		step->has_late = true;
		step->late_ns = arrival_ns(step) - meetings.items[at].first_ns;
	}
	nx_vec_release(&meetings);
	nx_map_release(&by_key);
}

void nx_step_analysis_conclude(struct nx_step_analysis *a)
{
	NX_VEC(struct nx_step *) like = {0};
	NX_VEC(uint64_t) numbers = {0};

	assert(!a->ends.len && !a->open_steps.len);
	compare_processes(a);
	for (size_t i = 0; i < a->steps.len; i++)
		nx_vec_push(&like, &a->steps.items[i]);
	nx_vec_reserve(&numbers, like.len);
	if (like.len)
		qsort(like.items, like.len, sizeof(*like.items), compare_like);
	for (size_t from = 0, to; from < like.len; from = to) {
		const struct nx_step *first = like.items[from];

		for (to = from + 1; to < like.len && like.items[to]->process == first->process &&
				    like.items[to]->name == first->name;)
			to++;
		nx_vec_push(&a->step_totals, total_of(like.items + from, to - from, numbers.items));
	}
	nx_vec_release(&like);
	nx_vec_release(&numbers);
}
