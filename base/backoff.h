/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backoff: how long to wait before a server is asked again.
 *
 *	struct nx_backoff backoff;
 *
 *	nx_backoff_init(&backoff, patience_ms);
 *	while ((st = ask(err)) && may_pass && nx_backoff_wait(&backoff))
 *		;
 *
 * Waits double from 50 ms to 2 s and vary by half, so that many clients of one server that went
 * away do not all come back in the same moment. The waits of one backoff add up to its patience.
 */
#ifndef NX_BASE_BACKOFF_H
#define NX_BASE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

struct nx_backoff {
	uint64_t next_ms;
	uint64_t left_ms; /* of the patience */
	uint64_t dice;
};

void nx_backoff_init(struct nx_backoff *backoff, uint64_t patience_ms);
/* How long the next wait is, and counts it; 0 when patience has come to its end. */
uint64_t nx_backoff_next(struct nx_backoff *backoff);
/* Sleeps that long; false, at once, when patience has come to its end. */
bool nx_backoff_wait(struct nx_backoff *backoff);

#endif
