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

#endif
