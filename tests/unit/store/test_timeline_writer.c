/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "store/timeline/timeline_internal.h"
#include "tests/unit/store/timeline_case.h"

static bool is_disk_full;

/* Large file support renames the call in some places. */
ssize_t __real_pwrite64(int fd, const void *data, size_t len, off_t offset);
ssize_t __wrap_pwrite64(int fd, const void *data, size_t len, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset);

ssize_t __wrap_pwrite64(int fd, const void *data, size_t len, off_t offset)
{
	if (is_disk_full) {
		errno = ENOSPC;
		return -1;
	}
	return __real_pwrite64(fd, data, len, offset);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset)
{
	return __wrap_pwrite64(fd, data, len, offset);
}

static void the_same_text_has_the_same_id(void **state)
{
	struct timeline_case c;

	(void)state;
	case_begin(&c, 0);
	assert_int_equal(nx_timeline_writer_add_name(c.writer, nx_slice_text("a")), 0);
	assert_int_equal(nx_timeline_writer_add_name(c.writer, nx_slice_text("")), 1);
	assert_int_equal(nx_timeline_writer_add_name(c.writer, nx_slice_text("a")), 0);
	case_end(&c);
}

/* Rows by depth: the number of the row at each of them, in order of time. */
static void check_depth(struct timeline_case *c, uint32_t depth, const uint64_t *rows, size_t count)
{
	assert_int_equal(nx_timeline_span_count(c->timeline, 0, depth), count);
	for (size_t i = 0; i < count; i++) {
		struct nx_span span;

		assert_true(nx_timeline_span(c->timeline, 0, depth, i, &span));
		assert_int_equal(span.row, rows[i]);
	}
}

static void spans_go_to_the_first_depth_that_is_free(void **state)
{
	/* calls in calls, then two that overlap, then empty ones */
	const uint64_t spans[9][2] = {{0, 100},	  {10, 50},   {20, 30},	  {50, 60},  {100, 120},
				      {110, 130}, {120, 125}, {130, 130}, {130, 140}};
	const uint64_t depth0[5] = {0, 4, 6, 7, 8}, depth1[3] = {1, 3, 5}, depth2[1] = {2};
	struct timeline_case c;
	uint32_t track, name;

	(void)state;
	track = case_begin_spans(&c, 0, 1, &name);
	for (uint64_t i = 0; i < 9; i++)
		case_span(&c, track, (struct nx_span){spans[i][0], spans[i][1], i, name});
	case_open(&c);
	check_depth(&c, 0, depth0, 5);
	check_depth(&c, 1, depth1, 3);
	check_depth(&c, 2, depth2, 1);
	check_depth(&c, 3, NULL, 0);
	case_end(&c);
}

static void empty_spans_at_one_time_are_all_kept(void **state)
{
	struct timeline_case c;
	uint32_t track, name;

	(void)state;
	track = case_begin_spans(&c, 0, 1, &name);
	for (uint64_t i = 0; i < 5000; i++)
		case_span(&c, track, (struct nx_span){7, 7, i, name});
	case_open(&c);
	assert_int_equal(nx_timeline_span_count(c.timeline, 0, 0), 5000);
	case_end(&c);
}

static void an_end_before_its_start_is_none(void **state)
{
	struct timeline_case c;
	struct nx_span span;
	uint32_t track;

	(void)state;
	case_begin(&c, 0);
	track = case_track(&c, NX_TRACK_SPANS);
	case_span(&c, track, (struct nx_span){7, 3, 0, case_names(&c, 1)});
	case_open(&c);
	assert_true(nx_timeline_span(c.timeline, track, 0, 0, &span));
	assert_true(span.start_ns == 7 && span.end_ns == 7);
	case_end(&c);
}

