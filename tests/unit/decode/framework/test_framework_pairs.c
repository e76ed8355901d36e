/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "decode/framework/framework_pairs.h"

static bool push(struct nx_framework_pairs *pairs, uint64_t key, const char *name)
{
	char copy[64];
	struct nx_framework_event event = {0};

	/* Overwritten below, as the decoder's record is. */
	snprintf(copy, sizeof(copy), "%s", name);
	event.name = nx_slice_text(copy);
	if (!nx_framework_pairs_push(pairs, key, &event))
		return false;
	memset(copy, '#', sizeof(copy));
	return true;
}

static void check_pop(struct nx_framework_pairs *pairs, uint64_t key, const char *name)
{
	struct nx_framework_event *event = nx_framework_pairs_top(pairs, key);

	assert_non_null(event);
	assert_true(nx_slice_is(event->name, name));
	nx_framework_pairs_drop(pairs, key);
}

/* Keys 1 and 1 + NX_FRAMEWORK_BUCKETS share a bucket. */
static void test_last_begun_ends_first_per_key(void **state)
{
	struct nx_framework_pairs pairs = {0};
	uint64_t other = 1 + NX_FRAMEWORK_BUCKETS;

	(void)state;
	push(&pairs, 1, "outer");
	push(&pairs, other, "elsewhere");
	push(&pairs, 1, "inner");
	check_pop(&pairs, 1, "inner");
	check_pop(&pairs, 1, "outer");
	assert_null(nx_framework_pairs_top(&pairs, 1));
	check_pop(&pairs, other, "elsewhere");
	assert_null(nx_framework_pairs_top(&pairs, other));
	assert_int_equal(pairs.text_bytes, 0);
	nx_framework_pairs_release(&pairs);
}

static void test_places_are_used_again(void **state)
{
	struct nx_framework_pairs pairs = {0};

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		assert_true(push(&pairs, i, "a"));
		assert_true(push(&pairs, i, "b"));
		check_pop(&pairs, i, "b");
		check_pop(&pairs, i, "a");
	}
	assert_int_equal(pairs.places.len, 2);
	nx_framework_pairs_release(&pairs);
}

static void test_number_is_bounded(void **state)
{
	struct nx_framework_pairs pairs = {0};

	(void)state;
	for (uint64_t i = 0; i < NX_FRAMEWORK_OPEN_MAX; i++)
		assert_true(push(&pairs, i, ""));
	assert_false(push(&pairs, 5, "one too many"));
	check_pop(&pairs, 5, "");
	assert_true(push(&pairs, 5, "fits now"));
	check_pop(&pairs, 5, "fits now");
	nx_framework_pairs_release(&pairs);
}

static void test_text_is_bounded(void **state)
{
	static const uint8_t text[4096];
	struct nx_framework_event event = {.name = nx_slice_of(text, sizeof(text))};
	struct nx_framework_pairs pairs = {0};
	uint64_t count = 0;

	(void)state;
	while (nx_framework_pairs_push(&pairs, count, &event))
		count++;
	assert_int_equal(count, (16 << 20) / 4096);
	nx_framework_pairs_drop(&pairs, 0);
	assert_true(nx_framework_pairs_push(&pairs, 0, &event));
	nx_framework_pairs_release(&pairs);
}

static void test_open_ones_are_listed_once(void **state)
{
	struct nx_framework_pairs pairs = {0};
	unsigned seen = 0;
	size_t at = 0;
	struct nx_framework_event *event;

	(void)state;
	assert_null(nx_framework_pairs_next(&pairs, &at));
	push(&pairs, 1, "a");
	push(&pairs, 2, "b");
	push(&pairs, 3, "c");
	nx_framework_pairs_drop(&pairs, 2);
	at = 0;
	while ((event = nx_framework_pairs_next(&pairs, &at)))
		seen += 1u << (event->name.data[0] - 'a') * 8;
	assert_int_equal(seen, 0x010001);
	nx_framework_pairs_release(&pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_begun_ends_first_per_key),
		cmocka_unit_test(test_places_are_used_again),
		cmocka_unit_test(test_number_is_bounded),
		cmocka_unit_test(test_text_is_bounded),
		cmocka_unit_test(test_open_ones_are_listed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
