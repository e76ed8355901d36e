/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_plain: numbers as PLAIN writes them, from and to memory; for this folder.
 *
 * In memory every number has 64 bits, an integer as int64_t and the others as double, so
 * that one code measures, numbers and compares them all. Only here the narrow types have
 * 32: in pages, dictionaries and statistics. A float is exact as a double and comes back
 * bit by bit, but for a signalling NaN, which becomes a quiet one.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_PLAIN_H
#define NX_FORMAT_PARQUET_PARQUET_PLAIN_H

#include "base/bare/slice.h"
#include "base/vec.h"
#include "format/parquet/parquet.h"

static inline bool nx_parquet_is_integer(enum nx_parquet_type type)
{
	return type == NX_PARQUET_I32 || type == NX_PARQUET_I64;
}

static inline bool nx_parquet_is_narrow(enum nx_parquet_type type)
{
	return type == NX_PARQUET_I32 || type == NX_PARQUET_F32;
}

/* Of one number in a file. */
static inline size_t nx_parquet_plain_size(enum nx_parquet_type type)
{
	return nx_parquet_is_narrow(type) ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* values are of the type in memory, and a narrow type can hold them. */
void nx_parquet_plain_store(enum nx_parquet_type type, const void *values, size_t count,
			    uint8_t *out);
void nx_parquet_plain_append(enum nx_parquet_type type, const void *values, size_t count,
			     struct nx_bytes *out);

/* bytes reach to count numbers, values have room for them. */
void nx_parquet_plain_load(enum nx_parquet_type type, const uint8_t *bytes, size_t count,
			   void *values);

/* One integer, for instance a bound of the statistics, which has the size of its type. */
int64_t nx_parquet_plain_integer(enum nx_parquet_type type, struct nx_slice bytes);

#endif
