/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xprof_trace: a timeline as the trace viewer of XProf and TensorBoard loads it.
 *
 *	nx_xprof_processes_list(&processes, timeline, "demo", &arena);
 *	choice = (struct nx_xprof_choice){.from_ns = 0, .to_ns = UINT64_MAX, .resolution = 8000};
 *	st = nx_xprof_trace_json(timeline, &processes, &choice, &body, err);
 *
 * A root track is a process, and the tracks below it are its threads. Times count from the start of
 * the timeline. With a resolution, an event is left out if it is shorter than one part of the time
 * range and starts less than that after the last event shown at its depth, as XProf decides.
 */
#ifndef NX_SERVE_XPROF_TRACE_H
#define NX_SERVE_XPROF_TRACE_H

#include "base/arena.h"
#include "base/json_writer.h"
#include "store/timeline/timeline.h"

/* XProf sends everything below so many events. No answer has more. */
#define NX_XPROF_EVENTS_MAX ((uint64_t)500000)
#define NX_XPROF_RESOLUTION 8000u

struct nx_xprof_process {
	uint32_t track;	      /* the root */
	uint32_t pid;	      /* devices from 1, hosts from 701 */
	struct nx_slice name; /* of the timeline */
	struct nx_slice host;
};

struct nx_xprof_processes {
	struct nx_xprof_process *items;
	size_t count;
	uint32_t *of_track; /* index into items, by track */
};

struct nx_xprof_choice {
	uint64_t from_ns, to_ns; /* cut to the timeline's extent */
	uint64_t resolution;	 /* parts of the time range; 0: all events */
	const char **hosts;	 /* NULL: all */
	size_t host_count;
	struct nx_slice prefix; /* of names; empty: all */
	bool (*is_wanted)(void *context);
	void *context;
};

/* fallback is the host of tracks that state none, as those of a device. */
void nx_xprof_processes_list(struct nx_xprof_processes *processes,
			     const struct nx_timeline *timeline, const char *fallback,
			     struct nx_arena *arena);

/* CANCELLED if the answer is no longer wanted. */
NX_MUST_CHECK enum nx_status nx_xprof_trace_json(const struct nx_timeline *timeline,
						 const struct nx_xprof_processes *processes,
						 const struct nx_xprof_choice *choice,
						 struct nx_bytes *body, struct nx_error *err);
/* The same events, one line each. */
NX_MUST_CHECK enum nx_status nx_xprof_trace_csv(const struct nx_timeline *timeline,
						const struct nx_xprof_processes *processes,
						const struct nx_xprof_choice *choice,
						struct nx_bytes *body, struct nx_error *err);

/* The number "z" of an event names its row: table and row are found again from it. */
uint64_t nx_xprof_event_number(uint64_t table, uint64_t row);
void nx_xprof_event_place(uint64_t number, uint64_t *table, uint64_t *row);
/* Microseconds with up to three decimals, exact. */
void nx_xprof_put_us(struct nx_json_writer *w, const char *key, uint64_t ns);

#endif
