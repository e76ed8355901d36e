/* SPDX-License-Identifier: Apache-2.0 */
/* capture_execute: runs a worker's executions, synchronous or queued, and profiles them. */
#include <assert.h>
#include <sys/stat.h>
#include <time.h>

#include "base/disk.h"
#include "base/path.h"
#include "capture/capture_worker_internal.h"

#define SHORTEST_WAIT_NS 20000
#define LONGEST_WAIT_NS 2000000
#define USUAL_PROFILE_BYTES ((uint64_t)1 << 20)

struct pending {
	nrta_seq_t sequence;
	uint32_t execution;
	NRT_STATUS status; /* written by the runtime at completion */
};

struct executing {
	struct nx_capture_worker *w;
	NX_VEC(struct pending *) queue; /* from first_pending on; in order */
	size_t first_pending;
};

/* --- how an execution ended ---------------------------------------------------------- */

static uint32_t needed_workers(const struct nx_capture_worker *w)
{
	uint32_t compiled = w->shared->job->model->worker_count;
	uint32_t planned = nx_worker_plan(w)->rank_count;

	return compiled > planned ? compiled : planned;
}

static enum nx_status note_end(struct nx_capture_worker *w, uint32_t execution, NRT_STATUS status)
{
	const struct nx_capture_plan *plan = nx_worker_plan(w);

	nx_capture_step(w->shared);
	if (status == NRT_SUCCESS)
		return NX_OK;
	if (!plan->wishes.ignores_errors && status == NRT_TIMEOUT &&
	    w->shared->job->model->has_collectives)
		return nx_fail(&w->err, NX_IO,
			       "execution %u of %s failed with NRT_TIMEOUT: a collective may have "
			       "waited for a worker that did not come; start all %u, on all nodes, "
			       "with the same NEURON_RT_ROOT_COMM_ID, or raise "
			       "NEURON_RT_EXEC_TIMEOUT",
			       execution, plan->wishes.neff_path, needed_workers(w));
	if (!plan->wishes.ignores_errors)
		return nx_runtime_fail(nx_worker_library(w), status, &w->err, "execution %u of %s",
				       execution, plan->wishes.neff_path);
	if (!w->failed_count++)
		w->first_failure = status;
	return NX_OK;
}

/* --- queued ------------------------------------------------------------------------------------
 */

static enum nx_status wait_completed(struct nx_capture_worker *w, nrta_seq_t sequence)
{
	const struct nx_runtime_library *lib = nx_worker_library(w);
	struct timespec pause = {0, SHORTEST_WAIT_NS};

	for (;;) {
		bool is_completed = false;
		NRT_STATUS status = lib->nrta_is_completed(sequence, &is_completed);

		if (status != NRT_SUCCESS)
			return nx_runtime_fail(lib, status, &w->err, "waiting for an execution");
		if (is_completed)
			return NX_OK;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LONGEST_WAIT_NS)
			pause.tv_nsec *= 2;
	}
}

static enum nx_status wait_oldest(struct executing *x)
{
	const struct pending *oldest = x->queue.items[x->first_pending++];
	enum nx_status st = wait_completed(x->w, oldest->sequence);

	assert(x->first_pending <= x->queue.len);
	return st ? st : note_end(x->w, oldest->execution, oldest->status);
}

static enum nx_status wait_all(struct executing *x)
{
	enum nx_status st = NX_OK;

	while (x->first_pending < x->queue.len && !st)
		st = wait_oldest(x);
	if (x->first_pending == x->queue.len) {
		nx_vec_clear(&x->queue);
		x->first_pending = 0;
	}
	return st;
}

static enum nx_status schedule(struct executing *x, uint32_t execution)
{
	const struct nx_runtime_library *lib = nx_worker_library(x->w);
	struct pending *pending = NX_NEW(&x->w->arena, struct pending);
	enum nx_status st = NX_OK;
	NRT_STATUS status;

	pending->execution = execution;
	for (;;) {
		status = lib->nrta_execute_schedule(x->w->model, x->w->inputs, x->w->outputs, 0,
						    &pending->status, &pending->sequence);
		if (status != NRT_QUEUE_FULL || x->first_pending == x->queue.len)
			break;
		st = wait_oldest(x);
		if (st)
			return st;
	}
	if (status != NRT_SUCCESS)
		return note_end(x->w, execution, status);
	nx_vec_push(&x->queue, pending);
	return NX_OK;
}

/* Runs one execution and waits for its end, in either mode. */
static enum nx_status run_one(struct executing *x, uint32_t execution)
{
	struct nx_capture_worker *w = x->w;
	enum nx_status st;

	if (nx_worker_plan(w)->wishes.mode == NX_CAPTURE_SYNC)
		return note_end(w, execution,
				nx_worker_library(w)->nrt_execute(w->model, w->inputs, w->outputs));
	st = schedule(x, execution);
	return st ? st : wait_all(x);
}

/* --- profiled ----------------------------------------------------------------------------------
 */

static NRT_STATUS start_profile(struct nx_capture_worker *w, const char *path)
{
	struct nx_profile_turns *turns = &w->shared->turns;
	bool may_wait = !w->shared->job->model->has_collectives;
	NRT_STATUS status;

	pthread_mutex_lock(&turns->lock);
	for (;;) {
		while (turns->is_taken_in_turn && turns->running_count)
			pthread_cond_wait(&turns->ended, &turns->lock);
		status = nx_worker_library(w)->nrt_profile_start(w->model, path);
		if (status != NRT_INVALID || !turns->running_count || !may_wait)
			break;
		turns->is_taken_in_turn = true;
	}
	turns->running_count += status == NRT_SUCCESS;
	pthread_mutex_unlock(&turns->lock);
	return status;
}

