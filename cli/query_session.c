/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/query_session.h"

#include <assert.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cli/terminal.h"
#include "query/sql_text.h"
#include "query/watchdog.h"

/* --- ctrl-c while a query runs --------------------------------------------- */

static atomic_bool is_interrupted;
static struct sigaction usual_action;

/* A second ctrl-c does what it usually does, in case the first has no effect. */
static void on_interrupt(int sig)
{
	atomic_store(&is_interrupted, true);
	sigaction(sig, &usual_action, NULL);
}

static void catch_interrupts(void)
{
	struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};

	atomic_store(&is_interrupted, false);
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, NULL, &usual_action);
	/* nohup and background jobs of shells ignore it on purpose */
	if (usual_action.sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
}

static bool is_wanted(void *unused)
{
	(void)unused;
	return !atomic_load(&is_interrupted);
}

static void stop_query(void *context)
{
	nx_duckdb_stop(context);
}

/* --- one statement --------------------------------------------------------- */

/* Plans are drawings; in a table's cell they would be one long line. */
static enum nx_status print_plan(struct nx_query_session *s, struct nx_row_stream *rows,
				 struct nx_error *err)
{
	const struct nx_value *row;
	enum nx_status st = nx_row_stream_next(rows, &row, err);

	while (!st && row) {
		const struct nx_value *plan = &row[rows->column_count - 1];

		if (plan->kind == NX_VALUE_TEXT)
			nx_print(&s->out, "%.*s\n", (int)plan->text.len,
				 (const char *)plan->text.data);
		st = nx_row_stream_next(rows, &row, err);
	}
	return st;
}

static enum nx_status pour(struct nx_query_session *s, struct nx_row_stream *rows,
			   struct nx_error *err)
{
	const struct nx_row_format *format = nx_row_format_find(s->how.format);
	struct nx_row_sink *sink =
		format ? format->open(&s->out) : nx_query_table_open(&s->out, &s->how.table);
	enum nx_status st = nx_row_sink_pour(sink, rows, err);

	nx_row_sink_close(sink);
	return st;
}

static enum nx_status answer(struct nx_query_session *s, struct nx_slice sql, struct nx_error *err)
{
	struct nx_slice statement = sql;
	bool is_plan = nx_sql_take_explain(&statement) != NX_SQL_RUN;
	struct nx_bytes text = {0};
	struct nx_row_stream *rows;
	enum nx_status st;

	if (s->how.explain && !is_plan)
		nx_sql_append(&text, "EXPLAIN ");
	is_plan = is_plan || s->how.explain;
	nx_bytes_append(&text, sql.data, sql.len);
	st = nx_duckdb_query(s->db, nx_slice_of(text.items, text.len), &rows, err);
	nx_vec_release(&text);
	if (st)
		return st;
	st = is_plan && !strcmp(s->how.format, "table") ? print_plan(s, rows, err)
							: pour(s, rows, err);
	nx_row_stream_close(rows);
	return st;
}

enum nx_status nx_query_session_ask(struct nx_query_session *s, struct nx_slice sql,
				    struct nx_error *err)
{
	struct nx_watch watch = {.stop = stop_query,
				 .context = s->db,
				 .is_wanted = is_wanted,
				 .timeout_ms = s->how.timeout_ms};
	struct nx_watchdog dog;
	enum nx_status st;

	assert(s->db && s->timer);
	catch_interrupts();
	nx_watchdog_begin(&dog, s->timer, &watch);
	if (!strcmp(s->how.format, "parquet")) {
		st = nx_duckdb_write_parquet(s->db, sql, s->how.engine.writable_path, err);
	} else {
		st = answer(s, sql, err);
		nx_output_flush(&s->out);
	}
	st = nx_watchdog_end(&dog, st, err);
	sigaction(SIGINT, &usual_action, NULL);
	return st;
}

enum nx_status nx_query_session_ask_all(struct nx_query_session *s, struct nx_slice text,
					struct nx_error *err)
{
	struct nx_slice statement;
	enum nx_status st = NX_OK;
	size_t at = 0;

	/* SQL never begins with a dot. */
	while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\n'))
		at++;
	if (at < text.len && text.data[at] == '.')
		return nx_query_session_command(s, nx_arena_copy(&s->profile.arena, text), err);
	while (text.len && !st) {
		(void)nx_sql_take(&text, &statement);
		if (statement.len)
			st = nx_query_session_ask(s, statement, err);
	}
	return st;
}

/* --- the session ----------------------------------------------------------- */

/* DuckDB writes Parquet itself, into the temporary file that becomes the output. */
static enum nx_status prepare_parquet(struct nx_query_session *s, struct nx_error *err)
{
	char path[PATH_MAX];

	if (!s->out.temporary_path || !realpath(s->out.temporary_path, path))
		return nx_fail(err, NX_USAGE,
			       "a Parquet file cannot be written to a pipe or a device; name a "
			       "file with --output-file");
	s->how.engine.writable_path = nx_arena_copy_text(&s->profile.arena, path);
	return NX_OK;
}

enum nx_status nx_query_session_open(struct nx_query_session *s,
				     const struct nx_query_settings *how, struct nx_error *err)
{
	enum nx_status st;

	assert(how->profile && how->format && how->output_path);
	*s = (struct nx_query_session){.how = *how};
	st = nx_profile_folder_open(&s->profile, how->profile, err);
	if (!st)
		st = nx_output_open(&s->out, how->output_path, err);
	if (!st && !strcmp(how->format, "parquet"))
		st = prepare_parquet(s, err);
	if (!st)
		st = nx_timer_new(&s->timer, err);
	return st ? st : nx_duckdb_open(&s->db, &s->profile, &s->how.engine, err);
}

enum nx_status nx_query_session_close(struct nx_query_session *s, enum nx_status st,
				      struct nx_error *err)
{
	nx_duckdb_close(s->db);
	nx_timer_free(s->timer);
	st = nx_print_end(&s->out, st, err);
	nx_profile_folder_release(&s->profile);
	return st;
}
