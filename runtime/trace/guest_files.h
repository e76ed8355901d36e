/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest_files: files written from inside the host's process, which must not end if
 * memory or the disk runs out.
 *
 * A stream is a file that grows by whole records. If an append does not fit on the disk,
 * its records are dropped; the stream stays open, as space may become available.
 */
#ifndef NX_RUNTIME_TRACE_GUEST_FILES_H
#define NX_RUNTIME_TRACE_GUEST_FILES_H

#include "base/bare/slice.h"
#include "base/error.h"

/* Makes the folder and its parents. */
NX_MUST_CHECK enum nx_status nx_guest_make_folder(const char *path, struct nx_error *err);
/* Writes a temporary file and renames it, so the file is complete or absent. */
NX_MUST_CHECK enum nx_status nx_guest_write_file(const char *path, struct nx_slice bytes,
						 struct nx_error *err);

/* Whether one of these files did not fit on the disk, below a folder. */
bool nx_guest_disk_was_full(const char *folder);

struct nx_guest_stream {
	int fd; /* -1: closed */
	uint64_t written_bytes;
	bool has_failed;
	char failure[256]; /* the sentence about the first one */
	char path[1536];
};

/* Creates the file, which must not exist yet. */
NX_MUST_CHECK enum nx_status nx_guest_stream_open(struct nx_guest_stream *stream,
						  const char *folder, const char *name,
						  struct nx_error *err);
/* Appends all records, or none of them and returns false. */
bool nx_guest_stream_append(struct nx_guest_stream *stream, struct nx_slice records);
void nx_guest_stream_close(struct nx_guest_stream *stream);

#endif
