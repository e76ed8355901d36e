/* SPDX-License-Identifier: Apache-2.0 */
/* Reads statements from standard input; on a terminal with libedit, if the build has it. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef NX_HAVE_EDIT
#include <histedit.h>
#include <locale.h>
#endif

#include "base/arena.h"
#include "cli/query_session.h"
#include "cli/terminal.h"
#include "query/sql_text.h"

#define STATEMENT_MAX_BYTES ((size_t)1 << 20)
#define HISTORY_LINES 500

struct reader {
	struct nx_query_session *session;
	bool is_prompting;
	struct nx_bytes pending; /* a statement without its ';' so far */
	char *line;		 /* getline's */
	size_t line_cap;
#ifdef NX_HAVE_EDIT
	EditLine *edit;
	History *history;
#endif
};

static const char *prompt_of(const struct reader *r)
{
	return r->pending.len ? "   ...> " : "neuron> ";
}

/* --- lines ----------------------------------------------------------------- */

static const char *next_line(struct reader *r, size_t *len)
{
	ssize_t got;

#ifdef NX_HAVE_EDIT
	if (r->edit && r->history) {
		const char *line;
		HistEvent event;
		int count = 0;

		line = el_gets(r->edit, &count);
		*len = count > 0 ? (size_t)count : 0;
		if (line && count > 1)
			history(r->history, &event, H_ENTER, line);
		return count > 0 ? line : NULL;
	}
#endif
	if (r->is_prompting) {
		fputs(prompt_of(r), stdout);
		fflush(stdout);
	}
	errno = 0;
	got = getline(&r->line, &r->line_cap, stdin);
	*len = got < 0 ? 0 : (size_t)got;
	return got < 0 ? NULL : r->line;
}

#ifdef NX_HAVE_EDIT

static char *edit_prompt(EditLine *edit)
{
	struct reader *r = NULL;

	el_get(edit, EL_CLIENTDATA, &r);
	return (char *)(uintptr_t)prompt_of(r);
}

static void open_lines(struct reader *r)
{
	HistEvent event;

	if (!r->is_prompting)
		return;
	/* libedit needs it for multi-byte characters; nothing else here depends on it */
	setlocale(LC_CTYPE, "");
	r->edit = el_init("neuron-explorer", stdin, stdout, stderr);
	r->history = history_init();
	if (!r->edit || !r->history)
		return;
	history(r->history, &event, H_SETSIZE, HISTORY_LINES);
	history(r->history, &event, H_SETUNIQUE, 1);
	el_set(r->edit, EL_CLIENTDATA, r);
	el_set(r->edit, EL_PROMPT, edit_prompt);
	el_set(r->edit, EL_EDITOR, "emacs");
	el_set(r->edit, EL_SIGNAL, 1); /* gives the terminal back when a signal ends us */
	el_set(r->edit, EL_HIST, history, r->history);
}

#endif

/* --- statements ------------------------------------------------------------ */

/* Runs the statements that are complete and keeps the rest. */
static enum nx_status run_complete(struct reader *r, struct nx_error *err)
{
	struct nx_slice text = nx_slice_of(r->pending.items, r->pending.len), statement;
	enum nx_status st = NX_OK;

	while (!st && nx_sql_take(&text, &statement)) {
		if (statement.len)
			st = nx_query_session_ask(r->session, statement, err);
		memmove(r->pending.items, text.data, text.len);
		r->pending.len = text.len;
		text = nx_slice_of(r->pending.items, r->pending.len);
	}
	/* the rest may be blanks or a comment */
	if (!st && !statement.len && !nx_sql_is_open(nx_slice_of(r->pending.items, r->pending.len)))
		nx_vec_clear(&r->pending);
	return st;
}

static enum nx_status take_line(struct reader *r, const char *line, size_t len,
				struct nx_error *err)
{
	assert(r->pending.len <= STATEMENT_MAX_BYTES);
	if (!r->pending.len && line[0] == '.')
		return nx_query_session_command(r->session, line, err);
	if (len > STATEMENT_MAX_BYTES - r->pending.len)
		return nx_fail(err, NX_LIMIT,
			       "a statement is longer than %zu MB; is a ';' missing?",
			       STATEMENT_MAX_BYTES >> 20);
	nx_bytes_append(&r->pending, line, len);
	/* parse only if the statement can be complete, so that time stays linear in long scripts */
	return memchr(line, ';', len) || r->pending.len == len ? run_complete(r, err) : NX_OK;
}

static enum nx_status run_rest(struct reader *r, struct nx_error *err)
{
	struct nx_slice rest = nx_slice_of(r->pending.items, r->pending.len), statement;

	if (r->is_prompting || r->session->is_over)
		return NX_OK;
	if (nx_sql_is_open(rest))
		return nx_fail(err, NX_USAGE, "the input ends inside a quote or a comment");
	(void)nx_sql_take(&rest, &statement);
	return statement.len ? nx_query_session_ask(r->session, statement, err) : NX_OK;
}

enum nx_status nx_query_session_read(struct nx_query_session *session, const char *program,
				     struct nx_error *err)
{
	struct reader r = {.session = session};
	enum nx_status st = NX_OK;
	const char *line;
	size_t len;

	r.is_prompting = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
#ifdef NX_HAVE_EDIT
	open_lines(&r);
#endif
	if (r.is_prompting)
		nx_say("DuckDB %s, %zu tables; .help lists the commands",
		       nx_duckdb_version(session->db), session->profile.tables.len);
	while (!st && !session->is_over && (line = next_line(&r, &len))) {
		st = take_line(&r, line, len, err);
		if (!st || !r.is_prompting)
			continue;
		nx_say_error(program, err->message);
		nx_vec_clear(&r.pending);
		st = NX_OK;
	}
	if (!st)
		st = run_rest(&r, err);
#ifdef NX_HAVE_EDIT
	if (r.edit)
		el_end(r.edit);
	if (r.history)
		history_end(r.history);
#endif
	nx_vec_release(&r.pending);
	nx_heap_free(r.line);
	return st;
}
