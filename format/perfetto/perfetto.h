/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto: writes Perfetto's protobuf trace as a stream, in memory bounded by
 * the number of tracks and distinct names.
 *
 *	struct nx_perfetto *p = nx_perfetto_new(out, compress);
 *	uint32_t core = nx_perfetto_track(p, NX_PERFETTO_ROOT, "NeuronCore 4", 0);
 *	uint32_t row = nx_perfetto_track(p, core, "Tensor", 1);
 *	nx_perfetto_begin(p, row, start_ns, "MATMUL", args, 3, NULL);
 *	nx_perfetto_end(p, row, end_ns);
 *	nx_perfetto_finish(p);
 *
 * One packet sequence per track: names, argument names and argument texts are
 * interned per sequence, timestamps are deltas, the track comes from defaults. Calls for one track
 * must be in order of time and slices must nest; the caller assigns lanes to overlapping work
 * (base/lanes.h). With compress, packets are written in deflated bundles.
 *
 * Several threads may write a trace in shards: each is a separate writer whose track numbers no
 * other shard uses, and the trace is the concatenation of their bytes. A shard does not see the
 * tracks of the others.
 */
#ifndef NX_FORMAT_PERFETTO_PERFETTO_H
#define NX_FORMAT_PERFETTO_PERFETTO_H

#include "base/bare/slice.h"
#include "base/file.h"

struct nx_perfetto;

#define NX_PERFETTO_ROOT UINT32_MAX /* "no parent" */

enum nx_perfetto_kind {
	NX_PERFETTO_TEXT,
	NX_PERFETTO_U64,
	NX_PERFETTO_I64,
	NX_PERFETTO_F64,
	NX_PERFETTO_BOOL,
};

struct nx_perfetto_arg {  /* a debug annotation */
	const char *name; /* interned: use a small set of texts */
	enum nx_perfetto_kind kind;
	bool is_unique; /* a text that will not recur: do not intern it */
	struct nx_slice text;
	uint64_t u64; /* also I64 (as int64_t) and BOOL */
	double f64;
};

enum nx_perfetto_unit { NX_UNIT_NONE, NX_UNIT_COUNT, NX_UNIT_BYTES, NX_UNIT_NS };

struct nx_perfetto *nx_perfetto_new(struct nx_output *out, bool compress);

struct nx_perfetto_shard {
	uint32_t index, count; /* of all shards of this trace */
	void (*write)(void *context, const void *data, size_t len);
	void *context;
};
struct nx_perfetto *nx_perfetto_new_shard(const struct nx_perfetto_shard *shard, bool compress);
/* A number for a process or thread, unique across shards. */
uint64_t nx_perfetto_new_number(struct nx_perfetto *p);
/* Flushes and frees. Failures of writing surface at the output's commit. */
void nx_perfetto_finish(struct nx_perfetto *p);

/* Each returns the handle of a track. rank orders siblings. */
uint32_t nx_perfetto_process(struct nx_perfetto *p, uint64_t pid, const char *name);
uint32_t nx_perfetto_thread(struct nx_perfetto *p, uint32_t process, uint64_t tid, const char *name,
			    uint32_t rank);
uint32_t nx_perfetto_track(struct nx_perfetto *p, uint32_t parent, const char *name, uint32_t rank);
uint32_t nx_perfetto_counter(struct nx_perfetto *p, uint32_t parent, const char *name,
			     enum nx_perfetto_unit unit, const char *unit_name, uint32_t rank);

/* flow_ids connect slices: the same id on a producer and, terminating, on its consumer. */
struct nx_perfetto_flows {
	const uint64_t *out_ids;
	size_t out_count;
	const uint64_t *in_ids; /* terminating */
	size_t in_count;
};

void nx_perfetto_begin(struct nx_perfetto *p, uint32_t track, uint64_t time_ns, const char *name,
		       const struct nx_perfetto_arg *args, size_t arg_count,
		       const struct nx_perfetto_flows *flows);
void nx_perfetto_end(struct nx_perfetto *p, uint32_t track, uint64_t time_ns);
void nx_perfetto_instant(struct nx_perfetto *p, uint32_t track, uint64_t time_ns, const char *name,
			 const struct nx_perfetto_arg *args, size_t arg_count);
void nx_perfetto_count(struct nx_perfetto *p, uint32_t track, uint64_t time_ns, double value);

#endif
