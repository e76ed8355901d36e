/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/collectives.h"

#include <assert.h>
#include <nrt/nrt_experimental.h>

#include <pthread.h>
#include <stdio.h>

#include "base/arena.h"
#include "format/instruction.h"
#include "runtime/device/alu.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/ranks/rank_collective.h"
#include "runtime/nrt/symbol_version.h"
#include "runtime/nrt/tensor.h"
#include "runtime/timing/collective_cost.h"
#include "runtime/trace/trace_filter.h"

/* Keep the messages of each kind of call apart; models use their own keys. */
enum { BARRIER_KEY = 1, GATHER_KEY, PREPARED_KEY };

struct nx_collective {
	struct nx_object object;
	uint32_t core;
	uint32_t rank, count; /* of the job */
	struct nx_rank_world *world;
	struct nx_rank_group group;
	struct nx_rank_collective call; /* without its memory */
	uint32_t *members;
	size_t pair_count;
	struct nx_nrt_tensor *tensors[]; /* inputs, then outputs; held */
};
static_assert(offsetof(struct nx_collective, object) == 0, "nx_object_drop takes a collective");

static void destroy_collective(struct nx_object *object)
{
	struct nx_collective *collective = (struct nx_collective *)object;

	for (size_t i = 0; i < 2 * collective->pair_count; i++)
		nx_object_drop(collective->tensors[i]);
	nx_rank_world_leave(collective->world, collective->rank);
	nx_heap_free(collective->members);
	nx_heap_free(collective);
}

/* --- ranks of cores ---------------------------------------------------------------- */

/* A core joins once and stays until nrt_close, so that its world outlives each barrier. */
static struct {
	pthread_mutex_t lock;
	struct {
		struct nx_rank_world *world;
		uint32_t rank;
	} cores[NX_TRACE_MAX_CORES];
} global = {.lock = PTHREAD_MUTEX_INITIALIZER};

void nx_collectives_end(void)
{
	pthread_mutex_lock(&global.lock);
	for (uint32_t core = 0; core < NX_TRACE_MAX_CORES; core++)
		nx_rank_world_leave(global.cores[core].world, global.cores[core].rank);
	memset(global.cores, 0, sizeof(global.cores));
	pthread_mutex_unlock(&global.lock);
}

void nx_collectives_abandon(void)
{
	pthread_mutex_init(&global.lock, NULL);
	memset(global.cores, 0, sizeof(global.cores));
}

/* Under the lock. */
static enum nx_status join(uint32_t core, uint32_t rank, uint32_t count,
			   struct nx_rank_world **world, struct nx_error *err)
{
	struct nx_rank_world *joined = global.cores[core].world;
	enum nx_status st;

	assert(core < NX_TRACE_MAX_CORES);
	*world = joined;
	if (joined && global.cores[core].rank == rank && nx_rank_world_count(joined) == count)
		return NX_OK;
	st = nx_rank_world_join(rank, count, world, err);
	if (st)
		return st;
	nx_rank_world_leave(joined, global.cores[core].rank);
	global.cores[core].world = *world;
	global.cores[core].rank = rank;
	return NX_OK;
}

static NRT_STATUS join_global(int64_t core, uint32_t rank, uint32_t count,
			      struct nx_rank_world **world)
{
	struct nx_error err = {0};
	enum nx_status joined;

	NX_RETURN_IF_FAILED(nx_state_check_core(core));
	pthread_mutex_lock(&global.lock);
	joined = join((uint32_t)core, rank, count, world, &err);
	pthread_mutex_unlock(&global.lock);
	return joined ? nx_state_fail("nrt_build_global_comm", &err) : NRT_SUCCESS;
}

/* As nx_state_fail, but a rank that does not come is a timeout and a lost one a network error. */
static NRT_STATUS status_of(const char *function, enum nx_status st, const struct nx_error *err)
{
	NRT_STATUS plain;

	if (!st)
		return NRT_SUCCESS;
	plain = nx_state_fail(function, err);
	if (st == NX_CANCELLED)
		plain = NRT_TIMEOUT;
	else if (st == NX_IO)
		plain = NRT_NETWORK_PROXY_FAILURE;
	nx_state_note_failure(plain);
	return plain;
}

/* --- scheduled collectives ---------------------------------------------------------------------
 */

static enum nx_status run_pair(const struct nx_collective *collective, size_t pair,
			       struct nx_error *err)
{
	const struct nx_nrt_tensor *from = collective->tensors[pair];
	struct nx_nrt_tensor *to = collective->tensors[collective->pair_count + pair];
	struct nx_rank_collective call = collective->call;
	struct nx_collective_shape shape = {call.kind, collective->group.count, 1, 0};
	uint8_t *in, *out;

