/* SPDX-License-Identifier: Apache-2.0 */
/* nec_calls: answers for the collectives library; see nec.h. */
#include <nrt/nec.h>

#include "runtime/nrt/nrt_state.h"

static bool is_device(int device)
{
	return device >= 0 && (uint32_t)device < nx_state_instance()->kind->device_count;
}

NX_EXPORT void nec_inc_semaphore(volatile uint32_t *sem_inc_addr, uint32_t val)
{
	if (sem_inc_addr)
		*sem_inc_addr = val;
}

NX_EXPORT int nec_get_device_count(int *available_devices_array, uint32_t array_size)
{
	uint32_t count;

	if (nx_state_check() != NRT_SUCCESS)
		return 0;
	count = nx_state_instance()->kind->device_count;
	for (uint32_t i = 0; available_devices_array && i < count && i < array_size; i++)
		available_devices_array[i] = (int)i;
	return (int)count;
}

NX_EXPORT int nec_get_device_pci_bdf(int neuron_dev, uint32_t *domain, uint32_t *bus_num,
				     uint8_t *pci_slot, uint8_t *dev_func)
{
	(void)neuron_dev;
	(void)domain;
	(void)bus_num;
	(void)pci_slot;
	(void)dev_func;
	return -1;
}

NX_EXPORT NRT_STATUS nec_get_virtual_core_size(uint32_t *virtual_core_size)
{
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!virtual_core_size)
		return NRT_INVALID;
	*virtual_core_size = nx_state_instance()->core_size;
	return NRT_SUCCESS;
}

NX_EXPORT NRT_STATUS nec_build_port_and_rid_map(int local_nec_dev_id, int *mla_indexes,
						int *host_device_ids, int count)
{
	(void)local_nec_dev_id;
	(void)mla_indexes;
	(void)host_device_ids;
	(void)count;
	return nx_state_check();
}

NX_EXPORT bool nec_is_mla_available(int local_nec_dev_id, int mla_idx)
{
	(void)local_nec_dev_id;
	return nx_state_check() == NRT_SUCCESS && is_device(mla_idx);
}

NX_EXPORT int nec_mla_idx_to_rid(int local_nec_dev_id, int mla_idx)
{
	(void)local_nec_dev_id;
	return mla_idx;
}

NX_EXPORT int nec_rid_to_mla_idx(int local_nec_dev_id, int rid)
{
	(void)local_nec_dev_id;
	return rid;
}

NX_EXPORT int nec_get_peer_mla_idx(int local_nec_dev_id, int mla_idx, int port)
{
	(void)local_nec_dev_id;
	(void)mla_idx;
	(void)port;
	return -1;
}

NX_EXPORT int nec_get_p2p_pod_peer_node(uint32_t nec_dev_id, int node, uint32_t port_distance,
					int *peer_node)
{
	(void)nec_dev_id;
	(void)node;
	(void)port_distance;
	(void)peer_node;
	return -1;
}

NX_EXPORT NRT_STATUS nec_pod_node_can_access_peer_node(nec_pod_type_t pod_type, uint32_t local_rid,
						       uint32_t local_node_id, uint32_t remote_rid,
						       uint32_t remote_node_id,
						       int *can_access_peer)
{
	(void)pod_type;
	(void)local_rid;
	(void)local_node_id;
	(void)remote_rid;
	(void)remote_node_id;
	NX_RETURN_IF_FAILED(nx_state_check());
	if (!can_access_peer)
		return NRT_INVALID;
	*can_access_peer = 0;
	return NRT_SUCCESS;
}

NX_EXPORT void nec_ndl_printk(char *str, uint32_t size, uint32_t action)
{
	(void)str;
	(void)size;
	(void)action;
}

NX_EXPORT size_t nec_get_dynamic_send_size_bytes(enc_host_mem_t *dyn_input, size_t data_type_sz,
						 int dst_rank, int rank_n)
{
	(void)dyn_input;
	(void)data_type_sz;
	(void)dst_rank;
	(void)rank_n;
	return 0;
}

NX_EXPORT size_t nec_get_dynamic_send_offset_bytes(enc_host_mem_t *dyn_input, size_t data_type_sz,
						   int dst_rank, int rank_n)
{
	return nec_get_dynamic_send_size_bytes(dyn_input, data_type_sz, dst_rank, rank_n);
}

NX_EXPORT size_t nec_get_dynamic_recv_offset_bytes(enc_host_mem_t *dyn_input, size_t data_type_sz,
						   int src_rank, int rank_n)
{
	return nec_get_dynamic_send_size_bytes(dyn_input, data_type_sz, src_rank, rank_n);
}

NX_EXPORT void nec_set_recv_size_bytes(enc_host_mem_t *dyn_input, size_t recv_size_bytes,
				       size_t data_type_sz, int src_rank, int rank_n)
{
	(void)dyn_input;
	(void)recv_size_bytes;
	(void)data_type_sz;
	(void)src_rank;
	(void)rank_n;
}
