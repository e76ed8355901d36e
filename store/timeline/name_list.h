/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name_list: the names that a node of a timeline stores.
 *
 * It holds the names that cover most of the node, with the time each covers, and the rest: a bound
 * that no other name exceeds. A node with few names lists all of them, and its rest is 0. Names
 * that cover little compared with the first are left out: they rarely decide, and a list is read
 * for every pixel. If many names cover about the same, the list is empty.
 */
#ifndef NX_STORE_TIMELINE_NAME_LIST_H
#define NX_STORE_TIMELINE_NAME_LIST_H

#include "store/timeline/name_tally.h"
#include "store/timeline/packed.h"

/* Borrows from the file. */
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

static inline uint32_t nx_name_list_name(const struct nx_name_list *list, size_t i)
{
	return list->name_base + (uint32_t)nx_packed_at(list->names, i);
}

#endif
