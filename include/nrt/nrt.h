/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nrt: the Neuron runtime. Load a NEFF, give it tensors, run it.
 *
 *	nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");
 *	nrt_load(bytes, size, 0, 1, &model);
 *	nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 4096, "x", &x);
 *	nrt_add_tensor_to_tensor_set(inputs, "x", x);
 *	nrt_execute(model, inputs, outputs);
 *	nrt_close();
 *
 * Names, values and layouts are those of the published interface. A vnc is a
 * logical NeuronCore, numbered from 0 within the process.
 *
 * Most calls return NRT_UNINITIALIZED before nrt_init and NRT_CLOSED after
 * nrt_close. The version, status names and core counts are always available.
 * Handles are opaque; a handle that was freed gives NRT_INVALID_HANDLE. Reasons for
 * failures are logged to standard error where the status alone does not tell.
 */
#ifndef NRT_H
#define NRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nrt/nrt_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NRT_MAJOR_VERSION 2
#define NRT_MINOR_VERSION 0

typedef struct nrt_model nrt_model_t;
typedef struct nrt_tensor nrt_tensor_t;
typedef void nrt_tensor_set_t;

typedef enum {
	NRT_TENSOR_PLACEMENT_DEVICE = 0,
	NRT_TENSOR_PLACEMENT_HOST = 1,
	NRT_TENSOR_PLACEMENT_VIRTUAL = 2, /* no storage of its own */
} nrt_tensor_placement_t;

typedef enum {
	NRT_FRAMEWORK_TYPE_INVALID = 0,
	NRT_FRAMEWORK_TYPE_NO_FW = 1,
	NRT_FRAMEWORK_TYPE_TENSORFLOW = 2,
	NRT_FRAMEWORK_TYPE_PYTORCH = 3,
	NRT_FRAMEWORK_TYPE_MXNET = 4,
	NRT_FRAMEWORK_TYPE_PRECHECK = 5,
} nrt_framework_type_t;

typedef enum nrt_op_type {
	NRT_OP_ADD = 0x0,
	NRT_OP_FMA = 0x1,
	NRT_OP_MAX = 0x2,
	NRT_OP_MIN = 0x3,
	NRT_OP_INVALID = 0xF,
} nrt_op_type_t;

typedef enum nrt_dtype {
	NRT_DTYPE_UNKNOWN = 0x0,
	NRT_DTYPE_INVALID = 0x0,
	NRT_DTYPE_FP8_E3 = 0xD,
	NRT_DTYPE_FP8_E4 = 0xE,
	NRT_DTYPE_FP8_E5 = 0xF,
	NRT_DTYPE_FLOAT16 = 0x7,
	NRT_DTYPE_BFLOAT16 = 0x6,
	NRT_DTYPE_FLOAT32 = 0xA,
	NRT_DTYPE_FP32R = 0xB,
	NRT_DTYPE_UINT8 = 0x3,
	NRT_DTYPE_UINT16 = 0x5,
	NRT_DTYPE_UINT32 = 0x9,
	NRT_DTYPE_UINT64 = 0x1,
	NRT_DTYPE_INT8 = 0x2,
	NRT_DTYPE_INT16 = 0x4,
	NRT_DTYPE_INT32 = 0x8,
	NRT_DTYPE_INT64 = 0xC,
} nrt_dtype_t;

typedef enum nrt_cc_op_type {
	NRT_CC_ALLGATHER = 0,
	NRT_CC_ALLREDUCE = 1,
	NRT_CC_REDUCESCATTER = 2,
} nrt_cc_op_type_t;

enum { /* instance families */
       NRT_INSTANCE_UNKNOWN = 0,
       NRT_INSTANCE_INF1 = 1,
       NRT_INSTANCE_TRN1 = 2,
       NRT_INSTANCE_TRN1N = 3,
       NRT_INSTANCE_INF2 = 4,
       NRT_INSTANCE_TRN2 = 5,
       NRT_INSTANCE_TRN2N = 6,
       NRT_INSTANCE_INF2E = 7,
       NRT_INSTANCE_TRN2P = 8,
       NRT_INSTANCE_TRN2U = 9,
       NRT_INSTANCE_TRN2E = 10,
       NRT_INSTANCE_TRN2EU = 11,
       NRT_INSTANCE_TRN2AC = 12,
       NRT_INSTANCE_TRN2UAC = 13,
       NRT_INSTANCE_TRN3 = 14,
       NRT_INSTANCE_TRN3PDS98 = 15,
};

enum { /* instance sizes */
       NRT_INSTANCE_SIZE_1XL = 0,
       NRT_INSTANCE_SIZE_2XL = 1,
       NRT_INSTANCE_SIZE_4XL = 2,
       NRT_INSTANCE_SIZE_6XL = 3,
       NRT_INSTANCE_SIZE_8XL = 4,
       NRT_INSTANCE_SIZE_24XL = 5,
       NRT_INSTANCE_SIZE_32XL = 6,
       NRT_INSTANCE_SIZE_48XL = 7,
       NRT_INSTANCE_SIZE_3XL = 8,
       NRT_INSTANCE_SIZE_UNKNOWN = 9,
       NRT_INSTANCE_SIZE_NUM = 9,
};

