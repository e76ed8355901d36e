/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/nccom/nccom_run.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"
#include "cli/nccom/nccom_rank.h"
#include "format/collective.h"

/* --- all ranks --------------------------------------------------------------------------- */

static void run_rank(void *context, size_t index)
{
	struct nx_nccom_work *work = context;

	nx_nccom_rank_run(work, work->options->first_rank + (uint32_t)index);
}

/* A process has the core of its rank, and a runtime of its own. */
static int run_child(struct nx_nccom_work *work, uint32_t rank)
{
	struct nx_nccom_told *told = &work->shared->told[rank];
	uint32_t core_count = 0;
	struct nx_error err;

	if (nx_nccom_runtime_start(work->runtime, &core_count, &err)) {
		told->status = NX_IO;
		snprintf(told->message, sizeof(told->message), "%s", err.message);
		return 1;
	}
	nx_nccom_rank_run(work, rank);
	work->runtime->calls.nrt_close();
	return told->status != NX_OK;
}

static enum nx_status run_processes(struct nx_nccom_work *work, struct nx_error *err)
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
	/* The others would wait for the one that is missing. */
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

static struct nx_nccom_shared *make_shared(const struct nx_nccom_case *c,
					   const struct nx_nccom_options *options)
{
	size_t runs = options->has_executions ? options->execution_count : 1;
	size_t times =
		(options->warmup_count + (size_t)options->measured_count + c->op_count) * runs;
	size_t bytes = sizeof(struct nx_nccom_shared) +
		       c->rank_count * sizeof(struct nx_nccom_told) + times * sizeof(double);
	struct nx_nccom_shared *shared =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return NULL;
	shared->bytes = bytes;
	shared->algorithm = -1;
	shared->time_room = times;
	shared->times_us = (double *)(shared + 1);
	shared->told = (struct nx_nccom_told *)(shared->times_us + times);
	return shared;
}

/* Reductions and gatherings end with the same bits on every rank of a group. */
static bool must_be_equal(const struct nx_nccom_case *c)
{
	return (c->op->kind == NX_COLLECTIVE_ALL_REDUCE ||
		c->op->kind == NX_COLLECTIVE_ALL_GATHER) &&
	       c->group_size == c->rank_count;
}

/* The message of every rank that failed, to find the one at fault. */
static void keep_said(const struct nx_nccom_work *work, struct nx_bytes *said)
{
	const struct nx_nccom_options *o = work->options;

	for (uint32_t i = 0; i < o->local_rank_count; i++) {
		const struct nx_nccom_told *told = &work->shared->told[o->first_rank + i];

		if (!told->status)
			continue;
		nx_bytes_append(said, told->message, strlen(told->message));
		nx_bytes_append(said, "\n", 1);
	}
}

static enum nx_status judge(const struct nx_nccom_work *work, struct nx_error *err)
{
	const struct nx_nccom_options *o = work->options;
	const struct nx_nccom_told *told = work->shared->told + o->first_rank;

	/* Ranks that only waited for the one at fault have less to report: IO. */
	for (uint32_t i = 0; i < o->local_rank_count; i++)
		if (told[i].status && told[i].status != NX_IO)
			return nx_fail(err, told[i].status, "%s", told[i].message);
	for (uint32_t i = 0; i < o->local_rank_count; i++)
		if (told[i].status)
			return nx_fail(err, told[i].status, "%s", told[i].message);
	for (uint32_t i = 1; i < o->local_rank_count && o->check && must_be_equal(work->c); i++)
		if (told[i].output_hash != told[0].output_hash)
			return nx_fail(err, NX_MISMATCH, "ranks %u and %u ended with other bits",
				       o->first_rank, o->first_rank + i);
	return NX_OK;
}

/* Warm-up operations are left out: those of the first n + w, or of each execution. */
static void take_times(const struct nx_nccom_work *work, struct nx_nccom_result *out)
{
	const struct nx_nccom_shared *shared = work->shared;
	const struct nx_nccom_options *o = work->options;
	size_t ops = work->c->op_count, total = o->warmup_count + (size_t)o->measured_count;

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
	struct nx_nccom_work work = {.runtime = runtime, .c = c, .options = options};
	enum nx_status st = nx_nccom_case_assemble(c, &neff, err);

	memset(out, 0, sizeof(*out));
	if (st)
		return st;
	work.neff = nx_slice_of(neff.items, neff.len);
	work.shared = make_shared(c, options);
	nx_nccom_temporary("nccom-test", work.folder);
	if (!work.shared || !mkdtemp(work.folder)) {
		st = nx_fail_errno(err, errno, "nccom-test has no room for its results");
	} else {
		st = options->has_processes
			     ? run_processes(&work, err)
			     : nx_threads_run("nccom-rank", options->local_rank_count, run_rank,
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
	/* Else it counts as used when the next size checks what is available. */
	(void)malloc_trim(0);
	return st;
}

void nx_nccom_result_release(struct nx_nccom_result *result)
{
	nx_heap_free(result->times_us);
	nx_vec_release(&result->said);
	*result = (struct nx_nccom_result){0};
}
