/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hbm_usage: device memory over time, from allocations and releases.
 *
 * An event reports the running total of its physical core, but not which core
 * of the logical one it was. Each total continues one of the totals seen before
 * (it differs by exactly the bytes allocated or freed), so the totals form
 * chains, one per physical core, and the memory in use is their sum. The same
 * holds per category. There are no more chains than cores: a total that
 * continues none, because changes before it were lost, replaces the nearest.
 *
 * Feed changes in order of time.
 */
#ifndef NX_ANALYSE_HBM_USAGE_H
#define NX_ANALYSE_HBM_USAGE_H

#include "base/map.h"
#include "base/vec.h"
#include "model/system.h"

struct nx_hbm_change {
	uint64_t size_bytes;
	bool is_release;
	uint64_t total_bytes, category_total_bytes; /* as reported, after the change */
	unsigned core_count; /* physical cores of the logical one; 0 = not known */
};

struct nx_hbm_chains {
	struct nx_hbm_totals NX_VEC_BODY(uint64_t) totals;
};

struct nx_hbm_analysis {
	struct nx_map index; /* process, core, category -> chains */
	struct nx_hbm_chain_list NX_VEC_BODY(struct nx_hbm_chains) chains;
};

/* row has process, nc_idx and category set; fills its two sums. */
void nx_hbm_add(struct nx_hbm_analysis *a, const struct nx_hbm_change *change,
		struct nx_hbm_sample *row);
void nx_hbm_release(struct nx_hbm_analysis *a);

#endif
