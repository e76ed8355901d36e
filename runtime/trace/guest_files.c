/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/trace/guest_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"

struct writing {
	const char *path;
	struct nx_slice bytes;
	enum nx_status st;
	struct nx_error *err;
};

static struct {
	pthread_mutex_t lock;
	char path[1536]; /* of the last file that did not fit */
} full_disk = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note_full_disk(const char *path)
{
	pthread_mutex_lock(&full_disk.lock);
	snprintf(full_disk.path, sizeof(full_disk.path), "%s", path);
	pthread_mutex_unlock(&full_disk.lock);
}

bool nx_guest_disk_was_full(const char *folder)
{
	size_t len = strlen(folder);
	bool was_full;

	pthread_mutex_lock(&full_disk.lock);
	was_full = strncmp(full_disk.path, folder, len) == 0 && full_disk.path[len] == '/';
	pthread_mutex_unlock(&full_disk.lock);
	return was_full;
}

static void make_folder(void *context)
{
	struct writing *w = context;

	w->st = nx_make_directories(w->path, w->err);
}

enum nx_status nx_guest_make_folder(const char *path, struct nx_error *err)
{
	struct writing w = {.path = path, .err = err};

	if (!nx_heap_guarded(make_folder, &w))
		return nx_fail(err, NX_LIMIT, "out of memory while making the folder %s", path);
	return w.st;
}

static void write_file(void *context)
{
	struct writing *w = context;
	struct nx_output out;

	w->st = nx_output_open(&out, w->path, w->err);
	if (w->st)
		return;
	nx_output_write(&out, w->bytes.data, w->bytes.len);
	w->st = nx_output_commit(&out, w->err);
}

enum nx_status nx_guest_write_file(const char *path, struct nx_slice bytes, struct nx_error *err)
{
	struct writing w = {path, bytes, NX_OK, err};

	if (!nx_heap_guarded(write_file, &w))
		return nx_fail(err, NX_LIMIT, "out of memory while writing %s", path);
	if (w.st != NX_NO_SPACE)
		return w.st;
	note_full_disk(path);
	return nx_fail(err, NX_NO_SPACE,
		       "cannot write %s: the disk is full; free some space, or write to another "
		       "disk",
		       path);
}

enum nx_status nx_guest_stream_open(struct nx_guest_stream *stream, const char *folder,
				    const char *name, struct nx_error *err)
{
	*stream = (struct nx_guest_stream){.fd = -1};
	if ((size_t)snprintf(stream->path, sizeof(stream->path), "%s/%s", folder, name) >=
	    sizeof(stream->path))
		return nx_fail(err, NX_LIMIT, "the folder name %.60s... is too long", folder);
	stream->fd = open(stream->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	if (stream->fd < 0)
		return nx_fail_errno(err, errno, "cannot create %s", stream->path);
	return NX_OK;
}

static bool is_full(int errno_value)
{
	return errno_value == ENOSPC || errno_value == EDQUOT;
}

bool nx_guest_stream_append(struct nx_guest_stream *stream, struct nx_slice records)
{
	int code;

	if (stream->fd < 0)
		return false;
	if (nx_write_all(stream->fd, records)) {
		stream->written_bytes += records.len;
		return true;
	}
	code = errno;
	if (is_full(code))
		note_full_disk(stream->path);
	if (!stream->has_failed && is_full(code))
		snprintf(stream->failure, sizeof(stream->failure),
			 "cannot write %.150s: the disk is full; events are dropped until there is "
			 "space again",
			 stream->path);
	else if (!stream->has_failed)
		snprintf(stream->failure, sizeof(stream->failure),
			 "cannot write %.150s (errno %d): events are dropped until writing works "
			 "again",
			 stream->path, code);
	stream->has_failed = true;
	if (ftruncate(stream->fd, (off_t)stream->written_bytes))
		snprintf(stream->failure, sizeof(stream->failure),
			 "%.150s ends in the middle of a record", stream->path);
	return false;
}

void nx_guest_stream_close(struct nx_guest_stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}
