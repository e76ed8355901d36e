/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hbm_places: what each memory of a device holds, by purpose, over time.
 *
 * A sample of hbm_usage states what a logical core has taken, in all and for one purpose, wherever
 * it lies. The differences to its sample before are what the change put into, or took out of, the
 * memory that the sample names; several cores and processes may share that memory.
 *
 * A trace may begin late: what was taken before is in the total from the first sample on, but its
 * purpose shows only with the next change of that kind.
 *
 * Add samples of all processes in order of time.
 */
#ifndef NX_ANALYSE_HBM_PLACES_H
#define NX_ANALYSE_HBM_PLACES_H

#include "base/map.h"
#include "base/vec.h"
#include "model/system.h"

#define NX_HBM_PURPOSES 32 /* as many as a caller may distinguish */

struct nx_hbm_place {
	uint64_t total_bytes;
	uint64_t bytes[NX_HBM_PURPOSES];
};

struct nx_hbm_places {
	struct nx_map index; /* instance, device, memory -> place */
	struct nx_hbm_place_list NX_VEC_BODY(struct nx_hbm_place) places;
	struct nx_map taken; /* process, core, category or all -> bytes in the sample before */
};

/*
 * The place after the change, borrowed until the next call. instance is any number that processes
 * of one instance share; purpose, below NX_HBM_PURPOSES, is the caller's for the
 * sample's category.
 */
const struct nx_hbm_place *nx_hbm_places_add(struct nx_hbm_places *p, uint32_t instance,
					     const struct nx_hbm_sample *sample, unsigned purpose);
void nx_hbm_places_release(struct nx_hbm_places *p);

#endif
