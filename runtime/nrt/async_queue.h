/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async_queue: requests that are worked off in order by threads of ours.
 *
 * Every execution unit of a core has queues with sequence numbers of their own;
 * one thread of the core serves them all, in order of arrival, and is started
 * with the first request.
 */
#ifndef NX_RUNTIME_NRT_ASYNC_QUEUE_H
#define NX_RUNTIME_NRT_ASYNC_QUEUE_H

#include <nrt/nrt_async.h>

#define NX_ASYNC_QUEUES 16	  /* of a unit */
#define NX_ASYNC_MAX_WAITING 4096 /* requests, of all queues */

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

/* Takes the request over; on failure it is released. */
NRT_STATUS nx_async_put(struct nx_async_request *request, nrta_seq_t *seq);
/* Waits until no request of the core is left. */
void nx_async_drain(uint32_t core);
/* Works off what waits and ends the thread. */
void nx_async_end(void);
/* In the child of a fork: there is no thread, and nothing waits. */
void nx_async_abandon(void);

#endif
