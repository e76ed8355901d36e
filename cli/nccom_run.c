/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom_run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "cli/nccom_runtime.h"
#include "cli/nccom_values.h"
#include "format/collective.h"
#include "format/instruction.h"
#include "format/ntff.h"

/* What ranks tell, in memory that processes share. */
struct told {
	enum nx_status status;
	char message[sizeof(((struct nx_error *)0)->message)];
	uint64_t output_hash;
};

struct shared {
	size_t bytes; /* of all this */
	size_t time_count, time_room;
	int64_t algorithm; /* -1: not told */
	bool is_wall_time;
	struct told *told;
	double *times_us;
};

struct run {
	struct nx_nccom_runtime *runtime;
	const struct nx_nccom_case *c;
	const struct nx_nccom_options *options;
	struct shared *shared;
	struct nx_slice neff;
	char folder[64];
};

struct rank {
	struct run *run;
	uint32_t rank;
	nrt_model_t *model;
	nrt_tensor_t *in, *out;
	nrt_tensor_set_t *inputs, *outputs;
	pthread_t thread;
	struct nx_error err;
};

/* --- times of the device ----------------------------------------------------------------- */

static void add_time(struct shared *shared, double us)
{
	if (shared->time_count < shared->time_room)
		shared->times_us[shared->time_count++] = us;
}

static bool read_profile(const char *path, struct shared *shared)
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
	return nx_fail(&r->err, NX_IO, "rank %u: %s ended with %s", r->rank, call,
		       r->run->runtime->nrt_get_status_as_str(st));
}

static enum nx_status make_tensors(struct rank *r)
{
	struct nx_nccom_runtime *rt = r->run->runtime;
	const struct nx_nccom_case *c = r->run->c;
	size_t size = nx_dtype_bytes(c->dtype);
	size_t in = (size_t)(c->in_count ? c->in_count : 1) * size;
	size_t out = (size_t)(c->out_count ? c->out_count : 1) * size;
	int core = (int)(r->rank - r->run->options->first_rank);
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

static enum nx_status fill_input(struct rank *r)
{
	const struct nx_nccom_case *c = r->run->c;
	size_t len = (size_t)c->in_count * nx_dtype_bytes(c->dtype);
	uint8_t *bytes = nx_heap_alloc(len + 1);
	enum nx_status st;

	nx_nccom_fill(c, r->run->options, r->rank, bytes);
	st = check_call(r, "nrt_tensor_write",
			r->run->runtime->nrt_tensor_write(r->in, bytes, 0, len));
	nx_heap_free(bytes);
	return st;
}

static enum nx_status check_output(struct rank *r)
{
	const struct nx_nccom_case *c = r->run->c;
	size_t len = (size_t)c->out_count * nx_dtype_bytes(c->dtype);
	uint8_t *bytes = nx_heap_alloc(len + 1);
	enum nx_status st = check_call(r, "nrt_tensor_read",
				       r->run->runtime->nrt_tensor_read(r->out, bytes, 0, len));

	if (!st)
		st = nx_nccom_verify(c, r->run->options, r->rank, bytes, &r->err);
	r->run->shared->told[r->rank].output_hash = nx_fnv1a(NX_FNV_SEED, bytes, len);
	nx_heap_free(bytes);
	return st;
}

/* Of rank 0 with its times, unless they are not wanted. */
static enum nx_status execute_once(struct rank *r, bool is_timed)
{
	struct nx_nccom_runtime *rt = r->run->runtime;
	struct shared *shared = r->run->shared;
	bool is_watched = is_timed && !r->run->options->wants_wall_time;
	char path[128];
	double start_us;
	enum nx_status st;

