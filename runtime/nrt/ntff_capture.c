/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ntff_capture.h"

#include <assert.h>
#include <nrt/nrt_profile.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/nrt/core_recording.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/ntff_encode.h"
#include "runtime/trace/guest_files.h"

#define MAX_KEPT 64
#define KEEP_PERIOD_NS UINT64_C(1000000000)
#define KEEP_COST 400 /* encoding takes no more than this part of the time */
#define MAX_PATH (NX_INSPECT_PATH_MAX + 512)

struct nrt_profile_continuous_options {
	char output_dir[NX_INSPECT_PATH_MAX];
};

struct core {
	bool is_recording, is_for_inspect;
	struct nx_core_recording recording;
	struct nx_model *latest_model; /* held; continuous profiling: the latest execution */
	struct nx_bytes latest;
};

struct stopped { /* by nrt_profile_session_stop, not yet written */
	uint64_t id;
	uint32_t core;
	struct nx_core_recording recording;
};

/* A profile between nrt_profile_start and nrt_profile_stop, known by its path. A model has at
 * most one, so the ranks of a job in one process can be profiled in the same execution. */
struct model_profile {
	struct nx_model *model; /* held; NULL: free */
	char path[NX_INSPECT_PATH_MAX];
	struct nx_bytes ntff;
};

/* An execution that continuous recording keeps. */
struct kept_run {
	struct nx_model *model; /* held; NULL: free */
	uint64_t time_ns;	/* epoch, of its end */
	struct nx_bytes ntff;
};

static struct {
	pthread_mutex_t lock;
	struct kept_run kept[MAX_KEPT];
	uint64_t kept_limit_bytes;
	_Atomic uint64_t next_kept_ns; /* epoch; UINT64_MAX: none is kept */
	bool is_continuous;
	struct core cores[NX_TRACE_MAX_CORES];
	NX_VEC(struct stopped) stopped;
	uint64_t session_count;
	struct model_profile models[NX_TRACE_MAX_CORES]; /* no more can run at once */
	uint64_t save_count;
} capture = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_kept_ns = UINT64_MAX};

static NRT_STATUS refuse(const char *call, const char *reason)
{
	nx_log_error(call, "%s", reason);
	return NRT_INVALID;
}

static NRT_STATUS write_file(const char *path, struct nx_slice bytes, const char *call)
{
	struct nx_error err = {0};

	return nx_guest_write_file(path, bytes, &err) ? nx_state_fail(call, &err) : NRT_SUCCESS;
}

/* Writes the model's NEFF beside its NTFFs, once. */
static void write_neff(const char *folder, const struct nx_model *model, const char *suffix)
{
	char path[MAX_PATH];

	snprintf(path, sizeof(path), "%s/neff_%llu%s.neff", folder, (unsigned long long)model->id,
		 suffix);
	if (access(path, F_OK) != 0)
		(void)write_file(path, model->file, "nrt_execute");
}

static bool encode_run(const struct nx_model *model, const struct nx_port_run *run,
		       bool has_process, struct nx_bytes *out)
{
	const struct nx_ntff_execution once = {nx_ntff_model_uid(model), run->start_ps,
					       run->end_ps};
	const struct nx_ntff_model part = {model, run->end_ps - run->start_ps, NULL};
	const struct nx_ntff_recording recording = {
		.models = &part,
		.model_count = 1,
		.run = run,
		.executions = &once,
		.execution_count = 1,
		.has_process = has_process,
	};

	return nx_ntff_encode(&recording, out);
}

/* --- inspect sessions ------------------------------------------------------------------------ */

static void write_once(const struct nx_inspect_device *wishes, struct nx_model *model,
		       const struct nx_port_run *run, const char *mark)
{
	char path[MAX_PATH];
	struct nx_bytes ntff = {0};

	snprintf(path, sizeof(path), "%s/%llu_instid_0_vnc_%u%s.ntff", wishes->folder,
		 (unsigned long long)model->id, model->core, mark);
	if (access(path, F_OK) == 0)
		return;
	write_neff(wishes->folder, model, "");
	if (encode_run(model, run, true, &ntff))
		(void)write_file(path, nx_slice_of(ntff.items, ntff.len), "nrt_execute");
	nx_vec_release(&ntff);
}

/* From here on, functions that take a struct nx_core_recording or core need the lock. */

