/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_whole: every bucket and every sample of a window, for tests that compare them all. */
#ifndef NX_TESTS_TIMELINE_WHOLE_H
#define NX_TESTS_TIMELINE_WHOLE_H

#include <stdlib.h>

#include "store/timeline/strip_internal.h"

/* Like nx_timeline_busy, but empty buckets are set as well. */
static inline enum nx_status whole_spans(const struct nx_timeline *t,
					 const struct nx_timeline_window *window,
					 struct nx_span_bucket *buckets, struct nx_error *err)
{
	uint32_t *busy = calloc((size_t)window->bucket_count + 1, sizeof(*busy));
	size_t busy_count = 0, next = 0;
	enum nx_status st = nx_timeline_busy(t, window, buckets, busy, &busy_count, err);

	for (uint32_t i = 0; !st && i < window->bucket_count; i++) {
		if (next < busy_count && busy[next] == i)
			next++;
		else
			buckets[i] = (struct nx_span_bucket){.longest_idx = NX_SPAN_NONE,
							     .first_idx = NX_SPAN_NONE,
							     .name = NX_NAME_NONE};
	}
	free(busy);
	return st;
}

/* The first cap samples in [from_ns, to_ns); returns how many there are. */
static inline uint64_t whole_samples(const struct nx_timeline *t,
				     const struct nx_timeline_window *window,
				     struct nx_sample *samples, size_t cap)
{
	struct nx_sample_chunk chunk;
	struct nx_strip strip;
	uint64_t count = 0;

	if (!nx_strip_open(&strip, t, NX_TRACK_COUNTER, window->track, 0))
		return 0;
	for (uint64_t idx = 0; idx < strip.row_count; idx++) {
		uint64_t time_ns;

		if (idx % NX_CHUNK_ROWS == 0)
			nx_strip_samples(&strip, idx / NX_CHUNK_ROWS, &chunk);
		time_ns = nx_sample_chunk_time(&chunk, idx % NX_CHUNK_ROWS);
		if (time_ns < window->from_ns || time_ns >= window->to_ns)
			continue;
		if (count < cap)
			samples[count] = (struct nx_sample){
				time_ns, nx_sample_chunk_value(&chunk, idx % NX_CHUNK_ROWS)};
		count++;
	}
	return count;
}

#endif
