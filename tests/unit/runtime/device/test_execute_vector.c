/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/bare/bits.h"
#include "runtime/device/alu.h"
#include "tests/unit/runtime/device/core_fixture.h"
#include "tests/unit/runtime/device/exactly.h"

static struct core_fixture f;
static uint8_t word[NX_SLOT_BYTES];

static void run(void)
{
	core_fixture_run_one(&f, NX_ENGINE_VECTOR, word);
}

static const float ascending[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/* --- copies ------------------------------------------------------------------------------- */

static void test_copy_keeps_bits(void **state)
{
	(void)state;
	/* two bf16 as one int32 that no float could hold */
	put_u32(&f, PARTITION(3), 0x7fc17f81);
	word_copy(word, NX_OP_COPY, PARTITION(3), row_of(4, 1), NX_DTYPE_INT32, PSUM(35),
		  row_of(4, 1), NX_DTYPE_INT32, 1);
	run();
	assert_int_equal(u32_at(&f, PSUM(35)), 0x7fc17f81);
	assert_int_equal(f.report.fault_count, 0);
}

static void test_copy_reshapes_by_order(void **state)
{
	struct pattern down = {4, {-1, 0, 0, 0}, {4, 1, 1, 1}};
	struct pattern two = {4, {2, 1, 0, 0}, {2, 2, 1, 1}};
	const float expected[4] = {4, 2, 3, 1};

	(void)state;
	put_f32(&f, 0, ascending, 4);
	/* 4 3 2 1 is written to places 0 2 1 3 */
	word_copy(word, NX_OP_COPY, 12, down, NX_DTYPE_FP32, 256, two, NX_DTYPE_FP32, 1);
	run();
	expect_f32(&f, 256, expected, 4);
}

static void test_broadcast_by_step_zero(void **state)
{
	struct pattern same = {4, {0, 1, 0, 0}, {3, 2, 1, 1}};
	const float expected[6] = {1, 1, 1, 2, 2, 2};

	(void)state;
	put_f32(&f, 0, ascending, 2);
	word_copy(word, NX_OP_COPY, 0, same, NX_DTYPE_FP32, 256, row_of(4, 6), NX_DTYPE_FP32, 1);
	run();
	expect_f32(&f, 256, expected, 6);
}

/* Moved up by one partition in place: each lane must be read before it is overwritten. */
static void test_copy_to_overlapping_lanes(void **state)
{
	(void)state;
	for (unsigned p = 0; p < 4; p++)
		put_f32(&f, PARTITION(p), &ascending[p], 1);
	word_copy(word, NX_OP_COPY, 0, row_of(4, 1), NX_DTYPE_FP32, PARTITION(1), row_of(4, 1),
		  NX_DTYPE_FP32, 3);
	run();
	for (unsigned p = 1; p < 4; p++)
		assert_exactly(f32_at(&f, PARTITION(p)), ascending[p - 1]);
	word_copy(word, NX_OP_COPY, PARTITION(1), row_of(4, 1), NX_DTYPE_FP32, 0, row_of(4, 1),
		  NX_DTYPE_FP32, 3);
	run();
	for (unsigned p = 0; p < 3; p++)
		assert_exactly(f32_at(&f, PARTITION(p)), ascending[p]);
}

static void test_cast_and_reciprocal(void **state)
{
	const float values[2] = {1.00390625f, 4};

	(void)state;
	put_f32(&f, 0, values, 2);
	word_copy(word, NX_OP_CAST, 0, row_of(4, 2), NX_DTYPE_FP32, 64, row_of(4, 2), NX_DTYPE_BF16,
		  1);
	run();
	assert_exactly(bf16_at(&f, 64), 1);
	assert_exactly(bf16_at(&f, 66), 4);
	word_copy(word, NX_OP_RECIPROCAL, 0, row_of(4, 2), NX_DTYPE_FP32, 64, row_of(4, 2),
		  NX_DTYPE_FP32, 1);
	run();
	assert_exactly(f32_at(&f, 68), 0.25);
}

static void test_memset_in_the_type(void **state)
{
	struct pattern spread = {4, {2, 0, 0, 0}, {2, 1, 1, 1}};

	(void)state;
	word_clear(word, NX_OP_MEMSET);
	word[32] = NX_DTYPE_UINT16;
	word[34] = 2;
	nx_store16(word + 40, 0xabcd);
	word_operand(word, 44, 48, 32, spread);
	run();
	assert_int_equal(u32_at(&f, PARTITION(1) + 32), 0xffffabcdu);
	assert_int_equal(u32_at(&f, PARTITION(1) + 36), 0xffffabcdu);
	assert_int_equal(u32_at(&f, PARTITION(2) + 32), 0xffffffffu);
}

/* --- arithmetic --------------------------------------------------------------------------- */

static float pair_result(uint8_t op, float a, float b)
{
	const uint32_t addresses[3] = {0, 64, 128};

	put_f32(&f, 0, &a, 1);
	put_f32(&f, 64, &b, 1);
	word_pair(word, NX_OP_TENSOR_TENSOR, op, addresses, 1, 1);
	run();
	return f32_at(&f, 128);
}

static void test_operations(void **state)
{
	(void)state;
	assert_exactly(pair_result(NX_ALU_OP_BYPASS, 3, 5), 3);
	assert_exactly(pair_result(NX_ALU_OP_ADD, 3, 5), 8);
	assert_exactly(pair_result(NX_ALU_OP_SUBTRACT, 3, 5), -2);
	assert_exactly(pair_result(NX_ALU_OP_MULTIPLY, 3, 5), 15);
	assert_exactly(pair_result(NX_ALU_OP_MAX, 3, 5), 5);
	assert_exactly(pair_result(NX_ALU_OP_MIN, 3, 5), 3);
	assert_exactly(pair_result(NX_ALU_OP_IS_LESS, 3, 5), 1);
	assert_exactly(pair_result(NX_ALU_OP_IS_LESS, 5, 5), 0);
	assert_int_equal(f.report.fault_count, 0);
	assert_true(isnan(pair_result(NX_ALU_OP_MAX, 3, NAN)));
	assert_true(isnan(pair_result(NX_ALU_OP_MAX, NAN, 3)));
	assert_int_equal(faults_of(&f, NX_FAULT_NUMERICAL), 2);
}

static void test_unknown_operation_poisons(void **state)
{
	(void)state;
	assert_true(isnan(pair_result(0x77, 3, 5)));
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
	assert_int_equal(f.machine.status, NX_OK);
	f.options.is_strict = true;
	(void)pair_result(0x77, 3, 5);
	assert_int_equal(f.machine.status, NX_UNSUPPORTED);
	assert_non_null(strstr(f.machine.error.message, "0x77"));
}

static void test_types_of_both_sources(void **state)
{
	const float value = 2;

	(void)state;
	put_bf16(&f, 0, &value, 1);
	put_u32(&f, 64, 5);
	word_clear(word, NX_OP_TENSOR_TENSOR);
	word[12] = NX_DTYPE_BF16 | NX_DTYPE_INT32 << 4;
	word[13] = NX_DTYPE_FP32;
	word[14] = NX_ALU_OP_MULTIPLY;
	word[15] = 1;
	word_operand(word, 16, 20, 0, row_of(3, 1));
	word_operand(word, 32, 36, 64, row_of(3, 1));
	word_operand(word, 48, 52, 128, row_of(3, 1));
	run();
	assert_exactly(f32_at(&f, 128), 10);
}

static void test_integer_addition_is_exact(void **state)
{
	const uint32_t addresses[3] = {0, 64, 128};

	(void)state;
	put_u32(&f, 0, 0x01000001);
	put_u32(&f, 64, 0xff000001);
	word_pair(word, NX_OP_TENSOR_TENSOR, NX_ALU_OP_INTEGER_ADD, addresses, 1, 1);
	word[12] = NX_DTYPE_UINT32 | NX_DTYPE_UINT32 << 4;
	word[13] = NX_DTYPE_UINT32;
	run();
	assert_int_equal(u32_at(&f, 128), 2);
	word[14] = NX_ALU_OP_IS_LESS;
	run();
	assert_int_equal(u32_at(&f, 128), 1);
}

static void test_reduce(void **state)
{
	struct pattern source = {4, {1, 2, 4, 0}, {2, 2, 2, 1}};
	const float x[4] = {3, 7, 11, 15}, xy[2] = {-4, -8};

	(void)state;
	put_f32(&f, 0, ascending, 8);
	word_copy(word, NX_OP_TENSOR_REDUCE, 0, source, NX_DTYPE_FP32, 256, row_of(4, 4),
		  NX_DTYPE_FP32, 1);
	word[36] = NX_ALU_OP_ADD;
	word[37] = 2;
	run();
	expect_f32(&f, 256, x, 4);
	word_operand(word, 44, 48, 256, row_of(4, 2));
	word[35] = 1;
	word[36] = NX_ALU_OP_MAX;
	word[37] = 3;
	run();
	expect_f32(&f, 256, xy, 2);
	word[37] = 6;
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1);
	assert_true(isnan(f32_at(&f, 256)));
}