	snprintf(path, sizeof(path), "%s/rank_%u.ntff", r->run->folder, r->rank);
	is_watched = is_watched && rt->nrt_profile_start(r->model, path) == NRT_SUCCESS;
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
	for (uint32_t i = 0; i < r->run->c->op_count; i++)
		add_time(shared, start_us / r->run->c->op_count);
	return st;
}

static enum nx_status execute_all(struct rank *r)
{
	const struct nx_nccom_options *o = r->run->options;
	uint32_t wanted = o->warmup_count + o->measured_count;
	uint32_t ops = r->run->c->op_count;
	uint32_t count = o->has_executions ? o->ignored_count + o->execution_count
					   : (wanted + ops - 1) / ops;
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < count && !st; i++)
		st = execute_once(r, r->rank == 0 && (!o->has_executions || i >= o->ignored_count));
	return st;
}

static void release_rank(struct rank *r)
{
	struct nx_nccom_runtime *rt = r->run->runtime;

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

static void run_rank(struct rank *r)
{
	const struct nx_nccom_case *c = r->run->c;
	struct told *told = &r->run->shared->told[r->rank];
	enum nx_status st = check_call(r, "nrt_load_collectives",
				       r->run->runtime->nrt_load_collectives(
					       r->run->neff.data, r->run->neff.len,
					       (int32_t)(r->rank - r->run->options->first_rank), 1,
					       r->rank, c->rank_count, &r->model));

	if (!st)
		st = make_tensors(r);
	if (!st)
		st = fill_input(r);
	if (!st)
		st = execute_all(r);
	if (!st && r->run->options->check != NX_NCCOM_UNCHECKED)
		st = check_output(r);
	release_rank(r);
	told->status = st;
	snprintf(told->message, sizeof(told->message), "%s", st ? r->err.message : "");
}

/* --- all ranks
 * ------------------------------------------------------------------------------------ */

static void *run_thread(void *rank)
{
	run_rank(rank);
	return NULL;
}

static enum nx_status run_threads(struct run *run, struct nx_error *err)
{
	uint32_t first = run->options->first_rank, count = run->options->local_rank_count;
	struct rank *ranks = nx_heap_alloc(count * sizeof(*ranks));
	enum nx_status st = NX_OK;
	uint32_t started;

	memset(ranks, 0, count * sizeof(*ranks));
	for (started = 0; started < count && !st; started++) {
		ranks[started].run = run;
		ranks[started].rank = first + started;
		if (pthread_create(&ranks[started].thread, NULL, run_thread, &ranks[started]))
			st = nx_fail_errno(err, errno, "no thread for rank %u", first + started);
	}
	for (uint32_t i = 0; i < started - (st != NX_OK); i++)
		pthread_join(ranks[i].thread, NULL);
	nx_heap_free(ranks);
	return st;
}

/* A process has the core of its rank, and a runtime of its own. */
static int run_child(struct run *run, uint32_t rank)
{
	struct rank r = {.run = run, .rank = rank};
	struct told *told = &run->shared->told[rank];
	uint32_t core_count = 0;

	if (nx_nccom_runtime_start(run->runtime, &core_count, &r.err)) {
		told->status = NX_IO;
		snprintf(told->message, sizeof(told->message), "%s", r.err.message);
		return 1;
	}
	run_rank(&r);
	run->runtime->nrt_close();
	return told->status != NX_OK;
}

static enum nx_status run_processes(struct run *run, struct nx_error *err)
{
	uint32_t first = run->options->first_rank, count = run->options->local_rank_count;
	pid_t *children = nx_heap_alloc(count * sizeof(*children));
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < count; i++) {
		run->shared->told[first + i].status = NX_IO;
		snprintf(run->shared->told[first + i].message, 64, "rank %u died", first + i);
		children[i] = fork();
		if (children[i] == 0)
			_exit(run_child(run, first + i));
		if (children[i] < 0)
			st = nx_fail_errno(err, errno, "no process for rank %u", first + i);
	}
	for (uint32_t i = 0; i < count; i++)
		while (children[i] > 0 && waitpid(children[i], NULL, 0) < 0 && errno == EINTR)
			;
	nx_heap_free(children);
	return st;
}

/* --- results
 * ------------------------------------------------------------------------------------------ */

