/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_slices: events of a system profile as slices of a Perfetto trace. The
 * primary group makes processes, the secondary group and the source of events
 * make threads. Events pass once, process by process in order of time; what is
 * kept is a row's tracks and the ends of its open events.
 */
#ifndef NX_EXPORT_SYSTEM_SLICES_H
#define NX_EXPORT_SYSTEM_SLICES_H

#include "base/map.h"
#include "export/system_exporters.h"
#include "export/system_groups.h"
#include "format/perfetto/perfetto.h"

struct nx_slices_plan { /* what all slices of a trace have in common; never changes */
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
/* Ends what is open, frees, and returns how many events there were. */
uint64_t nx_slices_finish(struct nx_slices *slices);

#endif
