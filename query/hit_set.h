/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hit_set: which spans of a timeline a search found, so that they can be marked at any zoom.
 *
 *	st = nx_hit_set_add(&set, timeline, table, &rows, &wish, err);	for each table
 *	nx_hit_set_marks(timeline, strip, &window, &marks);
 *
 * A bit for each span, in order of time, for those strips (depths of tracks) that have hits:
 * counting the hits of a pixel means counting bits, whatever the number of rows.
 * Immutable once made; threads may share it.
 */
#ifndef NX_QUERY_HIT_SET_H
#define NX_QUERY_HIT_SET_H

#include "query/row_choice.h"

struct nx_hit_strip {
	uint32_t track, depth;
	uint64_t span_count, hit_count;
	uint64_t *bits;
};

/* A zeroed struct is an empty set. */
struct nx_hit_set {
	struct nx_hit_strips NX_VEC_BODY(struct nx_hit_strip) strips; /* by track and depth */
	uint64_t size_bytes;
};

struct nx_hit_wish {			  /* called now and then; CANCELLED if it returns false */
	bool (*is_wanted)(void *context); /* NULL: always true */
	void *context;
};

/* The spans that draw chosen rows of the table (enum nx_schema_table_id, the track's first key). */
NX_MUST_CHECK enum nx_status nx_hit_set_add(struct nx_hit_set *set,
					    const struct nx_timeline *timeline, uint64_t table,
					    const struct nx_row_choice *rows,
					    const struct nx_hit_wish *wish, struct nx_error *err);
void nx_hit_set_release(struct nx_hit_set *set);

/* Hits that are marked together: those that begin in the same pixel. */
struct nx_hit_mark {
	uint64_t start_ns, end_ns; /* of the first and the last, as they are */
	uint64_t count;
	uint64_t row; /* of the first, as the name */
	uint32_t name;
};
struct nx_hit_marks NX_VEC_BODY(struct nx_hit_mark);

/*
 * The marks of a strip in the window, at most one for each of its buckets, in order of time.
 * A hit that began before the window is in the first one. Marks are appended.
 */
void nx_hit_set_marks(const struct nx_timeline *timeline, const struct nx_hit_strip *strip,
		      const struct nx_timeline_window *window, struct nx_hit_marks *marks);

#endif
