/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that record: a session starts, lasts as long as the caller wants, and becomes an answer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "runtime/service/service_internal.h"

#define NS_PER_MS UINT64_C(1000000)
#define MAX_DELAY_NS (UINT64_C(86400) * 1000000000u)
#define MAX_BUFFER_BYTES (UINT64_C(1) << 30)
#define DEFAULT_MONITOR_MS 1000
#define MAX_TEXT 256

/* What a request asks for. */
struct recording {
	nx_profiler_options options;
	char cores[MAX_TEXT];
	uint64_t delay_ns, duration_ns;
	bool is_embedded, with_session;
	/* what became of it */
	char folder[NX_SERVICE_PATH_BYTES];    /* temporary; "": the program's own */
	char directory[NX_SERVICE_PATH_BYTES]; /* of the session */
	char warning[1024];
	uint64_t start_ns, stop_ns;
};

/* --- requests ------------------------------------------------------------------- */

static void read_advanced(struct recording *r, const struct nx_service_options *options)
{
	struct nx_service_value value = nx_service_options_find(options, NX_SERVICE_OPTION_DEVICE);

	r->options.with_device = value.integer != 0;
	value = nx_service_options_find(options, NX_SERVICE_OPTION_EVENTS);
	if (value.kind == NX_SERVICE_VALUE_I64 && value.integer > 0)
		r->options.max_events_per_core = (uint64_t)value.integer;
	value = nx_service_options_find(options, NX_SERVICE_OPTION_BUFFER);
	if (value.kind == NX_SERVICE_VALUE_I64 && value.integer > 0)
		r->options.buffer_bytes = (uint64_t)value.integer < MAX_BUFFER_BYTES
						  ? (uint64_t)value.integer
						  : MAX_BUFFER_BYTES;
	value = nx_service_options_find(options, NX_SERVICE_OPTION_CORES);
	if (value.kind == NX_SERVICE_VALUE_TEXT && value.text.len < sizeof(r->cores)) {
		snprintf(r->cores, sizeof(r->cores), "%.*s", (int)value.text.len,
			 (const char *)value.text.data);
		r->options.cores = *r->cores ? r->cores : NULL;
	}
}

/* XProf's server waits for the duration of the options; clients fill both. */
static bool read_request(struct recording *r, const struct nx_service_profile_request *request)
{
	struct nx_service_options options = request->opts;
	uint64_t now_ns = nx_service_epoch_ns();
	uint64_t duration_ms = options.version ? options.duration_ms : 0;

	if (!request->has_opts || !options.version) {
		options = nx_service_options_default();
		options.start_timestamp_ns = request->opts.start_timestamp_ns;
	}
	if (!duration_ms)
		duration_ms = request->opts.duration_ms ? request->opts.duration_ms
							: request->duration_ms;
	r->options.with_runtime = options.device_tracer_level > 0;
	read_advanced(r, &options);
	r->is_embedded = request->emit_xspace;
	for (size_t i = 0; i < request->tools.count; i++)
		if (nx_slice_is(request->tools.items[i], NX_SERVICE_TOOL_SESSION))
			r->with_session = true;
	if (options.start_timestamp_ns > now_ns)
		r->delay_ns = options.start_timestamp_ns - now_ns;
	if (__builtin_mul_overflow(duration_ms, NS_PER_MS, &r->duration_ns))
		r->duration_ns = UINT64_MAX;
	return duration_ms > 0 && r->delay_ns <= MAX_DELAY_NS;
}

struct decoding {
	const struct nx_wire_message *message;
	struct nx_slice input;
	void *out;
	struct nx_arena *arena;
	enum nx_status status;
	struct nx_error err;
};

static void decode(void *context)
{
	struct decoding *d = context;
	struct nx_wire_loss loss = {0};

	d->status = nx_wire_decode(d->message, d->input, d->out, d->arena, &loss, &d->err);
	if (!d->status && loss.truncated_count)
		d->status = nx_fail(&d->err, NX_FORMAT, "the message ends inside a field");
}

bool nx_job_read_request(struct nx_service_task *job, const struct nx_wire_message *message,
			 void *out, struct nx_arena *arena)
{
	struct decoding d = {.message = message,
			     .input = nx_rpc_call_request(job->call),
			     .out = out,
			     .arena = arena};

	if (!nx_heap_guarded(decode, &d))
		nx_job_refuse(job, NX_GRPC_RESOURCE_EXHAUSTED, "out of memory for the request");
	else if (d.status)
		nx_job_refuse(job, NX_GRPC_INVALID_ARGUMENT, "the request: %s", d.err.message);
	else
		return true;
	return false;
}

/* --- sessions --------------------------------------------------------------------- */

