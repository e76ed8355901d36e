/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto_device: the parts of a device profile's Perfetto trace. Each scans the tables it needs
 * and writes tracks below every core (docs/formats/perfetto.md lists them). */
#ifndef NX_EXPORT_PERFETTO_DEVICE_H
#define NX_EXPORT_PERFETTO_DEVICE_H

#include "base/lanes.h"
#include "base/vec.h"
#include "export/exporters.h"
#include "format/perfetto/perfetto.h"

/* Order of the tracks below a core; the engines come first. */
enum nx_device_rank {
	NX_RANK_ENGINES = 0,
	NX_RANK_PACKETS = 6,
	NX_RANK_TRANSFERS,
	NX_RANK_THROUGHPUT,
	NX_RANK_PENDING,
	NX_RANK_HFU,
	NX_RANK_MFU,
	NX_RANK_SBUF,
	NX_RANK_PSUM,
	NX_RANK_PSUM_BANKS,
	NX_RANK_THROTTLE,
	NX_RANK_SEMAPHORES,
	NX_RANK_NOTIFICATIONS,
	NX_RANK_MEMORY,
};

struct nx_device_trace {
	struct nx_perfetto *p;
	const struct nx_profile *profile;
	const struct nx_export_options *options;
	uint32_t cores[NX_MAX_GRAPHS]; /* the track of each core, parent of all its others */
};

enum nx_status nx_perfetto_instructions(const struct nx_device_trace *trace, struct nx_error *err);
enum nx_status nx_perfetto_dma(const struct nx_device_trace *trace, struct nx_error *err);
enum nx_status nx_perfetto_counters(const struct nx_device_trace *trace, struct nx_error *err);
/* What fills the memories, if the profile has a memory report. */
enum nx_status nx_perfetto_memory(const struct nx_device_trace *trace, struct nx_error *err);
/* Semaphores, notifications of the hardware, warnings, facts about the profile. */
enum nx_status nx_perfetto_points(const struct nx_device_trace *trace, struct nx_error *err);

/* Start and duration are floored separately, as in the JSON export. */
static inline uint64_t nx_perfetto_end_ns(uint64_t start_ps, uint64_t end_ps)
{
	return start_ps / 1000 + (end_ps > start_ps ? (end_ps - start_ps) / 1000 : 0);
}

/* --- arguments: details of rows, named like the fields of the JSON export ------------------ */

#define NX_SEMAPHORE_LABEL_MAX 300

struct nx_perfetto_args NX_VEC_BODY(struct nx_perfetto_arg);

void nx_perfetto_arg_u64(struct nx_perfetto_args *args, const char *name, uint64_t value);
void nx_perfetto_arg_f64(struct nx_perfetto_args *args, const char *name, double value);
void nx_perfetto_arg_bool(struct nx_perfetto_args *args, const char *name, bool value);
/* Borrows the text. */
void nx_perfetto_arg_text(struct nx_perfetto_args *args, const char *name, const char *text);

/* "S[5] (Tensor)", or "S[5]" without a NEFF. */
void nx_perfetto_semaphore_label(const struct nx_profile *profile, uint32_t graph,
				 uint32_t semaphore, char label[NX_SEMAPHORE_LABEL_MAX]);

/* --- rows ------------------------------------------------------------------------------------ */

/*
 * A timeline row whose slices may overlap. Each lane is a track of its own; lanes share name,
 * parent and rank, so that viewers show them as one row. Slices must come in order of start.
 */
struct nx_perfetto_row {
	struct nx_perfetto *p;
	const char *name; /* borrowed */
	uint32_t parent, rank;
	struct nx_lanes lanes;
	struct nx_lane_tracks NX_VEC_BODY(uint32_t) tracks; /* parallel to the lanes */
};

struct nx_perfetto_slice {
	uint64_t start_ns, end_ns;
	const char *name;
	const struct nx_perfetto_arg *args;
	size_t arg_count;
	const struct nx_perfetto_flows *flows; /* may be NULL */
};

void nx_perfetto_row_put(struct nx_perfetto_row *row, const struct nx_perfetto_slice *slice);
/* Ends open slices and releases. */
void nx_perfetto_row_finish(struct nx_perfetto_row *row);

/* --- utilisation ----------------------------------------------------------------------------- */

/*
 * HFU and MFU of one core over time. A MATMUL spreads its flops evenly over its time; at every
 * start and end the sum over those in flight, divided by the core's peak, is written. HFU counts
 * all of them, MFU leaves out those that only transpose. The mean of the curve over a profile of
 * one core is the summary's number.
 */
struct nx_work { /* a MATMUL in flight */
	uint64_t end_ns;
	double hardware, model; /* its share of the peak */
};

struct nx_utilisation_step { /* a counter, written when it changes */
	uint32_t track;
	uint64_t time_ns;
	double value, written;
};

struct nx_utilisation {
	struct nx_perfetto *p;
	double peak_flops;
	struct nx_works NX_VEC_BODY(struct nx_work) open; /* the next to end is last */
	struct nx_utilisation_step hfu, mfu;
};

void nx_utilisation_begin(struct nx_utilisation *u, const struct nx_device_trace *trace,
			  uint32_t graph);
void nx_utilisation_add(struct nx_utilisation *u, const struct nx_instruction *row,
			const struct nx_slot *slot);
void nx_utilisation_finish(struct nx_utilisation *u);

#endif
