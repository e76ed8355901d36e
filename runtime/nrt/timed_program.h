/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timed_program: the simulated times of a loaded program, computed once for all executions.
 *
 * A run depends on nothing but the program, the hardware, the seed and how many
 * ranks there are (options.place, set before the first run). The first execution
 * may differ from the others (GpSimd loads its library), so there are two runs at
 * most, each made when it is first wanted.
 */
#ifndef NX_RUNTIME_NRT_TIMED_PROGRAM_H
#define NX_RUNTIME_NRT_TIMED_PROGRAM_H

#include "runtime/device/device_ranks.h"
#include "runtime/timing/loaded_code.h"
#include "runtime/timing/simulate.h"
#include "runtime/timing/timed_run.h"

struct nx_timed_outcome {
	struct nx_timed_run run;
	bool is_made;
	enum nx_status st; /* FORMAT: the engines wait for ever; the rows up to then are there */
	struct nx_error err;
};

struct nx_timed_program {
	struct nx_loaded_code code;
	const struct nx_hardware_timing *hardware;
	struct nx_simulate_options options;
	struct nx_timed_outcome first, later;
};

/* A zeroed struct may be released, also after a failure: LIMIT or UNSUPPORTED. Borrows program. */
NX_MUST_CHECK enum nx_status nx_timed_program_init(struct nx_timed_program *timed,
						   const struct nx_device_program *program,
						   uint64_t seed, bool is_strict,
						   struct nx_error *err);
void nx_timed_program_release(struct nx_timed_program *timed);

/* Of the program's execution number index, from 0; owned by the program. */
const struct nx_timed_outcome *nx_timed_program_run(struct nx_timed_program *timed, uint64_t index);

/*
 * When a collective of that outcome happens, by its word. *next is where its row is looked for
 * first, 0 at the beginning of an execution: it is found there when they come in their order.
 */
struct nx_device_moment nx_timed_program_collective(const struct nx_timed_program *timed,
						    const struct nx_timed_outcome *outcome,
						    const struct nx_device_collective *call,
						    size_t *next);

/*
 * The collectives of that outcome, each with its moment and without data, in the order in
 * which a device would have run them. Ends at the first that the ranks refuse.
 */
NX_MUST_CHECK enum nx_status nx_timed_program_tell(const struct nx_timed_program *timed,
						   const struct nx_timed_outcome *outcome,
						   const struct nx_device_ranks *ranks,
						   struct nx_error *err);

#endif
