/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "tests/unit/store/timeline_case.h"
#include "tests/unit/store/timeline_whole.h"

__extension__ typedef unsigned __int128 uint128;

/* A small track worked out by hand: n0 [10,30), n1 [30,30) and [40,60), n0 [60,61). */
static void fill_by_hand(struct timeline_case *c)
{
	uint32_t n0, track;

	track = case_begin_spans(c, 0, 2, &n0);
	case_span(c, track, (struct nx_span){10, 30, 100, n0});
	case_span(c, track, (struct nx_span){30, 30, 101, n0 + 1});
	case_span(c, track, (struct nx_span){40, 60, 102, n0 + 1});
	case_span(c, track, (struct nx_span){60, 61, 103, n0});
	case_open(c);
}

static void buckets_of_a_known_track(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 0, 80, 4};
	struct nx_span_bucket b[4];

	(void)state;
	fill_by_hand(&c);
	assert_int_equal(whole_spans(c.timeline, &window, b, &c.err), NX_OK);
	/* [0,20): half of the first */
	assert_int_equal(b[0].busy_ns, 10);
	assert_int_equal(b[0].count, 1);
	assert_int_equal(b[0].longest_ns, 20);
	assert_int_equal(b[0].longest_row, 100);
	assert_int_equal(b[0].first_idx, 0);
	/* [20,40): its other half and the empty one */
	assert_int_equal(b[1].busy_ns, 10);
	assert_int_equal(b[1].count, 2);
	assert_int_equal(b[1].longest_idx, 0);
	assert_true(nx_slice_is(nx_timeline_name(c.timeline, b[1].name), "n0"));
	/* [40,60) */
	assert_int_equal(b[2].busy_ns, 20);
	assert_int_equal(b[2].count, 1);
	assert_int_equal(b[2].longest_row, 102);
	/* [60,80) */
	assert_int_equal(b[3].busy_ns, 1);
	assert_int_equal(b[3].first_idx, 3);
	case_end(&c);
}

static void an_empty_bucket_says_so(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 61, 1000, 1};
	struct nx_span_bucket b;

	(void)state;
	fill_by_hand(&c);
	assert_int_equal(whole_spans(c.timeline, &window, &b, &c.err), NX_OK);
	assert_int_equal(b.count, 0);
	assert_int_equal(b.busy_ns, 0);
	assert_true(b.longest_idx == NX_SPAN_NONE && b.first_idx == NX_SPAN_NONE);
	assert_int_equal(b.name, NX_NAME_NONE);
	case_end(&c);
}

static void more_buckets_than_nanoseconds(void **state)
{
	struct timeline_case c;
	/* 29, 30 and 31 ns, three buckets each */
	struct nx_timeline_window window = {0, 0, 29, 32, 9};
	struct nx_span_bucket b[9];

	(void)state;
	fill_by_hand(&c);
	assert_int_equal(whole_spans(c.timeline, &window, b, &c.err), NX_OK);
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(b[i].count, i < 6);
		assert_int_equal(b[i].busy_ns, i < 3);
	}
	case_end(&c);
}

static void wrong_windows_are_refused(void **state)
{
	struct timeline_case c;
	struct nx_span_bucket b;
	struct nx_counter_bucket counter;

	(void)state;
	fill_by_hand(&c);
#define ASK(...) whole_spans(c.timeline, &(struct nx_timeline_window){__VA_ARGS__}, &b, &c.err)
	assert_int_equal(ASK(0, 0, 5, 5, 1), NX_USAGE);
	assert_int_equal(ASK(0, 0, 6, 5, 1), NX_USAGE);
	assert_int_equal(ASK(0, 0, 0, 5, 0), NX_USAGE);
	assert_int_equal(ASK(1, 0, 0, 5, 1), NX_NOT_FOUND);
	assert_int_equal(ASK(0, 1, 0, 5, 1), NX_NOT_FOUND);
	assert_string_equal(c.err.message, "track 0 has no depth 1");
#undef ASK
	assert_int_equal(nx_timeline_counter(c.timeline,
					     &(struct nx_timeline_window){0, 0, 0, 5, 1}, &counter,
					     &c.err),
			 NX_USAGE);
	case_end(&c);
}

