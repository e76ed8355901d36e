/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dma_stream: one side of a transfer as a stream of bytes.
 *
 * A descriptor walks over a region in up to NX_DMA_MAX_DIMS dimensions, the first the
 * fastest. The two sides of a transfer may have different shapes of the same length.
 * nx_dma_stream_begin checks that the whole walk stays in the region, and on chip in
 * its partitions, so reading and writing need no checks.
 */
#ifndef NX_RUNTIME_DMA_STREAM_H
#define NX_RUNTIME_DMA_STREAM_H

#include <stddef.h>

#include "runtime/device/device_core.h"

#define NX_DMA_MAX_DIMS 16

struct nx_dma_walk {
	uint64_t offset;
	uint64_t limit; /* no byte from here on, counted from the region's start */
	unsigned dims;
	const uint64_t *sizes; /* bytes of a run, if its step is 1; then counts */
	const int64_t *steps;  /* bytes */
};

struct nx_dma_stream {
	uint8_t *bytes; /* of the region, at the walk's offset */
	size_t run_bytes;
	size_t in_run; /* position */
	ptrdiff_t at;
	unsigned dims; /* around the run */
	uint64_t counts[NX_DMA_MAX_DIMS];
	int64_t steps[NX_DMA_MAX_DIMS];
	uint64_t done[NX_DMA_MAX_DIMS];
	uint64_t total_bytes;
};

/* NULL, or what is wrong. */
const char *nx_dma_stream_begin(struct nx_dma_stream *stream, const struct nx_dma_region *region,
				uint32_t partition_bytes, const struct nx_dma_walk *walk);

/* The caller asks for no more than is left. */
void nx_dma_stream_read(struct nx_dma_stream *stream, uint8_t *out, size_t len);
void nx_dma_stream_write(struct nx_dma_stream *stream, const uint8_t *bytes, size_t len);

#endif
