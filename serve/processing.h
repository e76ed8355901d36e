/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processing: makes profiles of complete uploads, a few at a time.
 *
 * Each is made by a child process, `view --ingest-only`, so that a hostile file can at
 * worst crash the child; its last message becomes the reason why the profile failed. The
 * child reports its progress through a pipe; pages get it as events.
 *
 * Uploads that wait or run when the server ends stay complete; processing resumes when a
 * server opens the workspace again. Safe from any thread.
 */
#ifndef NX_SERVE_PROCESSING_H
#define NX_SERVE_PROCESSING_H

#include "serve/events.h"
#include "store/upload.h"

#define NX_STAGE_MAX 104

struct nx_processing;

struct nx_processing_options {
	struct nx_workspace *workspace;
	struct nx_events *events;
	const char *program; /* NULL: this executable */
};

/* Starts with the complete uploads of an earlier server. Fails if no thread can be created. */
NX_MUST_CHECK enum nx_status nx_processing_new(struct nx_processing **processing,
					       const struct nx_processing_options *options,
					       struct nx_error *err);
/* Stops children and threads; processing may be NULL. */
void nx_processing_free(struct nx_processing *processing);

/* Queues an upload that is complete on disk. MISMATCH if it is being processed already. */
NX_MUST_CHECK enum nx_status nx_processing_add(struct nx_processing *processing, const char *id,
					       const char *name, struct nx_error *err);
/* Cancels the upload of that id, or all uploads to that name (the other is NULL), and waits for
 * them to end. Returns whether there was one. */
bool nx_processing_cancel(struct nx_processing *processing, const char *id, const char *name);

struct nx_processing_step {
	char stage[NX_STAGE_MAX]; /* "waiting", "reading the capture", "storing" */
	double fraction;	  /* of this stage */
};
/* The progress of the profile of that name; false if it is not being processed here. */
bool nx_processing_find(struct nx_processing *processing, const char *name,
			struct nx_processing_step *step);

#endif
