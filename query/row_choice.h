/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_choice: rows of a table by their numbers, as a bit each: 6 MB for 50 million rows.
 *
 * The rows that tracks draw in a time range are chosen from the timeline, so that an export has
 * exactly the rows that were on screen.
 */
#ifndef NX_QUERY_ROW_CHOICE_H
#define NX_QUERY_ROW_CHOICE_H

#include "base/vec.h"
#include "store/timeline/timeline.h"

/* A zeroed struct has no rows. */
struct nx_row_choice {
	uint64_t *bits;
	uint64_t row_count;   /* of the table */
	uint64_t first, last; /* of those chosen; first > last if there are none */
};

void nx_row_choice_init(struct nx_row_choice *choice, uint64_t row_count);
void nx_row_choice_release(struct nx_row_choice *choice);
void nx_row_choice_add(struct nx_row_choice *choice, uint64_t row);
/* All of 64 rows at once: bit i of mask is row 64 * word + i. */
void nx_row_choice_add_word(struct nx_row_choice *choice, uint64_t word, uint64_t mask);

static inline bool nx_row_choice_has(const struct nx_row_choice *choice, uint64_t row)
{
	return row < choice->row_count && choice->bits[row / 64] >> (row % 64) & 1;
}

/* Adds the rows of spans that overlap [from_ns, to_ns), or are empty and start in it. */
void nx_row_choice_add_track(struct nx_row_choice *choice, const struct nx_timeline *timeline,
			     uint32_t track, uint64_t from_ns, uint64_t to_ns);

#endif
