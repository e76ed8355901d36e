/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline: what happened when, ready to be drawn at any zoom.
 *
 * A timeline is one file beside a profile (timeline.nxl): tracks of spans and of
 * counters, and a pyramid of sums over their rows. A query for any time range and any number of
 * buckets (pixels) takes time proportional to the buckets and the logarithm of the rows, and its
 * result is exactly what the rows give. docs/design/timeline.md has the layout and the proofs;
 * store/timeline/timeline_writer.h writes such a file.
 *
 * Spans of a track that overlap or nest have different depths. Spans at one depth do not overlap;
 * depth 0 is the outermost row in a viewer.
 *
 * The file is mapped, never loaded. An open timeline does not change, so threads may share it
 * without locks. Returned slices are valid until nx_timeline_close. Opening checks the directory,
 * not the rows: damage elsewhere gives wrong answers, but no crash and no endless loop.
 */
#ifndef NX_STORE_TIMELINE_TIMELINE_H
#define NX_STORE_TIMELINE_TIMELINE_H

#include "base/bare/slice.h"
#include "base/error.h"

#define NX_TRACK_NONE UINT32_MAX       /* no parent */
#define NX_NAME_NONE UINT32_MAX	       /* no name */
#define NX_SPAN_NONE UINT64_MAX	       /* no span */
#define NX_ALL_DEPTHS UINT32_MAX       /* a window over a whole track */
#define NX_MAX_DEPTHS ((uint32_t)4096) /* spans deeper than this are counted, not kept */

enum nx_track_kind {
	NX_TRACK_GROUP, /* only groups other tracks */
	NX_TRACK_SPANS,
	NX_TRACK_COUNTER, /* a value that holds until the next one */
	NX_TRACK_KIND_COUNT,
};

/* What a track shows, such as pcore_idx and 0, for readers that group tracks differently. */
struct nx_track_attribute {
	struct nx_slice key, value;
};

struct nx_track {
	enum nx_track_kind kind;
	uint32_t parent; /* a track declared earlier, or NX_TRACK_NONE */
	struct nx_slice name;
	struct nx_slice unit; /* of a counter */
	int64_t rank;	      /* among siblings, smallest first */
	uint64_t keys[2];     /* for the caller, for example core and engine */
	const struct nx_track_attribute *attributes; /* in the order given */
	uint32_t attribute_count;
	bool is_nested; /* only for writing: spans are calls, drawn below the calls around them */
	/* Set when reading: */
	uint32_t depth_count;
	uint64_t row_count;  /* spans or samples of all depths */
	uint64_t lost_count; /* rows that were too deep, or samples that are not numbers */
	uint64_t first_ns;   /* start of the first row; 0 if there is none */
	uint64_t last_ns; /* end of the last span or time of the last sample; 0 if there is none */
};

/* An interval [start_ns, end_ns); start and end may be equal. */
struct nx_span {
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t row; /* for the caller, for example a row of a table */
	uint32_t name;
};

struct nx_sample {
	uint64_t time_ns;
	double value;
};

struct nx_timeline;

NX_MUST_CHECK enum nx_status nx_timeline_open(struct nx_timeline **timeline, const char *path,
					      struct nx_error *err);
/* Whether a part of the file could not be read since (base/file.h). */
bool nx_timeline_is_damaged(const struct nx_timeline *timeline);
void nx_timeline_close(struct nx_timeline *timeline);

/* The first start and the last end; false if the timeline is empty. */
bool nx_timeline_extent(const struct nx_timeline *timeline, uint64_t *from_ns, uint64_t *to_ns);

uint32_t nx_timeline_track_count(const struct nx_timeline *timeline);
/* False if there is no such track. */
bool nx_timeline_track(const struct nx_timeline *timeline, uint32_t track, struct nx_track *found);
uint32_t nx_timeline_name_count(const struct nx_timeline *timeline);
/* Empty if there is no such name. */
struct nx_slice nx_timeline_name(const struct nx_timeline *timeline, uint32_t name);

