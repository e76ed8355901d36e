/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async_queue: requests that our own threads execute in order.
 *
 * Each execution unit of a core has queues with their own sequence numbers. One
 * thread per core, started with the first request, serves all of them in order of
 * arrival.
 */
#ifndef NX_RUNTIME_NRT_ASYNC_QUEUE_H
#define NX_RUNTIME_NRT_ASYNC_QUEUE_H

#include <nrt/nrt_async.h>

#define NX_ASYNC_QUEUES 16	  /* per unit */
#define NX_ASYNC_MAX_WAITING 4096 /* requests in all queues */

struct nx_async_request {
	struct nx_async_request *next;
	NRT_STATUS (*run)(struct nx_async_request *request);
	void (*release)(struct nx_async_request *request); /* also frees it */
	uint32_t core;
	nrta_xu_t unit;
	int queue;
	nrta_error_tracker_t *tracker; /* handle; may be NULL */
	nrta_seq_t seq;
};

/* Takes ownership of the request and releases it if it fails. */
NRT_STATUS nx_async_put(struct nx_async_request *request, nrta_seq_t *seq);
/* Waits until the core has no requests left. */
void nx_async_drain(uint32_t core);
/* Completes all requests and ends the threads. */
void nx_async_end(void);
/* In the child after a fork: forgets threads and requests. */
void nx_async_abandon(void);

#endif
