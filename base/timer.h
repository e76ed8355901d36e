/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timer: one thread that calls functions when they are due.
 *
 * All alarms ring on the same thread, so ring must be short. It may set its own alarm again, and
 * must not clear it. Safe from any thread.
 */
#ifndef NX_BASE_TIMER_H
#define NX_BASE_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct nx_timer;

/* Must not move until it is cleared. */
struct nx_alarm {
	void (*ring)(void *context);
	void *context;
	/* --- of the timer --- */
	struct nx_alarm *next;
	uint64_t due_ns;
	bool is_set;
};

/* LIMIT if the system refuses the thread. */
NX_MUST_CHECK enum nx_status nx_timer_new(struct nx_timer **timer, struct nx_error *err);
/* Requires that every alarm has been cleared. timer may be NULL. */
void nx_timer_free(struct nx_timer *timer);

/* The alarm rings once, that much later; an earlier setting is forgotten. */
void nx_timer_set(struct nx_timer *timer, struct nx_alarm *alarm, uint64_t delay_ms);
/* When this returns, ring is not running and will not be called. */
void nx_timer_clear(struct nx_timer *timer, struct nx_alarm *alarm);

#endif
