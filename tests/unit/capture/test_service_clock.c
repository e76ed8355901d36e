/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture/service_clock.h"

#define NOW UINT64_C(1787000000000000000)

static void the_fastest_call_gives_the_offset(void **state)
{
	struct nx_service_clock clock = {0};

	(void)state;
	/* 1000 ahead; 300 there and 100 back, of which 50 were spent in the server */
	nx_service_clock_add(&clock,
			     &(struct nx_clock_sample){NOW, NOW + 1300, NOW + 1350, NOW + 450});
	assert_true(clock.is_known);
	assert_int_equal(clock.offset_ns, 1100);
	assert_int_equal(clock.uncertainty_ns, 200);
	/* 20 each way: better */
	nx_service_clock_add(&clock,
			     &(struct nx_clock_sample){NOW, NOW + 1020, NOW + 1020, NOW + 40});
	assert_int_equal(clock.offset_ns, 1000);
	assert_int_equal(clock.uncertainty_ns, 20);
	/* slower: ignored */
	nx_service_clock_add(&clock, &(struct nx_clock_sample){NOW, NOW + 5, NOW + 5, NOW + 100});
	assert_int_equal(clock.offset_ns, 1000);
}

static void a_clock_may_be_behind(void **state)
{
	struct nx_service_clock clock = {0};

	(void)state;
	nx_service_clock_add(&clock,
			     &(struct nx_clock_sample){NOW, NOW - 990, NOW - 980, NOW + 30});
	assert_int_equal(clock.offset_ns, -1000);
	assert_int_equal(clock.uncertainty_ns, 10);
}

static void impossible_times_are_ignored(void **state)
{
	static const struct nx_clock_sample samples[] = {
		{0, NOW, NOW, NOW},		    /* never asked */
		{NOW, NOW, NOW, NOW - 1},	    /* our clock was set back */
		{NOW, NOW + 5, NOW + 4, NOW + 10},  /* its clock was */
		{NOW, NOW, NOW + 100, NOW + 10},    /* longer inside than in all */
		{NOW, UINT64_MAX, UINT64_MAX, NOW}, /* no date */
		{NOW, NOW, NOW, UINT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct nx_service_clock clock = {0};

		nx_service_clock_add(&clock, &samples[i]);
		assert_false(clock.is_known);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fastest_call_gives_the_offset),
		cmocka_unit_test(a_clock_may_be_behind),
		cmocka_unit_test(impossible_times_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
