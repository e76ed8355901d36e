/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/progress.h"
#include "base/timer.h"

struct bell {
	struct nx_timer *timer;
	struct nx_alarm alarm;
	sem_t rung;
	atomic_int count;
	int again; /* how often it sets itself again; -1: always */
};

static void ring(void *context)
{
	struct bell *b = context;

	if (b->again < 0 || atomic_load(&b->count) < b->again)
		nx_timer_set(b->timer, &b->alarm, 1);
	atomic_fetch_add(&b->count, 1);
	sem_post(&b->rung);
}

static struct bell *init(struct bell *b, struct nx_timer *timer, int again)
{
	*b = (struct bell){.timer = timer, .again = again};
	b->alarm = (struct nx_alarm){.ring = ring, .context = b};
	sem_init(&b->rung, 0, 0);
	return b;
}

static int setup(void **state)
{
	return nx_timer_new((struct nx_timer **)state, NULL);
}

static int teardown(void **state)
{
	nx_timer_free(*state);
	return 0;
}

static void alarms_ring_in_order_of_time_and_not_early(void **state)
{
	uint64_t begin_ns = nx_now_ns();
	struct bell soon, later;

	nx_timer_set(*state, &init(&later, *state, 0)->alarm, 60);
	nx_timer_set(*state, &init(&soon, *state, 0)->alarm, 20);
	sem_wait(&soon.rung);
	assert_true(nx_now_ns() - begin_ns >= 20000000);
	sem_wait(&later.rung);
	assert_true(nx_now_ns() - begin_ns >= 60000000);
	nx_timer_clear(*state, &soon.alarm);
	nx_timer_clear(*state, &later.alarm);
	assert_int_equal(soon.count, 1);
	assert_int_equal(later.count, 1);
}

static void an_alarm_may_set_itself_again(void **state)
{
	struct bell b;

	nx_timer_set(*state, &init(&b, *state, 4)->alarm, 0);
	for (int i = 0; i < 5; i++)
		sem_wait(&b.rung);
	nx_timer_clear(*state, &b.alarm);
	assert_int_equal(b.count, 5);
}

/* The bell leaves the stack at once: a late ring would touch what is no longer there. */
static void a_cleared_alarm_never_rings(void **state)
{
	for (int round = 0; round < 200; round++) {
		struct bell b;
		int count;

		nx_timer_set(*state, &init(&b, *state, -1)->alarm, 0);
		if (round % 2)
			sem_wait(&b.rung);
		nx_timer_clear(*state, &b.alarm);
		count = b.count;
		usleep(round % 16 ? 0 : 5000);
		assert_int_equal(b.count, count);
	}
}

static void setting_again_moves_the_alarm(void **state)
{
	struct bell b;

	nx_timer_set(*state, &init(&b, *state, 0)->alarm, 3600 * 1000);
	nx_timer_set(*state, &b.alarm, 0);
	sem_wait(&b.rung);
	nx_timer_clear(*state, &b.alarm);
	nx_timer_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(alarms_ring_in_order_of_time_and_not_early, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_alarm_may_set_itself_again, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cleared_alarm_never_rings, setup, teardown),
		cmocka_unit_test_setup_teardown(setting_again_moves_the_alarm, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
