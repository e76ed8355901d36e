/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/parquet/cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/bare/bits.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- one value, both ways ------------------------------------------------------------ */

void nx_case_json_i64(struct nx_json_writer *json, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	nx_json_text(json, text);
}

void nx_case_json_f64(struct nx_json_writer *json, double value)
{
	uint64_t bits;
	char text[32];

	memcpy(&bits, &value, sizeof(bits));
	snprintf(text, sizeof(text), "%016" PRIx64, bits);
	nx_json_text(json, text);
}

static void key(const struct nx_case_row *row, size_t column)
{
	nx_json_key(row->json, row->table->fields[column].name);
}

static void put_null(const struct nx_case_row *row, size_t column)
{
	key(row, column);
	nx_json_null(row->json);
}

static void put_bool(const struct nx_case_row *row, size_t column, bool value)
{
	key(row, column);
	nx_json_bool(row->json, value);
	nx_parquet_put_bool(row->parquet, column, value);
}

static void put_i64(const struct nx_case_row *row, size_t column, int64_t value)
{
	key(row, column);
	nx_case_json_i64(row->json, value);
	nx_parquet_put_i64(row->parquet, column, value);
}

static void put_i32(const struct nx_case_row *row, size_t column, int32_t value)
{
	key(row, column);
	nx_case_json_i64(row->json, value);
	nx_parquet_put_i32(row->parquet, column, value);
}

static void put_f32(const struct nx_case_row *row, size_t column, float value)
{
	key(row, column);
	nx_case_json_f64(row->json, (double)value);
	nx_parquet_put_f32(row->parquet, column, value);
}

static void put_f64(const struct nx_case_row *row, size_t column, double value)
{
	key(row, column);
	nx_case_json_f64(row->json, value);
	nx_parquet_put_f64(row->parquet, column, value);
}

static void put_slice(const struct nx_case_row *row, size_t column, struct nx_slice text)
{
	key(row, column);
	nx_json_slice(row->json, text);
	nx_parquet_put_slice(row->parquet, column, text);
}

static void put_text(const struct nx_case_row *row, size_t column, const char *text)
{
	put_slice(row, column, nx_slice_text(text));
}

static void put_i64s(const struct nx_case_row *row, size_t column, const int64_t *values,
		     size_t count)
{
	key(row, column);
	nx_json_begin_array(row->json);
	for (size_t i = 0; i < count; i++)
		nx_case_json_i64(row->json, values[i]);
	nx_json_end_array(row->json);
	nx_parquet_put_list_i64(row->parquet, column, values, count);
}

static void put_f64s(const struct nx_case_row *row, size_t column, const double *values,
		     size_t count)
{
	key(row, column);
	nx_json_begin_array(row->json);
	for (size_t i = 0; i < count; i++)
		nx_case_json_f64(row->json, values[i]);
	nx_json_end_array(row->json);
	nx_parquet_put_list_f64(row->parquet, column, values, count);
}

static void put_texts(const struct nx_case_row *row, size_t column, const struct nx_slice *texts,
		      size_t count)
{
	key(row, column);
	nx_json_begin_array(row->json);
	for (size_t i = 0; i < count; i++)
		nx_json_slice(row->json, texts[i]);
	nx_json_end_array(row->json);
	nx_parquet_put_list_text(row->parquet, column, texts, count);
}

/* --- what values there are ----------------------------------------------------------- */

