/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/operand_runs.h"
#include "base/vec.h"

struct run {
	uint32_t first, end;
};

struct runs NX_VEC_BODY(struct run);

static void add_run(void *context, uint32_t first_byte, uint32_t end_byte)
{
	nx_vec_push((struct runs *)context, ((struct run){first_byte, end_byte}));
}

static void assert_runs(const struct nx_operand *o, uint32_t limit, const struct run *want,
			size_t count)
{
	struct runs runs = {0};

	nx_operand_runs(o, limit, add_run, &runs);
	assert_int_equal(runs.len, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(runs.items[i].first, want[i].first);
		assert_int_equal(runs.items[i].end, want[i].end);
	}
	nx_vec_release(&runs);
}

static void neighbours_are_one_run(void **state)
{
	struct nx_operand o = {.address = (3u << 18) + 100,
			       .element_bytes = 2,
			       .dims = 1,
			       .steps = {1},
			       .counts = {8}};

	(void)state;
	assert_runs(&o, 1000, &(struct run){100, 116}, 1);
	o.steps[0] = 0;
	assert_runs(&o, 1000, &(struct run){100, 102}, 1);
	/* downwards: the bytes before the address */
	o.steps[0] = -1;
	assert_runs(&o, 1000, &(struct run){84, 100}, 1);
}

static void other_steps_are_a_run_each(void **state)
{
	static const struct run want[] = {{100, 104}, {112, 116}, {164, 168}, {176, 180}};
	struct nx_operand o = {
		.address = 100, .element_bytes = 4, .dims = 2, .steps = {3, 16}, .counts = {2, 2}};

	(void)state;
	assert_runs(&o, 1000, want, 4);
}

static void runs_stay_inside(void **state)
{
	struct nx_operand o = {
		.address = 10, .element_bytes = 4, .dims = 1, .steps = {1}, .counts = {8}};

	(void)state;
	assert_runs(&o, 20, &(struct run){10, 20}, 1);
	assert_runs(&o, 10, NULL, 0);
	o.steps[0] = -1;
	assert_runs(&o, 1000, &(struct run){0, 10}, 1);
}

static void a_count_of_zero_is_one_and_lies_end(void **state)
{
	struct nx_operand o = {.element_bytes = 8,
			       .dims = 4,
			       .steps = {1, 0, 0, 0},
			       .counts = {UINT16_MAX, UINT16_MAX, UINT16_MAX, UINT16_MAX}};
	struct runs runs = {0};

	(void)state;
	nx_operand_runs(&o, 16, add_run, &runs);
	assert_int_equal(runs.len, NX_PARTITION_STRIDE / UINT16_MAX);
	nx_vec_release(&runs);
	o.counts[0] = o.counts[1] = o.counts[2] = o.counts[3] = 0;
	assert_runs(&o, 16, &(struct run){0, 8}, 1);
	o.dims = 0;
	assert_runs(&o, 16, &(struct run){0, 8}, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_are_one_run),
		cmocka_unit_test(other_steps_are_a_run_each),
		cmocka_unit_test(runs_stay_inside),
		cmocka_unit_test(a_count_of_zero_is_one_and_lies_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
