/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timed_clock: numbers computed in the order in which a timed run has their steps.
 *
 * A clock for nx_device_options.clock: of all that may go it picks the engine or
 * queue whose next step the timed run has earliest, so numbers and times follow
 * one schedule. Results are those of any order; what differs is what a program
 * with a race would show. A step the run does not know goes first, as it cannot
 * be waited for.
 */
#ifndef NX_RUNTIME_TIMED_CLOCK_H
#define NX_RUNTIME_TIMED_CLOCK_H

#include "runtime/device/schedule.h"
#include "runtime/timing/loaded_code.h"
#include "runtime/timing/timed_run.h"

struct nx_timed_clock;

/* Borrows code and run; from the heap. */
struct nx_timed_clock *nx_timed_clock_new(const struct nx_loaded_code *code,
					  const struct nx_timed_run *run);
void nx_timed_clock_free(struct nx_timed_clock *clock); /* NULL is allowed */

/* Before each run of the device. */
void nx_timed_clock_restart(struct nx_timed_clock *clock);

/* The two calls of struct nx_device_clock; context is the clock. */
size_t nx_timed_clock_choose(void *context, const struct nx_actor *ready, size_t count);
void nx_timed_clock_stepped(void *context, const struct nx_schedule_step *step);

#endif
