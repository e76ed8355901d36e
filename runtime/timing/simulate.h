/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate: the times of a loaded program, without its data.
 *
 * Event driven, in integer picoseconds. It models front ends that run ahead of in-order
 * queues, latency and occupancy, delays of semaphores, DMA packets and the throttle of
 * the array. A collective starts as if all ranks triggered it at the same time. Costs
 * come from hardware_table.h and collective_cost.h.
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
	bool has_descriptors;	 /* DGE notifications are on, and hold engines up */
	bool is_strict;		 /* refuse opcodes without a known cost */
	struct nx_collective_place place; /* zeroed: one rank */
};

/*
 * Fills a zeroed run. FORMAT if the engines are deadlocked, with the rows up to then; the message
 * names engines, slots and semaphores. UNSUPPORTED if strict.
 */
NX_MUST_CHECK enum nx_status nx_simulate(const struct nx_loaded_code *code,
					 const struct nx_simulate_options *options,
					 struct nx_timed_run *run, struct nx_error *err);

#endif
