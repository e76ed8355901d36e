/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/time_part.h"
#include "tests/unit/store/timeline_case.h"

static struct nx_request request;
static struct nx_error err;

static void ask(const char *target)
{
	nx_request_release(&request);
	request = (struct nx_request){0};
	assert_int_equal(nx_request_parse(&request, NX_GET, target, &err), NX_OK);
}

static void what_is_not_given_is_all_of_the_timeline(void **state)
{
	struct timeline_case c;
	struct nx_time_part part;
	uint32_t name;

	(void)state;
	case_begin(&c, 0);
	case_track(&c, NX_TRACK_SPANS);
	name = case_names(&c, 1);
	case_span(&c, 0, (struct nx_span){10, 20, 0, name});
	case_open(&c);
	ask("/x");
	assert_int_equal(nx_request_time_part(&request, c.timeline, &part, &err), NX_OK);
	assert_int_equal(part.from_ns, 10);
	assert_int_equal(part.to_ns, 21); /* so that the last moment is in it */
	ask("/x?from=3&to=18446744073709551615");
	assert_int_equal(nx_request_time_part(&request, c.timeline, &part, &err), NX_OK);
	assert_int_equal(part.from_ns, 3);
	assert_true(part.to_ns == UINT64_MAX);
	ask("/x?from=30");
	assert_int_equal(nx_request_time_part(&request, c.timeline, &part, &err), NX_USAGE);
	ask("/x?from=-1");
	assert_int_equal(nx_request_time_part(&request, c.timeline, &part, &err), NX_USAGE);
	case_end(&c);
}

static void a_range_may_be_open(void **state)
{
	struct nx_time_range range;

	(void)state;
	ask("/x");
	assert_int_equal(nx_request_time_range(&request, &range, &err), NX_OK);
	assert_false(nx_time_range_is_given(&range));
	ask("/x?to=5");
	assert_int_equal(nx_request_time_range(&request, &range, &err), NX_OK);
	assert_true(range.has_to && !range.has_from && range.to_ns == 5);
	ask("/x?from=5&to=5");
	assert_int_equal(nx_request_time_range(&request, &range, &err), NX_USAGE);
	ask("/x?from=9223372036854775808");
	assert_int_equal(nx_request_time_range(&request, &range, &err), NX_USAGE);
}

static void tracks_are_numbers(void **state)
{
	uint32_t *tracks;
	size_t count;

	(void)state;
	ask("/x?tracks=3,0,17");
	assert_int_equal(nx_request_tracks(&request, 3, &tracks, &count, &err), NX_OK);
	assert_int_equal(count, 3);
	assert_int_equal(tracks[2], 17);
	ask("/x");
	assert_int_equal(nx_request_tracks(&request, 3, &tracks, &count, &err), NX_OK);
	assert_int_equal(count, 0);
	ask("/x?tracks=1:2");
	assert_int_equal(nx_request_tracks(&request, 3, &tracks, &count, &err), NX_USAGE);
	ask("/x?tracks=4294967295");
	assert_int_equal(nx_request_tracks(&request, 3, &tracks, &count, &err), NX_USAGE);
	ask("/x?tracks=1,2,3,4");
	assert_int_equal(nx_request_tracks(&request, 3, &tracks, &count, &err), NX_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_given_is_all_of_the_timeline),
		cmocka_unit_test(a_range_may_be_open),
		cmocka_unit_test(tracks_are_numbers),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	nx_request_release(&request);
	return failed;
}
