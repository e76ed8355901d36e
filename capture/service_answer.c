/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/service_answer.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/file.h"
#include "base/path.h"
#include "format/profiler_service.h"
#include "format/tar.h"
#include "format/xspace.h"

/* Real sessions have a few dozen files, and real answers fewer tools. */
#define MAX_MEMBERS 65536
#define MAX_TOOLS 64

/* --- arriving ------------------------------------------------------------------ */

enum nx_status nx_service_answer_open(struct nx_service_answer *answer, const char *folder,
				      const char *stem, struct nx_error *err)
{
	char path[PATH_MAX];

	*answer = (struct nx_service_answer){.folder = folder, .stem = stem, .fd = -1};
	if (snprintf(path, sizeof(path), "%s/.receiving-%s", folder, stem) >= (int)sizeof(path))
		return nx_fail(err, NX_LIMIT, "%.200s...: the path is too long", folder);
	answer->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (answer->fd < 0)
		return nx_fail_errno(err, errno, "cannot write to the folder %s", folder);
	(void)unlink(path);
	return NX_OK;
}

enum nx_status nx_service_answer_take(struct nx_service_answer *answer, struct nx_slice piece,
				      struct nx_error *err)
{
	if (!nx_write_all(answer->fd, piece)) {
		if (errno == ENOSPC || errno == EDQUOT)
			return nx_disk_fail_full(err, answer->folder, "cannot keep the answer",
						 "choose another --logdir");
		return nx_fail_errno(err, errno, "cannot write to the folder %s", answer->folder);
	}
	answer->size_bytes += piece.len;
	return NX_OK;
}

void nx_service_answer_close(struct nx_service_answer *answer)
{
	if (answer->fd >= 0)
		close(answer->fd);
	answer->fd = -1;
}

enum nx_status nx_service_answer_unpack(struct nx_service_answer *answer, struct nx_arena *arena,
					struct nx_service_answer_found *found, struct nx_error *err)
{
	void *bytes = NULL;
	enum nx_status st;

	if (answer->size_bytes) {
		bytes = mmap(NULL, answer->size_bytes, PROT_READ, MAP_PRIVATE, answer->fd, 0);
		if (bytes == MAP_FAILED)
			return nx_fail_errno(err, errno, "cannot map an answer of %s",
					     answer->stem);
	}
	st = nx_service_answer_write(answer->folder, answer->stem,
				     nx_slice_of(bytes, answer->size_bytes), arena, found, err);
	if (bytes)
		munmap(bytes, answer->size_bytes);
	return st;
}

/* --- writing ------------------------------------------------------------------- */

struct writing {
	const char *folder, *stem;
	struct nx_arena *arena;
	struct nx_service_answer_found *found;
	bool has_xspace;
	bool has_folder; /* <stem>/ was made by us */
};

static enum nx_status write_file(const char *path, struct nx_slice bytes, struct nx_error *err)
{
	struct nx_output out;
	enum nx_status st = nx_output_open(&out, path, err);

	if (st)
		return st;
	out.place_option = "--logdir";
	nx_output_write(&out, bytes.data, bytes.len);
	return nx_output_commit(&out, err);
}

/* Skips a name that exists: it is another host's, or given twice. */
static enum nx_status add_file(struct writing *w, const char *name, struct nx_slice bytes,
			       struct nx_error *err)
{
	const char *path = nx_arena_printf(w->arena, "%s/%s", w->folder, name);
	struct stat st;
	enum nx_status written;

	if (lstat(path, &st) == 0) {
		w->found->skipped_count++;
		return NX_OK;
	}
	written = write_file(path, bytes, err);
	if (!written)
		nx_vec_push(&w->found->files, name);
	return written;
}

/* A folder's file; its own folders are made. */
static enum nx_status add_member(struct writing *w, const struct nx_tar_member *member,
				 struct nx_error *err)
{
	const char *path = nx_arena_printf(w->arena, "%s/%s/%.*s", w->folder, w->stem,
					   (int)member->name.len, (const char *)member->name.data);
	struct stat st;
	enum nx_status made;

	if (!nx_path_is_inside(member->name) || lstat(path, &st) == 0) {
		w->found->skipped_count++;
		return NX_OK;
	}
	made = nx_make_directories(nx_arena_copy(w->arena, nx_path_folder(path)), err);
	return made ? made : write_file(path, member->bytes, err);
}

