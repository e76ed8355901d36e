/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/executions.h"
#include "tests/unit/made_profile.h"

struct fixture {
	struct nx_made_profile made;
	struct nx_predecessor predecessors[4];
	struct nx_executions x;
};

/* Slot i of Tensor came from BIR 100 + i; slot 1 depends on slot 0 in two ways, and on itself. */
static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	nx_made_profile_init(&f->made);
	nx_made_profile_add_neff(&f->made);
	for (uint32_t i = 0; i < NX_MADE_SLOTS; i++) {
		f->made.birs[i].id = 100 + i;
		f->made.slots[0][NX_ENGINE_TENSOR][i].bir = i;
	}
	f->predecessors[0] = (struct nx_predecessor){100, 4};
	f->predecessors[1] = (struct nx_predecessor){100, 4}; /* said twice */
	f->predecessors[2] = (struct nx_predecessor){999, 4}; /* never ran */
	f->predecessors[3] = (struct nx_predecessor){100, 2};
	f->made.birs[1].predecessors = f->predecessors;
	f->made.birs[1].predecessor_count = 4;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_executions_release(&f->x);
	nx_made_profile_release(&f->made);
	nx_heap_free(f);
	return 0;
}

static void build(struct fixture *f)
{
	assert_int_equal(nx_executions_build(&f->x, &f->made.p, NULL), NX_OK);
}

static const struct nx_instruction *row_at(const struct fixture *f, size_t at)
{
	return (const struct nx_instruction *)(const void *)f->made.rows[NX_TABLE_INSTRUCTION]
		       .items +
	       at;
}

static void each_kind_of_dependence_comes_once(void **state)
{
	struct fixture *f = *state;
	struct nx_predecessor_walk walk;

	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 0, 10, 20);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 0, 30, 45);
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 1, 50, 60);
	build(f);
	walk = nx_predecessors_of(&f->x, row_at(f, 2));
	assert_true(nx_predecessor_walk_next(&walk));
	assert_int_equal(walk.type, 4);
	assert_int_equal(walk.count, 2);
	assert_int_equal(walk.executions[0].id, 1);
	assert_int_equal(walk.executions[0].end_ps, 20000);
	assert_int_equal(walk.executions[1].id, 2);
	assert_int_equal(walk.executions[1].end_ps, 45000);
	assert_true(nx_predecessor_walk_next(&walk));
	assert_int_equal(walk.type, 2);
	assert_false(nx_predecessor_walk_next(&walk));
	assert_false(nx_predecessor_walk_next(&walk));
}

static void a_loop_names_only_its_latest_round(void **state)
{
	struct fixture *f = *state;
	const struct nx_execution *list;

	for (uint64_t i = 0; i <= NX_EXECUTIONS_LISTED; i++)
		nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 0, i * 10, i * 10 + 5);
	build(f);
	assert_int_equal(f->x.shortened_count, 1);
	assert_int_equal(nx_executions_of(&f->x, 0, 100, &list), 0); /* none has passed */
	nx_executions_pass(&f->x, row_at(f, 0), 1);
	nx_executions_pass(&f->x, row_at(f, 1), 2);
	assert_int_equal(nx_executions_of(&f->x, 0, 100, &list), 1);
	assert_int_equal(list[0].id, 2);
	assert_int_equal(list[0].end_ps, 15000);
}

static void what_came_from_nothing_depends_on_nothing(void **state)
{
	struct fixture *f = *state;
	struct nx_predecessor_walk walk;

	f->made.slots[0][NX_ENGINE_TENSOR][1].bir = NX_NONE;
	nx_made_profile_run(&f->made, NX_ENGINE_TENSOR, 1, 10, 20);
	build(f);
	walk = nx_predecessors_of(&f->x, row_at(f, 0));
	assert_false(nx_predecessor_walk_next(&walk));
}

static void a_failing_scan_is_reported(void **state)
{
	struct fixture *f = *state;

	f->made.failing = NX_TABLE_INSTRUCTION;
	assert_int_equal(nx_executions_build(&f->x, &f->made.p, NULL), NX_NO_SPACE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_kind_of_dependence_comes_once),
		TEST(a_loop_names_only_its_latest_round),
		TEST(what_came_from_nothing_depends_on_nothing),
		TEST(a_failing_scan_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
