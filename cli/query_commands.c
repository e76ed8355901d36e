/* SPDX-License-Identifier: Apache-2.0 */
/* The dot commands of the query command. */
#include <stdio.h>

#include "cli/query_session.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"
#include "query/sql_text.h"

static enum nx_status append_text(struct nx_bytes *sql, const char *text, struct nx_error *err)
{
	return nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(text), err);
}

static enum nx_status append_table(struct nx_bytes *sql, const struct nx_folder_table *table,
				   struct nx_error *err)
{
	char files[32];
	enum nx_status st;

	snprintf(files, sizeof(files), ", %zu, ", table->file_count);
	nx_sql_append(sql, sql->len ? " UNION ALL SELECT " : "SELECT ");
	st = append_text(sql, table->name, err);
	if (st)
		return st;
	if (table->fault) {
		nx_sql_append(sql, ", NULL");
		nx_sql_append(sql, files);
		return append_text(sql, table->fault, err);
	}
	nx_sql_append(sql, ", (SELECT count(*) FROM ");
	st = nx_sql_append_name(sql, NX_SQL_DUCKDB, table->name, err);
	nx_sql_append(sql, ")");
	nx_sql_append(sql, files);
	nx_sql_append(sql, "NULL");
	return st;
}

static bool has_fault(const struct nx_profile_folder *profile)
{
	for (size_t i = 0; i < profile->tables.len; i++)
		if (profile->tables.items[i].fault)
			return true;
	return false;
}

static enum nx_status show_tables(struct nx_query_session *s, const char *word,
				  struct nx_error *err)
{
	struct nx_bytes list = {0}, sql = {0};
	enum nx_status st = NX_OK;

	(void)word;
	for (size_t i = 0; i < s->profile.tables.len && !st; i++)
		st = append_table(&list, &s->profile.tables.items[i], err);
	nx_sql_append(&sql, has_fault(&s->profile) ? "SELECT *" : "SELECT * EXCLUDE (fault)");
	nx_sql_append(&sql, " FROM (");
	nx_bytes_append(&sql, list.items, list.len);
	nx_sql_append(&sql, ") AS t(\"table\", row_count, file_count, fault)");
	if (!st)
		st = nx_query_session_ask(s, nx_slice_of(sql.items, sql.len), err);
	nx_vec_release(&list);
	nx_vec_release(&sql);
	return st;
}

static enum nx_status check_table(struct nx_query_session *s, const char *name,
				  struct nx_error *err)
{
	const struct nx_folder_table *table = nx_profile_folder_find(&s->profile, name);

	if (!table)
		return nx_workspace_view_refuse_table(&s->profile, name, "; .tables lists them",
						      err);
	return table->fault ? nx_fail(err, NX_FORMAT, "the table %s cannot be read: %s",
				      table->name, table->fault)
			    : NX_OK;
}

static enum nx_status show_schema(struct nx_query_session *s, const char *word,
				  struct nx_error *err)
{
	struct nx_bytes sql = {0};
	enum nx_status st = *word ? check_table(s, word, err) : NX_OK;

	nx_sql_append(&sql, "SELECT table_name AS \"table\", column_name AS \"column\", data_type "
			    "AS \"type\" FROM duckdb_columns() WHERE NOT internal");
	if (!st && *word) {
		nx_sql_append(&sql, " AND lower(table_name) = lower(");
		st = append_text(&sql, word, err);
		nx_sql_append(&sql, ")");
	}
	nx_sql_append(&sql, " ORDER BY lower(table_name), column_index");
	if (!st)
		st = nx_query_session_ask(s, nx_slice_of(sql.items, sql.len), err);
	nx_vec_release(&sql);
	return st;
}

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
	{".queries", "", "list the named queries and their parameters",
	 nx_query_session_list_named},
	{".query", " NAME [PARAMETER=VALUE]...", "run a named query", nx_query_session_run_named},
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
		if (commands[i].run == nx_query_session_run_named)
			return nx_query_session_run_named(s, rest, err);
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(rest, " \t\r\n;"), rest);
		return commands[i].run(s, word, err);
	}
	return nx_fail(err, NX_USAGE, "there is no command '%.*s'; .help lists them",
		       (int)(len < 100 ? len : 100), name);
}
