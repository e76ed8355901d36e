/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/where.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/sql_text.h"

/* "<=" before "<", which is its prefix. */
static const char *const operators[] = {"!=", "<=", ">=", "=", "<", ">", "~"};

static const char *take_operator(const char **rest)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strncmp(*rest, operators[i], strlen(operators[i]))) {
			*rest += strlen(operators[i]);
			return operators[i];
		}
	return NULL;
}

static enum nx_status find_field(const struct nx_stored_table *table, struct nx_slice name,
				 size_t *field, struct nx_error *err)
{
	struct nx_arena arena = {0};
	bool is_found = nx_stored_table_find(table, nx_arena_copy(&arena, name), field);

	nx_arena_release(&arena);
	if (is_found)
		return NX_OK;
	return nx_fail(err, NX_NOT_FOUND, "the table %s has no column '%.*s'", table->name,
		       (int)(name.len < 100 ? name.len : 100), (const char *)name.data);
}

/* What strtod reads to its end and is finite is a number in SQL too. */
static bool is_number(const char *text)
{
	char *end;
	double value;

	if (!*text || strspn(text, "+-0123456789.eE") != strlen(text))
		return false;
	value = strtod(text, &end);
	return !*end && isfinite(value) && *text != '+';
}

static enum nx_status append_value(struct nx_bytes *sql, const struct nx_parquet_field *f,
				   const char *value, struct nx_error *err)
{
	bool is_text = f->is_list || f->type == NX_PARQUET_TEXT;
	bool is_good;

	if (is_text)
		is_good = true;
	else if (f->type == NX_PARQUET_BOOL)
		is_good = !strcmp(value, "true") || !strcmp(value, "false");
	else
		is_good = is_number(value);
	if (!is_good)
		return nx_fail(err, NX_USAGE, "'%s' is compared with %s, not with '%.100s'",
			       f->name, f->type == NX_PARQUET_BOOL ? "true or false" : "numbers",
			       value);
	if (is_text)
		nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(value));
	else
		nx_sql_append(sql, value);
	return NX_OK;
}

static void append_column(struct nx_bytes *sql, const struct nx_parquet_field *f, bool as_text)
{
	nx_sql_append(sql, as_text ? "CAST(" : "");
	nx_sql_append_name(sql, NX_SQL_DUCKDB, f->name);
	nx_sql_append(sql, as_text ? " AS VARCHAR)" : "");
}

enum nx_status nx_where_append_one(struct nx_bytes *sql, const struct nx_stored_table *table,
				   const char *condition, struct nx_error *err)
{
	size_t name_len = strcspn(condition, "=!<>~"), field;
	const char *rest = condition + name_len, *sign = take_operator(&rest);
	const struct nx_parquet_field *f;
	enum nx_status st;

	if (!sign || !name_len)
		return nx_fail(err, NX_USAGE,
			       "a condition is a column, one of = != < <= > >= ~ and a value, such "
			       "as opcode=MATMUL, not '%.100s'",
			       condition);
	st = find_field(table, nx_slice_of(condition, name_len), &field, err);
	if (st)
		return st;
	f = &table->fields[field];
	if (!strcmp(sign, "~")) {
		nx_sql_append(sql, "regexp_matches(");
		append_column(sql, f, f->is_list || f->type != NX_PARQUET_TEXT);
		nx_sql_append(sql, ", ");
		nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(rest));
		nx_sql_append(sql, ")");
		return NX_OK;
	}
	append_column(sql, f, f->is_list);
	/* "not equal" includes rows without a value */
	nx_bytes_printf(sql, " %s ", !strcmp(sign, "!=") ? "IS DISTINCT FROM" : sign);
	return append_value(sql, f, rest, err);
}

enum nx_status nx_where_append(struct nx_bytes *sql, const struct nx_stored_table *table,
			       const struct nx_request *request, struct nx_error *err)
{
	const char *word = " WHERE ", *condition;
	enum nx_status st = NX_OK;
	size_t at = 0;

	while (!st && (condition = nx_request_next(request, "where", &at))) {
		nx_sql_append(sql, word);
		st = nx_where_append_one(sql, table, condition, err);
		word = " AND ";
	}
	return st;
}

enum nx_status nx_where_append_order(struct nx_bytes *sql, const struct nx_stored_table *table,
				     const char *order, struct nx_error *err)
{
	bool is_descending = *order == '-';
	struct nx_stored_times times;
	size_t field;
	enum nx_status st = find_field(table, nx_slice_text(order + is_descending), &field, err);

	if (st)
		return st;
	nx_sql_append(sql, " ORDER BY ");
	nx_sql_append_name(sql, NX_SQL_DUCKDB, table->fields[field].name);
	nx_sql_append(sql, is_descending ? " DESC NULLS LAST" : " ASC NULLS LAST");
	if (nx_stored_table_times(table, &times) && times.start != field) {
		nx_sql_append(sql, ", ");
		nx_sql_append_name(sql, NX_SQL_DUCKDB, table->fields[times.start].name);
	}
	return NX_OK;
}
