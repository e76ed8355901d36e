/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "query/duckdb_internal.h"

static struct nx_folder_table tables[] = {{.name = "Instruction"},
					  {.name = "Dma", .fault = "part 1 is missing"}};
static const struct nx_profile_folder profile = {.tables = {tables, 2, 2}};
static const struct nx_duckdb db = {.memory_limit_bytes = 2000000, .profile = &profile};

static void assert_told(const char *words, const char *sql, size_t sql_at, enum nx_status status,
			const char *sentence)
{
	struct nx_error err;

	assert_int_equal(nx_duckdb_fail(&db, words, nx_slice_text(sql), sql_at, &err), status);
	assert_string_equal(err.message, sentence);
}

static void syntax_has_its_place(void **state)
{
	(void)state;
	assert_told("Parser Error: {\"exception_type\":\"Parser\",\"exception_message\":\"syntax "
		    "error at or near \\\"x\\\"\",\"position\":\"14\"}",
		    "SELECT * FORM x", 0, NX_USAGE,
		    "syntax error at or near \"x\" (line 1, column 15)");
}

static void places_count_lines_and_characters(void **state)
{
	(void)state;
	assert_told("{\"exception_type\":\"Parser\",\"exception_message\":\"bad\",\"position\":"
		    "\"21\"}",
		    "é\n日本x", 12, NX_USAGE, "bad (line 2, column 3)");
}

static void places_that_are_not_the_users_are_left_out(void **state)
{
	static const char *const positions[] = {"3", "99", "18446744073709551615", "x", ""};
	char words[128];

	(void)state;
	for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]); i++) {
		snprintf(words, sizeof(words),
			 "{\"exception_type\":\"Parser\",\"exception_message\":\"bad\","
			 "\"position\":\"%s\"}",
			 positions[i]);
		assert_told(words, "SELECT", 8, NX_USAGE, "bad");
	}
}

static void a_missing_table_is_told_with_its_neighbour(void **state)
{
	(void)state;
	assert_told("{\"exception_type\":\"Catalog\",\"exception_message\":\"x\",\"candidates\":"
		    "\"Instruction\",\"error_subtype\":\"MISSING_ENTRY\",\"type\":\"Table\","
		    "\"name\":\"Instrction\"}",
		    "", 0, NX_NOT_FOUND,
		    "there is no table 'Instrction'; did you mean 'Instruction'?");
	assert_told("{\"exception_type\":\"Catalog\",\"exception_message\":\"x\",\"candidates\":"
		    "\"pg_tables\",\"error_subtype\":\"MISSING_ENTRY\",\"type\":\"Table\","
		    "\"name\":\"zz\"}",
		    "", 0, NX_NOT_FOUND, "there is no table 'zz'; SHOW TABLES lists them");
	assert_told("{\"exception_type\":\"Catalog\",\"exception_message\":\"x\","
		    "\"error_subtype\":\"MISSING_ENTRY\",\"type\":\"Table\",\"name\":\"DMA\"}",
		    "", 0, NX_FORMAT, "the table Dma cannot be read: part 1 is missing");
}

static void kinds_of_trouble_have_their_status(void **state)
{
	(void)state;
	assert_told(
		"{\"exception_type\":\"Out of Memory\",\"exception_message\":\"long\\nwords\"}", "",
		0, NX_LIMIT,
		"the query needs more memory than the limit of 2.0 MB; ask for less, or raise it "
		"with --memory-limit");
	assert_told("{\"exception_type\":\"INTERRUPT\",\"exception_message\":\"Interrupted!\"}", "",
		    0, NX_CANCELLED, "the query was interrupted");
	assert_told("{\"exception_type\":\"Permission\",\"exception_message\":\"Cannot access file "
		    "\\\"/etc/passwd\\\" - disabled\"}",
		    "", 0, NX_PERMISSION,
		    "\"/etc/passwd\" may not be read: only the tables of the profile can be asked");
	assert_told("{\"exception_type\":\"Binder\",\"exception_message\":\"x\",\"candidates\":"
		    "\"end_ts\",\"error_subtype\":\"COLUMN_NOT_FOUND\",\"name\":\"foo\"}",
		    "", 0, NX_NOT_FOUND, "there is no column 'foo'; near it are: end_ts");
}

static void words_that_are_no_json_are_flattened(void **state)
{
	(void)state;
	assert_told("first\n\n  second!", "", 0, NX_USAGE, "first   second");
	assert_told("broken {\"exception", "", 0, NX_USAGE, "broken {\"exception");
	assert_told(NULL, "", 0, NX_USAGE, "DuckDB gave no reason");
	assert_told("", "", 0, NX_USAGE, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(syntax_has_its_place),
		cmocka_unit_test(places_count_lines_and_characters),
		cmocka_unit_test(places_that_are_not_the_users_are_left_out),
		cmocka_unit_test(a_missing_table_is_told_with_its_neighbour),
		cmocka_unit_test(kinds_of_trouble_have_their_status),
		cmocka_unit_test(words_that_are_no_json_are_flattened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
