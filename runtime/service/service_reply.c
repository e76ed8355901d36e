/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers with profiles. They are made in an unlinked temporary file and sent from there, so that
 * memory does not grow with them.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/temporary.h"
#include "format/tar.h"
#include "runtime/service/service_internal.h"

#define COPY_BYTES ((size_t)64 << 10)
#define MAX_DEPTH 8 /* folders that are open at a time */
#define MAX_FILES 4096
#define TOO_LARGE                                                                                  \
	"the profile exceeds 1 GiB, the limit of an answer; record for a shorter time or fewer "   \
	"cores"

enum field { /* of ProfileResponse, ProfileToolData and ProfileSessionDataResponse */
	     RESPONSE_TOOLS = 6,
	     RESPONSE_EMPTY = 7,
	     RESPONSE_SPACE = 8,
	     TOOL_NAME = 1,
	     TOOL_DATA = 2,
	     SESSION_FORMAT = 2,
	     SESSION_OUTPUT = 3,
};

struct file {
	struct nx_temporary temporary;
	uint64_t len;
	enum nx_status status; /* the first failure */
	struct nx_error error;
};

static void write_file(void *context, const void *data, size_t len)
{
	struct file *file = context;

	if (!file->status && file->len + len > NX_SERVICE_MAX_ANSWER_BYTES)
		file->status = nx_fail(&file->error, NX_LIMIT, TOO_LARGE);
	if (!file->status)
		file->status =
			nx_temporary_write(&file->temporary, data, len, file->len, &file->error);
	file->len += len;
}

/* --- the archive --------------------------------------------------------------- */

struct walk {
	const char *folder;
	struct nx_arena arena;
	NX_VEC(char *) members; /* paths, relative to the folder */
};

/* nftw passes no context. */
static _Thread_local struct walk *walking;

static int add_member(const char *path, const struct stat *st, int type, struct FTW *at)
{
	size_t skip = strlen(walking->folder) + 1;
	char *member;

	(void)at;
	if (type != FTW_F || !S_ISREG(st->st_mode) || strlen(path) <= skip ||
	    walking->members.len == MAX_FILES)
		return 0;
	member = nx_arena_copy_text(&walking->arena, path + skip);
	nx_vec_push(&walking->members, member);
	return 0;
}

/* A file that grows meanwhile is cut, one that shrinks is padded: the header has its length. */
static void copy_member(struct file *file, const char *folder, const char *name, uint8_t *buffer)
{
	char path[NX_SERVICE_PATH_BYTES + 512];
	struct nx_bytes head = {0};
	struct stat st;
	uint64_t left;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	left = (uint64_t)st.st_size;
	nx_tar_append_header(&head, nx_slice_text(name), left);
	write_file(file, head.items, head.len);
	nx_vec_release(&head);
	while (left && !file->status) {
		size_t want = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
		ssize_t got = read(fd, buffer, want);

		if (got <= 0) {
			memset(buffer, 0, want);
			got = (ssize_t)want;
		}
		write_file(file, buffer, (size_t)got);
		left -= (uint64_t)got;
	}
	close(fd);
	memset(buffer, 0, nx_tar_padding((uint64_t)st.st_size));
	write_file(file, buffer, nx_tar_padding((uint64_t)st.st_size));
}

static void write_archive(struct file *file, const char *folder)
{
	struct walk walk = {.folder = folder};
	uint8_t *buffer = nx_heap_alloc(COPY_BYTES);
	struct nx_bytes end = {0};

	walking = &walk;
	(void)nftw(folder, add_member, MAX_DEPTH, FTW_PHYS);
	walking = NULL;
	for (size_t i = 0; i < walk.members.len && !file->status; i++)
		copy_member(file, folder, walk.members.items[i], buffer);
	nx_tar_finish(&end);
	write_file(file, end.items, end.len);
	nx_vec_release(&end);
	nx_vec_release(&walk.members);
	nx_arena_release(&walk.arena);
	nx_heap_free(buffer);
}

/* --- the profile ---------------------------------------------------------------- */

static enum nx_status write_space(struct file *file, const struct nx_reply_wish *wish,
				  struct nx_session_summary *summary, struct nx_error *err)
{
	struct nx_session_space *space = nx_session_space_new(wish->folder, wish->warning);
	char hostname[256] = "";
	struct nx_session_target target = {.write = write_file,
					   .context = file,
					   .hostname = hostname,
					   .start_ns = wish->start_ns,
					   .stop_ns = wish->stop_ns,
					   .max_bytes = NX_SERVICE_MAX_ANSWER_BYTES};
	enum nx_status st;

	(void)gethostname(hostname, sizeof(hostname) - 1);
	st = nx_session_space_save(space, &target, summary, err);
	nx_session_space_free(space);
	if (st == NX_LIMIT)
		return nx_fail(err, NX_LIMIT, TOO_LARGE);
	return st;
}

