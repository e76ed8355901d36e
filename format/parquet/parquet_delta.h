/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_delta: DELTA_BINARY_PACKED, for integers that lie close to their
 * predecessors; both directions.
 *
 * Blocks of 128 differences, each less the smallest of its block and packed in
 * four quarters of their own widths. Differences wrap, so that every int64 is
 * allowed beside every other.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_DELTA_H
#define NX_FORMAT_PARQUET_PARQUET_DELTA_H

#include "base/bare/slice.h"
#include "base/vec.h"

void nx_parquet_delta_encode(const int64_t *values, size_t count, struct nx_bytes *out);

/* About the bytes that encoding would take, from every eighth block. */
size_t nx_parquet_delta_estimate_bytes(const int64_t *values, size_t count);

/* Exactly count values; false when bytes hold another number of them or are damaged. */
bool nx_parquet_delta_decode(struct nx_slice bytes, int64_t *values, size_t count);

#endif
