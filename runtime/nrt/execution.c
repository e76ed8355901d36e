/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/execution.h"

#include <assert.h>
#include <nrt/nrt_experimental.h>
#include <pthread.h>
#include <stdatomic.h>

#include "runtime/nrt/async_queue.h"
#include "runtime/nrt/environment.h"
#include "runtime/nrt/inspect.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/ntff_capture.h"
#include "runtime/nrt/ranks/model_ranks.h"
#include "runtime/trace/tracer.h"

#define MAX_CORES NX_TRACE_MAX_CORES

static pthread_mutex_t core_locks[MAX_CORES] = {[0 ... MAX_CORES - 1] = PTHREAD_MUTEX_INITIALIZER};
#define PAUSE_PS 20000000u	    /* between executions: a record may be at the very end of one */
#define CLOCKS_APART_NS 1000000000u /* if hosts' clocks differ by more, they cannot be aligned */

static struct core_state {   /* under the core's lock */
	uint64_t last_model; /* that ran there */
	uint64_t next_start_ps;
} cores[MAX_CORES];

static struct { /* one moment on both clocks */
	_Atomic uint64_t device_ps, host_ns;
} epoch;

void nx_execution_restart(void)
{
	uint64_t epoch_ps = nx_simulation_epoch_ps();

	atomic_store(&epoch.device_ps, epoch_ps);
	atomic_store(&epoch.host_ns, nx_trace_clock_epoch_ns());
	for (unsigned i = 0; i < MAX_CORES; i++) {
		pthread_mutex_lock(&core_locks[i]);
		cores[i] = (struct core_state){.next_start_ps = epoch_ps};
		pthread_mutex_unlock(&core_locks[i]);
	}
}

static uint64_t host_ns_of(uint64_t device_ps)
{
	return atomic_load(&epoch.host_ns) + (device_ps - atomic_load(&epoch.device_ps)) / 1000;
}

static struct {
	pthread_mutex_t lock;
	NRT_ASYNC_EXEC_STATUS_CALLBACK fn;
	void *params;
} listener = {.lock = PTHREAD_MUTEX_INITIALIZER};

void nx_execution_abandon(void)
{
	for (unsigned i = 0; i < MAX_CORES; i++)
		pthread_mutex_init(&core_locks[i], NULL);
	pthread_mutex_init(&listener.lock, NULL);
}

struct execution {
	struct nx_model *model;
	uint32_t core;
	uint64_t id;
	size_t tensor_count;
	struct nx_nrt_tensor **tensors; /* held */
	uint8_t **buffers;
	struct nx_port_run run;
	struct nx_error err;
};

/* --- tensors --------------------------------------------------------------------------- */

static NRT_STATUS bind_tensor(struct execution *e, size_t index, struct nx_tensor_set *set)
{
	const struct nx_neff_variable *wanted = e->model->neff.tensors[index];
	bool is_output = wanted->kind == NX_VARIABLE_OUTPUT;
	struct nx_nrt_tensor *tensor = set ? nx_tensor_set_find(set, wanted->name) : NULL;

	if (!tensor) {
		nx_log_error("nrt_execute", "the %s set has no tensor \"%s\", which the model %s",
			     is_output ? "output" : "input", wanted->name,
			     is_output ? "writes" : "reads");
		return NRT_EXEC_BAD_INPUT;
	}
	e->tensors[index] = tensor;
	if (!tensor->storage || tensor->len < wanted->size_bytes) {
		nx_log_error("nrt_execute", "tensor \"%s\" has %zu bytes; the model needs %llu",
			     wanted->name, tensor->len, (unsigned long long)wanted->size_bytes);
		return NRT_EXEC_BAD_INPUT;
	}
	e->buffers[index] = tensor->storage->bytes + tensor->offset;
	return NRT_SUCCESS;
}

static NRT_STATUS bind(struct execution *e, struct nx_tensor_set *inputs,
		       struct nx_tensor_set *outputs)
{
	NRT_STATUS st = NRT_SUCCESS;

	e->tensor_count = e->model->neff.tensor_count;
	e->tensors = nx_heap_try_alloc(e->tensor_count * sizeof(*e->tensors));
	e->buffers = nx_heap_try_alloc(e->tensor_count * sizeof(*e->buffers));
	if (!e->tensors || !e->buffers)
		return NRT_FAIL_HOST_MEM_ALLOC;
	for (size_t i = 0; i < e->tensor_count && st == NRT_SUCCESS; i++) {
		bool is_output = e->model->neff.tensors[i]->kind == NX_VARIABLE_OUTPUT;

		st = bind_tensor(e, i, is_output ? outputs : inputs);
	}
	return st;
}

