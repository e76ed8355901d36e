/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/collectives.h"

#include <nrt/nrt_experimental.h>

#include "base/arena.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/tensor.h"

struct nx_collective {
	struct nx_object object;
	uint32_t core;
	size_t pair_count;
	struct nx_tensor *tensors[]; /* inputs, then outputs; held */
};

static void destroy_collective(struct nx_object *object)
{
	struct nx_collective *collective = (struct nx_collective *)object;

	for (size_t i = 0; i < 2 * collective->pair_count; i++)
		if (collective->tensors[i])
			nx_object_drop(&collective->tensors[i]->object);
	nx_heap_free(collective);
}

static NRT_STATUS check_group(uint32_t rank, uint32_t rank_count)
{
	if (rank_count == 0 || rank >= rank_count)
		return NRT_INVALID;
	if (rank_count == 1)
		return NRT_SUCCESS;
	nx_log_error("a group of %u ranks needs a network, and this library has none; use groups "
		     "of one",
		     rank_count);
	return NRT_NETWORK_PROXY_FAILURE;
}

/* With one rank gathering, reducing and scattering all are copying. */
NRT_STATUS nx_collective_run(struct nx_collective *collective)
{
	NRT_STATUS st = NRT_SUCCESS;

	for (size_t i = 0; i < collective->pair_count && st == NRT_SUCCESS; i++) {
		struct nx_tensor *from = collective->tensors[i];

		st = nx_tensor_copy_between(
			from, 0, collective->tensors[collective->pair_count + i], 0, from->len);
	}
	return st;
}

uint32_t nx_collective_core(const struct nx_collective *collective)
{
	return collective->core;
}

static NRT_STATUS hold_tensors(const nrt_tensor_list_t *list, struct nx_tensor **out)
{
	NRT_STATUS st = NRT_SUCCESS;

	for (size_t i = 0; i < list->num_tensors && st == NRT_SUCCESS; i++)
		st = nx_tensor_acquire(list->tensors[i], &out[i]);
	return st;
}

static bool is_list(const nrt_tensor_list_t *list)
{
	return list && list->tensors && list->num_tensors > 0 && list->num_tensors < 65536;
}

NX_EXPORT NRT_STATUS nrta_cc_prepare(nrt_cc_comm_t *comm, nrt_tensor_list_t *input,
				     nrt_tensor_list_t *output, nrt_dtype_t dtype, nrt_op_type_t op,
				     nrt_cc_op_type_t cc_op, nrt_cc_context_t **cc_ctx)
{
	struct nx_collective *made;
	NRT_STATUS st = nx_state_check();

	if (st != NRT_SUCCESS)
		return st;
	if (!comm || !cc_ctx || !is_list(input) || !is_list(output) ||
	    input->num_tensors != output->num_tensors || (unsigned)cc_op > NRT_CC_REDUCESCATTER ||
	    (unsigned)dtype > 0xf || (unsigned)op > 0xf)
		return NRT_INVALID;
	*cc_ctx = NULL;
	st = nx_state_check_core(comm->vnc);
	if (st == NRT_SUCCESS)
		st = check_group(comm->rank, comm->rank_n);
	if (st != NRT_SUCCESS)
		return st;
	made = nx_heap_try_alloc(sizeof(*made) + 2 * input->num_tensors * sizeof(made->tensors[0]));
	if (!made)
		return NRT_FAIL_HOST_MEM_ALLOC;
	made->core = comm->vnc;
	made->pair_count = input->num_tensors;
	st = hold_tensors(input, made->tensors);
	if (st == NRT_SUCCESS)
		st = hold_tensors(output, made->tensors + made->pair_count);
	if (st == NRT_SUCCESS) {
		*cc_ctx = nx_handle_new(&made->object, NX_HANDLE_COLLECTIVE, destroy_collective);
		st = *cc_ctx ? NRT_SUCCESS : NRT_RESOURCE;
	}
	if (st != NRT_SUCCESS)
		destroy_collective(&made->object);
	return st;
}

NX_EXPORT NRT_STATUS nrt_build_global_comm(int32_t vnc, uint32_t g_device_id,
					   uint32_t g_device_count)
{
	NRT_STATUS st = nx_state_check_core(vnc);

	return st == NRT_SUCCESS ? check_group(g_device_id, g_device_count) : st;
}

NX_EXPORT NRT_STATUS nrt_cc_global_comm_init(uint32_t vnc, uint32_t g_device_id,
					     uint32_t g_device_count)
{
	NRT_STATUS st = nx_state_check_core(vnc);

	return st == NRT_SUCCESS ? check_group(g_device_id, g_device_count) : st;
}

NX_EXPORT NRT_STATUS nrt_barrier(int32_t vnc, uint32_t g_device_id, uint32_t g_device_count)
{
	NRT_STATUS st = nx_state_check_core(vnc);

	return st == NRT_SUCCESS ? check_group(g_device_id, g_device_count) : st;
}

NX_EXPORT NRT_STATUS nrt_all_gather(int32_t vnc, uint32_t g_device_id, uint32_t g_device_count,
				    uint32_t rank_input_size, void *input, void *output)
{
	NRT_STATUS st = nx_state_check_core(vnc);

	if (st != NRT_SUCCESS)
		return st;
	if (rank_input_size && (!input || !output))
		return NRT_INVALID;
	st = check_group(g_device_id, g_device_count);
	if (st == NRT_SUCCESS && rank_input_size)
		memmove(output, input, rank_input_size);
	return st;
}

NX_EXPORT void *nrt_get_libnccl_net(int *err, char *err_msg, size_t err_msg_size)
{
	static const char why[] = "this library has no network";

	if (err)
		*err = NRT_FAILURE;
	if (err_msg && err_msg_size) {
		size_t len =
			sizeof(why) - 1 < err_msg_size - 1 ? sizeof(why) - 1 : err_msg_size - 1;

		memcpy(err_msg, why, len);
		err_msg[len] = '\0';
	}
	return NULL;
}
