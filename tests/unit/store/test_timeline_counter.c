/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "tests/unit/store/timeline_case.h"
#include "tests/unit/store/timeline_whole.h"

__extension__ typedef unsigned __int128 uint128;

/* 4 from 10 on, 8 from 20 on, 6 from 50 on. */
static void fill_by_hand(struct timeline_case *c)
{
	uint32_t track;

	case_begin(c, 0);
	track = case_track(c, NX_TRACK_COUNTER);
	case_sample(c, track, 10, 4);
	case_sample(c, track, 20, 8);
	case_sample(c, track, 50, 6);
	case_open(c);
}

static void buckets_of_a_known_counter(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 0, 75, 5};
	struct nx_counter_bucket b[5];

	(void)state;
	fill_by_hand(&c);
	assert_int_equal(nx_timeline_counter(c.timeline, &window, b, &c.err), NX_OK);
	/* [0,15): only from 10 on */
	assert_true(b[0].has_value && b[0].count == 1 && b[0].mean == 4 && b[0].last == 4);
	/* [15,30): 4 for 5 ns, 8 for 10 ns */
	assert_true(b[1].lowest == 4 && b[1].highest == 8 && b[1].last == 8);
	assert_true(b[1].mean == 100.0 / 15 && b[1].count == 1);
	/* [30,45): what holds */
	assert_true(b[2].has_value && b[2].count == 0 && b[2].mean == 8 && b[2].last == 8);
	/* [45,60): 8 for 5 ns, 6 for 10 ns */
	assert_true(b[3].lowest == 6 && b[3].highest == 8 && b[3].mean == 100.0 / 15);
	/* [60,75): after the last sample it still holds */
	assert_true(b[4].count == 0 && b[4].mean == 6 && b[4].last == 6);
	case_end(&c);
}

static void nothing_holds_before_the_first_sample(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 0, 10, 1};
	struct nx_counter_bucket b;

	(void)state;
	fill_by_hand(&c);
	assert_int_equal(nx_timeline_counter(c.timeline, &window, &b, &c.err), NX_OK);
	assert_false(b.has_value);
	assert_true(b.count == 0 && b.mean == 0 && b.last == 0);
	case_end(&c);
}

static void a_sample_at_the_edge_replaces_what_held(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 20, 30, 1};
	struct nx_counter_bucket b;

	(void)state;
	fill_by_hand(&c);
	assert_int_equal(nx_timeline_counter(c.timeline, &window, &b, &c.err), NX_OK);
	assert_true(b.lowest == 8 && b.highest == 8 && b.mean == 8 && b.count == 1);
	case_end(&c);
}

static void more_buckets_than_nanoseconds(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 19, 21, 6};
	struct nx_counter_bucket b[6];

	(void)state;
	fill_by_hand(&c);
	assert_int_equal(nx_timeline_counter(c.timeline, &window, b, &c.err), NX_OK);
	for (size_t i = 0; i < 6; i++)
		assert_true(b[i].mean == (i < 3 ? 4 : 8));
	case_end(&c);
}

static void a_counter_without_samples_is_empty(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 0, 5, 2};
	struct nx_counter_bucket b[2];

	(void)state;
	case_begin(&c, 0);
	case_track(&c, NX_TRACK_COUNTER);
	case_open(&c);
	assert_int_equal(nx_timeline_counter(c.timeline, &window, b, &c.err), NX_OK);
	assert_true(!b[0].has_value && !b[1].has_value);
	assert_int_equal(whole_samples(c.timeline, &window, NULL, 0), 0);
	window.from_ns = 5;
	assert_int_equal(nx_timeline_counter(c.timeline, &window, b, &c.err), NX_USAGE);
	case_end(&c);
}

static void the_largest_doubles_have_a_mean(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 0, UINT64_C(1) << 62, 1};
	struct nx_counter_bucket b;
	uint32_t track;

	(void)state;
	case_begin(&c, 0);
	track = case_track(&c, NX_TRACK_COUNTER);
	for (uint64_t i = 0; i < 1000; i++)
		case_sample(&c, track, i << 52, i % 2 ? DBL_MAX : -DBL_MAX);
	case_open(&c);
	assert_int_equal(nx_timeline_counter(c.timeline, &window, &b, &c.err), NX_OK);
	assert_true(b.lowest == -DBL_MAX && b.highest == DBL_MAX);
	assert_true(b.mean >= -DBL_MAX && b.mean <= DBL_MAX);
	case_end(&c);
}

static void samples_read_back(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {.from_ns = 11, .to_ns = 51};
	struct nx_sample samples[2];

	(void)state;
	fill_by_hand(&c);
	assert_int_equal(whole_samples(c.timeline, &window, samples, 2), 2);
	assert_true(samples[0].time_ns == 20 && samples[0].value == 8);
	assert_true(samples[1].time_ns == 50 && samples[1].value == 6);
	assert_int_equal(whole_samples(c.timeline, &window, samples, 1), 2);
	window.from_ns = window.to_ns;
	assert_int_equal(whole_samples(c.timeline, &window, samples, 2), 0);
	window.track = 1;
	assert_int_equal(whole_samples(c.timeline, &window, samples, 2), 0);
	case_end(&c);
}

/* The property: a judge that looks at every sample for every bucket agrees. */
struct world {
	uint64_t seed;
	NX_VEC(struct nx_sample) samples;
};

static double next_value(uint64_t *random, unsigned shape)
{
	uint64_t r = case_random(random);

	switch (shape % 4) {
	case 0:
		return (double)(r % 1000);
	case 1:
		return (double)(int64_t)(r % 2001) - 1000;
	case 2:
		return (double)(float)(r % 1000) / 8;
	default:
		return ((double)r - 2.5e15) / 7e3;
	}
}