static_assert(NX_INSPECT_PATH_MAX + 256 + 100 <= MAX_PATH, "a session's folder and a file name");

void nx_ntff_capture_begin_session(void)
{
	pthread_mutex_lock(&capture.lock);
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		struct core *c = &capture.cores[core];

		if (!c->is_recording)
			c->is_recording = c->is_for_inspect = true;
	}
	pthread_mutex_unlock(&capture.lock);
}

static void write_core(const struct core *c, const char *folder, int session_id, uint32_t core)
{
	char path[MAX_PATH], suffix[32];

	if (!c->recording.executions.len)
		return;
	snprintf(path, sizeof(path), "%s/profile_nc_%u_session_%d.ntff", folder, core, session_id);
	snprintf(suffix, sizeof(suffix), "_vnc_%u", core);
	for (size_t i = 0; i < c->recording.models.len; i++)
		write_neff(folder, c->recording.models.items[i].model, suffix);
	(void)nx_core_recording_write(&c->recording, path, "nrt_inspect_stop");
}

void nx_ntff_capture_write_session(const char *folder, int session_id, bool is_end)
{
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		struct core *c = &capture.cores[core];

		pthread_mutex_lock(&capture.lock);
		if (c->is_for_inspect) {
			write_core(c, folder, session_id, core);
			if (is_end) {
				nx_core_recording_clear(&c->recording);
				c->is_recording = c->is_for_inspect = false;
			}
		}
		pthread_mutex_unlock(&capture.lock);
	}
}

/* --- continuous recording ---------------------------------------------------------------------
 */

static void forget_kept(struct kept_run *kept)
{
	nx_object_drop(kept->model);
	kept->model = NULL;
	nx_vec_release(&kept->ntff);
}

void nx_ntff_capture_keep(uint64_t bytes)
{
	pthread_mutex_lock(&capture.lock);
	capture.kept_limit_bytes = bytes;
	atomic_store(&capture.next_kept_ns, bytes ? 0 : UINT64_MAX);
	for (size_t i = 0; i < MAX_KEPT && !bytes; i++)
		forget_kept(&capture.kept[i]);
	pthread_mutex_unlock(&capture.lock);
}

/* The one of this model, a free one, or the oldest. */
static struct kept_run *choose_kept(const struct nx_model *model)
{
	struct kept_run *chosen = &capture.kept[0];

	for (size_t i = 0; i < MAX_KEPT; i++) {
		struct kept_run *kept = &capture.kept[i];

		if (kept->model == model)
			return kept;
		if (chosen->model && (!kept->model || kept->time_ns < chosen->time_ns))
			chosen = kept;
	}
	return chosen;
}

/* Also counts what keeping the model holds in memory after it was unloaded. */
static void keep_within_limit(void)
{
	for (;;) {
		struct kept_run *oldest = NULL;
		uint64_t bytes = 0;

		for (size_t i = 0; i < MAX_KEPT; i++) {
			struct kept_run *kept = &capture.kept[i];

			if (!kept->model)
				continue;
			bytes += kept->ntff.cap + kept->model->file.len;
			if (!oldest || kept->time_ns < oldest->time_ns)
				oldest = kept;
		}
		if (!oldest || bytes <= capture.kept_limit_bytes)
			return;
		forget_kept(oldest);
	}
}

/* Under the lock, on the program's thread: rarely, and never for long in relation to the rest. */
static void keep_run(struct nx_model *model, const struct nx_port_run *run)
{
	uint64_t begin_ns = nx_trace_clock_epoch_ns(), rest_ns;
	struct kept_run *kept;

	if (begin_ns < atomic_load(&capture.next_kept_ns))
		return;
	kept = choose_kept(model);
	nx_object_hold(model);
	forget_kept(kept);
	kept->model = model;
	kept->time_ns = begin_ns;
	if (!encode_run(model, run, true, &kept->ntff))
		forget_kept(kept);
	keep_within_limit();
	rest_ns = (nx_trace_clock_epoch_ns() - begin_ns) * KEEP_COST;
	atomic_store(&capture.next_kept_ns,
		     begin_ns + (rest_ns > KEEP_PERIOD_NS ? rest_ns : KEEP_PERIOD_NS));
}

