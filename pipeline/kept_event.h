/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_event: what the spool of a system profile keeps of an event: all that its record or its
 * framework states. Each scan derives parent, depth, model and worker again, and the part names
 * the process, so they take no space while millions of events are sorted.
 */
#ifndef NX_PIPELINE_KEPT_EVENT_H
#define NX_PIPELINE_KEPT_EVENT_H

#include "model/system.h"

struct nx_kept_event {
	uint64_t start_ns; /* sorted by */
	uint64_t end_ns;
	uint64_t id;
	uint64_t thread_id;
	uint64_t flow_id;
	struct nx_event_handle handle;
	uint32_t name;
	int32_t nc_idx;
	uint32_t number; /* a framework event's stream, any other's type */
	uint8_t source;
	uint8_t flags;
};

/* Written where it is to stay: a copy of what was just written in small pieces is slow. */
static inline void nx_kept_event_fill(struct nx_kept_event *kept,
				      const struct nx_system_event *event)
{
	*kept = (struct nx_kept_event){
		.start_ns = event->start_ns,
		.end_ns = event->end_ns,
		.id = event->id,
		.thread_id = event->thread_id,
		.flow_id = event->flow_id,
		.handle = event->handle,
		.name = event->name,
		.nc_idx = event->nc_idx,
		.number = event->source == NX_SOURCE_FRAMEWORK ? event->stream_id : event->type,
		.source = event->source,
		.flags = event->flags,
	};
}

static inline void nx_kept_event_show(const struct nx_kept_event *kept, uint32_t process,
				      struct nx_system_event *event)
{
	bool is_framework = kept->source == NX_SOURCE_FRAMEWORK;

	*event = (struct nx_system_event){
		.start_ns = kept->start_ns,
		.end_ns = kept->end_ns,
		.id = kept->id,
		.thread_id = kept->thread_id,
		.flow_id = kept->flow_id,
		.handle = kept->handle,
		.process = process,
		.type = is_framework ? NX_FRAMEWORK_EVENT_TYPE : kept->number,
		.name = kept->name,
		.nc_idx = kept->nc_idx,
		.worker_gid = UINT32_MAX,
		.stream_id = is_framework ? kept->number : UINT32_MAX,
		.source = kept->source,
		.flags = kept->flags,
	};
}

#endif
