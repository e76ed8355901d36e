/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_profile: executions as NTFF files.
 *
 * Every execution is noted here. Whether anything is kept depends on who asked:
 * nrt_profile_start (one model), continuous profiling (the latest execution per
 * core), or an inspect session (the first execution of each model per core, all
 * of them in session mode, or those that failed).
 */
#ifndef NX_RUNTIME_NRT_DEVICE_PROFILE_H
#define NX_RUNTIME_NRT_DEVICE_PROFILE_H

#include "runtime/nrt/loaded_model.h"

/* After an execution, while its core is still locked. */
void nx_device_profile_note(struct nx_model *model, const struct nx_port_run *run, NRT_STATUS st);
bool nx_device_profile_is_continuous(void);
/* Whatever is being profiled is given up. */
void nx_device_profile_end(void);

/* --- sessions, for inspect --------------------------------------------------------- */

/* Writes what session mode gathered of each core: profile_nc_<n>_session_<s>.ntff in folder. */
void nx_device_profile_write_session(const char *folder, int session_id);

/* --- files ---------------------------------------------------------------------------- */

struct nx_ntff_execution;

struct nx_device_recording { /* borrows all of it */
	const struct nx_model *model;
	const struct nx_notified *notified; /* the rings; NULL for none */
	const struct nx_ntff_execution *executions;
	size_t execution_count;
	uint64_t duration_ps; /* of the latest */
	bool has_process;     /* names process and machine: those of sessions do */
};

/* Appends an NTFF of the model with these executions and rings. */
void nx_device_profile_encode(const struct nx_device_recording *recording, struct nx_bytes *out);

#endif