uint64_t nx_ntff_capture_write_kept(const char *folder, uint64_t since_ns)
{
	uint64_t count = 0;

	for (size_t i = 0; i < MAX_KEPT; i++) {
		const struct kept_run *kept = &capture.kept[i];
		char path[MAX_PATH];

		pthread_mutex_lock(&capture.lock);
		if (kept->model && kept->time_ns >= since_ns) {
			snprintf(path, sizeof(path), "%s/%llu_instid_0_vnc_%u.ntff", folder,
				 (unsigned long long)kept->model->id, kept->model->core);
			write_neff(folder, kept->model, "");
			count += write_file(path, nx_slice_of(kept->ntff.items, kept->ntff.len),
					    "nx_profiler_snapshot") == NRT_SUCCESS;
		}
		pthread_mutex_unlock(&capture.lock);
	}
	return count;
}

/* --- for the runtime ------------------------------------------------------------------------- */

static struct model_profile *find_model(const struct nx_model *model)
{
	for (size_t i = 0; i < NX_TRACE_MAX_CORES; i++)
		if (capture.models[i].model == model)
			return &capture.models[i];
	return NULL;
}

/* True for the execution of a session that MODEL mode captures. */
static bool is_first(struct nx_model *model, const struct nx_inspect_device *wishes)
{
	if (model->session_number != wishes->number)
		model->session_runs = 0;
	model->session_number = wishes->number;
	return model->session_runs++ == wishes->warmup_count;
}

void nx_ntff_capture_add(struct nx_model *model, const struct nx_port_run *run, NRT_STATUS st)
{
	struct core *core = &capture.cores[model->core % NX_TRACE_MAX_CORES];
	struct nx_inspect_device wishes;
	bool has_wishes = nx_inspect_device_wishes(&wishes);
	struct model_profile *profile;

	assert(run && model->port);
	pthread_mutex_lock(&capture.lock);
	profile = find_model(model);
	if (profile)
		encode_run(model, run, false, &profile->ntff);
	if (capture.is_continuous) {
		nx_object_hold(model);
		nx_object_drop(core->latest_model);
		core->latest_model = model;
		encode_run(model, run, false, &core->latest);
	}
	if (core->is_recording)
		nx_core_recording_add(&core->recording, model, run);
	if (atomic_load_explicit(&capture.next_kept_ns, memory_order_relaxed) != UINT64_MAX)
		keep_run(model, run);
	pthread_mutex_unlock(&capture.lock);
	if (has_wishes && wishes.wants_failed && st != NRT_SUCCESS)
		write_once(&wishes, model, run, "_failed");
	if (has_wishes && wishes.wants_first && !wishes.wants_all && is_first(model, &wishes))
		write_once(&wishes, model, run, "");
}

static void forget_profile(struct model_profile *profile)
{
	nx_object_drop(profile->model);
	profile->model = NULL;
	profile->path[0] = '\0';
	nx_vec_release(&profile->ntff);
}

static void forget_latest(void)
{
	capture.is_continuous = false;
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		nx_object_drop(capture.cores[core].latest_model);
		capture.cores[core].latest_model = NULL;
		nx_vec_release(&capture.cores[core].latest);
	}
}

void nx_ntff_capture_end(void)
{
	pthread_mutex_lock(&capture.lock);
	for (size_t i = 0; i < NX_TRACE_MAX_CORES; i++)
		forget_profile(&capture.models[i]);
	forget_latest();
	for (size_t i = 0; i < MAX_KEPT; i++)
		forget_kept(&capture.kept[i]);
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++) {
		nx_core_recording_clear(&capture.cores[core].recording);
		capture.cores[core].is_recording = capture.cores[core].is_for_inspect = false;
	}
	for (size_t i = 0; i < capture.stopped.len; i++)
		nx_core_recording_clear(&capture.stopped.items[i].recording);
	nx_vec_release(&capture.stopped);
	pthread_mutex_unlock(&capture.lock);
}

void nx_ntff_capture_abandon(void)
{
	pthread_mutex_init(&capture.lock, NULL);
	/* Not released: threads of the parent may have been changing it. */
	capture.is_continuous = false;
	atomic_store(&capture.next_kept_ns, UINT64_MAX);
	memset(capture.kept, 0, sizeof(capture.kept));
	memset(capture.cores, 0, sizeof(capture.cores));
	memset(capture.models, 0, sizeof(capture.models));
	memset(&capture.stopped, 0, sizeof(capture.stopped));
}