static struct shared *make_shared(const struct nx_nccom_case *c,
				  const struct nx_nccom_options *options)
{
	size_t runs = options->has_executions ? options->execution_count : 1;
	size_t times =
		(options->warmup_count + (size_t)options->measured_count + c->op_count) * runs;
	size_t bytes = sizeof(struct shared) + c->rank_count * sizeof(struct told) +
		       times * sizeof(double);
	struct shared *shared =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return NULL;
	shared->bytes = bytes;
	shared->algorithm = -1;
	shared->time_room = times;
	shared->times_us = (double *)(shared + 1);
	shared->told = (struct told *)(shared->times_us + times);
	return shared;
}

/* Reductions and gatherings end with the same bits on every rank of a group. */
static bool must_be_equal(const struct nx_nccom_case *c)
{
	return (c->op->kind == NX_COLLECTIVE_ALL_REDUCE ||
		c->op->kind == NX_COLLECTIVE_ALL_GATHER) &&
	       c->group_size == c->rank_count;
}

static enum nx_status judge(const struct run *run, struct nx_error *err)
{
	const struct nx_nccom_options *o = run->options;
	const struct told *told = run->shared->told + o->first_rank;

	/* Those who only waited for the one at fault say less. */
	for (uint32_t i = 0; i < o->local_rank_count; i++)
		if (told[i].status && told[i].status != NX_IO)
			return nx_fail(err, told[i].status, "%s", told[i].message);
	for (uint32_t i = 0; i < o->local_rank_count; i++)
		if (told[i].status)
			return nx_fail(err, told[i].status, "%s", told[i].message);
	for (uint32_t i = 1; i < o->local_rank_count && o->check && must_be_equal(run->c); i++)
		if (told[i].output_hash != told[0].output_hash)
			return nx_fail(err, NX_MISMATCH, "ranks %u and %u ended with other bits",
				       o->first_rank, o->first_rank + i);
	return NX_OK;
}

/* Warm-up operations are left out: those of the first n + w, or of each execution. */
static void take_times(const struct run *run, struct nx_nccom_result *out)
{
	const struct shared *shared = run->shared;
	const struct nx_nccom_options *o = run->options;
	size_t ops = run->c->op_count, total = o->warmup_count + (size_t)o->measured_count;

	out->times_us = nx_heap_alloc((shared->time_count + 1) * sizeof(double));
	for (size_t i = 0; i < shared->time_count; i++) {
		size_t place = o->has_executions ? i % ops : i;

		if (place >= o->warmup_count && place < total)
			out->times_us[out->time_count++] = shared->times_us[i];
	}
	out->is_wall_time = shared->is_wall_time;
	out->algorithm = nx_collective_algorithm_name(shared->algorithm);
	if (!out->algorithm)
		out->algorithm = "";
}

enum nx_status nx_nccom_run(struct nx_nccom_runtime *runtime, const struct nx_nccom_case *c,
			    const struct nx_nccom_options *options, struct nx_nccom_result *out,
			    struct nx_error *err)
{
	struct nx_bytes neff = {0};
	struct run run = {.runtime = runtime, .c = c, .options = options};
	enum nx_status st = nx_nccom_case_assemble(c, &neff, err);

	memset(out, 0, sizeof(*out));
	if (st)
		return st;
	run.neff = nx_slice_of(neff.items, neff.len);
	run.shared = make_shared(c, options);
	snprintf(run.folder, sizeof(run.folder), "/tmp/nccom-test.XXXXXX");
	if (!run.shared || !mkdtemp(run.folder)) {
		st = nx_fail_errno(err, errno, "nccom-test has no room for its results");
	} else {
		st = options->has_processes ? run_processes(&run, err) : run_threads(&run, err);
		if (!st)
			st = judge(&run, err);
		if (!st)
			take_times(&run, out);
		(void)rmdir(run.folder);
	}
	if (run.shared)
		munmap(run.shared, run.shared->bytes);
	nx_vec_release(&neff);
	return st;
}

void nx_nccom_result_release(struct nx_nccom_result *result)
{
	nx_heap_free(result->times_us);
	result->times_us = NULL;
}
