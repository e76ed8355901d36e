/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_groups: which events share a row. A list of fields such as
 * "worker_gid,lnc_idx,thread_id" makes the row's name: "gid35-nc3-tid7".
 */
#ifndef NX_EXPORT_SYSTEM_GROUPS_H
#define NX_EXPORT_SYSTEM_GROUPS_H

#include "model/system.h"

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

/* option is what the user typed the list for. A field named twice counts once. */
NX_MUST_CHECK enum nx_status nx_group_parse(struct nx_group *group, const char *list,
					    const char *option, struct nx_error *err);

/* What is not known of an event is left out, so the name may be empty. Returns its length. */
size_t nx_group_label(const struct nx_group *group, const struct nx_system_profile *profile,
		      const struct nx_system_event *event, char label[NX_GROUP_LABEL_MAX]);

#endif
