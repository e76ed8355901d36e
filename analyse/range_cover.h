/* SPDX-License-Identifier: Apache-2.0 */
/*
 * range_cover: how many bytes are covered by at least one of many ranges that come and go.
 *
 * Declare every range that will be added, prepare once, then add (1) and remove (-1): each takes
 * time in proportion to the logarithm of the number of ranges. A zeroed struct is valid and empty.
 */
#ifndef NX_ANALYSE_RANGE_COVER_H
#define NX_ANALYSE_RANGE_COVER_H

#include <stdint.h>

#include "base/vec.h"

struct nx_cover_node { /* of a tree over the pieces between edges */
	uint64_t covered_bytes;
	int32_t count; /* ranges that cover all of it */
};

struct nx_range_cover {
	uint64_t covered_bytes;
	struct nx_range_edges NX_VEC_BODY(uint64_t) edges; /* ascending once prepared */
	struct nx_cover_node *nodes;
};

void nx_range_cover_declare(struct nx_range_cover *cover, uint64_t first, uint64_t end);
void nx_range_cover_prepare(struct nx_range_cover *cover);
void nx_range_cover_add(struct nx_range_cover *cover, uint64_t first, uint64_t end, int32_t change);
void nx_range_cover_release(struct nx_range_cover *cover);

#endif
