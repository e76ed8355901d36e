/* SPDX-License-Identifier: Apache-2.0 */
/* row_numbers: numbers of a profile in the types that columns have. */
#ifndef NX_TABLES_ROW_NUMBERS_H
#define NX_TABLES_ROW_NUMBERS_H

#include <stdint.h>

/* Numbers of a damaged capture may exceed a column: they become its largest value. */
static inline int64_t nx_to_i32(int64_t value)
{
	if (value > INT32_MAX)
		return INT32_MAX;
	return value < INT32_MIN ? INT32_MIN : value;
}

static inline int64_t nx_ps_to_ns(uint64_t time_ps)
{
	return (int64_t)(time_ps / 1000);
}

/* Negative if to comes first. */
static inline int64_t nx_gap_ns(uint64_t from_ps, uint64_t to_ps)
{
	return to_ps >= from_ps ? nx_ps_to_ns(to_ps - from_ps) : -nx_ps_to_ns(from_ps - to_ps);
}

#endif
