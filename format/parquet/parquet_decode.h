/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_decode: decodes the values of one chunk; for this folder only. */
#ifndef NX_FORMAT_PARQUET_PARQUET_DECODE_H
#define NX_FORMAT_PARQUET_PARQUET_DECODE_H

#include "base/arena.h"
#include "format/parquet/parquet_internal.h"
#include "format/parquet/parquet_reader.h"

/* The remaining memory budget, so that no file can exceed the limit. */
struct nx_parquet_budget {
	struct nx_arena *arena;
	size_t left_bytes;
};

/* A range of rows within a group. */
struct nx_parquet_rows {
	uint64_t first, count;
};

/*
 * bytes is the chunk in the file; texts of uncompressed pages borrow from it, everything else goes
 * to the arena. rows is a range within the group; pages without any of them are not unpacked,
 * except for lists, whose pages do not record their rows.
 */
NX_MUST_CHECK enum nx_status nx_parquet_chunk_decode(
	const struct nx_parquet_field *field, const struct nx_parquet_chunk *chunk,
	struct nx_slice bytes, uint64_t row_count, struct nx_parquet_rows rows,
	struct nx_parquet_budget *budget, struct nx_parquet_values *values, struct nx_error *err);

#endif
