/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_internal: constants of the format, and what the writer and the reader share. */
#ifndef NX_FORMAT_PARQUET_PARQUET_INTERNAL_H
#define NX_FORMAT_PARQUET_PARQUET_INTERNAL_H

#include "base/arena.h"
#include "format/parquet/parquet_reader.h"

#define NX_PARQUET_MAGIC "PAR1"
#define NX_PARQUET_MAGIC_BYTES ((size_t)4)

enum nx_parquet_physical {
	NX_PARQUET_BOOLEAN = 0,
	NX_PARQUET_INT32 = 1,
	NX_PARQUET_INT64 = 2,
	NX_PARQUET_FLOAT = 4,
	NX_PARQUET_DOUBLE = 5,
	NX_PARQUET_BYTE_ARRAY = 6,
};

enum nx_parquet_encoding {
	NX_PARQUET_PLAIN = 0,
	NX_PARQUET_PLAIN_DICTIONARY = 2, /* the older name of RLE_DICTIONARY */
	NX_PARQUET_RLE = 3,
	NX_PARQUET_DELTA = 5,
	NX_PARQUET_RLE_DICTIONARY = 8,
};

enum nx_parquet_codec { NX_PARQUET_STORED = 0, NX_PARQUET_ZSTD = 6 };

static inline enum nx_parquet_physical nx_parquet_physical_of(enum nx_parquet_type type)
{
	static const enum nx_parquet_physical of[] = {
		[NX_PARQUET_BOOL] = NX_PARQUET_BOOLEAN, [NX_PARQUET_I32] = NX_PARQUET_INT32,
		[NX_PARQUET_I64] = NX_PARQUET_INT64,	[NX_PARQUET_F32] = NX_PARQUET_FLOAT,
		[NX_PARQUET_F64] = NX_PARQUET_DOUBLE,	[NX_PARQUET_TEXT] = NX_PARQUET_BYTE_ARRAY,
	};

	static_assert(sizeof(of) / sizeof(of[0]) == NX_PARQUET_TEXT + 1, "one per type");
	return of[type];
}

/* Levels of a field: one if it may be null, and one for an empty list. */
static inline unsigned nx_parquet_definition_max(bool is_optional, bool is_list)
{
	return (unsigned)is_optional + (unsigned)is_list;
}

/* One column of one group. */
struct nx_parquet_chunk {
	uint64_t offset;	   /* offset of its first page in the file */
	uint64_t stored_bytes;	   /* pages with their headers, as stored in the file */
	uint64_t plain_bytes;	   /* the same before compression */
	uint64_t dictionary_bytes; /* stored; 0 without a dictionary page */
	uint64_t level_count;	   /* values, nulls and empty lists */
	enum nx_parquet_codec codec;
	enum nx_parquet_encoding encoding; /* of the data pages; only the writer needs it */
	bool has_levels;
	struct nx_parquet_stats stats;
};

/* --- the open row group: parquet_column.c, for the writer --------------------------- */

/* Records the first failure of a writer; its error already holds the message. */
enum nx_status nx_parquet_keep(struct nx_parquet_writer *w, enum nx_status status);

/* Memory of one value of the open group, without the bytes of a text. */
size_t nx_parquet_value_bytes(const struct nx_parquet_column *c);

/* Rows before the current one without a value become null, or a failure. */
enum nx_status nx_parquet_fill_gap(struct nx_parquet_writer *w, struct nx_parquet_column *c);

/* Call before encoding a group: numbers the last text if it has no number yet. */
void nx_parquet_settle(struct nx_parquet_writer *w, struct nx_parquet_column *c);

/* --- decoding a chunk: parquet_decode.c, for the reader ----------------------------- */

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
