/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: reading by mapping, writing by rename.
 *
 * A file that shrinks while it is mapped raises SIGBUS; nx_file_guard_install turns that into a
 * message and exit code 8. In a server, which must go on, nx_file_guard_tolerate turns the rest of
 * the file into zeros and marks it as damaged; whoever reads it checks that at the end. An output
 * is written to a temporary name beside its target and renamed by nx_output_commit, so that a
 * reader sees the old file or the whole new one, and an aborted run leaves no files. Path "-" is
 * standard output.
 */
#ifndef NX_BASE_FILE_H
#define NX_BASE_FILE_H

#include "base/bare/slice.h"
#include "base/error.h"

struct nx_file {
	struct nx_slice bytes;
	const char *path; /* borrowed */
};

NX_MUST_CHECK enum nx_status nx_file_map(struct nx_file *file, const char *path,
					 struct nx_error *err);
void nx_file_unmap(struct nx_file *file);

/* Tells the system that these bytes are not needed soon, so that a scan stays within memory. */
void nx_file_forget(struct nx_slice scanned);

void nx_file_guard_install(void);
/* For the whole process; before files are mapped. */
void nx_file_guard_tolerate(void);
/* Whether a part could not be read since it was mapped. */
bool nx_file_is_damaged(const struct nx_file *file);

#define NX_OUTPUT_BUFFER_BYTES ((size_t)1 << 20)

/* A zeroed struct is a closed output: commit and abort leave it so. */
struct nx_output {
	int fd;
	char *path;		  /* final name; NULL for standard output */
	char *temporary_path;	  /* renamed to path; NULL when writing to a device or a pipe */
	const char *place_option; /* to choose another place, for messages; NULL: --output-file */
	uint8_t *buffer;
	size_t used;
	uint64_t written_bytes; /* handed to nx_output_write so far */
	enum nx_status status;	/* first failure sticks; later writes are ignored */
	struct nx_error error;
};

NX_MUST_CHECK enum nx_status nx_output_open(struct nx_output *out, const char *path,
					    struct nx_error *err);
void nx_output_write(struct nx_output *out, const void *data, size_t len);
/* A line of text, with its end; what is longer than NX_OUTPUT_LINE_MAX is cut. */
#define NX_OUTPUT_LINE_MAX 2048
void nx_output_line(struct nx_output *out, const char *fmt, ...) NX_PRINTF(2, 3);
/* Hands the buffer to the system. */
void nx_output_flush(struct nx_output *out);

/* For encoders that write in place: room for len bytes, at most
 * NX_OUTPUT_BUFFER_BYTES; nx_output_advance says how many of them were used. */
static inline uint8_t *nx_output_reserve(struct nx_output *out, size_t len)
{
	if (len > NX_OUTPUT_BUFFER_BYTES - out->used)
		nx_output_flush(out);
	return out->buffer + out->used;
}

static inline void nx_output_advance(struct nx_output *out, size_t len)
{
	out->used += len;
	out->written_bytes += len;
}

/* Flushes, closes, renames. Reports the first failure of any write since open. */
NX_MUST_CHECK enum nx_status nx_output_commit(struct nx_output *out, struct nx_error *err);
/* Removes the temporary file; harmless after commit. */
void nx_output_abort(struct nx_output *out);

/* On SIGINT, SIGTERM and SIGHUP removes the temporary files of open outputs, then exits. */
void nx_output_guard_install(void);

/* Writes all bytes, also when signals interrupt; false with errno if it fails. */
bool nx_write_all(int fd, struct nx_slice bytes);

/* Makes a directory and its parents. */
NX_MUST_CHECK enum nx_status nx_make_directories(const char *path, struct nx_error *err);

#endif
