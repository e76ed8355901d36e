/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_tally: which name covers most, found without looking at every row.
 *
 * For each name it keeps a sum that is certain, and how much of the doubt it is
 * not subject to. A node of a timeline knows its largest names and a bound, its
 * rest, that no other name exceeds. Adding up many nodes, a name has at least the
 * sum of what they say of it, and at most that plus the rests of the nodes that
 * do not mention it. Rows add no doubt.
 *
 * A zeroed struct is an empty tally; clear keeps its memory. Names of small ids
 * have places of their own, others are found through a hash table. Names may keep
 * their places when a tally is cleared, with sums of 0: what comes next mostly
 * has the same ones.
 */
#ifndef NX_STORE_TIMELINE_NAME_TALLY_H
#define NX_STORE_TIMELINE_NAME_TALLY_H

#include "store/timeline/packed.h"

struct nx_name_sum {
	uint64_t busy_ns;
	uint64_t known_ns; /* rests of the nodes that mention this name */
};

struct nx_name_tally {
	struct nx_name_sum *sums; /* of small ids in their order, then of others */
	uint8_t *is_used;	  /* of small ids */
	uint32_t *used;		  /* places in sums that names were given */
	size_t used_count;
	size_t added_count; /* since it was cleared; 0 times may be among them */
	uint32_t *others;   /* names of the places behind the small ids */
	size_t other_count, other_cap;
	uint32_t *table; /* hash table of others: which, counted from 1 */
	size_t table_cap;
	uint64_t rest_ns; /* the doubt: what a name that nobody mentioned may have */
};

/* What one name covers, as a list of names has it. */
struct nx_name_busy {
	uint32_t name;
	uint64_t busy_ns;
};

/* Two columns side by side, rows [from, to). */
struct nx_name_columns {
	uint32_t name_base; /* names are above it */
	struct nx_packed names;
	struct nx_packed busy_ns;
	size_t from, to;
	uint64_t known_ns; /* of the node they come from; 0 for rows */
};

void nx_name_tally_clear(struct nx_name_tally *tally);
void nx_name_tally_release(struct nx_name_tally *tally);

/* Times of 0 are as if they were not added. */
void nx_name_tally_add(struct nx_name_tally *tally, uint32_t name, uint64_t busy_ns,
		       uint64_t known_ns);
void nx_name_tally_add_columns(struct nx_name_tally *tally, const struct nx_name_columns *columns);
/* Adds every sum of another tally; neither has any doubt. */
void nx_name_tally_merge(struct nx_name_tally *tally, const struct nx_name_tally *more);

/* The name with the largest sum, of equals the smallest. False when doubt leaves room for another,
 * or when nothing was added. */
bool nx_name_tally_winner(const struct nx_name_tally *tally, uint32_t *name);
/* The largest sums, largest first, of equals the smallest name first; returns how many. */
size_t nx_name_tally_largest(const struct nx_name_tally *tally, struct nx_name_busy *largest,
			     size_t cap);

#endif
