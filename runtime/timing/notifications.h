/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notifications: a timed run as the records that a device writes into its rings.
 *
 * Each physical core has rings for instructions, events, errors, DMA packets and
 * throttling (format/notification.h). Engines of NeuronCore v2 count ticks of several
 * clocks, those of v3 picoseconds; the result has the clocks that convert them.
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
	uint64_t marked_ps; /* from the start's NOTIFY to the end's: v2's duration; 0: unknown */
	struct nx_arena arena;
};

struct nx_notify_options {
	uint64_t start_ps;    /* of the execution, on the device's clock */
	uint32_t first_core;  /* of the device, where the program's first core runs */
	bool has_descriptors; /* DGE notifications are on */
	/* Ring sizes per core, by enum nx_trace_type; 0: as needed. */
	uint64_t ring_bytes[NX_TRACE_THROTTLE + 1];
};

/* Fills a zeroed struct. Faults of report, which may be NULL, become error records. */
void nx_notifications_make(const struct nx_loaded_code *code, const struct nx_timed_run *run,
			   const struct nx_device_report *report,
			   const struct nx_notify_options *options, struct nx_notified *out);
void nx_notified_release(struct nx_notified *notified);

/* True for NeuronCore v2: its engines count ticks, and its captures have version 5. */
bool nx_notify_counts_ticks(enum nx_device_arch arch);
/* The clocks of all engines. Without ticks they count picoseconds. */
void nx_notify_set_clocks(struct nx_ntff_clocks *clocks, bool counts_ticks, struct nx_arena *arena);

#endif
