/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timed_clock: makes the device compute steps in the order of a timed run.
 *
 * A clock for nx_device_options.clock: it picks the ready engine or queue whose next
 * step is the earliest in the timed run. Only programs with races depend on the order.
 * A step that the run does not have goes first.
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
