/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/schema.h"
#include "serve/field_group.h"

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
		cmocka_unit_test(names_find_their_group),
		cmocka_unit_test(instructions_are_spread_over_the_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
