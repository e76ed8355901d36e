/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an archive of source code, in a folder beside one that must stay empty: nothing
 * may be written but regular files below the folder.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/durable.h"
#include "store/profile_source.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char home[] = "/tmp/nx-fuzz-unpack-XXXXXX";

static void leave(void)
{
	(void)!nx_durable_remove_tree(AT_FDCWD, home, home, NULL);
}

static void enter(void)
{
	static bool is_there;

	if (is_there)
		return;
	is_there = true;
	expect(mkdtemp(home) && !chdir(home));
	expect(!mkdir("a", 0700) && !mkdir("a/b", 0700));
	atexit(leave);
}

static int look_at(const char *path, const struct stat *st, int kind)
{
	(void)path, (void)kind;
	expect(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode));
	return 0;
}

static unsigned count_in(const char *path)
{
	struct stat st;

	expect(!stat(path, &st));
	return (unsigned)st.st_nlink;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_error err = {0};
	FILE *archive;
	int folder;
	enum nx_status st;

	enter();
	archive = fopen("archive", "w");
	expect(archive && fwrite(data, 1, size, archive) == size && !fclose(archive));
	expect(!mkdir("a/b/out", 0700));
	folder = open("a/b/out", O_RDONLY | O_DIRECTORY);
	st = nx_source_unpack("archive", folder, "scratch", &err);
	close(folder);
	expect(!st || (err.status == st && err.message[0]));
	expect(count_in("a") == 3 && count_in("a/b") == 3 && access("scratch", F_OK));
	expect(!ftw("a/b/out", look_at, 16));
	expect(!nx_durable_remove_tree(AT_FDCWD, "a/b/out", home, NULL));
	return 0;
}
