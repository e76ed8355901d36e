/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_recording: what one core did in a session, of all models, for its NTFF.
 *
 * Up to 100,000 executions and 64 models, which are held also after they were unloaded, and
 * 256 MiB of records; the log says once when something no longer fits. A zeroed struct is empty.
 * The caller's lock protects it.
 */
#ifndef NX_RUNTIME_NRT_CORE_RECORDING_H
#define NX_RUNTIME_NRT_CORE_RECORDING_H

#include "runtime/nrt/loaded_model.h"
#include "runtime/nrt/ntff_encode.h"

/* A NEFF that ran in a session, once, however often it was loaded. */
struct nx_recorded_model {
	struct nx_model *model; /* held */
	uint64_t duration_ps;	/* of its latest execution */
	struct nx_notified own; /* captures without a timeline: the first execution's rings */
};

struct nx_core_recording {
	NX_VEC(struct nx_recorded_model) models; /* in the order of their first execution */
	NX_VEC(struct nx_ntff_execution) executions;
	struct nx_notified rings; /* captures with a timeline: of all models */
	bool is_full;		  /* records or executions are missing, and the log says so */
};

void nx_core_recording_add(struct nx_core_recording *kept, struct nx_model *model,
			   const struct nx_port_run *run);
void nx_core_recording_clear(struct nx_core_recording *kept);
/* INVALID if nothing was executed. What fails is logged in the name of call. */
NRT_STATUS nx_core_recording_write(const struct nx_core_recording *kept, const char *path,
				   const char *call);

#endif