static void rows_out_of_order_are_refused(void **state)
{
	struct timeline_case c;
	struct nx_span span = {10, 20, 0, 0};
	struct nx_sample sample = {10, 1};
	uint32_t spans, counter;

	(void)state;
	case_begin(&c, 0);
	spans = case_track(&c, NX_TRACK_SPANS);
	counter = case_track(&c, NX_TRACK_COUNTER);
	case_span(&c, spans, span);
	case_sample(&c, counter, sample.time_ns, sample.value);
	span.start_ns = sample.time_ns = 9;
	assert_int_equal(nx_timeline_writer_add_span(c.writer, spans, &span, &c.err), NX_FORMAT);
	assert_string_equal(c.err.message,
			    "track track: a row at 9 ns comes after one at 10 ns; rows of a track "
			    "must come in order of their start");
	assert_int_equal(nx_timeline_writer_add_sample(c.writer, counter, &sample, &c.err),
			 NX_FORMAT);
	case_end(&c);
}

static void what_is_too_deep_is_counted(void **state)
{
	struct timeline_case c;
	struct nx_track found;
	uint32_t track, name;

	(void)state;
	track = case_begin_spans(&c, 0, 1, &name);
	for (uint64_t i = 0; i < NX_MAX_DEPTHS + 3; i++)
		case_span(&c, track, (struct nx_span){i, 1000000, i, name});
	/* all end; there is room again */
	case_span(&c, track, (struct nx_span){1000000, 1000001, 0, name});
	case_open(&c);
	assert_true(nx_timeline_track(c.timeline, track, &found));
	assert_int_equal(found.depth_count, NX_MAX_DEPTHS);
	assert_int_equal(found.lost_count, 3);
	assert_int_equal(found.row_count, NX_MAX_DEPTHS + 1);
	assert_int_equal(nx_timeline_span_count(c.timeline, track, 0), 2);
	case_end(&c);
}

static void samples_that_are_no_numbers_are_counted(void **state)
{
	struct timeline_case c;
	struct nx_track found;
	uint32_t track;

	(void)state;
	case_begin(&c, 0);
	track = case_track(&c, NX_TRACK_COUNTER);
	case_sample(&c, track, 1, NAN);
	case_sample(&c, track, 2, INFINITY);
	case_sample(&c, track, 3, 5);
	case_open(&c);
	assert_true(nx_timeline_track(c.timeline, track, &found));
	assert_int_equal(found.row_count, 1);
	assert_int_equal(found.lost_count, 2);
	case_end(&c);
}

/* Spans of three tracks and a counter, mixed. */
static void fill(struct timeline_case *c, uint64_t row_count)
{
	uint64_t random = 99;
	uint32_t name;

	for (int i = 0; i < 3; i++)
		case_track(c, NX_TRACK_SPANS);
	case_track(c, NX_TRACK_COUNTER);
	name = case_names(c, 50);
	for (uint64_t i = 0; i < row_count; i++) {
		uint64_t length_ns = case_random(&random) % 300;
		uint32_t track = (uint32_t)(case_random(&random) % 4);

		if (track == 3)
			case_sample(c, track, 10 * i, (double)length_ns);
		else
			case_span(c, track,
				  (struct nx_span){10 * i, 10 * i + length_ns, i,
						   name + (uint32_t)(length_ns % 50)});
	}
}

static void a_small_budget_makes_the_same_file(void **state)
{
	struct timeline_case small, large;

	(void)state;
	case_begin(&small, 4096);
	fill(&small, 30000);
	case_open(&small);
	case_begin(&large, 0);
	fill(&large, 30000);
	case_open(&large);
	assert_true(nx_slice_equal(small.timeline->bytes, large.timeline->bytes));
	case_end(&small);
	case_end(&large);
}

static void nothing_is_there_before_commit_nor_after_abort(void **state)
{
	struct timeline_case c;

	(void)state;
	case_begin(&c, 0);
	fill(&c, 100);
	assert_int_equal(access(c.path, F_OK), -1);
	nx_timeline_writer_abort(c.writer);
	c.writer = NULL;
	assert_int_equal(access(c.path, F_OK), -1);
	case_end(&c); /* the folder is empty */
	nx_timeline_writer_abort(NULL);
}

static void a_place_that_cannot_be_written_is_told(void **state)
{
	struct nx_timeline_writer *writer;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_timeline_writer_open(&writer, "/nowhere/t.nxl", 0, &err), NX_NOT_FOUND);
	assert_null(writer);
}

