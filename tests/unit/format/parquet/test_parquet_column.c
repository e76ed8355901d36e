/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/parquet/parquet_internal.h"
#include "memory_table.h"

enum { REQUIRED, OPTIONAL, TEXT, LIST, FIELDS };

static const struct nx_parquet_field fields[FIELDS] = {
	[REQUIRED] = {.name = "required", .type = NX_PARQUET_I64},
	[OPTIONAL] = {.name = "optional", .type = NX_PARQUET_F64, .is_optional = true},
	[TEXT] = {.name = "text", .type = NX_PARQUET_TEXT, .is_optional = true},
	[LIST] = {.name = "list", .type = NX_PARQUET_I64, .is_optional = true, .is_list = true},
};

static struct nx_memory_table table;

static struct nx_parquet_writer *open_writer(void)
{
	struct nx_parquet_writer *w;

	nx_vec_release(&table.bytes);
	assert_int_equal(nx_parquet_open(&w, nx_memory_table_sink(&table), fields, FIELDS, NULL,
					 NULL),
			 NX_OK);
	return w;
}

static void end_row(struct nx_parquet_writer *w)
{
	assert_int_equal(nx_parquet_end_row(w, NULL), NX_OK);
}

static void close_failing(struct nx_parquet_writer *w, enum nx_status status, const char *sentence)
{
	struct nx_error err = {0};

	assert_int_equal(nx_parquet_close(w, &err), status);
	assert_string_equal(err.message, sentence);
}

static void untouched_columns_cost_nothing_and_are_null(void **state)
{
	struct nx_parquet_writer *w = open_writer();

	(void)state;
	for (int64_t i = 0; i < 1000; i++) {
		nx_parquet_put_i64(w, REQUIRED, i);
		if (i == 700)
			nx_parquet_put_f64(w, OPTIONAL, 1.5);
		end_row(w);
	}
	assert_int_equal(w->columns[OPTIONAL].value_count, 1);
	assert_int_equal(w->columns[OPTIONAL].gaps.len, 1);
	assert_int_equal(w->columns[OPTIONAL].gaps.items[0].row, 0);
	assert_int_equal(w->columns[OPTIONAL].gaps.items[0].count, 700);
	assert_int_equal(w->columns[TEXT].value_room, 0);
	assert_int_equal(w->columns[LIST].lengths.len, 0);
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
}

static void lists_are_told_by_their_lengths(void **state)
{
	static const int64_t values[] = {1, 2, 3};
	static const uint32_t want[] = {NX_PARQUET_NULL_LIST, 3, 0, NX_PARQUET_NULL_LIST, 1};
	struct nx_parquet_writer *w = open_writer();

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		nx_parquet_put_i64(w, REQUIRED, 0);
		if (want[i] != NX_PARQUET_NULL_LIST)
			nx_parquet_put_list_i64(w, LIST, values, want[i]);
		end_row(w);
	}
	assert_int_equal(w->columns[LIST].lengths.len, 5);
	assert_memory_equal(w->columns[LIST].lengths.items, want, sizeof(want));
	assert_int_equal(w->columns[LIST].value_count, 4);
	nx_parquet_abandon(w);
}

static void a_missing_value_is_told_with_its_row(void **state)
{
	struct nx_parquet_writer *w = open_writer();

	(void)state;
	nx_parquet_put_i64(w, REQUIRED, 1);
	end_row(w);
	end_row(w);
	nx_parquet_put_i64(w, REQUIRED, 3);
	assert_int_equal(nx_parquet_end_row(w, NULL), NX_USAGE);
	close_failing(w, NX_USAGE,
		      "column required must have a value in every row, row 1 has none");
	/* noticed at the latest when the group is written */
	w = open_writer();
	end_row(w);
	close_failing(w, NX_USAGE,
		      "column required must have a value in every row, row 0 has none");
}

static void two_values_in_one_row_are_refused(void **state)
{
	static const int64_t value = 1;
	struct nx_parquet_writer *w = open_writer();

	(void)state;
	nx_parquet_put_i64(w, REQUIRED, 1);
	nx_parquet_put_i64(w, REQUIRED, 2);
	assert_int_equal(nx_parquet_end_row(w, NULL), NX_USAGE);
	close_failing(w, NX_USAGE, "column required got two values in row 0");
	w = open_writer();
	nx_parquet_put_i64(w, REQUIRED, 1);
	nx_parquet_put_list_i64(w, LIST, &value, 1);
	nx_parquet_put_list_i64(w, LIST, &value, 0);
	close_failing(w, NX_USAGE, "column list got two values in row 0");
}

