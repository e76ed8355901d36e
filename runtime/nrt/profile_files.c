/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/profile_files.h"

#include "base/file.h"
#include "format/ntff.h"
#include "runtime/nrt/nrt_log.h"

struct writing {
	const char *path;
	struct nx_slice bytes;
	enum nx_status st;
	struct nx_error *err;
};

static void write_guarded(void *context)
{
	struct writing *w = context;
	struct nx_output out;

	w->st = nx_output_open(&out, w->path, w->err);
	if (w->st)
		return;
	nx_output_write(&out, w->bytes.data, w->bytes.len);
	w->st = nx_output_commit(&out, w->err);
}

NRT_STATUS nx_profile_write(const char *path, struct nx_slice bytes)
{
	struct nx_error err = {0};
	struct writing w = {path, bytes, NX_OK, &err};

	if (!nx_heap_guarded(write_guarded, &w))
		w.st = nx_fail(&err, NX_LIMIT, "no memory to write %s", path);
	return w.st ? nx_state_fail("nrt_profile", &err) : NRT_SUCCESS;
}

struct encoding {
	struct nx_device_recording recording;
	const struct nx_port_run *run; /* NULL: the recording has its rings already */
	struct nx_bytes *out;
};

static void encode_guarded(void *context)
{
	struct encoding *e = context;
	const struct nx_model *model = e->recording.model;
	struct nx_notified rings = {0};

	e->out->len = 0;
	if (e->run) {
		model->port->record(model->program, e->run,
				    nx_instance_physical_core(nx_state_instance(), model->core),
				    &rings);
		e->recording.notified = &rings;
	}
	nx_device_profile_encode(&e->recording, e->out);
	nx_notified_release(&rings);
}

static bool try_encode(struct encoding *e)
{
	if (nx_heap_guarded(encode_guarded, e))
		return true;
	nx_log_error("no memory for the device profile of core %u", e->recording.model->core);
	e->out->len = 0;
	return false;
}

bool nx_profile_encode(const struct nx_device_recording *recording, struct nx_bytes *out)
{
	struct encoding e = {*recording, NULL, out};

	return try_encode(&e);
}

bool nx_profile_encode_run(const struct nx_model *model, const struct nx_port_run *run,
			   bool has_process, struct nx_bytes *out)
{
	struct nx_ntff_execution once = {{0}, run->start_ps, run->end_ps};
	struct encoding e = {{.model = model,
			      .executions = &once,
			      .execution_count = 1,
			      .duration_ps = run->end_ps - run->start_ps,
			      .has_process = has_process},
			     run,
			     out};

	return try_encode(&e);
}
