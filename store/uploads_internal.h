/* SPDX-License-Identifier: Apache-2.0 */
/* uploads_internal: what the workspace does with all uploads when it lists, removes and tidies. */
#ifndef NX_STORE_UPLOADS_INTERNAL_H
#define NX_STORE_UPLOADS_INTERNAL_H

#include "store/catalogue.h"
#include "store/upload.h"
#include "store/workspace_internal.h"

/* Nothing arrived for so long: nobody is sending it any more. */
#define NX_UPLOAD_PATIENCE_MS (UINT64_C(24) * 3600 * 1000)

/* Adds what is being uploaded, and what is made or was tried to be made of it; the record that
 * its process keeps in staging is left out then. */
NX_MUST_CHECK enum nx_status nx_uploads_add_records(struct nx_workspace *ws,
						    struct nx_catalogue *catalogue,
						    struct nx_error *err);

/* With the lock held: those of that name go to the trash and into ids; *is_alive when one is
 * being processed, which stays. */
NX_MUST_CHECK enum nx_status nx_uploads_discard(struct nx_workspace *ws, const char *name,
						struct nx_arena *arena, struct nx_version_ids *ids,
						bool *is_alive, struct nx_error *err);

/* With the lock held: abandoned ones and failed ones, a day after the last byte. */
NX_MUST_CHECK enum nx_status nx_uploads_collect(struct nx_workspace *ws, bool is_dry_run,
						struct nx_arena *arena,
						struct nx_leftovers *leftovers,
						struct nx_version_ids *ids, struct nx_error *err);

#endif
