/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchdog: stops a query that runs too long or is no longer wanted.
 *
 *	nx_watchdog_begin(&dog, timer, &(struct nx_watch){...});
 *	st = ...;                              the query, on this thread
 *	st = nx_watchdog_end(&dog, st, err);   reports a time limit, if that was the reason
 *
 * Every 20 ms the timer's thread checks the deadline and asks whether the query is still wanted. If
 * not, it calls stop until the query is over: an engine may miss a call that comes just before it
 * begins.
 */
#ifndef NX_QUERY_WATCHDOG_H
#define NX_QUERY_WATCHDOG_H

#include "base/timer.h"

struct nx_watch {
	void (*stop)(void *context); /* on the timer's thread, as is_wanted */
	void *context;
	bool (*is_wanted)(void *context); /* NULL: always */
	void *wanted_context;
	uint32_t timeout_ms; /* 0: none */
};

struct nx_watchdog {
	struct nx_watch watch;
	struct nx_timer *timer;
	struct nx_alarm alarm;
	uint64_t end_ns;
	bool is_stopping;
	bool is_late;
};

/* The struct stays where it is until the end. */
void nx_watchdog_begin(struct nx_watchdog *dog, struct nx_timer *timer,
		       const struct nx_watch *watch);

/*
 * st is how the query ended: a CANCELLED by the time limit becomes LIMIT with a sentence that names
 * it, every other st stays as it is.
 */
enum nx_status nx_watchdog_end(struct nx_watchdog *dog, enum nx_status st, struct nx_error *err);

#endif
