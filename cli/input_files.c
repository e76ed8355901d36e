/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bare/bits.h"
#include "base/path.h"
#include "format/neff.h"
#include "format/ntff.h"

#define HEAD_BYTES 16

enum kind { KIND_UNKNOWN, KIND_NEFF, KIND_SESSION };

/* A NEFF begins with its package version and the size of its header, an NTFF with its version. */
static enum kind kind_of(const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	uint8_t head[HEAD_BYTES];
	ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));
	uint64_t package;

	if (fd >= 0)
		close(fd);
	if (got != HEAD_BYTES)
		return KIND_UNKNOWN;
	package = nx_load64(head);
	if ((package == 1 || package == 2) && nx_load64(head + 8) == NX_NEFF_HEADER_BYTES)
		return KIND_NEFF;
	return head[0] >= NX_NTFF_OLDEST_VERSION && head[0] <= NX_NTFF_NEWEST_VERSION
		       ? KIND_SESSION
		       : KIND_UNKNOWN;
}

enum nx_status nx_input_files_check(const struct nx_input_files *f, struct nx_error *err)
{
	bool is_neff = kind_of(f->session_path) == KIND_NEFF;
	bool is_session = kind_of(f->neff_path) == KIND_SESSION;

	if (is_neff && is_session)
		return nx_fail(err, NX_FORMAT,
			       "%s and %s are swapped: %s is a NEFF and %s a session file; write "
			       "%s %s %s %s",
			       f->neff_option, f->session_option, f->session_path, f->neff_path,
			       f->neff_option, f->session_path, f->session_option, f->neff_path);
	if (is_neff)
		return nx_fail(err, NX_FORMAT,
			       "%s is a NEFF, not a session file; give it with %s, and the session "
			       "file (NTFF) with %s",
			       f->session_path, f->neff_option, f->session_option);
	if (is_session)
		return nx_fail(err, NX_FORMAT,
			       "%s is a session file, not a NEFF; give it with %s, and the NEFF "
			       "with %s",
			       f->neff_path, f->session_option, f->neff_option);
	return NX_OK;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void nx_session_paths_find(const char *prefix, struct nx_arena *arena,
			   struct nx_session_paths *paths)
{
	const char *name = nx_path_name(prefix);
	size_t before = (size_t)(name - prefix);
	const char *folder = before ? nx_arena_copy(arena, nx_slice_of(prefix, before)) : ".";
	struct dirent *entry;
	struct stat st;
	DIR *entries = *name && stat(prefix, &st) ? opendir(folder) : NULL;

	while (entries && (entry = readdir(entries))) {
		struct nx_slice found = nx_slice_text(entry->d_name);

		if (nx_slice_starts(found, name) && nx_slice_ends(found, ".ntff"))
			nx_vec_push(paths, nx_arena_printf(arena, "%.*s%s", (int)before, prefix,
							   entry->d_name));
	}
	if (entries)
		closedir(entries);
	if (paths->len)
		qsort(paths->items, paths->len, sizeof(*paths->items), by_path);
}
