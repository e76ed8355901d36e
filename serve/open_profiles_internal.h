/* SPDX-License-Identifier: Apache-2.0 */
/* open_profiles_internal: an open profile and what is opened for it on demand. */
#ifndef NX_SERVE_OPEN_PROFILES_INTERNAL_H
#define NX_SERVE_OPEN_PROFILES_INTERNAL_H

#include <pthread.h>

#include "serve/open_profiles.h"

struct nx_profile_sight { /* detects a change on disk */
	uint64_t folder_inode, record_inode;
	int64_t record_ns;
};

struct nx_held_codes {
	const char *table, *column, *path;
	pthread_mutex_t making; /* held while they are made */
	struct nx_column_codes codes;
	bool is_open; /* under the profile's lock */
};

struct nx_held_profile {
	struct nx_open_profile open; /* first: what handlers see */
	struct nx_open_profiles *all;
	struct nx_arena arena;
	struct nx_profile_sight sight;
	unsigned holder_count; /* these under the list's lock */
	bool is_forgotten;
	uint64_t last_use;
	pthread_mutex_t lock; /* of all below */
	struct nx_held_tables NX_VEC_BODY(struct nx_stored_table *) tables;
	struct nx_held_code_list NX_VEC_BODY(struct nx_held_codes *) codes;
	struct nx_arena parts_arena;
};

void nx_held_profile_release_parts(struct nx_held_profile *profile);

#endif
