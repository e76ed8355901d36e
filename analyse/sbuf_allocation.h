/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sbuf_allocation: what lay where in the state buffer, and for how long.
 *
 * A write fills a range; the range lasts until the last read of any of its bytes, and any part of
 * it that a later write covers ends there. Ranges are followed in the partitions 0, 32, 64 and 96,
 * one for each quarter. Instructions write and read, and so do static DMAs; what DMAs do that the
 * device makes for itself is not known.
 *
 * A write with gaps fills a range for each of its pieces; one of more than
 * NX_ALLOCATION_PIECES_MAX fills a single range from its first to its last byte.
 *
 * Ends are known only later, so ranges are spooled and handed out in order of start. Memory is a
 * few megabytes for each core, whatever the length of the trace.
 */
#ifndef NX_ANALYSE_SBUF_ALLOCATION_H
#define NX_ANALYSE_SBUF_ALLOCATION_H

#include "base/spool.h"
#include "model/profile.h"

#define NX_ALLOCATION_PIECES_MAX 8
#define NX_SBUF_QUARTERS 4
#define NX_QUARTER_PARTITIONS (NX_PARTITION_COUNT / NX_SBUF_QUARTERS)

struct nx_sbuf_allocation {
	uint64_t start_ps; /* when it was written */
	uint64_t end_ps;   /* when it was read for the last time, or the write ended */
	uint32_t first_byte, end_byte;
	uint32_t source; /* slot that wrote it; of a DMA: into transfers */
	uint8_t graph;
	uint8_t engine; /* of the slot */
	uint8_t partition;
	bool is_dma;
};

struct nx_sbuf_analysis;

struct nx_sbuf_analysis *nx_sbuf_new(const struct nx_profile *profile);
void nx_sbuf_free(struct nx_sbuf_analysis *a);
/* In order of start. */
void nx_sbuf_add(struct nx_sbuf_analysis *a, const struct nx_instruction *row);
/* Ends all ranges and streams struct nx_sbuf_allocation rows in order of start. */
NX_MUST_CHECK enum nx_status nx_sbuf_finish(struct nx_sbuf_analysis *a, nx_row_fn fn, void *context,
					    struct nx_error *err);

#endif
