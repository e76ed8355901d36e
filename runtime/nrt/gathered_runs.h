/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gathered_runs: what a session keeps of the executions of a core, one after the other.
 *
 * A zeroed struct is empty. Executions are all listed; their records are kept
 * until they are many, and only of the model that runs now. Captures of v2 have
 * no timeline to tell executions apart by: they keep the records of the first.
 */
#ifndef NX_RUNTIME_NRT_GATHERED_RUNS_H
#define NX_RUNTIME_NRT_GATHERED_RUNS_H

#include "format/ntff.h"
#include "runtime/nrt/loaded_model.h"

struct nx_gathered_runs {
	NX_VEC(struct nx_ntff_execution) executions;
	struct nx_notified rings; /* of all of them */
	uint64_t duration_ps;	  /* of the latest */
};

/* The model's latest run; false when there is no room for it. */
NX_MUST_CHECK bool nx_gathered_runs_add(struct nx_gathered_runs *gathered,
					const struct nx_model *model,
					const struct nx_port_run *run);
/* Another model comes: true when the records of the one before are given up. */
bool nx_gathered_runs_change(struct nx_gathered_runs *gathered);
void nx_gathered_runs_release(struct nx_gathered_runs *gathered); /* empty afterwards */

#endif