static void a_track_without_spans_is_empty(void **state)
{
	struct timeline_case c;
	struct nx_span_bucket b[2];

	(void)state;
	case_begin(&c, 0);
	case_track(&c, NX_TRACK_SPANS);
	case_open(&c);
	for (uint32_t i = 0; i < 2; i++) {
		struct nx_timeline_window window = {0, i ? NX_ALL_DEPTHS : 0, 0, 5, 2};

		assert_int_equal(whole_spans(c.timeline, &window, b, &c.err), NX_OK);
		assert_int_equal(b[0].count + b[1].count, 0);
	}
	case_end(&c);
}

static void time_may_come_to_its_end(void **state)
{
	struct timeline_case c;
	struct nx_timeline_window window = {0, 0, 0, UINT64_MAX, 3};
	struct nx_span_bucket b[3];
	uint32_t track, name;

	(void)state;
	track = case_begin_spans(&c, 0, 1, &name);
	case_span(&c, track, (struct nx_span){0, UINT64_MAX, 1, name});
	case_span(&c, track, (struct nx_span){UINT64_MAX, UINT64_MAX, 2, name});
	case_open(&c);
	assert_int_equal(whole_spans(c.timeline, &window, b, &c.err), NX_OK);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(b[i].busy_ns, UINT64_MAX / 3);
		assert_int_equal(b[i].count, 1);
	}
	assert_int_equal(nx_timeline_find(c.timeline, track, 0, UINT64_MAX), 1);
	case_end(&c);
}

/* Two names that take turns: all of a thousand chunks are a tie that only the edges decide. */
static void the_last_nanosecond_decides(void **state)
{
	const uint64_t rows = 1024 * 128 + 1, end_ns = 20 * (rows - 1);
	const struct {
		uint64_t from_ns, to_ns;
		uint32_t name;
	} cases[] = {
		{0, end_ns, 0},	    /* a tie, the smaller id */
		{1, end_ns, 1},	    /* the first lacks one */
		{1, end_ns + 1, 0}, /* and has it again at the end */
		{10, end_ns, 1},      {20, end_ns + 10, 0},	 {29, end_ns, 1},
		{29, end_ns - 11, 0}, {40 * 700 + 5, end_ns, 1},
	};
	struct timeline_case c;
	struct nx_span_bucket b;
	uint32_t track, name;

	(void)state;
	track = case_begin_spans(&c, 0, 2, &name);
	for (uint64_t i = 0; i < rows; i++)
		case_span(&c, track,
			  (struct nx_span){20 * i, 20 * i + 10, i, name + (uint32_t)(i % 2)});
	case_open(&c);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nx_timeline_window window = {track, 0, cases[i].from_ns, cases[i].to_ns, 1};

		assert_int_equal(whole_spans(c.timeline, &window, &b, &c.err), NX_OK);
		assert_int_equal(b.name, name + cases[i].name);
	}
	case_end(&c);
}

/* The longest of a chunk may lie behind the edge that cuts it; then the next one counts. */
static void the_longest_is_looked_for_in_a_cut_chunk(void **state)
{
	struct nx_span_bucket b[2];
	struct timeline_case c;
	uint32_t track, name;

	(void)state;
	track = case_begin_spans(&c, 0, 1, &name);
	/* of the second chunk row 200 has 90 ns, and 150 and 151 have 50 */
	for (uint64_t i = 0; i < 384; i++) {
		uint64_t length_ns = i == 200 ? 90 : i == 150 || i == 151 ? 50 : 10;

		case_span(&c, track, (struct nx_span){100 * i, 100 * i + length_ns, 7 * i, name});
	}
	case_open(&c);
	for (uint32_t cut = 152; cut <= 200; cut++) {
		struct nx_timeline_window window = {track, 0, 0, UINT64_C(200) * cut, 2};

		assert_int_equal(whole_spans(c.timeline, &window, b, &c.err), NX_OK);
		assert_int_equal(b[0].longest_ns, 50);
		assert_int_equal(b[0].longest_row, 7 * 150);
		assert_int_equal(b[1].longest_ns, 90);
		assert_int_equal(b[1].longest_idx, 200);
		assert_int_equal(b[1].longest_row, 7 * 200);
	}
	case_end(&c);
}

