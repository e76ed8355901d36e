/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/device_profile.h"

#include <nrt/nrt_profile.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "format/ntff.h"
#include "runtime/nrt/gathered_runs.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/inspect_stream.h"
#include "runtime/nrt/model_profiles.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/profile_files.h"

struct nrt_profile_continuous_options {
	char output_dir[NX_INSPECT_PATH_MAX];
};

struct kept {				  /* of a core */
	struct nx_model *model;		  /* held */
	struct nx_gathered_runs gathered; /* in session mode */
	struct nx_bytes ntff;		  /* of the latest execution, for continuous profiling */
};

static struct {
	pthread_mutex_t lock;
	_Atomic bool is_continuous;
	struct kept cores[NX_TRACE_MAX_CORES];
	uint64_t save_count;
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- inspect ------------------------------------------------------------------------------- */

/* The NEFF lies beside the NTFFs of its model, once. */
static void write_neff(const char *folder, const struct nx_model *model, const char *suffix)
{
	char path[NX_INSPECT_PATH_MAX + 512];

	snprintf(path, sizeof(path), "%s/neff_%llu%s.neff", folder, (unsigned long long)model->id,
		 suffix);
	if (access(path, F_OK) != 0)
		nx_profile_write(path, model->file);
}

static void write_first(const struct nx_inspect_device *wishes, struct nx_model *model,
			const struct nx_port_run *run, const char *mark)
{
	char path[NX_INSPECT_PATH_MAX + 512];
	struct nx_bytes ntff = {0};

	snprintf(path, sizeof(path), "%s/%llu_instid_0_vnc_%u%s.ntff", wishes->folder,
		 (unsigned long long)model->id, model->core, mark);
	if (access(path, F_OK) == 0)
		return;
	write_neff(wishes->folder, model, "");
	if (nx_profile_encode_run(model, run, true, &ntff))
		nx_profile_write(path, nx_slice_of(ntff.items, ntff.len));
	nx_vec_release(&ntff);
}

/* Under the lock. */
static void hold_model(struct kept *kept, struct nx_model *model)
{
	if (kept->model == model)
		return;
	if (kept->model)
		nx_object_drop(&kept->model->object);
	if (nx_gathered_runs_change(&kept->gathered))
		nx_log_warn("core %u runs several models: the session's device profile has the "
			    "records of the last",
			    model->core);
	nx_object_hold(&model->object);
	kept->model = model;
}

static void gather(struct nx_model *model, const struct nx_port_run *run)
{
	struct kept *kept = &profile.cores[model->core % NX_TRACE_MAX_CORES];

	pthread_mutex_lock(&profile.lock);
	hold_model(kept, model);
	if (!nx_gathered_runs_add(&kept->gathered, model, run))
		nx_log_warn("core %u: an execution is missing in the device profile", model->core);
	pthread_mutex_unlock(&profile.lock);
}

static void note_for_inspect(struct nx_model *model, const struct nx_port_run *run, NRT_STATUS st)
{
	struct nx_inspect_device wishes;

	if (!nx_inspect_device_wishes(&wishes))
		return;
	if (wishes.wants_failed && st != NRT_SUCCESS)
		write_first(&wishes, model, run, "_failed");
	if (wishes.wants_all)
		gather(model, run);
	else if (wishes.wants_first && !atomic_exchange(&model->is_profiled, true))
		write_first(&wishes, model, run, "");
}

/* Under the lock. */
static void write_core(const char *folder, int session_id, uint32_t core)
{
	struct kept *kept = &profile.cores[core];
	char path[NX_INSPECT_PATH_MAX + 512], suffix[32];
	struct nx_bytes ntff = {0};
	const struct nx_device_recording recording = {
		.model = kept->model,
		.notified = &kept->gathered.rings,
		.executions = kept->gathered.executions.items,
		.execution_count = kept->gathered.executions.len,
		.duration_ps = kept->gathered.duration_ps,
		.has_process = true,
	};

	if (kept->model && kept->gathered.executions.len && nx_profile_encode(&recording, &ntff)) {
		snprintf(path, sizeof(path), "%s/profile_nc_%u_session_%d.ntff", folder, core,
			 session_id);
		snprintf(suffix, sizeof(suffix), "_vnc_%u", core);
		write_neff(folder, kept->model, suffix);
		nx_profile_write(path, nx_slice_of(ntff.items, ntff.len));
	}
	nx_vec_release(&ntff);
}

void nx_device_profile_write_session(const char *folder, int session_id)
{
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		pthread_mutex_lock(&profile.lock);
		write_core(folder, session_id, core);
		nx_gathered_runs_release(&profile.cores[core].gathered);
		pthread_mutex_unlock(&profile.lock);
	}
}

