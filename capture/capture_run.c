/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_run.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "base/thread.h"
#include "capture/capture_worker_internal.h"
#include "machine/dtype.h"

/* Our own runtime has this many cores by default; more need a larger instance. */
#define USUAL_CORES 4
#define INSTANCE_VARIABLE "NEURON_EXPLORER_INSTANCE"
#define LARGE_INSTANCE "trn2.48xlarge"
#define ROOT_VARIABLE "NEURON_RT_ROOT_COMM_ID"

/* --- messages -----------------------------------------------------------------------------------
 */

void nx_capture_warn(struct nx_capture_shared *shared, const char *fmt, ...)
{
	const struct nx_capture_listener *l = shared->job->listener;
	char sentence[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	pthread_mutex_lock(&shared->listening);
	l->warn(l->context, sentence);
	pthread_mutex_unlock(&shared->listening);
}

void nx_capture_step(struct nx_capture_shared *shared)
{
	const struct nx_capture_listener *l = shared->job->listener;

	pthread_mutex_lock(&shared->listening);
	l->step(l->context);
	pthread_mutex_unlock(&shared->listening);
}

/* --- environment -------------------------------------------------------------------------------
 */

/* A process that requests no number of cores takes all of the instance. */
static void ask_for_cores(const struct nx_capture_job *job)
{
	uint32_t count = job->plan->worker_count;
	char text[16];

	if (getenv("NEURON_RT_NUM_CORES") || getenv("NEURON_RT_VISIBLE_CORES"))
		return;
	if (job->library->is_own) {
		if (count > USUAL_CORES)
			setenv(INSTANCE_VARIABLE, LARGE_INSTANCE, 0);
		return;
	}
	snprintf(text, sizeof(text), "%u", count);
	setenv("NEURON_RT_NUM_CORES", text, 0);
}

/* Collectives over several nodes meet at an address; without it every node waits for the others. */
static enum nx_status check_meeting_point(const struct nx_capture_job *job, struct nx_error *err)
{
	const struct nx_capture_plan *plan = job->plan;
	const char *root = getenv(ROOT_VARIABLE), *simulated = getenv("NEURON_SIM");
	/* Times alone are simulated without the other ranks. */
	bool is_timing = job->library->is_own && simulated && strcmp(simulated, "timing") == 0;

	if (!job->model->has_collectives || plan->rank_count <= plan->worker_count || is_timing ||
	    (root && *root))
		return NX_OK;
	return nx_fail(err, NX_USAGE,
		       "%u of the %u workers run on other nodes, and " ROOT_VARIABLE
		       " does not say where they meet; set it to HOST:PORT of the node of rank 0, "
		       "the same on every node",
		       plan->rank_count - plan->worker_count, plan->rank_count);
}

static enum nx_status set_environment(const struct nx_capture_job *job, struct nx_error *err)
{
	uint32_t core_size = job->model->logical_core_size;

	if (job->is_strict && !job->library->is_own)
		return nx_fail(err, NX_UNSUPPORTED,
			       "--strict-sim is for the NeuronCore in software; %s is a runtime "
			       "for devices",
			       job->library->path);
	if (job->is_strict)
		setenv("NEURON_SIM_STRICT", "1", 1);
	if (job->has_dge_notifications)
		setenv("NEURON_RT_ENABLE_DGE_NOTIFICATIONS", "1", 1);
	if ((core_size == 1 || core_size == 2) && !getenv("NEURON_LOGICAL_NC_CONFIG"))
		setenv("NEURON_RT_VIRTUAL_CORE_SIZE", core_size == 1 ? "1" : "2", 0);
	ask_for_cores(job);
	return NX_OK;
}

/* --- cores -------------------------------------------------------------------------------------
 */

static enum nx_status give_cores(struct nx_capture_shared *shared,
				 struct nx_capture_worker *workers, struct nx_error *err)
{
	const struct nx_capture_job *job = shared->job;
	uint32_t count = job->plan->worker_count, visible = 0;
	NRT_STATUS status = job->library->nrt_get_visible_nc_count(&visible);

	if (status != NRT_SUCCESS || !visible)
		return nx_runtime_fail(job->library, status, err, "counting the NeuronCores");
	if (count > visible && (!job->library->is_own || job->model->has_collectives))
		return nx_fail(err, NX_LIMIT,
			       "%u workers need a NeuronCore each, and this process has %u; lower "
			       "--collectives-workers-per-node, or raise NEURON_RT_NUM_CORES",
			       count, visible);
	if (count > visible)
		nx_capture_warn(shared, "%u workers share the %u cores of the runtime", count,
				visible);
	for (uint32_t i = 0; i < count; i++)
		workers[i].core = (int32_t)(i % visible);
	return NX_OK;
}

/* --- steps --------------------------------------------------------------------------- */

struct step {
	struct nx_capture_worker *workers;
	enum nx_status (*fn)(struct nx_capture_worker *w);
};

static void take_step(void *context, size_t index)
{
	const struct step *step = context;
	struct nx_capture_worker *w = &step->workers[index];

	w->st = step->fn(w);
}

/* All workers at once; the error is that of the first one that failed. */
static enum nx_status take_steps(struct nx_capture_shared *shared,
				 struct nx_capture_worker *workers,
				 enum nx_status (*fn)(struct nx_capture_worker *w),
				 struct nx_error *err)
{
	const struct nx_capture_plan *plan = shared->job->plan;
	struct step step = {workers, fn};
	enum nx_status st = nx_threads_run("nx-capture", plan->worker_count, take_step, &step, err);

	assert(plan->worker_count > 0);
	for (uint32_t i = 0; i < plan->worker_count && !st; i++) {
		st = workers[i].st;
		if (st && plan->is_collective)
			nx_context(&workers[i].err, "rank %u", plan->first_rank + i);
		if (st)
			*err = workers[i].err;
	}
	return st;
}

static enum nx_status check_tensors(const struct nx_capture_job *job, struct nx_error *err)
{
	const struct nx_capture_plan *plan = job->plan;
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < plan->worker_count && !st; i++)
		if (i == 0 || plan->wishes.multi_input_path)
			st = nx_capture_inputs_check(&plan->inputs[i], job->model, err);
	return st;
}

