/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
	assert_int_equal(nx_parquet_row_count(w), 1000);
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
	};

	return cmocka_run_group_tests_name("format/parquet_column", tests, NULL, release);
}
