/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_run: executes a plan: loads the model for each worker, writes its inputs,
 * runs it, and writes profiles, traces and outputs as files.
 *
 * Workers are threads of this process with a logical core each. All finish a step
 * (load, prepare, execute) before the next one begins, so that a worker that cannot
 * load does not leave others waiting in a collective. Sets environment variables
 * for the runtime: run one capture per process.
 */
#ifndef NX_CAPTURE_RUN_H
#define NX_CAPTURE_RUN_H

#include "base/vec.h"
#include "capture/capture_plan.h"

/* Messages during the run; called by any thread, but one at a time. */
struct nx_capture_listener {
	void (*warn)(void *context, const char *sentence);
	void (*step)(void *context); /* an execution of a worker has ended */
	void *context;
};

struct nx_capture_job {
	const struct nx_runtime_library *library;
	const struct nx_capture_plan *plan;
	struct nx_capture_model *model; /* tensors change with --io-from runtime */
	struct nx_arena *arena;		/* of the model */
	struct nx_slice neff;
	bool has_dge_notifications;
	bool is_strict; /* of the software NeuronCore only */
	const struct nx_capture_listener *listener;
};

struct nx_capture_file {
	const char *path;
	uint64_t size_bytes;
};

struct nx_capture_output { /* a saved one */
	const char *tensor, *path;
	uint32_t execution;
};

struct nx_capture_result {
	struct nx_arena arena;			  /* of the texts */
	NX_VEC(struct nx_capture_file) sessions;  /* by worker, then by execution */
	NX_VEC(struct nx_capture_output) outputs; /* by execution, worker and tensor */
	uint64_t failed_count;			  /* executions, with ignores_errors */
	uint64_t event_count;			  /* of a system trace */
};

/* After a failure the result has the files written before it; release it too. */
NX_MUST_CHECK enum nx_status nx_capture_run(const struct nx_capture_job *job,
					    struct nx_capture_result *result, struct nx_error *err);
void nx_capture_result_release(struct nx_capture_result *result);

/* Calls each for every event type that the runtime can trace. */
typedef void (*nx_capture_event_type_fn)(void *context, const char *name);
NX_MUST_CHECK enum nx_status nx_capture_event_types(const struct nx_runtime_library *library,
						    nx_capture_event_type_fn each, void *context,
						    struct nx_error *err);

#endif
