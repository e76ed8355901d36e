/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/event_nesting.h"

struct placed {
	uint64_t parent_id, flow_id, call_flow_id;
	unsigned depth;
};

static struct placed place_row(struct nx_event_nesting *n, struct nx_system_event e)
{
	nx_event_nesting_place(n, &e);
	return (struct placed){e.parent_id, e.flow_id, e.call_flow_id, e.depth};
}

static struct placed place(struct nx_event_nesting *n, uint64_t id, uint64_t start_ns,
			   uint64_t end_ns)
{
	return place_row(
		n, (struct nx_system_event){.id = id, .start_ns = start_ns, .end_ns = end_ns});
}

static void assert_placed(struct placed got, uint64_t parent_id, unsigned depth)
{
	assert_int_equal(got.parent_id, parent_id);
	assert_int_equal(got.depth, depth);
}

static void calls_within_calls(void **state)
{
	struct nx_event_nesting n = {0};

	(void)state;
	assert_placed(place(&n, 1, 0, 100), 0, 0);
	assert_placed(place(&n, 2, 10, 60), 1, 1);
	assert_placed(place(&n, 3, 20, 30), 2, 2);
	assert_placed(place(&n, 4, 30, 60), 2, 2); /* as 3 ends, and as long as its parent */
	assert_placed(place(&n, 5, 70, 100), 1, 1);
	assert_placed(place(&n, 6, 100, 200), 0, 0);
	nx_event_nesting_release(&n);
}

/* Seen in captures: a call that starts inside another and outlives it. */
static void overlap_is_no_enclosure(void **state)
{
	struct nx_event_nesting n = {0};

	(void)state;
	assert_placed(place(&n, 1, 0, 100), 0, 0);
	assert_placed(place(&n, 2, 10, 50), 1, 1);
	assert_placed(place(&n, 3, 20, 80), 1, 1);
	assert_placed(place(&n, 4, 30, 40), 3, 2);
	assert_placed(place(&n, 5, 45, 70), 3, 2);
	assert_placed(place(&n, 6, 60, 110), 0, 0);
	nx_event_nesting_release(&n);
}

static void equal_intervals_nest_in_the_order_given(void **state)
{
	struct nx_event_nesting n = {0};

	(void)state;
	assert_placed(place(&n, 1, 5, 9), 0, 0);
	assert_placed(place(&n, 2, 5, 9), 1, 1);
	assert_placed(place(&n, 3, 5, 9), 2, 2);
	nx_event_nesting_release(&n);
}

static void instants_enclose_nothing(void **state)
{
	struct nx_event_nesting n = {0};
	struct nx_system_event instant = {
		.id = 2, .start_ns = 10, .end_ns = 10, .flags = NX_EVENT_INSTANT};

	(void)state;
	assert_placed(place(&n, 1, 0, 20), 0, 0);
	assert_placed(place_row(&n, instant), 1, 1);
	assert_placed(place(&n, 3, 10, 10), 1, 1); /* no duration, but no instant either */
	assert_placed(place(&n, 4, 10, 12), 1, 1);
	instant.start_ns = instant.end_ns = 20;
	assert_placed(place_row(&n, instant), 0, 0); /* as 1 ends */
	nx_event_nesting_release(&n);
}

static void threads_processes_and_sources_are_apart(void **state)
{
	struct nx_event_nesting n = {0};
	struct nx_system_event e = {.id = 2, .start_ns = 1, .end_ns = 2};

	(void)state;
	place(&n, 1, 0, 100);
	e.thread_id = 1;
	assert_placed(place_row(&n, e), 0, 0);
	e.thread_id = 0;
	e.process = 1;
	assert_placed(place_row(&n, e), 0, 0);
	e.process = 0;
	e.source = NX_SOURCE_FRAMEWORK;
	assert_placed(place_row(&n, e), 0, 0);
	e.source = NX_SOURCE_HARDWARE;
	assert_placed(place_row(&n, e), 0, 0);
	/* and hardware encloses nothing */
	e.start_ns = 3;
	e.end_ns = 50;
	place_row(&n, e);
	assert_placed(place(&n, 3, 4, 5), 1, 1);
	nx_event_nesting_release(&n);
}

