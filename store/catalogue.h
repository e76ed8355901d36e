/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue: all profiles of a workspace at one moment, newest first: finished
 * ones, those being uploaded or processed, and what failed or was never finished, each with
 * a sentence that says what to do. It is made from the folders when asked for,
 * so it cannot disagree with them. A folder whose profile.json is missing or
 * damaged is listed as such; it hides no other.
 */
#ifndef NX_STORE_CATALOGUE_H
#define NX_STORE_CATALOGUE_H

#include "store/workspace.h"

struct nx_catalogue {
	struct nx_arena arena;
	struct nx_profile_records NX_VEC_BODY(struct nx_profile_record) records;
};

/* The caller releases, also after a failure. */
NX_MUST_CHECK enum nx_status nx_catalogue_load(struct nx_catalogue *catalogue,
					       struct nx_workspace *ws, struct nx_error *err);
void nx_catalogue_release(struct nx_catalogue *catalogue);

/* The record of that name, or "name@latest"; a finished one before others; NULL if none. */
const struct nx_profile_record *nx_catalogue_find(const struct nx_catalogue *catalogue,
						  const char *name);
/*
 * Also by key, by id, or by how the name, key or id begins. NOT_FOUND when
 * nothing does, USAGE with the first few names when several do.
 */
NX_MUST_CHECK enum nx_status nx_catalogue_match(const struct nx_catalogue *catalogue,
						const char *word,
						const struct nx_profile_record **record,
						struct nx_error *err);

#endif
