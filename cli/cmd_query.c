/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/query_session.h"
#include "cli/terminal.h"
#include "cli/workspace_view.h"

#define FORMATS "table csv json jsonl parquet"
#define TERMINAL_ROWS 100
#define MOST_SECONDS (UINT32_MAX / 1000)

struct query {
	const char *profile, *data_path, *format, *output_file, *memory_limit;
	struct nx_number_value timeout, threads, max_rows;
	bool explain;
};

#define FIELD(member) NX_FIELD(struct query, member)

static const struct nx_option options[] = {
	NX_ROW_PROFILE(struct query),
	NX_ROW_DATA_PATH(struct query),
	NX_ROW_ROWS_FORMAT(struct query, FORMATS, "table (default), ", "."),
	NX_ROW_ROWS_FILE(struct query, " Required for parquet."),
	{"explain", 0, NX_FLAG, FIELD(explain), "Show the query plan without running the query."},
	{"max-rows", 0, NX_NUMBER("N"), FIELD(max_rows),
	 "How many rows a table shows; 0 for all (default: 100 on a terminal, else all)."},
	{"timeout", 0, NX_NUMBER("SECONDS"), FIELD(timeout),
	 "Stop a query that takes longer, with exit code 10 (default: no limit)."},
	{"memory-limit", 0, NX_TEXT("SIZE"), FIELD(memory_limit),
	 "How much memory a query may use, such as 500MB or 4GB (default: half of the machine's). "
	 "Queries do not spill to disk."},
	{"threads", 'j', NX_NUMBER("N"), FIELD(threads),
	 "How many threads to use (default: one per processor)."},
	{0},
};

/* --- options --------------------------------------------------------------- */

static enum nx_status check(struct query *q, const struct nx_operands *operands,
			    struct nx_error *err)
{
	bool is_parquet = q->format && !strcmp(q->format, "parquet");
	const struct nx_rule rules[] = {
		{operands->count > 1 && operands->items[0][0] != '.',
		 "quote the SQL, so that it is one argument: query -d PROFILE 'SELECT ...'"},
		{is_parquet && !operands->count,
		 "a Parquet file holds the result of one query: give it as an argument"},
		{is_parquet && (!q->output_file || !strcmp(q->output_file, "-")),
		 "a Parquet file needs a name: add --output-file FILE"},
		{is_parquet && q->explain, "--explain cannot write a plan as Parquet"},
		{0},
	};

	q->format = q->format ? q->format : "table";
	if (q->timeout.value > MOST_SECONDS)
		return nx_fail(err, NX_USAGE, "--timeout %u is too long; leave it out",
			       q->timeout.value);
	return nx_rules_check(rules, err);
}

static enum nx_status settings_of(const struct query *q, struct nx_query_settings *how,
				  struct nx_error *err)
{
	bool is_terminal =
		isatty(STDOUT_FILENO) == 1 && (!q->output_file || !strcmp(q->output_file, "-"));

	*how = (struct nx_query_settings){
		.format = q->format,
		.output_path = q->output_file ? q->output_file : "-",
		.engine.thread_count = q->threads.value,
		.timeout_ms = q->timeout.value * 1000,
		.explain = q->explain,
		.table = {.width = is_terminal ? nx_terminal_width() : 0,
			  .is_coloured = is_terminal && nx_terminal_is_coloured(STDOUT_FILENO),
			  .shows_count = is_terminal,
			  .limit_count = is_terminal ? TERMINAL_ROWS : 0},
	};
	if (q->max_rows.is_given)
		how->table.limit_count = q->max_rows.value;
	return q->memory_limit ? nx_size_parse("memory-limit", q->memory_limit,
					       &how->engine.memory_limit_bytes, err)
			       : NX_OK;
}

/* --- what it does ---------------------------------------------------------- */

/* ".schema TABLE" arrives as two words. */
static enum nx_status ask_operands(struct nx_query_session *session,
				   const struct nx_operands *operands, struct nx_error *err)
{
	struct nx_bytes text = {0};
	enum nx_status st;

	for (size_t i = 0; i < operands->count; i++) {
		nx_sql_append(&text, i ? " " : "");
		nx_sql_append(&text, operands->items[i]);
	}
	st = nx_query_session_ask_all(session, nx_slice_of(text.items, text.len), err);
	nx_vec_release(&text);
	return st;
}

static enum nx_status run(const struct nx_invocation *call, void *values,
			  struct nx_operands *operands, struct nx_error *err)
{
	struct query *q = values;
	struct nx_query_session session;
	struct nx_query_settings how;
	struct nx_arena arena = {0};
	enum nx_status st = check(q, operands, err);

	if (!st)
		st = settings_of(q, &how, err);
	if (!st)
		st = nx_workspace_view_resolve(q->data_path, q->profile ? q->profile : ".", &arena,
					       &how.profile, err);
	if (!st) {
		st = nx_query_session_open(&session, &how, err);
		if (!st && operands->count)
			st = ask_operands(&session, operands, err);
		else if (!st)
			st = nx_query_session_read(&session, call->program, err);
		st = nx_query_session_close(&session, st, err);
	}
	nx_arena_release(&arena);
	return st;
}

static const struct nx_example examples[] = {
	{"Which tables are there?", "query -d profile .tables"},
	{"Where does the time go?",
	 "query -d profile 'SELECT opcode, sum(duration_ns) AS ns FROM Instruction GROUP BY opcode "
	 "ORDER BY ns DESC LIMIT 10'"},
	{"What does each layer cost? (.queries lists more such queries)",
	 "query -d profile '.query layers depth=2'"},
	{"Pass rows to another program:",
	 "query -d profile --format jsonl 'FROM Instruction' | jq .opcode"},
	{"Explore at a prompt:", "query -d profile"},
	{0},
};

const struct nx_command nx_command_query = {
	.name = "query",
	.summary = "query a profile with SQL",
	.operands = "[SQL]",
	.description =
		"Runs SQL over the tables of a profile: a folder with a Parquet file for each "
		"table. Statements are separated by ';'. Without SQL, they are read from standard "
		"input; on a terminal there is a prompt, where .help lists commands such as "
		".tables and .schema.\n"
		"\n"
		"The SQL is DuckDB's. It can read the tables of the profile and nothing else: no "
		"other file, no network, no settings, and it changes nothing. Integers are exact "
		"in every format, including JSON, where some readers round values beyond 2^53.\n"
		"\n"
		"The DuckDB library is loaded from NEURON_EXPLORER_DUCKDB if set, else from the "
		"program's folder, else from the system.",
	.options = options,
	.examples = examples,
	.values_bytes = sizeof(struct query),
	.run = run,
};
