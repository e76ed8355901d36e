/* SPDX-License-Identifier: Apache-2.0 */
/* Pages and chunks that are whole but say what is not so, or what is seldom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/parquet/parquet_footer.h"
#include "format/parquet/parquet_page.h"
#include "reader_case.h"

/* A file of one column of three integers, of which parts can be made strange. */
struct strange {
	struct nx_parquet_field field;
	struct nx_parquet_page page;
	struct nx_parquet_chunk chunk;
	const char *body;
	size_t body_len;
	uint64_t rows;
};

static struct strange usual(void)
{
	return (struct strange){
		.field = {.name = "x", .type = NX_PARQUET_I64},
		.page = {.level_count = 3, .plain_bytes = 24, .stored_bytes = 24},
		.chunk = {.offset = 4, .level_count = 3},
		.body = "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0",
		.body_len = 24,
		.rows = 3,
	};
}

static struct nx_bytes make_strange(struct strange s)
{
	struct nx_bytes file = {0}, groups = {0}, message = {0};
	struct nx_parquet_group group = {.row_count = s.rows, .chunks = &s.chunk};
	struct nx_parquet_footer footer = {
		.fields = &s.field, .field_count = 1, .row_count = s.rows, .group_count = 1};

	nx_bytes_append(&file, "PAR1", 4);
	nx_parquet_page_write(&s.page, &file);
	nx_bytes_append(&file, s.body, s.body_len);
	if (!s.chunk.stored_bytes)
		s.chunk.stored_bytes = file.len - 4;
	nx_parquet_footer_put_group(&footer, &group, 0, &groups);
	nx_parquet_footer_write(&footer, &groups, &message);
	append_footer(&file, &message);
	nx_vec_release(&groups);
	nx_vec_release(&message);
	return file;
}

static void check_strange(struct strange s, enum nx_status status, const char *sentence)
{
	struct nx_bytes file = make_strange(s);

	if (status) {
		expect_refusal(file.items, file.len, status, sentence);
	} else {
		struct nx_error err = {0};

		assert_int_equal(read_all(nx_slice_of(file.items, file.len), &err), NX_OK);
	}
	nx_vec_release(&file);
}

/* The integers 1, 2 and 3 in a page of 12 bytes. */
static struct strange narrow(void)
{
	struct strange s = usual();

	s.field.type = NX_PARQUET_I32;
	s.body = "\1\0\0\0\2\0\0\0\3\0\0\0";
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 12;
	return s;
}

static void check_integers(struct strange s, const int64_t *want, size_t count)
{
	struct nx_bytes file = make_strange(s);
	const struct nx_parquet_values *v;
	const size_t column = 0;
	struct nx_parquet_reader *r;
	struct nx_parquet_cursor *c;
	size_t rows;

	assert_int_equal(nx_parquet_reader_open_bytes(&r, nx_slice_of(file.items, file.len),
						      "table", NULL),
			 NX_OK);
	assert_int_equal(nx_parquet_cursor_open(&c, r, &column, 1, NULL, NULL), NX_OK);
	assert_int_equal(nx_parquet_cursor_next(c, &rows, NULL), NX_OK);
	assert_int_equal(rows, s.rows);
	v = nx_parquet_cursor_values(c, 0);
	assert_int_equal(v->starts ? v->starts[rows] : rows, count);
	assert_memory_equal(v->i64, want, count * sizeof(*want));
	nx_parquet_cursor_close(c);
	nx_parquet_reader_close(r);
	nx_vec_release(&file);
}

/* Differences of 32 bits: from the largest integer 1 leads to the smallest. */
static void narrow_differences_wrap_at_32_bits(void **state)
{
	static const int64_t want[] = {INT32_MAX, INT32_MIN, INT32_MIN + 1};
	struct strange s = narrow();

	(void)state;
	s.page.encoding = NX_PARQUET_DELTA;
	s.body = "\x80\1\4\3\xfe\xff\xff\xff\xf\2\0\0\0\0";
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 14;
	check_integers(s, want, 3);
	s.field.type = NX_PARQUET_F32;
	check_strange(s, NX_UNSUPPORTED, "column x has encoding 5");
}

