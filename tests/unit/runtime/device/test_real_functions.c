/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/bare/bits.h"
#include "runtime/device/real_functions.h"

#define THE_NAN 0x7fc00000u
#define LONGEST_ROW 40

typedef void row_function(float *values, size_t count);

static uint32_t bits_of(row_function *function, float x)
{
	function(&x, 1);
	return nx_load32(&x);
}

/* Signs of zeros count. */
static void assert_maps(row_function *function, float x, float expected)
{
	assert_int_equal(bits_of(function, x), nx_load32(&expected));
}

/* --- values worked out with 400 bits ---------------------------------------- */

static void test_exp(void **state)
{
	(void)state;
	assert_maps(nx_real_exp, 0, 1);
	assert_maps(nx_real_exp, -0.0f, 1);
	assert_maps(nx_real_exp, 1, 0x1.5bf0a8p+1f);
	assert_maps(nx_real_exp, -1, 0x1.78b564p-2f);
	/* The middle of 1 and its neighbour is 1 + 2^-24; exp(2^-24) lies just above it. */
	assert_maps(nx_real_exp, 0x1p-24f, 0x1.000002p+0f);
	assert_maps(nx_real_exp, 0x1.fffffep-25f, 1);
	assert_maps(nx_real_exp, 0x1p-149f, 1);
}

static void test_exp_at_its_ends(void **state)
{
	(void)state;
	assert_maps(nx_real_exp, 0x1.62e42ep+6f, 0x1.ffff08p+127f);
	assert_maps(nx_real_exp, 0x1.62e43p+6f, INFINITY);
	assert_maps(nx_real_exp, 0x1.fffffep+127f, INFINITY);
	/* log(2^-150) lies between these two. */
	assert_maps(nx_real_exp, -0x1.9fe368p+6f, 0x1p-149f);
	assert_maps(nx_real_exp, -0x1.9fe36ap+6f, 0);
	assert_maps(nx_real_exp, -0x1.fffffep+127f, 0);
	assert_maps(nx_real_exp, INFINITY, INFINITY);
	assert_maps(nx_real_exp, -INFINITY, 0);
	assert_int_equal(bits_of(nx_real_exp, -NAN), THE_NAN);
}

static void test_log(void **state)
{
	(void)state;
	assert_maps(nx_real_log, 1, 0);
	assert_maps(nx_real_log, 2, 0x1.62e43p-1f);
	assert_maps(nx_real_log, 10, 0x1.26bb1cp+1f);
	assert_maps(nx_real_log, 0x1.fffffep-1f, -0x1p-24f);
	assert_maps(nx_real_log, 0x1p-149f, -0x1.9d1dap+6f);
	assert_maps(nx_real_log, 0x1.fffffep+127f, 0x1.62e43p+6f);
	assert_maps(nx_real_log, 0, -INFINITY);
	assert_maps(nx_real_log, -0.0f, -INFINITY);
	assert_maps(nx_real_log, INFINITY, INFINITY);
	assert_int_equal(bits_of(nx_real_log, -1), THE_NAN);
	assert_int_equal(bits_of(nx_real_log, -0x1p-149f), THE_NAN);
	assert_int_equal(bits_of(nx_real_log, -INFINITY), THE_NAN);
	assert_int_equal(bits_of(nx_real_log, -NAN), THE_NAN);
}

static void test_sin(void **state)
{
	(void)state;
	assert_maps(nx_real_sin, 0, 0);
	assert_maps(nx_real_sin, -0.0f, -0.0f);
	assert_maps(nx_real_sin, 0x1p-149f, 0x1p-149f);
	assert_maps(nx_real_sin, 1, 0x1.aed548p-1f);
	assert_maps(nx_real_sin, -1, -0x1.aed548p-1f);
	/* The float next to pi. */
	assert_maps(nx_real_sin, 0x1.921fb6p+1f, -0x1.777a5cp-24f);
	assert_int_equal(bits_of(nx_real_sin, INFINITY), THE_NAN);
	assert_int_equal(bits_of(nx_real_sin, -INFINITY), THE_NAN);
	assert_int_equal(bits_of(nx_real_sin, -NAN), THE_NAN);
}

