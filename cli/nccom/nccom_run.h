/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_run: one case of nccom-test, carried out by all its ranks through libnrt.
 *
 * Ranks are threads of this process, or a process each. Times are those of the
 * device, read from the profile that libnrt writes of rank 0; a library whose
 * profile does not tell them is timed by the host's clock.
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
	const char *algorithm; /* borrowed from format; "" when the library does not tell */
	bool is_wall_time;
	struct nx_bytes said; /* when it failed: a line of each rank that did */
};

struct nx_nccom_runtime;

/* runtime is started, except with processes: each of them starts its own. */
NX_MUST_CHECK enum nx_status nx_nccom_run(struct nx_nccom_runtime *runtime,
					  const struct nx_nccom_case *c,
					  const struct nx_nccom_options *options,
					  struct nx_nccom_result *out, struct nx_error *err);
/* A name below TMPDIR, or /tmp, that ends in XXXXXX; /tmp as well when TMPDIR is too long. */
void nx_nccom_temporary(const char *name, char out[NX_NCCOM_PATH_MAX]);
void nx_nccom_result_release(struct nx_nccom_result *result);

#endif