static void warn_of_zeros(struct nx_capture_shared *shared)
{
	const struct nx_capture_model *model = shared->job->model;
	const struct nx_capture_inputs *inputs = &shared->job->plan->inputs[0];
	size_t zero_count = 0, input_count = 0;
	const char *example = "";

	for (size_t i = 0; i < model->tensor_count; i++) {
		if (model->tensors[i].is_output)
			continue;
		input_count++;
		if (nx_capture_inputs_find(inputs, model->tensors[i].name))
			continue;
		zero_count++;
		example = model->tensors[i].name;
	}
	if (!zero_count)
		return;
	if (zero_count == input_count)
		nx_capture_warn(shared,
				"no inputs were given, so all are zero: results may be inf or NaN, "
				"and times not those of real data; give NAME FILE pairs");
	else
		nx_capture_warn(shared,
				"%zu of %zu inputs were not given and are zero, %s for instance",
				zero_count, input_count, example);
}

static void warn_of_raw_outputs(struct nx_capture_shared *shared)
{
	const struct nx_capture_model *model = shared->job->model;
	const struct nx_capture_tensor *example = NULL;
	size_t raw_count = 0;

	for (size_t i = 0; i < model->tensor_count; i++)
		if (model->tensors[i].is_output && !nx_dtype_npy(model->tensors[i].dtype)) {
			example = &model->tensors[i];
			raw_count++;
		}
	if (example && shared->job->plan->wishes.saves_npy)
		nx_capture_warn(shared,
				"NumPy does not have the type of %zu output%s, such as %s (%s); "
				"raw bytes are saved instead, and NAME.json has type and shape",
				raw_count, raw_count > 1 ? "s" : "", example->name,
				*example->dtype_name ? example->dtype_name : "unknown");
}

static enum nx_status drive(struct nx_capture_shared *shared, struct nx_capture_worker *workers,
			    struct nx_error *err)
{
	const struct nx_capture_job *job = shared->job;
	bool asks = job->plan->wishes.asks_runtime;
	enum nx_status st = asks ? NX_OK : check_tensors(job, err);

	if (!st)
		st = take_steps(shared, workers, nx_capture_worker_load, err);
	if (!st && asks) {
		st = nx_capture_model_ask(job->model, job->library, workers[0].model, job->arena,
					  err);
		if (!st)
			st = check_tensors(job, err);
	}
	if (st)
		return st;
	warn_of_zeros(shared);
	warn_of_raw_outputs(shared);
	st = take_steps(shared, workers, nx_capture_worker_prepare, err);
	return st ? st : take_steps(shared, workers, nx_capture_worker_execute, err);
}

/* By execution, then by rank, then as the model lists them: readers take the last ones. */
static void gather_outputs(const struct nx_capture_plan *plan, struct nx_capture_worker *workers,
			   struct nx_capture_result *result)
{
	for (uint32_t execution = 1; execution <= plan->execution_count; execution++)
		for (uint32_t i = 0; i < plan->worker_count; i++) {
			struct nx_capture_worker *w = &workers[i];

			for (; w->told_output_count < w->saved.len &&
			       w->saved.items[w->told_output_count].execution == execution;
			     w->told_output_count++) {
				struct nx_capture_output saved =
					w->saved.items[w->told_output_count];

				saved.tensor = nx_arena_copy_text(&result->arena, saved.tensor);
				saved.path = nx_arena_copy_text(&result->arena, saved.path);
				nx_vec_push(&result->outputs, saved);
			}
		}
}

