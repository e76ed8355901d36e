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

enum { FUNCTION_IDENTITY = 1, FUNCTION_EXP = 7, FUNCTION_SQUARE = 30, FUNCTION_UNKNOWN = 99 };

static void activate(uint8_t function, unsigned lanes, float scale, float bias)
{
	word_clear(word, NX_OP_ACTIVATE);
	word_operand(word, 16, 20, 0, row_of(3, 2));
	word_operand(word, 48, 52, 256, row_of(3, 2));
	word[12] = word[15] = 1; /* the bias is a number */
	word[32] = NX_DTYPE_FP32;
	word[33] = NX_DTYPE_FP32;
	word[34] = (uint8_t)lanes;
	word[35] = function;
	word_store_float(word, 36, scale);
	word_store_float(word, 40, bias);
}

static void run(void)
{
	core_fixture_run_one(&f, NX_ENGINE_SCALAR, word);
}

static void test_scale_comes_before_bias(void **state)
{
	const float source[2] = {2, -3}, expected[2] = {49, 64};

	(void)state;
	put_f32(&f, 0, source, 2);
	activate(FUNCTION_SQUARE, 1, 3, 1);
	run();
	expect_f32(&f, 256, expected, 2);
}

static void test_scale_and_bias_per_lane(void **state)
{
	const float source[2] = {1, 2}, scales[2] = {10, 100}, biases[2] = {0.5f, -1};
	const float lane0[2] = {10.5f, 20.5f}, lane1[2] = {99, 199};

	(void)state;
	for (unsigned p = 0; p < 2; p++) {
		put_f32(&f, PARTITION(p), source, 2);
		put_f32(&f, PSUM(p) + 8, &scales[p], 1);
		put_bf16(&f, PARTITION(p) + 66, &biases[p], 1);
	}
	activate(FUNCTION_IDENTITY, 2, 0, 0);
	word[12] = word[15] = 0;
	word[13] = 1;
	word[32] = NX_DTYPE_FP32 | NX_DTYPE_BF16 << 4;
	nx_store32(word + 36, PSUM(0) + 8);
	nx_store32(word + 40, 66);
	run();
	expect_f32(&f, PARTITION(0) + 256, lane0, 2);
	expect_f32(&f, PARTITION(1) + 256, lane1, 2);
	nx_store32(word + 40, 0x4000000);
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_ADDRESS_BOUNDS), 1);
}

static void test_result_takes_the_target_type(void **state)
{
	const float source[2] = {1.00390625f, 3};

	(void)state;
	put_f32(&f, 0, source, 2);
	activate(FUNCTION_IDENTITY, 1, 1, 0);
	word[33] = NX_DTYPE_BF16;
	run();
	assert_exactly(bf16_at(&f, 256), 1);
	assert_exactly(bf16_at(&f, 258), 3);
}

static void test_mathematics_without_a_table(void **state)
{
	const float source[2] = {0, 1};

	(void)state;
	put_f32(&f, 0, source, 2);
	activate(FUNCTION_EXP, 1, 1, 0);
	run();
	assert_exactly(f32_at(&f, 256), 1);
	assert_true(fabsf(f32_at(&f, 260) - 2.718282f) < 1e-6f);
}

static void test_unknown_function_poisons(void **state)
{
	const float source[2] = {0, 1};

	(void)state;
	put_f32(&f, 0, source, 2);
	put_f32(&f, 256, source, 2);
	activate(FUNCTION_UNKNOWN, 1, 1, 0);
	run();
	assert_true(isnan(f32_at(&f, 256)));
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
}

/* A set whose exp is the constant 5: used when loaded, and when nothing else has the function. */
static void test_tables_win_over_mathematics(void **state)
{
	static uint8_t bucket[32], control[32];
	struct nx_activation_function constant = {.id = FUNCTION_EXP, .zero = 7};
	struct nx_activation_set sets[2] = {{.buckets = nx_slice_of(bucket, 32),
					     .controls = nx_slice_of(control, 32)},
					    {.buckets = nx_slice_of(bucket, 32),
					     .controls = nx_slice_of(control, 32),
					     .functions = &constant,
					     .function_count = 1}};
	const float source[2] = {0, 1}, expected[2] = {7, 5};
	float five = 5;

	(void)state;
	memcpy(bucket, &five, 4);
	f.core_programs[0].sets = sets;
	f.core_programs[0].set_count = 2;
	put_f32(&f, 0, source, 2);
	activate(FUNCTION_EXP, 1, 1, 0);
	run();
	expect_f32(&f, 256, expected, 2);
	word_clear(word, NX_OP_ACT_TABLE_LOAD);
	word[35] = 1;
	run();
	assert_int_equal(f.cores[0].function_set, 1);
	f.options.has_exact_functions = true;
	activate(FUNCTION_EXP, 1, 1, 0);
	run();
	assert_exactly(f32_at(&f, 256), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_CASE(f, test_scale_comes_before_bias),
		CORE_CASE(f, test_scale_and_bias_per_lane),
		CORE_CASE(f, test_result_takes_the_target_type),
		CORE_CASE(f, test_mathematics_without_a_table),
		CORE_CASE(f, test_unknown_function_poisons),
		CORE_CASE(f, test_tables_win_over_mathematics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
