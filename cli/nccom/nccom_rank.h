/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_rank: one rank of nccom-test, from loading its program to checking its output.
 *
 * A rank is a thread or a process of its own; it writes its results to its own slot in shared
 * memory. Only rank 0 reports times.
 */
#ifndef NX_CLI_NCCOM_NCCOM_RANK_H
#define NX_CLI_NCCOM_NCCOM_RANK_H

#include "base/bare/slice.h"
#include "cli/nccom/nccom_run.h"
#include "cli/nccom/nccom_runtime.h"

struct nx_nccom_told {
	enum nx_status status;
	char message[sizeof(((struct nx_error *)0)->message)];
	uint64_t output_hash; /* of what was checked */
};

struct nx_nccom_shared {
	size_t bytes; /* of all this */
	size_t time_count, time_room;
	int64_t algorithm; /* -1: unknown */
	bool is_wall_time;
	struct nx_nccom_told *told; /* of each rank */
	double *times_us;
};

/* What all ranks work on; only shared changes while they run. */
struct nx_nccom_work {
	struct nx_nccom_runtime *runtime;
	const struct nx_nccom_case *c;
	const struct nx_nccom_options *options;
	struct nx_nccom_shared *shared;
	struct nx_slice neff;
	char folder[NX_NCCOM_PATH_MAX]; /* for profiles of rank 0 */
};

/* The runtime must be started. The outcome is in work->shared->told[rank]. */
void nx_nccom_rank_run(struct nx_nccom_work *work, uint32_t rank);

#endif
