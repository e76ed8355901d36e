/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/inspect_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "runtime/nrt/nrt_log.h"

struct making {
	const char *path;
	enum nx_status st;
	struct nx_error *err;
};

static void make(void *context)
{
	struct making *m = context;

	m->st = nx_make_directories(m->path, m->err);
}

enum nx_status nx_inspect_make_folder(const char *path, struct nx_error *err)
{
	struct making m = {path, NX_OK, err};

	if (!nx_heap_guarded(make, &m))
		return nx_fail(err, NX_LIMIT, "no memory to make the folder %s", path);
	return m.st;
}

enum nx_status nx_inspect_stream_open(struct nx_inspect_stream *stream, const char *folder,
				      const char *name, struct nx_error *err)
{
	*stream = (struct nx_inspect_stream){.fd = -1};
	if ((size_t)snprintf(stream->path, sizeof(stream->path), "%s/%s", folder, name) >=
	    sizeof(stream->path))
		return nx_fail(err, NX_LIMIT, "the name of the folder %.60s... is too long",
			       folder);
	stream->fd = open(stream->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
	if (stream->fd < 0)
		return nx_fail_errno(err, errno, "cannot create %s", stream->path);
	return NX_OK;
}

static bool write_all(int fd, struct nx_slice bytes)
{
	while (bytes.len) {
		ssize_t len = write(fd, bytes.data, bytes.len);

		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			return false;
		bytes = nx_slice_of(bytes.data + len, bytes.len - (size_t)len);
	}
	return true;
}

bool nx_inspect_stream_append(struct nx_inspect_stream *stream, struct nx_slice records)
{
	if (stream->fd < 0)
		return false;
	if (write_all(stream->fd, records)) {
		stream->written_bytes += records.len;
		return true;
	}
	if (!stream->has_failed)
		nx_log_error("cannot write %s (errno %d): events are dropped until it works again",
			     stream->path, errno);
	stream->has_failed = true;
	if (ftruncate(stream->fd, (off_t)stream->written_bytes))
		nx_log_error("%s ends inside a record", stream->path);
	return false;
}

void nx_inspect_stream_close(struct nx_inspect_stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}
