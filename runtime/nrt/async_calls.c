/* SPDX-License-Identifier: Apache-2.0 */
/* async_calls: the calls that queue work, in version 3 of the interface. */
#include <assert.h>
#include <nrt/nrt_experimental.h>

#include "runtime/nrt/async_queue.h"
#include "runtime/nrt/collectives.h"
#include "runtime/nrt/execution.h"
#include "runtime/nrt/symbol_version.h"

#define TENSOR_QUEUES 2
#define COMPUTE_QUEUES 1
#define COLLECTIVE_QUEUES 3

struct work { /* arguments of a call; held objects are dropped when it is done */
	struct nx_async_request request;
	struct nx_object *held[3];
	void *buffer;
	uint64_t offsets[2];
	uint64_t size;
};
static_assert(offsetof(struct work, request) == 0, "a request is the start of a work");

static void release_work(struct nx_async_request *request)
{
	struct work *work = (struct work *)request;

	for (unsigned i = 0; i < 3; i++)
		nx_object_drop(work->held[i]);
	nx_heap_free(work);
}

/* Runs on target->core, or on core if the caller left that open. */
static struct work *new_work(NRT_STATUS (*run)(struct nx_async_request *request), nrta_xu_t unit,
			     uint32_t core, const struct nx_async_target *target)
{
	struct work *work = nx_heap_try_alloc(sizeof(*work));

	if (!work)
		return NULL;
	work->request = (struct nx_async_request){
		.run = run, .release = release_work, .unit = unit, .target = *target};
	if (target->core < 0)
		work->request.target.core = core;
	return work;
}

/* --- tensors --------------------------------------------------------------------------------- */

static NRT_STATUS run_write(struct nx_async_request *request)
{
	struct work *work = (struct work *)request;

	return nrt_tensor_write(work->held[0]->handle, work->buffer, work->offsets[0], work->size);
}

static NRT_STATUS run_read(struct nx_async_request *request)
{
	struct work *work = (struct work *)request;

	return nrt_tensor_read(work->held[0]->handle, work->buffer, work->offsets[0], work->size);
}

static NRT_STATUS put_transfer(nrt_tensor_t *tensor, const struct work *arguments,
			       const struct nx_async_target *target, nrta_seq_t *seq)
{
	struct nx_nrt_tensor *held;
	struct work *work;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(tensor, &held));
	if (!arguments->buffer && arguments->size) {
		nx_object_drop(held);
		return NRT_INVALID;
	}
	work = new_work(arguments->request.run, NRTA_XU_TENSOR_OP, held->core, target);
	if (!work) {
		nx_object_drop(held);
		return NRT_FAIL_HOST_MEM_ALLOC;
	}
	work->held[0] = &held->object;
	work->buffer = arguments->buffer;
	work->offsets[0] = arguments->offsets[0];
	work->size = arguments->size;
	return nx_async_put(&work->request, seq);
}

NRT_STATUS nx_async_write(nrt_tensor_t *tensor, const void *buf, uint64_t offset, uint64_t size,
			  const struct nx_async_target *target, nrta_seq_t *seq)
{
	struct work arguments = {.request.run = run_write,
				 .buffer = (void *)(uintptr_t)buf,
				 .offsets = {offset},
				 .size = size};

	return put_transfer(tensor, &arguments, target, seq);
}

NRT_STATUS nx_async_read(void *buf, nrt_tensor_t *tensor, uint64_t offset, uint64_t size,
			 const struct nx_async_target *target, nrta_seq_t *seq)
{
	struct work arguments = {
		.request.run = run_read, .buffer = buf, .offsets = {offset}, .size = size};

	return put_transfer(tensor, &arguments, target, seq);
}

static NRT_STATUS run_copy(struct nx_async_request *request)
{
	struct work *work = (struct work *)request;

	return nx_tensor_copy((struct nx_nrt_tensor *)work->held[0], work->offsets[0],
			      (struct nx_nrt_tensor *)work->held[1], work->offsets[1], work->size);
}

NRT_STATUS nx_async_copy(const struct nx_async_copy *copy, const struct nx_async_target *target,
			 nrta_seq_t *seq)
{
	struct nx_nrt_tensor *from, *to = NULL;
	struct work *work = NULL;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(copy->src, &from));
	st = nx_tensor_acquire(copy->dst, &to);
	if (st == NRT_SUCCESS)
		work = new_work(run_copy, NRTA_XU_TENSOR_OP, from->core, target);
	if (!work) {
		nx_object_drop(to);
		nx_object_drop(from);
		return st == NRT_SUCCESS ? NRT_FAIL_HOST_MEM_ALLOC : st;
	}
	work->held[0] = &from->object;
	work->held[1] = &to->object;
	work->offsets[0] = copy->src_offset;
	work->offsets[1] = copy->dst_offset;
	work->size = copy->size;
	return nx_async_put(&work->request, seq);
}

/* --- executions ---------------------------------------------------------------------- */

static NRT_STATUS run_model(struct nx_async_request *request)
{
	struct work *work = (struct work *)request;

	return nx_execution_run((struct nx_model *)work->held[0],
				(struct nx_tensor_set *)work->held[1],
				(struct nx_tensor_set *)work->held[2]);
}

