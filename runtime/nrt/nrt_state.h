/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_state: whether the runtime is initialised, and what all calls share.
 *
 * Calls start with nx_state_check and return its status if it fails. The instance
 * is read by nrt_init and stays the same until the next nrt_init.
 */
#ifndef NX_RUNTIME_NRT_NRT_STATE_H
#define NX_RUNTIME_NRT_NRT_STATE_H

#include <nrt/nrt.h>

#include "base/error.h"
#include "runtime/nrt/handles.h"
#include "runtime/nrt/instance.h"

/* Marks the functions of the public interface; nothing else is exported. */
#define NX_EXPORT __attribute__((visibility("default")))

/* Only where there is nothing to release yet. */
#define NX_RETURN_IF_FAILED(call)                                                                  \
	do {                                                                                       \
		NRT_STATUS failed_with = (call);                                                   \
                                                                                                   \
		if (failed_with != NRT_SUCCESS)                                                    \
			return failed_with;                                                        \
	} while (0)

/* NRT_SUCCESS while initialised, else NRT_UNINITIALIZED or NRT_CLOSED. */
NRT_STATUS nx_state_check(void);
/* The same, and NRT_INVALID for a core that this process does not have, logged for the caller. */
#define nx_state_check_core(core) nx_state_check_core_for(__func__, core)
NRT_STATUS nx_state_check_core_for(const char *call, int64_t core);
/*
 * Checks the state and finds the object of a handle: NRT_INVALID for NULL, NRT_INVALID_HANDLE if
 * it is not open. On success *object (a pointer to the kind's struct) holds a reference, which
 * the caller drops with nx_object_drop.
 */
NRT_STATUS nx_state_acquire(const void *handle, enum nx_handle_kind kind, void *object);
const struct nx_instance *nx_state_instance(void);

/* Numbers the executions of the process, from 1. */
uint64_t nx_state_next_execution(void);

/* Logs the error and returns the status of the interface that matches it. */
NRT_STATUS nx_state_fail(const char *call, const struct nx_error *err);

/* An execution, collective or allocation failed: for watchdogs, which ask for the number so far. */
void nx_state_note_failure(NRT_STATUS st);
uint64_t nx_state_failures(uint32_t *latest);

/* Copies names into a list for the host, which may also free list and names with free. */
NRT_STATUS nx_text_list_new(const char *const *names, size_t name_count, const char ***out,
			    size_t *out_count);
void nx_text_list_free(const char **list, size_t count);

/* --- device memory, counted per core and category ------------------------------- */

/* Categories that are used here, as nx_ntrace_category_name numbers them. */
enum nx_memory_category {
	NX_MEMORY_GENERIC = 0,
	NX_MEMORY_WEIGHT = 6,
	NX_MEMORY_SCRATCHPAD = 11,
	NX_MEMORY_TENSOR = 12,
};

struct nx_memory_block {
	uint64_t address;
	uint64_t bytes;
	uint32_t core;
	enum nx_memory_category category;
};

/* Counts and traces an allocation; NRT_RESOURCE if the core's memory is used up. */
NRT_STATUS nx_memory_take(uint32_t core, enum nx_memory_category category, uint64_t bytes,
			  struct nx_memory_block *block);
void nx_memory_give(const struct nx_memory_block *block);
uint64_t nx_memory_used_bytes(uint32_t core);
void nx_memory_abandon(void); /* in the child after a fork */

#endif
