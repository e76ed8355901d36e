/* SPDX-License-Identifier: Apache-2.0 */
/* system_totals: the sums of a system profile per process and per core, in one pass over each
 * table. Memory is proportional to the number of names, cores and memories, not of events. */
#ifndef NX_EXPORT_SYSTEM_TOTALS_H
#define NX_EXPORT_SYSTEM_TOTALS_H

#include "base/map.h"
#include "model/system.h"

#define NX_TOP_NAMES 20

struct nx_name_total { /* events of one name and source in one group */
	uint32_t group;
	uint8_t source; /* enum nx_event_source */
	const char *name;
	uint64_t count, total_ns, max_ns;
};

struct nx_hbm_peak {
	uint32_t group;
	uint32_t device_idx, hbm_idx;
	const char *category; /* NULL: all together */
	uint64_t peak_bytes;
};

struct nx_transfer_total {
	uint64_t count, size_bytes;
	uint64_t duration_ns; /* sum, also where they overlap */
};

struct nx_event_totals { /* of a process or a core */
	uint64_t event_count;
	const struct nx_name_total *names; /* longest total first */
	size_t name_count;
};

struct nx_core_totals { /* a logical core of a process */
	uint32_t process;
	int32_t nc_idx;
	uint32_t worker_gid; /* UINT32_MAX: not known */
	uint32_t device_idx; /* the same */
	struct nx_event_totals events;
	const struct nx_hbm_peak *peaks; /* per memory: all together, then the largest first */
	size_t peak_count;
	struct nx_transfer_total transfers[2]; /* by enum nx_direction */
};

/* A core that ran models. Executions name the physical core but not its device, which follows from
 * the memory that the logical core allocated, if the capture has it. */
struct nx_device_core_totals {
	uint32_t process;
	bool is_physical; /* false: the trace names only the logical core */
	uint64_t core_idx;
	int32_t nc_idx;	     /* logical core */
	uint32_t device_idx; /* UINT32_MAX: not known */
	uint64_t execution_count;
	uint64_t busy_ns; /* when at least one execution ran */
	uint64_t until_ns;
};

struct nx_process_totals {
	struct nx_event_totals events;
	uint64_t unfinished_count, orphan_count;
	uint64_t first_ns, last_ns;
	uint64_t wall_ns;	   /* of its session, or else from first to last event */
	uint64_t cpu_sample_count; /* of those that have an interval */
	double cpu_sum, cpu_max;
	bool has_cpu_samples; /* of either kind */
	uint64_t cpu_first_ns;
	uint64_t memory_peak_bytes;
};

struct nx_system_totals {
	const struct nx_system_profile *profile;
	struct nx_process_totals *processes;
	struct nx_core_list NX_VEC_BODY(struct nx_core_totals) cores; /* by process, then index */
	struct nx_device_core_list NX_VEC_BODY(struct nx_device_core_totals) device_cores;
	struct nx_name_list NX_VEC_BODY(struct nx_name_total) names;
	struct nx_peak_list NX_VEC_BODY(struct nx_hbm_peak) peaks;
	struct nx_map by_key;
	struct nx_arena arena;
};

NX_MUST_CHECK enum nx_status nx_system_totals_read(struct nx_system_totals *totals,
						   const struct nx_system_profile *profile,
						   struct nx_error *err);
void nx_system_totals_release(struct nx_system_totals *totals);

static inline uint64_t nx_dropped_count(const struct nx_system_process *process)
{
	return process->total_event_count > process->stored_event_count
		       ? process->total_event_count - process->stored_event_count
		       : 0;
}

static inline double nx_bytes_per_s(const struct nx_transfer_total *t)
{
	return t->duration_ns ? (double)t->size_bytes * 1e9 / (double)t->duration_ns : 0;
}

#endif