/*
 * The property: whatever the rows and the window, the answer is what the rows give. The judge
 * below knows no index, no chunk and no edge: it looks at every row for every bucket.
 */
#define DEPTHS 30

struct row {
	struct nx_span span;
	uint32_t depth;
};

struct world {
	uint64_t seed;
	NX_VEC(struct row) rows;
	uint32_t depth_count;
	uint32_t first_name, name_count;
	uint64_t *sums; /* by name */
};

/* Depths as the words of timeline.h want them, tried one after another. */
static uint32_t depth_of(uint64_t *ends, uint32_t *depth_count, const struct nx_span *span)
{
	uint32_t depth = 0;

	while (depth < *depth_count && ends[depth] > span->start_ns)
		depth++;
	if (depth == *depth_count)
		(*depth_count)++;
	ends[depth] = span->end_ns;
	return depth;
}

/* Nests may be deep, but not endless: a start later than it, when all depths are taken. */
static uint64_t start_with_room(const uint64_t *ends, uint64_t start_ns)
{
	uint64_t soonest = UINT64_MAX;

	for (size_t i = 0; i < DEPTHS; i++)
		soonest = ends[i] < soonest ? ends[i] : soonest;
	return soonest > start_ns ? soonest : start_ns;
}

static uint64_t next_gap(uint64_t *random, unsigned shape, uint64_t i)
{
	switch (shape % 6) {
	case 0:
		return case_random(random) % 100;
	case 1: /* bursts */
		return i % 50 ? case_random(random) % 3 : case_random(random) % 100000;
	case 2: /* many at one time */
		return case_random(random) % 10 == 0;
	case 3: /* gaps that need more than 32 bits */
		return i % 97 ? case_random(random) % 1000
			      : case_random(random) % (UINT64_C(1) << 40);
	case 4:
		return 10;
	default:
		return case_random(random) % 2000;
	}
}

static uint64_t next_length(uint64_t *random, unsigned shape, uint64_t i)
{
	switch (shape % 8) {
	case 0:
		return case_random(random) % 100;
	case 1:
		return 0;
	case 2: /* mostly empty */
		return case_random(random) % 4 ? 0 : case_random(random) % 50;
	case 3: /* one giant */
		return i == 3 ? UINT64_C(1) << 42 : case_random(random) % 60;
	case 4: /* equal, so that sums and maxima tie */
		return 10;
	case 5: /* deep nests */
		return case_random(random) % 8 ? case_random(random) % 20
					       : case_random(random) % 3000;
	case 6: /* few are long, as long as others before, and shorter with time */
		return i % 701 ? case_random(random) % 9 : 3000 - i / 9000 * 50;
	default:
		return UINT64_C(1) << case_random(random) % 36;
	}
}

static uint32_t next_name(uint64_t *random, unsigned shape, uint64_t i, uint32_t count)
{
	uint64_t r = case_random(random);

	switch (shape % 5) {
	case 0:
		return (uint32_t)(r % count);
	case 1: /* runs */
		return (uint32_t)(i / 37 % count);
	case 2: /* few are frequent */
		return (uint32_t)(count / (1 + r % count) % count);
	case 3:
		return (uint32_t)(i % count);
	default:
		return 0;
	}
}

