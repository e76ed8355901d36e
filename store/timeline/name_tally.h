/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_tally: finds the name that covers most without looking at every row.
 *
 * For each name it keeps a lower bound of the time it covers, and the rests that do not apply to
 * it. A node of a timeline knows its largest names and a bound, its rest, that no other name
 * exceeds. Over many nodes, a name covers at least the sum of what they list for it, and at most
 * that plus the rests of the nodes that do not list it. Rows have no rest.
 *
 * A zeroed struct is an empty tally; clear keeps its memory. Names with small ids are indexed
 * directly, others through a hash table. Names may keep their slots when a tally is cleared, with
 * sums of 0: the next bucket mostly has the same names.
 */
#ifndef NX_STORE_TIMELINE_NAME_TALLY_H
#define NX_STORE_TIMELINE_NAME_TALLY_H

#include "store/timeline/packed.h"

struct nx_name_sum {
	uint64_t busy_ns;
	uint64_t known_ns; /* rests of the nodes that mention this name */
};

struct nx_name_tally {
	struct nx_name_sum *sums; /* small ids in order, then others */
	uint8_t *is_used;	  /* of small ids */
	uint32_t *used;		  /* slots in sums that are in use */
	size_t used_count;
	size_t added_count; /* since it was cleared; some may have a time of 0 */
	uint32_t *others;   /* names of the slots after the small ids */
	size_t other_count, other_cap;
	uint32_t *table; /* hash table of others: which, counted from 1 */
	size_t table_cap;
	uint64_t rest_ns; /* the sum of rests: the most that an unlisted name may cover */
};

/* The time that one name covers. */
struct nx_name_busy {
	uint32_t name;
	uint64_t busy_ns;
};

/* Two columns side by side, rows [from, to). */
struct nx_name_columns {
	uint32_t name_base; /* added to every name */
	struct nx_packed names;
	struct nx_packed busy_ns;
	size_t from, to;
	uint64_t known_ns; /* of their node; 0 for rows */
};

void nx_name_tally_clear(struct nx_name_tally *tally);
void nx_name_tally_release(struct nx_name_tally *tally);

/* Times of 0 have no effect. */
void nx_name_tally_add(struct nx_name_tally *tally, uint32_t name, uint64_t busy_ns,
		       uint64_t known_ns);
void nx_name_tally_add_columns(struct nx_name_tally *tally, const struct nx_name_columns *columns);
/* Adds every sum of another tally; neither may have a rest. */
void nx_name_tally_merge(struct nx_name_tally *tally, const struct nx_name_tally *more);

/* The name with the largest sum; if equal, the smallest id. False if the rests leave room for
 * another name, or if nothing was added. */
bool nx_name_tally_winner(const struct nx_name_tally *tally, uint32_t *name);
/* The largest sums, largest first; if equal, the smallest id first. Returns how many. */
size_t nx_name_tally_largest(const struct nx_name_tally *tally, struct nx_name_busy *largest,
			     size_t cap);

/*
 * The names that a node of a timeline stores: those that cover most of it, with the time each
 * covers, and the rest. A node with few names lists all of them, and its rest is 0. Names that
 * cover little compared with the first are left out: they rarely decide, and a list is read for
 * every pixel. If many names cover about the same, the list is empty. Borrows from the file.
 */
struct nx_name_list {
	size_t count;
	uint64_t rest_ns;
	uint32_t name_base;
	struct nx_packed names; /* above name_base */
	struct nx_packed busy_ns;
};

/* The fewer the nodes, the longer the lists. Appends a multiple of eight bytes. */
void nx_name_list_append(struct nx_bytes *bytes, const struct nx_name_tally *tally, unsigned level);
/* NX_PACKED_SLACK bytes must be readable after the numbers. Numbers that are not a list or are cut
 * short read as an empty list. */
void nx_name_list_read(struct nx_name_list *list, const uint64_t *numbers, uint64_t count);

#endif
