/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service_answer: what a profiler service answered, as files of a session's folder:
 * <stem>.xplane.pb, <stem>.<tool>, and below <stem>/ the files of a program under our runtime.
 *
 * The answer is kept in an unlinked file of that folder while it arrives, because it may be larger
 * than memory. Nothing in it is trusted: names that could leave the folder are skipped, and no file
 * that exists is replaced.
 */
#ifndef NX_CAPTURE_SERVICE_ANSWER_H
#define NX_CAPTURE_SERVICE_ANSWER_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"
#include "base/vec.h"

struct nx_service_answer {
	const char *folder, *stem; /* borrowed */
	int fd;			   /* -1: not open */
	uint64_t size_bytes;
};

NX_MUST_CHECK enum nx_status nx_service_answer_open(struct nx_service_answer *answer,
						    const char *folder, const char *stem,
						    struct nx_error *err);
/* Appends a piece. */
NX_MUST_CHECK enum nx_status nx_service_answer_take(struct nx_service_answer *answer,
						    struct nx_slice piece, struct nx_error *err);
/* Harmless when it is closed. */
void nx_service_answer_close(struct nx_service_answer *answer);

struct nx_answer_files NX_VEC_BODY(const char *);

struct nx_service_answer_found {
	struct nx_answer_files files; /* written, relative to the folder; in the arena */
	bool is_empty;		      /* the server recorded no event */
	bool has_trace;		      /* an XSpace or native files came */
	uint64_t skipped_count;	      /* tools and files with bad or repeated names */
};

/* Writes the files. FORMAT if the answer is not a ProfileResponse. Release found->files. */
NX_MUST_CHECK enum nx_status nx_service_answer_unpack(struct nx_service_answer *answer,
						      struct nx_arena *arena,
						      struct nx_service_answer_found *found,
						      struct nx_error *err);
/* The same of bytes in memory, which it borrows from. */
NX_MUST_CHECK enum nx_status nx_service_answer_write(const char *folder, const char *stem,
						     struct nx_slice response,
						     struct nx_arena *arena,
						     struct nx_service_answer_found *found,
						     struct nx_error *err);

#endif
