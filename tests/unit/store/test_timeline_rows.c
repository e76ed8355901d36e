/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/store/timeline_case.h"

/* [10,20), empty at 20 and 20, [20,30), [50,60); below it [12,15). */
static void fill(struct timeline_case *c)
{
	uint32_t track, name;

	track = case_begin_spans(c, 0, 1, &name);
	case_span(c, track, (struct nx_span){10, 20, 0, name});
	case_span(c, track, (struct nx_span){12, 15, 1, name});
	case_span(c, track, (struct nx_span){20, 20, 2, name});
	case_span(c, track, (struct nx_span){20, 20, 3, name});
	case_span(c, track, (struct nx_span){20, 30, 4, name});
	case_span(c, track, (struct nx_span){50, 60, 5, name});
	case_open(c);
}

static void spans_are_found_by_time(void **state)
{
	const uint64_t times[9] = {0, 9, 10, 19, 20, 29, 30, 50, 60};
	const uint64_t want[9] = {NX_SPAN_NONE, NX_SPAN_NONE, 0, 0, 3, 3, NX_SPAN_NONE, 4,
				  NX_SPAN_NONE};
	struct timeline_case c;

	(void)state;
	fill(&c);
	assert_int_equal(nx_timeline_span_count(c.timeline, 0, 0), 5);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(nx_timeline_find(c.timeline, 0, 0, times[i]), want[i]);
	assert_int_equal(nx_timeline_find(c.timeline, 0, 1, 12), 0);
	assert_int_equal(nx_timeline_find(c.timeline, 0, 1, 15), NX_SPAN_NONE);
	assert_int_equal(nx_timeline_find(c.timeline, 0, 0, UINT64_MAX), NX_SPAN_NONE);
	assert_int_equal(nx_timeline_find(c.timeline, 0, 2, 12), NX_SPAN_NONE);
	assert_int_equal(nx_timeline_find(c.timeline, 1, 0, 12), NX_SPAN_NONE);
	case_end(&c);
}

static void spans_are_listed_from_any_on(void **state)
{
	struct nx_span spans[4];
	struct timeline_case c;

	(void)state;
	fill(&c);
	assert_int_equal(nx_timeline_list(c.timeline, 0, 0, 0, spans, 4), 4);
	assert_int_equal(spans[0].start_ns, 10);
	assert_int_equal(spans[3].end_ns, 30);
	assert_int_equal(nx_timeline_list(c.timeline, 0, 0, 3, spans, 4), 2);
	assert_int_equal(spans[0].row, 4);
	assert_int_equal(spans[1].row, 5);
	assert_int_equal(nx_timeline_list(c.timeline, 0, 1, 0, spans, 4), 1);
	assert_int_equal(nx_timeline_list(c.timeline, 0, 0, 5, spans, 4), 0);
	assert_int_equal(nx_timeline_list(c.timeline, 0, 0, UINT64_MAX, spans, 4), 0);
	assert_int_equal(nx_timeline_list(c.timeline, 0, 2, 0, spans, 4), 0);
	assert_int_equal(nx_timeline_list(c.timeline, 9, 0, 0, spans, 4), 0);
	case_end(&c);
}

static void an_empty_span_is_found_where_it_lies(void **state)
{
	struct timeline_case c;
	uint32_t track, name;

	(void)state;
	track = case_begin_spans(&c, 0, 1, &name);
	case_span(&c, track, (struct nx_span){5, 5, 0, name});
	case_open(&c);
	assert_int_equal(nx_timeline_find(c.timeline, track, 0, 5), 0);
	assert_int_equal(nx_timeline_find(c.timeline, track, 0, 6), NX_SPAN_NONE);
	case_end(&c);
}

static void the_next_span_starts_at_or_after(void **state)
{
	const uint64_t times[6] = {0, 10, 11, 20, 21, 51};
	const uint64_t want[6] = {0, 0, 1, 1, 4, 5};
	struct timeline_case c;
	struct nx_span span;

	(void)state;
	fill(&c);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(nx_timeline_next(c.timeline, 0, 0, times[i]), want[i]);
	assert_int_equal(nx_timeline_next(c.timeline, 0, 9, 0), 0);
	assert_true(nx_timeline_span(c.timeline, 0, 0, 4, &span));
	assert_int_equal(span.row, 5);
	assert_false(nx_timeline_span(c.timeline, 0, 0, 5, &span));
	assert_false(nx_timeline_span(c.timeline, 0, 2, 0, &span));
	assert_int_equal(nx_timeline_span_count(c.timeline, 0, 2), 0);
	case_end(&c);
}

static void rows_of_a_part_of_time(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 19, 51, 0};
	struct nx_span spans[8];
	uint64_t idx = 99;

	(void)state;
	fill(&c);
	assert_int_equal(nx_timeline_rows(c.timeline, &window, spans, 8, &idx), 5);
	assert_int_equal(idx, 0);
	assert_true(spans[0].row == 0 && spans[1].row == 2 && spans[4].row == 5);
	window.from_ns = 20;
	window.to_ns = 50;
	assert_int_equal(nx_timeline_rows(c.timeline, &window, spans, 2, &idx), 3);
	assert_int_equal(idx, 1);
	assert_true(spans[0].row == 2 && spans[1].row == 3);
	window.from_ns = 30;
	assert_int_equal(nx_timeline_rows(c.timeline, &window, spans, 8, NULL), 0);
	window.from_ns = 50;
	assert_int_equal(nx_timeline_rows(c.timeline, &window, spans, 8, NULL), 0);
	window.track = 3;
	assert_int_equal(nx_timeline_rows(c.timeline, &window, spans, 8, NULL), 0);
	case_end(&c);
}

/* Across chunks: one span every 10 ns. */
static void rows_of_many_chunks(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 1005, 9005, 0};
	struct nx_span spans[900];
	uint32_t track, name;
	uint64_t idx;

	(void)state;
	track = case_begin_spans(&c, 0, 1, &name);
	for (uint64_t i = 0; i < 1000; i++)
		case_span(&c, track, (struct nx_span){10 * i, 10 * i + 8, i, name});
	case_open(&c);
	assert_int_equal(nx_timeline_rows(c.timeline, &window, spans, 900, &idx), 801);
	assert_int_equal(idx, 100);
	for (uint64_t i = 0; i < 801; i++) {
		assert_int_equal(spans[i].row, 100 + i);
		assert_int_equal(spans[i].start_ns, 1000 + 10 * i);
		assert_int_equal(spans[i].end_ns, 1008 + 10 * i);
	}
	case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_are_found_by_time),
		cmocka_unit_test(spans_are_listed_from_any_on),
		cmocka_unit_test(an_empty_span_is_found_where_it_lies),
		cmocka_unit_test(the_next_span_starts_at_or_after),
		cmocka_unit_test(rows_of_a_part_of_time),
		cmocka_unit_test(rows_of_many_chunks),
	};

	return cmocka_run_group_tests_name("store/timeline_rows", tests, NULL, NULL);
}
