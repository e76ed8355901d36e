/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_plain: converts numbers between PLAIN and memory; for this folder.
 *
 * In memory every number has 64 bits, integers as int64_t and others as double, so the same code
 * measures, numbers and compares them all. Only files store narrow types in 32 bits: in pages,
 * dictionaries and statistics. A float converts to double and back without loss, except for a
 * signalling NaN, which becomes quiet.
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

/* The size of one number in a file. */
static inline size_t nx_parquet_plain_size(enum nx_parquet_type type)
{
	return nx_parquet_is_narrow(type) ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* values have the type in memory and fit the narrow type. */
void nx_parquet_plain_store(enum nx_parquet_type type, const void *values, size_t count,
			    uint8_t *out);
void nx_parquet_plain_append(enum nx_parquet_type type, const void *values, size_t count,
			     struct nx_bytes *out);

/* bytes must hold count numbers, and values must have room for them. */
void nx_parquet_plain_load(enum nx_parquet_type type, const uint8_t *bytes, size_t count,
			   void *values);

/* One integer, such as a bound of the statistics, in the size of its type. */
int64_t nx_parquet_plain_integer(enum nx_parquet_type type, struct nx_slice bytes);

#endif
