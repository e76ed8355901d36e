/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_async_sendrecv: send tensors from one core to another.
 *
 * connect on one side and accept on the other make a pair of communicators; sends
 * and receives of a pair match in order. Only cores of this process can be reached.
 */
#ifndef NRT_ASYNC_SENDRECV_H
#define NRT_ASYNC_SENDRECV_H

#include <stdbool.h>
#include <stddef.h>

#include "nrt/nrt.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nrt_async_sendrecv_comm nrt_async_sendrecv_comm_t;
typedef struct nrt_async_sendrecv_request nrt_async_sendrecv_request_t;

NRT_STATUS nrt_async_sendrecv_get_max_num_communicators_per_lnc(int *num);
NRT_STATUS nrt_async_sendrecv_get_max_num_pending_request(int *num);

NRT_STATUS nrt_async_sendrecv_init(int lnc);
/* Drops the core's communicators and requests; NRT_FAILURE if any was still in use. */
NRT_STATUS nrt_async_sendrecv_close(int lnc);

NRT_STATUS nrt_async_sendrecv_connect(const char *peer_ip, int peer_lnc, int lnc,
				      nrt_async_sendrecv_comm_t **send_comm);
NRT_STATUS nrt_async_sendrecv_accept(const char *peer_ip, int peer_lnc, int lnc,
				     nrt_async_sendrecv_comm_t **recv_comm);
/* *done: whether the other side has connected. */
NRT_STATUS nrt_async_sendrecv_test_comm(nrt_async_sendrecv_comm_t *comm, bool *done);

NRT_STATUS nrt_async_sendrecv_send_tensor(nrt_tensor_t *tensor, size_t offset, size_t length,
					  nrt_async_sendrecv_comm_t *send_comm,
					  nrt_async_sendrecv_request_t **request);
NRT_STATUS nrt_async_sendrecv_recv_tensor(nrt_tensor_t *tensor, size_t offset, size_t length,
					  nrt_async_sendrecv_comm_t *recv_comm,
					  nrt_async_sendrecv_request_t **request);
/* The call that reports a request as done also frees it; *size is the number of bytes moved. */
NRT_STATUS nrt_async_sendrecv_test_request(nrt_async_sendrecv_request_t *request, bool *done,
					   size_t *size);
NRT_STATUS nrt_async_sendrecv_flush(int lnc);

#ifdef __cplusplus
}
#endif

#endif
