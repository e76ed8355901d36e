/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_places: the tracks that a row is drawn on while a timeline is written.
 *
 * Rows of one rule that agree in its columns share a place; the first of them creates its tracks.
 * There are millions of rows for each new place, so recently used ones are cached by a hash of the
 * row's cells.
 */
#ifndef NX_STORE_TIMELINE_TIMELINE_PLACES_H
#define NX_STORE_TIMELINE_TIMELINE_PLACES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "store/timeline/step_counter.h"
#include "store/timeline/timeline_rules.h"
#include "store/timeline/timeline_writer.h"

#define NX_RECENT_PLACE_BITS 10

/* Of one column below a level. */
struct nx_place_share {
	uint32_t track; /* NX_TRACK_NONE until the value is not 0 */
	double value;
};

struct nx_timeline_place {
	uint64_t first_ns, last_ns; /* starts of rows */
	uint32_t tracks[NX_MAX_SERIES];
	struct nx_step_counter *steps[NX_MAX_SERIES]; /* of rates */
	struct nx_place_share *shares;		      /* by column, the first share's at 0 */
};

struct nx_recent_place {
	struct nx_bytes key; /* nx_row_place_key; empty: not used yet */
	uint32_t place;
};

struct nx_timeline_places {
	struct nx_timeline_writer *writer; /* borrowed */
	struct nx_text_map idxs;	   /* nx_row_place_key -> items */
	NX_VEC(struct nx_timeline_place) items;
	struct nx_text_map groups; /* by name */
	struct nx_arena arena;
	struct nx_recent_place recent[1 << NX_RECENT_PLACE_BITS];
};

/* The cell as a time; 0 if it is not one or is before the epoch. */
static inline uint64_t nx_row_time_ns(const struct nx_row *row, unsigned column)
{
	int64_t ns = row->kinds[column] == NX_CELL_I64 ? row->cells[column].i64 : 0;

	return ns > 0 ? (uint64_t)ns : 0;
}

/*
 * The place of a row that starts at start_ns. If the rule separates processes, a row that starts
 * before the previous one belongs to another run and gets a place of its own. Valid until the next
 * call.
 */
struct nx_timeline_place *nx_timeline_places_find(struct nx_timeline_places *places,
						  const struct nx_timeline_rule *rule,
						  const struct nx_row *row, uint64_t start_ns);

/* Writes the remaining samples of the rates. */
NX_MUST_CHECK enum nx_status nx_timeline_places_finish(struct nx_timeline_places *places,
						       struct nx_error *err);
void nx_timeline_places_release(struct nx_timeline_places *places);

#endif
