/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ndebug_stream: what kernels print on the device, as a stream of events.
 *
 * Connect to a core, poll the descriptor, read one event at a time. Events from before the
 * connection are dropped.
 */
#ifndef NDEBUG_STREAM_H
#define NDEBUG_STREAM_H

#include <stdint.h>

#include "nrt/nrt_status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	NDEBUG_STREAM_EVENT_TYPE_INVALID = 0,
	NDEBUG_STREAM_EVENT_TYPE_DEBUG_TENSOR_READ = 1,
} ndebug_stream_event_type_t;

typedef struct ndebug_stream_event_header { /* 64 bytes */
	uint64_t data_size;		    /* of the payload */
	uint32_t type;			    /* ndebug_stream_event_type_t */
	char reserved[52];
} ndebug_stream_event_header_t;

typedef struct ndebug_stream_payload_debug_tensor_read { /* 1,024 bytes, then the data */
	char prefix[512];
	uint32_t logical_nc_id;
	uint32_t pipe;
	char tensor_dtype[16];
	uint64_t tensor_shape[8]; /* 0 ends it */
	uint64_t tensor_data_size;
	char reserved0[416];
	char tensor_data[];
} ndebug_stream_payload_debug_tensor_read_t;

/* A descriptor to poll. A core has one client: NRT_INVALID if there is one already. */
NRT_STATUS nrt_debug_client_connect(int logical_nc_idx, int *stream_fd);
void nrt_debug_client_connect_close(int stream_fd);
/* NRT_QUEUE_EMPTY if there is none. The caller frees the payload. */
NRT_STATUS nrt_debug_client_read_one_event(int stream_fd, ndebug_stream_event_header_t *header,
					   void **payload);

#ifdef __cplusplus
}
#endif

#endif