/* --- noting --------------------------------------------------------------------------------- */

void nx_device_profile_note(struct nx_model *model, const struct nx_port_run *run, NRT_STATUS st)
{
	nx_model_profiles_note(model, run);
	pthread_mutex_lock(&profile.lock);
	if (profile.is_continuous) {
		struct kept *kept = &profile.cores[model->core % NX_TRACE_MAX_CORES];

		hold_model(kept, model);
		nx_profile_encode_run(model, run, false, &kept->ntff);
	}
	pthread_mutex_unlock(&profile.lock);
	note_for_inspect(model, run, st);
}

/* Under the lock. */
static void forget_cores(void)
{
	profile.is_continuous = false;
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		struct kept *kept = &profile.cores[core];

		if (kept->model)
			nx_object_drop(&kept->model->object);
		kept->model = NULL;
		nx_vec_release(&kept->ntff);
		nx_gathered_runs_release(&kept->gathered);
	}
}

void nx_device_profile_end(void)
{
	nx_model_profiles_end();
	pthread_mutex_lock(&profile.lock);
	forget_cores();
	pthread_mutex_unlock(&profile.lock);
}

bool nx_device_profile_is_continuous(void)
{
	return profile.is_continuous;
}

/* --- continuous ------------------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS
nrt_profile_continuous_options_allocate(nrt_profile_continuous_options_t **options)
{
	if (!options)
		return NRT_INVALID;
	*options = nx_heap_try_alloc(sizeof(**options));
	if (!*options)
		return NRT_RESOURCE;
	snprintf((*options)->output_dir, sizeof((*options)->output_dir), "./output");
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_profile_continuous_options_free(nrt_profile_continuous_options_t *options)
{
	if (!options)
		return NRT_INVALID;
	nx_heap_free(options);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_profile_continuous_options_set_output_dir(
	nrt_profile_continuous_options_t *options, const char *output_dir)
{
	if (!options || !output_dir || !*output_dir ||
	    strlen(output_dir) >= sizeof(options->output_dir))
		return NRT_INVALID;
	snprintf(options->output_dir, sizeof(options->output_dir), "%s", output_dir);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_profile_continuous_start(nrt_profile_continuous_options_t *options)
{
	NRT_STATUS st = nx_state_check();
	struct nx_inspect_device wishes;

	if (st != NRT_SUCCESS)
		return st;
	if (!options)
		return NRT_INVALID;
	if (nx_inspect_device_wishes(&wishes)) {
		nx_log_error("an inspect session captures device profiles; stop it first");
		return NRT_INVALID;
	}
	pthread_mutex_lock(&profile.lock);
	if (profile.is_continuous || nx_model_profiles_are_taken())
		st = NRT_INVALID;
	else
		profile.is_continuous = true;
	pthread_mutex_unlock(&profile.lock);
	return st;
}

/* A name nobody has: of this process, model, core and turn. */
static NRT_STATUS save_core(uint32_t vnc, const char *folder)
{
	const struct kept *kept = &profile.cores[vnc];
	char path[NX_INSPECT_PATH_MAX + 512];
	struct nx_error err = {0};

	if (!profile.is_continuous || !kept->model || !kept->ntff.len) {
		nx_log_error("core %u has no profiled execution to save", vnc);
		return NRT_INVALID;
	}
	if (nx_inspect_make_folder(folder, &err))
		return nx_state_fail(__func__, &err);
	do
		snprintf(path, sizeof(path), "%s/%llu_pid_%d_vnc_%u_%llu.ntff", folder,
			 (unsigned long long)kept->model->id, (int)getpid(), vnc,
			 (unsigned long long)++profile.save_count);
	while (access(path, F_OK) == 0);
	write_neff(folder, kept->model, "");
	return nx_profile_write(path, nx_slice_of(kept->ntff.items, kept->ntff.len));
}

NX_EXPORT NRT_STATUS nrt_profile_continuous_save(uint32_t vnc,
						 nrt_profile_continuous_options_t *options)
{
	NRT_STATUS st = nx_state_check_core(vnc);

	if (st != NRT_SUCCESS)
		return st;
	if (!options)
		return NRT_INVALID;
	pthread_mutex_lock(&profile.lock);
	st = save_core(vnc, options->output_dir);
	pthread_mutex_unlock(&profile.lock);
	return st;
}

NX_EXPORT NRT_STATUS nrt_profile_continuous_stop(void)
{
	NRT_STATUS st = nx_state_check();

	if (st != NRT_SUCCESS)
		return st;
	pthread_mutex_lock(&profile.lock);
	if (profile.is_continuous)
		forget_cores();
	else
		st = NRT_INVALID;
	pthread_mutex_unlock(&profile.lock);
	return st;
}
