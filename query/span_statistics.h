/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span_statistics: the time that the spans of a track take in a time range, in total and by name.
 *
 *	st = nx_span_statistics_take(&statistics, timeline, &part, err);
 *	use(statistics.total.busy_ns, statistics.names[0].name);
 *	nx_span_statistics_release(&statistics);
 *
 * Counts the spans that overlap [from_ns, to_ns), and empty ones that start in it. busy_ns is how
 * much of the range at least one span covers; sum_ns is the sum of the durations of the spans, also
 * where they reach outside or overlap. All spans of the range are read from the mapped file, in
 * order of time, so memory grows only with the number of names.
 */
#ifndef NX_QUERY_SPAN_STATISTICS_H
#define NX_QUERY_SPAN_STATISTICS_H

#include "store/timeline/timeline.h"

struct nx_span_part {
	uint32_t track;
	uint64_t from_ns, to_ns;
	/* Called now and then; CANCELLED if it returns false. NULL: always true. */
	bool (*is_wanted)(void *context);
	void *context;
};

struct nx_span_cost {
	uint32_t name;
	uint64_t count, sum_ns, busy_ns;
};

struct nx_span_statistics {
	struct nx_span_cost total;
	struct nx_span_cost *names; /* by time, then count, both descending, then id */
	size_t name_count;
};

/* NOT_FOUND for a track of another kind. Release it after a failure too. */
NX_MUST_CHECK enum nx_status nx_span_statistics_take(struct nx_span_statistics *statistics,
						     const struct nx_timeline *timeline,
						     const struct nx_span_part *part,
						     struct nx_error *err);
void nx_span_statistics_release(struct nx_span_statistics *statistics);

#endif