/* --- calls: sessions of a core ---------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_profile_session_start(int32_t vnc)
{
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_state_check_core(vnc));
	pthread_mutex_lock(&capture.lock);
	if (capture.cores[vnc].is_recording)
		st = refuse(__func__, "the core has a session already; stop it first");
	else if (capture.is_continuous)
		st = refuse(__func__, "continuous profiling is on; stop it first");
	else
		capture.cores[vnc].is_recording = true;
	pthread_mutex_unlock(&capture.lock);
	return st;
}

static void push_stopped(void *context)
{
	nx_vec_push(&capture.stopped, *(struct stopped *)context);
}

NX_EXPORT NRT_STATUS nrt_profile_session_stop(int32_t vnc, uint64_t *session_id)
{
	NRT_STATUS st = NRT_SUCCESS;
	struct core *core;

	NX_RETURN_IF_FAILED(nx_state_check_core(vnc));
	if (!session_id)
		return NRT_INVALID;
	core = &capture.cores[vnc];
	pthread_mutex_lock(&capture.lock);
	if (!core->is_recording || core->is_for_inspect) {
		st = refuse(__func__, "no session was started on this core");
	} else {
		struct stopped stopped = {capture.session_count + 1, (uint32_t)vnc,
					  core->recording};

		if (nx_heap_guarded(push_stopped, &stopped)) {
			*session_id = ++capture.session_count;
			memset(&core->recording, 0, sizeof(core->recording));
			core->is_recording = false;
		} else {
			st = NRT_RESOURCE;
		}
	}
	pthread_mutex_unlock(&capture.lock);
	return st;
}

/* Under the lock. */
static size_t find_stopped(uint64_t id)
{
	size_t i = 0;

	while (i < capture.stopped.len && capture.stopped.items[i].id != id)
		i++;
	return i;
}

static void forget_stopped(size_t i)
{
	nx_core_recording_clear(&capture.stopped.items[i].recording);
	capture.stopped.items[i] = capture.stopped.items[--capture.stopped.len];
}

/* A session that could not be written stays, so that the caller can name another file. */
static NRT_STATUS end_session(uint64_t id, const char *path, const char *call)
{
	NRT_STATUS st = NRT_SUCCESS;
	size_t i;

	NX_RETURN_IF_FAILED(nx_state_check());
	pthread_mutex_lock(&capture.lock);
	i = find_stopped(id);
	if (i == capture.stopped.len)
		st = refuse(call, "no stopped session has this number");
	else if (path)
		st = nx_core_recording_write(&capture.stopped.items[i].recording, path, call);
	if (st == NRT_SUCCESS)
		forget_stopped(i);
	pthread_mutex_unlock(&capture.lock);
	return st;
}

NX_EXPORT NRT_STATUS nrt_profile_session_serialize(uint64_t session_id, const char *filename)
{
	if (!filename || !*filename || strcmp(filename, "-") == 0)
		return NRT_INVALID;
	return end_session(session_id, filename, __func__);
}

NX_EXPORT NRT_STATUS nrt_profile_session_drop(uint64_t session_id)
{
	return end_session(session_id, NULL, __func__);
}

NX_EXPORT NRT_STATUS nrt_profile_session_drop_all(int32_t vnc)
{
	NX_RETURN_IF_FAILED(nx_state_check_core(vnc));
	pthread_mutex_lock(&capture.lock);
	for (size_t i = capture.stopped.len; i-- > 0;)
		if (capture.stopped.items[i].core == (uint32_t)vnc)
			forget_stopped(i);
	pthread_mutex_unlock(&capture.lock);
	return NRT_SUCCESS;
}

/* --- calls: one model ------------------------------------------------------------------------- */

static struct model_profile *find_path(const char *path)
{
	for (size_t i = 0; path && i < NX_TRACE_MAX_CORES; i++)
		if (capture.models[i].model && strcmp(capture.models[i].path, path) == 0)
			return &capture.models[i];
	return NULL;
}

/* Until the model runs, its profile has no execution. */
static NRT_STATUS start_profile(struct nx_model *model, const char *path)
{
	const struct nx_ntff_model part = {.model = model};
	const struct nx_ntff_recording empty = {.models = &part, .model_count = 1};
	struct model_profile *profile = find_model(NULL);

	if (capture.is_continuous)
		return refuse("nrt_profile_start", "continuous profiling is on; stop it first");
	if (find_model(model))
		return refuse("nrt_profile_start",
			      "this model is already being profiled; stop that profile first");
	if (find_path(path))
		return refuse("nrt_profile_start",
			      "another model is being profiled into this file; name another file");
	if (!profile)
		return NRT_RESOURCE;
	nx_object_hold(model);
	profile->model = model;
	snprintf(profile->path, sizeof(profile->path), "%s", path);
	if (nx_ntff_encode(&empty, &profile->ntff))
		return NRT_SUCCESS;
	forget_profile(profile);
	return NRT_RESOURCE;
}

