/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/framework/framework_record.h"

static void check(const char *text, int digits, uint64_t magnitude, bool is_negative)
{
	struct nx_decimal number;

	if (!nx_decimal_parse(nx_slice_text(text), digits, &number))
		fail_msg("%s was refused", text);
	if (number.magnitude != magnitude)
		fail_msg("%s became %llu", text, (unsigned long long)number.magnitude);
	assert_int_equal(number.is_negative, is_negative);
}

static void check_refused(const char *text, int digits)
{
	struct nx_decimal number;

	if (nx_decimal_parse(nx_slice_text(text), digits, &number))
		fail_msg("%s became %llu", text, (unsigned long long)number.magnitude);
}

/* Microseconds to ns. The fourth row is the one a double gets wrong. */
static void test_microseconds_are_exact(void **state)
{
	(void)state;
	check("0", 3, 0, false);
	check("1", 3, 1000, false);
	check("123456789.123", 3, 123456789123, false);
	check("1752830083464752.313", 3, 1752830083464752313, false);
	check("1623142623460111", 3, 1623142623460111000, false);
	check("22.51", 3, 22510, false);
	check("0.001", 3, 1, false);
	check("0.5", 3, 500, false);
	check("00.5", 3, 500, false);
	check("18446744073709551.615", 3, UINT64_MAX, false);
	check_refused("18446744073709551.616", 3);
	check_refused("18446744073709552", 3);
}

static void test_digits_beyond_are_rounded_down(void **state)
{
	(void)state;
	check("0.0009999999999999999999999999999", 3, 0, false);
	check("1.2345", 3, 1234, false);
	check("1.99999999999999999999999999999999", 3, 1999, false);
	check("-1.2340", 3, 1234, true);
	check("-1.2345", 3, 1235, true);
	check("-0.0001", 3, 1, true);
	check("-0.000", 3, 0, true);
	check_refused("-18446744073709551.6151", 3);
}

static void test_exponents(void **state)
{
	(void)state;
	check("1.5e3", 0, 1500, false);
	check("1.5E+3", 3, 1500000, false);
	check("1234567e-6", 3, 1234, false);
	check("1.419247332972313e12", 3, 1419247332972313, false);
	check("1e-400", 3, 0, false);
	check("0e999999999999999999999", 3, 0, false);
	check("-1e-99999999999999999999", 3, 1, true);
	check_refused("1e20", 0);
	check_refused("1e999999999999999999999", 3);
	check("1e19", 0, 10000000000000000000u, false);
}

static void test_what_is_no_number(void **state)
{
	static const char *const texts[] = {"",	   "-",	  ".5",	  "1.",	 "1.e3", "e3",	"1e",
					    "1e+", "+1",  "1 ",	  " 1",	 "0x10", "1,5", "nan",
					    "--1", "1-1", "1..2", "inf", "1e1.5"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_refused(texts[i], 3);
}

static void test_sums_with_a_base(void **state)
{
	uint64_t sum;

	(void)state;
	assert_true(nx_decimal_add(1751410836000000000, (struct nx_decimal){5, false}, &sum));
	assert_true(sum == 1751410836000000005);
	assert_true(nx_decimal_add(10, (struct nx_decimal){10, true}, &sum));
	assert_true(sum == 0);
	assert_false(nx_decimal_add(10, (struct nx_decimal){11, true}, &sum));
	assert_false(nx_decimal_add(1, (struct nx_decimal){UINT64_MAX, false}, &sum));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_microseconds_are_exact),
		cmocka_unit_test(test_digits_beyond_are_rounded_down),
		cmocka_unit_test(test_exponents),
		cmocka_unit_test(test_what_is_no_number),
		cmocka_unit_test(test_sums_with_a_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
