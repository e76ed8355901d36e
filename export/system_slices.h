/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_slices: events of a system profile as slices of a Perfetto trace. The primary group makes
 * processes, the secondary group and the source of events make threads. Feed events once, process
 * by process in order of time.
 */
#ifndef NX_EXPORT_SYSTEM_SLICES_H
#define NX_EXPORT_SYSTEM_SLICES_H

#include "base/map.h"
#include "export/exporters.h"
#include "format/perfetto/perfetto.h"

/*
 * A group says which events share a row. A list of fields such as "worker_gid,lnc_idx,thread_id"
 * makes the row's name: "gid35-nc3-tid7".
 */
#define NX_GROUP_FIELDS "instance_id, process_id, thread_id, lnc_idx, worker_gid"
#define NX_DEFAULT_PRIMARY_GROUP "instance_id,process_id"
#define NX_DEFAULT_SECONDARY_GROUP "worker_gid,lnc_idx,thread_id"
#define NX_GROUP_LABEL_MAX 512

enum nx_group_field {
	NX_GROUP_INSTANCE,
	NX_GROUP_PROCESS,
	NX_GROUP_THREAD,
	NX_GROUP_CORE,
	NX_GROUP_WORKER,
	NX_GROUP_FIELD_COUNT,
};

struct nx_group {
	enum nx_group_field fields[NX_GROUP_FIELD_COUNT];
	size_t count;
};

/* option is the name for messages. A field named twice counts once. */
NX_MUST_CHECK enum nx_status nx_group_parse(struct nx_group *group, const char *list,
					    const char *option, struct nx_error *err);

/* Fields that an event does not have are left out, so the label may be empty. Returns its length.
 */
size_t nx_group_label(const struct nx_group *group, const struct nx_system_profile *profile,
		      const struct nx_system_event *event, char label[NX_GROUP_LABEL_MAX]);

/* The track of what belongs to one process, such as "transfers"; groups has those made so far. */
uint32_t nx_process_track(struct nx_perfetto *p, struct nx_map *groups,
			  const struct nx_system_profile *profile, uint32_t process,
			  const char *what);

struct nx_slices_plan { /* shared by all slices of a trace; never changes */
	const struct nx_system_profile *profile;
	const struct nx_system_export_options *options;
	struct nx_group primary, secondary;
	bool is_in_label[NX_GROUP_FIELD_COUNT]; /* already part of the row's name */
	struct nx_map profiled_models;		/* ids of models that have a device profile */
};

struct nx_slices;

/* Writes to p, which it borrows. */
struct nx_slices *nx_slices_new(const struct nx_slices_plan *plan, struct nx_perfetto *p);
void nx_slices_add(void *slices, const void *event); /* an nx_row_fn */
/* Ends open slices, frees, and returns the number of events. */
uint64_t nx_slices_finish(struct nx_slices *slices);

/* CPU and memory of each host, device memory by category. */
NX_MUST_CHECK enum nx_status nx_system_counters_write(struct nx_perfetto *p,
						      const struct nx_system_profile *profile,
						      bool cpu_per_core, struct nx_error *err);

/* Transfers between host and device: a row of slices and a bandwidth per core and direction. */
NX_MUST_CHECK enum nx_status nx_system_transfers_write(struct nx_perfetto *p,
						       const struct nx_system_profile *profile,
						       struct nx_error *err);

/* Steps of the program, and the gaps between executions of each core. */
NX_MUST_CHECK enum nx_status nx_system_steps_write(struct nx_perfetto *p,
						   const struct nx_system_profile *profile,
						   struct nx_error *err);

#endif
