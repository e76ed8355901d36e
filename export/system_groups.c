/* SPDX-License-Identifier: Apache-2.0 */
#include "export/system_groups.h"

#include <stdio.h>
#include <string.h>

#include "model/system_event.h"

static const char *const field_names[NX_GROUP_FIELD_COUNT] = {
	[NX_GROUP_INSTANCE] = "instance_id", [NX_GROUP_PROCESS] = "process_id",
	[NX_GROUP_THREAD] = "thread_id",     [NX_GROUP_CORE] = "lnc_idx",
	[NX_GROUP_WORKER] = "worker_gid",
};

static void add_field(struct nx_group *group, enum nx_group_field field)
{
	for (size_t i = 0; i < group->count; i++)
		if (group->fields[i] == field)
			return;
	group->fields[group->count++] = field;
}

enum nx_status nx_group_parse(struct nx_group *group, const char *list, const char *option,
			      struct nx_error *err)
{
	const char *at = list;

	group->count = 0;
	for (;;) {
		struct nx_slice name = nx_slice_of(at, strcspn(at, ","));
		unsigned field = 0;

		while (field < NX_GROUP_FIELD_COUNT && !nx_slice_is(name, field_names[field]))
			field++;
		if (field == NX_GROUP_FIELD_COUNT)
			return nx_fail(err, NX_USAGE,
				       "%s cannot group by '%.*s'; its fields are " NX_GROUP_FIELDS,
				       option, (int)(name.len < 64 ? name.len : 64), at);
		add_field(group, (enum nx_group_field)field);
		at += name.len;
		if (!*at++)
			return NX_OK;
	}
}

static void field_text(enum nx_group_field field, const struct nx_system_profile *profile,
		       const struct nx_system_event *e, char text[256])
{
	const struct nx_system_process *p = &profile->processes[e->process];

	*text = 0;
	switch (field) {
	case NX_GROUP_INSTANCE:
		snprintf(text, 256, "%s", p->instance_id);
		break;
	case NX_GROUP_PROCESS:
		snprintf(text, 256, "pid%llu", (unsigned long long)p->pid);
		break;
	case NX_GROUP_THREAD:
		snprintf(text, 256, "tid%llu", (unsigned long long)e->thread_id);
		break;
	case NX_GROUP_CORE:
		if (e->nc_idx >= 0)
			snprintf(text, 256, "nc%d", e->nc_idx);
		break;
	default:
		if (nx_event_has_worker(e))
			snprintf(text, 256, "gid%u", e->worker_gid);
	}
}

size_t nx_group_label(const struct nx_group *group, const struct nx_system_profile *profile,
		      const struct nx_system_event *event, char label[NX_GROUP_LABEL_MAX])
{
	size_t len = 0;

	*label = 0;
	for (size_t i = 0; i < group->count; i++) {
		char text[256];

		field_text(group->fields[i], profile, event, text);
		if (!*text)
			continue;
		/* only an instance's name is long, and it comes at most once */
		len += (size_t)snprintf(label + len, NX_GROUP_LABEL_MAX - len, "%s%s",
					len ? "-" : "", text);
	}
	return len;
}
