/* SPDX-License-Identifier: Apache-2.0 */
/* .queries and .query: the named queries, which the pages run too. */
#include <string.h>

#include "cli/query_session.h"
#include "cli/suggest.h"
#include "query/named_query.h"
#include "query/sql_text.h"

static void append_cell(struct nx_bytes *sql, const char *text)
{
	struct nx_error ignored; /* our own texts hold no zero byte */
	enum nx_status st = nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(text), &ignored);

	(void)st;
}

static void append_parameters(struct nx_bytes *sql, const struct nx_named_query *query)
{
	struct nx_bytes text = {0};

	for (size_t i = 0; i < NX_NAMED_PARAMETERS_MAX && query->parameters[i].name; i++) {
		const struct nx_named_parameter *p = &query->parameters[i];

		nx_sql_append(&text, i ? " " : "");
		nx_sql_append(&text, p->name);
		nx_sql_append(&text, "=");
		nx_sql_append(&text, p->fallback ? p->fallback : nx_named_type_name(p->type));
	}
	nx_bytes_append_zeros(&text, 1);
	append_cell(sql, (const char *)text.items);
	nx_vec_release(&text);
}

enum nx_status nx_query_session_list_named(struct nx_query_session *s, const char *line,
					   struct nx_error *err)
{
	struct nx_bytes sql = {0};
	enum nx_status st;

	(void)line;
	nx_sql_append(&sql, "SELECT * FROM (VALUES ");
	for (size_t i = 0; i < nx_named_query_count; i++) {
		const struct nx_named_query *query = &nx_named_queries[i];

		nx_sql_append(&sql, i ? ", (" : "(");
		append_cell(&sql, query->name);
		nx_sql_append(&sql, ", ");
		append_cell(&sql, query->kind);
		nx_sql_append(&sql, ", ");
		append_parameters(&sql, query);
		nx_sql_append(&sql, ", ");
		append_cell(&sql, query->help);
		nx_sql_append(&sql, ")");
	}
	nx_sql_append(&sql, ") AS q(query, profile, parameters, description)");
	st = nx_query_session_ask(s, nx_slice_of(sql.items, sql.len), err);
	nx_vec_release(&sql);
	return st;
}

/* --- running one ----------------------------------------------------------- */

struct arguments {
	struct nx_arena arena;
	const struct nx_named_query *query;
	const char *values[NX_NAMED_PARAMETERS_MAX]; /* of its parameters */
};

static const char *find_value(void *context, const char *name)
{
	const struct arguments *arguments = context;
	const struct nx_named_query *query = arguments->query;

	return arguments->values[nx_named_query_parameter(query, name) - query->parameters];
}

static const char *take_word(const char **line, struct nx_arena *arena)
{
	const char *begin = *line + strspn(*line, " \t");
	size_t len = strcspn(begin, " \t\r\n;");

	*line = begin + len;
	return nx_arena_copy(arena, nx_slice_of(begin, len));
}

static enum nx_status find_query(const char *name, const struct nx_named_query **query,
				 struct nx_error *err)
{
	NX_VEC(const char *) names = {0};
	char hint[NX_HINT_MAX];
	const char *near;

	*query = nx_named_query_find(name);
	if (*query)
		return NX_OK;
	for (size_t i = 0; i < nx_named_query_count; i++)
		nx_vec_push(&names, nx_named_queries[i].name);
	near = nx_suggest_name(names.items, names.len, name);
	nx_vec_release(&names);
	return nx_fail(err, NX_NOT_FOUND, "there is no query '%.100s'%s", name,
		       nx_hint(near, "; .queries lists them", hint));
}

static enum nx_status read_arguments(struct arguments *arguments, const char *line,
				     struct nx_error *err)
{
	const struct nx_named_query *query = arguments->query;

	for (;;) {
		const char *word = take_word(&line, &arguments->arena);
		const char *sign = strchr(word, '='), *name;
		const struct nx_named_parameter *p;

		if (!*word)
			return NX_OK;
		if (!sign)
			return nx_fail(err, NX_USAGE,
				       "a parameter is NAME=VALUE, such as depth=2, not '%.100s'",
				       word);
		name = nx_arena_copy(&arguments->arena, nx_slice_of(word, (size_t)(sign - word)));
		p = nx_named_query_parameter(query, name);
		if (!p)
			return nx_fail(err, NX_USAGE, "the query %s has no parameter '%.100s'",
				       query->name, name);
		arguments->values[p - query->parameters] = sign + 1;
	}
}

enum nx_status nx_query_session_run_named(struct nx_query_session *s, const char *line,
					  struct nx_error *err)
{
	struct arguments arguments = {0};
	struct nx_bytes sql = {0};
	enum nx_status st = find_query(take_word(&line, &arguments.arena), &arguments.query, err);

	if (!st)
		st = read_arguments(&arguments, line, err);
	if (!st)
		st = nx_named_query_append(&sql, arguments.query, find_value, &arguments, err);
	if (!st)
		st = nx_query_session_ask(s, nx_slice_of(sql.items, sql.len), err);
	nx_vec_release(&sql);
	nx_arena_release(&arguments.arena);
	return st;
}
