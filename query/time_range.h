/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_range: a time range as users write it, and which rows overlap it.
 *
 *	st = nx_time_parse("1.5ms", &range.from_ns, err);
 *	range.has_from = true;
 *	if (nx_time_range_holds(&range, start_ns, end_ns)) ...
 *
 * Times are compared as they are stored, so they have the same origin as those of
 * the table: the start of the measured window, or 1970 for the host's clock.
 */
#ifndef NX_QUERY_TIME_RANGE_H
#define NX_QUERY_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* A zeroed one is all of time. */
struct nx_time_range {
	bool has_from, has_to;
	int64_t from_ns;
	int64_t to_ns; /* exclusive */
};

/*
 * "1500" or "1500ns", "20us" (or µs), "1.5ms", "3s", with a leading
 * '-' too. USAGE for fractions of a nanosecond and for times that do not fit 64 bits.
 */
NX_MUST_CHECK enum nx_status nx_time_parse(const char *text, int64_t *time_ns,
					   struct nx_error *err);

static inline bool nx_time_range_is_given(const struct nx_time_range *range)
{
	return range->has_from || range->has_to;
}

/*
 * Whether [start, end) overlaps the range. An instant (end is start) overlaps if it
 * lies inside.
 */
static inline bool nx_time_range_holds(const struct nx_time_range *range, int64_t start_ns,
				       int64_t end_ns)
{
	if (range->has_to && start_ns >= range->to_ns)
		return false;
	return !range->has_from || end_ns > range->from_ns ||
	       (end_ns == range->from_ns && start_ns == range->from_ns);
}

#endif
