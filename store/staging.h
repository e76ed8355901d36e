/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staging: a profile in the making.
 *
 *	struct nx_profile_record record = {.name = "bert", .kind = NX_PROFILE_DEVICE};
 *	nx_profile_record_add_source(&record, "bert.ntff", err);
 *	st = nx_staging_begin(&staging, workspace, &record, force, err);
 *	... write tables into nx_staging_path(staging), count them in record ...
 *	st = nx_staging_commit(staging, err);		or nx_staging_fail, nx_staging_abort
 *
 * Readers see nothing of it but a record in state "processing" until commit
 * puts the whole folder in place in one step. Without force a name that is
 * taken is refused, at the beginning and again at the end; with it the older
 * profile stays until the new one takes its place, and its marks are kept.
 *
 * Each of commit, fail and abort ends the staging; a process that dies instead
 * leaves a record in state "unfinished".
 */
#ifndef NX_STORE_STAGING_H
#define NX_STORE_STAGING_H

#include "store/workspace.h"

struct nx_staging;

/*
 * The caller fills name, kind, key, schema_version and sources; begin sets the
 * rest. The record is borrowed until the end, and may gain tables meanwhile.
 */
NX_MUST_CHECK enum nx_status nx_staging_begin(struct nx_staging **out, struct nx_workspace *ws,
					      struct nx_profile_record *record, bool force,
					      struct nx_error *err);

/* Where the tables go: an absolute path, and the same folder opened. Both borrowed. */
const char *nx_staging_path(const struct nx_staging *s);
int nx_staging_folder(const struct nx_staging *s);

/* Syncs every file and puts the profile in place. After a failure nothing of it is left but a
 * record in state "failed". */
NX_MUST_CHECK enum nx_status nx_staging_commit(struct nx_staging *s, struct nx_error *err);
/* Throws the tables away and keeps the sentence, which lists show until gc or the next try. */
void nx_staging_fail(struct nx_staging *s, const char *reason);
/* As if it had not begun. */
void nx_staging_abort(struct nx_staging *s);

#endif
