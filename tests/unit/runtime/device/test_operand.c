/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "tests/unit/runtime/device/core_fixture.h"
#include "tests/unit/runtime/device/exactly.h"

static uint8_t word[NX_SLOT_BYTES];

static struct nx_device_operand operand(uint32_t address, struct pattern p, unsigned dtype,
					uint8_t lanes)
{
	word_clear(word, 0x46);
	word_operand(word, 12, 16, address, p);
	switch (p.dims) {
	case 2:
		return nx_operand_2d((const struct nx_pattern_2d *)(word + 12), dtype, lanes);
	case 3:
		return nx_operand_3d((const struct nx_pattern_3d *)(word + 12), dtype, lanes);
	default:
		assert_int_equal(p.dims, 4);
		return nx_operand_4d((const struct nx_pattern_4d *)(word + 12), dtype, lanes);
	}
}

static const char *check(struct nx_device_operand o)
{
	return nx_operand_check(&o, 192u << 10);
}

static void test_joins_what_continues(void **state)
{
	struct pattern p = {4, {1, 8, 0, 32}, {8, 4, 1, 2}};
	struct nx_device_operand o = operand(64, p, NX_DTYPE_BF16, 128);

	(void)state;
	/* 8 x 1, then 4 steps of 8, continue; the count of 1 is nothing; 32 continues too */
	assert_int_equal(o.dims, 1);
	assert_int_equal(o.counts[0], 64);
	assert_int_equal(o.steps[0], 2);
	assert_int_equal(o.elements, 64);
	assert_int_equal(o.most, 128);
	assert_null(check(o));
}

static void test_negative_and_zero_steps(void **state)
{
	struct pattern p = {3, {-1, 0, 4}, {3, 2, 2}};
	struct nx_device_operand o = operand(100, p, NX_DTYPE_FP32, 1);
	int32_t offsets[12];
	const int32_t expected[12] = {0, -4, -8, 0, -4, -8, 16, 12, 8, 16, 12, 8};

	(void)state;
	assert_int_equal(o.elements, 12);
	assert_int_equal(o.least, -8);
	assert_int_equal(o.most, 20);
	nx_operand_offsets(&o, offsets);
	assert_memory_equal(offsets, expected, sizeof(offsets));
}

static void test_reversed_is_the_last_first(void **state)
{
	struct pattern p = {3, {2, 16, -64}, {3, 2, 2}};
	struct nx_device_operand o = operand(1000, p, NX_DTYPE_FP32, 1),
				 r = nx_operand_reversed(&o);
	int32_t forward[12], backward[12];

	(void)state;
	nx_operand_offsets(&o, forward);
	nx_operand_offsets(&r, backward);
	for (int i = 0; i < 12; i++)
		assert_int_equal(o.address + (uint32_t)forward[i],
				 r.address + (uint32_t)backward[11 - i]);
	assert_int_equal(r.address + (uint32_t)r.least, o.address + (uint32_t)o.least);
}

static void test_bounds(void **state)
{
	(void)state;
	assert_null(check(operand(0, row_of(4, 1), NX_DTYPE_FP32, 128)));
	assert_null(check(operand((192u << 10) - 4, row_of(4, 1), NX_DTYPE_FP32, 1)));
	assert_non_null(check(operand((192u << 10) - 3, row_of(4, 1), NX_DTYPE_FP32, 1)));
	assert_non_null(check(operand((192u << 10) - 4, row_of(4, 2), NX_DTYPE_FP32, 1)));
	assert_null(check(operand(PSUM(0) + (16u << 10) - 4, row_of(4, 1), NX_DTYPE_FP32, 1)));
	assert_non_null(check(operand(PSUM(0) + (16u << 10), row_of(4, 1), NX_DTYPE_FP32, 1)));
	assert_non_null(check(operand(0x4000000, row_of(4, 1), NX_DTYPE_FP32, 1)));
	assert_non_null(check(operand(0xfffffffc, row_of(4, 1), NX_DTYPE_FP32, 1)));
	assert_non_null(check(operand(PARTITION(96), row_of(4, 1), NX_DTYPE_FP32, 33)));
	assert_null(check(operand(PARTITION(96), row_of(4, 1), NX_DTYPE_FP32, 32)));
	assert_non_null(check(operand(0, row_of(4, 1), NX_DTYPE_FP32, 0)));
	assert_non_null(check(operand(0, row_of(4, 0), NX_DTYPE_FP32, 1)));
	assert_non_null(check(operand(0, row_of(4, 1), 0, 1)));
	assert_non_null(check(operand(0, row_of(4, 1), 16, 1)));
	/* downwards out of the first byte, and a count that no partition holds */
	assert_non_null(
		check(operand(4, (struct pattern){3, {-1, 0, 0}, {3, 1, 1}}, NX_DTYPE_FP32, 1)));
	assert_non_null(check(operand(0, (struct pattern){3, {0, 0, 0}, {65535, 65535, 65535}},
				      NX_DTYPE_FP32, 1)));
}

static void test_lanes_in_memory(void **state)
{
	const float values[4] = {1, 2, 3, 4};
	struct pattern p = {3, {2, -1, 0}, {2, 2, 1}};
	struct core_fixture f;
	struct nx_device_operand o;
	float out[4];

	(void)state;
	core_fixture_open(&f, 1);
	o = operand(PARTITION(5) + 16, p, NX_DTYPE_FP32, 2);
	nx_operand_store(&o, f.cores[0].on_chip.bytes, 1, values);
	/* order: +0, +2, then one back: -1, +1 */
	assert_exactly(f32_at(&f, PARTITION(6) + 16), 1);
	assert_exactly(f32_at(&f, PARTITION(6) + 24), 2);
	assert_exactly(f32_at(&f, PARTITION(6) + 12), 3);
	assert_exactly(f32_at(&f, PARTITION(6) + 20), 4);
	assert_true(isnan(f32_at(&f, PARTITION(5) + 16)));
	nx_operand_load(&o, f.cores[0].on_chip.bytes, 1, out);
	assert_memory_equal(out, values, sizeof(out));
	nx_operand_poison(&o, f.cores[0].on_chip.bytes);
	assert_true(isnan(f32_at(&f, PARTITION(6) + 12)));
	core_fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joins_what_continues),
		cmocka_unit_test(test_negative_and_zero_steps),
		cmocka_unit_test(test_reversed_is_the_last_first),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_lanes_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
