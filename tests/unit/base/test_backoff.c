/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/backoff.h"

static void waits_double_up_to_two_seconds(void **state)
{
	static const uint64_t limits_ms[] = {50, 100, 200, 400, 800, 1600, 3200, 3200};
	struct nx_backoff backoff;

	(void)state;
	nx_backoff_init(&backoff, 1000000);
	for (unsigned i = 0; i < sizeof(limits_ms) / sizeof(limits_ms[0]); i++) {
		uint64_t wait_ms = nx_backoff_next(&backoff);

		assert_in_range(wait_ms, limits_ms[i] / 2, limits_ms[i]);
	}
}

static void waits_add_up_to_the_patience(void **state)
{
	struct nx_backoff backoff;
	uint64_t sum_ms = 0, wait_ms;

	(void)state;
	nx_backoff_init(&backoff, 777);
	while ((wait_ms = nx_backoff_next(&backoff)))
		sum_ms += wait_ms;
	assert_int_equal(sum_ms, 777);
	assert_int_equal(nx_backoff_next(&backoff), 0);
	assert_false(nx_backoff_wait(&backoff));
}

static void two_clients_wait_differently(void **state)
{
	struct nx_backoff one, other;
	unsigned equal_count = 0;

	(void)state;
	nx_backoff_init(&one, 1000000);
	nx_backoff_init(&other, 1000000);
	for (unsigned i = 0; i < 50; i++)
		equal_count += nx_backoff_next(&one) == nx_backoff_next(&other);
	assert_true(equal_count < 25);
}

static void a_wait_sleeps(void **state)
{
	struct nx_backoff backoff;

	(void)state;
	nx_backoff_init(&backoff, 1);
	assert_true(nx_backoff_wait(&backoff));
	assert_false(nx_backoff_wait(&backoff));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_double_up_to_two_seconds),
		cmocka_unit_test(waits_add_up_to_the_patience),
		cmocka_unit_test(two_clients_wait_differently),
		cmocka_unit_test(a_wait_sleeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
