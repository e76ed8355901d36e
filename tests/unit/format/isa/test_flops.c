/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/instruction.h"
#include "tests/unit/format/isa/slot.h"

#define V2 1
#define V3 2

/* 128 rows, 64 columns, 512 elements moved. */
static struct slot matmul(uint8_t dtype, uint8_t pass)
{
	struct slot s = slot_of(NX_OP_MATMUL);

	pattern(&s, 20, 3, (1, 0, 0), (512, 1, 1));
	at(&s, 32, dtype, pass);
	at(&s, 38, 128, 64);
	return s;
}

#define ELEMENTS (UINT64_C(128) * 64 * 512)

static void check(struct slot s, unsigned arch, uint64_t raw_count, uint64_t adjusted_count)
{
	struct nx_flops flops = nx_instruction_flops(s.bytes, arch);

	assert_int_equal(flops.raw_count, raw_count);
	assert_int_equal(flops.adjusted_count, adjusted_count);
}

static void bf16_is_the_measure(void **state)
{
	(void)state;
	check(matmul(6, 0), V3, 2 * ELEMENTS, 2 * ELEMENTS);
	check(matmul(7, 0), V3, 2 * ELEMENTS, 2 * ELEMENTS);
	check(matmul(11, 0), V3, 2 * ELEMENTS, 2 * ELEMENTS);
}

/* A screen of the profiler shows 8388608 and 33554432 for a pass of 128 * 128 * 512. */
static void a_pass_of_fp32_counts_half_and_costs_four_times(void **state)
{
	struct slot s = matmul(10, 3);

	(void)state;
	at(&s, 38, 128, 128);
	check(s, V3, 8388608, 33554432);
	check(matmul(10, 2), V3, ELEMENTS, 4 * ELEMENTS);
}

static void fp32_without_a_pass_is_the_whole_product(void **state)
{
	(void)state;
	check(matmul(10, 0), V3, 2 * ELEMENTS, 8 * ELEMENTS);
}

/* Bits beside those of the pass say other things. */
static void only_the_low_bits_tell_the_pass(void **state)
{
	(void)state;
	check(matmul(10, 0x14), V3, 2 * ELEMENTS, 8 * ELEMENTS);
	check(matmul(6, 3), V3, 2 * ELEMENTS, 2 * ELEMENTS);
}

static void narrow_types_are_cheaper_from_the_third_generation_on(void **state)
{
	(void)state;
	for (uint8_t fp8 = 13; fp8 <= 15; fp8++) {
		check(matmul(fp8, 0), V2, 2 * ELEMENTS, 2 * ELEMENTS);
		check(matmul(fp8, 0), V3, 2 * ELEMENTS, ELEMENTS);
	}
	check(matmul(3, 0), V2, 2 * ELEMENTS, ELEMENTS);
}

static void other_opcodes_do_no_flops(void **state)
{
	struct slot s = matmul(6, 0);

	(void)state;
	s.bytes[0] = NX_OP_LDWEIGHTS;
	check(s, V3, 0, 0);
}

/* 255 * 255 * 65535^3 elements fit into 64 bits, twice as many do not. */
static void a_lie_saturates(void **state)
{
	struct slot s = matmul(6, 0);

	(void)state;
	pattern(&s, 20, 3, (1, 0, 0), (65535, 65535, 65535));
	at(&s, 38, 255, 255);
	check(s, V3, UINT64_MAX, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bf16_is_the_measure),
		cmocka_unit_test(a_pass_of_fp32_counts_half_and_costs_four_times),
		cmocka_unit_test(fp32_without_a_pass_is_the_whole_product),
		cmocka_unit_test(only_the_low_bits_tell_the_pass),
		cmocka_unit_test(narrow_types_are_cheaper_from_the_third_generation_on),
		cmocka_unit_test(other_opcodes_do_no_flops),
		cmocka_unit_test(a_lie_saturates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
