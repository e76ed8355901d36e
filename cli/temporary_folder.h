/* SPDX-License-Identifier: Apache-2.0 */
/* temporary_folder: a folder for files that a command needs until it ends. */
#ifndef NX_CLI_TEMPORARY_FOLDER_H
#define NX_CLI_TEMPORARY_FOLDER_H

#include "base/error.h"

struct nx_temporary_folder {
	char path[512]; /* "": none */
};

/* In $TMPDIR, or /var/tmp; purpose is part of its name. */
NX_MUST_CHECK enum nx_status nx_temporary_folder_make(struct nx_temporary_folder *folder,
						      const char *purpose, struct nx_error *err);
/* With all that is in it; a zeroed one too. */
void nx_temporary_folder_remove(struct nx_temporary_folder *folder);

#endif
