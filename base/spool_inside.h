/* SPDX-License-Identifier: Apache-2.0 */
/* spool_inside: what the writing and the reading half of a spool share; for them only. */
#ifndef NX_BASE_SPOOL_INSIDE_H
#define NX_BASE_SPOOL_INSIDE_H

#include "base/spool.h"
#include "base/temporary.h"
#include "base/vec.h"

/* Records are read through a permutation; prefetching this many ahead hides the cache misses. */
#define NX_SPOOL_PREFETCH 16

struct nx_spool_run {
	uint64_t offset;
	uint64_t count;
	size_t part;
	uint64_t first_key, last_key;
};

struct nx_spool {
	size_t record_size;
	size_t buffer_bytes;
	uint8_t *buffer;
	size_t used;	 /* records in buffer */
	size_t room;	 /* records buffer has memory for */
	size_t room_max; /* records it may grow to before its end has to be sorted */
	uint64_t last_key;
	size_t ordered; /* records of the buffer up to a cut that are in order, part by part */
	bool unordered; /* a later record has a smaller key than its predecessor */
	bool sorted;
	void *scratch; /* of sorting, kept from one run to the next */
	size_t scratch_bytes;
	uint32_t *order;   /* of a sorted buffer; NULL when it was added in order */
	size_t first_part; /* of the buffer */
	struct nx_spool_cuts NX_VEC_BODY(size_t) cuts; /* where parts end in the buffer */
	NX_VEC(struct nx_spool_run) runs;
	struct nx_temporary file; /* opened when a run is written */
	uint64_t file_bytes;
};

struct nx_spool_range {
	size_t from, to;
};

/* Records of the buffer's n-th part; the last one is what came after all cuts. */
static inline struct nx_spool_range nx_spool_range_of(const struct nx_spool *spool, size_t n)
{
	return (struct nx_spool_range){n ? spool->cuts.items[n - 1] : 0,
				       n < spool->cuts.len ? spool->cuts.items[n] : spool->used};
}

static inline const uint8_t *nx_spool_record(const struct nx_spool *spool, size_t i)
{
	return spool->buffer + i * spool->record_size;
}

/* The i-th smallest record of the sorted buffer. */
static inline const uint8_t *nx_spool_sorted_record(const struct nx_spool *spool, size_t i)
{
	if (!spool->order)
		return nx_spool_record(spool, i);
	if (i + NX_SPOOL_PREFETCH < spool->used)
		__builtin_prefetch(nx_spool_record(spool, spool->order[i + NX_SPOOL_PREFETCH]));
	return nx_spool_record(spool, spool->order[i]);
}

#endif
