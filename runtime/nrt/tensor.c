/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/tensor.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "runtime/nrt/interned.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/trace/tracer.h"

static_assert(offsetof(struct nx_nrt_tensor, object) == 0, "nx_object_drop takes a tensor");

static pthread_mutex_t completion_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t completion = PTHREAD_COND_INITIALIZER;

/* --- storage --------------------------------------------------------------------- */

static void drop_storage(struct nx_storage *storage)
{
	if (!storage || atomic_fetch_sub(&storage->reference_count, 1) != 1)
		return;
	if (storage->is_device)
		nx_memory_give(&storage->block);
	if (storage->mapped_bytes)
		munmap(storage->bytes, storage->mapped_bytes);
	nx_heap_free(storage);
}

static bool map_bytes(struct nx_storage *storage, size_t len)
{
	void *memory;

	storage->mapped_bytes = len ? len : 1;
	memory = mmap(NULL, storage->mapped_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	storage->bytes = memory;
	storage->len = len;
	return true;
}

static NRT_STATUS new_storage(bool is_device, uint32_t core, size_t len, struct nx_storage **out)
{
	struct nx_storage *storage = nx_heap_try_alloc(sizeof(*storage));
	NRT_STATUS st = NRT_SUCCESS;

	if (!storage)
		return NRT_FAIL_HOST_MEM_ALLOC;
	atomic_store(&storage->reference_count, 1);
	if (is_device)
		st = nx_memory_take(core, NX_MEMORY_TENSOR, len, &storage->block);
	storage->is_device = is_device && st == NRT_SUCCESS;
	if (st == NRT_SUCCESS && !map_bytes(storage, len)) {
		nx_log_error("nrt_tensor_allocate", "out of host memory for a tensor of %zu bytes",
			     len);
		storage->mapped_bytes = 0;
		st = is_device ? NRT_RESOURCE : NRT_FAIL_HOST_MEM_ALLOC;
	}
	if (st != NRT_SUCCESS) {
		drop_storage(storage);
		return st;
	}
	*out = storage;
	return NRT_SUCCESS;
}

/* --- life ------------------------------------------------------------------------- */

static void destroy_tensor(struct nx_object *object)
{
	struct nx_nrt_tensor *tensor = (struct nx_nrt_tensor *)object;

	drop_storage(tensor->storage);
	nx_heap_free(tensor);
}

/* Takes ownership of the storage, even if it fails. */
static NRT_STATUS new_tensor(const char *name, nrt_tensor_placement_t placement, uint32_t core,
			     struct nx_storage *storage, struct nx_nrt_tensor **out)
{
	struct nx_nrt_tensor *tensor = nx_heap_try_alloc(sizeof(*tensor));

	if (!tensor) {
		drop_storage(storage);
		return NRT_FAIL_HOST_MEM_ALLOC;
	}
	snprintf(tensor->name, sizeof(tensor->name), "%s", name ? name : "");
	tensor->name_id = nx_interned_id(tensor->name);
	tensor->placement = placement;
	tensor->core = core;
	tensor->storage = storage;
	tensor->len = storage ? storage->len : 0;
	if (!nx_handle_new(&tensor->object, NX_HANDLE_TENSOR, destroy_tensor)) {
		nx_log_error("nrt_tensor_allocate", "too many tensors exist");
		destroy_tensor(&tensor->object);
		return NRT_RESOURCE;
	}
	*out = tensor;
	return NRT_SUCCESS;
}

static NRT_STATUS check_placement(nrt_tensor_placement_t placement, int vnc)
{
	switch (placement) {
	case NRT_TENSOR_PLACEMENT_DEVICE:
		return nx_state_check_core(vnc);
	case NRT_TENSOR_PLACEMENT_HOST:
	case NRT_TENSOR_PLACEMENT_VIRTUAL:
		return vnc == -1 ? nx_state_check() : nx_state_check_core(vnc);
	default:
		return nx_state_check() == NRT_SUCCESS ? NRT_INVALID : nx_state_check();
	}
}

NX_EXPORT NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t tensor_placement, int vnc,
					 size_t size, const char *name, nrt_tensor_t **tensor)
{
	NRT_STATUS st;
	uint32_t core = vnc < 0 ? 0 : (uint32_t)vnc;
	struct nx_storage *storage = NULL;
	struct nx_nrt_tensor *made = NULL;
	uint64_t span;

	NX_RETURN_IF_FAILED(check_placement(tensor_placement, vnc));
	if (!tensor)
		return NRT_INVALID;
	*tensor = NULL;
	span = nx_trace_start(core, NX_TRACE_TENSOR_ALLOCATE, nx_interned_id(name), size, 0, 0);
	st = new_storage(tensor_placement == NRT_TENSOR_PLACEMENT_DEVICE, core, size, &storage);
	if (st == NRT_SUCCESS)
		st = new_tensor(name, tensor_placement, core, storage, &made);
	if (st == NRT_SUCCESS)
		*tensor = made->object.handle;
	nx_trace_stop(core, NX_TRACE_TENSOR_ALLOCATE, span, 0, 0, 0, 0);
	return st;
}

