/* SPDX-License-Identifier: Apache-2.0 */
/*
 * related_profiles: which profiles of a workspace were captured together.
 *
 * A directory becomes several profiles: that of the system, and one of each device capture in it,
 * called "<name of the directory's profile>_<name of the capture>" when they were made
 * (begun_as). People rename profiles, so what they were made from counts before what they are
 * called.
 */
#ifndef NX_STORE_RELATED_PROFILES_H
#define NX_STORE_RELATED_PROFILES_H

#include "store/catalogue.h"

/* The finished profile of a device capture of the system profile's directory; NULL if none. */
const struct nx_profile_record *nx_related_device(const struct nx_catalogue *catalogue,
						  const struct nx_profile_record *system,
						  const char *capture);

/*
 * The system profile that a device profile was made together with, in whatever state they are;
 * NULL if none: it was made from files by itself, or the system profile is gone.
 */
const struct nx_profile_record *nx_related_parent(const struct nx_catalogue *catalogue,
						  const struct nx_profile_record *device);
/* Its times come from a simulator, or, of a system profile, those of a device in it. */
bool nx_related_is_simulated(const struct nx_catalogue *catalogue,
			     const struct nx_profile_record *record);

#define NX_RANK_NONE UINT32_MAX

struct nx_ranked_profile {
	const struct nx_profile_record *record;
	uint32_t number; /* or NX_RANK_NONE */
};

struct nx_ranks NX_VEC_BODY(struct nx_ranked_profile);

/*
 * The finished profiles that ran one model at the same time, in order of their ranks. name is what
 * the set was called when it was made, or one of its profiles is. The caller releases; records are
 * the catalogue's.
 */
void nx_related_ranks(const struct nx_catalogue *catalogue, const char *name,
		      struct nx_ranks *ranks);

#endif
