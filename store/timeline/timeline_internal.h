/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_internal: the file layout of a timeline, for its writer and its reader.
 *
 * header | chunks of all strips | index of all strips | directory | footer
 *
 * A strip is one depth of one track: rows that do not overlap. Its index is a sequence of columns
 * of 64-bit numbers. Their number and length follow from the number of rows (nx_column_values), so
 * the file stores little about them that could be wrong.
 */
#ifndef NX_STORE_TIMELINE_TIMELINE_INTERNAL_H
#define NX_STORE_TIMELINE_TIMELINE_INTERNAL_H

#include <assert.h>

#include "base/file.h"
#include "store/timeline/packed.h"
#include "store/timeline/timeline.h"

#define NX_TIMELINE_MAGIC "NXTIMELN"
#define NX_TIMELINE_END_MAGIC "NXTIMEND"
#define NX_TIMELINE_VERSION ((uint32_t)2)

#define NX_CHUNK_ROWS ((size_t)128)
#define NX_FANOUT ((uint64_t)16) /* children of a node */
#define NX_FANOUT_BITS 4
#define NX_NAME_FANOUT_BITS 2		/* names are slow to add: fewer of them on higher levels */
#define NX_MAX_LEVELS 12		/* names may have fewer levels than the rows would allow */
#define NX_MAX_ROWS ((uint64_t)1 << 48) /* of a strip; twelve levels are enough */

struct nx_timeline_header {
	char magic[8];
	uint32_t version;
	uint32_t chunk_rows;
};

/* The directory: tracks, strips by track and depth, attributes by track, ends of names, texts of
 * names. */
struct nx_timeline_footer {
	uint64_t directory_at;
	uint64_t directory_bytes;
	uint64_t text_bytes;
	uint32_t track_count;
	uint32_t strip_count;
	uint32_t name_count;
	uint32_t attribute_count;
	uint32_t unused;
	uint32_t version;
	uint64_t checksum; /* of the directory and of the footer before this */
	char magic[8];
};

struct nx_track_record {
	uint32_t kind;
	uint32_t parent;
	uint32_t name;
	uint32_t unit;
	int64_t rank;
	uint64_t keys[2];
	uint64_t lost_count;
	uint32_t first_strip; /* those of the tracks before it, counted */
	uint32_t depth_count;
	uint32_t first_attribute; /* those of the tracks before it, counted */
	uint32_t attribute_count;
};

struct nx_attribute_record { /* names */
	uint32_t key;
	uint32_t value;
};

struct nx_strip_record {
	uint64_t row_count; /* never 0 */
	uint64_t index_at;
	uint64_t first_ns;
	uint64_t end_ns;      /* of the last span; the time of the last sample */
	uint64_t name_values; /* in the column of name lists */
};

/* The file stores these as they are in memory. */
static_assert(NX_FANOUT == (uint64_t)1 << NX_FANOUT_BITS, "the same fan-out");
static_assert(sizeof(struct nx_timeline_header) == 16, "stored");
static_assert(sizeof(struct nx_timeline_footer) == 64, "stored");
static_assert(sizeof(struct nx_track_record) == 64, "stored");
static_assert(sizeof(struct nx_attribute_record) == 8, "stored");
static_assert(sizeof(struct nx_strip_record) == 40, "stored");

/* Columns of an index, in the order of the file; each has its levels one after another. */
enum nx_timeline_column {
	NX_COLUMN_START,   /* of a node's first row */
	NX_COLUMN_BUSY,	   /* ns covered before a chunk */
	NX_COLUMN_AT,	   /* a chunk's offset in the file, and in the upper bits its longest row */
	NX_COLUMN_CALLER,  /* row of a chunk's longest span */
	NX_COLUMN_LONGEST, /* ns, of a full node's spans */
	NX_COLUMN_NAME_AT, /* where the list of names of a full node is */
	NX_COLUMN_NAME_LIST, /* lists of names, of any length */
	NX_COLUMN_LOWEST,    /* doubles: of the samples of a full node of a counter */
	NX_COLUMN_HIGHEST,
	NX_COLUMN_MEAN, /* over the time until the first sample after the node */
	NX_COLUMN_COUNT,
};

/* How many numbers a column has at a level; 0 after the last level. Lists vary by strip. */
uint64_t nx_column_values(enum nx_track_kind kind, uint64_t row_count,
			  enum nx_timeline_column column, unsigned level);
/* Of all columns together; name_values are in the lists. */
uint64_t nx_index_bytes(enum nx_track_kind kind, uint64_t row_count, uint64_t name_values);

/* --- chunks: NX_CHUNK_ROWS rows as a header of 16 bytes and packed columns --- */

/*
 * The start of the first row is stored outside, where searches need it. Numbers are stored as
 * offsets from the smallest; values of counters as integers or single precision if that is
 * lossless.
 */

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

/* --- the open file --- */

/* A number of NX_COLUMN_AT. */
#define NX_AT_BITS 56
#define NX_AT_MASK (((uint64_t)1 << NX_AT_BITS) - 1)
static_assert(NX_CHUNK_ROWS <= (size_t)1 << (64 - NX_AT_BITS), "a row fits the upper bits");

uint64_t nx_timeline_checksum(struct nx_slice directory, const struct nx_timeline_footer *footer);

struct nx_timeline {
	struct nx_file file;
	struct nx_slice bytes; /* of the whole file */
	struct nx_timeline_footer footer;
	const struct nx_track_record *tracks;
	const struct nx_strip_record *strips;
	const struct nx_attribute_record *attribute_records;
	struct nx_track_attribute *attributes; /* their texts */
	const uint64_t *name_ends;
	struct nx_slice texts;
};

/* Like nx_timeline_open, for bytes that are aligned to eight and outlive the timeline. */
NX_MUST_CHECK enum nx_status nx_timeline_open_bytes(struct nx_timeline **timeline,
						    struct nx_slice bytes, struct nx_error *err);

#endif
