/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synthetic_system_events: ntrace.pb, core by core. Each core loads a model and
 * executes it step by step: calls of its host thread and of its completion
 * thread in the order of their sequence, and what its two physical cores did
 * when the host reads about it, with earlier times.
 */
#include "tests/data/synthetic_system_core.h"

#define RECORDS_PER_STEP 36
#define LOAD_BLOCKS 6
#define RING_BYTES 4096

static uint64_t model_id(void)
{
	return nx_ntrace_intern_id(nx_slice_text(NX_SYNTHETIC_MODEL));
}

static void load_model(struct nx_core *c)
{
	struct nx_core_attributes none = {0}, a = {0};
	struct nx_core_call call = nx_core_open(c, NRT_LOAD, c->host);
	bool is_lost = c->events->process->has_drops && c->index == 0;

	if (is_lost)
		c->sequence++;
	else
		nx_core_put(c, &call, NX_PHASE_START, nx_core_tick(c), &none);
	for (unsigned i = 0; i < LOAD_BLOCKS; i++) {
		uint64_t size = UINT64_C(1) << (16 + nx_synthetic_random(&c->random) % 8);

		(void)nx_core_allocate(c, c->helper + i % 2, i % 2, CATEGORY_WEIGHT, size);
		nx_core_copy(c, DMEM_BUF_COPYIN, c->helper + i % 2, 2, size);
	}
	nx_core_add(&a, "model_id", model_id());
	nx_core_put(c, &call, NX_PHASE_STOP, nx_core_tick(c), &a);
	c->events->counts->type_counts[NRT_LOAD]++;
	if (is_lost)
		c->events->counts->orphan_count++;
	else
		c->events->counts->pair_count++;
}

static void allocate_tensors(struct nx_core *c)
{
	for (unsigned i = 0; i < NX_SYNTHETIC_LNC; i++) {
		struct nx_core_attributes a = {0};
		struct nx_core_call call;

		nx_core_add(&a, "tensor_id", 0);
		nx_core_add(&a, "size", 65536);
		call = nx_core_begin(c, NRT_TENSOR_ALLOCATE, c->host, &a);
		(void)nx_core_allocate(c, c->host, i, CATEGORY_TENSOR, 65536);
		nx_core_end(c, &call);
	}
}

/* A host thread that still waits when the session closes. */
static void leave_unfinished(struct nx_core *c)
{
	struct nx_core_attributes a = {0};

	nx_core_add(&a, "available_request_slots", 4);
	nx_core_add(&a, "has_work", 0);
	(void)nx_core_begin(c, NRT_ASYNC_SEMA_WAIT, c->completion + 4, &a);
	c->events->counts->unfinished_count++;
	c->events->counts->type_counts[NRT_ASYNC_SEMA_WAIT]++;
}

static void move_tensor(struct nx_core *c, uint64_t step, bool is_read)
{
	const char *name = nx_synthetic_tensor_name((unsigned)(step % NX_SYNTHETIC_TENSORS));
	uint64_t size = UINT64_C(4096) << step % 5;
	struct nx_core_attributes a = {0};
	struct nx_core_call call;

	nx_core_add(&a, "tensor_id", nx_ntrace_intern_id(nx_slice_text(name)));
	nx_core_add(&a, "size", size);
	call = nx_core_begin(c, is_read ? NRT_TENSOR_READ : NRT_TENSOR_WRITE, c->host, &a);
	nx_core_copy(c, is_read ? DMEM_BUF_COPYOUT : DMEM_BUF_COPYIN, c->host, 2, size);
	nx_core_end(c, &call);
}

static struct nx_core_call begin_model(struct nx_core *c, enum nx_core_type type, uint64_t thread,
				       uint64_t exec_id)
{
	struct nx_core_attributes a = {0};

	if (exec_id)
		nx_core_add(&a, "exec_id", exec_id);
	nx_core_add(&a, "model_id", model_id());
	return nx_core_begin(c, type, thread, &a);
}

/* Each physical core counts from its own origin. */
static uint64_t device_offset_ns(const struct nx_core *c, unsigned physical)
{
	return c->events->process->init_ns - UINT64_C(257061005000000) -
	       1500 * (2 * (uint64_t)c->index + physical);
}

static void sync_clock(struct nx_core *c, unsigned physical, uint64_t exec_id, uint64_t time_ns)
{
	struct nx_core_call call = nx_core_open(c, TIMESTAMP_SYNC_POINT, c->completion);
	struct nx_core_attributes a = {0};

	nx_core_add(&a, "exec_id", exec_id);
	nx_core_add(&a, "nc_timestamp_ns", time_ns - device_offset_ns(c, physical));
	nx_core_add(&a, "cpu_timestamp_ns", time_ns);
	nx_core_put(c, &call, NX_PHASE_INSTANT, nx_core_tick(c), &a);
	c->events->counts->instant_count++;
	c->events->counts->type_counts[TIMESTAMP_SYNC_POINT]++;
}

