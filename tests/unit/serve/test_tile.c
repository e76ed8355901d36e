/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "serve/tile.h"
#include "tests/unit/store/timeline_case.h"

#define SPANS_MAX 400

struct drawn {
	struct timeline_case c;
	uint32_t track;
	struct nx_span spans[SPANS_MAX];
	size_t span_count;
};

static uint32_t random_state;

static uint32_t draw_number(uint32_t below)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)random_state * below) >> 32);
}

/* Spans that follow each other, some empty, some touching, with names and rows of their own. */
static void make(struct drawn *d, uint32_t seed, size_t count, uint32_t longest)
{
	uint64_t at = 100;
	uint32_t first;

	random_state = seed;
	case_begin(&d->c, 0);
	d->track = case_track(&d->c, NX_TRACK_SPANS);
	first = case_names(&d->c, 3);
	d->span_count = count;
	for (size_t i = 0; i < count; i++) {
		uint64_t len = draw_number(4) ? draw_number(longest) : 0;

		at += draw_number(3) ? draw_number(longest) + 1 : 1;
		d->spans[i] = (struct nx_span){at, at + len, i + 7, first + draw_number(3)};
		case_span(&d->c, d->track, d->spans[i]);
		at += len;
	}
	case_open(&d->c);
}

/* --- what a window should be, from the spans alone ---------------------------------------- */

struct expected {
	uint32_t first_px, end_px;
	size_t first, end; /* spans */
	uint32_t name;
	uint64_t row;
	float busy;
};

static uint64_t edge_of(uint64_t from, uint64_t to, uint32_t px, uint32_t i)
{
	return from + (uint64_t)((unsigned __int128)(to - from) * i / px);
}

static bool is_in(const struct nx_span *s, uint64_t a, uint64_t b)
{
	return s->start_ns == s->end_ns ? s->start_ns >= a && s->start_ns < b
					: s->start_ns < b && s->end_ns > a;
}

static uint64_t inside(const struct nx_span *s, uint64_t a, uint64_t b)
{
	uint64_t begin = s->start_ns > a ? s->start_ns : a, end = s->end_ns < b ? s->end_ns : b;

	return end > begin ? end - begin : 0;
}

static bool expect_bucket(const struct drawn *d, uint64_t from, uint64_t to, uint32_t px,
			  uint32_t i, struct expected *e)
{
	uint64_t a = edge_of(from, to, px, i), b = edge_of(from, to, px, i + 1), busy = 0;
	uint64_t by_name[16] = {0}, best = 0, longest = 0;

	b = b > a ? b : a + 1;
	*e = (struct expected){.first_px = i, .end_px = i + 1, .first = SIZE_MAX};
	for (size_t k = 0; k < d->span_count; k++) {
		const struct nx_span *s = &d->spans[k];

		if (!is_in(s, a, b))
			continue;
		if (e->first == SIZE_MAX || s->end_ns - s->start_ns > longest) {
			longest = s->end_ns - s->start_ns;
			e->row = s->row;
		}
		if (e->first == SIZE_MAX) {
			e->first = k;
			e->name = s->name;
		}
		e->end = k + 1;
		busy += inside(s, a, b);
		by_name[s->name] += inside(s, a, b);
	}
	for (uint32_t n = 0; n < 16; n++)
		if (by_name[n] > best) {
			best = by_name[n];
			e->name = n;
		}
	e->busy = (float)((double)busy / (double)(b - a));
	return e->first != SIZE_MAX;
}

static bool says_the_same(const struct expected *a, const struct expected *b)
{
	if (a->end_px != b->first_px || (a->end - a->first == 1) != (b->end - b->first == 1))
		return false;
	if (a->end - a->first == 1)
		return a->first == b->first;
	return a->row == b->row && a->name == b->name && !(a->busy < b->busy) &&
	       !(a->busy > b->busy);
}

static size_t expect(const struct drawn *d, uint64_t from, uint64_t to, uint32_t px,
		     struct expected *items)
{
	size_t count = 0;

	for (uint32_t i = 0; i < px; i++) {
		struct expected e;

		if (!expect_bucket(d, from, to, px, i, &e))
			continue;
		if (count && says_the_same(&items[count - 1], &e)) {
			items[count - 1].end_px = e.end_px;
			items[count - 1].end = e.end;
		} else {
			items[count++] = e;
		}
	}
	return count;
}

static void check_item(const struct drawn *d, uint64_t from, uint64_t to, uint32_t px,
		       const struct expected *e, const uint8_t *columns, size_t n, size_t i)
{
	float x0 = nx_load_f32(columns + 4 * i), x1 = nx_load_f32(columns + 4 * (n + i));
	double low = e->first_px, high = e->end_px;

	assert_int_equal(nx_load32(columns + 4 * (2 * n + i)), e->end - e->first);
	assert_int_equal(nx_load32(columns + 4 * (3 * n + i)), e->name);
	assert_int_equal(nx_load32(columns + 4 * (4 * n + i)), NX_CODE_NONE);
	assert_int_equal(nx_load32(columns + 4 * (6 * n + i)), e->row);
	assert_int_equal(nx_load32(columns + 4 * (7 * n + i)), 0);
	if (e->end - e->first == 1) {
		const struct nx_span *s = &d->spans[e->first];
		double scale = px / (double)(to - from);

		low = fmax(low, ((double)s->start_ns - (double)from) * scale);
		high = fmin(high, ((double)s->end_ns - (double)from) * scale);
		assert_true(fabs((double)x0 - low) < 1e-3);
		assert_true(fabs((double)x1 - fmax(high, low)) < 1e-3);
		return;
	}
	assert_true((double)x0 >= low && (double)x0 <= low);
	assert_true((double)x1 >= high && (double)x1 <= high);
	assert_true(fabsf(nx_load_f32(columns + 4 * (5 * n + i)) - e->busy) < 1e-6f);
}

