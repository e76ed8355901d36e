/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/timeline/strip_internal.h"
#include "tests/unit/store/timeline_case.h"

/* Every lowest node of [lo, hi) is under exactly one node of the walk. */
static void check_walk(uint64_t lo, uint64_t hi, unsigned bits)
{
	struct nx_node_walk walk = {lo, hi, bits, 0};
	uint8_t seen[5000] = {0};
	struct nx_node_run run;
	size_t runs = 0;

	while (nx_node_walk_next(&walk, &run)) {
		assert_true(run.from < run.to);
		for (uint64_t i = run.from << run.level * bits; i < run.to << run.level * bits; i++)
			seen[i]++;
		runs++;
	}
	for (uint64_t i = 0; i < sizeof(seen); i++)
		assert_int_equal(seen[i], i >= lo && i < hi);
	assert_true(runs <= 2 * 13 / bits + 1);
}

static void a_walk_covers_its_range_once(void **state)
{
	uint64_t random = 4711;

	(void)state;
	check_walk(0, 0, 4);
	check_walk(0, 4096, 4);
	check_walk(15, 17, 4);
	check_walk(1, 4999, 4);
	check_walk(1, 4999, 2);
	for (int i = 0; i < 500; i++) {
		uint64_t a = case_random(&random) % 5000, b = case_random(&random) % 5000;

		check_walk(a < b ? a : b, a < b ? b : a, 2);
		check_walk(a < b ? a : b, a < b ? b : a, 4);
	}
}

static void a_walk_stops_at_the_last_level(void **state)
{
	struct nx_node_walk walk = {0, UINT64_C(1) << 30, 2, 0};
	struct nx_node_run run;

	(void)state;
	assert_true(nx_node_walk_next(&walk, &run));
	assert_int_equal(run.level, NX_MAX_LEVELS - 1);
	assert_int_equal(run.to, UINT64_C(1) << (30 - 2 * (NX_MAX_LEVELS - 1)));
	assert_false(nx_node_walk_next(&walk, &run));
}

/* 10 ns every 100 ns, so that everything can be worked out. */
static void fill(struct timeline_case *c, struct nx_strip *strip, uint64_t row_count)
{
	uint32_t track, name;

	case_begin(c, 0);
	track = case_track(c, NX_TRACK_SPANS);
	name = case_names(c, 1);
	for (uint64_t i = 0; i < row_count; i++)
		case_span(c, track, (struct nx_span){100 * i, 100 * i + 10, i, name});
	case_open(c);
	assert_true(nx_strip_open(strip, c->timeline, NX_TRACK_SPANS, 0, 0));
}

static void a_search_finds_the_chunk_before(void **state)
{
	const uint64_t chunk_ns = 100 * NX_CHUNK_ROWS;
	struct timeline_case c;
	struct nx_strip strip;

	(void)state;
	/* 300 chunks: three levels of starts */
	fill(&c, &strip, 300 * NX_CHUNK_ROWS - 5);
	assert_int_equal(strip.start_levels, 3);
	assert_int_equal(nx_strip_search(&strip, 0), 0);
	for (uint64_t i = 0; i < 300; i++) {
		assert_int_equal(nx_strip_search(&strip, i * chunk_ns + 1), i);
		assert_int_equal(nx_strip_search(&strip, (i + 1) * chunk_ns), i);
	}
	assert_int_equal(nx_strip_search(&strip, UINT64_MAX), 299);
	case_end(&c);
}

static void edges_count_what_lies_before(void **state)
{
	const uint64_t times[6] = {0, 1, 100, 105, 110, 12805};
	const uint64_t idx[6] = {0, 1, 1, 2, 2, 129};
	const uint64_t busy_ns[6] = {0, 1, 10, 15, 20, 1285};
	const uint64_t over_ns[6] = {0, 9, 0, 5, 0, 5};
	struct nx_edge edges[6];
	struct timeline_case c;
	struct nx_strip strip;

	(void)state;
	fill(&c, &strip, 1000);
	nx_edges_find(&strip, times, 6, edges);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(edges[i].idx, idx[i]);
		assert_int_equal(edges[i].busy_ns, busy_ns[i]);
		assert_int_equal(edges[i].over_ns, over_ns[i]);
		assert_int_equal(nx_edge_first(&edges[i]), idx[i] - (over_ns[i] != 0));
	}
	case_end(&c);
}

static void a_strip_of_another_kind_is_none(void **state)
{
	struct timeline_case c;
	struct nx_strip strip;

	(void)state;
	fill(&c, &strip, 1);
	assert_false(nx_strip_open(&strip, c.timeline, NX_TRACK_COUNTER, 0, 0));
	assert_false(nx_strip_open(&strip, c.timeline, NX_TRACK_SPANS, 0, 1));
	assert_false(nx_strip_open(&strip, c.timeline, NX_TRACK_SPANS, 1, 0));
	case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_covers_its_range_once),
		cmocka_unit_test(a_walk_stops_at_the_last_level),
		cmocka_unit_test(a_search_finds_the_chunk_before),
		cmocka_unit_test(edges_count_what_lies_before),
		cmocka_unit_test(a_strip_of_another_kind_is_none),
	};

	return cmocka_run_group_tests_name("store/strip", tests, NULL, NULL);
}