bool nx_job_make_folder(struct nx_service_task *job, char *folder, size_t cap)
{
	const char *place = getenv("TMPDIR");

	snprintf(folder, cap, "%.1000s/nx-service-XXXXXX", place && *place ? place : "/tmp");
	if (mkdtemp(folder))
		return true;
	nx_job_refuse(job, NX_GRPC_FAILED_PRECONDITION,
		      "cannot make a temporary folder %.200s: %s; set TMPDIR to a folder that "
		      "the program can write",
		      folder, strerror(errno));
	*folder = 0;
	return false;
}

/* The files of a capture are only an answer: they are gone once it is made. */
static bool make_folder(struct nx_service_task *job, struct recording *r)
{
	r->options.output_dir = r->folder;
	return nx_job_make_folder(job, r->folder, sizeof(r->folder));
}

static void fail_start(struct nx_service_task *job, int status)
{
	if (status == NX_PROFILER_BUSY)
		nx_job_refuse(job, NX_GRPC_INTERNAL, "Another profiling session active.");
	else if (status == NX_PROFILER_INVALID)
		nx_job_refuse(job, NX_GRPC_INVALID_ARGUMENT, "%s", job->profiler->error());
	else
		nx_job_refuse(job, NX_GRPC_INTERNAL, "the session did not start: %s",
			      job->profiler->error());
}

/* Records as the request says. False: the call was answered. */
static bool record(struct nx_service_task *job, struct recording *r)
{
	int status;

	if (!nx_job_wait(job, r->delay_ns)) {
		nx_job_refuse(job, NX_GRPC_CANCELLED, "cancelled");
		return false;
	}
	status = job->profiler->demand(NX_PROFILER_REQUEST_START, &r->options);
	if (status == NX_PROFILER_RUNTIME) { /* the session runs, without the runtime's part */
		snprintf(r->warning, sizeof(r->warning), "%s", job->profiler->error());
	} else if (status) {
		fail_start(job, status);
		return false;
	}
	r->start_ns = nx_service_epoch_ns();
	snprintf(r->directory, sizeof(r->directory), "%s", job->profiler->directory());
	(void)nx_job_wait(job, r->duration_ns);
	status = job->profiler->demand(NX_PROFILER_REQUEST_STOP, NULL);
	r->stop_ns = nx_service_epoch_ns();
	if (nx_job_is_cancelled(job)) {
		nx_job_refuse(job, NX_GRPC_CANCELLED, "cancelled");
		return false;
	}
	/* the program may have stopped the session itself: its files are complete then */
	if (status && status != NX_PROFILER_IDLE) {
		nx_job_refuse(job, NX_GRPC_INTERNAL, "the session did not stop: %s",
			      job->profiler->error());
		return false;
	}
	return true;
}

/* --- Profile ------------------------------------------------------------------------ */

static void answer_profile(struct nx_service_task *job, struct recording *r)
{
	struct nx_reply_wish wish = {.folder = r->directory,
				     .warning = *r->warning ? r->warning : NULL,
				     .start_ns = r->start_ns,
				     .stop_ns = r->stop_ns,
				     .is_embedded = r->is_embedded,
				     .with_session = r->with_session};
	struct nx_rpc_answer answer = NX_RPC_ANSWER;
	struct nx_error err = {0};
	enum nx_status st = nx_reply_profile(&wish, &answer, &err);

	nx_reply_remove(r->folder); /* before the caller sees the answer */
	if (!st) {
		nx_job_finish(job, &answer);
		return;
	}
	nx_rpc_answer_release(&answer);
	nx_job_fail(job, st, err.message);
}

static void refuse_duration(struct nx_service_task *job)
{
	nx_job_refuse(job, NX_GRPC_INVALID_ARGUMENT,
		      "opts.duration_ms must be positive, and opts.start_timestamp_ns at most a "
		      "day from now");
}

void nx_job_profile(struct nx_service_task *job)
{
	struct nx_service_profile_request request;
	struct recording r = {.options = NX_PROFILER_OPTIONS};
	struct nx_arena arena = {0};

	if (nx_job_read_request(job, &nx_service_profile_request_message, &request, &arena)) {
		if (!read_request(&r, &request))
			refuse_duration(job);
		else if (make_folder(job, &r) && record(job, &r))
			answer_profile(job, &r);
	}
	nx_reply_remove(r.folder);
	nx_arena_release(&arena);
}

/* --- Monitor -------------------------------------------------------------------------- */

struct summing {
	const struct recording *r;
	struct nx_session_summary sum;
	enum nx_status status;
	struct nx_error err;
};

static void sum_up(void *context)
{
	struct summing *s = context;
	struct nx_session_space *space = nx_session_space_new(s->r->directory, NULL);
	struct nx_session_target target = {.start_ns = s->r->start_ns, .stop_ns = s->r->stop_ns};

	s->status = nx_session_space_save(space, &target, &s->sum, &s->err);
	nx_session_space_free(space);
}

struct monitoring {
	struct nx_service_monitor_response *response;
	struct nx_rpc_answer *answer;
};

