/* SPDX-License-Identifier: Apache-2.0 */
/* uploads_internal: how the workspace lists, removes and cleans up uploads. */
#ifndef NX_STORE_UPLOADS_INTERNAL_H
#define NX_STORE_UPLOADS_INTERNAL_H

#include "store/catalogue.h"
#include "store/upload.h"
#include "store/workspace_internal.h"

/* An upload without a new byte for this long is abandoned. */
#define NX_UPLOAD_PATIENCE_MS (UINT64_C(24) * 3600 * 1000)

/* Adds uploads in progress, being processed or failed; each replaces the record that its process
 * keeps in staging. */
NX_MUST_CHECK enum nx_status nx_uploads_add_records(struct nx_workspace *ws,
						    struct nx_catalogue *catalogue,
						    struct nx_error *err);

/* With the lock held: moves the uploads of that name to the trash and lists them in ids. One that
 * is being processed stays and sets *is_alive. */
NX_MUST_CHECK enum nx_status nx_uploads_discard(struct nx_workspace *ws, const char *name,
						struct nx_arena *arena, struct nx_version_ids *ids,
						bool *is_alive, struct nx_error *err);

/* With the lock held: abandoned and failed uploads, a day after their last byte. */
NX_MUST_CHECK enum nx_status nx_uploads_collect(struct nx_workspace *ws, bool is_dry_run,
						struct nx_arena *arena,
						struct nx_leftovers *leftovers,
						struct nx_version_ids *ids, struct nx_error *err);

#endif
