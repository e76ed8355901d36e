/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/capture_plan.h"

#define GIVEN(n) ((struct nx_capture_count){true, n})

static struct nx_arena arena;

static int release(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	return 0;
}

static enum nx_status make(struct nx_capture_plan *plan, struct nx_capture_wishes wishes,
			   uint32_t required)
{
	struct nx_capture_model model = {.worker_count = required};
	struct nx_error err;

	return nx_capture_plan_make(plan, &wishes, &model, &arena, &err);
}

static void test_the_usual(void **state)
{
	struct nx_capture_plan plan;

	(void)state;
	assert_int_equal(make(&plan, (struct nx_capture_wishes){0}, 0), NX_OK);
	assert_false(plan.is_collective);
	assert_int_equal(plan.worker_count, 1);
	assert_int_equal(plan.execution_count, 1);
	assert_true(nx_capture_plan_profiles(&plan, 0, 1));
	assert_false(nx_capture_plan_saves(&plan, 1));
	assert_string_equal(nx_capture_plan_session(&plan, 0, 1, &arena), "profile.ntff");
	assert_int_equal(make(&plan, (struct nx_capture_wishes){.is_systrace = true}, 1), NX_OK);
	assert_string_equal(plan.wishes.session_path, "systrace.json");
	assert_false(nx_capture_plan_profiles(&plan, 0, 1));
}

static const struct {
	struct nx_capture_count workers, total, first;
	uint32_t required;
	uint32_t worker_count, first_rank, rank_count;
} groups[] = {
	{GIVEN(12), {0}, {0}, 0, 12, 0, 12},   /* -r alone */
	{{0}, GIVEN(4), {0}, 0, 4, 0, 4},      /* the count alone: all of them here */
	{{0}, GIVEN(4), GIVEN(1), 0, 3, 1, 4}, /* the rest of them here */
	{GIVEN(2), GIVEN(4), GIVEN(2), 0, 2, 2, 4},
	{GIVEN(2), {0}, GIVEN(2), 0, 2, 2, 4}, /* the last node of an unsaid number */
	{{0}, {0}, {0}, 8, 8, 0, 8},	       /* what the model was compiled for */
	{GIVEN(2), {0}, {0}, 8, 2, 0, 2},      /* unless somebody says otherwise */
	{GIVEN(1), {0}, {0}, 0, 1, 0, 1},
};

static void test_workers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		struct nx_capture_plan plan;
		struct nx_capture_wishes wishes = {.workers = groups[i].workers,
						   .total_workers = groups[i].total,
						   .first_rank = groups[i].first};

		assert_int_equal(make(&plan, wishes, groups[i].required), NX_OK);
		assert_true(plan.is_collective);
		assert_int_equal(plan.worker_count, groups[i].worker_count);
		assert_int_equal(plan.first_rank, groups[i].first_rank);
		assert_int_equal(plan.rank_count, groups[i].rank_count);
	}
}

static void test_workers_that_cannot_be(void **state)
{
	struct nx_capture_plan plan;

	(void)state;
	assert_int_equal(make(&plan, (struct nx_capture_wishes){.workers = GIVEN(0)}, 0), NX_USAGE);
	assert_int_equal(make(&plan, (struct nx_capture_wishes){.workers = GIVEN(UINT32_MAX)}, 0),
			 NX_LIMIT);
	assert_int_equal(make(&plan,
			      (struct nx_capture_wishes){.workers = GIVEN(2),
							 .first_rank = GIVEN(UINT32_MAX)},
			      0),
			 NX_USAGE);
	assert_int_equal(make(&plan,
			      (struct nx_capture_wishes){.workers = GIVEN(1),
							 .total_workers = GIVEN(1),
							 .first_rank = GIVEN(1)},
			      0),
			 NX_USAGE);
	assert_int_equal(make(&plan, (struct nx_capture_wishes){.total_workers = GIVEN(0)}, 0),
			 NX_USAGE);
}

static void test_executions(void **state)
{
	struct nx_capture_plan plan;

	(void)state;
	assert_int_equal(make(&plan, (struct nx_capture_wishes){.profile_nth = GIVEN(2)}, 0),
			 NX_OK);
	assert_int_equal(plan.execution_count, 2);
	assert_false(nx_capture_plan_profiles(&plan, 0, 1));
	assert_true(nx_capture_plan_profiles(&plan, 0, 2));
	assert_int_equal(make(&plan, (struct nx_capture_wishes){.profile_nth = GIVEN(0)}, 0),
			 NX_OK);
	assert_false(nx_capture_plan_profiles(&plan, 0, 1));
	/* without a profile its number does not count */
	assert_int_equal(
		make(&plan,
		     (struct nx_capture_wishes){.profile_nth = GIVEN(5), .is_unprofiled = true}, 0),
		NX_OK);
	assert_int_equal(plan.execution_count, 1);
}

