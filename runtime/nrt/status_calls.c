/* SPDX-License-Identifier: Apache-2.0 */
/* status_calls: names of statuses, the version, and facts about the machine. */
#include <assert.h>
#include <nrt/nrt_experimental.h>
#include <nrt/nrt_version.h>
#include <stdio.h>
#include <string.h>

#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/release.h"
#include "runtime/nrt/symbol_version.h"

/* Programs compiled against the published headers pass these structs. */
static_assert(sizeof(nrt_instance_info_t) == 32, "as published");
static_assert(sizeof(nrt_tensor_batch_op_t) == 24, "as published");
static_assert(sizeof(nrt_tensor_batch_t) == 24, "as published");
static_assert(sizeof(nrt_cc_comm_t) == 32, "as published");
static_assert(sizeof(nrt_version_t) == 4 * 8 + RT_VERSION_DETAIL_LEN + GIT_HASH_LEN,
	      "as published");

#define NAME(status)                                                                               \
	case status:                                                                               \
		return #status

NX_EXPORT const char *nrt_get_status_as_str(NRT_STATUS status)
{
	switch (status) {
		NAME(NRT_SUCCESS);
		NAME(NRT_FAILURE);
		NAME(NRT_INVALID);
		NAME(NRT_INVALID_HANDLE);
		NAME(NRT_RESOURCE);
		NAME(NRT_TIMEOUT);
		NAME(NRT_HW_ERROR);
		NAME(NRT_QUEUE_FULL);
		NAME(NRT_LOAD_NOT_ENOUGH_NC);
		NAME(NRT_UNSUPPORTED_NEFF_VERSION);
		NAME(NRT_FAIL_HOST_MEM_ALLOC);
		NAME(NRT_UNINITIALIZED);
		NAME(NRT_CLOSED);
		NAME(NRT_QUEUE_EMPTY);
		NAME(NRT_EXEC_UNIT_UNRECOVERABLE);
		NAME(NRT_EXEC_BAD_INPUT);
		NAME(NRT_EXEC_COMPLETED_WITH_NUM_ERR);
		NAME(NRT_EXEC_COMPLETED_WITH_ERR);
		NAME(NRT_EXEC_NC_BUSY);
		NAME(NRT_EXEC_OOB);
		NAME(NRT_COLL_PENDING);
		NAME(NRT_EXEC_HW_ERR_COLLECTIVES);
		NAME(NRT_EXEC_HW_ERR_HBM_UE);
		NAME(NRT_EXEC_HW_ERR_NC_UE);
		NAME(NRT_EXEC_HW_ERR_DMA_ABORT);
		NAME(NRT_EXEC_SW_NQ_OVERFLOW);
		NAME(NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE);
		NAME(NRT_NETWORK_PROXY_FAILURE);
	}
	return "NRT_STATUS_UNKNOWN";
}

