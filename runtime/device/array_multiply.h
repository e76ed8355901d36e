/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_multiply: the product of the systolic array.
 *
 *	out[m][n] = sum over k of stationary[k][m] * moving[k][n]
 *
 * All are fp32, rows padded to the strides below; padding may have any value. Sums run
 * over k in rising order and round after each step, so results have the same bits on
 * every machine, with or without AVX2.
 */
#ifndef NX_RUNTIME_ARRAY_MULTIPLY_H
#define NX_RUNTIME_ARRAY_MULTIPLY_H

#include <stddef.h>

#include "machine/hardware.h"

#define NX_ARRAY_BLOCK 16u /* n is computed in blocks of so many */

static inline size_t nx_array_padded(size_t count)
{
	return (count + NX_ARRAY_BLOCK - 1) / NX_ARRAY_BLOCK * NX_ARRAY_BLOCK;
}

struct nx_array_product {
	const float *stationary; /* rows x NX_ARRAY_COLUMNS, its stride */
	const float *moving;	 /* rows x nx_array_padded(count) */
	float *out;		 /* nx_array_padded(columns) x nx_array_padded(count) */
	size_t rows, columns, count;
};

void nx_array_multiply(const struct nx_array_product *product);

#endif
