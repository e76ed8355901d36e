/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "serve/quantity.h"

static struct nx_quantity of(double number, const char *unit)
{
	struct nx_metric metric = {.kind = NX_METRIC_NUMBER, .number = number};

	return nx_quantity_metric(&metric, unit);
}

static void test_times(void **state)
{
	(void)state;
	assert_string_equal(nx_quantity_ps(0).text, "0 s");
	assert_string_equal(nx_quantity_ps(1).text, "1 ps");
	assert_string_equal(nx_quantity_ps(45231).text, "45.23 ns");
	assert_string_equal(nx_quantity_ps(20000000).text, "20 µs");
	assert_string_equal(nx_quantity_ps(UINT64_C(17320000000)).text, "17.32 ms");
	assert_string_equal(nx_quantity_ps(UINT64_C(3600000000000000)).text, "3600 s");
	assert_string_equal(of(1500, "ns").text, "1.5 µs");
}

static void test_no_thousand_of_a_smaller_unit(void **state)
{
	(void)state;
	assert_string_equal(nx_quantity_ps(999999).text, "1 µs");
	assert_string_equal(nx_quantity_ps(999900).text, "999.9 ns");
	assert_string_equal(of(1023.99, "bytes").text, "1 KiB");
}

static void test_counts(void **state)
{
	(void)state;
	assert_string_equal(nx_quantity_count(0).text, "0");
	assert_string_equal(nx_quantity_count(999).text, "999");
	assert_string_equal(nx_quantity_count(1000).text, "1,000");
	assert_string_equal(nx_quantity_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

static void test_shares(void **state)
{
	(void)state;
	assert_string_equal(nx_quantity_percent(0).text, "0.0 %");
	assert_string_equal(nx_quantity_percent(0.0001).text, "< 0.1 %");
	assert_string_equal(nx_quantity_percent(0.57649).text, "57.6 %");
	assert_string_equal(nx_quantity_percent(1).text, "100.0 %");
}

static void test_units(void **state)
{
	struct nx_metric cycles = {.kind = NX_METRIC_COUNT, .count = 1234567};

	(void)state;
	assert_string_equal(of(1536, "bytes").text, "1.5 KiB");
	assert_string_equal(of(2.5e9, "flop").text, "2.5 Gflop");
	assert_string_equal(of(323.3684, "flop/byte").text, "323.368");
	assert_string_equal(nx_quantity_metric(&cycles, "cycles").text, "1,234,567");
}

/* Whatever a damaged capture computes to has to fit. */
static void test_absurd_numbers(void **state)
{
	static const double absurd[] = {1e308, -1e308, INFINITY, -INFINITY, NAN};
	static const char *const units[] = {"s", "ns", "bytes", "flop", "fraction", "", "odd"};

	(void)state;
	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++)
		for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++)
			assert_true(of(absurd[i], units[u]).text[0] != 0);
	assert_string_equal(of(1e308, "fraction").text, "inf %");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),  cmocka_unit_test(test_no_thousand_of_a_smaller_unit),
		cmocka_unit_test(test_counts), cmocka_unit_test(test_shares),
		cmocka_unit_test(test_units),  cmocka_unit_test(test_absurd_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
