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
static uint8_t words[4][NX_SLOT_BYTES];

static void weights(uint8_t *word, uint32_t address, struct pattern p, unsigned dtype,
		    unsigned rows, unsigned columns)
{
	word_clear(word, NX_OP_LDWEIGHTS);
	word_operand(word, 16, 20, address, p);
	word[32] = (uint8_t)dtype;
	word[38] = (uint8_t)rows;
	word[39] = (uint8_t)columns;
	word[44] = word[45] = 0x0f;
}

static void matmul(uint8_t *word, uint32_t from, unsigned dtype, unsigned rows, unsigned columns,
		   unsigned count, uint32_t to, unsigned acc_flags)
{
	weights(word, from, row_of(3, count), dtype, rows, columns);
	word[0] = NX_OP_MATMUL;
	word[43] = (uint8_t)acc_flags;
	word_operand(word, 48, 52, to, row_of(3, count));
}

static void run(size_t count)
{
	core_fixture_run(&f, NX_ENGINE_TENSOR, (const uint8_t(*)[NX_SLOT_BYTES])words, count);
}

/* W = [1 2 3; 4 5 6] (rows k), X = [1 10; 100 1000]; W is at byte 0, X at byte 64 */
static void put_small_matrices(void)
{
	const float w0[3] = {1, 2, 3}, w1[3] = {4, 5, 6}, x0[2] = {1, 10}, x1[2] = {100, 1000};

	put_f32(&f, PARTITION(0), w0, 3);
	put_f32(&f, PARTITION(1), w1, 3);
	put_f32(&f, PARTITION(0) + 64, x0, 2);
	put_f32(&f, PARTITION(1) + 64, x1, 2);
}

/* Ascending columns are read from the last element on, as compilers write it. */
static const struct pattern downwards = {3, {-1, 0, 0}, {3, 1, 1}};

static void test_product(void **state)
{
	const float out[3][2] = {{401, 4010}, {502, 5020}, {603, 6030}};

	(void)state;
	put_small_matrices();
	weights(words[0], 8, downwards, NX_DTYPE_FP32, 2, 3);
	matmul(words[1], 64, NX_DTYPE_FP32, 2, 3, 2, PSUM(0) + 256, 1);
	run(2);
	for (unsigned m = 0; m < 3; m++)
		expect_f32(&f, PSUM(m) + 256, out[m], 2);
	assert_true(isnan(f32_at(&f, PSUM(3) + 256)));
	assert_int_equal(f.report.flops, 2 * 2 * 3 * 2);
	assert_int_equal(f.report.executed[NX_ENGINE_TENSOR][NX_OP_MATMUL], 1);
}

/* What comes first goes to the last column: ascending reads turn the columns around. */
static void test_weights_fill_from_the_far_end(void **state)
{
	const float first[2] = {603, 6030};

	(void)state;
	put_small_matrices();
	weights(words[0], 0, row_of(3, 3), NX_DTYPE_FP32, 2, 3);
	matmul(words[1], 64, NX_DTYPE_FP32, 2, 3, 2, PSUM(0), 3);
	run(2);
	expect_f32(&f, PSUM(0), first, 2);
}

static void test_accumulates_without_start(void **state)
{
	const float base[2] = {0.5f, -1}, out[2] = {802.5f, 8019};

	(void)state;
	put_small_matrices();
	for (unsigned m = 0; m < 3; m++)
		put_f32(&f, PSUM(m), base, 2);
	weights(words[0], 8, downwards, NX_DTYPE_FP32, 2, 3);
	matmul(words[1], 64, NX_DTYPE_FP32, 2, 3, 2, PSUM(0), 0);
	matmul(words[2], 64, NX_DTYPE_FP32, 2, 3, 2, PSUM(0), 2);
	run(3);
	expect_f32(&f, PSUM(0), out, 2);
}