static void unbind(struct execution *e, bool is_complete)
{
	for (size_t i = 0; e->tensors && i < e->tensor_count; i++) {
		if (!e->tensors[i])
			continue;
		if (is_complete && e->model->neff.tensors[i]->kind == NX_VARIABLE_OUTPUT)
			nx_tensor_complete(e->tensors[i]);
		nx_object_drop(e->tensors[i]);
	}
	nx_heap_free(e->tensors);
	nx_heap_free(e->buffers);
}

/* --- what hardware reports --------------------------------------------------------------- */

struct device_time { /* one sync point */
	uint64_t device_ns, epoch_ns;
};

static uint64_t to_epoch(const struct device_time *sync, uint64_t device_ns)
{
	return sync->epoch_ns + (device_ns - sync->device_ns);
}

/* The arguments of a switch of models and of a collective's start leave no room for the request. */
static uint64_t seq_beside(unsigned type)
{
	return type == NX_TRACE_NC_RUNNING || type == NX_TRACE_CC_BARRIER ? nx_async_current() : 0;
}

static void trace_span(struct execution *e, unsigned type, const struct device_time *sync,
		       uint64_t start_ns, uint64_t end_ns, const uint64_t start_args[NX_TRACE_ARGS])
{
	uint64_t span = nx_trace_hardware(e->core, type, NX_PHASE_START, to_epoch(sync, start_ns),
					  0, start_args);

	nx_trace_hardware(e->core, type, NX_PHASE_STOP, to_epoch(sync, end_ns), span,
			  (const uint64_t[]){end_ns, 0, 0, seq_beside(type)});
}

/* The sync point comes first: it relates the device's clock to ours. */
static void trace_graph(struct execution *e, uint32_t graph, bool is_switch)
{
	uint64_t start_ns = e->run.start_ps / 1000, end_ns = e->run.end_ps / 1000;
	uint32_t device_core = nx_instance_physical_core(nx_state_instance(), e->core) + graph;
	struct device_time sync = {start_ns, host_ns_of(e->run.start_ps)};

	nx_trace_hardware(e->core, NX_TRACE_SYNC_POINT, NX_PHASE_INSTANT, sync.epoch_ns, 0,
			  (const uint64_t[]){e->id, sync.device_ns, sync.epoch_ns, 0});
	if (e->run.fault == NX_PORT_NUMERICAL)
		nx_trace_hardware(e->core, NX_TRACE_NUMERICAL_ERR, NX_PHASE_INSTANT,
				  to_epoch(&sync, end_ns), 0,
				  (const uint64_t[]){device_core, e->id, end_ns, e->model->id});
	if (is_switch)
		trace_span(e, NX_TRACE_NC_MODEL_SWITCH, &sync, start_ns, start_ns,
			   (const uint64_t[]){device_core, e->id, e->model->id, start_ns});
	trace_span(e, NX_TRACE_NC_RUNNING, &sync, start_ns, end_ns,
		   (const uint64_t[]){device_core, e->id, start_ns, nx_async_current()});
}

static void trace_collectives(struct execution *e)
{
	uint64_t start_ns = e->run.start_ps / 1000;
	struct device_time sync = {start_ns, host_ns_of(e->run.start_ps)};

	if (!e->run.collective_count)
		return;
	trace_span(e, NX_TRACE_CC_BARRIER, &sync, start_ns, e->run.barrier_end_ps / 1000,
		   (const uint64_t[]){e->id, e->model->id, start_ns, nx_async_current()});
	for (size_t i = 0; i < e->run.collective_count; i++) {
		const struct nx_port_collective *cc = &e->run.collectives[i];
		uint64_t begin_ns = cc->start_ps / 1000;

		trace_span(e, NX_TRACE_CC_RUNNING, &sync, begin_ns, cc->end_ps / 1000,
			   (const uint64_t[]){cc->group_id, cc->op_idx, e->id, begin_ns});
	}
}

/* --- one run, step by step ------------------------------------------------------------------ */

