/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "serve/table_columns.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_have_the_types_of_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