static void the_first_failure_sticks(void **state)
{
	struct nx_parquet_writer *w = open_writer();
	struct nx_error err = {0};

	(void)state;
	nx_parquet_put_i64(w, REQUIRED, 1);
	nx_parquet_put_i64(w, REQUIRED, 1);
	for (int i = 0; i < 3000; i++) {
		assert_int_equal(nx_parquet_end_row(w, &err), NX_USAGE);
		nx_parquet_put_f64(w, OPTIONAL, 1);
		nx_parquet_put_text(w, TEXT, "x");
	}
	close_failing(w, NX_USAGE, "column required got two values in row 0");
}

static void a_value_beyond_the_bound_is_refused(void **state)
{
	static const char byte;
	struct nx_parquet_writer *w = open_writer();

	(void)state;
	/* never looked at, so its length may lie */
	nx_parquet_put_slice(w, TEXT, nx_slice_of(&byte, NX_PARQUET_VALUE_MAX_BYTES + 1));
	close_failing(w, NX_LIMIT,
		      "a value of column text has 67108865 bytes; at most 67108864 are allowed");
	w = open_writer();
	nx_parquet_put_list_i64(w, LIST, NULL, (NX_PARQUET_VALUE_MAX_BYTES >> 3) + 1);
	close_failing(w, NX_LIMIT,
		      "a value of column list has 67108872 bytes; at most 67108864 are allowed");
	w = open_writer();
	nx_parquet_put_list_i64(w, LIST, NULL, SIZE_MAX / 4);
	assert_int_equal(nx_parquet_close(w, NULL), NX_LIMIT);
}

/* Row after row through one buffer, with nulls and texts of other addresses in between. */
static void texts_of_one_buffer_are_looked_up_late(void **state)
{
	static const char *const texts[] = {"one",	 "two", "one", NULL,	"three", "two",
					    "elsewhere", "one", "",    "three", NULL,	 "two"};
	static const uint32_t want[] = {0, 1, 0, 2, 1, 3, 0, 4, 2, 1};
	struct nx_parquet_writer *w = open_writer();
	const struct nx_parquet_column *c = &w->columns[TEXT];
	char buffer[8] = "";

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		nx_parquet_put_i64(w, REQUIRED, i);
		if (texts[i] && strlen(texts[i]) < sizeof(buffer)) {
			memcpy(buffer, texts[i], strlen(texts[i]));
			nx_parquet_put_slice(w, TEXT, nx_slice_of(buffer, strlen(texts[i])));
		} else if (texts[i]) {
			nx_parquet_put_text(w, TEXT, texts[i]);
		}
		end_row(w);
	}
	assert_ptr_equal(c->texts.reused, buffer);
	assert_true(c->texts.is_waiting);
	nx_parquet_settle(w, &w->columns[TEXT]);
	assert_false(c->texts.is_waiting);
	assert_int_equal(c->value_count, sizeof(want) / sizeof(want[0]));
	assert_memory_equal(c->values.ids, want, sizeof(want));
	assert_int_equal(w->text_bytes, c->texts.plain.len);
	assert_int_equal(c->texts.plain.len, 5 * 4 + 3 + 3 + 5 + 9 + 0);
	nx_parquet_put_i64(w, REQUIRED, 0);
	nx_parquet_put_slice(w, TEXT, nx_slice_of(buffer, 3)); /* waits when the group ends */
	end_row(w);
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
}

static void a_text_without_an_address_is_empty(void **state)
{
	struct nx_parquet_writer *w = open_writer();

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		nx_parquet_put_i64(w, REQUIRED, i);
		nx_parquet_put_slice(w, TEXT, i % 2 ? nx_slice_text("a") : (struct nx_slice){0});
		end_row(w);
	}
	nx_parquet_settle(w, &w->columns[TEXT]);
	assert_int_equal(w->columns[TEXT].texts.offsets.len, 2);
	assert_int_equal(w->columns[TEXT].values.ids[2], 0);
	assert_int_equal(w->columns[TEXT].values.ids[3], 1);
	assert_int_equal(nx_parquet_close(w, NULL), NX_OK);
}

static int release(void **state)
{
	(void)state;
	nx_vec_release(&table.bytes);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(untouched_columns_cost_nothing_and_are_null),
		cmocka_unit_test(lists_are_told_by_their_lengths),
		cmocka_unit_test(a_missing_value_is_told_with_its_row),
		cmocka_unit_test(two_values_in_one_row_are_refused),
		cmocka_unit_test(the_first_failure_sticks),
		cmocka_unit_test(a_value_beyond_the_bound_is_refused),
		cmocka_unit_test(texts_of_one_buffer_are_looked_up_late),
		cmocka_unit_test(a_text_without_an_address_is_empty),
	};

	return cmocka_run_group_tests_name("format/parquet_column", tests, NULL, release);
}
