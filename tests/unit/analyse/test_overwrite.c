/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "derived.h"

struct fixture {
	struct derived d;
	struct nx_profile profile;
	struct nx_slot slots[2]; /* plain, matmul */
};

static int setup(void **state)
{
	struct fixture *f = derived_fixture_new(sizeof(*f), NX_ANALYSIS_OVERWRITE);

	f->slots[1].flags = NX_SLOT_MATMUL;
	for (unsigned g = 0; g < 2; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			f->profile.program.slots[g][e] = f->slots;
	f->d.profile = &f->profile;
	*state = f;
	return 0;
}

static void add(struct fixture *f, uint64_t start_ps, uint8_t graph, enum nx_engine engine,
		uint32_t slot, uint32_t order)
{
	struct nx_instruction row = {.start_ps = start_ps,
				     .end_ps = start_ps + 1,
				     .slot = slot,
				     .order = order,
				     .graph = graph,
				     .engine = (uint8_t)engine};

	derived_add(&f->d, &row);
}

static void rows_of_different_nanoseconds_all_stay(void **state)
{
	struct fixture *f = *state;

	add(f, 999, 0, NX_ENGINE_TENSOR, 0, 0);
	add(f, 1000, 0, NX_ENGINE_TENSOR, 0, 1);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 2);
}

static void of_one_nanosecond_the_later_core_stays(void **state)
{
	struct fixture *f = *state;
	const struct nx_instruction *row;

	add(f, 1000, 1, NX_ENGINE_SCALAR, 0, 0);
	add(f, 1999, 0, NX_ENGINE_SCALAR, 0, 7);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 1);
	row = row_list_at(&f->d.out, 0);
	assert_int_equal(row->graph, 1);
}

static void on_one_core_the_later_recorded_stays(void **state)
{
	struct fixture *f = *state;
	const struct nx_instruction *row;

	add(f, 1000, 0, NX_ENGINE_SCALAR, 0, 9);
	add(f, 1500, 0, NX_ENGINE_SCALAR, 0, 3);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 1);
	row = row_list_at(&f->d.out, 0);
	assert_int_equal(row->order, 9);
}

static void engines_and_the_matrix_have_lines_of_their_own(void **state)
{
	struct fixture *f = *state;

	add(f, 1000, 0, NX_ENGINE_TENSOR, 0, 0);
	add(f, 1001, 0, NX_ENGINE_TENSOR, 1, 1); /* TensorMatrix */
	add(f, 1002, 0, NX_ENGINE_SYNC, 0, 2);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 3);
}

/* Simulated cores run in step. */
static void of_a_simulation_all_stay(void **state)
{
	struct fixture *f = *state;

	f->profile.capture.is_simulation = true;
	add(f, 1000, 0, NX_ENGINE_SCALAR, 0, 0);
	add(f, 1000, 1, NX_ENGINE_SCALAR, 0, 1);
	derived_finish(&f->d);
	assert_int_equal(row_list_count(&f->d.out), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_of_different_nanoseconds_all_stay, setup,
						row_list_fixture_end),
		cmocka_unit_test_setup_teardown(of_one_nanosecond_the_later_core_stays, setup,
						row_list_fixture_end),
		cmocka_unit_test_setup_teardown(on_one_core_the_later_recorded_stays, setup,
						row_list_fixture_end),
		cmocka_unit_test_setup_teardown(of_a_simulation_all_stay, setup,
						row_list_fixture_end),
		cmocka_unit_test_setup_teardown(engines_and_the_matrix_have_lines_of_their_own,
						setup, row_list_fixture_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
