/* SPDX-License-Identifier: Apache-2.0 */
/* service_folder: names and makes the folder of a session. */
#ifndef NX_CAPTURE_SERVICE_FOLDER_H
#define NX_CAPTURE_SERVICE_FOLDER_H

#include "base/arena.h"
#include "base/error.h"

struct nx_service_folder {
	const char *root; /* absolute: <logdir>/plugins/profile */
	const char *name; /* the session's */
	const char *path; /* root/name */
};

/*
 * Makes a new folder: of that name or, if it is NULL, of the local time, as 2026_08_17_22_58_50.
 * If it exists, "_2", "_3"... is added. USAGE if the name is not that of a folder.
 */
NX_MUST_CHECK enum nx_status nx_service_folder_make(const char *logdir, const char *name,
						    struct nx_arena *arena,
						    struct nx_service_folder *folder,
						    struct nx_error *err);

/* Removes it and plugins/profile, unless there is something in them. */
void nx_service_folder_remove(const struct nx_service_folder *folder);

/* What the files of a host begin with: its address, colons and brackets as in XProf's names:
 * "localhost_9999"; "[::1]:9012" becomes "__1_9012". */
const char *nx_service_stem(const char *address, struct nx_arena *arena);

#endif
