/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interval_list: spans of work in order of time, never more than a reader can use.
 *
 * Beyond NX_INTERVALS_MAX the intervals with the shortest pauses between them are joined, so a
 * list costs bounded memory however often something ran, and its sums stay exact.
 */
#ifndef NX_ANALYSE_INTERVAL_LIST_H
#define NX_ANALYSE_INTERVAL_LIST_H

#include "base/vec.h"

#define NX_INTERVALS_MAX 4096

struct nx_interval {
	uint64_t start_ps, end_ps;
	uint64_t element_count; /* of MATMULs */
	uint64_t transpose_element_count;
	uint64_t hbm_bytes; /* read and written */
};

struct nx_intervals NX_VEC_BODY(struct nx_interval);

/* Numbers of files can be lies: sums stop at what a column can hold. */
static inline void nx_interval_sum(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum) || *sum > INT64_MAX)
		*sum = INT64_MAX;
}

/* The later interval becomes part of the earlier one. */
void nx_interval_join(struct nx_interval *earlier, const struct nx_interval *later);

/* Behind all others, in order of start. May leave up to twice NX_INTERVALS_MAX. */
void nx_intervals_add(struct nx_intervals *list, const struct nx_interval *interval);
/* Joins until there are at most limit (not 0). */
void nx_intervals_reduce(struct nx_intervals *list, size_t limit);

#endif
