/* SPDX-License-Identifier: Apache-2.0 */
/* The dot commands of the query command. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/query_session.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"
#include "query/named_query.h"
#include "query/sql_text.h"

/* --- tables ---------------------------------------------------------------- */

static void append_table(struct nx_bytes *sql, const struct nx_folder_table *table)
{
	nx_sql_append(sql, sql->len ? " UNION ALL SELECT " : "SELECT ");
	nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(table->name));
	if (table->fault) {
		nx_bytes_printf(sql, ", NULL, %zu, ", table->file_count);
		nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(table->fault));
		return;
	}
	nx_sql_append(sql, ", (SELECT count(*) FROM ");
	nx_sql_append_name(sql, NX_SQL_DUCKDB, table->name);
	nx_bytes_printf(sql, "), %zu, NULL", table->file_count);
}

static enum nx_status show_tables(struct nx_query_session *s, const char *word,
				  struct nx_error *err)
{
	struct nx_bytes list = {0}, sql = {0};
	bool has_fault = false;
	enum nx_status st;

	(void)word;
	for (size_t i = 0; i < s->profile.tables.len; i++) {
		has_fault = has_fault || s->profile.tables.items[i].fault;
		append_table(&list, &s->profile.tables.items[i]);
	}
	nx_sql_append(&sql, has_fault ? "SELECT *" : "SELECT * EXCLUDE (fault)");
	nx_sql_append(&sql, " FROM (");
	nx_bytes_append(&sql, list.items, list.len);
	nx_sql_append(&sql, ") AS t(\"table\", row_count, file_count, fault)");
	st = nx_query_session_ask(s, nx_slice_of(sql.items, sql.len), err);
	nx_vec_release(&list);
	nx_vec_release(&sql);
	return st;
}

static enum nx_status show_schema(struct nx_query_session *s, const char *word,
				  struct nx_error *err)
{
	const struct nx_folder_table *table = nx_profile_folder_find(&s->profile, word);
	struct nx_bytes sql = {0};
	enum nx_status st;

	if (*word && !table)
		return nx_workspace_view_refuse_table(&s->profile, word, "; .tables lists them",
						      err);
	if (*word && table->fault)
		return nx_fail(err, NX_FORMAT, "the table %s cannot be read: %s", table->name,
			       table->fault);
	nx_sql_append(&sql, "SELECT table_name AS \"table\", column_name AS \"column\", data_type "
			    "AS \"type\" FROM duckdb_columns() WHERE NOT internal");
	if (*word) {
		nx_sql_append(&sql, " AND lower(table_name) = lower(");
		nx_sql_append_text(&sql, NX_SQL_DUCKDB, nx_slice_text(word));
		nx_sql_append(&sql, ")");
	}
	nx_sql_append(&sql, " ORDER BY lower(table_name), column_index");
	st = nx_query_session_ask(s, nx_slice_of(sql.items, sql.len), err);
	nx_vec_release(&sql);
	return st;
}

/* --- named queries, which the pages run too -------------------------------- */

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
	nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text((const char *)text.items));
	nx_vec_release(&text);
}

static enum nx_status list_named(struct nx_query_session *s, const char *line, struct nx_error *err)
{
	struct nx_bytes sql = {0};
	enum nx_status st;

	(void)line;
	nx_sql_append(&sql, "SELECT * FROM (VALUES ");
	for (size_t i = 0; i < nx_named_query_count; i++) {
		const struct nx_named_query *query = &nx_named_queries[i];

		nx_sql_append(&sql, i ? ", (" : "(");
		nx_sql_append_text(&sql, NX_SQL_DUCKDB, nx_slice_text(query->name));
		nx_sql_append(&sql, ", ");
		nx_sql_append_text(&sql, NX_SQL_DUCKDB, nx_slice_text(query->kind));
		nx_sql_append(&sql, ", ");
		append_parameters(&sql, query);
		nx_sql_append(&sql, ", ");
		nx_sql_append_text(&sql, NX_SQL_DUCKDB, nx_slice_text(query->help));
		nx_sql_append(&sql, ")");
	}
	nx_sql_append(&sql, ") AS q(query, profile, parameters, description)");
	st = nx_query_session_ask(s, nx_slice_of(sql.items, sql.len), err);
	nx_vec_release(&sql);
	return st;
}