/* The compiler's own opcode for a bf16 source; sums are fp32. */
static void test_reduce_of_bf16(void **state)
{
	const float ones[3] = {256, 1, 1}, sum[1] = {258};

	(void)state;
	put_f32(&f, 1024, ones, 3);
	word_copy(word, NX_OP_CAST, 1024, row_of(4, 3), NX_DTYPE_FP32, 0, row_of(4, 3),
		  NX_DTYPE_BF16, 1);
	run();
	word_copy(word, NX_OP_TENSOR_REDUCE_BF16, 0, row_of(4, 3), NX_DTYPE_BF16, 256, row_of(4, 1),
		  NX_DTYPE_FP32, 1);
	word[36] = NX_ALU_OP_ADD;
	word[37] = 2;
	run();
	expect_f32(&f, 256, sum, 1);
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 0);
}

static void test_scalars_by_value_and_by_pointer(void **state)
{
	const float source[2] = {2, 3}, factors[2] = {10, 100};
	const float lane0[2] = {25, 35}, lane1[2] = {205, 305};

	(void)state;
	for (unsigned p = 0; p < 2; p++) {
		put_f32(&f, PARTITION(p), source, 2);
		put_f32(&f, PARTITION(p) + 64, &factors[p], 1);
	}
	word_clear(word, NX_OP_TENSOR_SCALAR);
	word_operand(word, 16, 20, 0, row_of(3, 2));
	word_operand(word, 48, 52, 128, row_of(3, 2));
	word[32] = word[33] = NX_DTYPE_FP32;
	word[34] = 2;
	word[35] = 1; /* the first is a pointer */
	word[36] = NX_ALU_OP_MULTIPLY;
	word[37] = NX_ALU_OP_ADD;
	nx_store32(word + 40, 64);
	word_store_float(word, 44, 5);
	run();
	expect_f32(&f, PARTITION(0) + 128, lane0, 2);
	expect_f32(&f, PARTITION(1) + 128, lane1, 2);
	nx_store32(word + 40, 0x4000000);
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_ADDRESS_BOUNDS), 1);
}