static void a_full_disk_is_told(void **state)
{
	struct timeline_case c;

	(void)state;
	case_begin(&c, 0);
	nx_timeline_writer_abort(c.writer);
	assert_int_equal(nx_timeline_writer_open(&c.writer, "/dev/full", 0, &c.err), NX_OK);
	fill(&c, 20000);
	assert_int_equal(nx_timeline_writer_commit(c.writer, &c.err), NX_NO_SPACE);
	c.writer = NULL;
	case_end(&c);
}

static void no_room_for_rows_is_told(void **state)
{
	struct timeline_case c;
	struct nx_span span = {1000000, 1000001, 0, 0};
	enum nx_status status = NX_OK;

	(void)state;
	case_begin(&c, 100000);
	fill(&c, 10);
	is_disk_full = true;
	for (int i = 0; i < 100000 && !status; i++)
		status = nx_timeline_writer_add_span(c.writer, 0, &span, &c.err);
	is_disk_full = false;
	assert_int_equal(status, NX_NO_SPACE);
	case_end(&c);
}

/* The third call begins before the second one ended, so it is at depth 2 and depth 1 becomes free.
 */
static void calls_are_below_the_calls_around_them(void **state)
{
	const uint64_t spans[6][2] = {{0, 100}, {10, 21}, {20, 90}, {30, 80}, {85, 85}, {95, 99}};
	const uint64_t depth0[1] = {0}, depth1[2] = {1, 5}, depth2[1] = {2}, depth3[2] = {3, 4};
	struct timeline_case c;
	uint32_t track, name;

	(void)state;
	case_begin(&c, 0);
	name = nx_timeline_writer_add_name(c.writer, nx_slice_text("call"));
	track = nx_timeline_writer_add_track(c.writer, &(struct nx_track){.kind = NX_TRACK_SPANS,
									  .parent = NX_TRACK_NONE,
									  .is_nested = true});
	for (uint64_t i = 0; i < 6; i++)
		case_span(&c, track, (struct nx_span){spans[i][0], spans[i][1], i, name});
	case_open(&c);
	check_depth(&c, 0, depth0, 1);
	check_depth(&c, 1, depth1, 2);
	check_depth(&c, 2, depth2, 1);
	check_depth(&c, 3, depth3, 2);
	case_end(&c);
}

/* 600 rows fit the budget; the index of 600 depths does not. */
static void no_room_for_the_index_is_told(void **state)
{
	struct timeline_case c;
	enum nx_status status;
	uint32_t track, name;

	(void)state;
	track = case_begin_spans(&c, 70000, 1, &name);
	is_disk_full = true;
	for (uint64_t i = 0; i < 600; i++)
		case_span(&c, track, (struct nx_span){i, 1000, i, name});
	status = nx_timeline_writer_commit(c.writer, &c.err);
	is_disk_full = false;
	c.writer = NULL;
	assert_int_equal(status, NX_NO_SPACE);
	assert_int_equal(access(c.path, F_OK), -1);
	case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_text_has_the_same_id),
		cmocka_unit_test(spans_go_to_the_first_depth_that_is_free),
		cmocka_unit_test(calls_are_below_the_calls_around_them),
		cmocka_unit_test(empty_spans_at_one_time_are_all_kept),
		cmocka_unit_test(an_end_before_its_start_is_none),
		cmocka_unit_test(rows_out_of_order_are_refused),
		cmocka_unit_test(what_is_too_deep_is_counted),
		cmocka_unit_test(samples_that_are_no_numbers_are_counted),
		cmocka_unit_test(a_small_budget_makes_the_same_file),
		cmocka_unit_test(nothing_is_there_before_commit_nor_after_abort),
		cmocka_unit_test(a_place_that_cannot_be_written_is_told),
		cmocka_unit_test(a_full_disk_is_told),
		cmocka_unit_test(no_room_for_rows_is_told),
		cmocka_unit_test(no_room_for_the_index_is_told),
	};

	return cmocka_run_group_tests_name("store/timeline_writer", tests, NULL, NULL);
}