	if (nx_tensor_part(from, 0, from->len, &in) || nx_tensor_part(to, 0, to->len, &out))
		return nx_fail(err, NX_USAGE, "a tensor of the collective has no storage");
	shape.bytes = from->len > to->len ? from->len : to->len;
	call.element_count = from->len / nx_dtype_bytes(call.dtype);
	call.input = nx_slice_of(in, from->len);
	call.output = out;
	call.output_len = to->len;
	call.algorithm = nx_collective_plan_make(&shape).algorithm;
	return nx_rank_collective_run(&collective->group, &call, err);
}

NRT_STATUS nx_collective_run(struct nx_collective *collective)
{
	struct nx_error err = {0};
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < collective->pair_count && !st; i++) {
		st = run_pair(collective, i, &err);
		if (!st)
			nx_tensor_complete(collective->tensors[collective->pair_count + i]);
	}
	return status_of("nrta_cc_schedule", st, &err);
}

uint32_t nx_collective_core(const struct nx_collective *collective)
{
	return collective->core;
}

static NRT_STATUS hold_tensors(const nrt_tensor_list_t *list, struct nx_nrt_tensor **out)
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

static bool set_call(struct nx_rank_collective *call, nrt_dtype_t dtype, nrt_op_type_t op,
		     nrt_cc_op_type_t cc_op)
{
	static const int64_t kinds[] = {
		[NRT_CC_ALLGATHER] = NX_COLLECTIVE_ALL_GATHER,
		[NRT_CC_ALLREDUCE] = NX_COLLECTIVE_ALL_REDUCE,
		[NRT_CC_REDUCESCATTER] = NX_COLLECTIVE_REDUCE_SCATTER,
	};

	if ((unsigned)cc_op > NRT_CC_REDUCESCATTER || !nx_dtype_bytes(dtype))
		return false;
	call->kind = kinds[cc_op];
	call->dtype = dtype;
	call->op = op == NRT_OP_ADD   ? NX_ALU_OP_ADD
		   : op == NRT_OP_MAX ? NX_ALU_OP_MAX
		   : op == NRT_OP_MIN ? NX_ALU_OP_MIN
				      : NX_ALU_OP_BYPASS;
	return cc_op == NRT_CC_ALLGATHER || call->op != NX_ALU_OP_BYPASS;
}

/* Without a list, the group is the first ranks of the job, or this rank if it has one member. */
static enum nx_status join_group(struct nx_collective *made, const nrt_cc_comm_t *comm,
				 struct nx_error *err)
{
	uint32_t count = comm->rank_n;
	enum nx_status st;

	made->rank = comm->ctx_device_count ? comm->ctx_device_id : comm->rank;
	made->count = comm->ctx_device_count ? comm->ctx_device_count : count;
	if (count == 0 || comm->rank >= count || count > made->count)
		return nx_fail(err, NX_USAGE,
			       "rank %u is not valid in a group of %u, in a job of %u ranks",
			       comm->rank, count, made->count);
	made->members = nx_heap_try_alloc(count * sizeof(*made->members));
	if (!made->members)
		return nx_fail(err, NX_LIMIT, "out of memory for a group of %u ranks", count);
	for (uint32_t i = 0; i < count; i++)
		made->members[i] = comm->replica_group ? comm->replica_group[i] : i;
	if (count == 1)
		made->members[0] = made->rank;
	st = nx_rank_world_join(made->rank, made->count, &made->world, err);
	return st ? st
		  : nx_rank_group_init(&made->group, made->world, made->rank, made->members, count,
				       PREPARED_KEY, err);
}

static NRT_STATUS fill_collective(struct nx_collective *made, const nrt_cc_comm_t *comm,
				  const nrt_tensor_list_t *input, const nrt_tensor_list_t *output)
{
	struct nx_error err = {0};
	NRT_STATUS st = hold_tensors(input, made->tensors);

	if (st == NRT_SUCCESS)
		st = hold_tensors(output, made->tensors + made->pair_count);
	if (st == NRT_SUCCESS && join_group(made, comm, &err))
		st = nx_state_fail("nrta_cc_prepare", &err);
	return st;
}