static uint64_t start_step(struct execution *e, unsigned type)
{
	return nx_trace_start(e->core, type, e->id, e->model->id, 0, nx_async_current());
}

static void stop_step(struct execution *e, unsigned type, uint64_t span)
{
	nx_trace_stop(e->core, type, span, 0, 0, 0, nx_async_current());
}

static NRT_STATUS submit(struct execution *e, struct nx_tensor_set *inputs,
			 struct nx_tensor_set *outputs, uint64_t *running)
{
	uint64_t seq = nx_async_current();
	uint64_t span = nx_trace_start(e->core, NX_TRACE_MODEL_SUBMIT, e->model->id, 0, 0, seq);
	uint64_t before = start_step(e, NX_TRACE_EXEC_PRE);
	NRT_STATUS st = bind(e, inputs, outputs);

	stop_step(e, NX_TRACE_EXEC_PRE, before);
	*running = nx_trace_start(e->core, NX_TRACE_KMGR_EXEC, e->model->id, 0, 0, seq);
	nx_trace_stop(e->core, NX_TRACE_MODEL_SUBMIT, span, 0, 0, 0, seq);
	return st;
}

/* Whether this execution will be shown together with events of the host. */
static bool is_watched(const struct execution *e)
{
	struct nx_inspect_device wishes;

	return atomic_load_explicit(&nx_trace_enabled[e->core], memory_order_acquire) ||
	       nx_inspect_device_wishes(&wishes);
}

/*
 * A device's clock stops between executions, so that profiles do not depend on the host. If
 * both are captured, it follows the host's clock, and one offset is valid for all executions.
 */
static void begin_run(struct execution *e)
{
	uint64_t now_ns = nx_trace_clock_epoch_ns(), began_ns = atomic_load(&epoch.host_ns);
	uint64_t now_ps =
		atomic_load(&epoch.device_ps) + (now_ns > began_ns ? now_ns - began_ns : 0) * 1000;

	e->run.start_ps = cores[e->core].next_start_ps;
	if (is_watched(e) && now_ps > e->run.start_ps)
		e->run.start_ps = now_ps;
}

/*
 * Watched ranks begin when the last of them does, on the clock of the host. A rank that is not
 * watched contributes 0 and keeps its own time.
 */
static enum nx_status begin_with_ranks(struct execution *e)
{
	uint64_t own_ns = is_watched(e) ? host_ns_of(e->run.start_ps) : 0, latest_ns = own_ns;
	enum nx_status st = nx_model_ranks_latest(e->model->ranks, &latest_ns, &e->err);

	if (!st && own_ns && latest_ns - own_ns < CLOCKS_APART_NS)
		e->run.start_ps += (latest_ns - own_ns) * 1000;
	return st;
}

/* All ranks of a model with collectives begin together. */
static enum nx_status run_on_device(struct execution *e)
{
	struct nx_model_ranks *ranks = e->model->ranks;
	bool has_host = is_watched(e);
	enum nx_status st = ranks ? nx_model_ranks_begin(ranks, e->id, &has_host, &e->err) : NX_OK;

	begin_run(e);
	if (!st && ranks && has_host)
		st = begin_with_ranks(e);
	if (!st)
		st = e->model->port->run(e->model->program, e->buffers, &e->run, &e->err);
	else
		e->run.end_ps = e->run.start_ps;
	if (ranks)
		nx_model_ranks_end(ranks, st != NX_OK, &e->run);
	return st;
}

static NRT_STATUS wait_for(struct execution *e)
{
	uint64_t span = start_step(e, NX_TRACE_EXEC_WAIT), part;
	enum nx_status run = run_on_device(e);
	NRT_STATUS st = NRT_SUCCESS;

	if (run) {
		nx_log_error("nrt_execute", "%s", e->err.message);
		st = e->run.is_hanging || run == NX_CANCELLED ? NRT_TIMEOUT
							      : NRT_EXEC_COMPLETED_WITH_ERR;
	} else if (e->run.fault == NX_PORT_BOUNDS) {
		st = NRT_EXEC_OOB;
	} else if (e->run.fault == NX_PORT_NUMERICAL) {
		st = NRT_EXEC_COMPLETED_WITH_NUM_ERR;
	}
	cores[e->core].next_start_ps = e->run.end_ps + PAUSE_PS;
	for (uint32_t graph = 0; graph < e->model->neff.graph_count; graph++)
		trace_graph(e, graph, cores[e->core].last_model != e->model->id);
	trace_collectives(e);
	cores[e->core].last_model = e->model->id;
	part = start_step(e, NX_TRACE_CONSUME_STDIO);
	stop_step(e, NX_TRACE_CONSUME_STDIO, part);
	part = start_step(e, NX_TRACE_CONSUME_ERRORS);
	stop_step(e, NX_TRACE_CONSUME_ERRORS, part);
	stop_step(e, NX_TRACE_EXEC_WAIT, span);
	return st;
}

