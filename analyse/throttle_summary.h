/* SPDX-License-Identifier: Apache-2.0 */
/*
 * throttle_summary: what limits on the tensor engine's activity cost one core.
 *
 * Feed the finished rows of a core, then ask for each type that occurred and for all types
 * together. Shares are of the time up to the profile's last instruction, as in AWS's summary.
 * There a type is active while its rows last, whatever limit they set; all types together
 * count only what was really limited.
 */
#ifndef NX_ANALYSE_THROTTLE_SUMMARY_H
#define NX_ANALYSE_THROTTLE_SUMMARY_H

#include "model/rows.h"

#define NX_THROTTLE_TYPES 256

struct nx_throttle_type_sum {
	uint64_t row_count;
	uint64_t duration_ns;
	double weighted_ns; /* duration times k/n */
};

struct nx_throttle_sums {    /* of one core */
	uint64_t limited_ns; /* with k < n */
	double weighted_ns;
	struct nx_throttle_type_sum types[NX_THROTTLE_TYPES];
	uint64_t row_count;
};

struct nx_throttle_cost {
	uint64_t active_ns;
	double active_frac;
	double limit_frac; /* mean of k/n, weighted by time: 1 is no limit */
};

void nx_throttle_sums_add(struct nx_throttle_sums *sums, const struct nx_throttle *row);

/* last_ns is the end of the profile's last instruction. */
struct nx_throttle_cost nx_throttle_cost_of_type(const struct nx_throttle_sums *sums, unsigned type,
						 uint64_t last_ns);
struct nx_throttle_cost nx_throttle_cost_of_all(const struct nx_throttle_sums *sums,
						uint64_t last_ns);

#endif
