/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/bare/bits.h"
#include "tests/unit/runtime/device/core_fixture.h"
#include "tests/unit/runtime/device/exactly.h"

static struct core_fixture f;
static uint8_t word[NX_SLOT_BYTES];

static void run(void)
{
	core_fixture_run_one(&f, NX_ENGINE_VECTOR, word);
}

static void load_mask(uint8_t first, uint8_t second)
{
	word_clear(word, 0x69);
	memset(word + 32, 0x20, 32);
	word[32] = first;
	word[33] = second;
	run();
}

static void test_shuffle(void **state)
{
	(void)state;
	for (unsigned p = 0; p < 32; p++)
		put_u32(&f, PARTITION(p), 100 + p);
	load_mask(5, 0);
	word_copy(word, 0x6a, 0, row_of(4, 1), NX_DTYPE_UINT32, 64, row_of(4, 1), NX_DTYPE_UINT32,
		  32);
	run();
	assert_int_equal(u32_at(&f, PARTITION(0) + 64), 105);
	assert_int_equal(u32_at(&f, PARTITION(1) + 64), 100);
	/* masked out: not written */
	assert_int_equal(u32_at(&f, PARTITION(2) + 64), 0xffffffffu);
	/* in place, so that a lane is a source after it was a target */
	word_copy(word, 0x6a, 0, row_of(4, 1), NX_DTYPE_UINT32, 0, row_of(4, 1), NX_DTYPE_UINT32,
		  32);
	run();
	assert_int_equal(u32_at(&f, PARTITION(0)), 105);
	assert_int_equal(u32_at(&f, PARTITION(1)), 100);
}

static void test_transpose_of_a_quadrant(void **state)
{
	(void)state;
	for (uint32_t p = 0; p < 32; p++)
		for (uint32_t i = 0; i < 32; i++)
			put_u32(&f, PARTITION(p + 32) + 4 * i, p * 100 + i);
	word_copy(word, 0x6b, PARTITION(32), row_of(4, 32), NX_DTYPE_UINT32, PARTITION(64),
		  row_of(4, 32), NX_DTYPE_UINT32, 32);
	run();
	for (uint32_t p = 0; p < 32; p++)
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(u32_at(&f, PARTITION(p + 64) + 4 * i), i * 100 + p);
	word_copy(word, 0x6b, 0, row_of(4, 33), NX_DTYPE_UINT32, 512, row_of(4, 33),
		  NX_DTYPE_UINT32, 32);
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
}

static const float values[10] = {3, 9, -1, 9, 5, 0, 2, 7, 1, 4};

static void test_the_eight_largest_and_where_they_are(void **state)
{
	const float largest[8] = {9, 9, 7, 5, 4, 3, 2, 1};
	const uint32_t places[8] = {1, 3, 7, 4, 9, 0, 6, 8};

	(void)state;
	put_f32(&f, 0, values, 10);
	word_copy(word, 0x6c, 0, row_of(4, 10), NX_DTYPE_FP32, 0, row_of(4, 1), NX_DTYPE_FP32, 1);
	word_operand(word, 48, 52, 128, row_of(2, 8));
	run();
	expect_f32(&f, 128, largest, 8);
	word_clear(word, 0x6d);
	word_operand(word, 16, 20, 128, row_of(2, 8));
	word[32] = NX_DTYPE_FP32;
	word[34] = 1;
	run();
	word_copy(word, 0x6e, 0, row_of(4, 10), NX_DTYPE_FP32, 0, row_of(4, 1), NX_DTYPE_UINT32, 1);
	word_operand(word, 48, 52, 256, row_of(2, 8));
	run();
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(u32_at(&f, 256 + 4 * i), places[i]);
}

static void test_fewer_than_eight(void **state)
{
	(void)state;
	put_f32(&f, 0, values, 2);
	word_copy(word, 0x6c, 0, row_of(4, 2), NX_DTYPE_FP32, 0, row_of(4, 1), NX_DTYPE_FP32, 1);
	word_operand(word, 48, 52, 128, row_of(2, 8));
	run();
	assert_exactly(f32_at(&f, 132), 3);
	assert_true(isinf(f32_at(&f, 136)));
	word_operand(word, 48, 52, 128, row_of(2, 7));
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1);
}

static void test_a_value_that_is_not_there(void **state)
{
	(void)state;
	put_f32(&f, 0, values, 10);
	word_copy(word, 0x6e, 0, row_of(4, 1), NX_DTYPE_FP32, 0, row_of(4, 1), NX_DTYPE_UINT32, 1);
	word_operand(word, 48, 52, 256, row_of(2, 8));
	run(); /* looks for eight zeros in {3} */
	assert_int_equal(u32_at(&f, 256), 0xffffffffu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_CASE(f, test_shuffle),
		CORE_CASE(f, test_transpose_of_a_quadrant),
		CORE_CASE(f, test_the_eight_largest_and_where_they_are),
		CORE_CASE(f, test_fewer_than_eight),
		CORE_CASE(f, test_a_value_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
