/* SPDX-License-Identifier: Apache-2.0 */
/*
 * summary: the metrics of a profile, from its sums. docs/formats/json.md gives
 * each formula. A metric that the capture cannot support is left out.
 */
#ifndef NX_ANALYSE_SUMMARY_H
#define NX_ANALYSE_SUMMARY_H

#include "analyse/activity.h"
#include "analyse/throttle_summary.h"
#include "model/profile.h"

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