static void test_sin_of_many_turns(void **state)
{
	(void)state;
	/* Both sides of where the way to the angle changes. */
	assert_maps(nx_real_sin, 0x1.fffffep+19f, 0x1.156658p-2f);
	assert_maps(nx_real_sin, 0x1p+20f, 0x1.526cccp-2f);
	assert_maps(nx_real_sin, -0x1p+20f, -0x1.526cccp-2f);
	assert_maps(nx_real_sin, 0x1p+25f, -0x1.f3fa14p-1f);
	assert_maps(nx_real_sin, 0x1p+127f, 0x1.3f2c62p-1f);
	assert_maps(nx_real_sin, 0x1.fffffep+127f, -0x1.0b3366p-1f);
	/* Of all floats these come nearest to half turns and quarter turns. */
	assert_maps(nx_real_sin, 0x1.f37c8ap+95f, 1);
	assert_maps(nx_real_sin, 0x1.f37c8ap+96f, -0x1.bbdd52p-29f);
	assert_maps(nx_real_sin, 0x1.47d0fep+35f, -0x1.149dbp-28f);
}

static void test_tanh(void **state)
{
	(void)state;
	assert_maps(nx_real_tanh, 0, 0);
	assert_maps(nx_real_tanh, -0.0f, -0.0f);
	assert_maps(nx_real_tanh, -0x1p-149f, -0x1p-149f);
	assert_maps(nx_real_tanh, 0x1.0624dep-10f, 0x1.0624d8p-10f);
	assert_maps(nx_real_tanh, 0.5f, 0x1.d9353ep-2f);
	assert_maps(nx_real_tanh, -0.5f, -0x1.d9353ep-2f);
	assert_maps(nx_real_tanh, 100, 1);
	assert_maps(nx_real_tanh, INFINITY, 1);
	assert_maps(nx_real_tanh, -INFINITY, -1);
	assert_int_equal(bits_of(nx_real_tanh, -NAN), THE_NAN);
}

static void test_silu_and_reciprocal_sqrt(void **state)
{
	(void)state;
	assert_maps(nx_real_silu, 0, 0);
	/* 1 / (1 + 0x1.78b564p-2) */
	assert_maps(nx_real_silu, 1, 0x1.764d5p-1f);
	assert_maps(nx_real_silu, 200, 200);
	assert_maps(nx_real_silu, -200, -0.0f);
	assert_int_equal(bits_of(nx_real_silu, -INFINITY), THE_NAN);
	assert_maps(nx_real_reciprocal_sqrt, 4, 0.5f);
	assert_maps(nx_real_reciprocal_sqrt, 0x1p-148f, 0x1p74f);
	assert_maps(nx_real_reciprocal_sqrt, -0.0f, -INFINITY);
	assert_maps(nx_real_reciprocal_sqrt, INFINITY, 0);
	assert_int_equal(bits_of(nx_real_reciprocal_sqrt, -1), THE_NAN);
}

/* Rounded to double first, these lie on or beside the middle of two floats. */
static void test_rounded_once(void **state)
{
	(void)state;
	assert_maps(nx_real_log, 0x1.827a74p-7f, -0x1.1c2b1ep+2f);
	assert_maps(nx_real_log, 0x1.2f1fd6p+3f, 0x1.1fcbcep+1f);
	assert_maps(nx_real_log, 0x1.bacb4ap+25f, 0x1.1e0696p+4f);
	assert_maps(nx_real_log, 0x1.b121a6p+76f, 0x1.a9a3f2p+5f);
	assert_maps(nx_real_log, 0x1.6351d8p+95f, 0x1.08b512p+6f);
	assert_maps(nx_real_sin, 0x1.33333p+13f, -0x1.63f4bap-2f);
	assert_maps(nx_real_sin, 0x1.487e0cp+103f, 0x1.287508p-2f);
}

