/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notifications: a timed run as the records that a device writes into its rings.
 *
 * Per physical core a ring of instructions, one of events, errors, DMA packets
 * and throttling (format/notification.h has the layout). Engines of NeuronCore
 * v2 count ticks of their own clocks, those of v3 picoseconds; the clocks that
 * lead back are part of the result, as they are of an NTFF. On v2 a record can
 * only say whole ticks of DMA engines and throttle; it gets the first that is not
 * before its time.
 */
#ifndef NX_RUNTIME_NOTIFICATIONS_H
#define NX_RUNTIME_NOTIFICATIONS_H

#include "format/ntff.h"
#include "runtime/device/device_report.h"
#include "runtime/timing/loaded_code.h"
#include "runtime/timing/timed_run.h"

struct nx_notified_ring {
	uint32_t core;
	uint8_t trace_type, block_type; /* enum nx_trace_type, enum nx_block_type */
	uint64_t engine_index;
	struct nx_bytes records;
	uint64_t lost_count; /* the oldest, overwritten in a ring that was too small */
};

struct nx_notified {
	NX_VEC(struct nx_notified_ring) rings; /* five of each core, the empty ones too */
	struct nx_ntff_clocks clocks;	       /* the same for each core; from the arena */
	/* From the first NOTIFY of the start to the last of the end, as v2 states the duration
	 * of an execution; 0 when the program has none. */
	uint64_t marked_ps;
	struct nx_arena arena;
};

struct nx_notify_options {
	uint64_t start_ps;    /* of the execution, on the device's clock */
	uint32_t first_core;  /* of the device, that runs the program's first */
	bool has_descriptors; /* DGE notifications are on */
	/* Of the rings of a core, by enum nx_trace_type; 0: as large as it takes. */
	uint64_t ring_bytes[NX_TRACE_THROTTLE + 1];
};

/* Each core has so many DMA engines, numbered through the device. */

/*
 * Fills a zeroed struct. report (may be NULL) has the faults that become error
 * records, at their instructions' end.
 */
void nx_notifications_make(const struct nx_loaded_code *code, const struct nx_timed_run *run,
			   const struct nx_device_report *report,
			   const struct nx_notify_options *options, struct nx_notified *out);
void nx_notified_release(struct nx_notified *notified);

/* True for NeuronCore v2: its engines count ticks, and its captures are of version 5. */
bool nx_notify_counts_ticks(enum nx_device_arch arch);

#endif