static void the_runtime_takes_the_flow_of_its_framework_call(void **state)
{
	struct nx_event_nesting n = {0};
	struct nx_system_event call = {
		.id = 1, .start_ns = 0, .end_ns = 100, .flow_id = 7, .source = NX_SOURCE_FRAMEWORK};
	struct nx_system_event inner = {
		.id = 2, .start_ns = 10, .end_ns = 40, .flow_id = 8, .source = NX_SOURCE_FRAMEWORK};
	struct nx_system_event own = {.id = 9, .start_ns = 50, .end_ns = 60, .flow_id = 3};

	(void)state;
	place_row(&n, call);
	place_row(&n, inner);
	assert_int_equal(place(&n, 3, 12, 20).flow_id, 8);
	assert_int_equal(place(&n, 4, 30, 50).flow_id, 7); /* outlives the inner call */
	assert_int_equal(place(&n, 5, 45, 46).flow_id, 7); /* the inner one is over */
	assert_int_equal(place_row(&n, own).flow_id, 3);
	assert_int_equal(place_row(&n, own).call_flow_id, 7); /* and leads back to the call */
	assert_int_equal(place(&n, 8, 70, 71).call_flow_id, 0);
	assert_int_equal(place(&n, 6, 90, 101).flow_id, 0);
	assert_int_equal(place(&n, 7, 100, 100).flow_id, 0);
	nx_event_nesting_release(&n);
}

/* More threads than are remembered at once, again and again, and all of them apart. */
static void many_threads_are_apart(void **state)
{
	struct nx_event_nesting n = {0};

	(void)state;
	for (uint64_t thread = 0; thread < 300; thread++) {
		struct nx_system_event e = {
			.id = 1 + thread, .start_ns = 0, .end_ns = 1000, .thread_id = thread};

		assert_placed(place_row(&n, e), 0, 0);
	}
	for (uint64_t i = 0; i < 900; i++) {
		struct nx_system_event e = {.id = 1000 + i,
					    .start_ns = 1 + i,
					    .end_ns = 1 + i,
					    .thread_id = i % 300,
					    .flags = NX_EVENT_INSTANT};

		assert_placed(place_row(&n, e), 1 + i % 300, 1);
	}
	nx_event_nesting_release(&n);
}

/* That a thread has no framework calls is remembered only until it has some. */
static void a_framework_may_come_late(void **state)
{
	struct nx_event_nesting n = {0};
	struct nx_system_event call = {.id = 8,
				       .start_ns = 10,
				       .end_ns = 100,
				       .flow_id = 7,
				       .source = NX_SOURCE_FRAMEWORK};

	(void)state;
	assert_int_equal(place(&n, 1, 0, 1).flow_id, 0);
	assert_int_equal(place(&n, 2, 2, 3).flow_id, 0);
	place_row(&n, call);
	assert_int_equal(place(&n, 3, 20, 30).flow_id, 7);
	nx_event_nesting_release(&n);
}

/* Both shapes took quadratic time in a search that walks the list. */
static void a_million_deep_and_a_million_staggered(void **state)
{
	const uint64_t count = 1000000;
	struct nx_event_nesting n = {0};
	struct placed last = {0};

	(void)state;
	for (uint64_t i = 0; i < count; i++)
		last = place(&n, i + 1, i, 10 * count - i);
	assert_placed(last, count - 1, UINT16_MAX);
	for (uint64_t i = 0; i < count; i++) /* beside the deep ones, each outliving the last */
		last = place(&n, count + i + 1, count + i, 20 * count + i);
	assert_placed(last, 0, 0);
	nx_event_nesting_release(&n);
}

static void runtime_calls_beside_a_deep_framework(void **state)
{
	const uint64_t count = 200000;
	struct nx_event_nesting n = {0};
	uint64_t flows = 0;

	(void)state;
	for (uint64_t i = 0; i < count; i++)
		place_row(&n, (struct nx_system_event){.id = i + 1,
						       .start_ns = i,
						       .end_ns = 10 * count - i,
						       .flow_id = i + 1,
						       .source = NX_SOURCE_FRAMEWORK});
	for (uint64_t i = 0; i < count; i++)
		flows += place(&n, count + i, count + i, 10 * count).flow_id == 1;
	assert_int_equal(flows, count);
	nx_event_nesting_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_within_calls),
		cmocka_unit_test(overlap_is_no_enclosure),
		cmocka_unit_test(equal_intervals_nest_in_the_order_given),
		cmocka_unit_test(instants_enclose_nothing),
		cmocka_unit_test(threads_processes_and_sources_are_apart),
		cmocka_unit_test(the_runtime_takes_the_flow_of_its_framework_call),
		cmocka_unit_test(many_threads_are_apart),
		cmocka_unit_test(a_framework_may_come_late),
		cmocka_unit_test(a_million_deep_and_a_million_staggered),
		cmocka_unit_test(runtime_calls_beside_a_deep_framework),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