/* --- floats of all sizes ---------------------------------------------------- */

/* A library's double may be wrong by a place: where that decides, either float will do. */
static void assert_rounds(row_function *function, double (*wide)(double), uint32_t bits)
{
	float x = nx_load_f32(&bits), below, above;
	double expected = wide((double)x);
	uint32_t result = bits_of(function, x);

	below = (float)(expected * (1 - 0x1p-51));
	above = (float)(expected * (1 + 0x1p-51));
	if (expected != expected)
		assert_int_equal(result, THE_NAN);
	else if (result != nx_load32(&below))
		assert_int_equal(result, nx_load32(&above));
}

static void test_samples_are_the_nearest_floats(void **state)
{
	(void)state;
	for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4099) {
		assert_rounds(nx_real_exp, exp, (uint32_t)bits);
		assert_rounds(nx_real_log, log, (uint32_t)bits);
		assert_rounds(nx_real_sin, sin, (uint32_t)bits);
		assert_rounds(nx_real_tanh, tanh, (uint32_t)bits);
	}
}

/* FNV-1a over what every 8,191st float becomes. */
static uint32_t digest_of(row_function *function)
{
	uint32_t digest = 2166136261u;

	for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 8191) {
		uint32_t low = (uint32_t)bits, result = bits_of(function, nx_load_f32(&low));

		for (int shift = 0; shift < 32; shift += 8)
			digest = (digest ^ (result >> shift & 0xff)) * 16777619u;
	}
	return digest;
}

/* Written down once: a compiler, library or processor that makes other bytes shows here. */
static void test_bytes_are_those_of_every_machine(void **state)
{
	(void)state;
	assert_int_equal(digest_of(nx_real_exp), 0x463730b4);
	assert_int_equal(digest_of(nx_real_log), 0xc84abb2c);
	assert_int_equal(digest_of(nx_real_sin), 0xf7200e26);
	assert_int_equal(digest_of(nx_real_tanh), 0x98e6bd8e);
	assert_int_equal(digest_of(nx_real_silu), 0x029f169e);
	assert_int_equal(digest_of(nx_real_reciprocal_sqrt), 0x07453278);
}

/* --- rows ------------------------------------------------------------------- */

static void fill(float *row)
{
	for (int i = 0; i < LONGEST_ROW; i++)
		row[i] = (float)(i - 17) * 0.37f;
	/* One that goes its own way in sin must not change the others. */
	row[29] = 0x1p60f;
	row[31] = NAN;
}

static void check_row(row_function *function, size_t at, size_t count)
{
	float from[LONGEST_ROW], row[LONGEST_ROW];

	fill(from);
	fill(row);
	function(row + at, count);
	for (size_t i = 0; i < LONGEST_ROW; i++) {
		bool is_inside = i >= at && i < at + count;
		uint32_t expected = is_inside ? bits_of(function, from[i]) : nx_load32(&from[i]);

		assert_int_equal(nx_load32(&row[i]), expected);
	}
}

static void test_place_in_a_row_does_not_matter(void **state)
{
	row_function *const functions[] = {nx_real_exp,	 nx_real_log,  nx_real_sin,
					   nx_real_tanh, nx_real_silu, nx_real_reciprocal_sqrt};

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		for (size_t at = 0; at < 9; at++)
			for (size_t count = 0; count <= LONGEST_ROW - at; count++)
				check_row(functions[i], at, count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exp),
		cmocka_unit_test(test_exp_at_its_ends),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_sin),
		cmocka_unit_test(test_sin_of_many_turns),
		cmocka_unit_test(test_tanh),
		cmocka_unit_test(test_silu_and_reciprocal_sqrt),
		cmocka_unit_test(test_rounded_once),
		cmocka_unit_test(test_samples_are_the_nearest_floats),
		cmocka_unit_test(test_bytes_are_those_of_every_machine),
		cmocka_unit_test(test_place_in_a_row_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
