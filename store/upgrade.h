/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upgrade: profiles whose tables were stored by an older program.
 *
 * A step reads the tables of one version and writes those of NX_STORE_VERSION
 * into a staging folder, which is then put in place like any other profile: a
 * kill leaves the older version or the newer one. Versions without a step have to be
 * processed again from their capture.
 */
#ifndef NX_STORE_UPGRADE_H
#define NX_STORE_UPGRADE_H

#include "store/workspace.h"

struct nx_upgrade_step {
	uint32_t from;
	/* Paths of two folders; row counts and schema_version may be changed in the record. */
	enum nx_status (*run)(const char *old_folder, const char *new_folder,
			      struct nx_profile_record *record, struct nx_error *err);
};

/* Steps end with a zeroed row. The list of this program: */
extern const struct nx_upgrade_step nx_upgrade_steps[];

/*
 * Brings the profile to NX_STORE_VERSION; one that is there already is left
 * alone. VERSION when no step leads there, or when it is newer.
 */
NX_MUST_CHECK enum nx_status nx_upgrade_profile(struct nx_workspace *ws, const char *name,
						const struct nx_upgrade_step *steps,
						struct nx_error *err);

#endif