NX_EXPORT NRT_STATUS nrt_get_version(nrt_version_t *ver, size_t size)
{
	nrt_version_t full = {
		NX_RELEASE_MAJOR, NX_RELEASE_MINOR, NX_RELEASE_PATCH, 0, NX_RELEASE_DETAIL, ""};

	if (!ver || !size)
		return NRT_INVALID;
	memcpy(ver, &full, size < sizeof(full) ? size : sizeof(full));
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_get_instance_info(nrt_instance_info_t *info, size_t instance_info_len)
{
	struct nx_instance now;
	nrt_instance_info_t full = {0};

	if (!info || !instance_info_len)
		return NRT_INVALID;
	nx_instance_read(&now);
	full.family = now.kind->family;
	full.size = now.kind->size;
	snprintf(full.arch_name, sizeof(full.arch_name), "%s", nx_chip_of(now.kind->arch)->name);
	snprintf(full.device_revision, sizeof(full.device_revision), "v%u",
		 nx_device_generation(now.kind->arch) + 1u);
	memcpy(info, &full, instance_info_len < sizeof(full) ? instance_info_len : sizeof(full));
	return NRT_SUCCESS;
}

static uint32_t device_count(void)
{
	return nx_state_instance()->kind->device_count;
}

static bool is_device(int number)
{
	return number >= 0 && (uint32_t)number < device_count();
}

NX_EXPORT NRT_STATUS nrt_host_device_id_get(int neuron_dev, uint32_t *host_device_id)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!is_device(neuron_dev) || !host_device_id)
		return NRT_INVALID;
	*host_device_id = (uint32_t)neuron_dev;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_host_device_id_rid_map_get(uint32_t *count, uint32_t *host_did_to_rid_map)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!count || !host_did_to_rid_map || *count < device_count())
		return NRT_INVALID;
	*count = device_count();
	for (uint32_t i = 0; i < *count; i++)
		host_did_to_rid_map[i] = i;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_get_hbm_mmap_va(int device_id, int hbm_idx, void **addr, size_t *size)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!is_device(device_id) || hbm_idx < 0 || !addr || !size)
		return NRT_INVALID;
	if ((uint32_t)hbm_idx >= nx_state_instance()->kind->device_hbms)
		return NRT_INVALID_HANDLE;
	nx_log_error(__func__, "device memory cannot be mapped as a whole; use nrt_tensor_get_va");
	return NRT_INVALID;
}

NX_EXPORT NRT_STATUS nrt_get_dmabuf_fd(uint64_t va, uint64_t size, int *fd)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!va || !size || !fd)
		return NRT_INVALID;
	*fd = -1;
	nx_log_error(__func__, "there is no driver to share device memory");
	return NRT_FAILURE;
}

NX_NRT_EITHER(nx_get_dmabuf_fd_v2, nrt_get_dmabuf_fd_v2);
NRT_STATUS nx_get_dmabuf_fd_v2(uint64_t va, uint64_t size, int *fd, uint64_t *offset)
{
	if (!offset)
		return NRT_INVALID;
	*offset = 0;
	return nrt_get_dmabuf_fd(va, size, fd);
}

NX_EXPORT NRT_STATUS nrt_get_attached_efa_bdf(const void *va, char *efa_bdf, size_t *len)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!va || !efa_bdf || !len)
		return NRT_INVALID;
	nx_log_error(__func__, "no network device is attached");
	return NRT_FAILURE;
}

NX_EXPORT NRT_STATUS nrt_get_vnc_memory_stats(uint32_t vnc, nrt_vnc_memory_stats_t *stats,
					      size_t stats_size_in, size_t *stats_size_out)
{
	nrt_vnc_memory_stats_t full;

	NX_RETURN_IF_FAILED(nx_state_check_core(vnc));
	if (!stats || !stats_size_in || !stats_size_out)
		return NRT_INVALID;
	full.bytes_used = nx_memory_used_bytes(vnc);
	full.bytes_limit = nx_instance_memory_bytes(nx_state_instance());
	*stats_size_out = sizeof(full) < stats_size_in ? sizeof(full) : stats_size_in;
	memcpy(stats, &full, *stats_size_out);
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_set_pool_eng_ucode(const nrt_ucode_info *ucode_info)
{
	/* Only allowed before nrt_init. */
	if (nx_state_check() == NRT_SUCCESS)
		return NRT_INVALID;
	if (!ucode_info || !ucode_info->iram.bin || !ucode_info->iram.size ||
	    !ucode_info->dram.bin || !ucode_info->dram.size)
		return NRT_INVALID;
	nx_log_warn(__func__, "ignored: the simulated GpSimd does not run microcode");
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nrt_memcpy_to_device(void *dest, const void *src, size_t size)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	if (size && (!dest || !src))
		return NRT_INVALID;
	if (size)
		memmove(dest, src, size); /* addresses of tensors are addresses of this process */
	return NRT_SUCCESS;
}
