/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_async: queue work and wait for its completion (version 3 of the interface).
 *
 * A call adds a request to a queue of one of a core's execution units and returns
 * its sequence number. Requests of one queue complete in order; queues do not wait
 * for each other. Programs compiled for version 2 keep working: the library has
 * both versions of each symbol.
 */
#ifndef NRT_ASYNC_H
#define NRT_ASYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The low 48 bits are a counter; the high 16 bits identify core, unit and queue. */
typedef uint64_t nrta_seq_t;
typedef uint16_t nrta_xu_id_t;

#define NRTA_SEQ_NUM_MAX ((1ull << 48) - 1)
#define NRTA_SEQ_NUM_MASK NRTA_SEQ_NUM_MAX
#define NRTA_SEQ_GET_SEQ_NUM(seq_id) ((seq_id)&NRTA_SEQ_NUM_MASK)
#define NRTA_SEQ_GET_XU_ID(seq_id) ((seq_id) >> 48)

/* Queues per core: two for tensors, one for executions, three for collectives. */
typedef enum {
	NRTA_XU_TENSOR_OP = 0, /* reads, writes and copies */
	NRTA_XU_COMPUTE = 1,
	NRTA_XU_COLLECTIVES = 2,
	NRTA_XU_TYPE_NUM = 3,
} nrta_xu_t;

/*
 * Each call returns once the request is queued. The request's own status is written to *ret when
 * it completes, before nrta_is_completed or an event says so; ret and all buffers must stay valid
 * until then, handles may be freed earlier. ret may be NULL. lnc_idx is the core that moves the
 * data. NRT_QUEUE_FULL if too many requests are waiting.
 */
NRT_STATUS nrta_tensor_write(nrt_tensor_t *tensor, const void *buf, uint64_t offset, uint64_t size,
			     int lnc_idx, int queue, NRT_STATUS *ret, nrta_seq_t *req_sequence);
NRT_STATUS nrta_tensor_read(void *buf, nrt_tensor_t *tensor, uint64_t offset, uint64_t size,
			    int lnc_idx, int queue, NRT_STATUS *ret, nrta_seq_t *req_sequence);
NRT_STATUS nrta_tensor_copy(nrt_tensor_t *src, uint64_t src_offset, nrt_tensor_t *dst,
			    uint64_t dst_offset, uint64_t size, int lnc_idx, int queue,
			    NRT_STATUS *ret, nrta_seq_t *req_sequence);
NRT_STATUS nrta_execute_schedule(nrt_model_t *model, const nrt_tensor_set_t *input,
				 nrt_tensor_set_t *output, int queue, NRT_STATUS *ret,
				 nrta_seq_t *req_sequence);

/* Prepares a collective over pairs of input and output tensors. */
NRT_STATUS nrta_cc_prepare(nrt_cc_comm_t *comm, nrt_tensor_list_t *input, nrt_tensor_list_t *output,
			   nrt_dtype_t dtype, nrt_op_type_t op, nrt_cc_op_type_t cc_op,
			   nrt_cc_context_t **cc_ctx);
/* Consumes the context and sets *cc_ctx to NULL. */
NRT_STATUS nrta_cc_schedule(nrt_cc_context_t **cc_ctx, int queue, NRT_STATUS *ret,
			    nrta_seq_t *req_sequence);

/* NRT_INVALID if no request has this number. */
NRT_STATUS nrta_is_completed(nrta_seq_t seq, bool *is_completed);
/* The latest completed request of a queue; its counter is 0 if none has completed. */
NRT_STATUS nrta_get_sequence(uint32_t lnc, nrta_xu_t xu, int queue, nrta_seq_t *seq);

/*
 * Adds 1 to an eventfd at each completion of the queue, until another fd replaces it or a negative
 * fd removes it. One write may stand for several completions.
 */
NRT_STATUS nrta_event_register_xu_completion(int lnc, nrta_xu_t xu, int queue, int fd);
/* The same once, when this request completes; at once if it already has. */
NRT_STATUS nrta_event_register_seq_id_completion(nrta_seq_t seq, int fd);

#ifdef __cplusplus
}
#endif

#endif