static void make_world(struct world *world, struct timeline_case *c, uint64_t seed,
		       uint64_t row_count)
{
	uint64_t random = seed * 7919 + 1, start_ns = case_random(&random) % 1000;
	/* Numbers without a common factor meet in every combination. */
	unsigned gaps = (unsigned)(seed / 5), lengths = (unsigned)seed, names = (unsigned)seed;
	uint64_t ends[DEPTHS] = {0};
	uint32_t track;

	*world = (struct world){.seed = seed};
	case_begin(c, seed % 3 ? 0 : 20000); /* some must use the disk */
	track = case_track(c, NX_TRACK_SPANS);
	world->name_count = 1 + (uint32_t)(case_random(&random) % (seed % 2 ? 5 : 600));
	world->first_name = case_names(c, world->name_count);
	for (uint64_t i = 0; i < row_count; i++) {
		struct row row;

		start_ns = start_with_room(ends, start_ns + next_gap(&random, gaps, i));
		row.span = (struct nx_span){
			.start_ns = start_ns,
			.end_ns = start_ns + next_length(&random, lengths, i),
			.row = i * 3,
			.name = world->first_name + next_name(&random, names, i, world->name_count),
		};
		row.depth = depth_of(ends, &world->depth_count, &row.span);
		nx_vec_push(&world->rows, row);
		case_span(c, track, row.span);
	}
	world->sums = calloc(world->first_name + world->name_count, sizeof(*world->sums));
	assert_non_null(world->sums);
	case_open(c);
}

static void free_world(struct world *world)
{
	nx_vec_release(&world->rows);
	free(world->sums);
}

static bool is_in(const struct nx_span *span, uint64_t a, uint64_t b)
{
	if (span->start_ns == span->end_ns)
		return span->start_ns >= a && span->start_ns < b;
	return span->start_ns < b && span->end_ns > a;
}

static uint32_t judge_name(const struct world *world, uint64_t busy_ns, uint32_t first_name)
{
	uint32_t best = NX_NAME_NONE;

	for (uint32_t i = 0; i < world->name_count; i++) {
		uint32_t name = world->first_name + i;

		if (world->sums[name] &&
		    (best == NX_NAME_NONE || world->sums[name] > world->sums[best]))
			best = name;
	}
	return busy_ns ? best : first_name;
}

static struct nx_span_bucket judge(const struct world *world, uint32_t depth, uint64_t a,
				   uint64_t b)
{
	struct nx_span_bucket bucket = {
		.longest_idx = NX_SPAN_NONE, .first_idx = NX_SPAN_NONE, .name = NX_NAME_NONE};
	uint32_t first_name = NX_NAME_NONE;
	uint64_t *seen = calloc(world->depth_count + 1, sizeof(*seen));

	assert_non_null(seen);
	memset(world->sums, 0, (world->first_name + world->name_count) * sizeof(*world->sums));
	for (size_t i = 0; i < world->rows.len; i++) {
		const struct row *row = &world->rows.items[i];
		uint64_t idx = seen[row->depth]++;
		uint64_t length_ns = row->span.end_ns - row->span.start_ns;
		uint64_t from = row->span.start_ns > a ? row->span.start_ns : a;
		uint64_t to = row->span.end_ns < b ? row->span.end_ns : b;

		if ((depth != NX_ALL_DEPTHS && row->depth != depth) || !is_in(&row->span, a, b))
			continue;
		if (!bucket.count || row->depth < bucket.first_depth) {
			bucket.first_depth = row->depth;
			bucket.first_idx = idx;
			first_name = row->span.name;
		}
		if (!bucket.count || length_ns > bucket.longest_ns ||
		    (length_ns == bucket.longest_ns && row->depth < bucket.longest_depth)) {
			bucket.longest_ns = length_ns;
			bucket.longest_idx = idx;
			bucket.longest_depth = row->depth;
			bucket.longest_row = row->span.row;
		}
		bucket.count++;
		bucket.start_ns = bucket.count == 1 ? row->span.start_ns : 0;
		bucket.busy_ns += to - from;
		world->sums[row->span.name] += to - from;
	}
	free(seen);
	bucket.name = judge_name(world, bucket.busy_ns, first_name);
	return bucket;
}

