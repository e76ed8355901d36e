/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>

#include "format/parquet/parquet_chunk.h"

static struct nx_parquet_encoded out;

static const struct nx_parquet_stats *measure(const struct nx_parquet_column *c)
{
	out = (struct nx_parquet_encoded){0};
	nx_parquet_chunk_measure(c, &out);
	return &out.chunk.stats;
}

static const struct nx_parquet_stats *measure_f64(double *values, size_t count)
{
	struct nx_parquet_column c = {
		.type = NX_PARQUET_F64, .values.f64 = values, .value_count = count};

	return measure(&c);
}

static double f64_of(struct nx_slice bytes)
{
	double value;

	assert_int_equal(bytes.len, sizeof(value));
	memcpy(&value, bytes.data, sizeof(value));
	return value;
}

static void integers_have_exact_bounds(void **state)
{
	int64_t values[] = {3, INT64_MIN, 7, INT64_MAX, 0};
	struct nx_parquet_column c = {
		.type = NX_PARQUET_I64, .values.i64 = values, .value_count = 5};
	const struct nx_parquet_stats *s = measure(&c);

	(void)state;
	assert_true(s->has_range && s->is_min_exact && s->is_max_exact);
	assert_true((int64_t)nx_load64(s->min.data) == INT64_MIN);
	assert_true((int64_t)nx_load64(s->max.data) == INT64_MAX);
	c.value_count = 1;
	s = measure(&c);
	assert_int_equal(nx_load64(s->min.data), 3);
	assert_int_equal(nx_load64(s->max.data), 3);
	c.value_count = 0;
	assert_false(measure(&c)->has_range);
}

static void narrow_integers_have_bounds_of_four_bytes(void **state)
{
	int64_t values[] = {-1, INT32_MIN, 2, INT32_MAX};
	struct nx_parquet_column c = {
		.type = NX_PARQUET_I32, .values.i64 = values, .value_count = 4};
	const struct nx_parquet_stats *s = measure(&c);

	(void)state;
	assert_true(s->has_range && s->is_min_exact && s->is_max_exact);
	assert_int_equal(s->min.len, 4);
	assert_int_equal(s->max.len, 4);
	assert_int_equal((int32_t)nx_load32(s->min.data), INT32_MIN);
	assert_int_equal((int32_t)nx_load32(s->max.data), INT32_MAX);
	c.value_count = 1;
	s = measure(&c);
	assert_int_equal((int32_t)nx_load32(s->min.data), -1);
	assert_int_equal((int32_t)nx_load32(s->max.data), -1);
}

static const struct nx_parquet_stats *measure_f32(double *values, size_t count)
{
	struct nx_parquet_column c = {
		.type = NX_PARQUET_F32, .values.f64 = values, .value_count = count};

	return measure(&c);
}

static void floats_have_the_bounds_of_doubles_in_four_bytes(void **state)
{
	double plain[] = {0x1p-149, -FLT_MAX, FLT_MAX}, mixed[] = {1, NAN}, zeros[] = {0.0};
	const struct nx_parquet_stats *s = measure_f32(plain, 3);

	(void)state;
	assert_int_equal(s->min.len, 4);
	assert_int_equal(s->max.len, 4);
	assert_true(nx_load_f32(s->min.data) == -FLT_MAX);
	assert_true(nx_load_f32(s->max.data) == FLT_MAX);
	assert_int_equal(nx_load32(measure_f32(plain, 1)->min.data), 1);
	assert_false(measure_f32(mixed, 2)->has_range);
	s = measure_f32(zeros, 1);
	assert_int_equal(nx_load32(s->min.data), 0x80000000);
	assert_int_equal(nx_load32(s->max.data), 0);
}

static void booleans_have_bounds_of_one_byte(void **state)
{
	uint8_t flags[] = {1, 1, 0};
	struct nx_parquet_column c = {
		.type = NX_PARQUET_BOOL, .values.flags = flags, .value_count = 2};

	(void)state;
	assert_int_equal(measure(&c)->min.data[0], 1);
	assert_int_equal(out.chunk.stats.max.data[0], 1);
	c.value_count = 3;
	assert_int_equal(measure(&c)->min.data[0], 0);
	assert_int_equal(out.chunk.stats.max.data[0], 1);
	assert_int_equal(out.chunk.stats.max.len, 1);
}

