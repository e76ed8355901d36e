/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary: the metrics of a profile, from its sums. docs/formats/json.md gives
 * each formula. A metric that the capture cannot support is left out.
 */
#ifndef NX_ANALYSE_SUMMARY_H
#define NX_ANALYSE_SUMMARY_H

#include "analyse/activity.h"
#include "model/profile.h"

struct nx_throttle_type_sum {
	uint64_t row_count;
	uint64_t duration_ns;
	double weighted_ns; /* duration times k/n */
};

struct nx_throttle_sums {    /* per graph; feed finished rows */
	uint64_t limited_ns; /* with k < n */
	double weighted_ns;
	struct nx_throttle_type_sum types[256];
	uint64_t row_count;
};

void nx_throttle_sums_add(struct nx_throttle_sums *sums, const struct nx_throttle *row);

/* Fills profile->metrics, sorted by name. throttles has graph_count entries. */
void nx_summary_build(struct nx_profile *profile, const struct nx_activity *activity,
		      const struct nx_throttle_sums *throttles);

#endif
