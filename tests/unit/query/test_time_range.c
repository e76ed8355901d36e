/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "query/time_range.h"

static void times_are_nanoseconds_or_have_a_unit(void **state)
{
	static const struct {
		const char *text;
		int64_t time_ns;
	} cases[] = {
		{"0", 0},
		{"1500", 1500},
		{"007", 7},
		{"20ns", 20},
		{"20us", 20000},
		{"20µs", 20000},
		{"20\u03bcs", 20000},
		{"1.5ms", 1500000},
		{"3s", 3000000000},
		{"3.000000001s", 3000000001},
		{"0.1000us", 100},
		{"1.0", 1},
		{"1.50000000us", 1500},
		{"-1", -1},
		{"-2.5us", -2500},
		{"1712345678901234567", 1712345678901234567},
		{"1712345678.901234567s", 1712345678901234567},
		{"9223372036854775807", INT64_MAX},
		{"-9223372036854775808", INT64_MIN},
		{"9223372036.854775807s", INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t time_ns = -77;

		assert_int_equal(nx_time_parse(cases[i].text, &time_ns, NULL), NX_OK);
		assert_true(time_ns == cases[i].time_ns);
	}
}

static void refuses(const char *text, const char *words)
{
	struct nx_error err = {0};
	int64_t time_ns;

	assert_int_equal(nx_time_parse(text, &time_ns, &err), NX_USAGE);
	assert_non_null(strstr(err.message, words));
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const texts[] = {"",	   "-",	   "ms",    ".5ms",  "1.ms", "1.",
					    "1e3", "1 ms", " 1",    "1ms ",  "+1",   "--1",
					    "1m",  "1MS",  "1h",    "0x10",  "1,5",  "1.2.3",
					    "nan", "inf",  "1.5.s", "1.-5s", "1_000"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		refuses(texts[i], "is not a time");
}

static void parts_of_a_nanosecond_are_refused(void **state)
{
	(void)state;
	refuses("1.5", "finer than a nanosecond");
	refuses("1.5ns", "finer than a nanosecond");
	refuses("1.0001us", "finer than a nanosecond");
	refuses("0.0000000001s", "finer than a nanosecond");
}

static void what_64_bits_cannot_hold_is_refused(void **state)
{
	(void)state;
	refuses("9223372036854775808", "beyond 292 years");
	refuses("-9223372036854775809", "beyond 292 years");
	refuses("18446744073709551617", "beyond 292 years");
	refuses("9223372036.854775808s", "beyond 292 years");
	refuses("99999999999s", "beyond 292 years");
	refuses("99999999999999999999999999999999", "beyond 292 years");
}

static void a_span_is_in_the_range_when_a_part_of_it_is(void **state)
{
	const struct nx_time_range range = {true, true, 100, 200};

	(void)state;
	assert_true(nx_time_range_holds(&range, 120, 130));
	assert_true(nx_time_range_holds(&range, 0, 1000));
	assert_true(nx_time_range_holds(&range, 0, 101));
	assert_true(nx_time_range_holds(&range, 199, 300));
	assert_true(nx_time_range_holds(&range, 100, 200));
	assert_false(nx_time_range_holds(&range, 0, 100));
	assert_false(nx_time_range_holds(&range, 200, 300));
	assert_false(nx_time_range_holds(&range, 0, 50));
	assert_false(nx_time_range_holds(&range, 201, 202));
}

static void a_moment_is_in_the_range_from_its_first_instant_on(void **state)
{
	const struct nx_time_range range = {true, true, 100, 200};

	(void)state;
	assert_false(nx_time_range_holds(&range, 99, 99));
	assert_true(nx_time_range_holds(&range, 100, 100));
	assert_true(nx_time_range_holds(&range, 199, 199));
	assert_false(nx_time_range_holds(&range, 200, 200));
}

static void a_side_that_is_not_given_is_open(void **state)
{
	const struct nx_time_range all = {0}, from = {.has_from = true, .from_ns = -5};
	const struct nx_time_range to = {.has_to = true, .to_ns = -5};
	const struct nx_time_range never = {.has_to = true, .to_ns = INT64_MIN};

	(void)state;
	assert_false(nx_time_range_is_given(&all));
	assert_true(nx_time_range_is_given(&from) && nx_time_range_is_given(&to));
	assert_true(nx_time_range_holds(&all, INT64_MIN, INT64_MIN));
	assert_true(nx_time_range_holds(&all, INT64_MAX, INT64_MAX));
	assert_true(nx_time_range_holds(&from, INT64_MAX, INT64_MAX));
	assert_true(nx_time_range_holds(&from, -10, -4));
	assert_false(nx_time_range_holds(&from, -10, -5));
	assert_true(nx_time_range_holds(&to, INT64_MIN, INT64_MIN));
	assert_false(nx_time_range_holds(&to, -5, 0));
	assert_false(nx_time_range_holds(&never, INT64_MIN, INT64_MAX));
}

/* Damage: such a row is found by its start as far as its end allows. */
static void a_row_that_ends_before_it_starts_needs_an_end_in_time(void **state)
{
	const struct nx_time_range range = {true, true, 100, 200};

	(void)state;
	assert_false(nx_time_range_holds(&range, 150, 50));
	assert_false(nx_time_range_holds(&range, 250, 150));
	assert_true(nx_time_range_holds(&range, 160, 150));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_nanoseconds_or_have_a_unit),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(parts_of_a_nanosecond_are_refused),
		cmocka_unit_test(what_64_bits_cannot_hold_is_refused),
		cmocka_unit_test(a_span_is_in_the_range_when_a_part_of_it_is),
		cmocka_unit_test(a_moment_is_in_the_range_from_its_first_instant_on),
		cmocka_unit_test(a_side_that_is_not_given_is_open),
		cmocka_unit_test(a_row_that_ends_before_it_starts_needs_an_end_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
