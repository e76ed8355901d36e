/* SPDX-License-Identifier: Apache-2.0 */
/* dominant_name: the name that covers most of a bucket. */
#ifndef NX_STORE_TIMELINE_DOMINANT_NAME_H
#define NX_STORE_TIMELINE_DOMINANT_NAME_H

#include "store/timeline/name_tally.h"
#include "store/timeline/strip_internal.h"

/* Scratch memory for queries of neighbouring buckets; a zeroed struct is ready. The
 * caller releases the tally. */
struct nx_name_search {
	struct nx_name_tally tally;
	/* Levels of nodes that did not decide the last bucket: they will hardly decide the next, so
	 * skip them. */
	unsigned spared_levels;
};

/* The edges at bucket and bucket + 1 bound it; some span in it must have a duration. */
uint32_t nx_dominant_name(struct nx_name_search *search, const struct nx_strip_edges *const *strips,
			  size_t strip_count, size_t bucket);

/* Prefetches what nx_dominant_name will read of a strip. */
void nx_dominant_name_fetch(const struct nx_name_search *search, const struct nx_strip *strip,
			    const struct nx_edge *a, const struct nx_edge *b);

#endif
