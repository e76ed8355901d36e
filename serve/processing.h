/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processing: makes profiles of complete uploads, a few at a time.
 *
 * Each is made by a child, this program's `view --ingest-only`, so that a hostile file
 * can at worst end the child; its last sentence becomes the reason why the profile
 * failed. The child tells how far it is through a pipe, which visitors see as events.
 *
 * What waits or runs when the server ends stays a complete upload, and goes on when a
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
	const char *program; /* NULL: the one that runs */
};

/* Begins with what an earlier server left complete. Fails when the system gives no thread. */
NX_MUST_CHECK enum nx_status nx_processing_new(struct nx_processing **processing,
					       const struct nx_processing_options *options,
					       struct nx_error *err);
/* Ends children and threads; NULL is allowed. */
void nx_processing_free(struct nx_processing *processing);

/* Of an upload that is complete on the disk. MISMATCH when somebody processes it already. */
NX_MUST_CHECK enum nx_status nx_processing_add(struct nx_processing *processing, const char *id,
					       const char *name, struct nx_error *err);
/* Gives up the upload of that id, or all uploads to that name (the other is NULL), and waits for
 * their end; whether there was one. */
bool nx_processing_cancel(struct nx_processing *processing, const char *id, const char *name);

struct nx_processing_step {
	char stage[NX_STAGE_MAX]; /* "waiting", "reading the capture", "storing" */
	double fraction;	  /* of this stage */
};
/* How far the profile of that name is; false when it is not being processed here. */
bool nx_processing_find(struct nx_processing *processing, const char *name,
			struct nx_processing_step *step);

#endif
