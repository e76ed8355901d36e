/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_numbers: a dictionary of 64-bit values, compared bit by bit; for this folder. */
#ifndef NX_FORMAT_PARQUET_PARQUET_NUMBERS_H
#define NX_FORMAT_PARQUET_PARQUET_NUMBERS_H

#include "base/vec.h"
#include <stdbool.h>

#define NX_PARQUET_NUMBERS_MAX ((size_t)1 << 15)

/* A zeroed struct is valid; memory is reused between calls. */
struct nx_parquet_numbers {
	struct nx_parquet_number_list NX_VEC_BODY(uint64_t) values; /* in order of appearance */
	struct nx_parquet_number_slots NX_VEC_BODY(uint32_t) slots;
};

void nx_parquet_numbers_release(struct nx_parquet_numbers *numbers);

/*
 * Numbers the values (int64_t or double) by first appearance and stores the numbers in ids. False
 * if more than most are distinct, or if it looks so early on; most is at most
 * NX_PARQUET_NUMBERS_MAX.
 */
bool nx_parquet_numbers_index(struct nx_parquet_numbers *numbers, const void *values, size_t count,
			      size_t most, uint32_t *ids);

/* The same for integers between low and low + 65535. */
bool nx_parquet_numbers_index_near(struct nx_parquet_numbers *numbers, const int64_t *values,
				   size_t count, size_t most, int64_t low, uint32_t *ids);

#endif
