/* SPDX-License-Identifier: Apache-2.0 */
/* async_calls: the calls that queue work. */
#include <assert.h>
#include <nrt/nrt_experimental.h>

#include "runtime/nrt/async_queue.h"
#include "runtime/nrt/collectives.h"
#include "runtime/nrt/execution.h"

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

static struct work *new_work(NRT_STATUS (*run)(struct nx_async_request *request), uint32_t core,
			     nrta_xu_t unit, int queue, nrta_error_tracker_t *err)
{
	struct work *work = nx_heap_try_alloc(sizeof(*work));

	if (work)
		work->request = (struct nx_async_request){.run = run,
							  .release = release_work,
							  .core = core,
							  .unit = unit,
							  .queue = queue,
							  .tracker = err};
	return work;
}

/* --- tensors --------------------------------------------------------------------------------- */

static NRT_STATUS run_transfer(struct nx_async_request *request)
{
	struct work *work = (struct work *)request;
	nrt_tensor_t *tensor = work->held[0]->handle;

	if (request->unit == NRTA_XU_TENSOR_WRITE)
		return nrt_tensor_write(tensor, work->buffer, work->offsets[0], work->size);
	return nrt_tensor_read(tensor, work->buffer, work->offsets[0], work->size);
}

static NRT_STATUS put_transfer(nrt_tensor_t *tensor, void *buffer, uint64_t offset, uint64_t size,
			       nrta_xu_t unit, int queue, nrta_error_tracker_t *err,
			       nrta_seq_t *seq)
{
	struct nx_nrt_tensor *held;
	NRT_STATUS st;
	struct work *work = NULL;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(tensor, &held));
	st = buffer || !size ? NRT_FAIL_HOST_MEM_ALLOC : NRT_INVALID;
	if (buffer || !size)
		work = new_work(run_transfer, held->core, unit, queue, err);
	if (!work) {
		nx_object_drop(held);
		return st;
	}
	work->held[0] = &held->object;
	work->buffer = buffer;
	work->offsets[0] = offset;
	work->size = size;
	return nx_async_put(&work->request, seq);
}

NX_EXPORT NRT_STATUS nrta_tensor_write(nrt_tensor_t *tensor, const void *buf, uint64_t offset,
				       uint64_t size, int queue, nrta_error_tracker_t *err,
				       nrta_seq_t *req_sequence)
{
	return put_transfer(tensor, (void *)(uintptr_t)buf, offset, size, NRTA_XU_TENSOR_WRITE,
			    queue, err, req_sequence);
}

NX_EXPORT NRT_STATUS nrta_tensor_read(void *buf, nrt_tensor_t *tensor, uint64_t offset,
				      uint64_t size, int queue, nrta_error_tracker_t *err,
				      nrta_seq_t *req_sequence)
{
	return put_transfer(tensor, buf, offset, size, NRTA_XU_TENSOR_READ, queue, err,
			    req_sequence);
}

static NRT_STATUS run_copy(struct nx_async_request *request)
{
	struct work *work = (struct work *)request;

	return nx_tensor_copy((struct nx_nrt_tensor *)work->held[0], work->offsets[0],
			      (struct nx_nrt_tensor *)work->held[1], work->offsets[1], work->size);
}

NX_EXPORT NRT_STATUS nrta_tensor_copy(nrt_tensor_t *src, uint64_t src_offset, nrt_tensor_t *dst,
				      uint64_t dst_offset, uint64_t size, int queue,
				      nrta_error_tracker_t *err, nrta_seq_t *req_sequence)
{
	struct nx_nrt_tensor *from, *to = NULL;
	struct work *work = NULL;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(src, &from));
	st = nx_tensor_acquire(dst, &to);
	if (st == NRT_SUCCESS)
		work = new_work(run_copy, from->core, NRTA_XU_TENSOR_OP, queue, err);
	if (!work) {
		nx_object_drop(to);
		nx_object_drop(from);
		return st == NRT_SUCCESS ? NRT_FAIL_HOST_MEM_ALLOC : st;
	}
	work->held[0] = &from->object;
	work->held[1] = &to->object;
	work->offsets[0] = src_offset;
	work->offsets[1] = dst_offset;
	work->size = size;
	return nx_async_put(&work->request, req_sequence);
}

/* --- executions ---------------------------------------------------------------------- */

static NRT_STATUS run_model(struct nx_async_request *request)
{
	struct work *work = (struct work *)request;

	return nx_execution_run((struct nx_model *)work->held[0],
				(struct nx_tensor_set *)work->held[1],
				(struct nx_tensor_set *)work->held[2]);
}

NX_EXPORT NRT_STATUS nrta_execute_schedule(nrt_model_t *model, const nrt_tensor_set_t *input,
					   nrt_tensor_set_t *output, int queue,
					   nrta_error_tracker_t *err, nrta_seq_t *req_sequence)
{
	struct nx_tensor_set *inputs = NULL, *outputs = NULL;
	struct nx_model *held;
	struct work *work;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_model_acquire(model, &held));
	work = new_work(run_model, held->core, NRTA_XU_COMPUTE, queue, err);
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
		return nx_async_put(&work->request, req_sequence);
	release_work(&work->request);
	return st;
}

NX_EXPORT NRT_STATUS nrt_async_drain_queued_execs(int32_t vnc)
{
	NRT_STATUS st = nx_state_check_core(vnc);

	if (st == NRT_SUCCESS)
		nx_async_drain((uint32_t)vnc);
	return st;
}

/* --- collectives --------------------------------------------------------------- */

static NRT_STATUS run_collective(struct nx_async_request *request)
{
	return nx_collective_run((struct nx_collective *)((struct work *)request)->held[0]);
}

NX_EXPORT NRT_STATUS nrta_cc_schedule(nrt_cc_context_t **cc_ctx, int queue,
				      nrta_error_tracker_t *err, nrta_seq_t *req_sequence)
{
	struct nx_object *taken;
	struct work *work;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!cc_ctx || !*cc_ctx)
		return NRT_INVALID;
	taken = nx_handle_close(*cc_ctx, NX_HANDLE_COLLECTIVE);
	if (!taken)
		return NRT_INVALID_HANDLE;
	*cc_ctx = NULL;
	work = new_work(run_collective, nx_collective_core((struct nx_collective *)taken),
			NRTA_XU_COLLECTIVES, queue, err);
	if (!work) {
		nx_object_drop(taken);
		return NRT_FAIL_HOST_MEM_ALLOC;
	}
	work->held[0] = taken;
	return nx_async_put(&work->request, req_sequence);
}
