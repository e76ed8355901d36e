/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comparison: how measures changed between sides. With two captures or more on both sides, the
 * interval is Welch's: it needs no equal spread, and holds the true difference in 95 of 100 cases
 * if runs differ by many small causes.
 */
#ifndef NX_ANALYSE_COMPARISON_H
#define NX_ANALYSE_COMPARISON_H

#include "model/comparison.h"

/* The captures of a side; borrowed. */
struct nx_captures {
	const char *name;
	const struct nx_measures *items;
	size_t count;
};

/* Compares each side with the first. Names are borrowed from the measures. */
void nx_compare(struct nx_comparison *comparison, const struct nx_captures *sides, size_t count);

/* Half of a 95 % interval, in standard errors, with this many degrees of freedom. */
double nx_student_95(double degrees);

#endif
