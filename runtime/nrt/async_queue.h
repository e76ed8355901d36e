/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async_queue: requests that our own threads execute.
 *
 * Each execution unit of a core has queues with their own sequence numbers. One thread per queue,
 * started with the first request, serves it in order: a collective that waits for other ranks does
 * not block the transfers of its core.
 */
#ifndef NX_RUNTIME_NRT_ASYNC_QUEUE_H
#define NX_RUNTIME_NRT_ASYNC_QUEUE_H

#include <nrt/nrt_async.h>

#define NX_ASYNC_QUEUES 16 /* per unit; version 2 of the interface knew as many */
#define NX_ASYNC_MAX_WAITING                                                                       \
	65536 /* requests in all queues; clients take NRT_QUEUE_FULL as fatal */

struct nx_error_tracker; /* of version 2 */

/* Where a request goes, and who learns how it ended. */
struct nx_async_target {
	const char *function; /* for the log */
	int64_t core;	      /* negative: the core of the tensor or model */
	int queue, queue_count;
	NRT_STATUS *status;		  /* may be NULL */
	struct nx_error_tracker *tracker; /* a handle; may be NULL */
};

struct nx_async_request {
	struct nx_async_request *next;
	NRT_STATUS (*run)(struct nx_async_request *request);
	void (*release)(struct nx_async_request *request); /* also frees it */
	struct nx_async_target target;
	nrta_xu_t unit;
	nrta_seq_t seq;
};

/* Takes ownership of the request and releases it if it fails. */
NRT_STATUS nx_async_put(struct nx_async_request *request, nrta_seq_t *seq);
/* The request that this thread executes, for its events; 0: none. */
nrta_seq_t nx_async_current(void);
/* Waits until the core has no requests left. */
void nx_async_drain(uint32_t core);
/* Completes all requests and ends the threads. */
void nx_async_end(void);
/* In the child after a fork: forgets threads and requests. */
void nx_async_abandon(void);

/* The calls of both versions of the interface; target->core is set. */
NRT_STATUS nx_async_write(nrt_tensor_t *tensor, const void *buf, uint64_t offset, uint64_t size,
			  const struct nx_async_target *target, nrta_seq_t *seq);
NRT_STATUS nx_async_read(void *buf, nrt_tensor_t *tensor, uint64_t offset, uint64_t size,
			 const struct nx_async_target *target, nrta_seq_t *seq);
struct nx_async_copy {
	nrt_tensor_t *src, *dst;
	uint64_t src_offset, dst_offset, size;
};
NRT_STATUS nx_async_copy(const struct nx_async_copy *copy, const struct nx_async_target *target,
			 nrta_seq_t *seq);
NRT_STATUS nx_async_execute(nrt_model_t *model, const nrt_tensor_set_t *input,
			    nrt_tensor_set_t *output, const struct nx_async_target *target,
			    nrta_seq_t *seq);
NRT_STATUS nx_async_collective(nrt_cc_context_t **cc_ctx, const struct nx_async_target *target,
			       nrta_seq_t *seq);
NRT_STATUS nx_async_last(uint32_t core, nrta_xu_t unit, int queue, nrta_seq_t *seq);
/* fd as nrta_event_register_seq_id_completion takes it. */
NRT_STATUS nx_async_watch(nrta_seq_t seq, int fd);

/* Version 2: keeps a failed request for nrta_error_tracker_get_list. */
void nx_async_report(struct nx_error_tracker *handle, nrta_seq_t seq, NRT_STATUS st);

#endif
