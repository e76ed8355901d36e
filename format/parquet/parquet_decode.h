/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_decode: the values of one chunk from its bytes; for this folder only. */
#ifndef NX_FORMAT_PARQUET_PARQUET_DECODE_H
#define NX_FORMAT_PARQUET_PARQUET_DECODE_H

#include "base/arena.h"
#include "format/parquet/parquet_internal.h"
#include "format/parquet/parquet_reader.h"

/* What decoding may still take, so that no file can ask for more than the bound. */
struct nx_parquet_budget {
	struct nx_arena *arena;
	size_t left_bytes;
};

/* Rows of a group, counted in it. */
struct nx_parquet_rows {
	uint64_t first, count;
};

/*
 * bytes are those of the chunk in the file, and are borrowed by the texts of pages that
 * are not compressed. Everything else goes to the arena. rows lie in the group; pages that
 * hold none of them are not unpacked, unless of lists, whose pages do not tell.
 */
NX_MUST_CHECK enum nx_status nx_parquet_chunk_decode(
	const struct nx_parquet_field *field, const struct nx_parquet_chunk *chunk,
	struct nx_slice bytes, uint64_t row_count, struct nx_parquet_rows rows,
	struct nx_parquet_budget *budget, struct nx_parquet_values *values, struct nx_error *err);

#endif
