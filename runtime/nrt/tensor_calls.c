/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_calls: moves bytes in and out of tensors; reports their sizes and addresses. */
#include "runtime/nrt/async_queue.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/symbol_version.h"
#include "runtime/nrt/tensor.h"
#include "runtime/trace/tracer.h"

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2 }; /* mem_type of copy events */

static unsigned memory_type(const struct nx_nrt_tensor *tensor)
{
	return tensor->storage->is_device ? MEMORY_DEVICE : MEMORY_HOST;
}

NRT_STATUS nx_tensor_part(const struct nx_nrt_tensor *tensor, uint64_t offset, uint64_t len,
			  uint8_t **bytes)
{
	if (!tensor->storage || offset > tensor->len || len > tensor->len - offset) {
		nx_log_error(
			"nrt_tensor",
			"%llu bytes at offset %llu are outside of tensor \"%s\", which has %zu",
			(unsigned long long)len, (unsigned long long)offset, tensor->name,
			tensor->len);
		return NRT_INVALID;
	}
	*bytes = tensor->storage->bytes + tensor->offset + offset;
	return NRT_SUCCESS;
}

/* The caller's side of a transfer. */
struct buffer {
	bool is_write; /* into the tensor */
	void *out;
	const void *in;
};

static void move(uint8_t *bytes, const struct buffer *buffer, size_t size)
{
	if (size && buffer->is_write)
		memmove(bytes, buffer->in, size);
	else if (size)
		memmove(buffer->out, bytes, size);
}

static void copy(const struct nx_nrt_tensor *tensor, uint8_t *bytes, const struct buffer *buffer,
		 size_t size)
{
	const struct nx_storage *storage = tensor->storage;
	unsigned type = buffer->is_write ? NX_TRACE_COPYIN : NX_TRACE_COPYOUT;
	uint64_t span = nx_trace_start(tensor->core, type, memory_type(tensor),
				       storage->is_device ? storage->block.address
							  : (uintptr_t)storage->bytes,
				       (uint64_t)(bytes - storage->bytes), size);

	move(bytes, buffer, size);
	nx_trace_stop(tensor->core, type, span, 0, 0, 0, 0);
}

/* The buffer may be NULL if size is 0. */
static NRT_STATUS transfer(const nrt_tensor_t *handle, size_t offset, struct buffer buffer,
			   size_t size)
{
	unsigned type = buffer.is_write ? NX_TRACE_TENSOR_WRITE : NX_TRACE_TENSOR_READ;
	struct nx_nrt_tensor *tensor;
	NRT_STATUS st;
	uint8_t *bytes;
	uint64_t span;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(handle, &tensor));
	span = nx_trace_start(tensor->core, type, tensor->name_id, size, 0, nx_async_current());
	st = buffer.out || buffer.in || !size ? nx_tensor_part(tensor, offset, size, &bytes)
					      : NRT_INVALID;
	if (st == NRT_SUCCESS)
		copy(tensor, bytes, &buffer, size);
	nx_trace_stop(tensor->core, type, span, 0, 0, 0, nx_async_current());
	nx_object_drop(tensor);
	return st;
}

NX_EXPORT NRT_STATUS nrt_tensor_read(const nrt_tensor_t *tensor, void *buf, size_t offset,
				     size_t size)
{
	return transfer(tensor, offset, (struct buffer){false, buf, NULL}, size);
}

NX_EXPORT NRT_STATUS nrt_tensor_write(nrt_tensor_t *tensor, const void *buf, size_t offset,
				      size_t size)
{
	return transfer(tensor, offset, (struct buffer){true, NULL, buf}, size);
}

NRT_STATUS nx_tensor_copy(const struct nx_nrt_tensor *from, uint64_t from_offset,
			  struct nx_nrt_tensor *to, uint64_t to_offset, uint64_t len)
{
	uint8_t *source, *target;

	NX_RETURN_IF_FAILED(nx_tensor_part(from, from_offset, len, &source));
	NX_RETURN_IF_FAILED(nx_tensor_part(to, to_offset, len, &target));
	if (from->storage->is_device && to->storage->is_device && from->core != to->core) {
		nx_log_error("nrt_tensor_copy",
			     "tensors \"%s\" and \"%s\" are on different cores; copy through the "
			     "host",
			     from->name, to->name);
		return NRT_INVALID;
	}
	copy(to, target, &(struct buffer){true, NULL, source}, len);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_tensor_copy(const nrt_tensor_t *src, size_t src_offset, nrt_tensor_t *dst,
				     size_t dst_offset, size_t size)
{
	struct nx_nrt_tensor *from, *to = NULL;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(src, &from));
	st = nx_tensor_acquire(dst, &to);
	if (st == NRT_SUCCESS)
		st = nx_tensor_copy(from, src_offset, to, dst_offset, size);
	nx_object_drop(to);
	nx_object_drop(from);
	return st;
}

/* --- batches ----------------------------------------------------------------------- */

