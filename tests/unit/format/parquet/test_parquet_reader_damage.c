/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are cut, changed, of another kind, or with a schema that nobody knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/parquet/parquet_thrift.h"
#include "reader_case.h"

static void a_cut_file_is_refused_wherever_it_is_cut(void **state)
{
	struct nx_memory_table table = make_table(40, 0, 0);
	struct nx_error err;

	(void)state;
	for (size_t len = 0; len < table.bytes.len; len++)
		assert_int_not_equal(read_all(nx_slice_of(table.bytes.items, len), &err), NX_OK);
	assert_int_equal(read_all(nx_memory_table_slice(&table), &err), NX_OK);
	nx_vec_release(&table.bytes);
}

static void a_changed_byte_never_harms(void **state)
{
	static const uint8_t changes[] = {0x01, 0xff};
	struct nx_memory_table table = make_table(40, 25, 10);
	struct nx_error err;
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < table.bytes.len; i++)
		for (size_t k = 0; k < sizeof(changes); k++) {
			table.bytes.items[i] ^= changes[k];
			refused += read_all(nx_memory_table_slice(&table), &err) != NX_OK;
			table.bytes.items[i] ^= changes[k];
		}
	assert_true(refused > table.bytes.len / 2);
	nx_vec_release(&table.bytes);
}

static void other_files_are_told_apart(void **state)
{
	(void)state;
	expect_refusal("", 0, NX_FORMAT, "cannot read table: it is no Parquet file");
	expect_refusal("PAR", 3, NX_FORMAT, "it is no Parquet file");
	expect_refusal("\x7f"
		       "ELFxxxxxxxxxxxx",
		       16, NX_FORMAT, "it is no Parquet file");
	expect_refusal("PAR1\0\0\0\0PARE", 12, NX_FORMAT, "its end is missing");
	expect_refusal("PAR1\xff\xff\xff\xffPAR1", 12, NX_FORMAT,
		       "its footer is longer than the file");
	expect_refusal("PAR1\0\1\0\0\0PAR1", 13, NX_FORMAT, "its footer is damaged");
	expect_refusal("PAR1PAR1", 8, NX_FORMAT, "its end is missing");
}

/* One element of a schema: numbers below 0 are left out. */
struct element {
	int type, repetition, children, converted;
};

#define LOGICAL_UINT32 (-2) /* as converted: unsigned by its logical type alone */

static void check_schema(const struct element *elements, size_t count, enum nx_status status,
			 const char *sentence)
{
	struct nx_bytes file = {0}, message = {0};
	struct nx_thrift_writer w = {.out = &message};

	nx_thrift_begin(&w);
	nx_thrift_list(&w, 2, NX_THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		nx_thrift_begin(&w);
		if (elements[i].type >= 0)
			nx_thrift_i32(&w, 1, elements[i].type);
		if (elements[i].repetition >= 0)
			nx_thrift_i32(&w, 3, elements[i].repetition);
		nx_thrift_bytes(&w, 4, nx_slice_text(i ? "x" : "schema"));
		if (elements[i].children >= 0)
			nx_thrift_i32(&w, 5, elements[i].children);
		if (elements[i].converted >= 0)
			nx_thrift_i32(&w, 6, elements[i].converted);
		if (elements[i].converted == LOGICAL_UINT32) {
			nx_thrift_begin_field(&w, 10);
			nx_thrift_begin_field(&w, 10);
			nx_thrift_byte(&w, 1, 32);
			nx_thrift_bool(&w, 2, false);
			nx_thrift_end(&w);
			nx_thrift_end(&w);
		}
		nx_thrift_end(&w);
	}
	nx_thrift_i64(&w, 3, 0);
	nx_thrift_end(&w);
	nx_bytes_append(&file, "PAR1", 4);
	append_footer(&file, &message);
	expect_refusal(file.items, file.len, status, sentence);
	nx_vec_release(&file);
	nx_vec_release(&message);
}

static void schemas_that_are_not_known_are_named(void **state)
{
	const struct element root = {-1, -1, 1, -1};
	const struct element int96[] = {root, {3, 0, -1, -1}};
	const struct element unsigned_column[] = {root, {1, 0, -1, 13}};
	const struct element uint32_column[] = {root, {1, 0, -1, LOGICAL_UINT32}};
	const struct element decimal[] = {root, {2, 0, -1, 5}};
	const struct element repeated[] = {root, {2, 2, -1, -1}};
	const struct element group[] = {root, {-1, 0, 1, -1}, {2, 0, -1, -1}};
	const struct element optional_items[] = {
		root, {-1, 0, 1, 3}, {-1, 2, 1, -1}, {2, 1, -1, -1}};
	const struct element short_list[] = {root, {-1, 0, 1, 3}, {-1, 2, 1, -1}};
	const struct element missing[] = {{-1, -1, 2, -1}, {2, 0, -1, -1}};
	const struct element too_many[] = {root, {2, 0, -1, -1}, {2, 0, -1, -1}};

	(void)state;
	check_schema(int96, 2, NX_UNSUPPORTED, "column x has a type that is not known");
	check_schema(unsigned_column, 2, NX_UNSUPPORTED, "no unsigned INT32");
	check_schema(uint32_column, 2, NX_UNSUPPORTED, "no unsigned INT32");
	check_schema(decimal, 2, NX_UNSUPPORTED, "column x has a type that is not known");
	check_schema(repeated, 2, NX_UNSUPPORTED, "column x is nested in a way");
	check_schema(group, 3, NX_UNSUPPORTED, "column x is nested in a way");
	check_schema(optional_items, 4, NX_UNSUPPORTED, "column x is nested in a way");
	check_schema(short_list, 3, NX_UNSUPPORTED, "column x is nested in a way");
	check_schema(missing, 2, NX_FORMAT, "states columns that are not there");
	check_schema(too_many, 3, NX_FORMAT, "its schema is damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_file_is_refused_wherever_it_is_cut),
		cmocka_unit_test(a_changed_byte_never_harms),
		cmocka_unit_test(other_files_are_told_apart),
		cmocka_unit_test(schemas_that_are_not_known_are_named),
	};

	return cmocka_run_group_tests_name("format/parquet_reader_damage", tests, NULL, NULL);
}
