/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_rank.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "capture/runtime_library.h"
#include "cli/nccom/nccom_values.h"
#include "format/collective.h"
#include "format/instruction.h"
#include "format/ntff.h"

#define PIECE_BYTES ((uint64_t)1 << 20) /* of what goes in and comes out: no copy of the whole */

struct rank {
	struct nx_nccom_work *work;
	uint32_t rank;
	nrt_model_t *model;
	nrt_tensor_t *in, *out;
	nrt_tensor_set_t *inputs, *outputs;
	struct nx_error err;
};

/* --- times of the device ----------------------------------------------------------------- */

static void add_time(struct nx_nccom_shared *shared, double us)
{
	if (shared->time_count < shared->time_room)
		shared->times_us[shared->time_count++] = us;
}

static bool read_profile(const char *path, struct nx_nccom_shared *shared)
{
	struct nx_arena arena = {0};
	struct nx_collective_trace trace = {0};
	struct nx_file file = {0};
	struct nx_error err;
	struct nx_ntff ntff;
	bool is_ours = false;

	if (nx_file_map(&file, path, &err))
		return false;
	if (!nx_ntff_read(file.bytes, &arena, &ntff, &err) && ntff.info.nodes.count &&
	    ntff.info.nodes.items[0].device.graphs.count) {
		const struct nx_ntff_graph *graph =
			&ntff.info.nodes.items[0].device.graphs.items[0];

		is_ours = nx_collective_trace_get(graph->cc_ops.op_trace, &arena, &trace);
		for (size_t i = 0; i < trace.record_count; i++)
			add_time(shared,
				 (double)(trace.records[i].end_ps - trace.records[i].start_ps) /
					 1e6);
		if (is_ours && graph->cc_ops.ops.count)
			shared->algorithm = graph->cc_ops.ops.items[0].algorithm;
	}
	nx_arena_release(&arena);
	nx_file_unmap(&file);
	return is_ours;
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* --- a rank ---------------------------------------------------------------------------------- */

static enum nx_status check_call(struct rank *r, const char *call, NRT_STATUS st)
{
	if (st == NRT_SUCCESS)
		return NX_OK;
	return nx_fail(&r->err, NX_IO,
		       "rank %u: %s ended with %s; the runtime says why on standard error, more "
		       "with --debug",
		       r->rank, call, nx_runtime_status_name(&r->work->runtime->calls, st));
}

static enum nx_status make_tensors(struct rank *r)
{
	const struct nx_runtime_library *rt = &r->work->runtime->calls;
	const struct nx_nccom_case *c = r->work->c;
	size_t size = nx_dtype_bytes(c->dtype);
	size_t in = (size_t)(c->in_count ? c->in_count : 1) * size;
	size_t out = (size_t)(c->out_count ? c->out_count : 1) * size;
	int core = (int)(r->rank - r->work->options->first_rank);
	NRT_STATUS st = rt->nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core, in, "x", &r->in);

	if (st == NRT_SUCCESS)
		st = rt->nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, core, out, "y", &r->out);
	if (st == NRT_SUCCESS)
		st = rt->nrt_allocate_tensor_set(&r->inputs);
	if (st == NRT_SUCCESS)
		st = rt->nrt_allocate_tensor_set(&r->outputs);
	if (st == NRT_SUCCESS)
		st = rt->nrt_add_tensor_to_tensor_set(r->inputs, "x", r->in);
	if (st == NRT_SUCCESS)
		st = rt->nrt_add_tensor_to_tensor_set(r->outputs, "y", r->out);
	return check_call(r, "making tensors", st);
}

/* New tensors of our own runtime are zero. */
static bool has_values(const struct rank *r)
{
	return r->work->options->check != NX_NCCOM_UNCHECKED || !r->work->runtime->calls.is_own;
}

static enum nx_status fill_input(struct rank *r)
{
	const struct nx_nccom_case *c = r->work->c;
	uint64_t size = nx_dtype_bytes(c->dtype), step = PIECE_BYTES / size;
	uint8_t *bytes = nx_heap_alloc(PIECE_BYTES);
	enum nx_status st = NX_OK;

	for (uint64_t first = 0; first < c->in_count && !st; first += step) {
		uint64_t count = c->in_count - first < step ? c->in_count - first : step;

		nx_nccom_fill(c, r->work->options, r->rank, first, count, bytes);
		st = check_call(r, "nrt_tensor_write",
				r->work->runtime->calls.nrt_tensor_write(r->in, bytes,
									 (size_t)(first * size),
									 (size_t)(count * size)));
	}
	nx_heap_free(bytes);
	return st;
}