NX_NRT_3(nx_nrta_cc_prepare, nrta_cc_prepare);
NX_NRT_2(nx_nrta_cc_prepare, nrta_cc_prepare, nrta_cc_prepare);
NRT_STATUS nx_nrta_cc_prepare(nrt_cc_comm_t *comm, nrt_tensor_list_t *input,
			      nrt_tensor_list_t *output, nrt_dtype_t dtype, nrt_op_type_t op,
			      nrt_cc_op_type_t cc_op, nrt_cc_context_t **cc_ctx)
{
	struct nx_rank_collective call = {0};
	struct nx_collective *made;
	NRT_STATUS st;

	NX_RETURN_IF_FAILED(nx_state_check());
	if (!comm || !cc_ctx || !is_list(input) || !is_list(output) ||
	    input->num_tensors != output->num_tensors || !set_call(&call, dtype, op, cc_op))
		return NRT_INVALID;
	*cc_ctx = NULL;
	NX_RETURN_IF_FAILED(nx_state_check_core(comm->vnc));
	made = nx_heap_try_alloc(sizeof(*made) + 2 * input->num_tensors * sizeof(made->tensors[0]));
	if (!made)
		return NRT_FAIL_HOST_MEM_ALLOC;
	made->core = comm->vnc;
	made->call = call;
	made->pair_count = input->num_tensors;
	st = fill_collective(made, comm, input, output);
	if (st == NRT_SUCCESS) {
		*cc_ctx = nx_handle_new(&made->object, NX_HANDLE_COLLECTIVE, destroy_collective);
		st = *cc_ctx ? NRT_SUCCESS : NRT_RESOURCE;
	}
	if (st != NRT_SUCCESS)
		destroy_collective(&made->object);
	return st;
}

/* --- calls of all ranks ------------------------------------------------------------------- */

NX_EXPORT NRT_STATUS nrt_build_global_comm(int32_t vnc, uint32_t g_device_id,
					   uint32_t g_device_count)
{
	struct nx_rank_world *world;

	return join_global(vnc, g_device_id, g_device_count, &world);
}

NX_EXPORT NRT_STATUS nrt_cc_create_stream(uint32_t stream_id)
{
	(void)stream_id;
	return nx_state_check();
}

NX_EXPORT NRT_STATUS nrt_cc_global_comm_init(uint32_t vnc, uint32_t g_device_id,
					     uint32_t g_device_count)
{
	return nrt_build_global_comm((int32_t)vnc, g_device_id, g_device_count);
}

NX_EXPORT NRT_STATUS nrt_barrier(int32_t vnc, uint32_t g_device_id, uint32_t g_device_count)
{
	struct nx_rank_world *world;
	struct nx_rank_group group;
	struct nx_error err = {0};
	uint64_t none = 0;
	enum nx_status met;

	NX_RETURN_IF_FAILED(join_global(vnc, g_device_id, g_device_count, &world));
	met = nx_rank_group_init(&group, world, g_device_id, NULL, g_device_count, BARRIER_KEY,
				 &err);
	group.core = (uint32_t)vnc;
	group.is_traced = true;
	if (!met)
		met = nx_rank_group_meet(&group, 0, &none, &err);
	return status_of(__func__, met, &err);
}

NX_EXPORT NRT_STATUS nrt_all_gather(int32_t vnc, uint32_t g_device_id, uint32_t g_device_count,
				    uint32_t rank_input_size, void *input, void *output)
{
	struct nx_rank_collective call = {
		.kind = NX_COLLECTIVE_ALL_GATHER,
		.dtype = NRT_DTYPE_UINT8,
		.element_count = rank_input_size,
		.input = nx_slice_of(input, rank_input_size),
		.output = output,
		.output_len = (size_t)rank_input_size * g_device_count,
		.algorithm = NX_ALGORITHM_RING,
	};
	struct nx_rank_world *world;
	struct nx_rank_group group;
	struct nx_error err = {0};
	enum nx_status run;

	NX_RETURN_IF_FAILED(nx_state_check_core(vnc));
	if (rank_input_size && (!input || !output))
		return NRT_INVALID;
	NX_RETURN_IF_FAILED(join_global(vnc, g_device_id, g_device_count, &world));
	run = nx_rank_group_init(&group, world, g_device_id, NULL, g_device_count, GATHER_KEY,
				 &err);
	if (!run)
		run = nx_rank_collective_run(&group, &call, &err);
	return status_of(__func__, run, &err);
}

NX_EXPORT void *nrt_get_libnccl_net(int *err, char *err_msg, size_t err_msg_size)
{
	if (err)
		*err = NRT_FAILURE;
	if (err_msg && err_msg_size)
		snprintf(err_msg, err_msg_size, "this library has no network plugin");
	return NULL;
}