static NRT_STATUS run_steps(struct execution *e, struct nx_tensor_set *inputs,
			    struct nx_tensor_set *outputs)
{
	uint64_t running, after;
	NRT_STATUS st = submit(e, inputs, outputs, &running);
	bool has_run = st == NRT_SUCCESS;

	if (has_run) {
		pthread_mutex_lock(&core_locks[e->core]);
		st = wait_for(e);
		nx_ntff_capture_add(e->model, &e->run, st);
		pthread_mutex_unlock(&core_locks[e->core]);
	}
	nx_trace_stop(e->core, NX_TRACE_KMGR_EXEC, running, 0, 0, 0, nx_async_current());
	after = start_step(e, NX_TRACE_EXEC_POST);
	unbind(e, has_run);
	stop_step(e, NX_TRACE_EXEC_POST, after);
	return st;
}

static void call_back(const struct execution *e, NRT_STATUS st)
{
	NRT_ASYNC_EXEC_STATUS_CALLBACK fn;
	void *params;

	pthread_mutex_lock(&listener.lock);
	fn = listener.fn;
	params = listener.params;
	pthread_mutex_unlock(&listener.lock);
	if (fn)
		fn(params, e->model->number, e->core, e->id, st);
}

NRT_STATUS nx_execution_run(struct nx_model *model, struct nx_tensor_set *inputs,
			    struct nx_tensor_set *outputs)
{
	struct execution e = {.model = model, .core = model->core % MAX_CORES};
	uint64_t span;
	NRT_STATUS st;

	assert(model->port && model->program);
	e.id = nx_state_next_execution();
	span = nx_trace_start(e.core, NX_TRACE_NRT_EXECUTE, model->id, 0, 0, nx_async_current());
	st = run_steps(&e, inputs, outputs);
	nx_trace_stop(e.core, NX_TRACE_NRT_EXECUTE, span, 0, 0, 0, nx_async_current());
	nx_state_note_failure(st);
	call_back(&e, st);
	return st;
}

/* --- calls -------------------------------------------------------------------------------- */

static NRT_STATUS execute(nrt_model_t *handle, const nrt_tensor_set_t *input_set,
			  const nrt_tensor_set_t *output_set, int repeat_count)
{
	struct nx_tensor_set *inputs = NULL, *outputs = NULL;
	struct nx_model *model;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_model_acquire(handle, &model));
	if (repeat_count < 1)
		st = NRT_INVALID;
	if (st == NRT_SUCCESS && input_set)
		st = nx_tensor_set_acquire(input_set, &inputs);
	if (st == NRT_SUCCESS && output_set)
		st = nx_tensor_set_acquire(output_set, &outputs);
	for (int i = 0; i < repeat_count && st == NRT_SUCCESS; i++)
		st = nx_execution_run(model, inputs, outputs);
	nx_object_drop(outputs);
	nx_object_drop(inputs);
	nx_object_drop(model);
	return st;
}

NX_EXPORT NRT_STATUS nrt_execute(nrt_model_t *model, const nrt_tensor_set_t *input_set,
				 nrt_tensor_set_t *output_set)
{
	return execute(model, input_set, output_set, 1);
}

NX_EXPORT NRT_STATUS nrt_execute_repeat(nrt_model_t *model, const nrt_tensor_set_t *input_set,
					nrt_tensor_set_t *output_set, int repeat_count)
{
	return execute(model, input_set, output_set, repeat_count);
}

NX_EXPORT NRT_STATUS nrt_register_async_exec_callback(NRT_ASYNC_EXEC_STATUS_CALLBACK callback,
						      void *params)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	pthread_mutex_lock(&listener.lock);
	listener.fn = callback;
	listener.params = params;
	pthread_mutex_unlock(&listener.lock);
	return NRT_SUCCESS;
}
