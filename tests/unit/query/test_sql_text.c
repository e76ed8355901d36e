/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/sql_text.h"

static void assert_slice(struct nx_slice slice, const char *text)
{
	assert_int_equal(slice.len, strlen(text));
	assert_memory_equal(slice.data, text, slice.len);
}

static void assert_split(const char *sql, const char *first, const char *rest, bool is_ended)
{
	struct nx_slice text = nx_slice_text(sql), statement;

	assert_int_equal(nx_sql_take(&text, &statement), is_ended);
	assert_slice(statement, first);
	assert_slice(text, rest);
}

static void a_semicolon_ends_a_statement(void **state)
{
	(void)state;
	assert_split("SELECT 1; SELECT 2;", "SELECT 1", " SELECT 2;", true);
	assert_split("SELECT 1", "SELECT 1", "", false);
	assert_split("", "", "", false);
	assert_split(";;", "", ";", true);
}

static void quotes_hide_semicolons(void **state)
{
	(void)state;
	assert_split("SELECT ';', '''; '; x", "SELECT ';', '''; '", " x", true);
	assert_split("SELECT \";\"\"; \"; x", "SELECT \";\"\"; \"", " x", true);
	assert_split("SELECT e'\\';'; x", "SELECT e'\\';'", " x", true);
	assert_split("SELECT 'a\\'; x", "SELECT 'a\\'", " x", true);
	assert_split("SELECT ge';'; x", "SELECT ge';'", " x", true);
	assert_split("SELECT $$;$$; x", "SELECT $$;$$", " x", true);
	assert_split("SELECT $a$;$$;$a$; x", "SELECT $a$;$$;$a$", " x", true);
	assert_split("SELECT $1; x", "SELECT $1", " x", true);
	assert_split("SELECT a$b$; x$b$", "SELECT a$b$", " x$b$", true);
}

static void comments_hide_semicolons(void **state)
{
	(void)state;
	assert_split("SELECT 1 -- ; x\n; y", "SELECT 1 -- ; x\n", " y", true);
	assert_split("SELECT /* ; /* ; */ ; */ 1; y", "SELECT /* ; /* ; */ ; */ 1", " y", true);
	assert_split("SELECT '--'; y", "SELECT '--'", " y", true);
	assert_split("SELECT 1 - -1; y", "SELECT 1 - -1", " y", true);
}

static void blanks_and_comments_are_no_statement(void **state)
{
	(void)state;
	assert_split(" \t\n -- nothing\n /* at all */ ; x", "", " x", true);
	assert_split(" -- nothing", "", "", false);
}

static void what_is_open_wants_more(void **state)
{
	static const char *const open[] = {"SELECT 'a", "\"a",	  "SELECT 1; SELECT $x$ $",
					   "/* /* */",	"e'a\\'", "SELECT ''''''';"};
	static const char *const closed[] = {"SELECT 'a'", "",		"-- '",
					     "/* ' */",	   "SELECT 1;", "''''"};

	(void)state;
	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++)
		assert_true(nx_sql_is_open(nx_slice_text(open[i])));
	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++)
		assert_false(nx_sql_is_open(nx_slice_text(closed[i])));
}

static void assert_explain(const char *sql, enum nx_sql_explain kind, const char *rest)
{
	struct nx_slice text = nx_slice_text(sql);

	assert_int_equal(nx_sql_take_explain(&text), kind);
	assert_slice(text, rest);
}

static void explain_is_taken_off(void **state)
{
	(void)state;
	assert_explain("SELECT 1", NX_SQL_RUN, "SELECT 1");
	assert_explain(" explain SELECT 1", NX_SQL_EXPLAIN, " SELECT 1");
	assert_explain("EXPLAIN\nAnalyze COPY x", NX_SQL_EXPLAIN_ANALYZE, " COPY x");
	assert_explain("explained", NX_SQL_RUN, "explained");
	assert_explain("explain", NX_SQL_RUN, "explain");
	assert_explain("EXPLAIN analyzer", NX_SQL_EXPLAIN, " analyzer");
	assert_explain("/**/EXPLAIN x", NX_SQL_RUN, "/**/EXPLAIN x");
}

static void names_and_texts_are_quoted_for_each_dialect(void **state)
{
	struct nx_bytes sql = {0};

	(void)state;
	nx_sql_append_name(&sql, NX_SQL_DUCKDB, "a\"b\\`");
	nx_sql_append_text(&sql, NX_SQL_DUCKDB, nx_slice_text("it's \\"));
	nx_sql_append_name(&sql, NX_SQL_CLICKHOUSE, "a\"b\\`");
	nx_sql_append_text(&sql, NX_SQL_CLICKHOUSE, nx_slice_text("it's \\"));
	nx_bytes_printf(&sql, " %d", -7);
	assert_slice(nx_slice_of(sql.items, sql.len),
		     "\"a\"\"b\\`\"'it''s \\'`a\"b\\\\\\``'it\\'s \\\\' -7");
	nx_vec_release(&sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_semicolon_ends_a_statement),
		cmocka_unit_test(quotes_hide_semicolons),
		cmocka_unit_test(comments_hide_semicolons),
		cmocka_unit_test(blanks_and_comments_are_no_statement),
		cmocka_unit_test(what_is_open_wants_more),
		cmocka_unit_test(explain_is_taken_off),
		cmocka_unit_test(names_and_texts_are_quoted_for_each_dialect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
