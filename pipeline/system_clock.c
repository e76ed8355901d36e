/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/system_clock.h"

#include <string.h>

struct sync_search {
	const struct nx_system_profile *profile;
	int64_t *offsets_ns;
	bool *known;
};

static void look(void *context, const void *opaque)
{
	struct sync_search *s = context;
	const struct nx_system_event *event = opaque;
	struct nx_event_attribute a[NX_MAX_ATTRIBUTES];
	uint64_t device_ns = 0, host_ns = 0;
	bool has_device = false, has_host = false;
	size_t count;

	if (s->known[event->process] || event->source != NX_SOURCE_HARDWARE ||
	    strcmp(nx_system_event_name(s->profile, event), "timestamp_sync_point") != 0)
		return;
	count = nx_system_attributes(s->profile, event, a, NX_MAX_ATTRIBUTES);
	for (size_t i = 0; i < count && i < NX_MAX_ATTRIBUTES; i++) {
		if (nx_slice_is(a[i].key, "nc_timestamp_ns") ||
		    nx_slice_is(a[i].key, "nc_start_timestamp_ns"))
			has_device = nx_slice_to_u64(a[i].value, &device_ns);
		else if (nx_slice_is(a[i].key, "cpu_timestamp_ns"))
			has_host = nx_slice_to_u64(a[i].value, &host_ns);
	}
	if (!has_device || !has_host)
		return;
	s->known[event->process] = true;
	s->offsets_ns[event->process] = (int64_t)(host_ns - device_ns);
}

enum nx_status nx_system_clock_offsets(const struct nx_system_profile *profile, int64_t *offsets_ns,
				       bool *known, struct nx_error *err)
{
	struct sync_search s = {profile, offsets_ns, known};

	memset(known, 0, sizeof(*known) * profile->process_count);
	return nx_system_scan(profile, NX_SYSTEM_EVENT, look, &s, err);
}
