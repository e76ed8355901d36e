/* SPDX-License-Identifier: Apache-2.0 */
/* The private table for the profiler library; see runtime/trace/trace_share.h. */
#include "runtime/trace/trace_share.h"

#include <stdio.h>
#include <string.h>

#include "runtime/nrt/inspect.h"
#include "runtime/nrt/nrt_state.h"
#include "runtime/nrt/trace_keeping.h"

static struct nx_trace_ring spans;

static bool begin(const struct nx_trace_share_session *wanted, char *message, size_t cap)
{
	struct nrt_inspect_config config;
	struct nx_error err = {0};

	nx_inspect_config_reset(&config);
	config.is_on = true;
	config.is_from_program = true;
	config.activities = NX_INSPECT_SYSTEM | NX_INSPECT_HOST_MEMORY | NX_INSPECT_CPU |
			    (wanted->with_device ? NX_INSPECT_DEVICE : 0);
	if (wanted->max_events)
		config.max_events = wanted->max_events;
	memcpy(config.filter.cores, wanted->filter->cores, sizeof(config.filter.cores));
	config.epoch_offset_ns = wanted->epoch_offset_ns;
	if ((size_t)snprintf(config.folder, sizeof(config.folder), "%s", wanted->folder) >=
	    sizeof(config.folder)) {
		snprintf(message, cap, "the folder name %.60s... is too long", wanted->folder);
		return false;
	}
	if (nx_inspect_begin_shared(&config, &err))
		return true;
	snprintf(message, cap, "%s", err.message);
	return false;
}

static bool keep(const struct nx_trace_share_keep *wanted, char *message, size_t cap)
{
	struct nx_error err = {0};

	if (!nx_trace_keep(wanted, &err))
		return true;
	snprintf(message, cap, "%s", err.message);
	return false;
}

static struct nx_trace_place place(uint32_t core)
{
	struct nx_trace_place found = nx_tracer_keep_place(core);

	found.worker = nx_instance_worker(nx_state_instance(), core);
	return found;
}

static const struct nx_trace_share share = {
	.version = NX_TRACE_SHARE_VERSION,
	.size = sizeof(share),
	.spans = &spans,
	.begin = begin,
	.end = nx_inspect_end_shared,
	.keep = keep,
	.keep_end = nx_trace_keep_stop,
	.keep_take = nx_trace_keep_take,
	.place = place,
	.look = nx_trace_keep_look,
	.snapshot = nx_trace_keep_snapshot,
};

NX_EXPORT const struct nx_trace_share *nrt_private_trace_share(void);
NX_EXPORT const struct nx_trace_share *nrt_private_trace_share(void)
{
	return &share;
}
