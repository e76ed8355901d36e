/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_jobs: processes many device captures, each in its own child process, a
 * bounded number at a time. Memory grows with that number only, and a capture
 * that cannot be read does not affect the others.
 */
#ifndef NX_CLI_DEVICE_JOBS_H
#define NX_CLI_DEVICE_JOBS_H

#include "base/vec.h"
#include "export/exporters.h"
#include "model/system.h"
#include "pipeline/device_session.h"
#include "pipeline/stored_profile.h"

struct nx_device_result { /* sent by the child through a pipe */
	enum nx_status status;
	uint64_t total_time_ps, instruction_count, packet_count, written_bytes;
	uint64_t start_epoch_ns;	/* 0 = no common clock */
	bool is_known;			/* already stored and unchanged */
	char name[NX_PROFILE_NAME_MAX]; /* in the workspace; "" for none */
	char message[1024];		/* of a failure */
	char note[1024];		/* for the user, also after success */
};

struct nx_device_job {
	const struct nx_device_capture *capture;
	struct nx_device_session_options options;
	const char *target;		     /* file of the export; NULL: stored as tables */
	const struct nx_store_target *store; /* where tables go; NULL: exported */
	struct nx_device_result result;
};

struct nx_device_jobs NX_VEC_BODY(struct nx_device_job);

/*
 * Opens a job's capture. A NEFF that was chosen by its name may belong to another
 * model: then the capture is read without one and the result's note says so.
 */
NX_MUST_CHECK enum nx_status nx_device_job_open(struct nx_device_job *job,
						struct nx_device_session **out,
						struct nx_error *err);

/* at_once 0: one per processor. Fails only if no child can be started. */
NX_MUST_CHECK enum nx_status nx_device_jobs_run(struct nx_device_jobs *jobs,
						const struct nx_exporter *exporter,
						const struct nx_export_options *how,
						uint32_t at_once, struct nx_error *err);

#endif