static void compare(const struct world *world, const struct nx_timeline_window *window, uint32_t i,
		    const struct nx_span_bucket *got)
{
	uint128 length_ns = window->to_ns - window->from_ns;
	uint64_t a = window->from_ns + (uint64_t)(length_ns * i / window->bucket_count);
	uint64_t b = window->from_ns + (uint64_t)(length_ns * (i + 1) / window->bucket_count);
	struct nx_span_bucket want = judge(world, window->depth, a, b > a ? b : a + 1);

	if (got->busy_ns == want.busy_ns && got->count == want.count &&
	    got->longest_ns == want.longest_ns && got->longest_idx == want.longest_idx &&
	    got->longest_depth == want.longest_depth && got->longest_row == want.longest_row &&
	    got->first_idx == want.first_idx && got->first_depth == want.first_depth &&
	    got->start_ns == want.start_ns && got->name == want.name)
		return;
	fail_msg("seed %llu, depth %u, [%llu, %llu) in %u, bucket %u: got busy %llu count %llu "
		 "longest %llu idx %llu name %u, want busy %llu count %llu longest %llu idx %llu "
		 "name %u",
		 (unsigned long long)world->seed, window->depth,
		 (unsigned long long)window->from_ns, (unsigned long long)window->to_ns,
		 window->bucket_count, i, (unsigned long long)got->busy_ns,
		 (unsigned long long)got->count, (unsigned long long)got->longest_ns,
		 (unsigned long long)got->longest_idx, got->name, (unsigned long long)want.busy_ns,
		 (unsigned long long)want.count, (unsigned long long)want.longest_ns,
		 (unsigned long long)want.longest_idx, want.name);
}

/* Windows of every size: around a row, between any two, and everything. */
static struct nx_timeline_window any_window(const struct world *world, uint64_t *random)
{
	size_t len = world->rows.len;
	uint64_t last_ns = world->rows.items[len - 1].span.end_ns;
	uint64_t from = world->rows.items[case_random(random) % len].span.start_ns;
	struct nx_timeline_window window = {0, 0, 0, last_ns + 2, 0};

	switch (case_random(random) % 4) {
	case 0:
		break;
	case 1:
		window.from_ns = from;
		window.to_ns = from + 1 + case_random(random) % 50;
		break;
	case 2:
		window.from_ns = from > 30 ? from - case_random(random) % 30 : 0;
		window.to_ns = window.from_ns + 1 + case_random(random) % (last_ns + 10);
		break;
	default:
		window.from_ns = case_random(random) % (last_ns + 1);
		window.to_ns = window.from_ns + 1 +
			       case_random(random) % (UINT64_C(1) << case_random(random) % 40);
	}
	window.depth = case_random(random) % 3
			       ? (uint32_t)(case_random(random) % world->depth_count)
			       : NX_ALL_DEPTHS;
	/* few large ones as often as many small ones */
	window.bucket_count = 1 + (uint32_t)(case_random(random) % (2u << case_random(random) % 8));
	return window;
}

/* Asking only for buckets with spans returns those buckets, with the same contents. */
static void check_busy(const struct timeline_case *c, const struct nx_timeline_window *window,
		       const struct nx_span_bucket *all)
{
	struct nx_span_bucket buckets[256];
	uint32_t busy[256];
	size_t busy_count, next = 0;

	memset(buckets, 0xa5, sizeof(buckets));
	assert_int_equal(nx_timeline_busy(c->timeline, window, buckets, busy, &busy_count, NULL),
			 NX_OK);
	for (uint32_t i = 0; i < window->bucket_count; i++) {
		if (!all[i].count)
			continue;
		assert_true(next < busy_count);
		assert_int_equal(busy[next++], i);
		assert_memory_equal(&buckets[i], &all[i], offsetof(struct nx_span_bucket, name));
		assert_int_equal(buckets[i].name, all[i].name);
	}
	assert_int_equal(next, busy_count);
}

