/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dma_buckets: the curve of DMA throughput at several levels of detail.
 *
 * The finest buckets are 1 us wide, and each level is ten times as wide as the one before. The last
 * level is the first with at most NX_DMA_BUCKETS_SHOWN buckets, about a screen full. A bucket holds
 * sums over its points of the curve; empty buckets are left out.
 *
 * Feed points in order of time within each graph; buckets go to fn as they close.
 */
#ifndef NX_ANALYSE_DMA_BUCKETS_H
#define NX_ANALYSE_DMA_BUCKETS_H

#include "model/profile.h"

#define NX_DMA_BUCKET_FINEST_NS 1000
#define NX_DMA_BUCKETS_SHOWN 1000
#define NX_DMA_BUCKET_LEVELS 12 /* enough for any time of 64 bits in ps */

struct nx_dma_bucket {
	uint64_t start_ns;
	uint64_t width_ns;
	uint64_t point_count;
	double sum_bytes_per_s;
	uint64_t sum_total_bytes; /* UINT64_MAX where it would not fit */
	uint64_t max_total_bytes;
	uint8_t graph;
};

struct nx_dma_buckets {
	nx_row_fn fn;
	void *context;
	unsigned level_count;
	struct nx_dma_bucket open[NX_MAX_GRAPHS][NX_DMA_BUCKET_LEVELS];
};

void nx_dma_buckets_begin(struct nx_dma_buckets *b, uint64_t total_time_ns, nx_row_fn fn,
			  void *context);
void nx_dma_buckets_add(struct nx_dma_buckets *b, const struct nx_throughput *point);
void nx_dma_buckets_finish(struct nx_dma_buckets *b);

#endif
