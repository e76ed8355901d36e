/* SPDX-License-Identifier: Apache-2.0 */
#include "store/workspace_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "store/workspace_internal.h"

static uint64_t look_at(int folder, const char *name, const char *record, uint64_t seed)
{
	char path[512];
	struct stat st = {0};
	int len = snprintf(path, sizeof(path), "%s/%s", name, record);
	uint64_t hash = nx_fnv1a(seed, name, strlen(name));

	if (len > 0 && (size_t)len < sizeof(path) &&
	    !fstatat(folder, path, &st, AT_SYMLINK_NOFOLLOW)) {
		const uint64_t words[] = {st.st_ino, (uint64_t)st.st_mtim.tv_sec,
					  (uint64_t)st.st_mtim.tv_nsec, (uint64_t)st.st_size};

		hash = nx_fnv1a(hash, words, sizeof(words));
	}
	return hash;
}

/* The order of a listing is chance, so what is seen is added up. */
static uint64_t look_into(int folder, const char *below, const char *record, uint64_t seed)
{
	int fd = folder < 0 ? -1 : openat(folder, below, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t sum = 0;

	if (!entries && fd >= 0)
		close(fd);
	while (entries && (entry = readdir(entries)))
		if (entry->d_name[0] != '.')
			sum += look_at(fd, entry->d_name, record, seed);
	if (entries)
		closedir(entries);
	return sum;
}

uint64_t nx_workspace_fingerprint(const struct nx_workspace *ws)
{
	return look_into(ws->profiles, ".", NX_PROFILE_RECORD_FILE, NX_FNV_SEED) +
	       look_into(ws->staging, ".", NX_PROFILE_RECORD_FILE, NX_FNV_SEED + 1) +
	       look_into(ws->root, "uploads", "upload.json", NX_FNV_SEED + 2);
}
