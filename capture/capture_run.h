/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_run: carries a plan out: loads the model for each worker, gives it
 * inputs, executes, and leaves profiles, traces and outputs as files.
 *
 * Workers are threads of this process with a logical core each. They go through
 * it in steps (load, prepare, execute), and none begins a step before all have
 * done the one before: a worker that cannot load does not leave the others
 * waiting for it in a collective. Environment variables that the runtime reads
 * are set here, before it begins; run one capture per process.
 */
#ifndef NX_CAPTURE_RUN_H
#define NX_CAPTURE_RUN_H

#include "base/vec.h"
#include "capture/capture_plan.h"

/* Messages during the run; called by any thread, but one at a time. */
struct nx_capture_listener {
	void (*say)(void *context, const char *sentence);
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

struct nx_capture_result {
	struct nx_arena arena;			 /* of the paths */
	NX_VEC(struct nx_capture_file) sessions; /* by worker, then by execution */
	uint64_t failed_count;			 /* executions, with ignores_errors */
	uint64_t event_count;			 /* of a system trace */
};

/* The result may be released after a failure too, and then names what was written before it. */
NX_MUST_CHECK enum nx_status nx_capture_run(const struct nx_capture_job *job,
					    struct nx_capture_result *result, struct nx_error *err);
void nx_capture_result_release(struct nx_capture_result *result);

/* The event types a runtime can trace; one call of each for a process. */
typedef void (*nx_capture_event_type_fn)(void *context, const char *name);
NX_MUST_CHECK enum nx_status nx_capture_event_types(const struct nx_runtime_library *library,
						    nx_capture_event_type_fn each, void *context,
						    struct nx_error *err);

#endif
