/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect_stream: a file that only grows, by whole records.
 *
 * What does not fit on the disk is taken back to the last whole record and
 * dropped; the stream stays open, as space may come back.
 */
#ifndef NX_RUNTIME_NRT_INSPECT_STREAM_H
#define NX_RUNTIME_NRT_INSPECT_STREAM_H

#include "base/bare/slice.h"
#include "base/error.h"

struct nx_inspect_stream {
	int fd; /* -1: closed */
	uint64_t written_bytes;
	bool has_failed; /* said in the log */
	char path[1536];
};

/* With its parents; LIMIT when memory runs out. */
NX_MUST_CHECK enum nx_status nx_inspect_make_folder(const char *path, struct nx_error *err);

/* The file must not exist yet. */
NX_MUST_CHECK enum nx_status nx_inspect_stream_open(struct nx_inspect_stream *stream,
						    const char *folder, const char *name,
						    struct nx_error *err);
/* All of it or nothing; false when nothing. */
bool nx_inspect_stream_append(struct nx_inspect_stream *stream, struct nx_slice records);
void nx_inspect_stream_close(struct nx_inspect_stream *stream);

#endif
