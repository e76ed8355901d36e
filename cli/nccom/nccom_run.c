/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_run.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/thread.h"
#include "format/collective.h"
#include "format/instruction.h"
#include "format/ntff.h"

#define PIECE_BYTES ((uint64_t)1 << 20) /* of tensors that are written and read in pieces */

struct told { /* the outcome of a rank */
	enum nx_status status;
	char message[sizeof(((struct nx_error *)0)->message)];
	uint64_t output_hash; /* of a checked output */
};

struct shared {	      /* memory that processes share; each rank writes to its own slot */
	size_t bytes; /* of all this */
	size_t time_count, time_room;
	int64_t algorithm; /* -1: unknown */
	bool is_wall_time;
	struct told *told; /* of each rank */
	double *times_us;  /* of rank 0 */
};

/* Only shared changes while the ranks run. */
struct work {
	struct nx_nccom_runtime *runtime;
	const struct nx_nccom_case *c;
	const struct nx_nccom_options *options;
	struct shared *shared;
	struct nx_slice neff;
	char folder[NX_NCCOM_PATH_MAX]; /* for profiles of rank 0 */
};

struct rank {
	struct work *work;
	uint32_t rank;
	nrt_model_t *model;
	nrt_tensor_t *in, *out;
	nrt_tensor_set_t *inputs, *outputs;
	struct nx_error err;
};

/* --- the runtime --------------------------------------------------------------------------- */

enum nx_status nx_nccom_runtime_open(struct nx_nccom_runtime *runtime, const char *path,
				     struct nx_error *err)
{
	static const char *const names[] = {"nrt_load_collectives", NULL};
	enum nx_status st;

	memset(runtime, 0, sizeof(*runtime));
	st = nx_runtime_library_open(&runtime->calls, path, err);
	return st ? st : nx_runtime_library_need(&runtime->calls, "nccom-test", names, err);
}

enum nx_status nx_nccom_runtime_start(struct nx_nccom_runtime *runtime, uint32_t *core_count,
				      struct nx_error *err)
{
	NRT_STATUS st = runtime->calls.nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", "");

	if (st == NRT_SUCCESS) {
		runtime->is_started = true;
		st = runtime->calls.nrt_get_visible_nc_count(core_count);
	}
	if (st == NRT_SUCCESS)
		return NX_OK;
	return nx_fail(err, NX_IO, "%.600s: nrt_init ended with %s", runtime->calls.path,
		       nx_runtime_status_name(&runtime->calls, st));
}

void nx_nccom_runtime_close(struct nx_nccom_runtime *runtime)
{
	if (runtime->is_started)
		runtime->calls.nrt_close();
	runtime->is_started = false;
}

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
	struct shared *shared = r->work->shared;
	bool is_watched = is_timed && !r->work->options->wants_wall_time;
	char path[NX_NCCOM_PATH_MAX + 32];
	uint64_t start_ns, duration_ns;
	enum nx_status st;

	snprintf(path, sizeof(path), "%s/rank_%u.ntff", r->work->folder, r->rank);
	is_watched = is_watched && rt->nrt_profile_start && rt->nrt_profile_stop &&
		     rt->nrt_profile_start(r->model, path) == NRT_SUCCESS;
	start_ns = nx_now_ns();
	st = check_call(r, "nrt_execute", rt->nrt_execute(r->model, r->inputs, r->outputs));
	duration_ns = nx_now_ns() - start_ns;
	if (is_watched)
		is_watched =
			rt->nrt_profile_stop(path) == NRT_SUCCESS && read_profile(path, shared);
	(void)unlink(path);
	if (!is_timed || is_watched)
		return st;
	shared->is_wall_time = true;
	for (uint32_t i = 0; i < r->work->c->op_count; i++)
		add_time(shared, (double)duration_ns / 1e3 / r->work->c->op_count);
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

static void run_rank(struct work *work, uint32_t rank)
{
	struct rank r = {.work = work, .rank = rank};
	bool is_checked = work->options->check != NX_NCCOM_UNCHECKED;
	struct told *told = &work->shared->told[rank];
	enum nx_status st = check_call(&r, "nrt_load_collectives",
				       work->runtime->calls.nrt_load_collectives(
					       work->neff.data, work->neff.len,
					       (int32_t)(rank - work->options->first_rank), 1, rank,
					       work->c->rank_count, &r.model));

	assert(rank < work->c->rank_count && rank >= work->options->first_rank);
	if (!st)
		st = make_tensors(&r);
	/* New tensors of our own runtime are zero. */
	if (!st && (is_checked || !work->runtime->calls.is_own))
		st = fill_input(&r);
	if (!st)
		st = execute_all(&r);
	if (!st && is_checked)
		st = check_output(&r);
	release_rank(&r);
	told->status = st;
	snprintf(told->message, sizeof(told->message), "%s", st ? r.err.message : "");
}

/* --- all ranks --------------------------------------------------------------------------- */

static void run_thread(void *context, size_t index)
{
	struct work *work = context;

	run_rank(work, work->options->first_rank + (uint32_t)index);
}

/* A process has the core of its rank, and a runtime of its own. */
static int run_child(struct work *work, uint32_t rank)
{
	struct told *told = &work->shared->told[rank];
	uint32_t core_count = 0;
	struct nx_error err;

	if (nx_nccom_runtime_start(work->runtime, &core_count, &err)) {
		told->status = NX_IO;
		snprintf(told->message, sizeof(told->message), "%s", err.message);
		return 1;
	}
	run_rank(work, rank);
	work->runtime->calls.nrt_close();
	return told->status != NX_OK;
}

