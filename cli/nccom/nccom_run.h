/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_run: runs one case of nccom-test with all its ranks through libnrt.
 *
 * Ranks are threads of this process, or a process each. Times are device times, from the profile
 * that libnrt writes for rank 0; if it has none, the host's clock is used.
 */
#ifndef NX_CLI_NCCOM_NCCOM_RUN_H
#define NX_CLI_NCCOM_NCCOM_RUN_H

#include "cli/nccom/nccom_plan.h"

#define NX_NCCOM_PATH_MAX 512

enum nx_nccom_check { NX_NCCOM_UNCHECKED, NX_NCCOM_RANDOM, NX_NCCOM_ONES };

struct nx_nccom_options {
	uint32_t warmup_count, measured_count; /* operations of an execution, or of all */
	bool has_executions;		       /* the two below count */
	uint32_t execution_count, ignored_count;
	enum nx_nccom_check check;
	uint32_t seed;
	bool has_processes, wants_wall_time;
	uint32_t first_rank, local_rank_count; /* that run on this machine */
};

struct nx_nccom_result {
	double *times_us; /* of each measured operation; heap */
	size_t time_count;
	const char *algorithm; /* borrowed from format; "": unknown */
	bool is_wall_time;
	struct nx_bytes said; /* after a failure: a line for each rank that failed */
};

struct nx_nccom_runtime;

/* runtime must be started, except with processes: each process starts its own. */
NX_MUST_CHECK enum nx_status nx_nccom_run(struct nx_nccom_runtime *runtime,
					  const struct nx_nccom_case *c,
					  const struct nx_nccom_options *options,
					  struct nx_nccom_result *out, struct nx_error *err);
/* A name below TMPDIR, or /tmp, that ends in XXXXXX; /tmp also if TMPDIR is too long. */
void nx_nccom_temporary(const char *name, char out[NX_NCCOM_PATH_MAX]);
void nx_nccom_result_release(struct nx_nccom_result *result);

#endif