/* We write no such lists, others do: two rows, of which the first has two values. */
static void lists_of_narrow_integers_are_read(void **state)
{
	static const int64_t want[] = {1, -2, 3};
	struct strange s = narrow();

	(void)state;
	s.field.is_list = true;
	s.rows = 2;
	s.body = "\2\0\0\0\3\2" /* packed: 0, 1, 0 */
		 "\2\0\0\0\6\1" /* a run of 1 */
		 "\1\0\0\0\xfe\xff\xff\xff\3\0\0\0";
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 24;
	check_integers(s, want, 3);
}

static void narrow_pages_are_bounded_by_four_bytes(void **state)
{
	static const int64_t want[] = {1, 2, 3};
	struct strange s = narrow();

	(void)state;
	check_integers(s, want, 3);
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 11;
	check_strange(s, NX_FORMAT, "the values of a page are cut");
	s.field.type = NX_PARQUET_F32;
	check_strange(s, NX_FORMAT, "the values of a page are cut");
	s = narrow();
	s.page.kind = NX_PARQUET_DICTIONARY_PAGE;
	check_strange(s, NX_FORMAT, "fewer values than it states"); /* three fit */
	s.page.level_count = 4;
	check_strange(s, NX_FORMAT, "its dictionary is cut");
}

/* Six booleans in two pages: 1, 0, 1 and 0, 1, 1. */
static void plain_booleans_continue_in_the_next_page(void **state)
{
	static const uint8_t want[] = {1, 0, 1, 0, 1, 1};
	struct strange s = usual();
	struct nx_bytes body = {0}, file;
	const struct nx_parquet_values *v;
	const size_t column = 0;
	struct nx_parquet_reader *r;
	struct nx_parquet_cursor *c;
	size_t rows;

	(void)state;
	s.field.type = NX_PARQUET_BOOL;
	s.rows = s.chunk.level_count = 6;
	s.page.plain_bytes = s.page.stored_bytes = 1;
	nx_vec_push(&body, 5);
	nx_parquet_page_write(&s.page, &body);
	nx_vec_push(&body, 6);
	s.body = (const char *)body.items;
	s.body_len = body.len;
	file = make_strange(s);
	assert_int_equal(nx_parquet_reader_open_bytes(&r, nx_slice_of(file.items, file.len),
						      "table", NULL),
			 NX_OK);
	assert_int_equal(nx_parquet_cursor_open(&c, r, &column, 1, NULL, NULL), NX_OK);
	assert_int_equal(nx_parquet_cursor_next(c, &rows, NULL), NX_OK);
	assert_int_equal(rows, 6);
	v = nx_parquet_cursor_values(c, 0);
	assert_memory_equal(v->flags, want, sizeof(want));
	nx_parquet_cursor_close(c);
	nx_parquet_reader_close(r);
	nx_vec_release(&file);
	nx_vec_release(&body);
}

static bool has_range(enum nx_parquet_type type, size_t bound_len)
{
	struct strange s = narrow();
	struct nx_bytes file;
	struct nx_parquet_reader *r;
	bool result;

	s.field.type = type;
	s.chunk.stats.has_range = true;
	s.chunk.stats.min = s.chunk.stats.max = nx_slice_of("\0\0\0\0\0\0\0", bound_len);
	file = make_strange(s);
	assert_int_equal(nx_parquet_reader_open_bytes(&r, nx_slice_of(file.items, file.len),
						      "table", NULL),
			 NX_OK);
	result = nx_parquet_reader_stats(r, 0, 0)->has_range;
	nx_parquet_reader_close(r);
	nx_vec_release(&file);
	return result;
}

