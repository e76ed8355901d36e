/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/bare/bits.h"
#include "runtime/device/activation_table.h"
#include "tests/unit/runtime/device/exactly.h"

static uint8_t buckets[4 * 32], controls[2 * 32];
static struct nx_activation_set set;
static struct nx_arena arena;
static struct nx_error err;

static void put_bucket(unsigned at, float c0, float c1, float c2, float c3, float centre)
{
	const float values[5] = {c0, c1, c2, c3, centre};

	memcpy(buckets + 32 * at, values, sizeof(values));
}

/*
 * Function 7: between 1 and 4 by table, 2.5 for what is smaller, 9 for what is larger; the
 * second control word splits its octave in two by the first bit of the mantissa.
 */
static const char json[] =
	"{\"profile_meta_data\": [{\"func_id\": 7, \"exp_offset\": 0, "
	"\"pwl_control_base_pos\": 0, \"small_pos_signal_exp_threshold\": 127, "
	"\"pos_small_signal_pwl_control\": 3, \"large_pos_signal_exp_threshold\": 129, "
	"\"large_pos_signal_mantissa_threshold\": 0, \"pos_large_signal_pwl_control\": 3, "
	"\"pwl_control_base_neg\": 99, \"large_neg_signal_exp_threshold\": 255, "
	"\"fzero_result\": 1065353216, \"fnan_result\": 1073741824, \"fpinf_result\": 1077936128, "
	"\"fninf_result\": 1082130432},"
	"{\"func_id\": 4, \"fma_indirection_src_sel\": 2}]}";

static int read_set(void **state)
{
	(void)state;
	memset(&set, 0, sizeof(set));
	put_bucket(0, 1, 2, 3, 4, 1);
	put_bucket(1, 10, 0, 0, 0, 0);
	put_bucket(2, 20, 0, 0, 0, 0);
	put_bucket(3, 2.5f, 0, 0, 0, 0);
	nx_store32(controls, 0);
	nx_store32(controls + 32, 1 | 22u << 11 | 1u << 16);
	set.buckets = nx_slice_of(buckets, sizeof(buckets));
	set.controls = nx_slice_of(controls, sizeof(controls));
	assert_int_equal(nx_activation_set_read(nx_slice_text(json), &arena, &set, &err), NX_OK);
	return 0;
}

static int release_set(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	return 0;
}

static float value_of(float x)
{
	nx_activation_evaluate(&set, nx_activation_find(&set, 7), &x, 1);
	return x;
}

static void test_polynomial_around_its_centre(void **state)
{
	(void)state;
	assert_exactly(value_of(1), 1);
	/* t = 0.5: 1 + 0.5 * (2 + 0.5 * (3 + 0.5 * 4)) */
	assert_exactly(value_of(1.5f), 3.25);
}

static void test_mantissa_chooses_the_bucket(void **state)
{
	(void)state;
	assert_exactly(value_of(2), 10);
	assert_exactly(value_of(2.9f), 10);
	assert_exactly(value_of(3), 20);
}

static void test_small_large_and_special(void **state)
{
	(void)state;
	assert_exactly(value_of(0.5f), 2.5);
	assert_exactly(value_of(4), 2.5);
	assert_exactly(value_of(0), 1);
	assert_exactly(value_of(-0.0f), 1);
	assert_exactly(value_of(NAN), 2);
	assert_exactly(value_of(INFINITY), 3);
	assert_exactly(value_of(-INFINITY), 4);
}

static void test_tables_that_are_too_short(void **state)
{
	(void)state;
	assert_true(isnan(value_of(-2))); /* control word 100 */
	set.buckets.len = 64;
	assert_true(isnan(value_of(3)));
	set.buckets.len = 0;
	assert_true(isnan(value_of(1)));
}

static void test_odd_functions_use_one_side(void **state)
{
	(void)state;
	set.functions[0].is_symmetric = true;
	assert_exactly(value_of(-1.5f), 3.25);
	set.functions[0].is_odd = true;
	assert_exactly(value_of(-1.5f), -3.25);
}

static void test_what_cannot_be_evaluated_is_not_found(void **state)
{
	(void)state;
	assert_int_equal(set.function_count, 2);
	assert_null(nx_activation_find(&set, 4));
	assert_null(nx_activation_find(&set, 8));
	assert_int_equal(nx_activation_set_read(nx_slice_text("{}"), &arena, &set, &err),
			 NX_FORMAT);
	assert_int_equal(nx_activation_set_read(nx_slice_text("{"), &arena, &set, &err), NX_FORMAT);
}

static void test_mathematics(void **state)
{
	float x[3] = {-2, 0, 4};

	(void)state;
	assert_true(nx_activation_compute(2, x, 3));
	assert_exactly(x[0], 0);
	assert_exactly(x[2], 4);
	assert_true(nx_activation_compute(29, &x[2], 1));
	assert_exactly(x[2], 0.5);
	x[0] = -3;
	assert_true(nx_activation_compute(31, x, 2));
	assert_exactly(x[0], -1);
	assert_exactly(x[1], 0);
	assert_false(nx_activation_compute(99, x, 3));
	assert_false(nx_activation_compute(4, x, 3));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, read_set, release_set)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_polynomial_around_its_centre),
		CASE(test_mantissa_chooses_the_bucket),
		CASE(test_small_large_and_special),
		CASE(test_tables_that_are_too_short),
		CASE(test_odd_functions_use_one_side),
		CASE(test_what_cannot_be_evaluated_is_not_found),
		CASE(test_mathematics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
