/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watchdog: ends a query that runs too long or that nobody wants any more.
 *
 *	nx_watchdog_begin(&dog, &(struct nx_watch){...}, err);
 *	st = ...;                              the query, on this thread
 *	st = nx_watchdog_end(&dog, st, err);   says why it was stopped, if it was
 *
 * A thread waits for a byte on stop_fd (a signal handler can write one to a
 * pipe: nothing else there is safe) or for the time limit, and then calls stop
 * again and again until the query is over, because an engine may miss a call
 * that comes just before it begins.
 */
#ifndef NX_QUERY_WATCHDOG_H
#define NX_QUERY_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"

struct nx_watch {
	void (*stop)(void *context); /* called on the watchdog's thread */
	void *context;
	int stop_fd;	     /* readable: stop; the byte is left in it; -1: none */
	uint32_t timeout_ms; /* 0: none */
};

struct nx_watchdog {
	struct nx_watch watch;
	pthread_t thread;
	int over[2]; /* closed at one end when the query is over */
	_Atomic int reason;
};

NX_MUST_CHECK enum nx_status nx_watchdog_begin(struct nx_watchdog *dog,
					       const struct nx_watch *watch, struct nx_error *err);

/*
 * Ends the thread. st is how the query ended: a CANCELLED by the time limit
 * becomes LIMIT with a sentence that names it, every other st stays as it is.
 */
enum nx_status nx_watchdog_end(struct nx_watchdog *dog, enum nx_status st, struct nx_error *err);

#endif
