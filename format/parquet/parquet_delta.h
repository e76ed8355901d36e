/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parquet_delta: DELTA_BINARY_PACKED, for integers close to their predecessors; both directions.
 *
 * Blocks of 128 differences, each minus the smallest of its block, packed in four quarters with
 * their own widths. Differences wrap, so any int64 may follow any other.
 */
#ifndef NX_FORMAT_PARQUET_PARQUET_DELTA_H
#define NX_FORMAT_PARQUET_PARQUET_DELTA_H

#include "base/bare/slice.h"
#include "base/vec.h"

void nx_parquet_delta_encode(const int64_t *values, size_t count, struct nx_bytes *out);

/* Estimates the encoded size from every eighth block. */
size_t nx_parquet_delta_estimate_bytes(const int64_t *values, size_t count);

/* Reads exactly count values; false if bytes hold a different number or are damaged. */
bool nx_parquet_delta_decode(struct nx_slice bytes, int64_t *values, size_t count);

#endif