static void gather(struct nx_capture_shared *shared, struct nx_capture_worker *workers,
		   struct nx_capture_result *result)
{
	for (uint32_t i = 0; i < shared->job->plan->worker_count; i++) {
		struct nx_capture_worker *w = &workers[i];

		result->failed_count += w->failed_count;
		if (w->failed_count)
			nx_capture_warn(
				shared,
				"%llu of %u executions%s failed with %s; what they computed "
				"and how long they took means little",
				(unsigned long long)w->failed_count,
				shared->job->plan->execution_count,
				shared->job->plan->is_collective ? " of a worker" : "",
				nx_runtime_status_name(shared->job->library, w->first_failure));
		for (size_t k = 0; k < w->sessions.len; k++) {
			struct nx_capture_file file = w->sessions.items[k];

			file.path = nx_arena_copy_text(&result->arena, file.path);
			nx_vec_push(&result->sessions, file);
		}
	}
	gather_outputs(shared->job->plan, workers, result);
}

/* --- the run ------------------------------------------------------------------------- */

/* Checks that the output can be written before minutes of loading. */
static enum nx_status check_place(const struct nx_capture_plan *plan, struct nx_error *err)
{
	const char *path = plan->wishes.session_path;
	struct nx_arena arena = {0};
	struct nx_output out = {0};
	enum nx_status st;

	if (plan->wishes.is_unprofiled && !plan->wishes.is_systrace)
		return NX_OK;
	st = nx_make_directories(nx_arena_copy(&arena, nx_path_folder(path)), err);
	if (!st && !plan->wishes.is_systrace)
		path = nx_capture_plan_session(plan, 0, 1, &arena);
	if (!st)
		st = nx_output_open(&out, path, err);
	nx_output_abort(&out);
	nx_arena_release(&arena);
	return st;
}

static enum nx_status run_initialised(struct nx_capture_shared *shared,
				      struct nx_capture_worker *workers,
				      struct nx_capture_result *result, struct nx_error *err)
{
	const struct nx_capture_job *job = shared->job;
	bool is_traced = job->plan->wishes.is_systrace;
	struct nx_error other;
	enum nx_status st = give_cores(shared, workers, err), ended;

	if (!st && is_traced)
		st = nx_capture_trace_begin(job, err);
	if (st)
		return st;
	st = drive(shared, workers, err);
	gather(shared, workers, result);
	if (!is_traced)
		return st;
	ended = nx_capture_trace_end(job, result, st ? &other : err);
	return st ? st : ended;
}

enum nx_status nx_capture_run(const struct nx_capture_job *job, struct nx_capture_result *result,
			      struct nx_error *err)
{
	static const char *const needed[] = {"nrt_profile_start", "nrt_profile_stop", NULL};
	struct nx_capture_shared shared = {
		.job = job,
		.turns = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
			  job->library->is_own && !job->model->has_collectives, 0},
		.listening = PTHREAD_MUTEX_INITIALIZER,
	};
	uint32_t count = job->plan->worker_count;
	struct nx_arena arena = {0};
	struct nx_capture_worker *workers = NX_NEW_ARRAY(&arena, struct nx_capture_worker, count);
	enum nx_status st = NX_OK;
	NRT_STATUS status;

	assert(count > 0 && count <= NX_CAPTURE_MAX_WORKERS);
	if (!job->plan->wishes.is_unprofiled && !job->plan->wishes.is_systrace)
		st = nx_runtime_library_need(job->library, "a device profile", needed, err);
	for (uint32_t i = 0; i < count; i++)
		workers[i] = (struct nx_capture_worker){.shared = &shared, .index = i};
	if (!st)
		st = check_place(job->plan, err);
	if (!st)
		st = check_meeting_point(job, err);
	if (!st)
		st = set_environment(job, err);
	if (!st) {
		status = job->library->nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
		if (status == NRT_SUCCESS) {
			st = run_initialised(&shared, workers, result, err);
			for (uint32_t i = 0; i < count; i++)
				nx_capture_worker_release(&workers[i]);
			job->library->nrt_close();
		} else {
			st = nx_runtime_fail(job->library, status, err, "starting the runtime");
		}
	}
	nx_arena_release(&arena);
	return st;
}

void nx_capture_result_release(struct nx_capture_result *result)
{
	nx_vec_release(&result->sessions);
	nx_vec_release(&result->outputs);
	nx_arena_release(&result->arena);
}
