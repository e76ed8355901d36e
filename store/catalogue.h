/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue: all profiles of a workspace at one moment, newest first: finished ones, those being
 * uploaded or processed, and those that failed or were never finished, each with a sentence that
 * says what to do. It is built from the folders on request, so it cannot disagree with them. A
 * folder whose profile.json is missing or damaged is listed as such and hides no other.
 */
#ifndef NX_STORE_CATALOGUE_H
#define NX_STORE_CATALOGUE_H

#include "store/workspace.h"

struct nx_catalogue {
	struct nx_arena arena;
	struct nx_profile_records NX_VEC_BODY(struct nx_profile_record) records;
};

/* The caller releases the catalogue, even after a failure. */
NX_MUST_CHECK enum nx_status nx_catalogue_load(struct nx_catalogue *catalogue,
					       struct nx_workspace *ws, struct nx_error *err);
void nx_catalogue_release(struct nx_catalogue *catalogue);

/* Finds "name" or "name@latest", preferring a finished profile; NULL if there is none. */
const struct nx_profile_record *nx_catalogue_find(const struct nx_catalogue *catalogue,
						  const char *name);
/* The newest finished profile with that key, unless another one has it as its name; NULL if none.
 */
const struct nx_profile_record *nx_catalogue_find_key(const struct nx_catalogue *catalogue,
						      const char *key);
/*
 * Also accepts a key, an id, or a prefix of name, key or id. NOT_FOUND if none matches, USAGE with
 * the first few names if several do.
 */
NX_MUST_CHECK enum nx_status nx_catalogue_match(const struct nx_catalogue *catalogue,
						const char *word,
						const struct nx_profile_record **record,
						struct nx_error *err);

#endif
