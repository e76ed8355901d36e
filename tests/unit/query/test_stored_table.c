/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/query/stored_fixture.h"

static void write_one(struct stored_fixture *f, const char *name,
		      const struct nx_parquet_field *fields, size_t count)
{
	stored_begin(f, name, fields, count, 0);
	for (size_t i = 0; i < count; i++) {
		if (fields[i].is_list)
			nx_parquet_put_list_i64(f->writer, i, NULL, 0);
		else if (fields[i].type == NX_PARQUET_I64)
			nx_parquet_put_i64(f->writer, i, 1);
		else if (fields[i].type == NX_PARQUET_I32)
			nx_parquet_put_i32(f->writer, i, 1);
		else
			nx_parquet_put_text(f->writer, i, "x");
	}
	assert_int_equal(nx_parquet_end_row(f->writer, NULL), NX_OK);
	stored_end(f);
}

static void parts_are_matched_by_the_names_of_their_columns(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_parquet_field first[] = {{.name = "a", .type = NX_PARQUET_I64},
						 {.name = "b", .type = NX_PARQUET_TEXT}};
	const struct nx_parquet_field second[] = {
		{.name = "b", .type = NX_PARQUET_TEXT, .is_optional = true},
		{.name = "more", .type = NX_PARQUET_I64},
		{.name = "a", .type = NX_PARQUET_I64}};
	size_t field;

	write_one(f, "T_0.parquet", first, 2);
	write_one(f, "T_1.parquet", second, 3);
	assert_int_equal(stored_open(f, "t"), NX_OK);
	assert_int_equal(f->table.field_count, 2);
	assert_int_equal(f->table.row_count, 2);
	assert_int_equal(f->table.part_count, 2);
	assert_int_equal(f->table.parts[1].columns[0], 2);
	assert_int_equal(f->table.parts[1].columns[1], 0);
	assert_false(f->table.fields[0].is_optional);
	assert_true(f->table.fields[1].is_optional);
	assert_true(nx_stored_table_find(&f->table, "B", &field));
	assert_int_equal(field, 1);
	assert_false(nx_stored_table_find(&f->table, "more", &field));
}

static void the_exact_name_is_found_before_one_of_another_case(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_parquet_field fields[] = {{.name = "A", .type = NX_PARQUET_I64},
						  {.name = "a", .type = NX_PARQUET_I64}};
	size_t field;

	write_one(f, "T.parquet", fields, 2);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	assert_true(nx_stored_table_find(&f->table, "a", &field));
	assert_int_equal(field, 1);
}

static void a_part_that_differs_is_refused(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_parquet_field first = {.name = "a", .type = NX_PARQUET_I64};
	const struct nx_parquet_field others[] = {
		{.name = "b", .type = NX_PARQUET_I64},
		{.name = "a", .type = NX_PARQUET_TEXT},
		{.name = "a", .type = NX_PARQUET_I64, .is_list = true},
	};

	write_one(f, "T_0.parquet", &first, 1);
	for (size_t i = 0; i < 3; i++) {
		write_one(f, "T_1.parquet", &others[i], 1);
		assert_int_equal(stored_open(f, "T"), NX_FORMAT);
		assert_non_null(strstr(f->err.message, i ? "another type" : "has no column a"));
		assert_non_null(strstr(f->err.message, "T_1.parquet"));
		nx_stored_table_close(&f->table);
		nx_profile_folder_release(&f->folder);
	}
}

static void a_fault_and_a_file_that_is_no_parquet_are_told(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_parquet_field field = {.name = "a", .type = NX_PARQUET_I64};
	char path[128];
	FILE *file;

	write_one(f, "Late_1.parquet", &field, 1);
	assert_int_equal(stored_open(f, "Late"), NX_FORMAT);
	assert_non_null(strstr(f->err.message, "the table Late cannot be read: part 0 is missing"));
	nx_stored_table_close(&f->table);
	nx_profile_folder_release(&f->folder);
	snprintf(path, sizeof(path), "%s/Bad.parquet", f->path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("rubbish", file);
	fclose(file);
	assert_int_equal(stored_open(f, "Bad"), NX_FORMAT);
	assert_non_null(strstr(f->err.message, "it is no Parquet file"));
}

static void check_times(struct stored_fixture *f, const struct nx_parquet_field *fields,
			size_t count, const struct nx_stored_times *expected)
{
	struct nx_stored_times times;

	write_one(f, "T.parquet", fields, count);
	assert_int_equal(stored_open(f, "T"), NX_OK);
	assert_int_equal(nx_stored_table_times(&f->table, &times), expected != NULL);
	if (expected) {
		assert_int_equal(times.start, expected->start);
		assert_int_equal(times.end, expected->end);
	}
	nx_stored_table_close(&f->table);
	nx_profile_folder_release(&f->folder);
}

static void times_are_a_start_and_an_end_or_a_timestamp(void **state)
{
	struct stored_fixture *f = *state;
	const struct nx_parquet_field span[] = {{.name = "timestamp", .type = NX_PARQUET_I64},
						{.name = "end_ts", .type = NX_PARQUET_I64},
						{.name = "start_ts", .type = NX_PARQUET_I32}};
	const struct nx_parquet_field text[] = {{.name = "timestamp", .type = NX_PARQUET_TEXT}};
	const struct nx_parquet_field list[] = {
		{.name = "timestamp", .type = NX_PARQUET_I64, .is_list = true}};

	check_times(f, span, 3, &(struct nx_stored_times){2, 1});
	check_times(f, span, 2, &(struct nx_stored_times){0, 0});
	check_times(f, span + 1, 1, NULL);
	check_times(f, text, 1, NULL);
	check_times(f, list, 1, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parts_are_matched_by_the_names_of_their_columns,
						stored_set_up, stored_tear_down),
		cmocka_unit_test_setup_teardown(the_exact_name_is_found_before_one_of_another_case,
						stored_set_up, stored_tear_down),
		cmocka_unit_test_setup_teardown(a_part_that_differs_is_refused, stored_set_up,
						stored_tear_down),
		cmocka_unit_test_setup_teardown(a_fault_and_a_file_that_is_no_parquet_are_told,
						stored_set_up, stored_tear_down),
		cmocka_unit_test_setup_teardown(times_are_a_start_and_an_end_or_a_timestamp,
						stored_set_up, stored_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
