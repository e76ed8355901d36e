/* SPDX-License-Identifier: Apache-2.0 */
/* bench_times: device times of repeated executions, by model: read from a system capture, saved as
 * JSON, and read back. */
#ifndef NX_CLI_BENCH_TIMES_H
#define NX_CLI_BENCH_TIMES_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "base/vec.h"

struct nx_times NX_VEC_BODY(double); /* nanoseconds */

struct nx_bench_model {
	const char *name;
	struct nx_times cold; /* the first execution of each process, if there is a warm-up */
	struct nx_times runs; /* those behind the warm-up */
	size_t execution_count;
};

struct nx_bench_times {
	struct nx_arena arena;
	NX_VEC(struct nx_bench_model) models; /* in the order of their first execution */
};

/*
 * Adds the executions of one start of a command, which the capture in folder has. Of each model,
 * the first warm_up ones are left out. An execution on several cores lasts from the first start to
 * the last end of a logical core; of several ranks the slowest counts.
 */
NX_MUST_CHECK enum nx_status nx_bench_times_read(struct nx_bench_times *times, const char *folder,
						 size_t warm_up, struct nx_error *err);
void nx_bench_times_release(struct nx_bench_times *times);

/* The model that took the most time, or the one of that name; NULL if no run of it is there. */
const struct nx_bench_model *nx_bench_times_find(const struct nx_bench_times *times,
						 const char *name);

/* Members of the open object: what nx_bench_times_load reads. */
void nx_bench_times_json(struct nx_json_writer *w, const struct nx_bench_times *times);
NX_MUST_CHECK enum nx_status nx_bench_times_load(struct nx_bench_times *times, const char *path,
						 struct nx_error *err);

#endif
