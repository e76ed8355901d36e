/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/conveyor.h"
#include "tests/unit/granted_threads.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

struct item {
	unsigned number, square;
	unsigned uses;
};

struct results {
	unsigned count;
	bool are_right;
	unsigned released_uses;
};

/* Some take longer than those given after them. */
static void square(void *context, void *opaque)
{
	struct item *item = opaque;

	(void)context;
	if (item->number % 7 == 0)
		usleep(300);
	item->square = item->number * item->number;
}

static void collect(void *context, void *opaque)
{
	struct results *r = context;
	struct item *item = opaque;

	r->are_right &= item->number == r->count && item->square == r->count * r->count;
	r->count++;
}

static void release(void *context, void *opaque)
{
	struct results *r = context;

	r->released_uses += ((struct item *)opaque)->uses;
}

static void run(unsigned count)
{
	struct results r = {.are_right = true};
	struct nx_conveyor *c = nx_conveyor_new(sizeof(struct item), square, collect, &r);

	for (unsigned i = 0; i < count; i++) {
		struct item *item = nx_conveyor_take(c);

		item->number = i;
		item->uses++;
		nx_conveyor_put(c);
	}
	nx_conveyor_finish(c, release);
	assert_true(r.are_right);
	assert_int_equal(r.count, count);
	assert_int_equal(r.released_uses, count);
}

static void items_come_back_in_order(void **state)
{
	static const unsigned counts[] = {0, 1, 2, 5, 6, 7, 13, 500};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		run(counts[i]);
}

static void without_threads_the_owner_works(void **state)
{
	(void)state;
	threads_left = 0;
	run(1);
	run(100);
	threads_left = THREADS_ENOUGH;
}

static void an_item_taken_and_not_put_is_released(void **state)
{
	struct results r = {.are_right = true};
	struct nx_conveyor *c = nx_conveyor_new(sizeof(struct item), square, collect, &r);

	(void)state;
	((struct item *)nx_conveyor_take(c))->uses = 9;
	assert_ptr_equal(nx_conveyor_take(c), nx_conveyor_take(c));
	nx_conveyor_finish(c, release);
	assert_int_equal(r.count, 0);
	assert_int_equal(r.released_uses, 9);
}

struct turns {
	struct nx_conveyor *conveyor;
	unsigned next;
	bool are_right;
};

/* Items with odd numbers count while they are worked on, the others when they are done. */
static void count_in_turn(void *context, void *opaque)
{
	struct turns *t = context;
	struct item *item = opaque;

	if (item->number % 2 == 0)
		return;
	nx_conveyor_await_turn(t->conveyor, item);
	t->are_right &= t->next == item->number;
	t->next++;
}

static void count_when_done(void *context, void *opaque)
{
	struct turns *t = context;
	struct item *item = opaque;

	if (item->number % 2)
		return;
	t->are_right &= t->next == item->number;
	t->next++;
}

static void run_turns(void)
{
	struct turns t = {.are_right = true};

	t.conveyor = nx_conveyor_new(sizeof(struct item), count_in_turn, count_when_done, &t);
	for (unsigned i = 0; i < 200; i++) {
		((struct item *)nx_conveyor_take(t.conveyor))->number = i;
		nx_conveyor_put(t.conveyor);
	}
	nx_conveyor_finish(t.conveyor, NULL);
	assert_true(t.are_right);
	assert_int_equal(t.next, 200);
}

static void work_can_wait_for_its_turn(void **state)
{
	(void)state;
	run_turns();
	threads_left = 0;
	run_turns();
	threads_left = THREADS_ENOUGH;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_come_back_in_order),
		cmocka_unit_test(without_threads_the_owner_works),
		cmocka_unit_test(work_can_wait_for_its_turn),
		cmocka_unit_test(an_item_taken_and_not_put_is_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