/* Low and high part of the weights, each with all of the moving value, add up to everything. */
static void test_passes_add_up(void **state)
{
	const float w = 1.2345678f, x = 3;
	uint32_t high_bits;
	float high;

	(void)state;
	memcpy(&high_bits, &w, 4);
	high_bits &= 0xfffff000;
	memcpy(&high, &high_bits, 4);
	put_f32(&f, 0, &w, 1);
	put_f32(&f, 64, &x, 1);
	weights(words[0], 0, row_of(3, 1), NX_DTYPE_FP32, 1, 1);
	words[0][33] = 1;
	matmul(words[1], 64, NX_DTYPE_FP32, 1, 1, 1, PSUM(0), 1);
	words[1][33] = 3;
	run(2);
	assert_exactly(f32_at(&f, PSUM(0)), (w - high) * x);
	words[0][33] = 2;
	words[1][43] = 2;
	run(2);
	assert_exactly(f32_at(&f, PSUM(0)), (w - high) * x + high * x);
}

static void test_infinite_weight_has_no_low_part(void **state)
{
	const float w = INFINITY, x = 2;

	(void)state;
	put_f32(&f, 0, &w, 1);
	put_f32(&f, 64, &x, 1);
	weights(words[0], 0, row_of(3, 1), NX_DTYPE_FP32, 1, 1);
	words[0][33] = 1;
	matmul(words[1], 64, NX_DTYPE_FP32, 1, 1, 1, PSUM(0), 1);
	run(2);
	assert_exactly(f32_at(&f, PSUM(0)), 0);
}

/* --- zero region ------------------------------------------------------------------------------ */

static void product_in_region(unsigned offset, unsigned acc_flags)
{
	const float one = 1;

	put_f32(&f, 0, &one, 1);
	weights(words[0], 0, row_of(3, 1), NX_DTYPE_FP32, 1, 1);
	matmul(words[1], 0, NX_DTYPE_FP32, 1, 1, 1, PSUM(0) + offset, acc_flags);
	words[1][40] = 0x0a;
	run(2);
}

static void test_zero_region_arms_its_bank(void **state)
{
	const float old = 7;

	(void)state;
	put_f32(&f, PSUM(0) + 8, &old, 1);
	put_f32(&f, PSUM(0) + 2048, &old, 1);
	product_in_region(0, 1);
	assert_exactly(f32_at(&f, PSUM(0)), 1);
	/* the neighbour keeps its value until something is written there */
	assert_exactly(f32_at(&f, PSUM(0) + 8), 7);
	product_in_region(8, 0);
	assert_exactly(f32_at(&f, PSUM(0) + 8), 1);
	product_in_region(8, 0);
	assert_exactly(f32_at(&f, PSUM(0) + 8), 2);
	/* the next bank was not armed */
	product_in_region(2048, 0);
	assert_exactly(f32_at(&f, PSUM(0) + 2048), 8);
}

/* --- transpose -------------------------------------------------------------------------------- */

static void transpose_words(unsigned dtype, unsigned rows, unsigned columns)
{
	struct pattern reversed = {3, {-1, 0, 0}, {(uint16_t)columns, 1, 1}};
	unsigned size = dtype == NX_DTYPE_FP32 ? 4 : 2;

	weights(words[0], (columns - 1) * size, reversed, dtype, rows, columns);
	matmul(words[1], 64, dtype, rows, columns, rows, PSUM(0), 3);
	words[0][34] = words[1][34] = 1;
	words[0][33] = 1;
	words[1][33] = 3;
}

static void test_transpose_keeps_the_type(void **state)
{
	const float rows[2][3] = {{1, 2, 3}, {4, INFINITY, 6}}, one[2][2] = {{1, 0}, {0, 1}};

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		put_bf16(&f, PARTITION(k), rows[k], 3);
		put_bf16(&f, PARTITION(k) + 64, one[k], 2);
	}
	transpose_words(NX_DTYPE_BF16, 2, 3);
	run(2);
	/* two-byte elements side by side; infinity passes, and does not spoil its neighbours */
	for (unsigned m = 0; m < 3; m++)
		for (unsigned k = 0; k < 2; k++)
			assert_true(bf16_at(&f, PSUM(m) + 2 * k) == rows[k][m]);
	assert_int_equal(f.report.nan_count, 0);
}

