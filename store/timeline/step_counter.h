/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_counter: the sum over all active intervals, as samples of a counter.
 *
 *	nx_step_counter_add(&steps, 10, 30, 2.0, err);	   2 from 10 to 30
 *	nx_step_counter_add(&steps, 20, 50, 5.0, err);	   7 from 20 to 30, then 5
 *	nx_step_counter_finish(&steps, err);		   0 from 50 on
 *
 * Intervals are added in order of their start. There is one sample for each time at which the sum
 * changes; with no active interval the sum is exactly 0, without rounding errors. Empty intervals
 * add nothing. Memory grows with the number of concurrent intervals; those beyond NX_STEPS_AT_ONCE
 * are left out and counted among the track's lost rows.
 */
#ifndef NX_STORE_TIMELINE_STEP_COUNTER_H
#define NX_STORE_TIMELINE_STEP_COUNTER_H

#include "base/vec.h"
#include "store/timeline/timeline_writer.h"

#define NX_STEPS_AT_ONCE ((size_t)4096)

struct nx_counter_step {
	uint64_t end_ns;
	double value;
};

/* Zeroed except for writer and track, which are borrowed. */
struct nx_step_counter {
	struct nx_timeline_writer *writer;
	uint32_t track;
	bool is_begun;
	NX_VEC(struct nx_counter_step) running; /* a heap ordered by end */
	double sum;
	struct nx_sample last; /* not written yet: more may change at the same time */
	double written;
};

NX_MUST_CHECK enum nx_status nx_step_counter_add(struct nx_step_counter *steps, uint64_t start_ns,
						 uint64_t end_ns, double value,
						 struct nx_error *err);
/* Writes the remaining samples. */
NX_MUST_CHECK enum nx_status nx_step_counter_finish(struct nx_step_counter *steps,
						    struct nx_error *err);
void nx_step_counter_release(struct nx_step_counter *steps);

#endif
