/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inspect: a session that captures this process into a folder.
 *
 *	<output>/<instance>_pid_<pid>/ntrace.pb, trace_info.pb, cpu_util.pb,
 *		host_mem.pb, neff_<model>.neff, <model>_instid_0_vnc_<core>.ntff
 *
 * Later sessions of the process get subfolders named after their start time.
 * Streams grow by whole records and other files are renamed into place, so the
 * capture of a killed process is readable up to its last tenth of a second.
 */
#ifndef NX_RUNTIME_NRT_INSPECT_H
#define NX_RUNTIME_NRT_INSPECT_H

#include <nrt/nrt_profile.h>

#include "base/error.h"
#include "runtime/trace/tracer.h"

#define NX_INSPECT_PATH_MAX 1024

enum nx_inspect_activity {
	NX_INSPECT_SYSTEM = 1,
	NX_INSPECT_DEVICE = 2,
	NX_INSPECT_HOST_MEMORY = 4,
	NX_INSPECT_CPU = 8,
	NX_INSPECT_ALL = 15,
};

struct nrt_inspect_config {
	int session_id;
	char output_dir[NX_INSPECT_PATH_MAX];
	unsigned activities;   /* enum nx_inspect_activity */
	bool is_device_off;    /* whatever the activities say */
	bool is_whole_session; /* profile all executions, not only first ones */
	uint64_t warmup_count; /* executions of each model to skip before the first one */
	bool is_on, is_on_fail;
	struct nx_trace_filter filter;
	uint64_t max_events;
	bool is_from_program; /* not from variables */
	/* of the profiler library, which shares its folder and clock; "" and 0 otherwise */
	char folder[NX_INSPECT_PATH_MAX + 256];
	uint64_t epoch_offset_ns;
};

void nx_inspect_config_reset(struct nrt_inspect_config *config);
/* Reads NEURON_RT_INSPECT_*; wrong values are logged and the default is used. */
/* Says in the log why a trace with this filter will have no event, if so. */
void nx_inspect_filter_check(const char *call, const struct nx_trace_filter *filter);
void nx_inspect_config_read(struct nrt_inspect_config *config);

/* --- the session ---------------------------------------------------------------------- */

/* Completes the files; does nothing without a session. */
void nx_inspect_end(void);
/* For nrt_init: begins a session if NEURON_RT_INSPECT_ENABLE is set; logs failures. */
void nx_inspect_begin_from_environment(void);
/* A session for the profiler library, now or with nrt_init. False: err has the reason. */
bool nx_inspect_begin_shared(const struct nrt_inspect_config *config, struct nx_error *err);
/* Ends it; false if it never began. */
bool nx_inspect_end_shared(void);
/* Returns after the session's thread took all events up to now; at once without a session. */
void nx_inspect_drain(void);
/* In the child after a fork: forgets the session, which is the parent's. */
void nx_inspect_abandon(void);

/* What ntff_capture has to write; false if no session wants device profiles. */
struct nx_inspect_device {
	char folder[NX_INSPECT_PATH_MAX + 256];
	bool wants_first, wants_all, wants_failed;
	uint64_t number; /* of the session in this process, from 1 */
	uint64_t warmup_count;
};
bool nx_inspect_device_wishes(struct nx_inspect_device *wishes);

#endif
