/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strip_internal: one depth of one track, as queries read it.
 *
 * These functions trust the file within its bounds: damaged numbers give wrong answers, never an
 * access outside the strip.
 */
#ifndef NX_STORE_TIMELINE_STRIP_INTERNAL_H
#define NX_STORE_TIMELINE_STRIP_INTERNAL_H

#include "store/timeline/name_tally.h"
#include "store/timeline/timeline_internal.h"

/* A strip with its columns located. */
struct nx_strip {
	struct nx_slice file;
	uint64_t row_count;
	uint64_t first_ns;
	uint64_t end_ns;
	unsigned start_levels;
	const uint64_t *start[NX_MAX_LEVELS];
	const uint64_t *busy;
	const uint64_t *at;
	const uint64_t *caller; /* rows of the longest spans of chunks */
	const uint64_t *longest[NX_MAX_LEVELS];
	const uint64_t *name_at[NX_MAX_LEVELS];
	const uint64_t *name_lists;
	uint64_t name_values;
	const uint64_t *lowest[NX_MAX_LEVELS]; /* doubles, as the two below */
	const uint64_t *highest[NX_MAX_LEVELS];
	const uint64_t *mean[NX_MAX_LEVELS];
};

/* False if there is no such strip of that kind. */
bool nx_strip_open(struct nx_strip *strip, const struct nx_timeline *timeline,
		   enum nx_track_kind kind, uint32_t track, uint32_t depth);
void nx_strip_spans(const struct nx_strip *strip, uint64_t chunk, struct nx_span_chunk *found);
void nx_strip_samples(const struct nx_strip *strip, uint64_t chunk, struct nx_sample_chunk *found);

static inline uint64_t nx_strip_chunks(const struct nx_strip *strip)
{
	return (strip->row_count + NX_CHUNK_ROWS - 1) / NX_CHUNK_ROWS;
}

/* The last chunk whose first row starts before time_ns; 0 if none does. */
uint64_t nx_strip_search(const struct nx_strip *strip, uint64_t time_ns);

/*
 * Covers the full nodes [lo, hi) of the lowest level with few runs of nodes of any level, at most
 * two per level. The nodes of a run are adjacent; the order of runs is unspecified.
 */
struct nx_node_walk {
	uint64_t lo;
	uint64_t hi;
	unsigned fanout_bits;
	unsigned level; /* 0 to begin with */
};

struct nx_node_run {
	unsigned level;
	uint64_t from;
	uint64_t to;
};

bool nx_node_walk_next(struct nx_node_walk *walk, struct nx_node_run *run);

/* A point in time: what precedes it, and its chunk. */
struct nx_edge {
	uint64_t time_ns;
	uint64_t idx;	      /* spans that start before it */
	uint64_t busy_ns;     /* time they cover before it */
	uint64_t over_ns;     /* how much of the last of them extends past it */
	uint64_t cross_start; /* start and name of that span, if it extends past */
	uint32_t cross_name;
	uint64_t chunk; /* contains that span, or begins with the span at idx, or ends before it */
	struct nx_span_chunk spans;
};

/* Times in order; at most NX_EDGES_MAX of them. */
#define NX_EDGES_MAX ((size_t)64)
void nx_edges_find(const struct nx_strip *strip, const uint64_t *times, size_t count,
		   struct nx_edge *edges);

/* The first span in [a, b), after all that end before a. */
static inline uint64_t nx_edge_first(const struct nx_edge *a)
{
	return a->idx - (a->over_ns != 0);
}

/* The row of its chunk at which an edge cuts: earlier rows start before the edge. */
static inline size_t nx_edge_cut(const struct nx_edge *edge)
{
	return (size_t)(edge->idx - edge->chunk * NX_CHUNK_ROWS);
}

/* The longest span in [a, b), the first if equal: its length, and a range of rows that has it. */
struct nx_longest {
	uint64_t ns;
	uint64_t chunk;
	size_t from, to;  /* rows of the chunk */
	bool is_of_chunk; /* it is the span in the index, at from */
};

/* Whether there is a span in [a, b). */
struct nx_longest nx_strip_longest(const struct nx_strip *strip, const struct nx_edge *a,
				   const struct nx_edge *b);

/* The strips of a window, with the edges of a few neighbouring buckets in each. */
struct nx_strip_edges {
	struct nx_strip strip;
	uint32_t depth;
	struct nx_edge *edges;
};

/* Finds the name that covers most of a bucket. Scratch memory for neighbouring buckets; a zeroed
 * struct is ready. The caller releases the tally. */
struct nx_name_search {
	struct nx_name_tally tally;
	/* Levels of nodes that did not decide the last bucket: they will hardly decide the next, so
	 * skip them. */
	unsigned spared_levels;
};

/* The edges at bucket and bucket + 1 bound it; some span in it must have a duration. */
uint32_t nx_dominant_name(struct nx_name_search *search, const struct nx_strip_edges *const *strips,
			  size_t strip_count, size_t bucket);

/* Prefetches what nx_dominant_name will read of a strip. */
void nx_dominant_name_fetch(const struct nx_name_search *search, const struct nx_strip *strip,
			    const struct nx_edge *a, const struct nx_edge *b);

/* The time at which bucket i of a window begins. */
static inline uint64_t nx_window_edge(const struct nx_timeline_window *window, uint64_t i)
{
	uint64_t length_ns = window->to_ns - window->from_ns;
	uint64_t step_ns = length_ns / window->bucket_count;
	uint64_t rest_ns = length_ns % window->bucket_count;

	/* i and rest_ns are below 2^32, so this is exact. */
	return window->from_ns + step_ns * i + rest_ns * i / window->bucket_count;
}

/* For count neighbours, with two divisions in all. */
static inline void nx_window_edges(const struct nx_timeline_window *window, uint64_t i,
				   size_t count, uint64_t *times)
{
	uint64_t length_ns = window->to_ns - window->from_ns;
	uint64_t step_ns = length_ns / window->bucket_count;
	uint64_t rest_ns = length_ns % window->bucket_count;
	uint64_t time_ns = nx_window_edge(window, i);
	uint64_t part = rest_ns * i % window->bucket_count; /* of a nanosecond */

	for (size_t at = 0; at < count; at++) {
		times[at] = time_ns;
		time_ns += step_ns;
		part += rest_ns;
		if (part >= window->bucket_count) {
			part -= window->bucket_count;
			time_ns++;
		}
	}
}

/* The number of different buckets: at most one for each nanosecond. */
static inline uint32_t nx_window_distinct(const struct nx_timeline_window *window)
{
	uint64_t length_ns = window->to_ns - window->from_ns;

	return length_ns < window->bucket_count ? (uint32_t)length_ns : window->bucket_count;
}

/* Fails if the window is empty; NOT_FOUND if there is no such track. */
NX_MUST_CHECK enum nx_status nx_window_check(const struct nx_timeline *timeline,
					     const struct nx_timeline_window *window,
					     enum nx_track_kind kind, struct nx_error *err);

#endif
