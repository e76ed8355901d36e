/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans_decoder: spans.pb, what a program recorded about itself, as events of its process, in the
 * order in which they end. Memory grows with names and open spans, not with the file.
 */
#ifndef NX_DECODE_SPANS_SPANS_DECODER_H
#define NX_DECODE_SPANS_SPANS_DECODER_H

#include "base/map.h"
#include "base/vec.h"
#include "format/spans.h"
#include "model/system.h"

struct nx_spans_loss {
	uint64_t record_count;
	uint64_t unreadable_count; /* not messages, or without a time */
	uint64_t unknown_count;	   /* of a kind that this version does not know */
	uint64_t unfinished_count; /* BEGIN without END: they end with the file */
	uint64_t orphan_count;	   /* END without BEGIN: left out */
	uint64_t duplicate_count;  /* BEGIN of an id that is already open: the older one ends */
	uint64_t backwards_count;  /* ends before its start: shown with no duration */
	uint64_t unnamed_count;	   /* uses a name that is not defined */
	uint64_t torn_bytes;	   /* after the last complete record */
	bool has_no_end;	   /* killed, or still running */
	bool is_newer;		   /* a later version wrote it */
	/* as the program counted them */
	uint64_t recorded_count, lost_count;
};

struct nx_spans_definition {
	struct nx_slice text, file; /* file: empty if unknown */
	uint64_t kind, line;
};

struct nx_spans_thread {
	uint64_t thread_id;
	struct nx_slice name;
};

struct nx_spans_decoder {
	struct nx_slice file;
	struct nx_map definition_ids; /* number in the file -> index */
	struct NX_VEC_BODY(struct nx_spans_definition) definitions;
	struct nx_map thread_ids;
	struct nx_spans_threads NX_VEC_BODY(struct nx_spans_thread) threads;
	uint64_t newest_ns; /* of all records */
	struct nx_spans_loss loss;
};

/*
 * row has start_ns, end_ns, thread_id, flow_id (0: none), handle, flags and stream_id; the pipeline
 * fills in the rest. The name borrows from the file.
 */
struct nx_spans_event {
	struct nx_system_event row;
	struct nx_slice name;
};

struct nx_spans_sample {
	uint64_t time_ns;
	double value;
	struct nx_slice name;
};

typedef void (*nx_spans_event_fn)(void *context, const struct nx_spans_event *event);
typedef void (*nx_spans_sample_fn)(void *context, const struct nx_spans_sample *sample);

/* The decoder starts zeroed; file stays mapped as long as it is used. */
void nx_spans_decode(struct nx_spans_decoder *decoder, struct nx_slice file, nx_spans_event_fn fn,
		     void *context);
/* Samples of counters, after nx_spans_decode. */
void nx_spans_decode_counters(const struct nx_spans_decoder *decoder, nx_spans_sample_fn fn,
			      void *context);
void nx_spans_decoder_release(struct nx_spans_decoder *decoder);

/*
 * kind, source_file and source_line, step_name and step_num, thread_name, then the program's own; a
 * key that END repeats has END's value. Numbers are text, in a buffer of the calling thread that
 * its next call overwrites. Returns how many, at most cap.
 */
size_t nx_spans_event_attributes(const struct nx_spans_decoder *decoder,
				 const struct nx_system_event *event,
				 struct nx_event_attribute *out, size_t cap);

/* NULL if the file does not define it. */
const struct nx_spans_definition *nx_spans_definition_of(const struct nx_spans_decoder *decoder,
							 uint64_t name);

#endif
