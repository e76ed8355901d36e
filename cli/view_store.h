/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_store: a profile as tables: Parquet and a timeline in the workspace or in
 * a folder of the user's, or rows in a database.
 */
#ifndef NX_CLI_VIEW_STORE_H
#define NX_CLI_VIEW_STORE_H

#include "base/progress.h"
#include "cli/view_source.h"
#include "model/profile.h"
#include "model/system.h"
#include "store/influx/influx_sink.h"
#include "store/ingest.h"

struct nx_store_view {
	const char *folder;    /* --output-file; NULL: the workspace */
	const char *data_path; /* of the workspace; NULL: the usual one */
	const char *name;      /* --display-name; NULL: made from the input's */
	const char *url;       /* --store: of a ClickHouse, instead of Parquet */
	bool to_influx;	       /* --output-format db */
	struct nx_influx_options influx;
	const char *recipe; /* options that decide what the rows are (nx_view_recipe) */
	const char *source_roots[NX_SOURCE_ROOTS_MAX]; /* NULL: none */
	bool force;
	bool may_number; /* a name that is taken gets a number behind it */
	unsigned verbosity;
};

struct nx_stored {			/* what became of it */
	char name[NX_PROFILE_NAME_MAX]; /* in the workspace; "" in a folder */
	char place[1024];		/* the folder of the tables, or the database */
	struct nx_ingest_counts counts;
};

/*
 * Whether the workspace holds what would be made from these files, which have not changed since:
 * then it need not be made again, and stored says what it is called.
 */
bool nx_store_has(const struct nx_store_view *view, enum nx_profile_kind kind,
		  const char *const *sources, size_t source_count, struct nx_stored *stored);

NX_MUST_CHECK enum nx_status nx_store_device(const struct nx_store_view *view,
					     const struct nx_profile *profile,
					     const char *session_path, const char *neff_path,
					     struct nx_stored *stored, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_store_system(const struct nx_store_view *view,
					     const struct nx_system_profile *profile,
					     struct nx_stored *stored, struct nx_error *err);
/* The last part of a path, without the slashes behind it and without suffix. */
struct nx_slice nx_store_stem(const char *path);
/* "stored as ..." */
void nx_store_say(const struct nx_stored *stored, uint64_t duration_ns);

#endif
