/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "format/parquet/parquet_texts.h"

static uint32_t id_of(struct nx_parquet_texts *texts, const char *text)
{
	return nx_parquet_texts_id(texts, nx_slice_text(text));
}

static void texts_are_numbered_by_first_appearance(void **state)
{
	static const char want[] = "\1\0\0\0b\0\0\0\0\2\0\0\0ab";
	struct nx_parquet_texts texts = {0};

	(void)state;
	assert_int_equal(id_of(&texts, "b"), 0);
	assert_int_equal(id_of(&texts, ""), 1);
	assert_int_equal(id_of(&texts, "ab"), 2);
	assert_int_equal(id_of(&texts, "b"), 0);
	assert_int_equal(nx_parquet_texts_id(&texts, (struct nx_slice){0}), 1);
	assert_int_equal(texts.plain.len, sizeof(want) - 1);
	assert_memory_equal(texts.plain.items, want, sizeof(want) - 1);
	nx_parquet_texts_release(&texts);
}

/* One buffer for text after text, of every length: the cache must not believe the address. */
static void the_cache_compares_bytes(void **state)
{
	struct nx_parquet_texts texts = {0};
	char text[40];

	(void)state;
	for (size_t len = 1; len < sizeof(text); len++)
		for (size_t changed = 0; changed < len; changed++) {
			uint32_t first, second;

			memset(text, 'a', len);
			first = nx_parquet_texts_id(&texts, nx_slice_of(text, len));
			text[changed] = 'b';
			second = nx_parquet_texts_id(&texts, nx_slice_of(text, len));
			assert_int_not_equal(first, second);
			text[changed] = 'a';
			assert_int_equal(nx_parquet_texts_id(&texts, nx_slice_of(text, len)),
					 first);
		}
	nx_parquet_texts_release(&texts);
}

static void many_texts_keep_their_numbers(void **state)
{
	struct nx_parquet_texts texts = {0};
	char text[32];

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 100000; i++) {
			snprintf(text, sizeof(text), "text %u", i);
			assert_int_equal(id_of(&texts, text), i);
		}
	assert_true(nx_slice_is(nx_parquet_text_of(&texts, 4711), "text 4711"));
	nx_parquet_texts_release(&texts);
}

/* The cache survives; ids of the group before may not. */
static void a_cleared_set_starts_anew(void **state)
{
	static const char a[] = "first", b[] = "other";
	struct nx_parquet_texts texts = {0};

	(void)state;
	assert_int_equal(id_of(&texts, a), 0);
	assert_int_equal(id_of(&texts, b), 1);
	nx_parquet_texts_clear(&texts);
	assert_int_equal(id_of(&texts, b), 0);
	assert_int_equal(id_of(&texts, a), 1);
	assert_int_equal(id_of(&texts, b), 0);
	assert_int_equal(texts.offsets.len, 2);
	nx_parquet_texts_clear(&texts);
	assert_int_equal(texts.plain.len, 0);
	nx_parquet_texts_release(&texts);
}

static void bytes_that_are_no_text_are_mended(void **state)
{
	static const struct {
		const char *from, *to;
	} cases[] = {
		{"\xff", "\xef\xbf\xbd"},
		{"good text before \x80 and after", "good text before \xef\xbf\xbd and after"},
		{"cut \xe6\x97", "cut \xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
	};
	struct nx_parquet_texts texts = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(id_of(&texts, cases[i].from), i);
		assert_int_equal(id_of(&texts, cases[i].from), i);
		assert_int_equal(id_of(&texts, cases[i].to), i);
		assert_true(nx_slice_is(nx_parquet_text_of(&texts, i), cases[i].to));
	}
	nx_parquet_texts_release(&texts);
}

/* A buffer for text after text is noticed; one whose text stays is not, also not in a new group
 * that numbers it otherwise. */
static void a_reused_buffer_is_noticed(void **state)
{
	static const char stays[] = "it stays";
	struct nx_parquet_texts texts = {0};
	char buffer[] = "text 0";

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(id_of(&texts, stays), 0);
	assert_null(texts.reused);
	nx_parquet_texts_clear(&texts);
	assert_int_equal(id_of(&texts, buffer), 0);
	assert_int_equal(id_of(&texts, stays), 1);
	assert_int_equal(id_of(&texts, stays), 1);
	assert_null(texts.reused);
	buffer[5] = '1';
	assert_int_equal(id_of(&texts, buffer), 2);
	assert_ptr_equal(texts.reused, buffer);
	buffer[5] = '0';
	assert_int_equal(id_of(&texts, buffer), 0);
	assert_int_equal(id_of(&texts, stays), 1);
	nx_parquet_texts_release(&texts);
}

static uint32_t settled(struct nx_parquet_texts *texts, const char *text)
{
	nx_parquet_texts_defer(texts, nx_slice_text(text));
	return nx_parquet_texts_settle(texts);
}

static void in_two_steps_it_is_the_same(void **state)
{
	static const char want[] = "\1\0\0\0b\0\0\0\0\5\0\0\0a\xef\xbf\xbd"
				   "c";
	struct nx_parquet_texts texts = {0};

	(void)state;
	assert_int_equal(settled(&texts, "b"), 0);
	assert_int_equal(settled(&texts, ""), 1);
	assert_int_equal(settled(&texts, "b"), 0);
	assert_int_equal(settled(&texts, "a\xff"
					 "c"),
			 2);
	assert_int_equal(settled(&texts, "a\xff"
					 "c"),
			 2);
	assert_int_equal(settled(&texts, "a\xef\xbf\xbd"
					 "c"),
			 2);
	assert_int_equal(id_of(&texts, "b"), 0);
	assert_int_equal(texts.offsets.len, 3);
	assert_int_equal(texts.plain.len, sizeof(want) - 1);
	assert_memory_equal(texts.plain.items, want, sizeof(want) - 1);
	nx_parquet_texts_release(&texts);
}

/* Slots grow between the steps of different texts, never between those of one. */
static void many_in_two_steps(void **state)
{
	struct nx_parquet_texts texts = {0};
	char text[80];

	(void)state;
	for (unsigned group = 0; group < 2; group++) {
		for (unsigned i = 0; i < 100000; i++) {
			snprintf(text, sizeof(text), "%u and something behind it: %u", i / 2,
				 group);
			assert_int_equal(settled(&texts, text), i / 2);
		}
		nx_parquet_texts_clear(&texts);
	}
	nx_parquet_texts_release(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_numbered_by_first_appearance),
		cmocka_unit_test(the_cache_compares_bytes),
		cmocka_unit_test(many_texts_keep_their_numbers),
		cmocka_unit_test(a_cleared_set_starts_anew),
		cmocka_unit_test(bytes_that_are_no_text_are_mended),
		cmocka_unit_test(a_reused_buffer_is_noticed),
		cmocka_unit_test(in_two_steps_it_is_the_same),
		cmocka_unit_test(many_in_two_steps),
	};

	return cmocka_run_group_tests_name("format/parquet_texts", tests, NULL, NULL);
}
