/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_profiles: recently used profiles, kept open between requests.
 *
 *	st = nx_open_profiles_take(nx_server_profiles(server), name, &profile, err);
 *	use(profile->timeline);
 *	nx_open_profiles_return(profile);
 *
 * If there are more than 16, the least recently used one that is not held is closed. A
 * profile that was stored again under its name is reopened for the next request; holders
 * of the old one keep it. Threads share a profile: timelines and tables do not change.
 *
 * Tables, colours and SQL engines are opened on first use.
 */
#ifndef NX_SERVE_OPEN_PROFILES_H
#define NX_SERVE_OPEN_PROFILES_H

#include "query/column_codes.h"
#include "query/duckdb.h"
#include "query/stored_table.h"
#include "serve/request.h"
#include "store/timeline/timeline.h"
#include "store/workspace.h"

#define NX_OPEN_PROFILES_MAX 16

struct nx_open_profiles;

struct nx_open_profile {
	const char *name;
	struct nx_profile_record record; /* as it was when it was opened */
	struct nx_timeline *timeline;	 /* NULL: it has none */
	struct nx_profile_folder folder; /* of its tables, possibly none */
	const char *path;
};

struct nx_open_profiles *nx_open_profiles_new(struct nx_workspace *workspace);
/* Requires that no profile is held. */
void nx_open_profiles_free(struct nx_open_profiles *all);

/* NOT_FOUND, FORMAT and VERSION as nx_workspace_load. */
NX_MUST_CHECK enum nx_status nx_open_profiles_take(struct nx_open_profiles *all, const char *name,
						   struct nx_open_profile **profile,
						   struct nx_error *err);
void nx_open_profiles_return(struct nx_open_profile *profile); /* profile may be NULL */

/* FORMAT, with the remedy, if a part of a file could not be read since it was opened. The next take
 * opens the files again. */
NX_MUST_CHECK enum nx_status nx_open_profile_check(struct nx_open_profile *profile,
						   struct nx_error *err);

/* The timeline; NOT_FOUND if the profile has none. */
NX_MUST_CHECK enum nx_status nx_open_profile_timeline(const struct nx_open_profile *profile,
						      const struct nx_timeline **timeline,
						      struct nx_error *err);
/* Lives as long as the profile is held. NOT_FOUND when there is no such table. */
NX_MUST_CHECK enum nx_status nx_open_profile_table(struct nx_open_profile *profile,
						   const char *name,
						   const struct nx_stored_table **table,
						   struct nx_error *err);

/*
 * The codes of a column. Making them on first use takes a while for a large table: with a
 * request, makes them unless its client disconnects; without, sets *codes to NULL.
 */
NX_MUST_CHECK enum nx_status nx_open_profile_codes(struct nx_open_profile *profile,
						   const char *table, const char *column,
						   struct nx_request *request,
						   const struct nx_column_codes **codes,
						   struct nx_error *err);

#endif
