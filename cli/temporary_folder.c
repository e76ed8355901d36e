/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/temporary_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/durable.h"

enum nx_status nx_temporary_folder_make(struct nx_temporary_folder *folder, const char *purpose,
					struct nx_error *err)
{
	const char *chosen = getenv("TMPDIR");
	int len = snprintf(folder->path, sizeof(folder->path), "%s/neuron-explorer-%s.XXXXXX",
			   chosen && *chosen ? chosen : "/var/tmp", purpose);
	bool is_long = len < 0 || (size_t)len >= sizeof(folder->path);

	if (is_long || !mkdtemp(folder->path)) {
		int reason = is_long ? ENAMETOOLONG : errno;

		folder->path[0] = '\0';
		return nx_fail_errno(err, reason,
				     "cannot make a temporary folder; set TMPDIR to a folder that "
				     "can be written");
	}
	return NX_OK;
}

void nx_temporary_folder_remove(struct nx_temporary_folder *folder)
{
	struct nx_error ignored;

	if (folder->path[0])
		(void)!nx_durable_remove_tree(AT_FDCWD, folder->path, folder->path, &ignored);
	folder->path[0] = '\0';
}
