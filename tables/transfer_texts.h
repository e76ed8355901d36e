/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer_texts: a NEFF's block of descriptors in words, made once however often the block is
 * triggered. Shapes, offsets and steps are those of its first descriptor, as in the JSON export;
 * partitions are those of all. Texts live until the cache is released.
 */
#ifndef NX_TABLES_TRANSFER_TEXTS_H
#define NX_TABLES_TRANSFER_TEXTS_H

#include "base/map.h"
#include "base/vec.h"
#include "model/transfer.h"

struct nx_side_texts { /* of the source or the destination */
	struct nx_slice shape, offset, steps;
	struct nx_slice partitions; /* "0-63,96"; empty outside of the state buffer */
	unsigned partition_count;
};

struct nx_transfer_texts {
	struct nx_slice op, variable, semaphore_id;
	struct nx_slice source, dest; /* JSON lists of kinds of variables */
	struct nx_side_texts read, write;
	bool is_known; /* false: the NEFF has no such block */
	bool is_transpose;
};

struct nx_transfer_text_cache {
	const struct nx_profile *profile; /* set this; the rest is zero at first */
	struct nx_arena arena;
	struct nx_map index; /* graph, engine, block -> into texts */
	NX_VEC(struct nx_transfer_texts *) texts;
};

void nx_transfer_text_cache_release(struct nx_transfer_text_cache *cache);

const struct nx_transfer_texts *nx_transfer_texts_of(struct nx_transfer_text_cache *cache,
						     const struct nx_transfer *transfer);

#endif