static void run_device(struct nx_core *c, enum nx_core_type type, unsigned physical,
		       uint64_t exec_id, uint64_t start_ns, uint64_t end_ns)
{
	struct nx_core_call call = nx_core_open(c, type, c->completion);
	uint64_t offset_ns = device_offset_ns(c, physical);
	struct nx_core_attributes a = {0};

	nx_core_add(&a, "device_core_idx", nx_core_hbm(c) * 2 + physical);
	nx_core_add(&a, "exec_id", exec_id);
	if (type == NC_MODEL_SWITCH)
		nx_core_add(&a, "model_id", model_id());
	nx_core_add(&a, "nc_timestamp_ns", start_ns - offset_ns);
	nx_core_put(c, &call, NX_PHASE_START, start_ns, &a);
	a.count = 0;
	nx_core_add(&a, "nc_timestamp_ns", end_ns - offset_ns);
	nx_core_put(c, &call, NX_PHASE_STOP, end_ns, &a);
	nx_core_count_pair(c, type);
}

/* What the completion thread reads from the device, after it has happened. */
static void read_device(struct nx_core *c, uint64_t exec_id, uint64_t submit_ns)
{
	for (unsigned i = 0; i < NX_SYNTHETIC_LNC; i++)
		sync_clock(c, i, exec_id, submit_ns);
	for (unsigned i = 0; i < NX_SYNTHETIC_LNC; i++) {
		uint64_t start_ns = submit_ns + 20000 + 700 * i;

		if (c->events->process->growing_step_count) {
			start_ns = nx_synthetic_step_ns(c->events->process, exec_id - 1) +
				   NX_SYNTHETIC_LAUNCH_NS;
			run_device(c, NC_EXEC_RUNNING, i, exec_id, start_ns,
				   start_ns + NX_SYNTHETIC_RUN_NS);
			continue;
		}
		if (exec_id == 1)
			run_device(c, NC_MODEL_SWITCH, i, exec_id, start_ns - 15000, start_ns);
		run_device(c, NC_EXEC_RUNNING, i, exec_id, start_ns, c->now_ns - 10000 - 900 * i);
	}
}

static void complete(struct nx_core *c, uint64_t exec_id, uint64_t submit_ns, uint64_t ring)
{
	struct nx_core_call wait = begin_model(c, KBL_EXEC_WAIT, c->completion, exec_id), inner;

	c->now_ns += 1000000 + nx_synthetic_random(&c->random) % 500000;
	inner = begin_model(c, EXEC_CONSUME_GPSIMD_STDIO, c->completion, exec_id);
	nx_core_end(c, &inner);
	inner = begin_model(c, NOTIFICATION_CONSUME_ERRORS, c->completion, exec_id);
	nx_core_end(c, &inner);
	read_device(c, exec_id, submit_ns);
	nx_core_end(c, &wait);
	inner = begin_model(c, KBL_EXEC_POST, c->completion, exec_id);
	nx_core_deallocate(c, c->completion, exec_id % NX_SYNTHETIC_LNC, CATEGORY_RINGS_IO,
			   RING_BYTES, ring);
	nx_core_end(c, &inner);
}

/* kmgr_exec_core begins inside the submission and ends after it: they overlap. */
static void execute(struct nx_core *c, uint64_t exec_id)
{
	struct nx_core_call call = begin_model(c, NRT_EXECUTE, c->host, 0);
	struct nx_core_call submit = begin_model(c, NRT_MODEL_SUBMIT, c->host, 0);
	struct nx_core_call core = begin_model(c, KMGR_EXEC_CORE, c->host, 0);
	struct nx_core_call pre = begin_model(c, KBL_EXEC_PRE, c->host, exec_id);
	uint64_t submit_ns, ring;

	ring = nx_core_allocate(c, c->host, exec_id % NX_SYNTHETIC_LNC, CATEGORY_RINGS_IO,
				RING_BYTES);
	nx_core_copy(c, DMEM_BUF_COPYIN, c->host, 1, 96);
	nx_core_end(c, &pre);
	submit_ns = c->now_ns;
	nx_core_end(c, &submit);
	nx_core_end(c, &core);
	complete(c, exec_id, submit_ns, ring);
	nx_core_end(c, &call);
}

static bool write_core(const struct nx_synthetic_events *events, unsigned index)
{
	const struct nx_synthetic_process *process = events->process;
	struct nx_core c = {
		.events = events,
		.index = index,
		.now_ns = process->init_ns + NX_SYNTHETIC_START_MS * NX_SYNTHETIC_MS,
		.host = nx_synthetic_thread(process, index),
		.completion = process->pid + 10u * index + 5,
		.helper = process->pid + 10u * index + 7,
		.random = events->seed + index,
		.next_address = UINT64_C(0x5c000000),
	};

	load_model(&c);
	allocate_tensors(&c);
	if (process->has_unfinished && index == 0)
		leave_unfinished(&c);
	for (uint64_t step = 0; step < events->step_count && !c.is_stopped; step++) {
		c.now_ns = nx_synthetic_step_ns(process, step);
		move_tensor(&c, step, false);
		execute(&c, step + 1);
		move_tensor(&c, step, true);
	}
	nx_core_flush(&c);
	nx_vec_release(&c.buffer);
	return !c.is_stopped;
}

uint64_t nx_synthetic_steps_for(uint64_t record_count, unsigned core_count)
{
	uint64_t steps = record_count / RECORDS_PER_STEP / core_count;

	return steps ? steps : 1;
}

bool nx_synthetic_write_events(const struct nx_synthetic_events *events)
{
	for (unsigned i = 0; i < events->process->worker_count; i++)
		if (!write_core(events, i))
			return false;
	return true;
}
