/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_chunk: encodes one column of a finished row group; for this folder.
 *
 * Chunks are independent: several threads may encode at once, each with its own scratch memory. The
 * bytes do not depend on the scratch memory.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_CHUNK_H
#define NX_FORMAT_PARQUET_PARQUET_CHUNK_H

#include "format/parquet/parquet_internal.h"
#include "format/parquet/parquet_page.h"

#define NX_PARQUET_BOUND_BYTES 64 /* of a text in the statistics */

/* --- a dictionary of 64-bit values, compared bit by bit ----------------------------- */

#define NX_PARQUET_NUMBERS_MAX ((size_t)1 << 15)

/* A zeroed struct is valid; memory is reused between calls. */
struct nx_parquet_numbers {
	struct nx_parquet_number_list NX_VEC_BODY(uint64_t) values; /* in order of appearance */
	struct nx_parquet_number_slots NX_VEC_BODY(uint32_t) slots;
};

void nx_parquet_numbers_release(struct nx_parquet_numbers *numbers);

/*
 * Numbers the values (int64_t or double) by first appearance and stores the numbers in ids. False
 * if more than most are distinct, or if that seems likely; most is at most NX_PARQUET_NUMBERS_MAX.
 */
bool nx_parquet_numbers_index(struct nx_parquet_numbers *numbers, const void *values, size_t count,
			      size_t most, uint32_t *ids);

/* The same for integers between low and low + 65535. */
bool nx_parquet_numbers_index_near(struct nx_parquet_numbers *numbers, const int64_t *values,
				   size_t count, size_t most, int64_t low, uint32_t *ids);

/* --- chunks --------------------------------------------------------------------------- */

struct nx_parquet_encoded {
	struct nx_bytes bytes;
	struct nx_parquet_chunk chunk; /* the writer sets the offset */
	uint8_t min[NX_PARQUET_BOUND_BYTES], max[NX_PARQUET_BOUND_BYTES]; /* of its statistics */
};

/* A zeroed struct is valid. */
struct nx_parquet_scratch {
	struct nx_slice dictionary; /* of texts: the body of the first page, borrowed */
	struct nx_bytes plain;	    /* the bodies of all other pages */
	struct nx_bytes packed;	    /* those of all pages, compressed */
	struct nx_parquet_page_list NX_VEC_BODY(struct nx_parquet_page) pages;
	struct nx_parquet_ids NX_VEC_BODY(uint32_t) ids;
	struct nx_parquet_levels NX_VEC_BODY(uint32_t) levels, repetitions;
	struct nx_parquet_numbers numbers;
	void *zstd;
};

void nx_parquet_scratch_release(struct nx_parquet_scratch *scratch);

/* All rows of the group must be present: gaps and lengths reach its end. */
void nx_parquet_chunk_encode(const struct nx_parquet_column *column, uint32_t row_count,
			     size_t page_rows, struct nx_parquet_scratch *scratch,
			     struct nx_parquet_encoded *out);

/* Compresses the pages in scratch if that saves space, and joins them. */
void nx_parquet_chunk_pack(struct nx_parquet_scratch *scratch, struct nx_parquet_encoded *out);

/* Sets min and max; no range if there are no values or one is NaN. */
void nx_parquet_chunk_measure(const struct nx_parquet_column *column,
			      struct nx_parquet_encoded *out);

#endif
