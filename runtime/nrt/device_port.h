/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_port: what the runtime needs of a device, whichever it is.
 *
 * A port opens a NEFF as a program, tells its tensors, runs it on buffers of this
 * process, and tells what hardware would have written into its rings. Programs of
 * one core are run one at a time; different cores run at once.
 */
#ifndef NX_RUNTIME_NRT_DEVICE_PORT_H
#define NX_RUNTIME_NRT_DEVICE_PORT_H

#include "base/arena.h"
#include "base/error.h"
#include "format/neff.h"
#include "runtime/timing/loaded_code.h"
#include "runtime/timing/notifications.h"

#define NX_PORT_MAX_DIMS 16

struct nx_port_tensor {
	const char *name;
	bool is_output;
	const char *dtype_name; /* as the NEFF spells it; "" when it does not */
	uint32_t dims;
	uint32_t shape[NX_PORT_MAX_DIMS];
	uint64_t size_bytes;
};

struct nx_port_memory { /* device memory a program takes besides its tensors */
	uint64_t weight_bytes, scratch_bytes, code_bytes;
};

struct nx_port_collective { /* that a rank took part in, on the core's clock */
	uint32_t op_idx;    /* which word of the program, in order of their first run */
	uint32_t graph_idx, engine;
	uint32_t group_id; /* of the word */
	uint64_t trigger_ps, start_ps, end_ps;
};

enum nx_port_fault { NX_PORT_NO_FAULT, NX_PORT_NUMERICAL, NX_PORT_BOUNDS };

struct nx_port_run {
	uint64_t start_ps; /* given: when it begins, on the core's clock */
	uint64_t end_ps;
	enum nx_port_fault fault;		      /* the worst that hardware notified */
	bool is_hanging;			      /* the engines wait for each other for ever */
	const struct nx_port_collective *collectives; /* of model_ranks.h */
	size_t collective_count;
	uint64_t barrier_end_ps; /* until when all ranks had come; 0 without collectives */
};

/* How a program takes part in collectives. */
enum nx_port_ranks {
	NX_PORT_RANKS_NONE,	/* it has none, or nobody knows them */
	NX_PORT_RANKS_APART,	/* their times alone are told: no rank needs another */
	NX_PORT_RANKS_TOGETHER, /* data goes from rank to rank */
};

struct nx_collective_place;
struct nx_device_ranks;
struct nx_port_program; /* each port's own */

struct nx_device_port {
	const char *name;
	/* FORMAT, VERSION, MISMATCH or LIMIT. neff and its members outlive the program. */
	enum nx_status (*open)(struct nx_slice file, const struct nx_neff *neff,
			       struct nx_port_program **out, struct nx_error *err);
	void (*close)(struct nx_port_program *program);
	uint32_t (*graph_count)(const struct nx_port_program *program); /* physical cores */
	size_t (*tensor_count)(const struct nx_port_program *program);
	const struct nx_port_tensor *(*tensor)(const struct nx_port_program *program, size_t index);
	struct nx_port_memory (*memory)(const struct nx_port_program *program);
	/* Who carries out collectives, and where; ranks may be NULL, to ask before. */
	enum nx_port_ranks (*connect)(struct nx_port_program *program,
				      const struct nx_device_ranks *ranks,
				      const struct nx_collective_place *place);
	/* That it was compiled for; ANY when it does not say. */
	enum nx_device_arch (*arch)(const struct nx_port_program *program);
	/* buffers[i] belongs to tensor i and has its size. run says when it begins. */
	enum nx_status (*run)(struct nx_port_program *program, uint8_t *const *buffers,
			      struct nx_port_run *run, struct nx_error *err);
	/* As it lies on the device; NULL when the port does not know. */
	const struct nx_loaded_code *(*code)(const struct nx_port_program *program);
	/*
	 * The rings of the latest run, on the device's core first_core and those behind it,
	 * into a zeroed struct; without code there are none. Memory may run out on the way.
	 */
	void (*record)(const struct nx_port_program *program, const struct nx_port_run *run,
		       uint32_t first_core, struct nx_notified *out);
};

/* Knows a NEFF's tensors and runs nothing: outputs become zero, with a warning in the log. */
extern const struct nx_device_port nx_idle_port;
/* Runs on the software NeuronCore of runtime/device, or idles where that refuses the NEFF. */
extern const struct nx_device_port nx_software_port;

/* NEURON_EXPLORER_DEVICE: "software", the default, or "idle". */
const struct nx_device_port *nx_device_port_choose(void);

/* For ports that keep no time of their own: how long the host took. */
uint64_t nx_device_port_host_ps(void);

#endif