static enum nx_status check_output(struct rank *r)
{
	const struct nx_nccom_case *c = r->work->c;
	uint64_t size = nx_dtype_bytes(c->dtype), step = PIECE_BYTES / size, hash = NX_FNV_SEED;
	uint8_t *bytes = nx_heap_alloc(PIECE_BYTES);
	enum nx_status st = NX_OK;

	for (uint64_t first = 0; first < c->out_count && !st; first += step) {
		uint64_t count = c->out_count - first < step ? c->out_count - first : step;
		size_t len = (size_t)(count * size);

		st = check_call(r, "nrt_tensor_read",
				r->work->runtime->calls.nrt_tensor_read(
					r->out, bytes, (size_t)(first * size), len));
		if (!st)
			st = nx_nccom_verify(c, r->work->options, r->rank, first, count, bytes,
					     &r->err);
		if (!st)
			hash = nx_fnv1a(hash, bytes, len);
	}
	r->work->shared->told[r->rank].output_hash = hash;
	nx_heap_free(bytes);
	return st;
}

/* Only rank 0 writes a profile, for its times, unless host times are wanted. */
static enum nx_status execute_once(struct rank *r, bool is_timed)
{
	const struct nx_runtime_library *rt = &r->work->runtime->calls;
	struct nx_nccom_shared *shared = r->work->shared;
	bool is_watched = is_timed && !r->work->options->wants_wall_time;
	char path[NX_NCCOM_PATH_MAX + 32];
	double start_us;
	enum nx_status st;

	snprintf(path, sizeof(path), "%s/rank_%u.ntff", r->work->folder, r->rank);
	is_watched = is_watched && rt->nrt_profile_start && rt->nrt_profile_stop &&
		     rt->nrt_profile_start(r->model, path) == NRT_SUCCESS;
	start_us = now_us();
	st = check_call(r, "nrt_execute", rt->nrt_execute(r->model, r->inputs, r->outputs));
	start_us = now_us() - start_us;
	if (is_watched)
		is_watched =
			rt->nrt_profile_stop(path) == NRT_SUCCESS && read_profile(path, shared);
	(void)unlink(path);
	if (!is_timed || is_watched)
		return st;
	shared->is_wall_time = true;
	for (uint32_t i = 0; i < r->work->c->op_count; i++)
		add_time(shared, start_us / r->work->c->op_count);
	return st;
}

static enum nx_status execute_all(struct rank *r)
{
	const struct nx_nccom_options *o = r->work->options;
	uint32_t wanted = o->warmup_count + o->measured_count;
	uint32_t ops = r->work->c->op_count;
	uint32_t count = o->has_executions ? o->ignored_count + o->execution_count
					   : (wanted + ops - 1) / ops;
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < count && !st; i++)
		st = execute_once(r, r->rank == 0 && (!o->has_executions || i >= o->ignored_count));
	return st;
}

static void release_rank(struct rank *r)
{
	const struct nx_runtime_library *rt = &r->work->runtime->calls;

	if (r->inputs)
		rt->nrt_destroy_tensor_set(&r->inputs);
	if (r->outputs)
		rt->nrt_destroy_tensor_set(&r->outputs);
	if (r->in)
		rt->nrt_tensor_free(&r->in);
	if (r->out)
		rt->nrt_tensor_free(&r->out);
	if (r->model)
		(void)rt->nrt_unload(r->model);
}

static enum nx_status run_loaded(struct rank *r)
{
	enum nx_status st = make_tensors(r);

	if (!st && has_values(r))
		st = fill_input(r);
	if (!st)
		st = execute_all(r);
	if (!st && r->work->options->check != NX_NCCOM_UNCHECKED)
		st = check_output(r);
	return st;
}

void nx_nccom_rank_run(struct nx_nccom_work *work, uint32_t rank)
{
	struct rank r = {.work = work, .rank = rank};
	struct nx_nccom_told *told = &work->shared->told[rank];
	enum nx_status st = check_call(&r, "nrt_load_collectives",
				       work->runtime->calls.nrt_load_collectives(
					       work->neff.data, work->neff.len,
					       (int32_t)(rank - work->options->first_rank), 1, rank,
					       work->c->rank_count, &r.model));

	if (!st)
		st = run_loaded(&r);
	release_rank(&r);
	told->status = st;
	snprintf(told->message, sizeof(told->message), "%s", st ? r.err.message : "");
}
