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
	core_fixture_run_one(&f, NX_ENGINE_GPSIMD, word);
}

static void load_table(void)
{
	const float table[3] = {10, 20, 30}, other[3] = {40, 50, 60};

	put_f32(&f, PARTITION(0), table, 3);
	put_f32(&f, PARTITION(1), other, 3);
	word_clear(word, 0x67);
	word_operand(word, 12, 16, 0, row_of(4, 3));
	word[32] = NX_DTYPE_FP32;
	word[34] = 2;
	run();
}

static void gather(uint32_t first, uint32_t second)
{
	for (unsigned p = 0; p < 2; p++) {
		put_u32(&f, PARTITION(p) + 64, first);
		put_u32(&f, PARTITION(p) + 68, second);
	}
	word_copy(word, 0x68, 64, row_of(4, 2), NX_DTYPE_UINT32, 128, row_of(4, 2), NX_DTYPE_FP32,
		  2);
	run();
}

static void test_gather_from_the_table_of_the_lane(void **state)
{
	const float lane0[2] = {30, 10}, lane1[2] = {60, 40};

	(void)state;
	load_table();
	gather(2, 0);
	expect_f32(&f, PARTITION(0) + 128, lane0, 2);
	expect_f32(&f, PARTITION(1) + 128, lane1, 2);
}

static void test_index_outside_of_the_table(void **state)
{
	(void)state;
	gather(0, 0);
	assert_int_equal(faults_of(&f, NX_FAULT_OPERAND), 1); /* no table yet */
	load_table();
	gather(3, 1);
	assert_int_equal(faults_of(&f, NX_FAULT_INDEX_BOUNDS), 1);
	assert_true(isnan(f32_at(&f, 128)));
	assert_exactly(f32_at(&f, 132), 20);
}

/* index = column - lane: the fill value goes to the diagonal of a matrix of zeros */
static void test_affine_select_makes_an_identity(void **state)
{
	const float zeros[4] = {0};
	float one = 1;

	(void)state;
	for (unsigned p = 0; p < 4; p++)
		put_f32(&f, PARTITION(p), zeros, 4);
	memcpy(&f.cores[0].registers[NX_ENGINE_GPSIMD][9], &one, 4);
	word_clear(word, 0x92);
	word[12] = 4;
	word[13] = NX_DTYPE_FP32 | NX_DTYPE_FP32 << 4;
	word[14] = 3;
	word[15] = 9;
	nx_store16(word + 20, 1);
	for (unsigned d = 0; d < 4; d++)
		nx_store16(word + 28 + 2 * d, d ? 1 : 4);
	nx_store32(word + 60, (uint32_t)-1);
	word_operand(word, 36, 40, 0, row_of(2, 4));
	word_operand(word, 48, 52, 64, row_of(2, 4));
	nx_store32(word + 60, (uint32_t)-1);
	run();
	for (unsigned p = 0; p < 4; p++)
		for (unsigned i = 0; i < 4; i++)
			assert_exactly(f32_at(&f, PARTITION(p) + 64 + 4 * i), i == p ? 1 : 0);
	word[14] = 2;
	run();
	assert_int_equal(faults_of(&f, NX_FAULT_UNKNOWN), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CORE_CASE(f, test_gather_from_the_table_of_the_lane),
		CORE_CASE(f, test_index_outside_of_the_table),
		CORE_CASE(f, test_affine_select_makes_an_identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
