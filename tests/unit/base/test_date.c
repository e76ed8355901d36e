/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/date.h"

static void check(uint64_t epoch_ns, const char *expected)
{
	char text[NX_DATE_MAX];

	assert_int_equal(nx_format_date(text, epoch_ns), strlen(expected));
	assert_string_equal(text, expected);
}

static void a_moment_is_written_in_utc(void **state)
{
	(void)state;
	check(0, "1970-01-01T00:00:00Z");
	check(86399 * UINT64_C(1000000000), "1970-01-01T23:59:59Z");
	/* a leap day, counted by hand: 10957 days to 2000, then 31 + 28 */
	check((10957 + 59) * 86400 * UINT64_C(1000000000), "2000-02-29T00:00:00Z");
}

static void a_fraction_is_trimmed(void **state)
{
	(void)state;
	check(36351, "1970-01-01T00:00:00.000036351Z");
	check(36500, "1970-01-01T00:00:00.0000365Z");
	check(1500000000, "1970-01-01T00:00:01.5Z");
	check(1, "1970-01-01T00:00:00.000000001Z");
}

static void the_last_moment_fits(void **state)
{
	(void)state;
	check(UINT64_MAX, "2554-07-21T23:34:33.709551615Z");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_moment_is_written_in_utc),
		cmocka_unit_test(a_fraction_is_trimmed),
		cmocka_unit_test(the_last_moment_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