static NRT_STATUS stop_profile(struct nx_capture_worker *w, const char *path)
{
	struct nx_profile_turns *turns = &w->shared->turns;
	NRT_STATUS status = nx_worker_library(w)->nrt_profile_stop(path);

	pthread_mutex_lock(&turns->lock);
	turns->running_count--;
	pthread_cond_broadcast(&turns->ended);
	pthread_mutex_unlock(&turns->lock);
	return status;
}

/*
 * The runtime does not say why it could not write. Its own partial file may be gone, and with it
 * the last of the space, so a little that is left does not mean that a profile would fit.
 */
static bool is_disk_full(struct nx_capture_worker *w, struct nx_output *out, const char *path,
			 NRT_STATUS status)
{
	static const uint8_t page[4096];
	uint64_t size_bytes = USUAL_PROFILE_BYTES;
	const char *folder = nx_arena_copy(&w->arena, nx_path_folder(path));

	nx_output_write(out, page, sizeof(page));
	nx_output_flush(out);
	if (out->status == NX_NO_SPACE)
		return true;
	if (w->sessions.len)
		size_bytes = w->sessions.items[w->sessions.len - 1].size_bytes;
	return (status == NRT_RESOURCE || status == NRT_FAILURE) &&
	       nx_disk_lacks(folder, size_bytes);
}

static enum nx_status fail_stop(struct nx_capture_worker *w, struct nx_output *out,
				const char *path, NRT_STATUS status)
{
	if (is_disk_full(w, out, path, status))
		return nx_disk_fail_full(&w->err, path,
					 nx_arena_printf(&w->arena, "cannot write %s", path),
					 "choose another place with -s");
	return nx_runtime_fail(nx_worker_library(w), status, &w->err, "writing the profile %s",
			       path);
}

/* The runtime opens the file by name and may replace it, so the size is that of the name. */
static enum nx_status keep_session(struct nx_capture_worker *w, struct nx_output *out,
				   const char *path)
{
	struct nx_capture_file file = {path, 0};
	struct stat facts;
	enum nx_status st;

	if (out->temporary_path) {
		if (stat(out->temporary_path, &facts) != 0 || facts.st_size == 0) {
			nx_output_abort(out);
			return nx_fail(&w->err, NX_IO,
				       "the runtime wrote nothing into %s; "
				       "NEURON_RT_LOG_LEVEL=INFO shows why",
				       path);
		}
		file.size_bytes = (uint64_t)facts.st_size;
	}
	st = nx_output_commit(out, &w->err);
	if (!st)
		nx_vec_push(&w->sessions, file);
	return st;
}

static enum nx_status run_profiled(struct executing *x, uint32_t execution)
{
	struct nx_capture_worker *w = x->w;
	const char *path =
		nx_capture_plan_session(nx_worker_plan(w), w->index, execution, &w->arena);
	struct nx_output out;
	const char *written;
	NRT_STATUS status;
	enum nx_status st = nx_output_open(&out, path, &w->err);

	if (st)
		return st;
	written = out.temporary_path ? out.temporary_path : out.path;
	status = start_profile(w, written);
	if (status != NRT_SUCCESS) {
		nx_output_abort(&out);
		return nx_runtime_fail(nx_worker_library(w), status, &w->err,
				       "starting the profile %s", path);
	}
	st = run_one(x, execution);
	status = stop_profile(w, written);
	if (!st && status != NRT_SUCCESS)
		st = fail_stop(w, &out, path, status);
	if (!st)
		return keep_session(w, &out, path);
	nx_output_abort(&out);
	return st;
}

/* --- all of them -------------------------------------------------------------------------------
 */

static enum nx_status run_execution(struct executing *x, uint32_t execution)
{
	const struct nx_capture_plan *plan = nx_worker_plan(x->w);
	bool is_profiled = nx_capture_plan_profiles(plan, x->w->index, execution);
	bool is_looked_at = plan->wishes.checks_determinism || plan->wishes.rewrites_inputs ||
			    nx_capture_plan_saves(plan, execution);
	enum nx_status st;

	if (plan->wishes.mode == NX_CAPTURE_ASYNC && !is_profiled && !is_looked_at)
		return schedule(x, execution);
	st = wait_all(x);
	if (!st && plan->wishes.rewrites_inputs && execution > 1)
		st = nx_capture_worker_write_inputs(x->w);
	if (!st)
		st = is_profiled ? run_profiled(x, execution) : run_one(x, execution);
	return st ? st : nx_capture_outputs_take(x->w, execution);
}

enum nx_status nx_capture_worker_execute(struct nx_capture_worker *w)
{
	struct executing x = {.w = w};
	enum nx_status st = NX_OK;
	struct nx_error first;

	for (uint32_t i = 1; i <= nx_worker_plan(w)->execution_count && !st; i++)
		st = run_execution(&x, i);
	if (!st)
		st = wait_all(&x);
	/* Queued executions use our tensors, so even after a failure they must end first. */
	first = w->err;
	while (x.first_pending < x.queue.len)
		if (wait_completed(w, x.queue.items[x.first_pending++]->sequence))
			break;
	w->err = first;
	nx_vec_release(&x.queue);
	if (st || !w->save_err.status)
		return st;
	w->err = w->save_err;
	return w->err.status;
}
