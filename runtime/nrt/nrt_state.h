/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_state: whether the runtime is initialised, and what every call shares.
 *
 * Calls begin with nx_state_check and return what it says. The instance is read
 * by nrt_init and does not change until the next one.
 */
#ifndef NX_RUNTIME_NRT_NRT_STATE_H
#define NX_RUNTIME_NRT_NRT_STATE_H

#include <nrt/nrt.h>

#include "base/error.h"
#include "runtime/nrt/instance.h"

/* Every function of the interface is exported, and nothing else is. */
#define NX_EXPORT __attribute__((visibility("default")))

/* NRT_SUCCESS while initialised, else NRT_UNINITIALIZED or NRT_CLOSED. */
NRT_STATUS nx_state_check(void);
/* The same, and NRT_INVALID for a core this process does not have. */
NRT_STATUS nx_state_check_core(int64_t core);
const struct nx_instance *nx_state_instance(void);

/* Counts executions of the process. */
uint64_t nx_state_next_execution(void);

/* Logs the sentence and turns its status into the interface's. */
NRT_STATUS nx_state_fail(const char *function, const struct nx_error *err);

/* --- device memory, counted per core and category ------------------------------- */

struct nx_memory_block {
	uint64_t address;
	uint64_t bytes;
	uint32_t core;
	uint32_t category; /* of nx_ntrace_category_name */
};

/* Counts and traces; NRT_RESOURCE when the core's memory is used up. */
NRT_STATUS nx_memory_take(uint32_t core, uint32_t category, uint64_t bytes,
			  struct nx_memory_block *block);
void nx_memory_give(const struct nx_memory_block *block);
uint64_t nx_memory_used_bytes(uint32_t core);

#endif
