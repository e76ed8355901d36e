/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/device/array_multiply.h"

static float stationary[128 * 128], moving[128 * 528], out[128 * 528];

static float next_value(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return (float)((int32_t)*state >> 8) * 0x1p-20f;
}

/* The same sum in the plainest way: the order of the roundings is part of the promise. */
static float plain_sum(size_t rows, size_t stride, size_t m, size_t n)
{
	volatile float sum = 0;

	for (size_t k = 0; k < rows; k++) {
		volatile float product = stationary[k * 128 + m] * moving[k * stride + n];

		sum = sum + product;
	}
	return sum;
}

static void check(size_t rows, size_t columns, size_t count)
{
	size_t stride = nx_array_padded(count);
	struct nx_array_product product = {stationary, moving, out, rows, columns, count};
	uint32_t state = 7;

	memset(stationary, 0xff, sizeof(stationary));
	memset(moving, 0xff, sizeof(moving));
	for (size_t k = 0; k < rows; k++) {
		for (size_t m = 0; m < columns; m++)
			stationary[k * 128 + m] = next_value(&state);
		for (size_t n = 0; n < count; n++)
			moving[k * stride + n] = next_value(&state);
	}
	nx_array_multiply(&product);
	for (size_t m = 0; m < columns; m++)
		for (size_t n = 0; n < count; n++) {
			float expected = plain_sum(rows, stride, m, n);

			assert_memory_equal(&out[m * stride + n], &expected, sizeof(expected));
		}
}

static void test_every_bit_is_that_of_the_plain_loop(void **state)
{
	(void)state;
	check(128, 128, 512);
	check(1, 1, 1);
	check(3, 5, 17);
	check(128, 127, 33);
	check(2, 4, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bit_is_that_of_the_plain_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