static void test_transpose_moves_fp32_unsplit(void **state)
{
	const float value = 1.2345678f, one = 1;

	(void)state;
	put_f32(&f, 0, &value, 1);
	put_f32(&f, 64, &one, 1);
	transpose_words(NX_DTYPE_FP32, 1, 1);
	run(2);
	assert_exactly(f32_at(&f, PSUM(0)), value);
}

static void test_transpose_by_another_matrix_multiplies(void **state)
{
	const float rows[2] = {3, 4}, mix[2] = {2, 1};

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		put_f32(&f, PARTITION(k), &rows[k], 1);
		put_f32(&f, PARTITION(k) + 64, &mix[k], 1);
	}
	transpose_words(NX_DTYPE_FP32, 2, 1);
	word_operand(words[1], 16, 20, 64, row_of(3, 1));
	word_operand(words[1], 48, 52, PSUM(0), row_of(3, 1));
	run(2);
	assert_exactly(f32_at(&f, PSUM(0)), 10);
}

/* --- what does not fit ------------------------------------------------------------------------ */

static void test_refuses_what_does_not_fit(void **state)
{
	(void)state;
	put_small_matrices();
	matmul(words[0], 64, NX_DTYPE_FP32, 2, 3, 2, PSUM(0), 1);
	run(1);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1); /* no weights */
	weights(words[0], 8, downwards, NX_DTYPE_FP32, 2, 3);
	matmul(words[1], 64, NX_DTYPE_FP32, 1, 3, 2, PSUM(0), 1);
	run(2);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 2); /* other rows */
	matmul(words[1], 64, NX_DTYPE_FP32, 2, 3, 2, 1024, 1);
	run(2);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 3); /* not PSUM */
	matmul(words[1], 64, NX_DTYPE_FP32, 2, 3, 2, PSUM(0), 1);
	words[1][40] = 14;
	run(2);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 4); /* zero region */
	weights(words[0], 0, row_of(3, 129), NX_DTYPE_FP32, 2, 129);
	run(1);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 5); /* wider than the array */
	matmul(words[1], PARTITION(127), NX_DTYPE_FP32, 2, 3, 2, PSUM(0), 1);
	run(2);
	assert_int_equal(faults_of(&f, NX_FAULT_ADDRESS_BOUNDS), 1);
}

static void test_reports_nan_once(void **state)
{
	(void)state;
	weights(words[0], 0, row_of(3, 2), NX_DTYPE_FP32, 4, 2);
	matmul(words[1], 64, NX_DTYPE_FP32, 4, 2, 3, PSUM(0), 1);
	run(2);
	assert_int_equal(f.report.nan_count, 6);
	assert_int_equal(faults_of(&f, NX_FAULT_NUMERICAL), 1);
	assert_int_equal(f.report.faults[0].pc, 1);
	assert_int_equal(f.report.faults[0].opcode, NX_OP_MATMUL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_CASE(f, test_product),
		CORE_CASE(f, test_weights_fill_from_the_far_end),
		CORE_CASE(f, test_accumulates_without_start),
		CORE_CASE(f, test_passes_add_up),
		CORE_CASE(f, test_infinite_weight_has_no_low_part),
		CORE_CASE(f, test_zero_region_arms_its_bank),
		CORE_CASE(f, test_transpose_keeps_the_type),
		CORE_CASE(f, test_transpose_moves_fp32_unsplit),
		CORE_CASE(f, test_transpose_by_another_matrix_multiplies),
		CORE_CASE(f, test_refuses_what_does_not_fit),
		CORE_CASE(f, test_reports_nan_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