static void check_window(const struct drawn *d, uint64_t from, uint64_t to, uint32_t px)
{
	struct expected *items = nx_heap_alloc(px * sizeof(*items));
	size_t count = expect(d, from, to, px, items);
	struct nx_bytes bytes = {0};
	struct nx_tile tile;

	nx_tile_begin(&tile, &bytes, from, to, px);
	assert_int_equal(nx_tile_add_spans(&tile, d->c.timeline, d->track, 0, NULL, NULL), NX_OK);
	nx_tile_end(&tile);
	assert_memory_equal(bytes.items, "NXW1", 4);
	assert_int_equal(nx_load32(bytes.items + 4), px);
	assert_true(nx_load64(bytes.items + 8) == from && nx_load64(bytes.items + 16) == to);
	assert_int_equal(nx_load32(bytes.items + 24), 1);
	assert_int_equal(nx_load32(bytes.items + 32), d->track);
	assert_int_equal(nx_load32(bytes.items + 40), 1);
	assert_int_equal(nx_load32(bytes.items + 44), count);
	assert_int_equal(bytes.len, 48 + 32 * count);
	for (size_t i = 0; i < count; i++)
		check_item(d, from, to, px, &items[i], bytes.items + 48, count, i);
	nx_vec_release(&bytes);
	nx_heap_free(items);
}

static void windows_are_what_the_spans_say(void **state)
{
	static const uint32_t pixels[] = {1, 2, 7, 64, 500};

	(void)state;
	for (uint32_t seed = 1; seed < 9; seed++) {
		struct drawn d = {0};

		make(&d, seed, seed < 3 ? 5 : SPANS_MAX, seed % 2 ? 10 : 1000);
		for (size_t k = 0; k < sizeof(pixels) / sizeof(pixels[0]); k++) {
			uint64_t end = d.spans[d.span_count - 1].end_ns;
			uint64_t from = draw_number((uint32_t)end);

			check_window(&d, 0, end + 50, pixels[k]);
			check_window(&d, 100, 101, pixels[k]);
			check_window(&d, from, from + 1 + draw_number(300), pixels[k]);
			check_window(&d, end, end + 10, pixels[k]);
		}
		case_end(&d.c);
	}
}

/* [100, 200) alone, [200, 201) and [201, 202) in one pixel, an empty span, one beyond the edge. */
static void spans_alone_have_their_own_edges(void **state)
{
	static const uint64_t edges[][2] = {
		{100, 200}, {200, 201}, {201, 202}, {505, 505}, {950, 2000}};
	static const float wanted[][2] = {{10, 20}, {20, 21}, {50.5f, 50.5f}, {95, 100}};
	struct drawn d = {0};
	struct nx_bytes bytes = {0};
	struct nx_tile tile;

	(void)state;
	case_begin(&d.c, 0);
	d.track = case_track(&d.c, NX_TRACK_SPANS);
	(void)case_names(&d.c, 1);
	for (size_t i = 0; i < 5; i++)
		case_span(&d.c, d.track, (struct nx_span){edges[i][0], edges[i][1], i, 0});
	case_open(&d.c);
	nx_tile_begin(&tile, &bytes, 0, 1000, 100);
	assert_int_equal(nx_tile_add_spans(&tile, d.c.timeline, d.track, 0, NULL, NULL), NX_OK);
	nx_tile_end(&tile);
	assert_int_equal(nx_load32(bytes.items + 44), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(fabsf(nx_load_f32(bytes.items + 48 + 4 * i) - wanted[i][0]) < 1e-5f);
		assert_true(fabsf(nx_load_f32(bytes.items + 48 + 16 + 4 * i) - wanted[i][1]) <
			    1e-5f);
	}
	/* two spans of one nanosecond in ten */
	assert_true(fabsf(nx_load_f32(bytes.items + 48 + 5 * 16 + 4) - 0.2f) < 1e-6f);
	nx_vec_release(&bytes);
	case_end(&d.c);
}

static void counters_have_a_value_per_pixel(void **state)
{
	struct timeline_case c;
	struct nx_bytes bytes = {0};
	struct nx_tile tile;
	uint32_t track;

	(void)state;
	case_begin(&c, 0);
	track = case_track(&c, NX_TRACK_COUNTER);
	case_sample(&c, track, 10, 1);
	case_sample(&c, track, 15, 3);
	case_sample(&c, track, 30, 5);
	case_open(&c);
	nx_tile_begin(&tile, &bytes, 0, 40, 4);
	assert_int_equal(nx_tile_add_counter(&tile, c.timeline, track, NULL), NX_OK);
	nx_tile_end(&tile);
	assert_int_equal(bytes.len, 32 + 16 + 4 * 16);
	for (int column = 0; column < 4; column++) {
		/* lowest, highest, mean, last of [10,20), [20,30), [30,40) */
		static const float wanted[4][3] = {{1, 3, 5}, {3, 3, 5}, {2, 3, 5}, {3, 3, 5}};
		const uint8_t *at = bytes.items + 48 + 16 * column;

		assert_true(isnan(nx_load_f32(at)));
		for (int i = 0; i < 3; i++)
			assert_true(fabsf(nx_load_f32(at + 4 + 4 * i) - wanted[column][i]) < 1e-6f);
	}
	nx_vec_release(&bytes);
	case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_what_the_spans_say),
		cmocka_unit_test(spans_alone_have_their_own_edges),
		cmocka_unit_test(counters_have_a_value_per_pixel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
