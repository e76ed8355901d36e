/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staging: a profile that is being written.
 *
 *	struct nx_profile_record record = {.name = "bert", .kind = NX_PROFILE_DEVICE};
 *	nx_profile_record_add_source(&record, "bert.ntff", err);
 *	st = nx_staging_begin(&staging, workspace, &record, force, err);
 *	... write tables into nx_staging_path(staging), count them in record ...
 *	st = nx_staging_commit(staging, err);		or nx_staging_fail
 *
 * Readers see only a record in state "processing" until commit publishes the whole folder in one
 * step. Without force, a name that is taken is refused, at the beginning and again at the end; with
 * it, the old profile stays until the new one replaces it, and its marks are kept.
 *
 * Commit and fail both end the staging; a process that dies first leaves a record in state
 * "unfinished".
 */
#ifndef NX_STORE_STAGING_H
#define NX_STORE_STAGING_H

#include "store/workspace.h"

struct nx_staging;

/*
 * The caller fills in name, kind, key, schema_version and sources; begin sets the rest. The record
 * is borrowed until the end; tables may be added to it meanwhile.
 */
NX_MUST_CHECK enum nx_status nx_staging_begin(struct nx_staging **out, struct nx_workspace *ws,
					      struct nx_profile_record *record, bool force,
					      struct nx_error *err);

/* The folder for the tables: its absolute path, borrowed. */
const char *nx_staging_path(const struct nx_staging *s);

/* Syncs every file and publishes the profile. A failure leaves only a record in state "failed". */
NX_MUST_CHECK enum nx_status nx_staging_commit(struct nx_staging *s, struct nx_error *err);
/* Commit refuses (USAGE) if another version than this has taken the profile's place meanwhile. */
void nx_staging_expect(struct nx_staging *s, const char *id);
/* Ends the staging and leaves nothing of it, as if it had never begun. */
void nx_staging_abandon(struct nx_staging *s);
/* Discards the tables and keeps the message, which lists show until gc or the next try. */
void nx_staging_fail(struct nx_staging *s, const char *reason);

#endif
