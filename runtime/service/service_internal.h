/* SPDX-License-Identifier: Apache-2.0 */
/* service_internal: what the files of libnxservice.so.1 share. */
#ifndef NX_RUNTIME_SERVICE_SERVICE_INTERNAL_H
#define NX_RUNTIME_SERVICE_SERVICE_INTERNAL_H

#include <pthread.h>

#include "base/thread.h"
#include "format/profiler_service.h"
#include "rpc/rpc_call.h"
#include "runtime/service/service.h"
#include "runtime/session/session_space.h"

#define NX_SERVICE_MAX_ID 128
#define NX_SERVICE_PATH_BYTES 1280
#define NX_SERVICE_MAX_ANSWER_BYTES (UINT64_C(1) << 30)

uint64_t nx_service_epoch_ns(void);

/* --- service_job.c ------------------------------------------------------------------- */

/*
 * What takes time runs on a thread of its own. There are two, so that a snapshot can be taken while
 * a capture runs; a second job of the same kind is refused.
 */
enum nx_job_kind { NX_JOB_CAPTURE, NX_JOB_READING, NX_JOB_KIND_COUNT };

struct nx_service_task {
	struct nx_thread thread;
	struct nx_rpc_call *call;
	void (*run)(struct nx_service_task *job);
	const struct nx_service_profiler *profiler;
	const char *output_dir; /* for sessions that stay */
	char session_id[NX_SERVICE_MAX_ID];
	/* under the lock of service_job.c */
	bool is_busy;
	bool is_stopped;   /* enough is recorded, or nobody waits for it */
	bool is_cancelled; /* the caller has gone */
};

/* Starts it, or answers the call with a refusal. The session's id is that of the request, for
 * nx_job_terminate. */
void nx_job_start(enum nx_job_kind kind, const struct nx_service_task *wanted);
/* Stops the capture with this id. One that starts later with the id ends at once. */
void nx_job_terminate(struct nx_slice session_id);
/* Stops all jobs, waits until they have answered, and starts no more. */
void nx_jobs_stop(void);
/* Afterwards, when the server's thread has ended: waits for their threads. */
void nx_jobs_join(void);
void nx_jobs_abandon(void); /* in the child of a fork */

/* For a job's own thread: waits, but not longer than until it is stopped. False if the caller has
 * gone. */
bool nx_job_wait(struct nx_service_task *job, uint64_t ns);
/* Whether the caller has gone. */
bool nx_job_is_cancelled(struct nx_service_task *job);

/* These end the job: it must not be used afterwards. Each job ends by exactly one of them. */
void nx_job_finish(struct nx_service_task *job, struct nx_rpc_answer *answer);
void nx_job_refuse(struct nx_service_task *job, enum nx_grpc_status status, const char *fmt, ...)
	NX_PRINTF(3, 4);
void nx_job_fail(struct nx_service_task *job, enum nx_status st, const char *sentence);

/* Decodes the request; false if it is damaged: the call was answered. */
bool nx_job_read_request(struct nx_service_task *job, const struct nx_wire_message *message,
			 void *out, struct nx_arena *arena);

/* A temporary folder for the files of a session; false if there is no place: the call was answered.
 */
bool nx_job_make_folder(struct nx_service_task *job, char *folder, size_t cap);

/* --- service_recording.c, service_stored.c, service_continuous_job.c
 * ---------------------------------------------- */

void nx_job_profile(struct nx_service_task *job);
void nx_job_monitor(struct nx_service_task *job);
void nx_job_new_session(struct nx_service_task *job);
void nx_job_enum_sessions(struct nx_service_task *job);
void nx_job_tool_data(struct nx_service_task *job);
void nx_job_start_continuous(struct nx_service_task *job);
void nx_job_stop_continuous(struct nx_service_task *job);
void nx_job_snapshot(struct nx_service_task *job);

/* --- service_reply.c ------------------------------------------------------------------- */

struct nx_reply_wish {
	const char *folder;  /* of the session */
	const char *warning; /* NULL: none */
	uint64_t start_ns, stop_ns;
	bool is_embedded;  /* the XSpace is a member of the response, not a file */
	bool with_session; /* the folder as an archive, too */
};

/* Fills the answer with a ProfileResponse; may fail with LIMIT, IO or NO_SPACE. */
NX_MUST_CHECK enum nx_status nx_reply_profile(const struct nx_reply_wish *wish,
					      struct nx_rpc_answer *answer, struct nx_error *err);
/* The same for one tool of a session that stayed here: a ProfileSessionDataResponse. */
NX_MUST_CHECK enum nx_status nx_reply_tool(const char *folder, bool is_archive,
					   struct nx_rpc_answer *answer, struct nx_error *err);
/* Removes the folder and empties its name; does nothing if that is empty. */
void nx_reply_remove(char *folder);

#endif
