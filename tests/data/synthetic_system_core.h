/* SPDX-License-Identifier: Apache-2.0 */
/* synthetic_system_core: records of one logical core, and the device memory they tell of. */
#ifndef NX_TESTS_SYNTHETIC_SYSTEM_CORE_H
#define NX_TESTS_SYNTHETIC_SYSTEM_CORE_H

#include "base/number.h"
#include "tests/data/synthetic_system_inside.h"

#define NX_CORE_ATTRIBUTES 12

enum nx_core_type {
	NRT_LOAD = 1,
	NRT_EXECUTE = 3,
	KMGR_EXEC_CORE = 4,
	NC_EXEC_RUNNING = 7,
	NRT_TENSOR_READ = 9,
	NRT_TENSOR_WRITE = 10,
	KBL_EXEC_PRE = 17,
	KBL_EXEC_WAIT = 19,
	KBL_EXEC_POST = 20,
	NRT_MODEL_SUBMIT = 22,
	NRT_ASYNC_SEMA_WAIT = 23,
	TIMESTAMP_SYNC_POINT = 25,
	NC_MODEL_SWITCH = 26,
	NRT_TENSOR_ALLOCATE = 27,
	DMEM_BUF_COPYIN = 30,
	DMEM_BUF_COPYOUT = 31,
	NRT_DMA_MEM_ALLOC = 34,
	NRT_DMA_MEM_DEALLOC = 35,
	NOTIFICATION_CONSUME_ERRORS = 38,
	EXEC_CONSUME_GPSIMD_STDIO = 39,
};

enum nx_core_category { CATEGORY_WEIGHT = 6, CATEGORY_TENSOR = 12, CATEGORY_RINGS_IO = 20 };

struct nx_core_attributes {
	struct nx_ntrace_attribute items[NX_CORE_ATTRIBUTES];
	size_t count;
	char texts[NX_CORE_ATTRIBUTES][NX_NUMBER_MAX];
};

struct nx_core {
	const struct nx_synthetic_events *events;
	unsigned index;
	uint64_t sequence;
	uint64_t now_ns;		   /* of the software */
	uint64_t host, completion, helper; /* threads */
	uint64_t random;
	uint64_t total_bytes[NX_SYNTHETIC_LNC];
	uint64_t category_bytes[NX_SYNTHETIC_LNC][NX_NTRACE_CATEGORIES];
	uint64_t next_address;
	struct nx_bytes buffer;
	bool is_stopped; /* by the sink */
};

struct nx_core_call { /* a START that waits for its STOP */
	enum nx_core_type type;
	uint64_t thread;
	uint64_t tracking_id;
};

void nx_core_add(struct nx_core_attributes *a, const char *key, uint64_t value);
/* Hands the records collected so far to the sink. */
void nx_core_flush(struct nx_core *c);
/* One record; adds nc_idx and worker_gid to the attributes. */
void nx_core_put(struct nx_core *c, const struct nx_core_call *call, enum nx_ntrace_phase phase,
		 uint64_t time_ns, struct nx_core_attributes *a);
/* Lets time pass, as it does between two records. */
uint64_t nx_core_tick(struct nx_core *c);
/* The next record's call, not yet written. */
struct nx_core_call nx_core_open(struct nx_core *c, enum nx_core_type type, uint64_t thread);
struct nx_core_call nx_core_begin(struct nx_core *c, enum nx_core_type type, uint64_t thread,
				  struct nx_core_attributes *a);
void nx_core_count_pair(struct nx_core *c, enum nx_core_type type);
void nx_core_end(struct nx_core *c, const struct nx_core_call *call);

uint64_t nx_core_hbm(const struct nx_core *c);
/* Returns the address. Totals are of one physical core, as the runtime counts them. */
uint64_t nx_core_allocate(struct nx_core *c, uint64_t thread, unsigned physical,
			  enum nx_core_category category, uint64_t size);
void nx_core_deallocate(struct nx_core *c, uint64_t thread, unsigned physical,
			enum nx_core_category category, uint64_t size, uint64_t address);
/* mem_type: 2 device, 1 host */
void nx_core_copy(struct nx_core *c, enum nx_core_type type, uint64_t thread, unsigned mem_type,
		  uint64_t size);

#endif