typedef struct nrt_instance_info {
	uint32_t family;
	uint32_t size;
	char arch_name[16];
	char device_revision[8];
} nrt_instance_info_t;

/* --- initialisation --------------------------------------------------------- */

/* Fills the first instance_info_len bytes of info. Works before nrt_init. */
NRT_STATUS nrt_get_instance_info(nrt_instance_info_t *info, size_t instance_info_len);

/* NRT_INVALID if the runtime is already initialised; it may be initialised again after nrt_close.
 */
NRT_STATUS nrt_init(nrt_framework_type_t framework, const char *fw_version,
		    const char *fal_version);
/* Completes queued requests and captures, and frees all models, tensors and sets. */
void nrt_close(void);

/* --- models ---------------------------------------------------------------- */

/*
 * Copies and loads a NEFF. vnc -1 chooses the core with the fewest models; vnc_count is
 * deprecated, pass -1. NRT_LOAD_NOT_ENOUGH_NC if the process does not have these cores,
 * NRT_INVALID if the NEFF is damaged, NRT_RESOURCE if device memory runs out.
 */
NRT_STATUS nrt_load(const void *neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
		    nrt_model_t **model);
/* Loads the model as rank ctx_device_id of ctx_device_count. */
NRT_STATUS nrt_load_collectives(const void *neff_bytes, size_t size, int32_t vnc, int32_t vnc_count,
				uint32_t ctx_device_id, uint32_t ctx_device_count,
				nrt_model_t **model);
/* The model is freed when executions that use it have finished. */
NRT_STATUS nrt_unload(nrt_model_t *model);

NRT_STATUS nrt_get_model_nc_count(const nrt_model_t *model, uint32_t *vnc_count);
NRT_STATUS nrt_get_model_vnc_count(const nrt_model_t *model, uint32_t *vnc_count);
/* total: cores of the instance; visible: cores that this process may use. */
NRT_STATUS nrt_get_total_nc_count(uint32_t *vnc_count);
NRT_STATUS nrt_get_total_vnc_count(uint32_t *vnc_count);
NRT_STATUS nrt_get_visible_nc_count(uint32_t *vnc_count);
NRT_STATUS nrt_get_visible_vnc_count(uint32_t *vnc_count);

/* --- tensor sets: the inputs or outputs of an execution, by name ------------- */

NRT_STATUS nrt_allocate_tensor_set(nrt_tensor_set_t **result);
/* Sets *tensor_set to NULL; does not free its tensors. */
void nrt_destroy_tensor_set(nrt_tensor_set_t **tensor_set);
/* Replaces a tensor that was added under the same name. */
NRT_STATUS nrt_add_tensor_to_tensor_set(nrt_tensor_set_t *tensor_set, const char *tensor_name,
					nrt_tensor_t *tensor);
NRT_STATUS nrt_get_tensor_from_tensor_set(nrt_tensor_set_t *tensor_set, const char *tensor_name,
					  nrt_tensor_t **tensor);

/* --- execution --------------------------------------------------------------- */

/*
 * Runs the model and returns when it has finished. NRT_EXEC_BAD_INPUT if a set lacks a tensor
 * or one is too small, NRT_TIMEOUT if the program hangs, NRT_EXEC_COMPLETED_WITH_NUM_ERR
 * after a numerical error, NRT_EXEC_OOB after an access out of bounds.
 */
NRT_STATUS nrt_execute(nrt_model_t *model, const nrt_tensor_set_t *input_set,
		       nrt_tensor_set_t *output_set);
NRT_STATUS nrt_execute_repeat(nrt_model_t *model, const nrt_tensor_set_t *input_set,
			      nrt_tensor_set_t *output_set, int repeat_count);
/* Makes the core rank g_device_id of g_device_count in its job. */
NRT_STATUS nrt_build_global_comm(int32_t vnc, uint32_t g_device_id, uint32_t g_device_count);

/* --- tensors ------------------------------------------------------------------ */

/* name may be NULL; vnc may be -1 for tensors on the host. */
NRT_STATUS nrt_tensor_allocate(nrt_tensor_placement_t tensor_placement, int vnc, size_t size,
			       const char *name, nrt_tensor_t **tensor);
/* Sets *tensor to NULL. Storage is freed with the last slice or execution that uses it. */
void nrt_tensor_free(nrt_tensor_t **tensor);

/* NRT_INVALID if the range is not inside the tensor. */
NRT_STATUS nrt_tensor_read(const nrt_tensor_t *tensor, void *buf, size_t offset, size_t size);
NRT_STATUS nrt_tensor_write(nrt_tensor_t *tensor, const void *buf, size_t offset, size_t size);

typedef uint64_t nrt_tensor_batch_offset_t;
typedef uint64_t nrt_tensor_batch_size_t;

typedef struct nrt_tensor_batch_op {
	nrt_tensor_batch_offset_t offset;
	nrt_tensor_batch_size_t size;
	void *buffer;
} nrt_tensor_batch_op_t;

