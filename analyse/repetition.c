/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/repetition.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAD_SCALE 1.4826
#define OUTLIER_MADS 3.5
#define OUTLIER_FRAC 0.01 /* of the median: less is not worth a look */
#define RESAMPLES 2000u

struct numbers NX_VEC_BODY(double);

static int compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_numbers);
}

static double middle(const double *sorted, size_t count)
{
	return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/*
 * The median lies between the k-th smallest and the k-th largest value unless fewer than k of all
 * are below it, or above it: a coin that shows heads fewer than k times. Returns the largest k for
 * which that happens in at most 5 of 100 cases; 0 if there is none.
 */
static size_t interval_rank(size_t count)
{
	double chance = pow(0.5, (double)count), sum = 0;
	size_t k = 0;

	if (count > 1000) /* the normal distribution is as good, and no power underflows */
		return (size_t)floor((double)count / 2 - 0.98 * sqrt((double)count));
	while (sum + chance <= 0.025) {
		sum += chance;
		chance *= (double)(count - k) / (double)(k + 1);
		k++;
	}
	return k;
}

struct nx_repetition nx_repetition_of(const double *values, size_t count)
{
	struct nx_repetition r = {.count = count};
	struct numbers sorted = {0};
	size_t rank = interval_rank(count);

	assert(count);
	for (size_t i = 0; i < count; i++) {
		nx_vec_push(&sorted, values[i]);
		r.mean += values[i] / (double)count;
	}
	sort(sorted.items, count);
	r.min = sorted.items[0];
	r.max = sorted.items[count - 1];
	r.median = middle(sorted.items, count);
	if (rank) {
		r.has_interval = true;
		r.low = sorted.items[rank - 1];
		r.high = sorted.items[count - rank];
	}
	for (size_t i = 0; i < count; i++)
		sorted.items[i] = fabs(sorted.items[i] - r.median);
	sort(sorted.items, count);
	r.mad = MAD_SCALE * middle(sorted.items, count);
	nx_vec_release(&sorted);
	return r;
}

bool nx_repetition_is_outlier(const struct nx_repetition *r, double value)
{
	double distance = fabs(value - r->median);

	return distance > OUTLIER_MADS * r->mad && distance > OUTLIER_FRAC * r->median;
}

/* Knuth's generator: enough to draw indices, and the same everywhere. */
static size_t draw(uint64_t *state, size_t count)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)((*state >> 33) % count);
}

static double resampled_median(const double *values, size_t count, double *scratch, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		scratch[i] = values[draw(state, count)];
	sort(scratch, count);
	return middle(scratch, count);
}

struct nx_change nx_repetition_change(const double *before, size_t before_count,
				      const double *after, size_t after_count)
{
	double old = nx_repetition_of(before, before_count).median;
	struct nx_change change = {
		.is_known = true,
		.difference = nx_repetition_of(after, after_count).median - old,
		.has_share = old != 0,
	};
	struct numbers scratch = {0}, differences = {0};
	uint64_t state = 1;

	if (change.has_share)
		change.relative = change.difference / old;
	if (before_count < 2 || after_count < 2)
		return change;
	nx_vec_reserve(&scratch, before_count > after_count ? before_count : after_count);
	for (unsigned i = 0; i < RESAMPLES; i++) {
		double x = resampled_median(before, before_count, scratch.items, &state);
		double y = resampled_median(after, after_count, scratch.items, &state);

		nx_vec_push(&differences, y - x);
	}
	sort(differences.items, differences.len);
	change.has_interval = true;
	change.low = differences.items[RESAMPLES / 40];
	change.high = differences.items[RESAMPLES - 1 - RESAMPLES / 40];
	nx_vec_release(&scratch);
	nx_vec_release(&differences);
	return change;
}