NX_EXPORT NRT_STATUS nrt_tensor_allocate_empty(const char *name, nrt_tensor_t **tensor)
{
	NRT_STATUS st;
	struct nx_nrt_tensor *made;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!tensor)
		return NRT_INVALID;
	*tensor = NULL;
	st = new_tensor(name, NRT_TENSOR_PLACEMENT_HOST, 0, NULL, &made);
	if (st == NRT_SUCCESS)
		*tensor = made->object.handle;
	return st;
}

NX_EXPORT NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t *tensor_source, size_t offset,
					       size_t size, const char *name,
					       nrt_tensor_t **tensor_slice)
{
	struct nx_nrt_tensor *source, *made;
	uint8_t *bytes;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(tensor_source, &source));
	st = tensor_slice ? nx_tensor_part(source, offset, size, &bytes) : NRT_INVALID;
	if (st == NRT_SUCCESS) {
		*tensor_slice = NULL;
		atomic_fetch_add(&source->storage->reference_count, 1);
		st = new_tensor(name, source->placement, source->core, source->storage, &made);
	}
	if (st == NRT_SUCCESS) {
		made->offset = source->offset + offset;
		made->len = size;
		*tensor_slice = made->object.handle;
	}
	nx_object_drop(source);
	return st;
}

NX_EXPORT NRT_STATUS nrt_tensor_attach_buffer(nrt_tensor_t *tensor, void *buffer, size_t size)
{
	struct nx_storage *storage, *old;
	struct nx_nrt_tensor *target;
	NRT_STATUS st = NRT_SUCCESS;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(tensor, &target));
	storage = buffer ? nx_heap_try_alloc(sizeof(*storage)) : NULL;
	if (storage) {
		atomic_store(&storage->reference_count, 1);
		storage->bytes = buffer;
		storage->len = size;
		old = target->storage;
		target->storage = storage;
		target->offset = 0;
		target->len = size;
		target->placement = NRT_TENSOR_PLACEMENT_HOST;
		drop_storage(old);
	} else {
		st = buffer ? NRT_FAIL_HOST_MEM_ALLOC : NRT_INVALID;
	}
	nx_object_drop(target);
	return st;
}

NX_EXPORT void nrt_tensor_free(nrt_tensor_t **tensor)
{
	struct nx_nrt_tensor *closed;
	uint32_t core, references;
	uint64_t span;

	if (!tensor || !*tensor)
		return;
	closed = nx_handle_close(*tensor, NX_HANDLE_TENSOR);
	*tensor = NULL;
	if (!closed) {
		nx_log_error(__func__, "not a valid tensor");
		return;
	}
	core = closed->core;
	references = closed->storage ? atomic_load(&closed->storage->reference_count) : 0;
	span = nx_trace_start(core, NX_TRACE_TENSOR_FREE, closed->name_id, closed->len, references,
			      0);
	nx_object_drop(closed);
	nx_trace_stop(core, NX_TRACE_TENSOR_FREE, span, 0, 0, 0, 0);
}

/* --- completion --------------------------------------------------------------------- */

void nx_tensor_complete(struct nx_nrt_tensor *tensor)
{
	pthread_mutex_lock(&completion_lock);
	atomic_fetch_add(&tensor->completion_count, 1);
	pthread_cond_broadcast(&completion);
	pthread_mutex_unlock(&completion_lock);
}

static struct timespec deadline_of(int64_t timeout_us)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += timeout_us / 1000000;
	end.tv_nsec += timeout_us % 1000000 * 1000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	return end;
}

static NRT_STATUS wait_for(struct nx_nrt_tensor *tensor, int64_t timeout_us, uint64_t expected)
{
	struct timespec end = deadline_of(timeout_us > 0 ? timeout_us : 0);
	int failed = 0;
	bool is_done;

	pthread_mutex_lock(&completion_lock);
	while (!(is_done = atomic_load(&tensor->completion_count) >= expected) && !failed)
		failed = timeout_us < 0
				 ? pthread_cond_wait(&completion, &completion_lock)
				 : pthread_cond_timedwait(&completion, &completion_lock, &end);
	pthread_mutex_unlock(&completion_lock);
	return is_done ? NRT_SUCCESS : NRT_TIMEOUT;
}

NX_EXPORT NRT_STATUS nrt_tensor_check_output_completion(const nrt_tensor_t *output_tensor,
							int64_t timeout,
							uint64_t expected_completion_count)
{
	struct nx_nrt_tensor *tensor;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(output_tensor, &tensor));
	st = wait_for(tensor, timeout, expected_completion_count);
	nx_object_drop(tensor);
	return st;
}

NX_EXPORT NRT_STATUS nrt_tensor_reset_output_completion(nrt_tensor_t *output_tensor)
{
	struct nx_nrt_tensor *tensor;

	NX_RETURN_IF_FAILED(nx_tensor_acquire(output_tensor, &tensor));
	atomic_store(&tensor->completion_count, 0);
	nx_object_drop(tensor);
	return NRT_SUCCESS;
}

void nx_tensors_abandon(void)
{
	pthread_mutex_init(&completion_lock, NULL);
	pthread_cond_init(&completion, NULL);
}
