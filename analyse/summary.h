/* SPDX-License-Identifier: Apache-2.0 */
/* summary: the metrics of a profile. docs/formats/json.md gives each formula. A metric that the
 * capture cannot support is left out. */
#ifndef NX_ANALYSE_SUMMARY_H
#define NX_ANALYSE_SUMMARY_H

#include "analyse/activity.h"
#include "model/profile.h"

/*
 * The cost of limits on the tensor engine's activity for one core.
 *
 * Feed the finished rows of a core, then ask for each type that occurred and for all types
 * together. As in AWS's summary, shares are of the time up to the last instruction, a type is
 * active during its rows whatever limit they set, and all types together count only rows with a
 * limit.
 */
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

/* Fills profile->metrics, sorted by name. throttles has graph_count entries. */
void nx_summary_build(struct nx_profile *profile, const struct nx_activity *activity,
		      const struct nx_throttle_sums *throttles);

/*
 * Fills profile->tensor_loads, parallel to the binary's tensors: how often and how much of each
 * tensor static DMAs brought into the state buffer. A total far above the tensor's size means that
 * it is reloaded. Needs the transfers.
 */
void nx_tensor_loads_sum(struct nx_profile *profile);

#endif
