/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backoff: how long to wait before retrying a request to a server.
 *
 * Waits double from 50 ms to 2 s and vary by half, so that many clients of a server that
 * restarts do not all retry at once. The waits of one backoff add up to its patience.
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
/* The length of the next wait, which is counted; 0 if no patience is left. */
uint64_t nx_backoff_next(struct nx_backoff *backoff);
/* Sleeps that long; false, at once, if no patience is left. */
bool nx_backoff_wait(struct nx_backoff *backoff);

#endif
