/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/device_memory.h"

#include <string.h>
#include <sys/mman.h>

enum nx_status nx_device_memory_open(struct nx_device_memory *memory, uint64_t size_bytes,
				     struct nx_error *err)
{
	void *bytes;

	*memory = (struct nx_device_memory){0};
	if (size_bytes == 0)
		return NX_OK;
	bytes = size_bytes > SIZE_MAX / 2
			? MAP_FAILED
			: mmap(NULL, (size_t)size_bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return nx_fail(err, NX_LIMIT,
			       "this host cannot allocate %llu bytes of device memory",
			       (unsigned long long)size_bytes);
	*memory = (struct nx_device_memory){bytes, size_bytes};
	return NX_OK;
}

void nx_device_memory_release(struct nx_device_memory *memory)
{
	if (memory->bytes)
		(void)munmap(memory->bytes, (size_t)memory->size_bytes);
	*memory = (struct nx_device_memory){0};
}

void nx_device_memory_poison(struct nx_device_memory *memory)
{
	if (memory->bytes)
		memset(memory->bytes, 0xff, (size_t)memory->size_bytes);
}
