/* SPDX-License-Identifier: Apache-2.0 */
/* capture_worker_internal: one worker of a capture, and what all of them share. */
#ifndef NX_CAPTURE_WORKER_INTERNAL_H
#define NX_CAPTURE_WORKER_INTERNAL_H

#include <pthread.h>

#include "capture/capture_run.h"
#include "capture/runtime_library.h"

#define NX_CAPTURE_CHUNK_BYTES ((size_t)1 << 20)

/* Some runtimes profile one model at a time. Without collectives, workers then take turns. */
struct nx_profile_turns {
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool is_taken_in_turn;
	unsigned running_count;
};

struct nx_capture_shared {
	const struct nx_capture_job *job;
	struct nx_profile_turns turns;
	pthread_mutex_t listening;
};

struct nx_capture_worker {
	struct nx_capture_shared *shared;
	uint32_t index; /* counts the workers of this node */
	int32_t core;
	struct nx_arena arena;
	nrt_model_t *model;
	nrt_tensor_t *common;	/* of --single-io */
	nrt_tensor_t **tensors; /* in the order of the model's */
	size_t tensor_count;
	nrt_tensor_set_t *inputs, *outputs;
	uint32_t *first_crcs; /* of the outputs of execution 1; by tensor */
	NX_VEC(struct nx_capture_file) sessions;
	NX_VEC(struct nx_capture_output) saved; /* by execution */
	size_t told_output_count;		/* of saved, in the result already */
	struct nx_error save_err; /* the first; reported at the end, after all profiles */
	uint64_t failed_count;
	NRT_STATUS first_failure;
	enum nx_status st;
	struct nx_error err;
};

/* The steps; each is called once, in this order, in a thread per worker. */
NX_MUST_CHECK enum nx_status nx_capture_worker_load(struct nx_capture_worker *w);
NX_MUST_CHECK enum nx_status nx_capture_worker_prepare(struct nx_capture_worker *w);
/* The contents of the inputs once more, if the plan wants that before each execution. */
NX_MUST_CHECK enum nx_status nx_capture_worker_write_inputs(struct nx_capture_worker *w);
NX_MUST_CHECK enum nx_status nx_capture_worker_execute(struct nx_capture_worker *w);
void nx_capture_worker_release(struct nx_capture_worker *w);

/* Saves and compares outputs after an execution, as the plan says. A failure to save is left in
 * save_err, so that later executions are still profiled. */
NX_MUST_CHECK enum nx_status nx_capture_outputs_take(struct nx_capture_worker *w,
						     uint32_t execution);

NX_MUST_CHECK enum nx_status nx_capture_trace_begin(const struct nx_capture_job *job,
						    struct nx_error *err);
/* Ends the trace and writes it, even if an execution has failed. */
NX_MUST_CHECK enum nx_status nx_capture_trace_end(const struct nx_capture_job *job,
						  struct nx_capture_result *result,
						  struct nx_error *err);

void nx_capture_warn(struct nx_capture_shared *shared, const char *fmt, ...) NX_PRINTF(2, 3);
void nx_capture_step(struct nx_capture_shared *shared);

static inline const struct nx_capture_plan *nx_worker_plan(const struct nx_capture_worker *w)
{
	return w->shared->job->plan;
}

static inline const struct nx_runtime_library *nx_worker_library(const struct nx_capture_worker *w)
{
	return w->shared->job->library;
}

#endif