/* All buckets are asked for, some of them judged: the judge is slow. */
static void check_windows(struct world *world, struct timeline_case *c, size_t window_count,
			  uint32_t judged_max)
{
	uint64_t random = world->seed + 12345;
	struct nx_span_bucket buckets[256];

	for (size_t i = 0; i < window_count; i++) {
		struct nx_timeline_window window = any_window(world, &random);
		uint32_t step = 1 + window.bucket_count / judged_max;

		assert_int_equal(whole_spans(c->timeline, &window, buckets, &c->err), NX_OK);
		check_busy(c, &window, buckets);
		for (uint32_t b = (uint32_t)(case_random(&random) % step); b < window.bucket_count;
		     b += step)
			compare(world, &window, b, &buckets[b]);
	}
}

static void check_seeds(uint64_t from, uint64_t to, uint64_t row_count, size_t window_count)
{
	print_message("# seeds %llu to %llu, up to %llu rows\n", (unsigned long long)from,
		      (unsigned long long)to - 1, (unsigned long long)row_count);
	for (uint64_t seed = from; seed < to; seed++) {
		uint64_t random = seed;
		struct timeline_case c;
		struct world world;

		make_world(&world, &c, seed, 1 + case_random(&random) % row_count);
		check_windows(&world, &c, window_count, 12);
		free_world(&world);
		case_end(&c);
	}
}

static void few_rows_equal_brute_force(void **state)
{
	(void)state;
	check_seeds(1, 400, 200, 12);
}

static void thousands_of_rows_equal_brute_force(void **state)
{
	(void)state;
	check_seeds(1000, 1080, 9000, 10);
}

static void nodes_upon_nodes_equal_brute_force(void **state)
{
	(void)state;
	check_seeds(2000, 2040, 60000, 6);
	check_seeds(2100, 2108, 200000, 3);
}

/* The same for rows one by one. */
static void rows_equal_what_was_written(void **state)
{
	(void)state;
	for (uint64_t seed = 3000; seed < 3040; seed++) {
		uint64_t idx[DEPTHS] = {0};
		struct timeline_case c;
		struct world world;

		make_world(&world, &c, seed, 700);
		for (size_t i = 0; i < world.rows.len; i++) {
			const struct row *row = &world.rows.items[i];
			struct nx_span span;

			assert_true(nx_timeline_span(c.timeline, 0, row->depth, idx[row->depth]++,
						     &span));
			assert_int_equal(span.start_ns, row->span.start_ns);
			assert_int_equal(span.end_ns, row->span.end_ns);
			assert_int_equal(span.row, row->span.row);
			assert_int_equal(span.name, row->span.name);
		}
		for (uint32_t d = 0; d < world.depth_count; d++)
			assert_int_equal(nx_timeline_span_count(c.timeline, 0, d), idx[d]);
		free_world(&world);
		case_end(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_of_a_known_track),
		cmocka_unit_test(an_empty_bucket_says_so),
		cmocka_unit_test(more_buckets_than_nanoseconds),
		cmocka_unit_test(wrong_windows_are_refused),
		cmocka_unit_test(a_track_without_spans_is_empty),
		cmocka_unit_test(time_may_come_to_its_end),
		cmocka_unit_test(the_last_nanosecond_decides),
		cmocka_unit_test(the_longest_is_looked_for_in_a_cut_chunk),
		cmocka_unit_test(few_rows_equal_brute_force),
		cmocka_unit_test(thousands_of_rows_equal_brute_force),
		cmocka_unit_test(nodes_upon_nodes_equal_brute_force),
		cmocka_unit_test(rows_equal_what_was_written),
	};

	return cmocka_run_group_tests_name("store/timeline_spans", tests, NULL, NULL);
}