struct arguments {
	struct nx_arena arena;
	const struct nx_named_query *query;
	const char *values[NX_NAMED_PARAMETERS_MAX]; /* of its parameters */
};

static const char *find_value(void *context, const char *name)
{
	const struct arguments *arguments = context;
	const struct nx_named_query *query = arguments->query;

	return arguments
		->values[nx_named_query_parameter(query, nx_slice_text(name)) - query->parameters];
}

static const char *take_word(const char **line, struct nx_arena *arena)
{
	const char *begin = *line + strspn(*line, " \t");
	size_t len = strcspn(begin, " \t\r\n;");

	*line = begin + len;
	return nx_arena_copy(arena, nx_slice_of(begin, len));
}

static enum nx_status read_arguments(struct arguments *arguments, const char *line,
				     struct nx_error *err)
{
	const struct nx_named_query *query = arguments->query;

	assert(query);
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
		p = nx_named_query_parameter(query, nx_slice_text(name));
		if (!p)
			return nx_fail(err, NX_USAGE, "the query %s has no parameter '%.100s'",
				       query->name, name);
		arguments->values[p - query->parameters] = sign + 1;
	}
}

static enum nx_status run_named(struct nx_query_session *s, const char *line, struct nx_error *err)
{
	struct arguments arguments = {0};
	const char *name = take_word(&line, &arguments.arena);
	struct nx_bytes sql = {0};
	char hint[NX_HINT_MAX];
	enum nx_status st = NX_OK;

	arguments.query = nx_named_query_find(name);
	if (!arguments.query)
		st = nx_fail(err, NX_NOT_FOUND, "there is no query '%.100s'%s", name,
			     nx_hint(nx_suggest_member(nx_named_queries, nx_named_query_count, name,
						       name),
				     "; .queries lists them", hint));
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

/* --- the commands ---------------------------------------------------------- */

static enum nx_status quit(struct nx_query_session *s, const char *word, struct nx_error *err)
{
	(void)word, (void)err;
	s->is_over = true;
	return NX_OK;
}

static enum nx_status show_help(struct nx_query_session *s, const char *word, struct nx_error *err);

static const struct {
	const char *name, *operand, *help;
	enum nx_status (*run)(struct nx_query_session *s, const char *word, struct nx_error *err);
} commands[] = {
	{".tables", "", "list the tables and their row counts", show_tables},
	{".schema", " [TABLE]", "list the columns of a table, or of all", show_schema},
	{".queries", "", "list the named queries and their parameters", list_named},
	{".query", " NAME [PARAMETER=VALUE]...", "run a named query", run_named},
	{".help", "", "show this list", show_help},
	{".quit", "", "quit (also ctrl-d)", quit},
};

static enum nx_status show_help(struct nx_query_session *s, const char *word, struct nx_error *err)
{
	(void)word, (void)err;
	nx_print(&s->out,
		 "SQL may span lines and ends with ';'. ctrl-c stops a running query; at the "
		 "prompt it\nquits.\n\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		nx_print(&s->out, "%s%-*s  %s\n", commands[i].name,
			 (int)(34 - strlen(commands[i].name)), commands[i].operand,
			 commands[i].help);
	nx_output_flush(&s->out);
	return NX_OK;
}

enum nx_status nx_query_session_command(struct nx_query_session *s, const char *line,
					struct nx_error *err)
{
	const char *name = line + strspn(line, " \n");
	size_t len = strcspn(name, " \t\r\n;");
	char word[256];

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		const char *rest = name + len + strspn(name + len, " \t;");

		if (strlen(commands[i].name) != len || strncmp(commands[i].name, name, len) != 0)
			continue;
		if (commands[i].run == run_named)
			return run_named(s, rest, err);
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(rest, " \t\r\n;"), rest);
		return commands[i].run(s, word, err);
	}
	return nx_fail(err, NX_USAGE, "there is no command '%.*s'; .help lists them",
		       (int)(len < 100 ? len : 100), name);
}