static enum nx_status run_processes(struct work *work, struct nx_error *err)
{
	uint32_t first = work->options->first_rank, count = work->options->local_rank_count;
	pid_t *children = nx_heap_alloc(count * sizeof(*children));
	enum nx_status st = NX_OK;

	memset(children, 0, count * sizeof(*children));
	for (uint32_t i = 0; i < count && !st; i++) {
		work->shared->told[first + i].status = NX_IO;
		snprintf(work->shared->told[first + i].message, 64, "rank %u died", first + i);
		children[i] = fork();
		if (children[i] == 0)
			_exit(run_child(work, first + i));
		if (children[i] < 0)
			st = nx_fail_errno(err, errno, "cannot start a process for rank %u",
					   first + i);
	}
	/* The others would wait for the missing rank. */
	for (uint32_t i = 0; st && i < count; i++)
		if (children[i] > 0)
			kill(children[i], SIGKILL);
	for (uint32_t i = 0; i < count; i++)
		while (children[i] > 0 && waitpid(children[i], NULL, 0) < 0 && errno == EINTR)
			;
	nx_heap_free(children);
	return st;
}

/* --- results ----------------------------------------------------------------------------- */

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

/* The messages of all ranks that failed, to find the cause. */
static void keep_said(const struct work *work, struct nx_bytes *said)
{
	const struct nx_nccom_options *o = work->options;

	for (uint32_t i = 0; i < o->local_rank_count; i++) {
		const struct told *told = &work->shared->told[o->first_rank + i];

		if (!told->status)
			continue;
		nx_bytes_append(said, told->message, strlen(told->message));
		nx_bytes_append(said, "\n", 1);
	}
}

static enum nx_status judge(const struct work *work, struct nx_error *err)
{
	const struct nx_nccom_options *o = work->options;
	const struct told *told = work->shared->told + o->first_rank;
	const struct nx_nccom_case *c = work->c;
	/* Reductions and gathers end with the same bits on every rank of a group. */
	bool must_be_equal = o->check && c->group_size == c->rank_count &&
			     (c->op->kind == NX_COLLECTIVE_ALL_REDUCE ||
			      c->op->kind == NX_COLLECTIVE_ALL_GATHER);

	/* Ranks that only waited for a failed one report IO: prefer any other error. */
	for (uint32_t i = 0; i < o->local_rank_count; i++)
		if (told[i].status && told[i].status != NX_IO)
			return nx_fail(err, told[i].status, "%s", told[i].message);
	for (uint32_t i = 0; i < o->local_rank_count; i++)
		if (told[i].status)
			return nx_fail(err, told[i].status, "%s", told[i].message);
	for (uint32_t i = 1; must_be_equal && i < o->local_rank_count; i++)
		if (told[i].output_hash != told[0].output_hash)
			return nx_fail(err, NX_MISMATCH, "the outputs of ranks %u and %u differ",
				       o->first_rank, o->first_rank + i);
	return NX_OK;
}

/* Warm-up operations are left out: those of the first n + w, or of each execution. */
static void take_times(const struct work *work, struct nx_nccom_result *out)
{
	const struct shared *shared = work->shared;
	const struct nx_nccom_options *o = work->options;
	size_t ops = work->c->op_count, total = o->warmup_count + (size_t)o->measured_count;

	assert(ops > 0 && shared->time_count <= shared->time_room);
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

void nx_nccom_temporary(const char *name, char out[NX_NCCOM_PATH_MAX])
{
	const char *chosen = getenv("TMPDIR");
	bool is_usable =
		chosen && *chosen && strlen(chosen) + strlen(name) + 16 < NX_NCCOM_PATH_MAX;

	snprintf(out, NX_NCCOM_PATH_MAX, "%s/%s.XXXXXX", is_usable ? chosen : "/tmp", name);
}

enum nx_status nx_nccom_run(struct nx_nccom_runtime *runtime, const struct nx_nccom_case *c,
			    const struct nx_nccom_options *options, struct nx_nccom_result *out,
			    struct nx_error *err)
{
	struct nx_bytes neff = {0};
	struct work work = {.runtime = runtime, .c = c, .options = options};
	enum nx_status st = nx_nccom_case_assemble(c, &neff, err);

	assert(options->local_rank_count > 0 &&
	       options->first_rank + options->local_rank_count <= c->rank_count);
	memset(out, 0, sizeof(*out));
	if (st)
		return st;
	work.neff = nx_slice_of(neff.items, neff.len);
	work.shared = make_shared(c, options);
	nx_nccom_temporary("nccom-test", work.folder);
	if (!work.shared || !mkdtemp(work.folder)) {
		st = nx_fail_errno(err, errno, "cannot make room for the results of nccom-test");
	} else {
		st = options->has_processes
			     ? run_processes(&work, err)
			     : nx_threads_run("nccom-rank", options->local_rank_count, run_thread,
					      &work, err);
		if (!st)
			st = judge(&work, err);
		if (st)
			keep_said(&work, &out->said);
		if (!st)
			take_times(&work, out);
		(void)rmdir(work.folder);
	}
	if (work.shared)
		munmap(work.shared, work.shared->bytes);
	nx_vec_release(&neff);
	/* Freed memory would count as used when the next size checks what is available. */
	(void)malloc_trim(0);
	return st;
}

void nx_nccom_result_release(struct nx_nccom_result *result)
{
	nx_heap_free(result->times_us);
	nx_vec_release(&result->said);
	*result = (struct nx_nccom_result){0};
}
