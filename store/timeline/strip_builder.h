/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strip_builder: turns the rows of one strip after another into chunks and an index.
 *
 * Chunks are written at once. Numbers of the index go to a spool, keyed by strip, column and level,
 * because each column must be contiguous and a strip's columns may exceed memory. Only names need
 * memory that grows: a few sums for each different name of the strip.
 */
#ifndef NX_STORE_TIMELINE_STRIP_BUILDER_H
#define NX_STORE_TIMELINE_STRIP_BUILDER_H

#include "base/spool.h"
#include "store/timeline/name_tally.h"
#include "store/timeline/timeline_internal.h"

/* A number of an index in the spool. */
struct nx_index_record {
	uint64_t key;
	uint64_t value;
};

/* Samples of a counter that make a node. */
struct nx_value_node {
	unsigned children;
	uint64_t start_ns;
	double lowest, highest;
	long double sum; /* of values times ns */
};

/* Incomplete nodes. */
struct nx_builder_level {
	unsigned node_children;
	uint64_t longest_ns;
	unsigned name_children;
	struct nx_name_tally names;
	struct nx_value_node values;
};

struct nx_strip_builder {
	struct nx_output *out;	/* borrowed */
	struct nx_spool *index; /* borrowed */
	enum nx_status status;	/* the first failure of the spool; out keeps its own */
	struct nx_error error;
	uint64_t strip;
	enum nx_track_kind kind;
	uint64_t row_count; /* expected */
	uint64_t chunk_count;
	uint64_t busy_ns;
	size_t used; /* rows in the current chunk */
	struct nx_span spans[NX_CHUNK_ROWS];
	struct nx_sample samples[NX_CHUNK_ROWS];
	struct nx_bytes bytes; /* of a chunk */
	struct nx_bytes names; /* of a list */
	uint64_t name_values;  /* of lists so far */
	struct nx_builder_level levels[NX_MAX_LEVELS];
};

void nx_strip_builder_begin(struct nx_strip_builder *builder, uint64_t strip,
			    enum nx_track_kind kind, uint64_t row_count);
void nx_strip_builder_add_span(struct nx_strip_builder *builder, const struct nx_span *span);
void nx_strip_builder_add_sample(struct nx_strip_builder *builder, const struct nx_sample *sample);
void nx_strip_builder_end(struct nx_strip_builder *builder);
void nx_strip_builder_release(struct nx_strip_builder *builder);

#endif
