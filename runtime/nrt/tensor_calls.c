/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_calls: reading, writing and asking tensors. */
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/tensor.h"
#include "runtime/trace/tracer.h"

/* Out of the tensor or into it, as the event says; without bytes the buffer may be NULL. */
static NRT_STATUS transfer(const nrt_tensor_t *handle, unsigned event, size_t offset, void *out,
			   const void *in, size_t size)
{
	struct nx_nrt_tensor *tensor;
	NRT_STATUS st = nx_tensor_acquire(handle, &tensor);
	uint8_t *bytes;
	uint64_t span;

	if (st != NRT_SUCCESS)
		return st;
	span = nx_trace_start(tensor->core, event, tensor->name_id, size, 0, 0);
	st = out || in || !size ? nx_tensor_part(tensor, offset, size, &bytes) : NRT_INVALID;
	if (st == NRT_SUCCESS && event == NX_TRACE_TENSOR_READ)
		nx_tensor_copy_out(tensor, offset, out, size);
	else if (st == NRT_SUCCESS)
		nx_tensor_copy_in(tensor, offset, in, size);
	nx_trace_stop(tensor->core, event, span, 0, 0, 0, 0);
	nx_object_drop(&tensor->object);
	return st;
}

NX_EXPORT NRT_STATUS nrt_tensor_read(const nrt_tensor_t *tensor, void *buf, size_t offset,
				     size_t size)
{
	return transfer(tensor, NX_TRACE_TENSOR_READ, offset, buf, NULL, size);
}

NX_EXPORT NRT_STATUS nrt_tensor_write(nrt_tensor_t *tensor, const void *buf, size_t offset,
				      size_t size)
{
	return transfer(tensor, NX_TRACE_TENSOR_WRITE, offset, NULL, buf, size);
}

/* --- batches ----------------------------------------------------------------------- */

static NRT_STATUS check_batch(const nrt_tensor_batch_t *batch, const struct nx_nrt_tensor *tensor,
			      uint64_t *total_size)
{
	NRT_STATUS st = batch->ops || !batch->num_ops ? NRT_SUCCESS : NRT_INVALID;
	uint8_t *bytes;

	for (uint32_t i = 0; st == NRT_SUCCESS && i < batch->num_ops; i++) {
		const nrt_tensor_batch_op_t *op = &batch->ops[i];

		st = op->buffer || !op->size ? nx_tensor_part(tensor, op->offset, op->size, &bytes)
					     : NRT_INVALID;
		*total_size += op->size;
	}
	return st;
}

static void copy_batch(const nrt_tensor_batch_t *batch, struct nx_nrt_tensor *tensor, bool is_write)
{
	for (uint32_t i = 0; i < batch->num_ops; i++) {
		const nrt_tensor_batch_op_t *op = &batch->ops[i];

		if (!op->size)
			continue;
		if (is_write)
			memmove(tensor->storage->bytes + tensor->offset + op->offset, op->buffer,
				op->size);
		else
			memmove(op->buffer, tensor->storage->bytes + tensor->offset + op->offset,
				op->size);
	}
}

/* Once to check, once to copy: nothing moves unless all of it can. */
static NRT_STATUS walk_batches(const nrt_tensor_batch_t *batches, uint64_t count, bool is_write,
			       bool is_check)
{
	for (uint64_t i = 0; i < count; i++) {
		unsigned type = is_write ? NX_TRACE_BATCH_COPYIN : NX_TRACE_BATCH_COPYOUT;
		struct nx_nrt_tensor *tensor;
		NRT_STATUS st = nx_tensor_acquire(batches[i].tensor, &tensor);
		uint64_t total_size = 0, span;

		if (st != NRT_SUCCESS)
			return st;
		st = check_batch(&batches[i], tensor, &total_size);
		if (st == NRT_SUCCESS && !is_check) {
			span = nx_trace_start(tensor->core, type,
					      tensor->storage->is_device ? 2 : 1, 1,
					      batches[i].num_ops, total_size);
			copy_batch(&batches[i], tensor, is_write);
			nx_trace_stop(tensor->core, type, span, 0, 0, 0, 0);
		}
		nx_object_drop(&tensor->object);
		if (st != NRT_SUCCESS)
			return st;
	}
	return NRT_SUCCESS;
}

