/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/expression.h"

static bool find(void *context, struct nx_slice name, struct nx_expression_value *out)
{
	(void)context;
	*out = nx_value_of(7);
	return nx_slice_is(name, "seven");
}

static bool call(void *context, struct nx_slice name, const struct nx_expression_value *arguments,
		 unsigned count, struct nx_expression_value *out)
{
	(void)context;
	if (!nx_slice_is(name, "pair") || count != 2)
		return false;
	*out = nx_value_of(10 * arguments[0].whole + arguments[1].whole);
	return true;
}

static const struct nx_expression_names names = {find, call, NULL};

static struct nx_cursor cursor_of(const char *text)
{
	return (struct nx_cursor){.text = nx_slice_text(text), .names = &names};
}

static void expect(const char *text, int64_t value)
{
	struct nx_cursor c = cursor_of(text);
	struct nx_expression_value out;
	struct nx_error err = {0};

	if (nx_expression_read(&c, &out, &err))
		fail_msg("%s: %s", text, err.message);
	assert_false(out.is_real);
	assert_true(out.whole == value);
	assert_int_equal(c.at, strlen(text));
}

static void expect_real(const char *text, double value)
{
	struct nx_cursor c = cursor_of(text);
	struct nx_expression_value out;

	assert_int_equal(nx_expression_read(&c, &out, NULL), NX_OK);
	assert_true(out.is_real);
	assert_true(out.real == value);
}

static void expect_fault(const char *text, size_t at, const char *message)
{
	struct nx_cursor c = cursor_of(text);
	struct nx_expression_value out;
	struct nx_error err = {0};

	assert_int_equal(nx_expression_read(&c, &out, &err), NX_FORMAT);
	assert_string_equal(err.message, message);
	assert_int_equal(c.at, at);
}

static void test_order_of_operators(void **state)
{
	(void)state;
	expect("1+2*3", 7);
	expect("(1+2)*3", 9);
	expect("10-2-3", 5);
	expect("1<<2+1", 8);
	expect("7&3==3", 1);
	expect("6|1^3&2", 6 | (1 ^ (3 & 2)));
	expect("-2*-3", 6);
	expect("~0&0xff", 255);
	expect("!5+1", 1);
	expect("7/2*2+7%2", 7);
	expect("1<2", 1);
	expect("2<=1", 0);
	expect("3>=3", 1);
	expect("3!=3", 0);
	expect("2>1", 1);
}

static void test_numbers(void **state)
{
	(void)state;
	expect("0x10", 16);
	expect("0xffffffffffffffff", -1);
	expect("9223372036854775807", INT64_MAX);
	expect_real("1.5e2", 150);
	expect_real("1/4.0", 0.25);
	expect_real(".5", 0.5);
	expect_real("-2e-1", -0.2);
	expect("1.5<2", 1);
}

static void test_names_and_calls(void **state)
{
	(void)state;
	expect("seven*2", 14);
	expect("pair(1, seven)", 17);
	expect("( 1 + 2 )", 3);
	expect("pair( pair(1,2), 3 )+1", 124);
}

static void test_blanks_end_it_unless_allowed(void **state)
{
	struct nx_cursor c = cursor_of("1 + 2");
	struct nx_expression_value out;

	(void)state;
	assert_int_equal(nx_expression_read(&c, &out, NULL), NX_OK);
	assert_int_equal(out.whole, 1);
	assert_int_equal(c.at, 1);
	c = cursor_of("1 + 2 ");
	c.allows_blanks = true;
	assert_int_equal(nx_expression_read(&c, &out, NULL), NX_OK);
	assert_int_equal(out.whole, 3);
	assert_int_equal(c.at, 5);
}

static void test_primary_stops_at_operators(void **state)
{
	struct nx_cursor c = cursor_of("128*64");
	struct nx_expression_value out;

	(void)state;
	assert_int_equal(nx_expression_read_primary(&c, &out, NULL), NX_OK);
	assert_int_equal(out.whole, 128);
	assert_int_equal(c.at, 3);
}

static void test_faults(void **state)
{
	char deep[400];

	(void)state;
	expect_fault("", 0, "a number or a name is missing here");
	expect_fault("1+", 2, "a number or a name is missing here");
	expect_fault("(1", 2, "a ')' is missing here");
	expect_fault("(1,2)", 1, "brackets must hold one expression");
	expect_fault("eight", 0, "unknown name 'eight'; define it with .set");
	expect_fault("pair(1)", 0, "no function pair takes 1 arguments");
	expect_fault("pair(1,2,3,4,5)", 13, "a function has at most 4 arguments");
	expect_fault("1/0", 1, "division by zero");
	expect_fault("1%0", 1, "division by zero");
	expect_fault("1/0.0", 1, "division by zero");
	expect_fault("1<<64", 1, "cannot shift by 64; use 0 to 63");
	expect_fault("1.0&1", 3, "this operator needs integers on both sides");
	expect_fault("~1.0", 4, "this operator needs an integer");
	expect_fault("9223372036854775807+1", 19, "the result does not fit into 64 bits");
	expect_fault("(0-9223372036854775807-1)/-1", 25, "the result does not fit into 64 bits");
	expect_fault("9223372036854775808", 0, "9223372036854775808 does not fit into 64 bits");
	expect_fault("1..2", 0, "'1..2' is not a number");
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	expect_fault(deep, 65, "nested more than 64 levels deep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_operators),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_names_and_calls),
		cmocka_unit_test(test_blanks_end_it_unless_allowed),
		cmocka_unit_test(test_primary_stops_at_operators),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
