/* SPDX-License-Identifier: Apache-2.0 */
/* upload_profile: how an upload becomes a profile, before and after the child that makes it. */
#ifndef NX_SERVE_UPLOAD_PROFILE_H
#define NX_SERVE_UPLOAD_PROFILE_H

#include "store/upload.h"

/* Archives of source code become folders. */
NX_MUST_CHECK enum nx_status nx_upload_profile_unpack(struct nx_workspace *ws,
						      const struct nx_upload *u,
						      struct nx_arena *arena, struct nx_error *err);
/* The arguments of the child, after the program name. */
const char *const *nx_upload_profile_arguments(struct nx_workspace *ws, const struct nx_upload *u,
					       const char *status_file, struct nx_arena *arena);
/* The child's message without the paths of the workspace, which users need not know. */
const char *nx_upload_profile_reason(const struct nx_workspace *ws, const char *id,
				     const char *sentence, struct nx_arena *arena);
/* Gives its profiles their source code and label, and ends the upload. */
NX_MUST_CHECK enum nx_status nx_upload_profile_finish(struct nx_workspace *ws,
						      const struct nx_upload *u,
						      struct nx_error *err);

#endif