static void doubles_with_nan_have_no_bounds(void **state)
{
	double mixed[] = {1, NAN, 2}, infinite[] = {-INFINITY, 5, INFINITY};

	(void)state;
	assert_false(measure_f64(mixed, 3)->has_range);
	assert_true(measure_f64(mixed, 1)->has_range);
	assert_true(f64_of(measure_f64(infinite, 3)->min) == (double)-INFINITY);
	assert_true(f64_of(out.chunk.stats.max) == (double)INFINITY);
}

static void zeros_bound_zeros_of_both_signs(void **state)
{
	double positive[] = {0.0, 1}, negative[] = {-1, -0.0};

	(void)state;
	assert_true(signbit(f64_of(measure_f64(positive, 2)->min)));
	assert_false(signbit(f64_of(measure_f64(negative, 2)->max)));
	assert_true(f64_of(out.chunk.stats.max) == 0);
}

static const struct nx_parquet_stats *measure_texts(const char *a, const char *b)
{
	struct nx_parquet_column c = {.type = NX_PARQUET_TEXT, .value_count = 2};
	uint32_t ids[2];

	c.values.ids = ids;
	ids[0] = nx_parquet_texts_id(&c.texts, nx_slice_text(a));
	ids[1] = nx_parquet_texts_id(&c.texts, nx_slice_text(b));
	measure(&c);
	nx_parquet_texts_release(&c.texts);
	return &out.chunk.stats;
}

static void texts_are_ordered_by_their_bytes(void **state)
{
	const struct nx_parquet_stats *s = measure_texts("b", "\xc3\xa4");

	(void)state;
	assert_true(nx_slice_is(s->min, "b") && nx_slice_is(s->max, "\xc3\xa4"));
	s = measure_texts("ab", "a");
	assert_true(nx_slice_is(s->min, "a") && nx_slice_is(s->max, "ab"));
	s = measure_texts("", "x");
	assert_true(s->has_range && s->min.len == 0 && s->is_min_exact);
}

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN

static void long_texts_are_cut_below_and_above(void **state)
{
	const struct nx_parquet_stats *s = measure_texts(SIXTY "aaaaaaa", SIXTY "bbbbbbb");

	(void)state;
	assert_false(s->is_min_exact || s->is_max_exact);
	assert_true(nx_slice_is(s->min, SIXTY "aaaa"));
	assert_true(nx_slice_is(s->max, SIXTY "bbbc"));
	/* the largest character that has a next one in ASCII */
	s = measure_texts(SIXTY "aaaaaaa", SIXTY "bbb~bbb");
	assert_true(nx_slice_is(s->max, SIXTY "bbb\x7f"));
	/* 64 bytes need no cut */
	s = measure_texts(SIXTY "aaaa", SIXTY "zzzz");
	assert_true(s->is_min_exact && s->is_max_exact);
	assert_true(nx_slice_is(s->max, SIXTY "zzzz"));
}

static void cuts_keep_characters_whole(void **state)
{
	/* the rocket's four bytes would reach from 62 to 66 */
	const struct nx_parquet_stats *s =
		measure_texts(SIXTY "ab\xf0\x9f\x9a\x80z", SIXTY "ab\xf0\x9f\x9a\x80z");

	(void)state;
	assert_true(nx_slice_is(s->min, SIXTY "ab"));
	assert_true(nx_slice_is(s->max, SIXTY "ac"));
}

static void a_text_without_a_larger_one_has_no_bounds(void **state)
{
	char text[200];

	(void)state;
	for (size_t i = 0; i < 198; i += 2)
		memcpy(text + i, "\xc3\xbf", 2);
	text[198] = '\0';
	assert_false(measure_texts("a", text)->has_range);
	text[0] = 'a';
	text[1] = '\x7f'; /* cannot be made larger, the one before it can */
	assert_true(nx_slice_is(measure_texts("A", text)->max, "b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_have_exact_bounds),
		cmocka_unit_test(narrow_integers_have_bounds_of_four_bytes),
		cmocka_unit_test(floats_have_the_bounds_of_doubles_in_four_bytes),
		cmocka_unit_test(booleans_have_bounds_of_one_byte),
		cmocka_unit_test(doubles_with_nan_have_no_bounds),
		cmocka_unit_test(zeros_bound_zeros_of_both_signs),
		cmocka_unit_test(texts_are_ordered_by_their_bytes),
		cmocka_unit_test(long_texts_are_cut_below_and_above),
		cmocka_unit_test(cuts_keep_characters_whole),
		cmocka_unit_test(a_text_without_a_larger_one_has_no_bounds),
	};

	return cmocka_run_group_tests_name("format/parquet_measure", tests, NULL, NULL);
}
