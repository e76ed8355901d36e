/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as SQL. Beyond "does not crash": statements and what is between
 * them make up the text, a text that was quoted is one closed token without a
 * statement's end in it, and DuckDB's complaints may be any bytes.
 */
#include "query/duckdb_internal.h"
#include "query/sql_text.h"
#include "tests/fuzz/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void split(struct nx_slice text)
{
	struct nx_slice rest = text, statement;
	const uint8_t *at = text.data;

	while (nx_sql_take(&rest, &statement)) {
		expect(rest.len < text.len && rest.data > at);
		expect(statement.data >= at && statement.data + statement.len < rest.data);
		expect(!nx_sql_is_open(statement));
		(void)nx_sql_take_explain(&statement);
		at = rest.data;
	}
	expect(!rest.len && statement.len <= text.len);
}

static void quote(struct nx_slice text)
{
	struct nx_bytes sql = {0};
	struct nx_slice rest, statement;

	if (text.len && memchr(text.data, 0, text.len))
		return; /* callers have no such text */
	nx_sql_append_text(&sql, NX_SQL_DUCKDB, text);
	nx_sql_append(&sql, ";");
	rest = nx_slice_of(sql.items, sql.len);
	expect(nx_sql_take(&rest, &statement));
	expect(!rest.len && statement.len == sql.len - 1);
	nx_vec_release(&sql);
}

static void complain(struct nx_slice text)
{
	static const struct nx_profile_folder profile;
	static const struct nx_duckdb db = {.profile = &profile};
	struct nx_bytes words = {0};
	struct nx_error err = {0};

	nx_bytes_append(&words, text.data, text.len);
	nx_bytes_append_zeros(&words, 1);
	expect(nx_duckdb_fail(&db, (const char *)words.items, text, text.len / 2, &err) != NX_OK);
	expect(memchr(err.message, 0, sizeof(err.message)) != NULL);
	nx_vec_release(&words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nx_slice text = nx_slice_of(size ? (const void *)data : "", size);

	split(text);
	quote(text);
	complain(text);
	return 0;
}