typedef struct nrt_tensor_batch {
	const nrt_tensor_t *tensor;
	const nrt_tensor_batch_op_t *ops;
	uint32_t num_ops;
} nrt_tensor_batch_t;

/* Checks all operations before it copies the first byte. unsafe: do not wait for executions. */
NRT_STATUS nrt_tensor_read_batch(const nrt_tensor_batch_t *batches, uint64_t num_batches,
				 bool unsafe);
NRT_STATUS nrt_tensor_write_batch(const nrt_tensor_batch_t *batches, uint64_t num_batches,
				  bool unsafe);

/* NRT_INVALID between device tensors on different cores. */
NRT_STATUS nrt_tensor_copy(const nrt_tensor_t *src, size_t src_offset, nrt_tensor_t *dst,
			   size_t dst_offset, size_t size);
/* 0 if the handle is not valid. */
size_t nrt_tensor_get_size(const nrt_tensor_t *tensor);
/* The logical core that holds it; -1 for host memory. */
NRT_STATUS nrt_tensor_get_lnc_index(const nrt_tensor_t *tensor, int *lnc_idx);
NRT_STATUS nrt_tensor_memset(nrt_tensor_t *tensor, uint64_t offset, int value, size_t size);

/* A tensor without storage. attach_buffer gives a tensor a buffer that the caller owns. */
NRT_STATUS nrt_tensor_allocate_empty(const char *name, nrt_tensor_t **tensor);
NRT_STATUS nrt_tensor_attach_buffer(nrt_tensor_t *tensor, void *buffer, size_t size);
/* A view of part of another tensor; it keeps the storage alive. */
NRT_STATUS nrt_tensor_allocate_slice(const nrt_tensor_t *tensor_source, size_t offset, size_t size,
				     const char *name, nrt_tensor_t **tensor_slice);
/* The address of the bytes in this process; NULL if the tensor has no storage. */
void *nrt_tensor_get_va(const nrt_tensor_t *tensor);

typedef struct nrt_tensor_device_allocation_info {
	uint64_t physical_address;
	size_t size;
	int hbm_index;
} nrt_tensor_device_allocation_info_t;

/* NRT_INVALID if the tensor is not on the device. */
NRT_STATUS nrt_tensor_get_device_allocation_info(const nrt_tensor_t *tensor,
						 nrt_tensor_device_allocation_info_t *alloc_info);

/* Waits until executions have written the tensor expected_completion_count times; timeout is in
 * microseconds, negative: no limit. */
NRT_STATUS nrt_tensor_check_output_completion(const nrt_tensor_t *output_tensor, int64_t timeout,
					      uint64_t expected_completion_count);
NRT_STATUS nrt_tensor_reset_output_completion(nrt_tensor_t *output_tensor);

/* --- the machine ---------------------------------------------------------------- */

/* Always fails: there is no driver that could share memory. */
NRT_STATUS nrt_get_dmabuf_fd(uint64_t va, uint64_t size, int *fd);
/* The same for an address inside a buffer; offset is its distance from the start of the dma-buf. */
NRT_STATUS nrt_get_dmabuf_fd_v2(uint64_t va, uint64_t size, int *fd, uint64_t *offset);
NRT_STATUS nrt_host_device_id_get(int neuron_dev, uint32_t *host_device_id);
NRT_STATUS nrt_host_device_id_rid_map_get(uint32_t *count, uint32_t *host_did_to_rid_map);
/* Always fails: device memory cannot be mapped as a whole. Use nrt_tensor_get_va. */
NRT_STATUS nrt_get_hbm_mmap_va(int device_id, int hbm_idx, void **addr, size_t *size);

typedef struct nrt_vnc_memory_stats {
	size_t bytes_used;
	size_t bytes_limit;
} nrt_vnc_memory_stats_t;

/* Fills the first stats_size_in bytes of stats; *stats_size_out is how many were filled. */
NRT_STATUS nrt_get_vnc_memory_stats(uint32_t vnc, nrt_vnc_memory_stats_t *stats,
				    size_t stats_size_in, size_t *stats_size_out);
/* Always fails: no network device is attached. */
NRT_STATUS nrt_get_attached_efa_bdf(const void *va, char *efa_bdf, size_t *len);

/* --- collectives ------------------------------------------------------------------ */

typedef struct nrt_cc_comm {
	uint32_t *replica_group;
	uint32_t rank;
	uint32_t rank_n;
	uint32_t ctx_device_id;
	uint32_t ctx_device_count;
	uint32_t vnc;
} nrt_cc_comm_t;

typedef struct nrt_tensor_list {
	nrt_tensor_t **tensors;
	size_t num_tensors;
} nrt_tensor_list_t;

typedef struct nrt_cc_context nrt_cc_context_t;

NRT_STATUS nrt_cc_global_comm_init(uint32_t vnc, uint32_t g_device_id, uint32_t g_device_count);
/* Permits collectives of the host on another stream; here every stream may have them. */
NRT_STATUS nrt_cc_create_stream(uint32_t stream_id);

#ifdef __cplusplus
}
#endif

#endif
