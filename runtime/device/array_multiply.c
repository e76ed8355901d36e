/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/device/array_multiply.h"

#include <assert.h>

typedef float lanes8 __attribute__((vector_size(32)));
typedef float loose_lanes8 __attribute__((vector_size(32), aligned(4), may_alias));

#define TILE_COLUMNS 4u
static_assert(NX_ARRAY_COLUMNS % TILE_COLUMNS == 0, "tiles fill the columns");
static_assert(NX_ARRAY_BLOCK * sizeof(float) == 2 * sizeof(lanes8), "a tile has two vectors");

/*
 * One tile of 4 x 16 sums stays in registers while k runs. The body is shared by the variants
 * below, which differ only in the instructions the compiler may use; none of them has fused
 * multiply-add, which would round differently.
 */
static inline __attribute__((always_inline)) void multiply_tile(const float *stationary,
								const float *moving, size_t stride,
								size_t rows, float *out)
{
	lanes8 sums[TILE_COLUMNS][2] = {{{0}}};

	for (size_t k = 0; k < rows; k++) {
		const loose_lanes8 *row = (const loose_lanes8 *)(moving + k * stride);
		lanes8 low = row[0], high = row[1];

		for (size_t m = 0; m < TILE_COLUMNS; m++) {
			float w = stationary[k * NX_ARRAY_COLUMNS + m];

			sums[m][0] += low * w;
			sums[m][1] += high * w;
		}
	}
	for (size_t m = 0; m < TILE_COLUMNS; m++) {
		loose_lanes8 *to = (loose_lanes8 *)(out + m * stride);

		to[0] = sums[m][0];
		to[1] = sums[m][1];
	}
}

static inline __attribute__((always_inline)) void multiply_all(const struct nx_array_product *p)
{
	size_t stride = nx_array_padded(p->count);

	assert(p->rows <= NX_ARRAY_ROWS && p->columns <= NX_ARRAY_COLUMNS);
	for (size_t n = 0; n < stride; n += NX_ARRAY_BLOCK)
		for (size_t m = 0; m < p->columns; m += TILE_COLUMNS)
			multiply_tile(p->stationary + m, p->moving + n, stride, p->rows,
				      p->out + m * stride + n);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void multiply_avx2(const struct nx_array_product *p)
{
	multiply_all(p);
}
#endif

void nx_array_multiply(const struct nx_array_product *product)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		multiply_avx2(product);
		return;
	}
#endif
	multiply_all(product);
}
