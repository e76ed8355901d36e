/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/column_codes.h"
#include "tests/unit/query/stored_fixture.h"

static const struct nx_parquet_field fields[] = {
	{.name = "op", .type = NX_PARQUET_TEXT, .is_optional = true},
	{.name = "core", .type = NX_PARQUET_I32, .is_optional = true},
	{.name = "is_on", .type = NX_PARQUET_BOOL, .is_optional = true},
	{.name = "share", .type = NX_PARQUET_F64, .is_optional = true},
	{.name = "ids", .type = NX_PARQUET_I64, .is_list = true, .is_optional = true},
};

static void make_table(struct stored_fixture *f)
{
	static const char *const ops[] = {"b", "a", NULL, "b", "", "a", "c"};

	for (int part = 0; part < 2; part++) {
		stored_begin(f, part ? "T_1.parquet" : "T_0.parquet", fields, 5, 2);
		for (int i = part ? 4 : 0; i < (part ? 7 : 4); i++) {
			if (ops[i])
				nx_parquet_put_text(f->writer, 0, ops[i]);
			nx_parquet_put_i32(f->writer, 1, -i / 3);
			nx_parquet_put_bool(f->writer, 2, i > 2);
			assert_int_equal(nx_parquet_end_row(f->writer, NULL), NX_OK);
		}
		stored_end(f);
	}
	assert_int_equal(stored_open(f, "T"), NX_OK);
}

static void check(struct stored_fixture *f, size_t field, const uint32_t wanted[7],
		  const char *const *values, uint32_t value_count)
{
	struct nx_column_codes codes;
	char path[128];

	snprintf(path, sizeof(path), "%s/codes", f->path);
	assert_int_equal(nx_column_codes_make(&f->table, field, path, NULL, NULL, &f->err), NX_OK);
	assert_int_equal(nx_column_codes_open(&codes, path, &f->err), NX_OK);
	assert_int_equal(codes.row_count, 7);
	assert_int_equal(codes.value_count, value_count);
	for (uint64_t i = 0; i < 7; i++)
		assert_int_equal(nx_column_codes_at(&codes, i), wanted[i]);
	assert_int_equal(nx_column_codes_at(&codes, 7), NX_CODE_NONE);
	for (uint32_t i = 0; i < value_count; i++)
		assert_true(nx_slice_is(nx_column_codes_value(&codes, i), values[i]));
	assert_int_equal(nx_column_codes_value(&codes, value_count).len, 0);
	nx_column_codes_close(&codes);
}

static void values_are_counted_as_they_come(void **state)
{
	struct stored_fixture *f = *state;

	make_table(f);
	check(f, 0, (const uint32_t[]){0, 1, NX_CODE_NONE, 0, 2, 1, 3},
	      (const char *const[]){"b", "a", "", "c"}, 4);
	check(f, 1, (const uint32_t[]){0, 0, 0, 1, 1, 1, 2}, (const char *const[]){"0", "-1", "-2"},
	      3);
	check(f, 2, (const uint32_t[]){0, 0, 0, 1, 1, 1, 1}, (const char *const[]){"false", "true"},
	      2);
}

static bool refuse(void *context)
{
	(void)context;
	return false;
}

static void what_cannot_be_is_refused(void **state)
{
	struct stored_fixture *f = *state;
	struct nx_column_codes codes;
	char path[128];

	make_table(f);
	snprintf(path, sizeof(path), "%s/codes", f->path);
	for (size_t field = 3; field < 5; field++)
		assert_int_equal(nx_column_codes_make(&f->table, field, path, NULL, NULL, &f->err),
				 NX_USAGE);
	assert_int_equal(nx_column_codes_make(&f->table, 0, path, refuse, NULL, &f->err),
			 NX_CANCELLED);
	assert_int_equal(nx_column_codes_open(&codes, path, &f->err), NX_NOT_FOUND);
	nx_column_codes_close(&codes);
}

/* Every byte of the tail, and every length, is a lie once. */
static void a_damaged_file_is_refused_or_harmless(void **state)
{
	struct stored_fixture *f = *state;
	struct nx_column_codes codes;
	struct nx_file file;
	struct nx_bytes good = {0};
	char path[128];

	make_table(f);
	snprintf(path, sizeof(path), "%s/codes", f->path);
	assert_int_equal(nx_column_codes_make(&f->table, 0, path, NULL, NULL, NULL), NX_OK);
	assert_int_equal(nx_file_map(&file, path, NULL), NX_OK);
	nx_bytes_append(&good, file.bytes.data, file.bytes.len);
	nx_file_unmap(&file);
	for (size_t i = 0; i < good.len * 2; i++) {
		struct nx_output out;

		assert_int_equal(nx_output_open(&out, path, NULL), NX_OK);
		if (i < good.len) {
			good.items[i] ^= 0xff;
			nx_output_write(&out, good.items, good.len);
			good.items[i] ^= 0xff;
		} else {
			nx_output_write(&out, good.items, i - good.len);
		}
		assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
		if (nx_column_codes_open(&codes, path, &f->err))
			continue;
		for (uint32_t v = 0; v < codes.value_count; v++) {
			struct nx_slice text = nx_column_codes_value(&codes, v);

			assert_true(!text.len ||
				    (text.data >= codes.texts.data &&
				     text.data + text.len <= codes.texts.data + codes.texts.len));
		}
		nx_column_codes_close(&codes);
	}
	nx_vec_release(&good);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, stored_set_up, stored_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(values_are_counted_as_they_come),
		CASE(what_cannot_be_is_refused),
		CASE(a_damaged_file_is_refused_or_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