static void encode_monitor(void *context)
{
	struct monitoring *m = context;
	struct nx_bytes bytes = {0};

	nx_wire_encode(&nx_service_monitor_response_message, m->response, &bytes);
	nx_rpc_answer_add_bytes(m->answer, nx_slice_of(bytes.items, bytes.len));
	nx_vec_release(&bytes);
}

static int print_idle(char *out, size_t cap, const struct summing *s,
		      struct nx_service_monitor_result *result)
{
	double all_ns = (double)(s->r->stop_ns - s->r->start_ns) * s->sum.core_count;
	double idle = all_ns > 0 ? 100.0 * (1.0 - (double)s->sum.busy_ns / all_ns) : 0;

	if (!s->sum.core_count)
		return 0;
	result->response_type = NX_SERVICE_MONITOR_UTIL_IDLE;
	result->device_idle_time_percent = idle < 0 ? 0 : idle;
	return snprintf(out, cap, "NeuronCores: %u, idle %.1f %%\n", s->sum.core_count,
			result->device_idle_time_percent);
}

static int print_steps(char *out, size_t cap, const struct nx_session_summary *sum,
		       struct nx_service_monitor_result *result)
{
	if (!sum->step_count)
		return 0;
	result->response_type = NX_SERVICE_MONITOR_UTIL_IDLE_STEP;
	result->step_time_ms_avg = (double)sum->step_sum_ns / 1e6 / (double)sum->step_count;
	result->step_time_ms_min = (double)sum->step_min_ns / 1e6;
	result->step_time_ms_max = (double)sum->step_max_ns / 1e6;
	return snprintf(out, cap,
			"Steps: %llu, average %.3f ms, shortest %.3f ms, longest %.3f ms\n",
			(unsigned long long)sum->step_count, result->step_time_ms_avg,
			result->step_time_ms_min, result->step_time_ms_max);
}

static void answer_monitor(struct nx_service_task *job, const struct summing *s, bool with_time)
{
	struct nx_service_monitor_response response = {.has_monitor_result = true};
	struct nx_rpc_answer answer = NX_RPC_ANSWER;
	struct monitoring m = {&response, &answer};
	char text[512];
	int len = 0;

	if (!s->sum.core_count && !s->sum.step_count) { /* as XProf's server answers */
		nx_job_refuse(job, NX_GRPC_UNIMPLEMENTED, "unimplemented.");
		return;
	}
	if (with_time)
		len = snprintf(text, sizeof(text), "Timestamp: %llu ns since 1970\n",
			       (unsigned long long)s->r->stop_ns);
	len += print_idle(text + len, sizeof(text) - (size_t)len, s, &response.monitor_result);
	len += print_steps(text + len, sizeof(text) - (size_t)len, &s->sum,
			   &response.monitor_result);
	response.data = nx_slice_of(text, (size_t)len);
	if (nx_heap_guarded(encode_monitor, &m))
		nx_job_finish(job, &answer);
	else
		nx_job_fail(job, NX_LIMIT, "out of memory for the answer");
}

void nx_job_monitor(struct nx_service_task *job)
{
	struct nx_service_monitor_request request;
	struct recording r = {.options = NX_PROFILER_OPTIONS};
	struct summing s = {.r = &r};
	struct nx_arena arena = {0};

	if (nx_job_read_request(job, &nx_service_monitor_request_message, &request, &arena)) {
		uint64_t ms = request.duration_ms ? request.duration_ms : DEFAULT_MONITOR_MS;

		if (__builtin_mul_overflow(ms, NS_PER_MS, &r.duration_ns))
			r.duration_ns = UINT64_MAX;
		if (make_folder(job, &r) && record(job, &r)) {
			if (!nx_heap_guarded(sum_up, &s))
				nx_job_fail(job, NX_LIMIT, "out of memory for the answer");
			else if (s.status)
				nx_job_fail(job, s.status, s.err.message);
			else
				answer_monitor(job, &s, request.timestamp);
		}
	}
	nx_reply_remove(r.folder);
	nx_arena_release(&arena);
}

/* --- NewSession ------------------------------------------------------------------------ */

/* The session stays in the program's own folder; a path that the caller names is not used. */
void nx_job_new_session(struct nx_service_task *job)
{
	struct nx_service_new_session_request request;
	struct recording r = {.options = NX_PROFILER_OPTIONS};
	struct nx_rpc_answer answer = NX_RPC_ANSWER; /* an empty message: no error, not empty */
	struct nx_arena arena = {0};

	r.options.output_dir = job->output_dir;
	if (nx_job_read_request(job, &nx_service_new_session_request_message, &request, &arena)) {
		if (!read_request(&r, &request.request))
			refuse_duration(job);
		else if (record(job, &r))
			nx_job_finish(job, &answer);
	}
	nx_arena_release(&arena);
}