static void bounds_of_another_width_are_not_used(void **state)
{
	(void)state;
	assert_true(has_range(NX_PARQUET_I32, 4) && has_range(NX_PARQUET_F32, 4));
	assert_false(has_range(NX_PARQUET_I32, 8) || has_range(NX_PARQUET_F32, 8));
	assert_false(has_range(NX_PARQUET_I32, 3) || has_range(NX_PARQUET_I64, 4));
	assert_true(has_range(NX_PARQUET_I64, 8));
}

static void features_that_are_not_known_are_named(void **state)
{
	struct strange s = usual();

	(void)state;
	check_strange(s, NX_OK, "");
	s.chunk.codec = 1;
	check_strange(s, NX_UNSUPPORTED, "column x is compressed in a way that is not known");
	s = usual();
	s.page.encoding = 9;
	check_strange(s, NX_UNSUPPORTED, "column x has encoding 9, which is not known");
	s = usual();
	s.page.encoding = NX_PARQUET_RLE; /* of booleans only */
	check_strange(s, NX_UNSUPPORTED, "column x has encoding 3");
	s = usual();
	s.page.kind = NX_PARQUET_DATA_PAGE_V2;
	check_strange(s, NX_UNSUPPORTED, "data pages of version 2");
}

static void pages_that_contradict_their_chunk_are_refused(void **state)
{
	struct strange s = usual();

	(void)state;
	s.page.level_count = 4;
	check_strange(s, NX_FORMAT, "more values than it states");
	s = usual();
	s.page.level_count = 2;
	check_strange(s, NX_FORMAT, "fewer values than it states");
	s = usual();
	s.page.plain_bytes = 25;
	check_strange(s, NX_FORMAT, "a page is cut");
	s = usual();
	s.page.stored_bytes = 25;
	check_strange(s, NX_FORMAT, "a page is cut");
	s = usual();
	s.body_len = s.page.stored_bytes = s.page.plain_bytes = 23;
	check_strange(s, NX_FORMAT, "the values of a page are cut");
	s = usual();
	s.chunk.level_count = 4;
	check_strange(s, NX_FORMAT, "it has not one value per row");
	s = usual();
	s.page.encoding = NX_PARQUET_RLE_DICTIONARY; /* without a dictionary */
	check_strange(s, NX_FORMAT, "the values of a page are cut");
	s = usual();
	s.chunk.codec = NX_PARQUET_ZSTD;
	check_strange(s, NX_FORMAT, "a page is not as long as it states");
}

static void large_claims_cost_nothing(void **state)
{
	struct strange s = usual();

	(void)state;
	s.rows = s.chunk.level_count = UINT64_C(1) << 40;
	check_strange(s, NX_LIMIT, "too many to read at once");
	s.rows = s.chunk.level_count = 2000000000;
	check_strange(s, NX_LIMIT, "a row group needs too much memory at column x");
	s = usual();
	s.chunk.offset = 1 << 20;
	check_strange(s, NX_FORMAT, "column x in a row group is damaged");
	s = usual();
	s.chunk.stored_bytes = 1 << 20;
	check_strange(s, NX_FORMAT, "column x in a row group is damaged");
	s = usual();
	s.chunk.offset = 0;
	check_strange(s, NX_FORMAT, "column x in a row group is damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_that_are_not_known_are_named),
		cmocka_unit_test(pages_that_contradict_their_chunk_are_refused),
		cmocka_unit_test(narrow_differences_wrap_at_32_bits),
		cmocka_unit_test(lists_of_narrow_integers_are_read),
		cmocka_unit_test(narrow_pages_are_bounded_by_four_bytes),
		cmocka_unit_test(plain_booleans_continue_in_the_next_page),
		cmocka_unit_test(bounds_of_another_width_are_not_used),
		cmocka_unit_test(large_claims_cost_nothing),
	};

	return cmocka_run_group_tests_name("format/parquet_reader_pages", tests, NULL, NULL);
}
