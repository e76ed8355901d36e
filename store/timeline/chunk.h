/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk: encodes and decodes 128 rows of a timeline.
 *
 * A chunk is a header of 16 bytes and packed columns. Its first start is stored outside, where
 * searches need it. Numbers are stored as offsets from the smallest; values of counters as integers
 * or single precision if that is lossless.
 */
#ifndef NX_STORE_TIMELINE_CHUNK_H
#define NX_STORE_TIMELINE_CHUNK_H

#include "store/timeline/packed.h"
#include "store/timeline/timeline.h"

#define NX_CHUNK_ROWS ((size_t)128)

/* Borrows from the file. Rows are numbered 0 to count - 1. */
struct nx_span_chunk {
	uint64_t first_ns;
	size_t count;
	struct nx_packed starts; /* after first_ns */
	struct nx_packed lengths;
	struct nx_packed names; /* above name_base */
	struct nx_packed rows;	/* above row_base */
	uint32_t name_base;
	uint64_t row_base;
};

struct nx_sample_chunk {
	uint64_t first_ns;
	size_t count;
	struct nx_packed times; /* after first_ns */
	struct nx_packed values;
	unsigned coding; /* of values */
	uint64_t value_base;
};

/* At most NX_CHUNK_ROWS, in order of start. */
void nx_span_chunk_append(struct nx_bytes *bytes, const struct nx_span *spans, size_t count);
void nx_sample_chunk_append(struct nx_bytes *bytes, const struct nx_sample *samples, size_t count);

/* If the bytes are not a chunk of that many rows or are cut short, reads count empty rows. */
void nx_span_chunk_read(struct nx_span_chunk *chunk, struct nx_slice bytes, uint64_t first_ns,
			size_t count);
void nx_sample_chunk_read(struct nx_sample_chunk *chunk, struct nx_slice bytes, uint64_t first_ns,
			  size_t count);

static inline uint64_t nx_span_chunk_start(const struct nx_span_chunk *chunk, size_t i)
{
	return chunk->first_ns + nx_packed_at(chunk->starts, i);
}

static inline uint32_t nx_span_chunk_name(const struct nx_span_chunk *chunk, size_t i)
{
	return chunk->name_base + (uint32_t)nx_packed_at(chunk->names, i);
}

static inline uint64_t nx_span_chunk_row(const struct nx_span_chunk *chunk, size_t i)
{
	return chunk->row_base + nx_packed_at(chunk->rows, i);
}

struct nx_span nx_span_chunk_span(const struct nx_span_chunk *chunk, size_t i);

static inline uint64_t nx_sample_chunk_time(const struct nx_sample_chunk *chunk, size_t i)
{
	return chunk->first_ns + nx_packed_at(chunk->times, i);
}

double nx_sample_chunk_value(const struct nx_sample_chunk *chunk, size_t i);

#endif
