/* SPDX-License-Identifier: Apache-2.0 */
/* core_memory: how much of each core's memory is used, and for what. */
#include <assert.h>
#include <pthread.h>

#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/trace/tracer.h"

#define ALIGNMENT UINT64_C(64)
/* The value of ENOMEM; trace files name it OUT_OF_MEMORY. */
#define OUT_OF_MEMORY 12

static struct {
	pthread_mutex_t lock;
	uint64_t next_offset[NX_TRACE_MAX_CORES]; /* wraps round at the end of the memory */
	uint64_t used_bytes[NX_TRACE_MAX_CORES];
	uint64_t category_bytes[NX_TRACE_MAX_CORES][NX_NTRACE_CATEGORIES];
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct totals {
	uint64_t used, category;
};

static uint64_t pack_place(const struct nx_memory_block *block)
{
	const struct nx_instance *instance = nx_state_instance();

	return nx_trace_pack_place(nx_instance_hbm(instance, block->core), true, true,
				   nx_instance_device(instance, block->core), block->category);
}

/* Under the lock. Cores that share an HBM each use a part of it. */
static uint64_t next_address(uint32_t core, uint64_t bytes, uint64_t limit)
{
	const struct nx_instance *instance = nx_state_instance();
	uint64_t *next = &memory.next_offset[core];
	uint32_t hbm_cores = instance->kind->device_cores / instance->kind->device_hbms;
	uint64_t part = nx_instance_physical_core(instance, core) % hbm_cores / instance->core_size;
	uint64_t address;

	if (*next + bytes > limit)
		*next = 0;
	address = nx_instance_address(nx_instance_hbm(instance, core), part * limit + *next);
	*next += (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	return address;
}

static bool count_taken(struct nx_memory_block *block, struct totals *totals)
{
	uint64_t limit = nx_instance_memory_bytes(nx_state_instance());
	bool fits;

	pthread_mutex_lock(&memory.lock);
	fits = block->bytes <= limit && memory.used_bytes[block->core] <= limit - block->bytes;
	if (fits) {
		block->address = next_address(block->core, block->bytes, limit);
		memory.used_bytes[block->core] += block->bytes;
		memory.category_bytes[block->core][block->category] += block->bytes;
	}
	*totals = (struct totals){memory.used_bytes[block->core],
				  memory.category_bytes[block->core][block->category]};
	pthread_mutex_unlock(&memory.lock);
	return fits;
}

NRT_STATUS nx_memory_take(uint32_t core, enum nx_memory_category category, uint64_t bytes,
			  struct nx_memory_block *block)
{
	struct totals totals;
	uint64_t span;
	bool fits;

	assert(core < NX_TRACE_MAX_CORES && (unsigned)category < NX_NTRACE_CATEGORIES);
	*block = (struct nx_memory_block){.bytes = bytes, .core = core, .category = category};
	span = nx_trace_start(core, NX_TRACE_MEM_ALLOC, pack_place(block), 0, 0, 0);
	fits = count_taken(block, &totals);
	nx_trace_stop(core, NX_TRACE_MEM_ALLOC, span,
		      nx_trace_pack_outcome(fits ? bytes : 0, fits ? 0 : OUT_OF_MEMORY),
		      totals.used, totals.category, block->address);
	if (fits)
		return NRT_SUCCESS;
	nx_state_note_failure(NRT_RESOURCE);
	nx_log_error(category == NX_MEMORY_TENSOR ? "nrt_tensor_allocate" : "nrt_load",
		     "core %u has %llu of %llu bytes in use: %llu more do not fit", core,
		     (unsigned long long)totals.used,
		     (unsigned long long)nx_instance_memory_bytes(nx_state_instance()),
		     (unsigned long long)bytes);
	return NRT_RESOURCE;
}

void nx_memory_give(const struct nx_memory_block *block)
{
	struct totals totals;
	uint64_t span = nx_trace_start(block->core, NX_TRACE_MEM_DEALLOC, pack_place(block),
				       block->address, 0, 0);

	pthread_mutex_lock(&memory.lock);
	assert(memory.used_bytes[block->core] >= block->bytes);
	memory.used_bytes[block->core] -= block->bytes;
	memory.category_bytes[block->core][block->category] -= block->bytes;
	totals = (struct totals){memory.used_bytes[block->core],
				 memory.category_bytes[block->core][block->category]};
	pthread_mutex_unlock(&memory.lock);
	nx_trace_stop(block->core, NX_TRACE_MEM_DEALLOC, span, block->bytes, totals.used,
		      totals.category, 0);
}

uint64_t nx_memory_used_bytes(uint32_t core)
{
	uint64_t used;

	assert(core < NX_TRACE_MAX_CORES);
	pthread_mutex_lock(&memory.lock);
	used = memory.used_bytes[core];
	pthread_mutex_unlock(&memory.lock);
	return used;
}

void nx_memory_abandon(void)
{
	pthread_mutex_init(&memory.lock, NULL);
}
