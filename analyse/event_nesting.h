/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_nesting: which event encloses which. Feed events in order of start, of equal starts the
 * longer first. Runtime and framework events nest among themselves. Hardware events have no parent:
 * the thread they name only read the notification, some time later.
 */
#ifndef NX_ANALYSE_EVENT_NESTING_H
#define NX_ANALYSE_EVENT_NESTING_H

#include "base/map.h"
#include "base/vec.h"
#include "model/system.h"

struct nx_open_event {
	uint64_t id, end_ns, flow_id;
	uint16_t depth;
};

/* In order of start, and each ends before the one below it: an event that another one outlasts
 * can no longer be an innermost parent. */
struct nx_thread_stack {
	struct nx_open_events NX_VEC_BODY(struct nx_open_event) open;
};

#define NX_RECENT_STACKS 64
#define NX_NO_STACK SIZE_MAX

struct nx_event_nesting {
	struct nx_map threads; /* process, thread, source -> index */
	struct nx_thread_stacks NX_VEC_BODY(struct nx_thread_stack) stacks;
	struct nx_recent_stack { /* found without hashing */
		uint64_t thread_id;
		uint32_t process;
		uint32_t source;
		size_t stack;	    /* or NX_NO_STACK */
		size_t stack_count; /* when it was looked for; 0: never */
	} recent[NX_RECENT_STACKS];
};

/* Fills parent_id (the innermost event of its thread that encloses it) and depth. A runtime event
 * without a flow takes that of the framework call it happened in; one with a flow belongs to both.
 */
void nx_event_nesting_place(struct nx_event_nesting *n, struct nx_system_event *event);
void nx_event_nesting_release(struct nx_event_nesting *n);

#endif
