/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "base/vec.h"
#include <locale.h>
#include <math.h>
#include <stdlib.h>

static struct nx_arena arena;

static const struct nx_json *parse(const char *text)
{
	struct nx_json *root;

	assert_int_equal(nx_json_parse(nx_slice_text(text), &arena, &root, NULL), NX_OK);
	return root;
}

static int release(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	return 0;
}

static void missing_and_wrong_kinds_give_the_fallback(void **state)
{
	const struct nx_json *root = parse("{\"s\":\"12\",\"a\":[1],\"n\":null,\"t\":true}");

	(void)state;
	assert_null(nx_json_get(NULL, "x"));
	assert_null(nx_json_get(root, "x"));
	assert_null(nx_json_get(nx_json_get(root, "a"), "x"));
	assert_null(nx_json_get(nx_json_get(nx_json_get(root, "x"), "y"), "z"));
	assert_int_equal(nx_json_as_u64(NULL, 5), 5);
	assert_int_equal(nx_json_as_i64(nx_json_get(root, "s"), -5), -5);
	assert_true(nx_json_as_f64(nx_json_get(root, "t"), 2.5) == 2.5);
	assert_int_equal(nx_json_as_slice(nx_json_get(root, "a")).len, 0);
	assert_int_equal(nx_json_as_slice(NULL).len, 0);
	assert_null(nx_json_as_text(nx_json_get(root, "n"), &arena, NULL));
	assert_string_equal(nx_json_as_text(NULL, &arena, "none"), "none");
	assert_string_equal(nx_json_as_text(nx_json_get(root, "s"), &arena, NULL), "12");
	assert_true(nx_slice_is(nx_json_as_slice(nx_json_get(root, "s")), "12"));
}

static void members_are_found_by_their_whole_name(void **state)
{
	const struct nx_json *root = parse("{\"ab\":1,\"a\":2,\"abc\":3,\"\":4,\"a\":5}");

	(void)state;
	assert_int_equal(nx_json_as_u64(nx_json_get(root, "ab"), 0), 1);
	assert_int_equal(nx_json_as_u64(nx_json_get(root, "abc"), 0), 3);
	assert_int_equal(nx_json_as_u64(nx_json_get(root, ""), 0), 4);
	assert_int_equal(nx_json_as_u64(nx_json_get(root, "a"), 0), 5);
}

static void integers_are_exact(void **state)
{
	(void)state;
	assert_true(nx_json_as_u64(parse("18446744073709551615"), 0) == UINT64_MAX);
	assert_true(nx_json_as_i64(parse("-9223372036854775808"), 0) == INT64_MIN);
	assert_true(nx_json_as_i64(parse("9223372036854775807"), 0) == INT64_MAX);
	assert_true(nx_json_as_u64(parse("9007199254740993"), 0) == UINT64_C(9007199254740993));
	assert_int_equal(nx_json_as_u64(parse("0"), 7), 0);
	assert_int_equal(nx_json_as_u64(parse("-0"), 7), 0);
	assert_int_equal(nx_json_as_i64(parse("-17"), 0), -17);
}

static void integers_out_of_range_give_the_fallback(void **state)
{
	(void)state;
	assert_int_equal(nx_json_as_u64(parse("18446744073709551616"), 7), 7);
	assert_int_equal(nx_json_as_u64(parse("99999999999999999999999"), 7), 7);
	assert_int_equal(nx_json_as_u64(parse("-1"), 7), 7);
	assert_int_equal(nx_json_as_i64(parse("9223372036854775808"), 7), 7);
	assert_int_equal(nx_json_as_i64(parse("-9223372036854775809"), 7), 7);
	assert_int_equal(nx_json_as_u64(parse("1e20"), 7), 7);
	assert_int_equal(nx_json_as_u64(parse("1e999999999999999999999"), 7), 7);
	assert_int_equal(nx_json_as_i64(parse("1e19"), 7), 7);
}

static void whole_numbers_in_any_notation_are_integers(void **state)
{
	(void)state;
	assert_int_equal(nx_json_as_u64(parse("2.0"), 7), 2);
	assert_int_equal(nx_json_as_u64(parse("1e3"), 7), 1000);
	assert_int_equal(nx_json_as_i64(parse("-1.5E1"), 7), -15);
	assert_int_equal(nx_json_as_u64(parse("2.5"), 7), 7);
	assert_int_equal(nx_json_as_u64(parse("1e-1"), 7), 7);
}

static void doubles_round_like_strtod(void **state)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"0.1",
		"-1.5",
		"1e22",
		"1e23",
		"8.5e-23",
		"123456789012345678",
		"1.7976931348623157e308",
		"5e-324",
		"2.2250738585072011e-308",
		"0e999999999999",
		"0.000000000000000000000000000000001234567890123456789012345",
		"9007199254740993",
		"9007199254740992.99999999999999999999999999999",
		"1e-999999999999999999999",
		"3.14159265358979323846264338327950288419716939937510",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		double value = nx_json_as_f64(parse(texts[i]), 77);
		double expected = strtod(texts[i], NULL);

		if (value != expected || signbit(value) != signbit(expected))
			fail_msg("%s reads as %.17g", texts[i], value);
	}
	assert_true(nx_json_as_f64(parse("1e400"), 77) == 77);
}

/* 2^53 + 1 is half-way between two doubles: only a digit far behind decides. */
static void digits_beyond_the_limit_still_count(void **state)
{
	struct nx_bytes text = {0};

	(void)state;
	nx_bytes_append(&text, "9007199254740993.", 17);
	for (int i = 0; i < 2000; i++)
		nx_bytes_append(&text, "0", 1);
	nx_bytes_append(&text, "", 1);
	assert_true(nx_json_as_f64(parse((char *)text.items), 0) == 9007199254740992.0);
	text.items[text.len - 2] = '1';
	assert_true(nx_json_as_f64(parse((char *)text.items), 0) == 9007199254740994.0);
	nx_vec_release(&text);
}

static void long_numbers_with_balancing_exponents_are_read(void **state)
{
	struct nx_bytes text = {0};

	(void)state;
	nx_bytes_append(&text, "0.", 2);
	for (int i = 0; i < 5000; i++)
		nx_bytes_append(&text, "0", 1);
	nx_bytes_append(&text, "25e5002", 8);
	assert_true(nx_json_as_f64(parse((char *)text.items), 0) == 25);
	nx_vec_release(&text);
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
	assert_true(nx_json_as_f64(parse("1.23456789012345678901"), 0) == 1.2345678901234567);
	setlocale(LC_NUMERIC, "C");
}

int main(void)
{
#define T(test) cmocka_unit_test_teardown(test, release)
	const struct CMUnitTest tests[] = {
		T(missing_and_wrong_kinds_give_the_fallback),
		T(members_are_found_by_their_whole_name),
		T(integers_are_exact),
		T(integers_out_of_range_give_the_fallback),
		T(whole_numbers_in_any_notation_are_integers),
		T(doubles_round_like_strtod),
		T(digits_beyond_the_limit_still_count),
		T(long_numbers_with_balancing_exponents_are_read),
		T(decimal_comma_of_the_locale_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