/* The archive has regular files only: links and devices are not returned by the reader. */
static enum nx_status unpack_session(struct writing *w, struct nx_slice archive,
				     struct nx_error *err)
{
	struct nx_tar_reader tar = {.archive = archive, .arena = w->arena};
	struct nx_tar_member member;
	size_t count = 0;
	bool is_found;
	enum nx_status st;

	if (mkdir(nx_arena_printf(w->arena, "%s/%s", w->folder, w->stem), 0777) < 0) {
		w->found->skipped_count++;
		return NX_OK;
	}
	w->has_folder = true;
	while (!(st = nx_tar_next(&tar, &member, &is_found, err)) && is_found) {
		if (++count > MAX_MEMBERS)
			return nx_fail(err, NX_LIMIT, "%s has more than %d files",
				       NX_SERVICE_SESSION_TAR, MAX_MEMBERS);
		st = add_member(w, &member, err);
		if (st)
			return st;
	}
	if (st || tar.is_truncated)
		return nx_fail(err, NX_FORMAT, "%s is damaged; capture again",
			       NX_SERVICE_SESSION_TAR);
	if (!count)
		return NX_OK;
	nx_vec_push(&w->found->files, nx_arena_printf(w->arena, "%s/", w->stem));
	w->found->has_trace = true;
	return NX_OK;
}

static enum nx_status add_xspace(struct writing *w, struct nx_slice bytes, struct nx_error *err)
{
	if (!bytes.len || w->has_xspace)
		return NX_OK;
	w->has_xspace = w->found->has_trace = true;
	return add_file(w, nx_arena_printf(w->arena, "%s" NX_XSPACE_SUFFIX, w->stem), bytes, err);
}

static enum nx_status add_tool(struct writing *w, const struct nx_service_tool_data *tool,
			       struct nx_error *err)
{
	if (nx_slice_is(tool->name, NX_SERVICE_TOOL_XPLANE))
		return add_xspace(w, tool->data, err);
	if (nx_slice_is(tool->name, NX_SERVICE_SESSION_TAR))
		return unpack_session(w, tool->data, err);
	if (!nx_path_is_inside(tool->name) || memchr(tool->name.data, '/', tool->name.len)) {
		w->found->skipped_count++;
		return NX_OK;
	}
	return add_file(w,
			nx_arena_printf(w->arena, "%s.%.*s", w->stem, (int)tool->name.len,
					(const char *)tool->name.data),
			tool->data, err);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

/* What was written before the failure. */
static void remove_all(struct writing *w)
{
	for (size_t i = 0; i < w->found->files.len; i++)
		(void)unlink(
			nx_arena_printf(w->arena, "%s/%s", w->folder, w->found->files.items[i]));
	if (w->has_folder)
		(void)nftw(nx_arena_printf(w->arena, "%s/%s", w->folder, w->stem), remove_one, 8,
			   FTW_DEPTH | FTW_PHYS);
	nx_vec_clear(&w->found->files);
	w->found->has_trace = false;
}

enum nx_status nx_service_answer_write(const char *folder, const char *stem,
				       struct nx_slice response, struct nx_arena *arena,
				       struct nx_service_answer_found *found, struct nx_error *err)
{
	struct writing w = {.folder = folder, .stem = stem, .arena = arena, .found = found};
	struct nx_service_profile_response message;
	struct nx_wire_loss loss = {0};
	enum nx_status st = NX_OK;

	*found = (struct nx_service_answer_found){0};
	memset(&message, 0, sizeof(message));
	if (response.len && (nx_wire_decode(&nx_service_profile_response_message, response,
					    &message, arena, &loss, err) ||
			     loss.truncated_count || message.tool_data.count > MAX_TOOLS))
		return nx_fail(err, NX_FORMAT, "its answer is not that of a profiler service");
	found->is_empty = message.empty_trace;
	for (size_t i = 0; !st && i < message.tool_data.count; i++)
		st = add_tool(&w, &message.tool_data.items[i], err);
	if (!st)
		st = add_xspace(&w, message.xspace, err);
	if (st)
		remove_all(&w);
	return st;
}
