/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stored_profile: writes a decoded profile as Parquet and a timeline, in the workspace or a folder
 * of the user's, or as rows in a database. Call nx_stored_find before decoding.
 */
#ifndef NX_PIPELINE_STORED_PROFILE_H
#define NX_PIPELINE_STORED_PROFILE_H

#include "model/profile.h"
#include "model/system.h"
#include "store/influx/influx_sink.h"
#include "store/ingest.h"
#include "store/profile_source.h"

#define NX_SOURCE_ROOTS_MAX 3

struct nx_store_target {
	const char *folder;    /* of the user's; NULL: the workspace */
	const char *data_path; /* of the workspace; NULL: the default one */
	const char *name;      /* NULL: made from the input's */
	const char *url;       /* of a ClickHouse server, instead of Parquet */
	bool to_influx;
	struct nx_influx_options influx;
	bool has_own_bucket; /* without influx.bucket: each profile has one, named by its key */
	const char *recipe;  /* options that decide what the rows are */
	const char *source_roots[NX_SOURCE_ROOTS_MAX]; /* of source code to copy; NULL: none */
	bool force;	 /* process again, and replace a profile of that name */
	bool may_number; /* append a number to a name that is taken */
	bool only_why;	 /* only the tables that explain the time */
	bool show_progress;
};

struct nx_stored {			/* the result */
	char name[NX_PROFILE_NAME_MAX]; /* in the workspace; "" in a folder */
	char key[NX_PROFILE_KEY_MAX];	/* of a device profile; "" for a system profile */
	char place[1024];		/* the folder of the tables, or the database */
	struct nx_ingest_counts counts;
	size_t source_count; /* source files that the profile names; 0 without roots */
	struct nx_source_copied sources;
};

/*
 * Whether the workspace already holds what would be made from these files, which have not changed
 * since; stored gets its name and key. Never with force, or when the target is not the workspace.
 */
bool nx_stored_find(const struct nx_store_target *target, enum nx_profile_kind kind,
		    const char *const *sources, size_t source_count, struct nx_stored *stored);

/* sources: the session file, then its NEFFs. */
NX_MUST_CHECK enum nx_status nx_store_device(const struct nx_store_target *target,
					     const struct nx_profile *profile,
					     const char *const *sources, size_t source_count,
					     struct nx_stored *stored, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_store_system(const struct nx_store_target *target,
					     const struct nx_system_profile *profile,
					     struct nx_stored *stored, struct nx_error *err);

#endif
