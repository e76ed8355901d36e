/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synthetic_system: generated system profiles: several instances, each
 * with one process for every eight workers, as the runtime would trace them.
 *
 * Equal options give equal bytes. What a reader must find is in struct
 * nx_synthetic_system_counts. One event of the first process never ends, the
 * last process has lost its oldest events, every second process has a trace
 * of its framework, and the first one a recording of its device.
 */
#ifndef NX_TESTS_SYNTHETIC_SYSTEM_H
#define NX_TESTS_SYNTHETIC_SYSTEM_H

#include "base/error.h"
#include "tests/data/synthetic.h"

#define NX_SYNTHETIC_EVENT_TYPES 40
#define NX_SYNTHETIC_WORKERS_PER_PROCESS 8
#define NX_SYNTHETIC_CPUS 12
#define NX_SYNTHETIC_MODEL "llama_demo" /* also the name in the NEFF's header */

struct nx_synthetic_system_options {
	uint64_t seed; /* not 0 */
	unsigned instance_count;
	unsigned worker_count; /* logical cores of each instance */
	uint64_t event_count;  /* records wanted in all; it will be a few more or less */
	/* the gap between executions of a core grows: NX_SYNTHETIC_FIRST_GAP_NS in the first
	 * quarter, then longer each time, NX_SYNTHETIC_LAST_GAP_NS in the last quarter */
	bool has_growing_gaps;
	uint64_t delay_ns; /* all of it happens later by this: another session of the same run */
};

#define NX_SYNTHETIC_FIRST_GAP_NS UINT64_C(13000)
#define NX_SYNTHETIC_LAST_GAP_NS UINT64_C(190000)
/* then one step of the framework also begins early, so that it takes longer than all others */
#define NX_SYNTHETIC_SLOW_STEP 5
#define NX_SYNTHETIC_SLOW_NS UINT64_C(1000000)

extern const struct nx_synthetic_system_options nx_synthetic_system_small;

struct nx_synthetic_system_counts {
	uint64_t process_count;
	uint64_t record_count; /* in the files of events */
	uint64_t dropped_count;
	uint64_t pair_count, instant_count, unfinished_count, orphan_count;
	uint64_t type_counts[NX_SYNTHETIC_EVENT_TYPES]; /* rows of each event type */
	uint64_t cpu_row_count, memory_row_count;
	uint64_t framework_event_count; /* those with a duration, and instants */
	uint64_t flow_count;		/* pairs of begin and end */
	uint64_t device_capture_count;
};

struct nx_synthetic_process { /* who and where, from the options alone */
	unsigned index;
	char folder[64]; /* "i-<16 hex>_pid_<pid>" */
	char instance_id[32];
	uint64_t pid;
	unsigned instance;
	unsigned worker_count; /* logical cores in this process */
	unsigned first_worker; /* global number of its first */
	uint64_t init_ns;
	uint64_t growing_step_count; /* 0: gaps do not grow */
	bool has_unfinished, has_drops, has_framework, has_device;
};

unsigned nx_synthetic_process_count(const struct nx_synthetic_system_options *options);
struct nx_synthetic_process nx_synthetic_process_of(
	const struct nx_synthetic_system_options *options, unsigned index);

struct nx_synthetic_process_files {
	struct nx_bytes info, cpu, memory;
	struct nx_bytes framework; /* gzip, empty when it has none */
};

/* The files of one process; events go to the sink. Adds to counts. False when the sink says so. */
bool nx_synthetic_process_write(const struct nx_synthetic_system_options *options, unsigned index,
				nx_synthetic_sink events, void *context,
				struct nx_synthetic_process_files *files,
				struct nx_synthetic_system_counts *counts);
void nx_synthetic_process_files_release(struct nx_synthetic_process_files *files);

/* The whole directory; memory does not depend on the number of events. */
NX_MUST_CHECK enum nx_status nx_synthetic_system_write(
	const struct nx_synthetic_system_options *options, const char *folder,
	struct nx_synthetic_system_counts *counts, struct nx_error *err);

/* Seeds for the fuzz targets of these files. */
bool nx_synthetic_system_corpus(nx_synthetic_seed_fn fn, void *context);

#endif
