/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks an archive of source code, which is untrusted. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "format/gzip_stream.h"
#include "format/tar.h"
#include "store/profile_source.h"
#include "store/relative_path.h"

/* An archive may unpack to a thousand times its size: so to the disk, and with a limit. */
static enum nx_status inflate_to(int fd, struct nx_slice packed, struct nx_error *err)
{
	struct nx_gzip_stream gzip;
	struct nx_slice piece;
	uint64_t size_bytes = 0;
	enum nx_status st = NX_OK;

	nx_gzip_stream_open(&gzip, packed);
	while (!st && nx_gzip_stream_next(&gzip, &piece)) {
		size_bytes += piece.len;
		if (size_bytes > NX_SOURCE_BYTES_MAX)
			st = nx_fail(err, NX_LIMIT,
				     "the archive of source code unpacks to more than %llu MiB",
				     (unsigned long long)(NX_SOURCE_BYTES_MAX >> 20));
		else if (!nx_write_all(fd, piece))
			st = nx_fail_errno(err, errno, "cannot unpack the source code");
	}
	if (!st && (gzip.is_cut || gzip.is_damaged))
		st = nx_fail(err, NX_FORMAT, "the archive of source code is cut or damaged");
	nx_gzip_stream_close(&gzip);
	return st;
}

static enum nx_status put_member(int folder, const struct nx_tar_member *member,
				 struct nx_arena *arena, struct nx_error *err)
{
	const char *path = nx_arena_copy(arena, member->name);
	enum nx_status st = nx_relative_path_check(member->name, err);
	int fd;

	if (st)
		return nx_fail(err, NX_FORMAT,
			       "the archive of source code has a path that is not allowed");
	fd = nx_relative_path_open(folder, path, O_WRONLY | O_CREAT | O_TRUNC, true);
	if (fd < 0)
		return nx_fail_errno(err, errno, "cannot unpack %s", path);
	if (!nx_write_all(fd, member->bytes))
		st = nx_fail_errno(err, errno, "cannot unpack %s", path);
	close(fd);
	return st;
}

static enum nx_status put_members(int folder, struct nx_slice archive, struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct nx_tar_reader tar = {.archive = archive, .arena = &arena};
	struct nx_tar_member member;
	uint64_t file_count = 0;
	bool found = true;
	enum nx_status st = NX_OK;

	while (!st && found) {
		st = nx_tar_next(&tar, &member, &found, err);
		if (!st && tar.is_truncated)
			st = nx_fail(err, NX_FORMAT,
				     "the archive of source code is truncated or not a tar file");
		if (st || !found)
			break;
		if (++file_count > NX_SOURCE_FILES_MAX)
			st = nx_fail(err, NX_LIMIT,
				     "the archive of source code has more than %u "
				     "files",
				     NX_SOURCE_FILES_MAX);
		else
			st = put_member(folder, &member, &arena, err);
	}
	nx_arena_release(&arena);
	return st;
}

enum nx_status nx_source_unpack(const char *archive, int folder, const char *scratch,
				struct nx_error *err)
{
	struct nx_file packed, plain;
	enum nx_status st = nx_file_map(&packed, archive, err);
	int fd;

	if (st)
		return st;
	fd = open(scratch, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		st = nx_fail_errno(err, errno, "cannot unpack the source code");
	else
		st = inflate_to(fd, packed.bytes, err);
	nx_file_unmap(&packed);
	if (fd >= 0)
		close(fd);
	if (!st)
		st = nx_file_map(&plain, scratch, err);
	if (!st) {
		st = put_members(folder, plain.bytes, err);
		nx_file_unmap(&plain);
	}
	unlink(scratch);
	return st;
}
