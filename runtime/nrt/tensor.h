/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tensor: bytes with a name, on the device or on the host, owned or attached.
 *
 * Storage is counted: a slice shares its source's, and an execution holds what
 * it reads and writes, so freeing a tensor never pulls memory from under anyone.
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
	size_t mapped_bytes; /* 0: the caller's buffer */
	bool is_device;
	struct nx_memory_block block; /* of device storage */
};

struct nx_nrt_tensor {
	struct nx_object object;
	char name[256];
	uint64_t name_id;
	nrt_tensor_placement_t placement;
	uint32_t core;		    /* 0 for the host's */
	struct nx_storage *storage; /* NULL: empty */
	size_t offset, len;	    /* within the storage */
	_Atomic uint64_t completion_count;
};

/* NRT_INVALID_HANDLE for a handle that is none; else a reference to drop. */
NRT_STATUS nx_tensor_acquire(const nrt_tensor_t *handle, struct nx_nrt_tensor **tensor);

/* The bytes of a part; NRT_INVALID when it lies outside or there are none. */
NRT_STATUS nx_tensor_part(const struct nx_nrt_tensor *tensor, uint64_t offset, uint64_t len,
			  uint8_t **bytes);
/* Copies with the events a copy has; direction as seen from the device. */
void nx_tensor_copy_in(struct nx_nrt_tensor *tensor, size_t offset, const void *from, size_t len);
void nx_tensor_copy_out(const struct nx_nrt_tensor *tensor, size_t offset, void *to, size_t len);

void nx_storage_hold(struct nx_storage *storage);
void nx_storage_drop(struct nx_storage *storage);

/* What may be copied from one to the other, traced; sizes are checked. */
NRT_STATUS nx_tensor_copy_between(const struct nx_nrt_tensor *from, uint64_t from_offset,
				  struct nx_nrt_tensor *to, uint64_t to_offset, uint64_t len);

/* An execution wrote it. */
void nx_tensor_complete(struct nx_nrt_tensor *tensor);

#endif
