/* SPDX-License-Identifier: Apache-2.0 */
/* loaded_model: a NEFF loaded on its cores. */
#ifndef NX_RUNTIME_NRT_LOADED_MODEL_H
#define NX_RUNTIME_NRT_LOADED_MODEL_H

#include <nrt/nrt.h>

#include "runtime/nrt/device_port.h"
#include "runtime/nrt/handles.h"
#include "runtime/nrt/nrt_state.h"

#define NX_MODEL_BLOCKS 3

struct nx_model_ranks;

struct nx_model {
	struct nx_object object;
	uint32_t core, core_count;
	uint64_t id;	       /* interned name, used in events and file names */
	uint32_t number;       /* number of the model in this process, for callbacks */
	struct nx_slice file;  /* our own copy of the NEFF */
	struct nx_arena arena; /* of neff */
	struct nx_neff neff;   /* the only unpacked copy: the port borrows from it */
	const struct nx_device_port *port;
	struct nx_port_program *program;
	struct nx_model_ranks *ranks; /* NULL: the program has no collectives */
	struct nx_memory_block blocks[NX_MODEL_BLOCKS];
	unsigned block_count;
	/* Under the core's lock: executions in the inspect session of that number. */
	uint64_t session_number, session_runs;
};

static inline NRT_STATUS nx_model_acquire(const nrt_model_t *handle, struct nx_model **model)
{
	return nx_state_acquire(handle, NX_HANDLE_MODEL, model);
}

#endif
