/* SPDX-License-Identifier: Apache-2.0 */
/* capture_trace: the system trace of a capture, and its event types. */
#include "base/disk.h"
#include "base/json_reader.h"
#include "capture/capture_worker_internal.h"

static const char *const needed[] = {"nrt_sys_trace_config_allocate",
				     "nrt_sys_trace_config_set_defaults",
				     "nrt_sys_trace_config_free",
				     "nrt_sys_trace_config_set_capture_enabled_for_event_type",
				     "nrt_sys_trace_get_event_types",
				     "nrt_sys_trace_free_event_types",
				     "nrt_sys_trace_start",
				     "nrt_sys_trace_stop",
				     "nrt_sys_trace_fetch_events",
				     "nrt_sys_trace_buffer_free",
				     NULL};

/* --- types -------------------------------------------------------------------------------------
 */

enum nx_status nx_capture_event_types(const struct nx_runtime_library *lib,
				      nx_capture_event_type_fn each, void *context,
				      struct nx_error *err)
{
	const char **names = NULL;
	size_t count = 0;
	NRT_STATUS status;

	if (nx_runtime_library_need(lib, "--systrace-get-event-types", needed, err))
		return err->status;
	status = lib->nrt_sys_trace_get_event_types(&names, &count);
	if (status != NRT_SUCCESS)
		return nx_runtime_fail(lib, status, err,
				       "querying the runtime for its event types");
	for (size_t i = 0; i < count; i++)
		each(context, names[i]);
	lib->nrt_sys_trace_free_event_types(names, count);
	return NX_OK;
}

/* --- filter ------------------------------------------------------------------------------------
 */

static enum nx_status enable(const struct nx_runtime_library *lib, nrt_sys_trace_config_t *config,
			     const char *name, bool is_enabled, struct nx_error *err)
{
	NRT_STATUS status = lib->nrt_sys_trace_config_set_capture_enabled_for_event_type(
		config, name, is_enabled);

	if (status == NRT_SUCCESS)
		return NX_OK;
	return nx_fail(err, NX_USAGE,
		       "the runtime has no event type '%.100s'; --systrace-get-event-types lists "
		       "them",
		       name);
}

struct disabling {
	const struct nx_runtime_library *lib;
	nrt_sys_trace_config_t *config;
	enum nx_status st;
	struct nx_error *err;
};

static void disable(void *context, const char *name)
{
	struct disabling *d = context;

	if (!d->st)
		d->st = enable(d->lib, d->config, name, false, d->err);
}

/* By default all types are enabled; a filter names those to keep. */
static enum nx_status apply_filter(const struct nx_capture_job *job, nrt_sys_trace_config_t *config,
				   struct nx_error *err)
{
	const struct nx_capture_wishes *w = &job->plan->wishes;
	struct disabling d = {job->library, config, NX_OK, err};
	enum nx_status st;

	if (!w->event_type_count)
		return NX_OK;
	st = nx_capture_event_types(job->library, disable, &d, err);
	if (!st)
		st = d.st;
	for (size_t i = 0; i < w->event_type_count && !st; i++)
		st = enable(job->library, config, w->event_types[i], true, err);
	return st;
}

/* --- begin and end -----------------------------------------------------------------------------
 */

enum nx_status nx_capture_trace_begin(const struct nx_capture_job *job, struct nx_error *err)
{
	const struct nx_runtime_library *lib = job->library;
	nrt_sys_trace_config_t *config = NULL;
	NRT_STATUS status;
	enum nx_status st;

	if (nx_runtime_library_need(lib, "--capture-type systrace", needed, err))
		return err->status;
	status = lib->nrt_sys_trace_config_allocate(&config);
	if (status != NRT_SUCCESS)
		return nx_runtime_fail(lib, status, err, "preparing a system trace");
	lib->nrt_sys_trace_config_set_defaults(config);
	st = apply_filter(job, config, err);
	if (!st) {
		status = lib->nrt_sys_trace_start(config);
		if (status != NRT_SUCCESS)
			st = nx_runtime_fail(lib, status, err, "starting a system trace");
	}
	lib->nrt_sys_trace_config_free(config);
	return st;
}

static enum nx_status count_events(struct nx_slice text, uint64_t *count, struct nx_error *err)
{
	struct nx_arena arena = {0};
	struct nx_json *root = NULL;
	const struct nx_json *events;
	enum nx_status st = nx_json_parse(text, &arena, &root, err);

	if (st) {
		st = nx_context(err, "the runtime's system trace");
	} else {
		events = nx_json_get(root, "events");
		*count = events ? events->count : 0;
	}
	nx_arena_release(&arena);
	return st;
}

static enum nx_status write_trace(const struct nx_capture_job *job, struct nx_slice text,
				  struct nx_capture_result *result, struct nx_error *err)
{
	struct nx_capture_file file = {job->plan->wishes.session_path, text.len};
	struct nx_output out = {0};
	enum nx_status st = count_events(text, &result->event_count, err);

	if (!st)
		st = nx_output_open(&out, file.path, err);
	if (st)
		return st;
	nx_output_write(&out, text.data, text.len);
	st = nx_output_commit(&out, err);
	if (st == NX_NO_SPACE)
		nx_disk_fail_full(err, file.path, "cannot write the trace",
				  "choose another place with -s");
	if (!st)
		nx_vec_push(&result->sessions, file);
	return st;
}

enum nx_status nx_capture_trace_end(const struct nx_capture_job *job,
				    struct nx_capture_result *result, struct nx_error *err)
{
	const struct nx_runtime_library *lib = job->library;
	NRT_STATUS status = lib->nrt_sys_trace_stop();
	char *text = NULL;
	size_t len = 0;
	enum nx_status st;

	if (status == NRT_SUCCESS)
		status = lib->nrt_sys_trace_fetch_events(&text, &len, NULL);
	if (status != NRT_SUCCESS || !text)
		return nx_runtime_fail(lib, status, err, "fetching the system trace");
	st = write_trace(job, nx_slice_of(text, len), result, err);
	lib->nrt_sys_trace_buffer_free(text);
	return st;
}