NX_EXPORT NRT_STATUS nrt_profile_start(nrt_model_t *model, const char *filename)
{
	struct nx_model *profiled;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_model_acquire(model, &profiled));
	/* "-" would be the host's standard output. */
	if (!filename || !*filename || strcmp(filename, "-") == 0 ||
	    strlen(filename) >= NX_INSPECT_PATH_MAX) {
		st = NRT_INVALID;
	} else {
		pthread_mutex_lock(&capture.lock);
		st = start_profile(profiled, filename);
		pthread_mutex_unlock(&capture.lock);
	}
	nx_object_drop(profiled);
	return st;
}

NX_EXPORT NRT_STATUS nrt_profile_stop(const char *filename)
{
	NRT_STATUS st = NRT_SUCCESS;
	struct model_profile *profile;

	NX_RETURN_IF_FAILED(nx_state_check());
	pthread_mutex_lock(&capture.lock);
	profile = find_path(filename);
	if (profile) {
		st = write_file(profile->path, nx_slice_of(profile->ntff.items, profile->ntff.len),
				__func__);
		forget_profile(profile);
	} else {
		st = refuse(__func__, "no profile was started with this file name");
	}
	pthread_mutex_unlock(&capture.lock);
	return st;
}

/* --- calls: continuous profiling -------------------------------------------------------------- */

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
	nx_heap_free(options);
	return options ? NRT_SUCCESS : NRT_INVALID;
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
	struct nx_inspect_device wishes;
	bool is_busy;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!options)
		return NRT_INVALID;
	if (nx_inspect_device_wishes(&wishes))
		return refuse(__func__,
			      "an inspect session captures device profiles; stop it first");
	pthread_mutex_lock(&capture.lock);
	is_busy = capture.is_continuous;
	for (size_t i = 0; i < NX_TRACE_MAX_CORES; i++)
		is_busy |= capture.models[i].model || capture.cores[i].is_recording;
	capture.is_continuous |= !is_busy;
	pthread_mutex_unlock(&capture.lock);
	return is_busy ? refuse(__func__, "another profile is being taken; stop it first")
		       : NRT_SUCCESS;
}

/* The name has process, model, core and a counter, so it is new. */
static NRT_STATUS save_core(uint32_t vnc, const char *folder)
{
	const char *call = "nrt_profile_continuous_save";
	const struct core *core = &capture.cores[vnc];
	char path[MAX_PATH];
	struct nx_error err = {0};

	if (!capture.is_continuous || !core->latest_model || !core->latest.len) {
		nx_log_error(call, "core %u has no profiled execution to save", vnc);
		return NRT_INVALID;
	}
	if (nx_guest_make_folder(folder, &err))
		return nx_state_fail(call, &err);
	do
		snprintf(path, sizeof(path), "%s/%llu_pid_%d_vnc_%u_%llu.ntff", folder,
			 (unsigned long long)core->latest_model->id, (int)getpid(), vnc,
			 (unsigned long long)++capture.save_count);
	while (access(path, F_OK) == 0);
	write_neff(folder, core->latest_model, "");
	return write_file(path, nx_slice_of(core->latest.items, core->latest.len), call);
}

NX_EXPORT NRT_STATUS nrt_profile_continuous_save(uint32_t vnc,
						 nrt_profile_continuous_options_t *options)
{
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_state_check_core(vnc));
	if (!options)
		return NRT_INVALID;
	pthread_mutex_lock(&capture.lock);
	st = save_core(vnc, options->output_dir);
	pthread_mutex_unlock(&capture.lock);
	return st;
}

NX_EXPORT NRT_STATUS nrt_profile_continuous_stop(void)
{
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_state_check());
	pthread_mutex_lock(&capture.lock);
	if (capture.is_continuous)
		forget_latest();
	else
		st = refuse(__func__, "continuous profiling is not on");
	pthread_mutex_unlock(&capture.lock);
	return st;
}
