/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs about continuous recording: start, stop, and a snapshot of what led up to now. */
#include <string.h>

#include "base/arena.h"
#include "runtime/service/service_internal.h"

static void answer_empty(struct nx_service_task *job)
{
	struct nx_rpc_answer answer = NX_RPC_ANSWER;

	nx_job_finish(job, &answer);
}

/* Statuses and messages are those of XProf's server. */
static void fail_missing(struct nx_service_task *job)
{
	nx_job_refuse(job, NX_GRPC_NOT_FOUND, "No continuous profiling session found.");
}

static uint64_t number_of(const struct nx_service_options *options, const char *key)
{
	struct nx_service_value value = nx_service_options_find(options, key);

	return value.kind == NX_SERVICE_VALUE_I64 && value.integer > 0 ? (uint64_t)value.integer
								       : 0;
}

void nx_job_start_continuous(struct nx_service_task *job)
{
	nx_profiler_continuous_options options = nx_profiler_continuous_options_default();
	struct nx_service_profile_request request;
	struct nx_arena arena = {0};
	int status;

	if (!nx_job_read_request(job, &nx_service_profile_request_message, &request, &arena))
		goto out;
	options.output_dir = job->output_dir;
	options.budget_bytes = number_of(&request.opts, NX_SERVICE_KEY_BUDGET);
	options.horizon_ms = number_of(&request.opts, NX_SERVICE_KEY_HORIZON);
	status = job->profiler->continuous_start(&options);
	if (status == NX_PROFILER_BUSY)
		nx_job_refuse(job, NX_GRPC_ALREADY_EXISTS,
			      "A profiling session is already running.");
	else if (status && status != NX_PROFILER_RUNTIME)
		nx_job_refuse(job, NX_GRPC_INTERNAL, "Failed to create profiler session: %s",
			      job->profiler->error());
	else
		answer_empty(job);
out:
	nx_arena_release(&arena);
}

void nx_job_stop_continuous(struct nx_service_task *job)
{
	if (job->profiler->continuous_stop() == NX_PROFILER_IDLE)
		fail_missing(job);
	else
		answer_empty(job);
}

static bool wants_session(const struct nx_service_snapshot_request *request)
{
	for (size_t i = 0; i < request->tools.count; i++)
		if (nx_slice_is(request->tools.items[i], NX_SERVICE_TOOL_SESSION))
			return true;
	return false;
}

static void answer_snapshot(struct nx_service_task *job, const char *directory, char *folder,
			    bool with_session)
{
	struct nx_reply_wish wish = {.folder = directory,
				     .start_ns = UINT64_MAX,
				     .stop_ns = nx_service_epoch_ns(),
				     .is_embedded = true, /* XProf's clients expect it there */
				     .with_session = with_session};
	struct nx_rpc_answer answer = NX_RPC_ANSWER;
	struct nx_error err = {0};
	enum nx_status st = nx_reply_profile(&wish, &answer, &err);

	nx_reply_remove(folder); /* before the caller sees the answer */
	if (!st) {
		nx_job_finish(job, &answer);
		return;
	}
	nx_rpc_answer_release(&answer);
	nx_job_fail(job, st, err.message);
}

void nx_job_snapshot(struct nx_service_task *job)
{
	char folder[NX_SERVICE_PATH_BYTES] = "", directory[NX_SERVICE_PATH_BYTES] = "";
	nx_profiler_snapshot_options options = {.struct_size = sizeof(options),
						.output_dir = folder,
						.reason = "a client asked for it"};
	struct nx_service_snapshot_request request;
	struct nx_arena arena = {0};
	int status;

	if (!nx_job_read_request(job, &nx_service_snapshot_request_message, &request, &arena) ||
	    !nx_job_make_folder(job, folder, sizeof(folder)))
		goto out;
	status = job->profiler->snapshot(&options, directory, sizeof(directory));
	if (status == NX_PROFILER_IDLE)
		fail_missing(job);
	else if (status)
		nx_job_refuse(job, NX_GRPC_INTERNAL, "no snapshot was saved: %s",
			      job->profiler->error());
	else
		answer_snapshot(job, directory, folder, wants_session(&request));
out:
	nx_reply_remove(folder);
	nx_arena_release(&arena);
}
