/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xspace_decoder: the events of an XSpace file (`<host>.xplane.pb`) as rows of a system profile, in
 * the order of the file. Memory grows with the names and lines of the file, not with its events.
 *
 * A plane lists its names after its events, so the file is read twice: opening it finds the planes,
 * names and lines, and skips the events.
 */
#ifndef NX_DECODE_XSPACE_XSPACE_DECODER_H
#define NX_DECODE_XSPACE_XSPACE_DECODER_H

#include "base/map.h"
#include "base/number.h"
#include "base/vec.h"
#include "format/xspace.h"
#include "model/system.h"

struct nx_xspace_loss {
	uint64_t event_count;	   /* of the file, samples of counters included */
	uint64_t aggregated_count; /* of them, sums without a time: shown where their line begins */
	uint64_t unnamed_count;	   /* the plane does not name them: shown by number */
	uint64_t malformed_count;  /* not messages, or times out of range: not shown */
	uint64_t backwards_count;  /* negative durations: shown with none */
	uint64_t dropped_plane_count; /* beyond the limit */
	uint64_t read_bytes;	      /* where the first damage is, or the end */
	bool is_cut;		      /* the file ends inside a plane; all before that is kept */
	bool is_damaged;	      /* something before the end is not a message */
};

enum nx_xspace_plane_kind {
	NX_XSPACE_HOST_PLANE,	 /* lines are threads, their ids those of the system */
	NX_XSPACE_RUNTIME_PLANE, /* the same, of the Neuron runtime's calls */
	NX_XSPACE_CORE_PLANE,	 /* a NeuronCore */
	NX_XSPACE_OTHER_PLANE,	 /* a device or another source */
};

/* Stats that rows are made of; 0 if the plane has no such name. */
enum nx_xspace_stat {
	NX_XSPACE_FLOW,
	NX_XSPACE_PRODUCER_TYPE,
	NX_XSPACE_PRODUCER,
	NX_XSPACE_CONSUMER_TYPE,
	NX_XSPACE_CONSUMER,
	NX_XSPACE_CORRELATION,
	NX_XSPACE_STEP_NUM,
	NX_XSPACE_COUNTER_VALUE,
	NX_XSPACE_KNOWN_STATS,
};

#define NX_XSPACE_SMALL_IDS 64

struct nx_xspace_name { /* of an event */
	struct nx_slice name, display_name;
	struct nx_slice metadata;		     /* the message, for its stats */
	const struct nx_event_attribute *attributes; /* its stats, once an event asked for them */
	uint32_t attribute_count;
	bool has_attributes; /* they were read */
};

struct nx_xspace_plane {
	struct nx_slice bytes;
	bool is_cut;
	struct nx_slice name;
	int64_t id;
	enum nx_xspace_plane_kind kind;
	int32_t core;
	struct nx_map events; /* metadata id -> index into the decoder's names */
	struct nx_map stats;  /* metadata id -> index into the decoder's texts */
	int64_t known_stats[NX_XSPACE_KNOWN_STATS];
	bool has_known_stats;
	uint64_t small_known_ids; /* bits of those below NX_XSPACE_SMALL_IDS */
};

struct nx_xspace_thread { /* a row: lines of one plane with the same id */
	uint64_t id;	  /* as thread_id of its events */
	const char *name;
	const char *plane, *line; /* NULL for threads */
	bool is_derived;	  /* computed from other lines */
	bool is_counters;	  /* its events are samples */
};

struct nx_xspace_decoder {
	struct nx_slice file;
	struct nx_xspace_planes NX_VEC_BODY(struct nx_xspace_plane) planes;
	struct nx_xspace_names NX_VEC_BODY(struct nx_xspace_name) names;
	struct nx_xspace_texts NX_VEC_BODY(struct nx_slice) texts;
	struct nx_xspace_threads NX_VEC_BODY(struct nx_xspace_thread) threads;
	struct nx_map threads_by_line; /* plane and line -> index into threads */
	struct nx_map threads_by_id;
	struct nx_xspace_texts hostnames, errors, warnings;
	const char *device_type;    /* of the first device; NULL: not stated */
	uint64_t start_ns, stop_ns; /* of the session, epoch; 0: not stated */
	struct nx_xspace_loss loss;
	uint64_t sample_count; /* of counters; known once the events were decoded */
	struct nx_arena *arena;
	struct nx_arena attributes;		       /* of names */
	char digits[NX_MAX_ATTRIBUTES][NX_NUMBER_MAX]; /* texts of attributes */
};

/* What fn receives. The row lacks process, id and name; the texts live as long as the file. */
struct nx_xspace_event {
	struct nx_system_event row;
	struct nx_slice name;
	uint32_t name_idx; /* equal for equal names of a plane; UINT32_MAX: the plane has none */
};

struct nx_xspace_sample {
	uint64_t time_ns;
	double value;
	struct nx_slice name;
};

typedef void (*nx_xspace_fn)(void *context, const struct nx_xspace_event *event);
typedef void (*nx_xspace_sample_fn)(void *context, const struct nx_xspace_sample *sample);

/* FORMAT if the file is no XSpace; one that is cut or damaged is OK, and the loss says so. The file
 * must outlive the decoder. */
NX_MUST_CHECK enum nx_status nx_xspace_decoder_open(struct nx_xspace_decoder *decoder,
						    struct nx_slice file, const char *path,
						    struct nx_arena *arena, struct nx_error *err);
void nx_xspace_decoder_release(struct nx_xspace_decoder *decoder);

/* Times are epoch ns if the file states when its session started. May be called again. Samples of
 * counters are not events; they are counted. */
void nx_xspace_decode_events(struct nx_xspace_decoder *decoder, nx_xspace_fn fn, void *context);
/* The samples, after nx_xspace_decode_events. */
void nx_xspace_decode_counters(struct nx_xspace_decoder *decoder, nx_xspace_sample_fn fn,
			       void *context);

/*
 * The stats of an event that fn received, and those of its kind; bytes are left out. Returns how
 * many it stored. Texts live until the next call. handle is that of the row.
 */
size_t nx_xspace_attributes(struct nx_xspace_decoder *decoder, const struct nx_system_event *event,
			    struct nx_event_attribute *out, size_t cap);

#endif
