/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate: how long a loaded program takes, from its words alone.
 *
 * Event driven, in integer picoseconds. Engines have a front end that runs ahead
 * of an in-order queue; latency and occupancy are apart; semaphores take their
 * time from writer to waiter; DMA engines serve packets, ring by ring; the array
 * is throttled by what it did; a collective runs on its own once it is triggered,
 * as if the other ranks triggered it at the same moment, which they do when they
 * run the same program. Costs come from hardware_table.h and collective_cost.h. No
 * number is computed here: what engines wait for does not depend on data.
 */
#ifndef NX_RUNTIME_SIMULATE_H
#define NX_RUNTIME_SIMULATE_H

#include "runtime/timing/collective_cost.h"
#include "runtime/timing/hardware_table.h"
#include "runtime/timing/loaded_code.h"
#include "runtime/timing/timed_run.h"

struct nx_simulate_options {
	const struct nx_hardware_timing *hardware; /* NULL: that of the program's architecture */
	/* 0: no jitter. Otherwise memory stalls and the throttle's phase are drawn from it. */
	uint64_t seed;
	bool is_first_execution; /* GpSimd loads its library, on devices where that shows */
	bool is_strict;		 /* refuse opcodes of which no cost is known */
	struct nx_collective_place place; /* zeroed: one rank, alone */
};

/*
 * Fills a zeroed run. FORMAT if the engines are deadlocked (the
 * sentence names engines, slots, semaphores and values; the rows up to then are
 * there), UNSUPPORTED when strict.
 */
NX_MUST_CHECK enum nx_status nx_simulate(const struct nx_loaded_code *code,
					 const struct nx_simulate_options *options,
					 struct nx_timed_run *run, struct nx_error *err);

#endif