static NRT_STATUS run_batches(const nrt_tensor_batch_t *batches, uint64_t count, bool is_write)
{
	unsigned type = is_write ? NX_TRACE_TENSOR_WRITE_BATCH : NX_TRACE_TENSOR_READ_BATCH;
	NRT_STATUS st = nx_state_check();
	uint64_t span;

	if (st != NRT_SUCCESS)
		return st;
	if (!batches && count)
		return NRT_INVALID;
	span = nx_trace_start(0, type, count, 0, 0, 0);
	st = walk_batches(batches, count, is_write, true);
	if (st == NRT_SUCCESS)
		st = walk_batches(batches, count, is_write, false);
	nx_trace_stop(0, type, span, 0, 0, 0, 0);
	return st;
}

NX_EXPORT NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t *batches, uint64_t num_batches,
					   bool unsafe)
{
	(void)unsafe; /* executions are over when nrt_execute returns: there is nothing to wait for
		       */
	return run_batches(batches, num_batches, false);
}

NX_EXPORT NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t *batches, uint64_t num_batches,
					    bool unsafe)
{
	(void)unsafe;
	return run_batches(batches, num_batches, true);
}

/* --- the rest ------------------------------------------------------------------------ */

NX_EXPORT NRT_STATUS nrt_tensor_copy(const nrt_tensor_t *src, size_t src_offset, nrt_tensor_t *dst,
				     size_t dst_offset, size_t size)
{
	struct nx_nrt_tensor *from, *to;
	NRT_STATUS st = nx_tensor_acquire(src, &from);

	if (st != NRT_SUCCESS)
		return st;
	st = nx_tensor_acquire(dst, &to);
	if (st == NRT_SUCCESS) {
		st = nx_tensor_copy_between(from, src_offset, to, dst_offset, size);
		nx_object_drop(&to->object);
	}
	nx_object_drop(&from->object);
	return st;
}

NX_EXPORT size_t nrt_tensor_get_size(const nrt_tensor_t *tensor)
{
	struct nx_nrt_tensor *asked;
	size_t len;

	if (nx_tensor_acquire(tensor, &asked) != NRT_SUCCESS)
		return 0;
	len = asked->len;
	nx_object_drop(&asked->object);
	return len;
}

NX_EXPORT NRT_STATUS nrt_tensor_memset(nrt_tensor_t *tensor, uint64_t offset, int value,
				       size_t size)
{
	struct nx_nrt_tensor *target;
	NRT_STATUS st = nx_tensor_acquire(tensor, &target);
	uint8_t *bytes;

	if (st != NRT_SUCCESS)
		return st;
	st = nx_tensor_part(target, offset, size, &bytes);
	if (st == NRT_SUCCESS)
		memset(bytes, value, size);
	nx_object_drop(&target->object);
	return st;
}

NX_EXPORT void *nrt_tensor_get_va(const nrt_tensor_t *tensor)
{
	struct nx_nrt_tensor *asked;
	void *address = NULL;

	if (nx_tensor_acquire(tensor, &asked) != NRT_SUCCESS)
		return NULL;
	if (asked->storage)
		address = asked->storage->bytes + asked->offset;
	nx_object_drop(&asked->object);
	return address;
}

NX_EXPORT NRT_STATUS nrt_tensor_get_device_allocation_info(
	const nrt_tensor_t *tensor, nrt_tensor_device_allocation_info_t *alloc_info)
{
	struct nx_nrt_tensor *asked;
	NRT_STATUS st = nx_tensor_acquire(tensor, &asked);

	if (st != NRT_SUCCESS)
		return st;
	if (alloc_info && asked->storage && asked->storage->is_device) {
		alloc_info->physical_address = asked->storage->block.address + asked->offset;
		alloc_info->size = asked->storage->block.bytes;
		alloc_info->hbm_index = (int)nx_instance_hbm(nx_state_instance(), asked->core);
	} else {
		st = NRT_INVALID; /* nothing of it lies on the device */
	}
	nx_object_drop(&asked->object);
	return st;
}
