/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/program.h"
#include "model/rows.h"

#define PARTITION (INT64_C(1) << 18)

static void a_run_in_many_partitions_is_one_operand(void **state)
{
	uint64_t sizes[] = {64, 3, 32};
	int64_t steps[] = {1, 128, PARTITION};
	struct nx_operand o;

	(void)state;
	assert_true(nx_operand_from_dma(&o, 5 * PARTITION + 256, sizes, steps, 3));
	assert_int_equal(o.buffer, NX_BUFFER_SBUF);
	assert_int_equal(o.address, 5 * PARTITION + 256);
	assert_int_equal(o.partition_count, 32);
	assert_int_equal(o.element_bytes, 4);
	assert_int_equal(o.dims, 2);
	assert_int_equal(o.counts[0], 16);
	assert_int_equal(o.counts[1], 3);
	assert_int_equal(o.steps[1], 32);
	assert_false(o.is_write);
}

static void partitions_are_counted_over_all_dimensions(void **state)
{
	static const struct {
		uint64_t sizes[3];
		int64_t steps[3];
		unsigned count;
	} cases[] = {
		{{8, 1, 1}, {1, PARTITION, PARTITION}, 1},
		{{8, 4, 32}, {1, 32 * PARTITION, PARTITION}, 128},
		{{8, 4, 1}, {1, 2 * PARTITION, 0}, 7}, /* every second one, the first to the last */
		{{8, 4, 1}, {1, -PARTITION, 0}, 4},
		{{8, 1000, 1000}, {1, PARTITION, PARTITION}, NX_PARTITION_COUNT},
		{{8, UINT64_MAX, 0}, {1, INT64_MIN, PARTITION}, NX_PARTITION_COUNT},
		{{8, 5, 5}, {1, 0, 0}, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_operand o;

		assert_true(nx_operand_from_dma(&o, 0, cases[i].sizes, cases[i].steps, 3));
		assert_int_equal(o.partition_count, cases[i].count);
		assert_int_equal(o.dims, 1);
	}
}

static void what_is_no_run_is_no_operand(void **state)
{
	uint64_t none = 0, huge = (uint64_t)4 * UINT16_MAX + 4, odd = UINT16_MAX;
	int64_t step = 1;
	struct nx_operand o;

	(void)state;
	assert_false(nx_operand_from_dma(&o, 0, NULL, NULL, 0));
	assert_false(nx_operand_from_dma(&o, 0, &none, &step, 1));
	assert_false(nx_operand_from_dma(&o, 0, &huge, &step, 1));
	assert_true(nx_operand_from_dma(&o, UINT64_MAX, &odd, &step, 1));
	assert_int_equal(o.element_bytes, 1);
	assert_true(o.address < NX_PARTITION_COUNT * NX_PARTITION_STRIDE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_in_many_partitions_is_one_operand),
		cmocka_unit_test(partitions_are_counted_over_all_dimensions),
		cmocka_unit_test(what_is_no_run_is_no_operand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
