/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_port: the interface between the runtime and a device.
 *
 * A port opens a NEFF as a program, runs it on buffers of this process, and produces
 * the records that hardware would have written. Programs on one core run one at a
 * time; different cores run concurrently.
 */
#ifndef NX_RUNTIME_NRT_DEVICE_PORT_H
#define NX_RUNTIME_NRT_DEVICE_PORT_H

#include "base/arena.h"
#include "base/error.h"
#include "format/neff.h"
#include "runtime/timing/loaded_code.h"
#include "runtime/timing/notifications.h"

struct nx_port_collective { /* a collective that ran, on the core's clock */
	uint32_t op_idx;    /* which instruction, in order of first execution */
	uint32_t graph_idx, engine;
	uint32_t group_id; /* replica group of the instruction */
	uint64_t trigger_ps, start_ps, end_ps;
};

enum nx_port_fault { NX_PORT_NO_FAULT, NX_PORT_NUMERICAL, NX_PORT_BOUNDS };

struct nx_port_run {
	uint64_t start_ps; /* input: when it starts, on the core's clock */
	uint64_t end_ps;
	enum nx_port_fault fault;		      /* the worst one reported */
	bool is_hanging;			      /* the engines wait for each other forever */
	const struct nx_port_collective *collectives; /* owned by model_ranks.h */
	size_t collective_count;
	uint64_t barrier_end_ps; /* when all ranks had arrived; 0 without collectives */
};

/* How a program takes part in collectives. */
enum nx_port_ranks {
	NX_PORT_RANKS_NONE,	/* it has none, or they are unknown */
	NX_PORT_RANKS_APART,	/* only their times are simulated; ranks run independently */
	NX_PORT_RANKS_TOGETHER, /* ranks exchange data */
};

struct nx_collective_place;
struct nx_device_ranks;
struct nx_port_program; /* each port's own */

struct nx_device_port {
	const char *name;
	/* FORMAT, VERSION, MISMATCH or LIMIT. neff outlives the program, which borrows it. */
	enum nx_status (*open)(const struct nx_neff *neff, struct nx_port_program **out,
			       struct nx_error *err);
	void (*close)(struct nx_port_program *program);
	/* In the child after a fork: a thread of the parent may be running it. May be NULL. */
	void (*abandon)(struct nx_port_program *program);
	/* Sets how collectives run; ranks may be NULL, to find out first. */
	enum nx_port_ranks (*connect)(struct nx_port_program *program,
				      const struct nx_device_ranks *ranks,
				      const struct nx_collective_place *place);
	/* The target it was compiled for; ANY if unknown. */
	enum nx_device_arch (*arch)(const struct nx_port_program *program);
	/* buffers[i] belongs to tensor i of the NEFF and has its size. run->start_ps is set. */
	enum nx_status (*run)(struct nx_port_program *program, uint8_t *const *buffers,
			      struct nx_port_run *run, struct nx_error *err);
	/* The code as loaded on the device; NULL if the port does not know. */
	const struct nx_loaded_code *(*code)(const struct nx_port_program *program);
	/*
	 * The rings of the latest run, on the device's core first_core and those behind it,
	 * into a zeroed struct; without code there are none. Memory may run out on the way.
	 */
	void (*record)(const struct nx_port_program *program, const struct nx_port_run *run,
		       uint32_t first_core, struct nx_notified *out);
};

/* Computes nothing: sets outputs to zero and logs a warning. */
extern const struct nx_device_port nx_idle_port;
/* Simulates with runtime/device and runtime/timing; idle if they reject the NEFF. */
extern const struct nx_device_port nx_software_port;

/* As NEURON_EXPLORER_DEVICE says: "software" (the default) or "idle". */
const struct nx_device_port *nx_device_port_choose(void);

/* The host's clock, for ports without a clock of their own. */
uint64_t nx_device_port_host_ps(void);
/* For ports that compute nothing. */
void nx_device_port_zero_outputs(const struct nx_neff *neff, uint8_t *const *buffers);

#endif
