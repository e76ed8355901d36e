/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_memory: a range of bytes of the device, which costs nothing until it is touched.
 *
 * A model may own gigabytes that a run never reads, so pages come from the
 * system one by one. A zeroed struct is empty and may be released.
 */
#ifndef NX_RUNTIME_DEVICE_MEMORY_H
#define NX_RUNTIME_DEVICE_MEMORY_H

#include <stdint.h>

#include "base/error.h"

struct nx_device_memory {
	uint8_t *bytes;
	uint64_t size_bytes;
};

/* All zero; LIMIT when the system has no room for it. */
NX_MUST_CHECK enum nx_status nx_device_memory_open(struct nx_device_memory *memory,
						   uint64_t size_bytes, struct nx_error *err);
void nx_device_memory_release(struct nx_device_memory *memory);
/* 0xff in every byte. */
void nx_device_memory_poison(struct nx_device_memory *memory);

#endif
