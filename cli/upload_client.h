/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upload_client: sends files to a server as docs/api.md "Uploads" describes.
 *
 *	st = nx_upload_plan_add(&plan, "model.neff", NX_UPLOAD_NEFF, err);
 *	nx_upload_client_open(&client, endpoint, token, true);
 *	st = nx_upload_client_send(&client, plan, json, err);
 *	st = nx_upload_client_wait(&client, name, err);
 *	nx_upload_client_close(&client);
 *
 * If the connection breaks, the upload resumes where the server says it stopped, and fails with IO
 * after a minute without a new byte. If the server refuses, the error is its message, with the
 * status that matches its code.
 */
#ifndef NX_CLI_UPLOAD_CLIENT_H
#define NX_CLI_UPLOAD_CLIENT_H

#include "base/http_client.h"
#include "base/progress.h"
#include "store/upload.h"

/* The files that the user named, and all files below the folders that the user named. */
struct nx_planned_file {
	const char *local; /* on this machine */
	const char *path;  /* its name in the upload */
	enum nx_upload_role role;
	uint64_t size_bytes;
};

struct nx_upload_plan {
	struct nx_arena arena;
	struct nx_planned_files NX_VEC_BODY(struct nx_planned_file) files;
	uint64_t size_bytes;
};

/* A file; for role source also a folder or an archive, for role directory a folder alone. Skips
 * links below a folder and, in source code, names that begin with a dot. */
NX_MUST_CHECK enum nx_status nx_upload_plan_add(struct nx_upload_plan *plan, const char *path,
						enum nx_upload_role role, struct nx_error *err);
void nx_upload_plan_release(struct nx_upload_plan *plan);

/* The request that begins the upload. */
void nx_upload_plan_describe(const struct nx_upload_plan *plan, const char *name,
			     const char *folder, bool force, struct nx_bytes *json);

struct nx_upload_client {
	struct nx_arena arena;
	struct nx_http_client *http;
	struct nx_http_answer answer;
	const char *endpoint;	   /* without a slash at the end */
	const char *authorization; /* a header; NULL: none */
	const char *id;		   /* of the upload, once begun */
	bool shows_progress;
	struct nx_progress progress;
};

void nx_upload_client_open(struct nx_upload_client *client, const char *endpoint, const char *token,
			   bool shows_progress);
void nx_upload_client_close(struct nx_upload_client *client);

/* Begins, sends every file and finishes; json describes the plan. */
NX_MUST_CHECK enum nx_status nx_upload_client_send(struct nx_upload_client *client,
						   const struct nx_upload_plan *plan,
						   struct nx_slice json, struct nx_error *err);
/* Waits until the profile is ready; FORMAT with the server's reason if processing failed. */
NX_MUST_CHECK enum nx_status nx_upload_client_wait(struct nx_upload_client *client,
						   const char *name, struct nx_error *err);

#endif
