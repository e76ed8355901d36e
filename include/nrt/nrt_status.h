/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt_status: result codes of the Neuron runtime.
 *
 * Names and values are those of the published interface, so programs written for
 * it compile and link unchanged. Values below 1000 concern the call, values from
 * 1000 on concern what ran on the device.
 */
#ifndef NRT_STATUS_H
#define NRT_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	NRT_SUCCESS = 0,
	NRT_FAILURE = 1,	/* any other failure; see the log */
	NRT_INVALID = 2,	/* wrong argument */
	NRT_INVALID_HANDLE = 3, /* not a handle, or already freed */
	NRT_RESOURCE = 4,	/* out of memory, files or another resource */
	NRT_TIMEOUT = 5,
	NRT_HW_ERROR = 6,
	NRT_QUEUE_FULL = 7,
	NRT_LOAD_NOT_ENOUGH_NC = 9,
	NRT_UNSUPPORTED_NEFF_VERSION = 10,
	NRT_FAIL_HOST_MEM_ALLOC = 11,
	NRT_UNINITIALIZED = 13, /* nrt_init was not called */
	NRT_CLOSED = 14,	/* nrt_close was called */
	NRT_QUEUE_EMPTY = 15,
	NRT_EXEC_UNIT_UNRECOVERABLE = 101,

	NRT_EXEC_BAD_INPUT = 1002,
	NRT_EXEC_COMPLETED_WITH_NUM_ERR = 1003,
	NRT_EXEC_COMPLETED_WITH_ERR = 1004,
	NRT_EXEC_NC_BUSY = 1005,
	NRT_EXEC_OOB = 1006,
	NRT_COLL_PENDING = 1100,
	NRT_EXEC_HW_ERR_COLLECTIVES = 1200,
	NRT_EXEC_HW_ERR_HBM_UE = 1201,
	NRT_EXEC_HW_ERR_NC_UE = 1202,
	NRT_EXEC_HW_ERR_DMA_ABORT = 1203,
	NRT_EXEC_SW_NQ_OVERFLOW = 1204,
	NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE = 1205,
	NRT_NETWORK_PROXY_FAILURE = 1206,
} NRT_STATUS;

/* The name of a status, such as "NRT_SUCCESS"; never NULL. */
const char *nrt_get_status_as_str(NRT_STATUS status);

#ifdef __cplusplus
}
#endif

#endif