static size_t varint_bytes(uint64_t value)
{
	size_t count = 1;

	while (value >>= 7)
		count++;
	return count;
}

static void add_head(struct nx_rpc_answer *answer, uint32_t number, uint64_t len)
{
	struct nx_bytes bytes = {0};

	nx_wire_put_varint(&bytes, (uint64_t)number << 3 | 2);
	nx_wire_put_varint(&bytes, len);
	nx_rpc_answer_add_bytes(answer, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
}

static void add_tool(struct nx_rpc_answer *answer, const char *name, uint64_t offset, uint64_t len)
{
	struct nx_bytes head = {0};

	nx_wire_put_bytes(&head, TOOL_NAME, nx_slice_text(name));
	add_head(answer, RESPONSE_TOOLS, head.len + 1 + varint_bytes(len) + len);
	nx_rpc_answer_add_bytes(answer, nx_slice_of(head.items, head.len));
	add_head(answer, TOOL_DATA, len);
	nx_rpc_answer_add_file(answer, offset, len);
	nx_vec_release(&head);
}

struct making {
	const struct nx_reply_wish *wish;
	struct nx_rpc_answer *answer;
	struct file *file;
	enum nx_status status;
	struct nx_error *err;
};

static void add_archive(struct making *m, uint64_t offset)
{
	if (m->wish->with_session)
		add_tool(m->answer, NX_SERVICE_SESSION_TAR, offset, m->file->len - offset);
}

static void make_profile(void *context)
{
	struct making *m = context;
	struct nx_session_summary summary = {0};
	struct nx_bytes is_empty = {0};
	uint64_t space_bytes;

	m->status = write_space(m->file, m->wish, &summary, m->err);
	space_bytes = m->file->len;
	if (m->status)
		return;
	if (m->wish->with_session)
		write_archive(m->file, m->wish->folder);
	if (!m->wish->is_embedded)
		add_tool(m->answer, NX_SERVICE_TOOL_XPLANE, 0, space_bytes);
	add_archive(m, space_bytes);
	if (!summary.event_count)
		nx_wire_put_u64(&is_empty, RESPONSE_EMPTY, 1);
	nx_rpc_answer_add_bytes(m->answer, nx_slice_of(is_empty.items, is_empty.len));
	nx_vec_release(&is_empty);
	if (m->wish->is_embedded) {
		add_head(m->answer, RESPONSE_SPACE, space_bytes);
		nx_rpc_answer_add_file(m->answer, 0, space_bytes);
	}
}

static void make_tool(void *context)
{
	struct making *m = context;
	struct nx_bytes head = {0};

	if (m->wish->with_session)
		write_archive(m->file, m->wish->folder);
	else
		m->status = write_space(m->file, m->wish, NULL, m->err);
	nx_wire_put_bytes(&head, SESSION_FORMAT,
			  nx_slice_text(m->wish->with_session ? "tar" : "xplane.pb"));
	nx_rpc_answer_add_bytes(m->answer, nx_slice_of(head.items, head.len));
	add_head(m->answer, SESSION_OUTPUT, m->file->len);
	nx_rpc_answer_add_file(m->answer, 0, m->file->len);
	nx_vec_release(&head);
}

static enum nx_status make(void (*fn)(void *context), const struct nx_reply_wish *wish,
			   struct nx_rpc_answer *answer, struct nx_error *err)
{
	struct file file = {.temporary = {.fd = -1}};
	struct making m = {.wish = wish, .answer = answer, .file = &file, .err = err};
	enum nx_status st = nx_temporary_open(&file.temporary, err);

	if (st)
		return st;
	if (!nx_heap_guarded(fn, &m))
		m.status = nx_fail(err, NX_LIMIT, "out of memory for the answer");
	else if (!m.status && file.status)
		m.status = nx_fail(err, file.status, "%s", file.error.message);
	if (m.status)
		nx_temporary_close(&file.temporary);
	else
		answer->fd = file.temporary.fd;
	return m.status;
}

enum nx_status nx_reply_profile(const struct nx_reply_wish *wish, struct nx_rpc_answer *answer,
				struct nx_error *err)
{
	return make(make_profile, wish, answer, err);
}

enum nx_status nx_reply_tool(const char *folder, bool is_archive, struct nx_rpc_answer *answer,
			     struct nx_error *err)
{
	struct nx_reply_wish wish = {.folder = folder,
				     .start_ns = UINT64_MAX,
				     .stop_ns = nx_service_epoch_ns(),
				     .with_session = is_archive};

	return make(make_tool, &wish, answer, err);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void nx_reply_remove(char *folder)
{
	if (*folder)
		(void)nftw(folder, remove_one, MAX_DEPTH, FTW_DEPTH | FTW_PHYS);
	*folder = 0;
}
