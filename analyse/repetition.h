/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repetition: what repeated runs of a program say of its time. Times of runs are not normally
 * distributed (a few are late, none is early), so this is about medians and assumes no
 * distribution.
 */
#ifndef NX_ANALYSE_REPETITION_H
#define NX_ANALYSE_REPETITION_H

#include "model/comparison.h"

struct nx_repetition {
	size_t count;
	double median, mean, min, max;
	double mad; /* median distance to the median, times 1.4826: that of a normal deviation */
	bool has_interval;
	double low, high; /* hold the true median in 95 of 100 cases; from 6 runs on */
};

struct nx_repetition nx_repetition_of(const double *values, size_t count);

/* Beyond the median by more than 3.5 MADs and a hundredth of it. */
bool nx_repetition_is_outlier(const struct nx_repetition *r, double value);

/* How the median changed. The interval is that of 2,000 resamples of both sides (bootstrap), with
 * two runs or more on each; the same runs always give the same one. */
struct nx_change nx_repetition_change(const double *before, size_t before_count,
				      const double *after, size_t after_count);

#endif
