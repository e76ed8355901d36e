/* SPDX-License-Identifier: Apache-2.0 */
/* timeline_writer_internal: shared by adding rows and committing them. */
#ifndef NX_STORE_TIMELINE_TIMELINE_WRITER_INTERNAL_H
#define NX_STORE_TIMELINE_TIMELINE_WRITER_INTERNAL_H

#include <assert.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/spool.h"
#include "base/vec.h"
#include "store/timeline/timeline_internal.h"
#include "store/timeline/timeline_writer.h"

/* A spooled row; for a sample, end_ns holds the value. The first eight bytes are the sort key. */
struct nx_row_record {
	uint64_t strip;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t row;
	uint32_t name;
	uint32_t unused;
};

/* A number of an index in the spool; the key is made of strip, column and level. */
struct nx_index_record {
	uint64_t key;
	uint64_t value;
};

static_assert(sizeof(struct nx_row_record) == 40 && sizeof(struct nx_index_record) == 16,
	      "no padding in the spools");

struct nx_strip_state {
	uint64_t row_count;
	uint64_t first_ns;
	uint64_t end_ns;
	uint64_t index_at;
	uint64_t name_values;
	enum nx_track_kind kind;
};

struct nx_track_state {
	struct nx_track_record record;
	uint64_t last_start_ns;
	bool is_nested;
	NX_VEC(uint32_t) strips; /* by depth */
	/* Where the last span of each depth ends: a complete binary tree of minima, root at 1; its
	 * second half are the depths. */
	NX_VEC(uint64_t) ends;
};

struct nx_timeline_writer {
	struct nx_output out;
	struct nx_spool *rows;
	struct nx_spool *index;
	struct nx_arena arena; /* texts of names */
	struct nx_text_map name_ids;
	NX_VEC(struct nx_slice) names;
	NX_VEC(struct nx_track_state) tracks;
	NX_VEC(struct nx_strip_state) strips;
	NX_VEC(struct nx_attribute_record) attributes; /* of one track after another */
};

#endif
