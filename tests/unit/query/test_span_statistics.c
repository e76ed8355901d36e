/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/span_statistics.h"
#include "tests/unit/store/timeline_case.h"

static struct nx_span_statistics take(struct timeline_case *c, uint64_t from_ns, uint64_t to_ns)
{
	struct nx_span_part part = {.track = 0, .from_ns = from_ns, .to_ns = to_ns};
	struct nx_span_statistics s;

	assert_int_equal(nx_span_statistics_take(&s, c->timeline, &part, &c->err), NX_OK);
	return s;
}

static void assert_cost(const struct nx_span_cost *cost, uint64_t count, uint64_t sum_ns,
			uint64_t busy_ns)
{
	assert_int_equal(cost->count, count);
	assert_int_equal(cost->sum_ns, sum_ns);
	assert_int_equal(cost->busy_ns, busy_ns);
}

/* n0: [10,20) and, inside it, [12,15); n1: [20,30) and empty at 40; n0 again [28,50). */
static uint32_t fill(struct timeline_case *c)
{
	uint32_t track, name;

	case_begin(c, 0);
	track = case_track(c, NX_TRACK_SPANS);
	name = case_names(c, 2);
	case_span(c, track, (struct nx_span){10, 20, 0, name});
	case_span(c, track, (struct nx_span){12, 15, 1, name});
	case_span(c, track, (struct nx_span){20, 30, 2, name + 1});
	case_span(c, track, (struct nx_span){28, 50, 3, name});
	case_span(c, track, (struct nx_span){40, 40, 4, name + 1});
	case_open(c);
	return name;
}

static void moments_that_two_cover_are_busy_once(void **state)
{
	struct nx_span_statistics s;
	struct timeline_case c;
	uint32_t name;

	(void)state;
	name = fill(&c);
	s = take(&c, 0, 100);
	assert_cost(&s.total, 5, 10 + 3 + 10 + 22, 40);
	assert_int_equal(s.name_count, 2);
	assert_int_equal(s.names[0].name, name);
	assert_cost(&s.names[0], 3, 35, 10 + 22);
	assert_int_equal(s.names[1].name, name + 1);
	assert_cost(&s.names[1], 2, 10, 10);
	nx_span_statistics_release(&s);
	case_end(&c);
}

static void spans_count_whole_but_are_busy_inside_only(void **state)
{
	struct nx_span_statistics s;
	struct timeline_case c;

	(void)state;
	fill(&c);
	s = take(&c, 14, 25);
	/* [10,20) with 6 ns, [12,15) with 1, [20,30) with 5; [28,50) begins later */
	assert_cost(&s.total, 3, 23, 11);
	nx_span_statistics_release(&s);
	s = take(&c, 40, 41);
	/* the empty one and the one that lasts from 28 on */
	assert_cost(&s.total, 2, 22, 1);
	nx_span_statistics_release(&s);
	s = take(&c, 50, 60);
	assert_cost(&s.total, 0, 0, 0);
	assert_int_equal(s.name_count, 0);
	nx_span_statistics_release(&s);
	case_end(&c);
}

struct known {
	struct nx_span spans[3000];
	size_t count;
};

/* By looking at every nanosecond. */
static void count_slowly(const struct known *k, uint64_t from_ns, uint64_t to_ns, uint32_t name,
			 struct nx_span_cost *cost)
{
	static uint8_t covered[8192];

	memset(covered, 0, sizeof(covered));
	*cost = (struct nx_span_cost){0};
	for (size_t i = 0; i < k->count; i++) {
		const struct nx_span *s = &k->spans[i];
		bool is_in = s->start_ns < to_ns &&
			     (s->end_ns > from_ns ||
			      (s->start_ns == s->end_ns && s->start_ns >= from_ns));

		if (!is_in || (name != NX_NAME_NONE && s->name != name))
			continue;
		cost->count++;
		cost->sum_ns += s->end_ns - s->start_ns;
		for (uint64_t t = s->start_ns; t < s->end_ns; t++)
			covered[t] = t >= from_ns && t < to_ns;
	}
	for (size_t t = 0; t < sizeof(covered); t++)
		cost->busy_ns += covered[t];
}

