/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/suggest.h"
#include "tests/unit/cli/command_table.h"

static void test_hint(void **state)
{
	const char *words = "json summary-json summary-text";
	char hint[NX_HINT_MAX];

	(void)state;
	assert_string_equal(nx_hint("a b", "", hint), "; did you mean 'a b'?");
	assert_string_equal(nx_hint(NULL, "; see", hint), "; see");
	assert_string_equal(nx_hint_word(words, "jsno", "", hint), "; did you mean 'json'?");
	assert_string_equal(nx_hint_word(words, "sumary-json", "", hint),
			    "; did you mean 'summary-json'?");
	assert_string_equal(nx_hint_word(words, "parquet", "; see", hint), "; see");
	assert_string_equal(nx_hint_word(words, "", "", hint), "");
	assert_string_equal(nx_hint_word("", "json", "", hint), "");
	assert_string_equal(nx_hint_word("a", "b", "", hint), ""); /* too short to guess */
}

static void test_name(void **state)
{
	const char *const names[] = {"bert large", "resnet-50", "Größe"};

	(void)state;
	assert_string_equal(nx_suggest_name(names, 3, sizeof(*names), 0, "bert lrage"),
			    "bert large");
	assert_string_equal(nx_suggest_name(names, 3, sizeof(*names), 0, "resnet50"), "resnet-50");
	assert_string_equal(nx_suggest_name(names, 3, sizeof(*names), 0, "Größ"), "Größe");
	assert_null(nx_suggest_name(names, 3, sizeof(*names), 0, "gpt"));
	assert_null(nx_suggest_name(NULL, 0, sizeof(*names), 0, "gpt"));
}

static void test_command(void **state)
{
	(void)state;
	assert_string_equal(nx_suggest_command("veiw"), "view");
	assert_string_equal(nx_suggest_command("show_session"), "show-session");
	assert_null(nx_suggest_command("capture"));
}

static void test_option(void **state)
{
	static const struct nx_option options[] = {
		{"neff-path", 'n', NX_FILE("FILE"), 0, ""},
		{NULL, 'F', NX_LIST("X"), 0, ""},
		{"force", 0, NX_FLAG, 0, ""},
		{0},
	};

	(void)state;
	assert_string_equal(nx_suggest_option(options, "forec=1", 5), "force");
	assert_string_equal(nx_suggest_option(options, "neffpath", 8), "neff-path");
	assert_null(nx_suggest_option(options, "zebra", 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {

		cmocka_unit_test(test_hint),
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
