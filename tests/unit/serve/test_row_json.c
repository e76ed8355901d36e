/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/schema.h"
#include "serve/row_json.h"

static void check(struct nx_value value, const char *expected)
{
	struct nx_bytes bytes = {0};
	struct nx_json_writer w;

	nx_json_init_bytes(&w, &bytes, false);
	nx_row_json_row(&w, &value, 1);
	assert_int_equal(bytes.len, strlen(expected));
	assert_memory_equal(bytes.items, expected, bytes.len);
	nx_vec_release(&bytes);
}

static void numbers_that_do_not_fit_are_texts(void **state)
{
	(void)state;
	check((struct nx_value){.kind = NX_VALUE_I64, .i64 = 9007199254740991},
	      "[9007199254740991]");
	check((struct nx_value){.kind = NX_VALUE_I64, .i64 = 9007199254740992},
	      "[\"9007199254740992\"]");
	check((struct nx_value){.kind = NX_VALUE_I64, .i64 = -9007199254740991},
	      "[-9007199254740991]");
	check((struct nx_value){.kind = NX_VALUE_I64, .i64 = INT64_MIN},
	      "[\"-9223372036854775808\"]");
	check((struct nx_value){.kind = NX_VALUE_U64, .u64 = UINT64_MAX},
	      "[\"18446744073709551615\"]");
	check((struct nx_value){.kind = NX_VALUE_DIGITS, .text = nx_slice_text("123")},
	      "[\"123\"]");
}

static void numbers_that_are_none_are_null(void **state)
{
	(void)state;
	check((struct nx_value){.kind = NX_VALUE_F64, .f64 = NAN}, "[null]");
	check((struct nx_value){.kind = NX_VALUE_F32, .f32 = INFINITY}, "[null]");
	check((struct nx_value){.kind = NX_VALUE_F64, .f64 = 0.5}, "[0.5]");
	check((struct nx_value){.kind = NX_VALUE_NULL}, "[null]");
}

static void lists_and_structs_are_nested(void **state)
{
	const struct nx_value items[] = {{.kind = NX_VALUE_BOOL, .flag = true},
					 {.kind = NX_VALUE_TEXT, .text = nx_slice_text("a\"")}};
	const struct nx_slice names[] = {nx_slice_of("onex", 3), nx_slice_text("two")};

	(void)state;
	check((struct nx_value){.kind = NX_VALUE_LIST, .list = {items, NULL, 2}},
	      "[[true,\"a\\\"\"]]");
	check((struct nx_value){.kind = NX_VALUE_STRUCT, .list = {items, names, 2}},
	      "[{\"one\":true,\"two\":\"a\\\"\"}]");
	check((struct nx_value){.kind = NX_VALUE_LIST}, "[[]]");
}

static void columns_have_the_types_of_json(void **state)
{
	static const struct {
		struct nx_parquet_field field;
		const char *want;
	} cases[] = {
		{{.name = "x", .type = NX_PARQUET_BOOL}, "boolean"},
		{{.name = "x", .type = NX_PARQUET_I32}, "integer"},
		{{.name = "x", .type = NX_PARQUET_I64}, "integer"},
		{{.name = "x", .type = NX_PARQUET_F32}, "number"},
		{{.name = "x", .type = NX_PARQUET_F64}, "number"},
		{{.name = "x", .type = NX_PARQUET_TEXT}, "string"},
		{{.name = "x", .type = NX_PARQUET_I64, .is_list = true}, "list"},
		{{.name = "x", .type = NX_PARQUET_TEXT, .is_list = true}, "list"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_stored_table table = {
			.name = "no such table", .fields = &cases[i].field, .field_count = 1};
		struct nx_bytes text = {0};
		struct nx_json_writer w;
		char want[100];

		snprintf(want, sizeof(want),
			 "{\"name\":\"x\",\"type\":\"%s\",\"unit\":\"\",\"description\":\"\"}",
			 cases[i].want);
		nx_json_init_bytes(&w, &text, false);
		nx_table_column_put(&w, &table, 0);
		nx_vec_push(&text, '\0');
		assert_string_equal((const char *)text.items, want);
		nx_vec_release(&text);
	}
}

static void names_find_their_group(void **state)
{
	static const char *const cases[][2] = {
		{"start_ts", "Timing"},
		{"timestamp", "Timing"},
		{"duration_ns", "Timing"},
		{"nki_source_location", "Source"},
		{"pcore_idx", "Identity"},
		{"id", "Identity"},
		{"opcode", "Operation"},
		{"compiler_operands", "Operation"},
		{"hbm_read_bytes", "Memory"},
		{"start_address", "Memory"},
		{"kernel_instruction_name", "Kernel"},
		{"hlo_name", "Model"},
		{"layer", "Model"},
		{"something_else", "Details"},
		{"", "Details"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(nx_field_group(cases[i][0]), cases[i][1]);
}

/* A group that has everything helps nobody. */
static void instructions_are_spread_over_the_groups(void **state)
{
	const struct nx_schema_table *t = &nx_schema_tables[NX_SCHEMA_Instruction];
	unsigned rest = 0;

	(void)state;
	for (unsigned i = 0; i < t->column_count; i++)
		rest += !strcmp(nx_field_group(t->columns[i].name), "Details");
	assert_true(rest * 3 < t->column_count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_that_do_not_fit_are_texts),
		cmocka_unit_test(numbers_that_are_none_are_null),
		cmocka_unit_test(lists_and_structs_are_nested),
		cmocka_unit_test(columns_have_the_types_of_json),
		cmocka_unit_test(names_find_their_group),
		cmocka_unit_test(instructions_are_spread_over_the_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