static void test_outputs(void **state)
{
	struct nx_capture_plan plan;

	(void)state;
	assert_int_equal(make(&plan,
			      (struct nx_capture_wishes){.saves_npy = true, .executions = GIVEN(3)},
			      0),
			 NX_OK);
	assert_true(nx_capture_plan_saves(&plan, 1));
	assert_true(nx_capture_plan_saves(&plan, 3));
	assert_false(plan.wishes.saves_raw);
	assert_int_equal(make(&plan, (struct nx_capture_wishes){.save_nth = GIVEN(2)}, 0), NX_OK);
	assert_int_equal(plan.execution_count, 2);
	assert_true(plan.wishes.saves_raw);
	assert_true(nx_capture_plan_saves(&plan, 2));
	assert_false(nx_capture_plan_saves(&plan, 1));
}

static void test_one_rank(void **state)
{
	struct nx_capture_plan plan;

	(void)state;
	assert_int_equal(make(&plan,
			      (struct nx_capture_wishes){.workers = GIVEN(2),
							 .first_rank = GIVEN(2),
							 .profiled_rank = GIVEN(3)},
			      0),
			 NX_OK);
	assert_false(nx_capture_plan_profiles(&plan, 0, 1));
	assert_true(nx_capture_plan_profiles(&plan, 1, 1));
}

static void test_session_names(void **state)
{
	struct nx_capture_plan plan = {.wishes = {.session_path = "out.d/p.ntff"}};

	(void)state;
	assert_string_equal(nx_capture_plan_session(&plan, 0, 1, &arena), "out.d/p.ntff");
	assert_string_equal(nx_capture_plan_session(&plan, 0, 2, &arena), "out.d/p_exec_2.ntff");
	plan.is_collective = true;
	plan.first_rank = 30;
	assert_string_equal(nx_capture_plan_session(&plan, 1, 1, &arena), "out.d/p_rank_31.ntff");
	assert_string_equal(nx_capture_plan_session(&plan, 0, 12, &arena),
			    "out.d/p_rank_30_exec_12.ntff");
	plan.wishes.session_path = ".ntff";
	assert_string_equal(nx_capture_plan_session(&plan, 0, 1, &arena), "_rank_30.ntff");
	plan.wishes.session_path = "a.bin";
	assert_string_equal(nx_capture_plan_session(&plan, 0, 1, &arena), "a.bin_rank_30");
}

/* A model may call its tensors what it likes, and writes here only. */
static void test_output_names(void **state)
{
	struct nx_capture_plan plan = {0};

	(void)state;
	assert_string_equal(nx_capture_plan_output(&plan, "y", ".npy", 0, 1, &arena), "y.npy");
	assert_string_equal(nx_capture_plan_output(&plan, "y", "", 0, 3, &arena), "y.3");
	assert_string_equal(nx_capture_plan_output(&plan, "y", ".npy", 0, 2, &arena), "y.2.npy");
	assert_string_equal(nx_capture_plan_output(&plan, "../../etc/passwd", "", 0, 1, &arena),
			    "_._.._etc_passwd");
	assert_string_equal(nx_capture_plan_output(&plan, "/a", "", 0, 1, &arena), "_a");
	assert_string_equal(nx_capture_plan_output(&plan, "..", "", 0, 1, &arena), "_.");
	assert_string_equal(nx_capture_plan_output(&plan, "", "", 0, 1, &arena), "_");
	assert_string_equal(nx_capture_plan_output(&plan, "-", "", 0, 1, &arena), "_");
	assert_string_equal(nx_capture_plan_output(&plan, "a\nb", "", 0, 1, &arena), "a_b");
	plan.is_collective = true;
	plan.first_rank = 30;
	assert_string_equal(nx_capture_plan_output(&plan, "y", "", 2, 1, &arena),
			    "output_worker_32/y");
	assert_string_equal(nx_capture_plan_output(&plan, "../y", ".json", 0, 2, &arena),
			    "output_worker_30/_._y.2.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_usual),
		cmocka_unit_test(test_workers),
		cmocka_unit_test(test_workers_that_cannot_be),
		cmocka_unit_test(test_executions),
		cmocka_unit_test(test_outputs),
		cmocka_unit_test(test_one_rank),
		cmocka_unit_test(test_session_names),
		cmocka_unit_test(test_output_names),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
