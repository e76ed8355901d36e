/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/range_cover.h"

static void shared_bytes_count_once(void **state)
{
	struct nx_range_cover cover = {0};

	(void)state;
	nx_range_cover_declare(&cover, 0, 10);
	nx_range_cover_declare(&cover, 5, 20);
	nx_range_cover_declare(&cover, 5, 8);
	nx_range_cover_declare(&cover, 30, 31);
	nx_range_cover_prepare(&cover);
	nx_range_cover_add(&cover, 0, 10, 1);
	assert_int_equal(cover.covered_bytes, 10);
	nx_range_cover_add(&cover, 5, 20, 1);
	assert_int_equal(cover.covered_bytes, 20);
	nx_range_cover_add(&cover, 5, 8, 1);
	assert_int_equal(cover.covered_bytes, 20);
	nx_range_cover_add(&cover, 30, 31, 1);
	assert_int_equal(cover.covered_bytes, 21);
	nx_range_cover_add(&cover, 5, 20, -1);
	assert_int_equal(cover.covered_bytes, 11);
	nx_range_cover_add(&cover, 0, 10, -1);
	assert_int_equal(cover.covered_bytes, 4);
	nx_range_cover_add(&cover, 5, 8, -1);
	nx_range_cover_add(&cover, 30, 31, -1);
	assert_int_equal(cover.covered_bytes, 0);
	nx_range_cover_release(&cover);
}

static void ranges_without_bytes_cover_nothing(void **state)
{
	struct nx_range_cover cover = {0};

	(void)state;
	nx_range_cover_add(&cover, 7, 7, 1); /* none declared */
	nx_range_cover_declare(&cover, 7, 7);
	nx_range_cover_prepare(&cover);
	nx_range_cover_add(&cover, 7, 7, 1);
	assert_int_equal(cover.covered_bytes, 0);
	nx_range_cover_release(&cover);
}

/* Every range of 0 to 8, checked against a count of each byte. */
static void it_agrees_with_counting_each_byte(void **state)
{
	struct nx_range_cover cover = {0};
	unsigned counts[8] = {0};
	uint32_t draw = 1;

	(void)state;
	for (uint64_t first = 0; first < 8; first++)
		for (uint64_t end = first + 1; end <= 8; end++)
			nx_range_cover_declare(&cover, first, end);
	nx_range_cover_prepare(&cover);
	for (unsigned i = 0; i < 200; i++) {
		unsigned first, end, covered = 0;

		draw = draw * 1103515245 + 12345;
		first = draw >> 16 & 7;
		end = first + 1 + (draw >> 20) % (8 - first);
		nx_range_cover_add(&cover, first, end, 1);
		for (unsigned k = first; k < end; k++)
			counts[k]++;
		if (i % 2) { /* remove it again, so that some bytes become free */
			nx_range_cover_add(&cover, first, end, -1);
			for (unsigned k = first; k < end; k++)
				counts[k]--;
		}
		for (unsigned k = 0; k < 8; k++)
			covered += counts[k] != 0;
		assert_int_equal(cover.covered_bytes, covered);
	}
	nx_range_cover_release(&cover);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_bytes_count_once),
		cmocka_unit_test(ranges_without_bytes_cover_nothing),
		cmocka_unit_test(it_agrees_with_counting_each_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
