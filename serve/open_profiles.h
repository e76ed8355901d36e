/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open_profiles: profiles that are being looked at, kept open between requests.
 *
 *	st = nx_open_profiles_take(nx_server_profiles(server), name, &profile, err);
 *	use(profile->timeline);
 *	nx_open_profiles_return(profile);
 *
 * The least recently used of those that nobody holds is closed when there are more than
 * 16. A profile that was stored again under its name is opened anew for who comes next;
 * who holds the old one keeps it. Everything behind a profile is shared by threads:
 * timelines and tables do not change.
 *
 * What not every visitor needs is opened when it is first asked for: tables, colours and
 * engines for SQL.
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
/* Nobody holds a profile any more. */
void nx_open_profiles_free(struct nx_open_profiles *all);

/* NOT_FOUND, FORMAT and VERSION as nx_workspace_load. */
NX_MUST_CHECK enum nx_status nx_open_profiles_take(struct nx_open_profiles *all, const char *name,
						   struct nx_open_profile **profile,
						   struct nx_error *err);
void nx_open_profiles_return(struct nx_open_profile *profile); /* NULL is allowed */

/* The timeline; NOT_FOUND with a sentence when the profile has none. */
NX_MUST_CHECK enum nx_status nx_open_profile_timeline(const struct nx_open_profile *profile,
						      const struct nx_timeline **timeline,
						      struct nx_error *err);
/* Lives as long as the profile is held. NOT_FOUND when there is no such table. */
NX_MUST_CHECK enum nx_status nx_open_profile_table(struct nx_open_profile *profile,
						   const char *name,
						   const struct nx_stored_table **table,
						   struct nx_error *err);

/*
 * The codes of a column. The first time they are made, which takes a while for a large table:
 * with a request they are, as long as somebody waits for it; without, *codes is NULL then.
 */
NX_MUST_CHECK enum nx_status nx_open_profile_codes(struct nx_open_profile *profile,
						   const char *table, const char *column,
						   const struct nx_request *request,
						   const struct nx_column_codes **codes,
						   struct nx_error *err);

#endif