/* --- predicates --------------------------------------------------------------------------- */

static void test_copy_where_predicate(void **state)
{
	const uint32_t addresses[3] = {0, 64, 128};
	const float predicate[4] = {0, 1, -0.0f, 5}, held[4] = {9, 9, 9, 9};
	const float expected[4] = {9, 2, 9, 4};

	(void)state;
	put_f32(&f, 0, predicate, 4);
	put_f32(&f, 64, ascending, 4);
	put_f32(&f, 128, held, 4);
	word_pair(word, 0x72, 0, addresses, 4, 1);
	run();
	expect_f32(&f, 128, expected, 4);
	/* the same with a narrower target */
	put_bf16(&f, 128, held, 4);
	word[13] = NX_DTYPE_BF16;
	run();
	assert_exactly(bf16_at(&f, 128), 9);
	assert_exactly(bf16_at(&f, 130), 2);
	assert_exactly(bf16_at(&f, 134), 4);
}

static void test_scalar_where_predicate(void **state)
{
	const float predicate[3] = {0, 1, 0}, held[3] = {1, 2, 3}, scalar = 7;
	const float plain[3] = {1, 7, 3}, inverted[3] = {7, 7, 7};

	(void)state;
	put_f32(&f, 0, predicate, 3);
	put_f32(&f, 64, &scalar, 1);
	put_f32(&f, 128, held, 3);
	word_clear(word, 0xe8);
	word_operand(word, 16, 20, 0, row_of(3, 3));
	word_operand(word, 48, 52, 128, row_of(3, 3));
	word[32] = word[41] = word[42] = NX_DTYPE_FP32;
	word[34] = 1;
	word[43] = 1;
	nx_store32(word + 44, 64);
	run();
	expect_f32(&f, 128, plain, 3);
	word[33] = 1;
	run();
	expect_f32(&f, 128, inverted, 3);
}

/* --- bounds --------------------------------------------------------------------------------- */

static void test_out_of_bounds_is_reported_and_harmless(void **state)
{
	(void)state;
	word_copy(word, NX_OP_COPY, 0x4000000, row_of(4, 4), NX_DTYPE_FP32, 256, row_of(4, 4),
		  NX_DTYPE_FP32, 128);
	put_f32(&f, 256, ascending, 4);
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_ADDRESS_BOUNDS), 1);
	assert_true(isnan(f32_at(&f, 256)));
	word_copy(word, NX_OP_COPY, 0, row_of(4, 4), NX_DTYPE_FP32, PSUM(127), row_of(4, 4),
		  NX_DTYPE_FP32, 2);
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_ADDRESS_BOUNDS), 2);
	word_copy(word, NX_OP_COPY, 0, row_of(4, 4), NX_DTYPE_FP32, 256, row_of(4, 5),
		  NX_DTYPE_FP32, 2);
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_CASE(f, test_copy_keeps_bits),
		CORE_CASE(f, test_copy_reshapes_by_order),
		CORE_CASE(f, test_broadcast_by_step_zero),
		CORE_CASE(f, test_copy_to_overlapping_lanes),
		CORE_CASE(f, test_cast_and_reciprocal),
		CORE_CASE(f, test_memset_in_the_type),
		CORE_CASE(f, test_operations),
		CORE_CASE(f, test_unknown_operation_poisons),
		CORE_CASE(f, test_types_of_both_sources),
		CORE_CASE(f, test_integer_addition_is_exact),
		CORE_CASE(f, test_reduce),
		CORE_CASE(f, test_reduce_of_bf16),
		CORE_CASE(f, test_scalars_by_value_and_by_pointer),
		CORE_CASE(f, test_copy_where_predicate),
		CORE_CASE(f, test_scalar_where_predicate),
		CORE_CASE(f, test_out_of_bounds_is_reported_and_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
