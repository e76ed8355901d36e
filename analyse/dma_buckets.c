/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/dma_buckets.h"

#include <assert.h>
#include <string.h>

void nx_dma_buckets_begin(struct nx_dma_buckets *b, uint64_t total_time_ns, nx_row_fn fn,
			  void *context)
{
	uint64_t width_ns = NX_DMA_BUCKET_FINEST_NS;

	assert(fn);
	memset(b, 0, sizeof(*b));
	b->fn = fn;
	b->context = context;
	b->level_count = 1;
	while (b->level_count < NX_DMA_BUCKET_LEVELS &&
	       total_time_ns / width_ns > NX_DMA_BUCKETS_SHOWN) {
		width_ns *= 10;
		b->level_count++;
	}
}

static void close_bucket(struct nx_dma_buckets *b, struct nx_dma_bucket *bucket)
{
	if (bucket->point_count)
		b->fn(b->context, bucket);
	bucket->point_count = 0;
}

static void add_to(struct nx_dma_bucket *bucket, const struct nx_throughput *point)
{
	bucket->point_count++;
	bucket->sum_bytes_per_s += (double)point->bytes_per_s;
	if (__builtin_add_overflow(bucket->sum_total_bytes, point->total_bytes,
				   &bucket->sum_total_bytes))
		bucket->sum_total_bytes = UINT64_MAX;
	if (point->total_bytes > bucket->max_total_bytes)
		bucket->max_total_bytes = point->total_bytes;
}

void nx_dma_buckets_add(struct nx_dma_buckets *b, const struct nx_throughput *point)
{
	uint64_t width_ns = NX_DMA_BUCKET_FINEST_NS, time_ns = point->time_ps / 1000;

	assert(point->graph < NX_MAX_GRAPHS);
	for (unsigned level = 0; level < b->level_count; level++, width_ns *= 10) {
		struct nx_dma_bucket *bucket = &b->open[point->graph][level];
		uint64_t start_ns = time_ns - time_ns % width_ns;

		if (bucket->point_count && bucket->start_ns != start_ns)
			close_bucket(b, bucket);
		if (!bucket->point_count)
			*bucket = (struct nx_dma_bucket){
				.start_ns = start_ns, .width_ns = width_ns, .graph = point->graph};
		add_to(bucket, point);
	}
}

void nx_dma_buckets_finish(struct nx_dma_buckets *b)
{
	for (unsigned graph = 0; graph < NX_MAX_GRAPHS; graph++)
		for (unsigned level = 0; level < b->level_count; level++)
			close_bucket(b, &b->open[graph][level]);
}
