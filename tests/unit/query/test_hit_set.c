/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/hit_set.h"
#include "tests/unit/store/timeline_case.h"

#define TABLE 7
#define SPANS 5000

static uint32_t add_track(struct timeline_case *c, uint64_t table)
{
	struct nx_track track = {.kind = NX_TRACK_SPANS,
				 .parent = NX_TRACK_NONE,
				 .name = nx_slice_text("track"),
				 .unit = nx_slice_text(""),
				 .keys = {table}};

	return nx_timeline_writer_add_track(c->writer, &track);
}

static void hits_of_a_pixel_are_marked_together(void **state)
{
	const struct nx_hit_wish wish = {0};
	struct nx_timeline_window window = {.from_ns = 0, .to_ns = 100, .bucket_count = 10};
	struct nx_row_choice rows;
	struct nx_hit_set set = {0};
	struct nx_hit_marks marks = {0};
	struct timeline_case c;
	uint32_t name;

	(void)state;
	case_begin(&c, 0);
	assert_int_equal(add_track(&c, TABLE), 0);
	assert_int_equal(add_track(&c, TABLE + 1), 1);
	name = case_names(&c, 2);
	case_span(&c, 0, (struct nx_span){11, 12, 0, name});
	case_span(&c, 0, (struct nx_span){13, 14, 1, name});
	case_span(&c, 0, (struct nx_span){15, 38, 2, name + 1});
	case_span(&c, 0, (struct nx_span){40, 90, 3, name});
	case_span(&c, 1, (struct nx_span){11, 12, 0, name});
	case_open(&c);
	nx_row_choice_init(&rows, 4);
	nx_row_choice_add(&rows, 0);
	nx_row_choice_add(&rows, 2);
	nx_row_choice_add(&rows, 3);
	nx_row_choice_add(&rows, 4); /* the table has no such row */
	assert_int_equal(nx_hit_set_add(&set, c.timeline, TABLE, &rows, &wish, &c.err), NX_OK);
	assert_int_equal(set.strips.len, 1);
	assert_int_equal(set.strips.items[0].hit_count, 3);
	nx_hit_set_marks(c.timeline, &set.strips.items[0], &window, &marks);
	assert_int_equal(marks.len, 2);
	assert_int_equal(marks.items[0].count, 2);
	assert_int_equal(marks.items[0].start_ns, 11);
	assert_int_equal(marks.items[0].end_ns, 38);
	assert_int_equal(marks.items[0].row, 0);
	assert_int_equal(marks.items[0].name, name);
	assert_int_equal(marks.items[1].count, 1);
	assert_int_equal(marks.items[1].start_ns, 40);
	nx_vec_clear(&marks);
	/* buckets count from the window's begin: 5 to 15, 15 to 25, 35 to 45 */
	window = (struct nx_timeline_window){.from_ns = 5, .to_ns = 105, .bucket_count = 10};
	nx_hit_set_marks(c.timeline, &set.strips.items[0], &window, &marks);
	assert_int_equal(marks.len, 3);
	assert_int_equal(marks.items[0].end_ns, 12);
	assert_int_equal(marks.items[1].start_ns, 15);
	assert_int_equal(marks.items[2].start_ns, 40);
	nx_vec_clear(&marks);
	window = (struct nx_timeline_window){.from_ns = 0, .to_ns = 100, .bucket_count = 10};
	/* one that began before is there as well */
	window.from_ns = 50;
	nx_hit_set_marks(c.timeline, &set.strips.items[0], &window, &marks);
	assert_int_equal(marks.len, 1);
	assert_int_equal(marks.items[0].row, 3);
	nx_vec_clear(&marks);
	window = (struct nx_timeline_window){.from_ns = 95, .to_ns = 100, .bucket_count = 10};
	nx_hit_set_marks(c.timeline, &set.strips.items[0], &window, &marks);
	assert_int_equal(marks.len, 0);
	nx_vec_release(&marks);
	nx_hit_set_release(&set);
	nx_row_choice_release(&rows);
	case_end(&c);
}

static struct nx_span known[SPANS];

static void fill_randomly(struct timeline_case *c, struct nx_row_choice *rows, uint64_t seed)
{
	uint64_t at = 0;
	uint32_t name;

	case_begin(c, 0);
	add_track(c, TABLE);
	name = case_names(c, 1);
	nx_row_choice_init(rows, SPANS);
	for (uint64_t i = 0; i < SPANS; i++) {
		at += case_random(&seed) % 4;
		known[i] = (struct nx_span){at, at + case_random(&seed) % 9, i, name};
		case_span(c, 0, known[i]);
		if (case_random(&seed) % 3 == 0)
			nx_row_choice_add(rows, i);
	}
	case_open(c);
}

/* Hits of the window that lie in none of its first buckets began before it. */
static uint64_t count_slowly(const struct nx_row_choice *rows, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < SPANS; i++) {
		const struct nx_span *s = &known[i];

		count += nx_row_choice_has(rows, i) && s->start_ns < to_ns &&
			 (s->end_ns > from_ns ||
			  (s->start_ns == s->end_ns && s->start_ns >= from_ns));
	}
	return count;
}

static void every_hit_is_marked_once_at_any_zoom(void **state)
{
	const struct nx_hit_wish wish = {0};
	struct nx_hit_marks marks = {0};
	struct nx_hit_set set = {0};
	struct nx_row_choice rows;
	struct timeline_case c;
	uint64_t seed = 5;

	(void)state;
	fill_randomly(&c, &rows, 1234);
	assert_int_equal(nx_hit_set_add(&set, c.timeline, TABLE, &rows, &wish, &c.err), NX_OK);
	assert_true(set.strips.len > 1);
	for (int round = 0; round < 100; round++) {
		struct nx_timeline_window w = {.from_ns = case_random(&seed) % 8000};
		uint64_t count = 0;

		w.to_ns = w.from_ns + 1 + case_random(&seed) % 3000;
		w.bucket_count = 1 + (uint32_t)(case_random(&seed) % 700);
		for (size_t i = 0; i < set.strips.len; i++) {
			nx_vec_clear(&marks);
			nx_hit_set_marks(c.timeline, &set.strips.items[i], &w, &marks);
			assert_true(marks.len <= w.bucket_count);
			for (size_t m = 0; m < marks.len; m++) {
				count += marks.items[m].count;
				assert_true(!m ||
					    marks.items[m].start_ns >= marks.items[m - 1].end_ns);
				assert_true(nx_row_choice_has(&rows, marks.items[m].row));
			}
		}
		assert_int_equal(count, count_slowly(&rows, w.from_ns, w.to_ns));
	}
	nx_vec_release(&marks);
	nx_hit_set_release(&set);
	nx_row_choice_release(&rows);
	case_end(&c);
}

static bool refuse(void *context)
{
	(void)context;
	return false;
}

static void who_is_not_wanted_ends_early(void **state)
{
	const struct nx_hit_wish wish = {.is_wanted = refuse};
	struct nx_hit_set set = {0};
	struct nx_row_choice rows;
	struct timeline_case c;

	(void)state;
	fill_randomly(&c, &rows, 3);
	assert_int_equal(nx_hit_set_add(&set, c.timeline, TABLE, &rows, &wish, &c.err),
			 NX_CANCELLED);
	nx_hit_set_release(&set);
	nx_row_choice_release(&rows);
	case_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_of_a_pixel_are_marked_together),
		cmocka_unit_test(every_hit_is_marked_once_at_any_zoom),
		cmocka_unit_test(who_is_not_wanted_ends_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