static void fill_randomly(struct timeline_case *c, struct known *k, uint64_t seed)
{
	uint64_t at = 0;
	uint32_t name;

	case_begin(c, 0);
	assert_int_equal(case_track(c, NX_TRACK_SPANS), 0);
	name = case_names(c, 7);
	for (k->count = 0; k->count < 3000; k->count++) {
		struct nx_span *s = &k->spans[k->count];

		at += case_random(&seed) % 3;
		*s = (struct nx_span){at, at + case_random(&seed) % 12, k->count,
				      name + (uint32_t)(case_random(&seed) % 7)};
		case_span(c, 0, *s);
	}
	case_open(c);
}

static void any_part_is_what_looking_at_every_moment_gives(void **state)
{
	static struct known k;
	struct nx_span_cost want;
	struct timeline_case c;
	uint64_t seed = 4711;

	(void)state;
	fill_randomly(&c, &k, 99);
	for (int i = 0; i < 40; i++) {
		uint64_t from_ns = case_random(&seed) % 3000;
		uint64_t to_ns = from_ns + 1 + case_random(&seed) % 1000;
		struct nx_span_statistics s = take(&c, from_ns, to_ns);

		count_slowly(&k, from_ns, to_ns, NX_NAME_NONE, &want);
		assert_cost(&s.total, want.count, want.sum_ns, want.busy_ns);
		for (size_t n = 0; n < s.name_count; n++) {
			count_slowly(&k, from_ns, to_ns, s.names[n].name, &want);
			assert_cost(&s.names[n], want.count, want.sum_ns, want.busy_ns);
			assert_true(!n || s.names[n - 1].sum_ns >= s.names[n].sum_ns);
		}
		nx_span_statistics_release(&s);
	}
	case_end(&c);
}

static bool refuse(void *context)
{
	++*(int *)context;
	return false;
}

static void who_is_not_wanted_ends_early(void **state)
{
	int asked_count = 0;
	struct nx_span_part part = {0, 0, UINT64_MAX, refuse, &asked_count};
	struct nx_span_statistics s;
	struct timeline_case c;
	uint32_t name;

	(void)state;
	case_begin(&c, 0);
	case_track(&c, NX_TRACK_SPANS);
	name = case_names(&c, 1);
	for (uint64_t i = 0; i < 200000; i++)
		case_span(&c, 0, (struct nx_span){i, i + 1, i, name});
	case_open(&c);
	assert_int_equal(nx_span_statistics_take(&s, c.timeline, &part, &c.err), NX_CANCELLED);
	assert_int_equal(asked_count, 1);
	nx_span_statistics_release(&s);
	case_end(&c);
}

static void tracks_without_spans_are_refused(void **state)
{
	struct nx_span_part part = {.to_ns = 10};
	struct nx_span_statistics s;
	struct timeline_case c;

	(void)state;
	case_begin(&c, 0);
	case_track(&c, NX_TRACK_COUNTER);
	case_sample(&c, 0, 1, 2.0);
	case_open(&c);
	assert_int_equal(nx_span_statistics_take(&s, c.timeline, &part, &c.err), NX_NOT_FOUND);
	part.track = 77;
	assert_int_equal(nx_span_statistics_take(&s, c.timeline, &part, &c.err), NX_NOT_FOUND);
	case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments_that_two_cover_are_busy_once),
		cmocka_unit_test(spans_count_whole_but_are_busy_inside_only),
		cmocka_unit_test(any_part_is_what_looking_at_every_moment_gives),
		cmocka_unit_test(who_is_not_wanted_ends_early),
		cmocka_unit_test(tracks_without_spans_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