/*
 * The time range [from_ns, to_ns) in bucket_count buckets. Bucket i begins at
 * from_ns + floor(i * (to_ns - from_ns) / bucket_count). If there are more buckets than
 * nanoseconds, each describes the nanosecond it belongs to.
 */
struct nx_timeline_window {
	uint32_t track;
	uint32_t depth; /* or NX_ALL_DEPTHS */
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t bucket_count;
};

/*
 * The spans of a bucket [a, b). A span belongs to it if it starts before b and ends after a, or if
 * it is empty and starts in [a, b).
 */
struct nx_span_bucket {
	uint64_t busy_ns;     /* covered by spans, summed over the depths */
	uint64_t count;	      /* spans in the bucket */
	uint64_t longest_ns;  /* the whole length, including parts outside the bucket */
	uint64_t longest_idx; /* if equal: the shallowest, then the first; or NX_SPAN_NONE */
	uint64_t longest_row; /* row of that span */
	uint64_t start_ns;    /* of the only span; 0 if there are more or none */
	uint64_t first_idx;   /* at the shallowest depth that has any; or NX_SPAN_NONE */
	uint32_t longest_depth;
	uint32_t first_depth;
	/* The name that covers most of the bucket; if equal, the one with the smallest id. If all
	 * spans are empty, the name of the first; NX_NAME_NONE if there is no span. */
	uint32_t name;
};

/*
 * A counter in a bucket: all values that held at some time in it, including the one carried in
 * from before.
 */
struct nx_counter_bucket {
	uint64_t count; /* samples taken in the bucket */
	bool has_value; /* false before the first sample; then all values are 0 */
	double lowest;
	double highest;
	double last; /* the value at the end of the bucket */
	double mean; /* over the time with a value; exact within 1e-13 of the largest |value| */
};

/* Sets the buckets that have spans; busy receives their indices in order, other buckets are
 * undefined. Both have room for bucket_count. Fails if the window is empty or there is no such
 * track. */
NX_MUST_CHECK enum nx_status nx_timeline_busy(const struct nx_timeline *timeline,
					      const struct nx_timeline_window *window,
					      struct nx_span_bucket *buckets, uint32_t *busy,
					      size_t *busy_count, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_timeline_counter(const struct nx_timeline *timeline,
						 const struct nx_timeline_window *window,
						 struct nx_counter_bucket *buckets,
						 struct nx_error *err);

/* Spans of one track and depth are numbered from 0 in order of time. */
uint64_t nx_timeline_span_count(const struct nx_timeline *timeline, uint32_t track, uint32_t depth);
bool nx_timeline_span(const struct nx_timeline *timeline, uint32_t track, uint32_t depth,
		      uint64_t idx, struct nx_span *span);
/* The first span that starts at or after time_ns; the number of spans if none does. */
uint64_t nx_timeline_next(const struct nx_timeline *timeline, uint32_t track, uint32_t depth,
			  uint64_t time_ns);
/* The span that covers time_ns, or the last empty span at time_ns; or NX_SPAN_NONE. */
uint64_t nx_timeline_find(const struct nx_timeline *timeline, uint32_t track, uint32_t depth,
			  uint64_t time_ns);
/* The first cap spans that belong to the bucket [from_ns, to_ns); returns how many there are in
 * all. idx, if not NULL, receives the number of the first one. */
uint64_t nx_timeline_rows(const struct nx_timeline *timeline,
			  const struct nx_timeline_window *window, struct nx_span *spans,
			  size_t cap, uint64_t *idx);
/* The spans of a depth starting with number first, as many as fit; returns how many. */
size_t nx_timeline_list(const struct nx_timeline *timeline, uint32_t track, uint32_t depth,
			uint64_t first, struct nx_span *spans, size_t cap);

#endif
