/* SPDX-License-Identifier: Apache-2.0 */
/*
 * related_profiles: which profiles of a workspace were captured together.
 *
 * A capture directory becomes several profiles: one for the system, and one for each device capture
 * in it, called "<name of the directory's profile>_<name of the capture>" at first (begun_as).
 * People rename profiles, so the sources of a profile count more than its name.
 */
#ifndef NX_STORE_RELATED_PROFILES_H
#define NX_STORE_RELATED_PROFILES_H

#include "store/catalogue.h"

/* The finished profile of a device capture in the system profile's directory; NULL if none. */
const struct nx_profile_record *nx_related_device(const struct nx_catalogue *catalogue,
						  const struct nx_profile_record *system,
						  const char *capture);

/*
 * The system profile that a device profile was made with, whatever their states; NULL if it was
 * made from files by itself or the system profile is gone.
 */
const struct nx_profile_record *nx_related_parent(const struct nx_catalogue *catalogue,
						  const struct nx_profile_record *device);
/* Whether its times, or those of a device in it, come from a simulator. */
bool nx_related_is_simulated(const struct nx_catalogue *catalogue,
			     const struct nx_profile_record *record);

#define NX_RANK_NONE UINT32_MAX

struct nx_ranked_profile {
	const struct nx_profile_record *record;
	uint32_t number; /* or NX_RANK_NONE */
};

struct nx_ranks NX_VEC_BODY(struct nx_ranked_profile);

#define NX_RANKS_ID_MAX 48
/* "p_" and 40 hex digits, a SHA-1 of the keys of all ranks. */
void nx_related_ranks_id(const struct nx_ranks *ranks, char id[NX_RANKS_ID_MAX]);

/*
 * The finished profiles that ran one model at the same time, ordered by rank. name is the name that
 * the set was made with, its id, or the name of one of its profiles. The caller releases the list;
 * the catalogue owns the records.
 */
void nx_related_ranks(const struct nx_catalogue *catalogue, const char *name,
		      struct nx_ranks *ranks);

#endif
