/* SPDX-License-Identifier: Apache-2.0 */
/* tables_options: what the writers of tables need in addition to the profile. */
#ifndef NX_TABLES_TABLES_OPTIONS_H
#define NX_TABLES_TABLES_OPTIONS_H

#include "base/progress.h"

struct nx_tables_options {
	const char *profile_name;     /* as the user calls it; NULL: the session file's */
	const char *explorer_version; /* of this program; NULL: left out */
	struct nx_progress *progress; /* counts rows; may be NULL */
};

#endif