/* Checks all operations of a batch, then executes them unless is_check is set. */
static NRT_STATUS walk_batch(const nrt_tensor_batch_t *batch, const struct nx_nrt_tensor *tensor,
			     bool is_write, bool is_check)
{
	unsigned type = is_write ? NX_TRACE_BATCH_COPYIN : NX_TRACE_BATCH_COPYOUT;
	NRT_STATUS st = batch->ops || !batch->num_ops ? NRT_SUCCESS : NRT_INVALID;
	uint64_t total_size = 0, span;
	uint8_t *bytes;

	for (uint32_t i = 0; st == NRT_SUCCESS && i < batch->num_ops; i++) {
		const nrt_tensor_batch_op_t *op = &batch->ops[i];

		st = op->buffer || !op->size ? nx_tensor_part(tensor, op->offset, op->size, &bytes)
					     : NRT_INVALID;
		total_size += op->size;
	}
	if (st != NRT_SUCCESS || is_check || !tensor->storage)
		return st;
	span = nx_trace_start(tensor->core, type, memory_type(tensor), 1, batch->num_ops,
			      total_size);
	for (uint32_t i = 0; i < batch->num_ops; i++) {
		const nrt_tensor_batch_op_t *op = &batch->ops[i];

		move(tensor->storage->bytes + tensor->offset + op->offset,
		     &(struct buffer){is_write, op->buffer, op->buffer}, op->size);
	}
	nx_trace_stop(tensor->core, type, span, 0, 0, 0, 0);
	return NRT_SUCCESS;
}

/* The first round only checks, so that either all batches are copied or none. */
static NRT_STATUS run_batches(const nrt_tensor_batch_t *batches, uint64_t count, bool is_write)
{
	unsigned type = is_write ? NX_TRACE_TENSOR_WRITE_BATCH : NX_TRACE_TENSOR_READ_BATCH;
	NRT_STATUS st = NRT_SUCCESS;
	uint64_t span;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!batches && count)
		return NRT_INVALID;
	span = nx_trace_start(0, type, count, 0, 0, 0);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < count && st == NRT_SUCCESS; i++) {
			struct nx_nrt_tensor *tensor = NULL;

			st = nx_tensor_acquire(batches[i].tensor, &tensor);
			if (st == NRT_SUCCESS)
				st = walk_batch(&batches[i], tensor, is_write, round == 0);
			nx_object_drop(tensor);
		}
	nx_trace_stop(0, type, span, 0, 0, 0, 0);
	return st;
}

/* No execution runs after nrt_execute has returned, so the safe variant need not wait. */
NX_EXPORT NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t *batches, uint64_t num_batches,
					   bool unsafe)
{
	(void)unsafe;
	return run_batches(batches, num_batches, false);
}

NX_EXPORT NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t *batches, uint64_t num_batches,
					    bool unsafe)
{
	(void)unsafe;
	return run_batches(batches, num_batches, true);
}

/* --- the rest ------------------------------------------------------------------------ */

NX_NRT_EITHER(nx_tensor_lnc_index, nrt_tensor_get_lnc_index);
NRT_STATUS nx_tensor_lnc_index(const nrt_tensor_t *tensor, int *lnc_idx)
{
	struct nx_nrt_tensor *found;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(tensor, &found));
	if (lnc_idx)
		*lnc_idx = found->placement == NRT_TENSOR_PLACEMENT_HOST ? -1 : (int)found->core;
	nx_object_drop(found);
	return lnc_idx ? NRT_SUCCESS : NRT_INVALID;
}

NX_EXPORT size_t nrt_tensor_get_size(const nrt_tensor_t *tensor)
{
	struct nx_nrt_tensor *asked;
	size_t len;

	if (nx_tensor_acquire(tensor, &asked) != NRT_SUCCESS)
		return 0;
	len = asked->len;
	nx_object_drop(asked);
	return len;
}

NX_EXPORT NRT_STATUS nrt_tensor_memset(nrt_tensor_t *tensor, uint64_t offset, int value,
				       size_t size)
{
	struct nx_nrt_tensor *target;
	NRT_STATUS st;
	uint8_t *bytes;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(tensor, &target));
	st = nx_tensor_part(target, offset, size, &bytes);
	if (st == NRT_SUCCESS)
		memset(bytes, value, size);
	nx_object_drop(target);
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
	nx_object_drop(asked);
	return address;
}

NX_EXPORT NRT_STATUS nrt_tensor_get_device_allocation_info(
	const nrt_tensor_t *tensor, nrt_tensor_device_allocation_info_t *alloc_info)
{
	struct nx_nrt_tensor *asked;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(tensor, &asked));
	if (alloc_info && asked->storage && asked->storage->is_device) {
		alloc_info->physical_address = asked->storage->block.address + asked->offset;
		alloc_info->size = asked->storage->block.bytes;
		alloc_info->hbm_index = (int)nx_instance_hbm(nx_state_instance(), asked->core);
	} else {
		st = NRT_INVALID; /* it is on the host */
	}
	nx_object_drop(asked);
	return st;
}