static void make_world(struct world *world, struct timeline_case *c, uint64_t seed,
		       uint64_t row_count)
{
	uint64_t random = seed * 104729 + 1, time_ns = case_random(&random) % 100;
	unsigned shape = (unsigned)case_random(&random);
	uint32_t track;

	*world = (struct world){.seed = seed};
	case_begin(c, seed % 3 ? 0 : 20000);
	track = case_track(c, NX_TRACK_COUNTER);
	for (uint64_t i = 0; i < row_count; i++) {
		struct nx_sample sample = {time_ns, next_value(&random, shape)};

		nx_vec_push(&world->samples, sample);
		case_sample(c, track, sample.time_ns, sample.value);
		/* many together, and now and then a long silence */
		time_ns += shape & 16 ? case_random(&random) % 3 : case_random(&random) % 500;
		if (case_random(&random) % 200 == 0)
			time_ns += case_random(&random) % (UINT64_C(1) << 36);
	}
	case_open(c);
}

static struct nx_counter_bucket judge(const struct world *world, uint64_t a, uint64_t b)
{
	struct nx_counter_bucket want = {0};
	long double sum = 0, weight = 0;

	for (size_t i = 0; i < world->samples.len; i++) {
		const struct nx_sample *s = &world->samples.items[i];
		uint64_t end = i + 1 < world->samples.len ? s[1].time_ns : UINT64_MAX;
		uint64_t from = s->time_ns > a ? s->time_ns : a, to = end < b ? end : b;
		bool is_taken_here = s->time_ns >= a && s->time_ns < b;

		want.count += is_taken_here;
		/* held for some of the bucket, or was taken in it */
		if (s->time_ns >= b || (!is_taken_here && end <= a))
			continue;
		if (!want.has_value || s->value < want.lowest)
			want.lowest = s->value;
		if (!want.has_value || s->value > want.highest)
			want.highest = s->value;
		want.has_value = true;
		want.last = s->value;
		sum += (long double)s->value * (long double)(to - from);
		weight += (long double)(to - from);
	}
	if (want.has_value)
		want.mean = (double)(sum / weight);
	return want;
}

static void compare(const struct world *world, const struct nx_timeline_window *window, uint32_t i,
		    const struct nx_counter_bucket *got)
{
	uint128 length_ns = window->to_ns - window->from_ns;
	uint64_t a = window->from_ns + (uint64_t)(length_ns * i / window->bucket_count);
	uint64_t b = window->from_ns + (uint64_t)(length_ns * (i + 1) / window->bucket_count);
	struct nx_counter_bucket want = judge(world, a, b > a ? b : a + 1);
	double most = fmax(fabs(want.lowest), fabs(want.highest));

	if (got->has_value == want.has_value && got->count == want.count &&
	    got->lowest == want.lowest && got->highest == want.highest && got->last == want.last &&
	    fabs(got->mean - want.mean) <= most * 1e-13)
		return;
	fail_msg("seed %llu, [%llu, %llu) in %u, bucket %u: got %llu %g..%g last %g mean %.17g, "
		 "want %llu %g..%g last %g mean %.17g",
		 (unsigned long long)world->seed, (unsigned long long)window->from_ns,
		 (unsigned long long)window->to_ns, window->bucket_count, i,
		 (unsigned long long)got->count, got->lowest, got->highest, got->last, got->mean,
		 (unsigned long long)want.count, want.lowest, want.highest, want.last, want.mean);
}

static void check_seeds(uint64_t from, uint64_t to, uint64_t row_count, size_t window_count)
{
	print_message("# seeds %llu to %llu, up to %llu samples\n", (unsigned long long)from,
		      (unsigned long long)to - 1, (unsigned long long)row_count);
	for (uint64_t seed = from; seed < to; seed++) {
		uint64_t random = seed, last_ns;
		struct nx_counter_bucket buckets[200];
		struct timeline_case c;
		struct world world;

		make_world(&world, &c, seed, 1 + case_random(&random) % row_count);
		last_ns = world.samples.items[world.samples.len - 1].time_ns;
		for (size_t i = 0; i < window_count; i++) {
			struct nx_timeline_window window = {0};
			uint64_t zoom = case_random(&random) % 30;

			window.from_ns = case_random(&random) % (last_ns + 5);
			window.to_ns =
				window.from_ns + 1 + case_random(&random) % (2 + (last_ns >> zoom));
			window.bucket_count =
				1 + (uint32_t)(case_random(&random) % (2u << zoom % 7));
			assert_int_equal(nx_timeline_counter(c.timeline, &window, buckets, &c.err),
					 NX_OK);
			for (uint32_t b = (uint32_t)(i % 3); b < window.bucket_count; b += 11)
				compare(&world, &window, b, &buckets[b]);
		}
		nx_vec_release(&world.samples);
		case_end(&c);
	}
}

static void few_samples_equal_brute_force(void **state)
{
	(void)state;
	check_seeds(1, 200, 300, 15);
}

static void many_samples_equal_brute_force(void **state)
{
	(void)state;
	check_seeds(500, 520, 40000, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_of_a_known_counter),
		cmocka_unit_test(nothing_holds_before_the_first_sample),
		cmocka_unit_test(a_sample_at_the_edge_replaces_what_held),
		cmocka_unit_test(more_buckets_than_nanoseconds),
		cmocka_unit_test(a_counter_without_samples_is_empty),
		cmocka_unit_test(the_largest_doubles_have_a_mean),
		cmocka_unit_test(samples_read_back),
		cmocka_unit_test(few_samples_equal_brute_force),
		cmocka_unit_test(many_samples_equal_brute_force),
	};

	return cmocka_run_group_tests_name("store/timeline_counter", tests, NULL, NULL);
}
