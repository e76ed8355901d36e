/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor: named bytes on the device or the host, owned by us or by the caller.
 *
 * Storage is reference-counted: slices share it, and executions hold what they
 * read and write, so freeing a tensor never frees memory that is in use.
 */
#ifndef NX_RUNTIME_NRT_TENSOR_H
#define NX_RUNTIME_NRT_TENSOR_H

#include <nrt/nrt.h>

#include "base/bare/slice.h"
#include "runtime/nrt/handles.h"
#include "runtime/nrt/nrt_state.h"

struct nx_storage {
	_Atomic uint32_t reference_count;
	uint8_t *bytes;
	size_t len;
	size_t mapped_bytes; /* 0: a buffer of the caller */
	bool is_device;
	struct nx_memory_block block; /* of device storage */
};

struct nx_nrt_tensor {
	struct nx_object object;
	char name[256];
	uint64_t name_id;
	nrt_tensor_placement_t placement;
	uint32_t core;		    /* 0 for tensors on the host */
	struct nx_storage *storage; /* NULL: empty */
	size_t offset, len;	    /* within the storage */
	_Atomic uint64_t completion_count;
};

static inline NRT_STATUS nx_tensor_acquire(const nrt_tensor_t *handle,
					   struct nx_nrt_tensor **tensor)
{
	return nx_state_acquire(handle, NX_HANDLE_TENSOR, tensor);
}

/* Finds the bytes of a part; NRT_INVALID if it is not inside the tensor. */
NRT_STATUS nx_tensor_part(const struct nx_nrt_tensor *tensor, uint64_t offset, uint64_t len,
			  uint8_t **bytes);
/* Copies and traces; NRT_INVALID outside of a tensor, or from one device to another. */
NRT_STATUS nx_tensor_copy(const struct nx_nrt_tensor *from, uint64_t from_offset,
			  struct nx_nrt_tensor *to, uint64_t to_offset, uint64_t len);
/* Counts that an execution has written the tensor, and wakes waiting threads. */
void nx_tensor_complete(struct nx_nrt_tensor *tensor);
void nx_tensors_abandon(void); /* in the child after a fork */

/* --- sets: the tensors of an execution by name; a set holds its tensors --------------- */

struct nx_tensor_set;

static inline NRT_STATUS nx_tensor_set_acquire(const nrt_tensor_set_t *handle,
					       struct nx_tensor_set **set)
{
	return nx_state_acquire(handle, NX_HANDLE_TENSOR_SET, set);
}

/* A reference to the tensor of that name, or NULL. */
struct nx_nrt_tensor *nx_tensor_set_find(struct nx_tensor_set *set, const char *name);

void nx_tensor_set_abandon(struct nx_tensor_set *set); /* in the child after a fork */

#endif
