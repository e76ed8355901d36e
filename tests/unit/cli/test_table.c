/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/table.h"
#include "tests/unit/cli/captured_output.h"

static void test_columns(void **state)
{
	struct nx_arena arena = {0};
	struct nx_table_view table;
	struct captured_output c;

	(void)state;
	nx_table_begin(&table, &arena, "name|>bytes|note");
	nx_table_add(&table, "%s", "a");
	nx_table_add(&table, "%d", 1234567);
	nx_table_add(&table, "%s", "x");
	nx_table_add(&table, "%s", "longer");
	nx_table_add(&table, "%d", 1);
	nx_table_add(&table, "%s", "");
	nx_table_end(&table, captured_begin(&c), 2);
	assert_string_equal(captured_end(&c), "  name      bytes  note\n"
					      "  a       1234567  x\n"
					      "  longer        1  \n");
	nx_arena_release(&arena);
}

static void test_empty(void **state)
{
	struct nx_arena arena = {0};
	struct nx_table_view table;
	struct captured_output c;

	(void)state;
	nx_table_begin(&table, &arena, "a|b");
	nx_table_end(&table, captured_begin(&c), 1);
	assert_string_equal(captured_end(&c), " a  b\n none\n");
	nx_arena_release(&arena);
}

static void test_wide_characters_and_controls(void **state)
{
	struct nx_arena arena = {0};
	struct nx_table_view table;
	struct captured_output c;

	(void)state;
	nx_table_begin(&table, &arena, "a|b");
	nx_table_add(&table, "%s", "\xc3\xa9\xc3\xa9");
	nx_table_add(&table, "%s", "\033");
	nx_table_add(&table, "%s", "\xe6\x97\xa5\xe6\x9c\xac"); /* two columns each */
	nx_table_add(&table, "%s", "x");
	nx_table_end(&table, captured_begin(&c), 0);
	assert_string_equal(captured_end(&c), "a     b\n"
					      "\xc3\xa9\xc3\xa9    ?\n"
					      "\xe6\x97\xa5\xe6\x9c\xac  x\n");
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_wide_characters_and_controls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
