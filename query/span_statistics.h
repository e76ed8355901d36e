/* SPDX-License-Identifier: Apache-2.0 */
/*
 * span_statistics: what the spans of a track cost in a part of time, in all and by name.
 *
 *	st = nx_span_statistics_take(&statistics, timeline, &part, err);
 *	use(statistics.total.busy_ns, statistics.names[0].name);
 *	nx_span_statistics_release(&statistics);
 *
 * Counted are spans of which any part lies in [from_ns, to_ns), and empty ones that start in it.
 * busy_ns is the time of the part that at least one span covers, sum_ns how long the spans are
 * altogether, also where they reach outside or overlap. All spans of the part are read, from
 * the mapped file and in order of time, so memory grows with the names alone.
 */
#ifndef NX_QUERY_SPAN_STATISTICS_H
#define NX_QUERY_SPAN_STATISTICS_H

#include "store/timeline/timeline.h"

struct nx_span_part {
	uint32_t track;
	uint64_t from_ns, to_ns;
	/* Asked now and then; CANCELLED when it says no. NULL: always. */
	bool (*is_wanted)(void *context);
	void *context;
};

struct nx_span_cost {
	uint32_t name;
	uint64_t count, sum_ns, busy_ns;
};

struct nx_span_statistics {
	struct nx_span_cost total;
	struct nx_span_cost *names; /* most time first; of equals the more frequent, then the id */
	size_t name_count;
};

/* NOT_FOUND for a track that has no spans to have. Release also after a failure. */
NX_MUST_CHECK enum nx_status nx_span_statistics_take(struct nx_span_statistics *statistics,
						     const struct nx_timeline *timeline,
						     const struct nx_span_part *part,
						     struct nx_error *err);
void nx_span_statistics_release(struct nx_span_statistics *statistics);

#endif
