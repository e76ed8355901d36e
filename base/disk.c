/* SPDX-License-Identifier: Apache-2.0 */
#include "base/disk.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/path.h"

bool nx_disk_lacks(const char *folder, uint64_t size_bytes)
{
	struct statvfs facts;
	uint64_t free_blocks;

	if (statvfs(folder, &facts) || !facts.f_frsize)
		return false;
	/* Some blocks are reserved for root. */
	free_blocks = geteuid() ? facts.f_bavail : facts.f_bfree;
	return free_blocks < (size_bytes + facts.f_frsize - 1) / facts.f_frsize;
}

/* Shortens a folder to the highest one on the same file system. */
static void climb_to_mount(char *folder)
{
	struct stat here, above;

	if (stat(folder, &here))
		return;
	while (folder[1]) {
		char *slash = strrchr(folder, '/');
		char first = slash == folder ? slash[1] : slash[0];

		/* "/a" becomes "/", "/a/b" becomes "/a" */
		slash[slash == folder] = '\0';
		if (stat(folder, &above) || above.st_dev != here.st_dev) {
			slash[slash == folder] = first;
			return;
		}
	}
}

/* The folder itself, or the one of a file, without links. */
static bool find_folder(const char *path, char folder[PATH_MAX])
{
	struct nx_slice part = nx_path_folder(path);
	char given[PATH_MAX];
	struct stat facts;

	if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
		part = nx_slice_text(path);
	snprintf(given, sizeof(given), "%.*s", (int)part.len, (const char *)part.data);
	return realpath(given, folder);
}

enum nx_status nx_disk_fail_full(struct nx_error *err, const char *path, const char *what,
				 const char *remedy)
{
	char folder[PATH_MAX], mount[PATH_MAX];

	if (!find_folder(path, folder))
		return nx_fail(err, NX_NO_SPACE, "%.300s: the disk is full; free some space, or %s",
			       what, remedy);
	memcpy(mount, folder, sizeof(mount));
	climb_to_mount(mount);
	return nx_fail(err, NX_NO_SPACE,
		       "%.300s: the disk at %.200s is full, which has the folder %.200s; free some "
		       "space, or %s",
		       what, mount, folder, remedy);
}