NRT_STATUS nx_async_execute(nrt_model_t *model, const nrt_tensor_set_t *input,
			    nrt_tensor_set_t *output, const struct nx_async_target *target,
			    nrta_seq_t *seq)
{
	struct nx_tensor_set *inputs = NULL, *outputs = NULL;
	struct nx_model *held;
	struct work *work;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_model_acquire(model, &held));
	work = new_work(run_model, NRTA_XU_COMPUTE, held->core, target);
	if (!work) {
		nx_object_drop(held);
		return NRT_FAIL_HOST_MEM_ALLOC;
	}
	work->held[0] = &held->object;
	if (input)
		st = nx_tensor_set_acquire(input, &inputs);
	if (st == NRT_SUCCESS && output)
		st = nx_tensor_set_acquire(output, &outputs);
	work->held[1] = (struct nx_object *)inputs;
	work->held[2] = (struct nx_object *)outputs;
	if (st == NRT_SUCCESS)
		return nx_async_put(&work->request, seq);
	release_work(&work->request);
	return st;
}

NX_EXPORT NRT_STATUS nrt_async_drain_queued_execs(int32_t vnc)
{
	NX_RETURN_IF_FAILED(nx_state_check_core(vnc));
	nx_async_drain((uint32_t)vnc);
	return NRT_SUCCESS;
}

/* --- collectives --------------------------------------------------------------- */

static NRT_STATUS run_collective(struct nx_async_request *request)
{
	return nx_collective_run((struct nx_collective *)((struct work *)request)->held[0]);
}

NRT_STATUS nx_async_collective(nrt_cc_context_t **cc_ctx, const struct nx_async_target *target,
			       nrta_seq_t *seq)
{
	struct nx_object *taken;
	struct work *work;

	NX_RETURN_IF_FAILED(nx_state_check());
	/* A refused call leaves the context to the caller. */
	if (!cc_ctx || !*cc_ctx || !seq || target->queue < 0 ||
	    target->queue >= target->queue_count)
		return NRT_INVALID;
	taken = nx_handle_close(*cc_ctx, NX_HANDLE_COLLECTIVE);
	if (!taken)
		return NRT_INVALID_HANDLE;
	*cc_ctx = NULL;
	work = new_work(run_collective, NRTA_XU_COLLECTIVES,
			nx_collective_core((struct nx_collective *)taken), target);
	if (!work) {
		nx_object_drop(taken);
		return NRT_FAIL_HOST_MEM_ALLOC;
	}
	work->held[0] = taken;
	return nx_async_put(&work->request, seq);
}

/* --- version 3 -------------------------------------------------------------------------- */

NX_NRT_3(nx_nrta_tensor_write, nrta_tensor_write);
NRT_STATUS nx_nrta_tensor_write(nrt_tensor_t *tensor, const void *buf, uint64_t offset,
				uint64_t size, int lnc_idx, int queue, NRT_STATUS *ret,
				nrta_seq_t *req_sequence)
{
	struct nx_async_target target = {"nrta_tensor_write", lnc_idx, queue,
					 TENSOR_QUEUES,	      ret,     NULL};

	NX_RETURN_IF_FAILED(nx_state_check_core_for("nrta_tensor_write", lnc_idx));
	return nx_async_write(tensor, buf, offset, size, &target, req_sequence);
}

NX_NRT_3(nx_nrta_tensor_read, nrta_tensor_read);
NRT_STATUS nx_nrta_tensor_read(void *buf, nrt_tensor_t *tensor, uint64_t offset, uint64_t size,
			       int lnc_idx, int queue, NRT_STATUS *ret, nrta_seq_t *req_sequence)
{
	struct nx_async_target target = {"nrta_tensor_read", lnc_idx, queue,
					 TENSOR_QUEUES,	     ret,     NULL};

	NX_RETURN_IF_FAILED(nx_state_check_core_for("nrta_tensor_read", lnc_idx));
	return nx_async_read(buf, tensor, offset, size, &target, req_sequence);
}

NX_NRT_3(nx_nrta_tensor_copy, nrta_tensor_copy);
NRT_STATUS nx_nrta_tensor_copy(nrt_tensor_t *src, uint64_t src_offset, nrt_tensor_t *dst,
			       uint64_t dst_offset, uint64_t size, int lnc_idx, int queue,
			       NRT_STATUS *ret, nrta_seq_t *req_sequence)
{
	struct nx_async_copy copy = {src, dst, src_offset, dst_offset, size};
	struct nx_async_target target = {"nrta_tensor_copy", lnc_idx, queue,
					 TENSOR_QUEUES,	     ret,     NULL};

	NX_RETURN_IF_FAILED(nx_state_check_core_for("nrta_tensor_copy", lnc_idx));
	return nx_async_copy(&copy, &target, req_sequence);
}

NX_NRT_3(nx_nrta_execute_schedule, nrta_execute_schedule);
NRT_STATUS nx_nrta_execute_schedule(nrt_model_t *model, const nrt_tensor_set_t *input,
				    nrt_tensor_set_t *output, int queue, NRT_STATUS *ret,
				    nrta_seq_t *req_sequence)
{
	struct nx_async_target target = {"nrta_execute_schedule", -1,  queue,
					 COMPUTE_QUEUES,	  ret, NULL};

	return nx_async_execute(model, input, output, &target, req_sequence);
}

NX_NRT_3(nx_nrta_cc_schedule, nrta_cc_schedule);
NRT_STATUS nx_nrta_cc_schedule(nrt_cc_context_t **cc_ctx, int queue, NRT_STATUS *ret,
			       nrta_seq_t *req_sequence)
{
	struct nx_async_target target = {"nrta_cc_schedule", -1,  queue,
					 COLLECTIVE_QUEUES,  ret, NULL};

	return nx_async_collective(cc_ctx, &target, req_sequence);
}
