/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number.h"
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[NX_NUMBER_MAX + 1];

static const char *u64(uint64_t v)
{
	text[nx_format_u64(text, v)] = '\0';
	return text;
}

static const char *i64(int64_t v)
{
	text[nx_format_i64(text, v)] = '\0';
	return text;
}

static const char *hex(uint64_t v)
{
	text[nx_format_hex(text, v)] = '\0';
	return text;
}

static const char *f64(double v)
{
	text[nx_format_f64(text, v)] = '\0';
	return text;
}

static const char *f32(float v)
{
	text[nx_format_f32(text, v)] = '\0';
	return text;
}

static uint64_t random_u64(void)
{
	static uint64_t s = 88172645463325252u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

static void integers_at_every_length(void **state)
{
	char expected[32];
	uint64_t power = 1;

	(void)state;
	assert_string_equal(u64(0), "0");
	for (int i = 0; i < 20; i++, power *= 10) {
		for (int delta = -1; delta <= 1; delta++) {
			uint64_t v = power + (uint64_t)delta;

			snprintf(expected, sizeof(expected), "%" PRIu64, v);
			assert_string_equal(u64(v), expected);
		}
	}
	assert_string_equal(u64(UINT64_MAX), "18446744073709551615");
	assert_string_equal(i64(INT64_MIN), "-9223372036854775808");
	assert_string_equal(i64(INT64_MAX), "9223372036854775807");
	assert_string_equal(i64(-1), "-1");
	assert_string_equal(i64(0), "0");
}

static void hexadecimal_has_no_leading_zeros(void **state)
{
	(void)state;
	assert_string_equal(hex(0), "0");
	assert_string_equal(hex(15), "f");
	assert_string_equal(hex(16), "10");
	assert_string_equal(hex(0xdeadbeef), "deadbeef");
	assert_string_equal(hex(UINT64_MAX), "ffffffffffffffff");
}

static void doubles_print_shortest(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "-0"},
		{1, "1"},
		{-1.5, "-1.5"},
		{0.1, "0.1"},
		{0.1 + 0.2, "0.30000000000000004"},
		{100, "100"},
		{0.017, "0.017"},
		{123456.789, "123456.789"},
		{1.0 / 3, "0.3333333333333333"},
		{2.0 / 3, "0.6666666666666666"},
		{2.754996e-06, "0.000002754996"},
		{0.000001, "0.000001"},
		{0x1.0c6f7a0b5ed8cp-20, "9.999999999999997e-7"},
		{1e-7, "1e-7"},
		{1.5e-9, "1.5e-9"},
		{1e-10, "1e-10"},
		{1e20, "100000000000000000000"},
		{999999999999999900000.0, "999999999999999900000"},
		{1e21, "1e+21"},
		{1.5e21, "1.5e+21"},
		{-1e22, "-1e+22"},
		{1e100, "1e+100"},
		{9007199254740991, "9007199254740991"},
		{9007199254740992, "9007199254740992"},
		{9007199254740994, "9007199254740994"},
		{18014398509481990.0, "18014398509481990"},
		{4503599627370495.5, "4503599627370495.5"},
		{1e15 + 0.3, "1000000000000000.2"},
		{0x1p-44, "5.684341886080802e-14"}, /* the nearest 16 digits do not read back */
		{0x1p-1074, "5e-324"},
		{0x1.fffffffffffffp1023, "1.7976931348623157e+308"},
		{0x1p-1022, "2.2250738585072014e-308"},
		{9.5367431640625e-07, "9.5367431640625e-7"},
		{5e-7, "5e-7"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(f64(cases[i].value), cases[i].text);
}

static void floats_print_shortest(void **state)
{
	static const struct {
		float value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0f, "-0"},
		{25229132000.0f, "25229132000"},
		{0.1f, "0.1"},
		{-0.3f, "-0.3"},
		{16777216.0f, "16777216"},
		{16777218.0f, "16777218"},
		{33554432.0f, "33554432"},
		{1e10f, "10000000000"},
		{1e13f, "10000000000000"},
		{8589973504.0f, "8589974000"}, /* 8589973000 reads back too, but is farther */
		{0x1p33f, "8589935000"},       /* 8589934592 */
		{0x1p63f, "9223372000000000000"},
		{1e20f, "100000000000000000000"},
		{1e21f, "1e+21"},
		{3.4028235e38f, "3.4028235e+38"},
		{1e-6f, "0.000001"},
		{9.999999e-7f, "9.999999e-7"},
		{1e-7f, "1e-7"},
		{1.17549435e-38f, "1.1754944e-38"},
		{1e-45f, "1e-45"},
		{8388607.5f, "8388607.5"},
		{3.1415927f, "3.1415927"},
		{0.33333334f, "0.33333334"},
		{0x1p-13f, "0.00012207031"},
		{4194303.75f, "4194303.8"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(f32(cases[i].value), cases[i].text);
}

static void not_numbers_are_null(void **state)
{
	(void)state;
	assert_string_equal(f64(NAN), "null");
	assert_string_equal(f64(-INFINITY), "null");
	assert_string_equal(f32(INFINITY), "null");
	assert_string_equal(f32(NAN), "null");
}

/* Significant digits of a printed number, without sign, point and outer zeros. */
static size_t significant(const char *number, char *digits)
{
	size_t n = 0;

	for (const char *c = number; *c && *c != 'e'; c++) {
		if (*c >= '0' && *c <= '9' && (n || *c != '0'))
			digits[n++] = *c;
	}
	while (n && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	return n;
}

static bool reads_as(const char *number, float value)
{
	return strtof(number, NULL) == value;
}

/* The printed text reads back, no shorter decimal does, and it is the nearest of its length. */
static void check_f32(float value)
{
	char digits[64];
	char nearest[64];
	char nearest_digits[64];
	size_t n;

	f32(value);
	if (!reads_as(text, value))
		fail_msg("%a prints as %s", (double)value, text);
	n = significant(text, digits);
	snprintf(nearest, sizeof(nearest), "%.*e", (int)n - 1, (double)value);
	significant(nearest, nearest_digits);
	if (strcmp(digits, nearest_digits) != 0 && reads_as(nearest, value))
		fail_msg("%a prints as %s, nearer is %s", (double)value, text, nearest);
	if (n == 1)
		return;
	snprintf(nearest, sizeof(nearest), "%.*e", (int)n - 2, (double)value);
	if (reads_as(nearest, value))
		fail_msg("%a prints as %s, shorter is %s", (double)value, text, nearest);
}

static float float_of_bits(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void random_floats_match_the_definition(void **state)
{
	(void)state;
	for (int i = 0; i < 150000; i++) {
		uint32_t bits = (uint32_t)random_u64();
		float any = float_of_bits(bits & 0x7fffffff);

		if (isfinite(any) && any != 0)
			check_f32(any);
		/* exponents of the integer-only road, and of fractions from 2^-20 on */
		check_f32(float_of_bits((bits & 0x7fffff) | (151 + bits % 37) << 23));
		check_f32(float_of_bits((bits & 0x7fffff) | (107 + bits % 43) << 23));
	}
}

static void powers_of_two_and_neighbours_match_the_definition(void **state)
{
	(void)state;
	for (uint32_t exponent = 0; exponent < 255; exponent++) {
		for (int delta = -3; delta <= 3; delta++) {
			uint32_t bits = (exponent << 23) + (uint32_t)delta;

			if (bits - 1 < 0x7f7fffff)
				check_f32(float_of_bits(bits));
		}
	}
}

/* Below a power of two the interval is narrower: the next decimal up may be the
 * only short one, which nearest-by-snprintf cannot find. */
static void powers_of_two_have_no_shorter_neighbour_above(void **state)
{
	char digits[64];
	char shorter[64];

	(void)state;
	for (uint32_t exponent = 1; exponent < 255; exponent++) {
		float value = float_of_bits(exponent << 23);
		size_t n = significant(f32(value), digits);
		double step;

		if (n < 2)
			continue;
		snprintf(shorter, sizeof(shorter), "%.*e", (int)n - 2, (double)value);
		step = pow(10, floor(log10((double)value)) - (double)(n - 2));
		snprintf(shorter, sizeof(shorter), "%.*e", (int)n - 2,
			 strtod(shorter, NULL) + step);
		assert_false(reads_as(shorter, value));
	}
}

static void random_doubles_read_back_shortest(void **state)
{
	char shorter[64];
	char digits[64];

	(void)state;
	for (int i = 0; i < 60000; i++) {
		uint64_t bits = random_u64();
		double value;
		size_t n;

		if (i % 2) {
			value = (double)(bits % 100000000) / pow(10, (double)(bits >> 32 & 7));
		} else {
			memcpy(&value, &bits, sizeof(value));
			value = fabs(value);
		}
		if (!isfinite(value) || value == 0)
			continue;
		assert_true(strtod(f64(value), NULL) == value);
		n = significant(text, digits);
		if (n < 2)
			continue;
		snprintf(shorter, sizeof(shorter), "%.*e", (int)n - 2, value);
		assert_false(strtod(shorter, NULL) == value);
	}
}

static void decimal_comma_of_the_locale_does_not_matter(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
	size_t i = 0;

	(void)state;
	while (i < 4 && !setlocale(LC_NUMERIC, names[i]))
		i++;
	if (i == 4)
		return; /* this machine has no such locale */
	assert_string_equal(f64(1.0 / 3), "0.3333333333333333");
	assert_string_equal(f64(1.5e-9), "1.5e-9");
	assert_string_equal(f32(1.5e-9f), "1.5e-9");
	setlocale(LC_NUMERIC, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_at_every_length),
		cmocka_unit_test(hexadecimal_has_no_leading_zeros),
		cmocka_unit_test(doubles_print_shortest),
		cmocka_unit_test(floats_print_shortest),
		cmocka_unit_test(not_numbers_are_null),
		cmocka_unit_test(random_floats_match_the_definition),
		cmocka_unit_test(powers_of_two_and_neighbours_match_the_definition),
		cmocka_unit_test(powers_of_two_have_no_shorter_neighbour_above),
		cmocka_unit_test(random_doubles_read_back_shortest),
		cmocka_unit_test(decimal_comma_of_the_locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