static uint64_t random_of(uint64_t number, uint64_t salt)
{
	uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u ^ salt * 0xbf58476d1ce4e5b9u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static const int64_t integers[] = {
	0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1, 42, -4711, INT64_C(1) << 53,
};

static const double doubles[] = {
	0.0,
	-0.0,
	1.5,
	-1.5,
	INFINITY,
	-INFINITY,
	0x1p-1074,
	0x1.fffffffffffffp+1023,
	3.141592653589793,
	-2.5e-300,
};

static const char *const texts[] = {
	"",
	"a",
	"plain",
	"gr\xc3\xbc\xc3\x9f dich",
	"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
	"\xf0\x9f\x9a\x80 rocket",
	"line\nbreak\ttab \"quote\" \\",
	"z\xcc\x88 combining",
	"a much longer text that goes well beyond the sixty-four bytes of a bound in statistics",
	"\xef\xbf\xbf\xf4\x8f\xbf\xbf",
};

static struct nx_slice text_of(uint64_t i)
{
	return nx_slice_text(texts[i % COUNT(texts)]);
}

/* --- every type, three patterns of nulls ------------------------------------------------ */

static const struct nx_parquet_field type_fields[] = {
	{.name = "flag", .type = NX_PARQUET_BOOL},
	{.name = "integer", .type = NX_PARQUET_I64},
	{.name = "number", .type = NX_PARQUET_F64},
	{.name = "text", .type = NX_PARQUET_TEXT},
	{.name = "integers", .type = NX_PARQUET_I64, .is_list = true},
	{.name = "numbers", .type = NX_PARQUET_F64, .is_list = true},
	{.name = "texts", .type = NX_PARQUET_TEXT, .is_list = true},
	{.name = "maybe flag", .type = NX_PARQUET_BOOL, .is_optional = true},
	{.name = "maybe_integer", .type = NX_PARQUET_I64, .is_optional = true},
	{.name = "maybe_number", .type = NX_PARQUET_F64, .is_optional = true},
	{.name = "maybe_text", .type = NX_PARQUET_TEXT, .is_optional = true},
	{.name = "maybe_integers", .type = NX_PARQUET_I64, .is_optional = true, .is_list = true},
	{.name = "maybe_numbers", .type = NX_PARQUET_F64, .is_optional = true, .is_list = true},
	{.name = "maybe_texts", .type = NX_PARQUET_TEXT, .is_optional = true, .is_list = true},
};

#define LONGEST_LIST 9

static void put_lists(const struct nx_case_row *row, size_t column)
{
	uint64_t n = row->number;
	size_t count = random_of(n, 77) % LONGEST_LIST;
	int64_t some_integers[LONGEST_LIST];
	double some_doubles[LONGEST_LIST];
	struct nx_slice some_texts[LONGEST_LIST];

	for (size_t i = 0; i < count; i++) {
		some_integers[i] = integers[(n + i) % COUNT(integers)];
		some_doubles[i] = doubles[(n + i) % COUNT(doubles)];
		some_texts[i] = text_of(n + i);
	}
	put_i64s(row, column, some_integers, count);
	put_f64s(row, column + 1, some_doubles, n % 3 ? count : 0);
	put_texts(row, column + 2, some_texts, n % 2 ? count : count / 2);
}

/* Half of the time, in runs, then every other row, then seldom. */
static bool is_null(uint64_t number)
{
	if (number % 300 < 100)
		return number / 16 % 2 == 0;
	return number % 300 < 200 ? number % 2 == 0 : random_of(number, 5) % 50 == 0;
}

static void put_types(const struct nx_case_row *row)
{
	uint64_t n = row->number;

	put_bool(row, 0, n % 3 == 0);
	put_i64(row, 1, integers[n % COUNT(integers)]);
	put_f64(row, 2, doubles[n % COUNT(doubles)]);
	put_slice(row, 3, text_of(n));
	put_lists(row, 4);
	if (is_null(n)) {
		for (size_t i = 7; i < COUNT(type_fields); i++)
			put_null(row, i);
		return;
	}
	put_bool(row, 7, random_of(n, 1) & 1);
	put_i64(row, 8, (int64_t)random_of(n, 2));
	put_f64(row, 9, (double)random_of(n, 3) / 3);
	put_slice(row, 10, text_of(random_of(n, 4)));
	put_lists(row, 11);
}

/* --- other tables -------------------------------------------------------------------- */

static void put_nulls(const struct nx_case_row *row)
{
	for (size_t i = 0; i < row->table->field_count; i++)
		put_null(row, i);
}

static const struct nx_parquet_field number_fields[] = {
	{.name = "up", .type = NX_PARQUET_I64},	   {.name = "down", .type = NX_PARQUET_I64},
	{.name = "swing", .type = NX_PARQUET_I64}, {.name = "constant", .type = NX_PARQUET_I64},
	{.name = "nan", .type = NX_PARQUET_F64},   {.name = "only_nan", .type = NX_PARQUET_F64},
	{.name = "zeros", .type = NX_PARQUET_F64},
};

static void put_numbers(const struct nx_case_row *row)
{
	uint64_t n = row->number;
	uint64_t step = (uint64_t)INT64_MAX / 500;

	put_i64(row, 0, (int64_t)((uint64_t)INT64_MIN + n * step));
	put_i64(row, 1, (int64_t)((uint64_t)INT64_MAX - n * step));
	put_i64(row, 2, n % 2 ? INT64_MAX : INT64_MIN);
	put_i64(row, 3, -7);
	put_f64(row, 4, n % 10 == 3 ? NAN : (double)n);
	put_f64(row, 5, NAN);
	put_f64(row, 6, n % 2 ? 0.0 : -0.0);
}

/* More distinct values than a dictionary takes, in no order, beside some that repeat. */
static const struct nx_parquet_field many_fields[] = {
	{.name = "integer", .type = NX_PARQUET_I64},
	{.name = "number", .type = NX_PARQUET_F64},
	{.name = "text", .type = NX_PARQUET_TEXT},
	{.name = "few", .type = NX_PARQUET_I64, .is_optional = true},
	{.name = "some", .type = NX_PARQUET_I64},
	{.name = "label", .type = NX_PARQUET_TEXT},
};

static void put_many(const struct nx_case_row *row)
{
	uint64_t n = row->number, r = random_of(n, 9);
	char text[40];

	put_i64(row, 0, (int64_t)r);
	put_f64(row, 1, (double)(r >> 11) * 0x1p-53);
	snprintf(text, sizeof(text), "text %016" PRIx64, r);
	put_text(row, 2, text);
	if (r % 7)
		put_i64(row, 3, (int64_t)(r >> 32 & 3) * 1000000007);
	else
		put_null(row, 3);
	put_i64(row, 4, (int64_t)(random_of(r % 5000, 4) >> 1));
	snprintf(text, sizeof(text), "label %u", (unsigned)(r >> 40 & 255));
	put_text(row, 5, text);
}

static const struct nx_parquet_field sorted_fields[] = {
	{.name = "start_ts", .type = NX_PARQUET_I64},
	{.name = "group", .type = NX_PARQUET_I64},
	{.name = "name", .type = NX_PARQUET_TEXT},
	{.name = "big", .type = NX_PARQUET_I64},
};

static void put_sorted(const struct nx_case_row *row)
{
	uint64_t n = row->number;
	char text[32];

	put_i64(row, 0, INT64_C(1700000000000000000) + (int64_t)(n * 1000 + random_of(n, 1) % 999));
	put_i64(row, 1, (int64_t)(n / 1000));
	snprintf(text, sizeof(text), "name %06u", (unsigned)(n / 10));
	put_text(row, 2, text);
	put_i64(row, 3, (int64_t)random_of(n, 2));
}

/* Nothing at first, so that whole pages of every encoding have no value. */
static const struct nx_parquet_field late_fields[] = {
	{.name = "ascending", .type = NX_PARQUET_I64, .is_optional = true},
	{.name = "few", .type = NX_PARQUET_I64, .is_optional = true},
	{.name = "number", .type = NX_PARQUET_F64, .is_optional = true},
	{.name = "flag", .type = NX_PARQUET_BOOL, .is_optional = true},
	{.name = "unique", .type = NX_PARQUET_TEXT, .is_optional = true},
	{.name = "label", .type = NX_PARQUET_TEXT, .is_optional = true},
	{.name = "list", .type = NX_PARQUET_I64, .is_optional = true, .is_list = true},
};

static void put_late(const struct nx_case_row *row)
{
	uint64_t n = row->number;
	int64_t list[2] = {(int64_t)n, -(int64_t)n};
	char text[32];

	if (n < 600) {
		put_nulls(row);
		return;
	}
	put_i64(row, 0, (int64_t)n);
	put_i64(row, 1, (int64_t)(n % 5));
	put_f64(row, 2, (double)n / 7);
	put_bool(row, 3, n % 4 == 0);
	snprintf(text, sizeof(text), "unique %u", (unsigned)n);
	put_text(row, 4, text);
	put_text(row, 5, n % 2 ? "odd" : "even");
	put_i64s(row, 6, list, n % 3);
}

/* The narrow types: every encoding, extremes, NaN, both zeros, nulls. */
static const struct nx_parquet_field narrow_fields[] = {
	{.name = "leap", .type = NX_PARQUET_I32},
	{.name = "wide_up", .type = NX_PARQUET_I32},
	{.name = "near", .type = NX_PARQUET_I32},
	{.name = "swing", .type = NX_PARQUET_I32},
	{.name = "any", .type = NX_PARQUET_I32},
	{.name = "maybe", .type = NX_PARQUET_I32, .is_optional = true},
	{.name = "extreme", .type = NX_PARQUET_F32},
	{.name = "ratio", .type = NX_PARQUET_F32},
	{.name = "nan", .type = NX_PARQUET_F32},
	{.name = "only_nan", .type = NX_PARQUET_F32},
	{.name = "zeros", .type = NX_PARQUET_F32},
	{.name = "maybe_ratio", .type = NX_PARQUET_F32, .is_optional = true},
	{.name = "never", .type = NX_PARQUET_I32, .is_optional = true},
	{.name = "never_float", .type = NX_PARQUET_F32, .is_optional = true},
};

static const int32_t small_integers[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MAX - 1, 42};

static const float floats[] = {
	0.0F,	    -0.0F, 1.5F, -1.5F, INFINITY, -INFINITY, 0x1p-149F, 0x1.fffffep+127F,
	-0x1p-126F, 0.1F,
};

static void put_narrow_integers(const struct nx_case_row *row)
{
	uint64_t n = row->number;

	/* differences of all 32 bits, now and then, among small ones */
	put_i32(row, 0, n % 1000 == 500 ? INT32_MAX : (int32_t)n);
	put_i32(row, 1, (int32_t)((int64_t)INT32_MIN + (int64_t)n * 100000));
	put_i32(row, 2, (int32_t)(random_of(n, 1) % 7) * -3);
	put_i32(row, 3, small_integers[n % COUNT(small_integers)]);
	put_i32(row, 4, (int32_t)random_of(n, 2));
	if (is_null(n))
		put_null(row, 5);
	else
		put_i32(row, 5, n % 2 ? INT32_MIN : (int32_t)(n % 3));
}

static void put_narrow(const struct nx_case_row *row)
{
	uint64_t n = row->number;

	put_narrow_integers(row);
	put_f32(row, 6, floats[n % COUNT(floats)]);
	put_f32(row, 7, (float)(random_of(n, 3) >> 40) * 0x1p-24F);
	put_f32(row, 8, n % 10 == 3 ? NAN : (float)n);
	put_f32(row, 9, NAN);
	put_f32(row, 10, n % 2 ? 0.0F : -0.0F);
	if (is_null(n))
		put_null(row, 11);
	else
		put_f32(row, 11, (float)(random_of(n, 4) % 50) / 7);
	put_null(row, 12);
	put_null(row, 13);
}

/* Sorted by a narrow column, so that its bounds tell groups apart. */
static const struct nx_parquet_field narrow_sorted_fields[] = {
	{.name = "rank", .type = NX_PARQUET_I32},
	{.name = "score", .type = NX_PARQUET_F32},
	{.name = "big", .type = NX_PARQUET_I64},
};

static void put_narrow_sorted(const struct nx_case_row *row)
{
	uint64_t n = row->number;

	put_i32(row, 0, (int32_t)(n / 3) - 3000);
	put_f32(row, 1, (float)n / 4 - 2000);
	put_i64(row, 2, (int64_t)random_of(n, 2));
}

/* Lists much longer than a page, beside empty ones and none. */
static const struct nx_parquet_field list_fields[] = {
	{.name = "required", .type = NX_PARQUET_I64, .is_list = true},
	{.name = "optional", .type = NX_PARQUET_F64, .is_list = true, .is_optional = true},
	{.name = "texts", .type = NX_PARQUET_TEXT, .is_list = true, .is_optional = true},
};

#define LONG_LIST 3000

static void put_long_lists(const struct nx_case_row *row)
{
	static int64_t some_integers[LONG_LIST];
	static double some_doubles[LONG_LIST];
	static struct nx_slice some_texts[LONG_LIST];
	uint64_t n = row->number;
	size_t count = n % 11 == 3 ? LONG_LIST : n % 11 == 5 ? 0 : n % 4;

	for (size_t i = 0; i < count; i++) {
		some_integers[i] = (int64_t)(n * LONG_LIST + i);
		some_doubles[i] = (double)i / 2;
		some_texts[i] = text_of(i / 3);
	}
	put_i64s(row, 0, some_integers, count);
	if (n % 5 == 4)
		put_null(row, 1);
	else
		put_f64s(row, 1, some_doubles, count);
	if (n % 11 == 5)
		put_null(row, 2);
	else
		put_texts(row, 2, some_texts, count);
}

/* Large texts close a group by its bytes; bytes that are no text are mended. */
static const struct nx_parquet_field text_fields[] = {
	{.name = "large", .type = NX_PARQUET_TEXT},
	{.name = "broken", .type = NX_PARQUET_TEXT},
	{.name = "prefix", .type = NX_PARQUET_TEXT},
};

static void put_large_texts(const struct nx_case_row *row)
{
	static const char *const broken[] = {"\xff", "a\x80z", "\xc3", "\xed\xa0\x80", "ok"};
	static char large[20000];
	char text[100];

	for (size_t i = 0; i < sizeof(large); i++)
		large[i] = (char)('a' + random_of(row->number * sizeof(large) + i, 1) % 26);
	put_slice(row, 0, nx_slice_of(large, sizeof(large) - row->number));
	put_text(row, 1, broken[row->number % COUNT(broken)]);
	snprintf(text, sizeof(text), "%080u\xf0\x9f\x9a\x80", (unsigned)row->number);
	put_text(row, 2, text);
}

#define CASE(title, columns, rows, function, ...)                                                  \
	{                                                                                          \
		.name = title, .fields = columns, .field_count = COUNT(columns),                   \
		.row_count = rows, .put = function, .options = {__VA_ARGS__},                      \
	}

static const struct nx_parquet_order by_start[] = {{.column = 0}};

const struct nx_parquet_case nx_parquet_cases[] = {
	CASE("types", type_fields, 1000, put_types, .page_rows = 128, .group_rows = 640),
	CASE("types_one_page", type_fields, 300, put_types, 0),
	CASE("empty", type_fields, 0, put_types, 0),
	CASE("one_row", type_fields, 1, put_types, 0),
	CASE("all_null", late_fields, 500, put_nulls, .page_rows = 200),
	CASE("late", late_fields, 1500, put_late, .page_rows = 100),
	CASE("numbers", number_fields, 1000, put_numbers, .page_rows = 333),
	CASE("many", many_fields, 50000, put_many, .page_rows = 20000),
	CASE("sorted", sorted_fields, 20000, put_sorted, .group_rows = 2000, .orders = by_start,
	     .order_count = 1),
	CASE("many_groups", sorted_fields, 100, put_sorted, .group_rows = 1),
	CASE("narrow", narrow_fields, 40000, put_narrow, .page_rows = 9000, .group_rows = 35000),
	CASE("narrow_pages", narrow_fields, 1000, put_narrow, .page_rows = 77, .group_rows = 600),
	CASE("narrow_one_row", narrow_fields, 1, put_narrow, 0),
	CASE("narrow_sorted", narrow_sorted_fields, 20000, put_narrow_sorted, .group_rows = 2000,
	     .orders = by_start, .order_count = 1),
	CASE("lists", list_fields, 200, put_long_lists, .page_rows = 1000, .group_rows = 120),
	CASE("large_texts", text_fields, 60, put_large_texts, .group_bytes = 300000),
};
const size_t nx_parquet_case_count = COUNT(nx_parquet_cases);
