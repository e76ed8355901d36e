/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query_session: runs SQL statements and dot commands on one profile and writes their results.
 * The query command takes them from its arguments, a script or a prompt.
 */
#ifndef NX_CLI_QUERY_SESSION_H
#define NX_CLI_QUERY_SESSION_H

#include "export/row_sink.h"
#include "query/duckdb.h"

struct nx_query_table_style {
	unsigned width;	      /* columns of the terminal; 0: lines may be of any length */
	bool is_coloured;     /* NULL dim, titles bold */
	bool shows_count;     /* ends with the number of rows */
	uint64_t limit_count; /* of rows; 0: none */
};

struct nx_query_settings {
	const char *profile;	 /* as the user named it */
	const char *format;	 /* table, csv, json, jsonl or parquet */
	const char *output_path; /* "-": standard output */
	struct nx_duckdb_options engine;
	struct nx_query_table_style table;
	uint32_t timeout_ms;
	bool explain;
};

struct nx_query_session {
	struct nx_query_settings how;
	struct nx_profile_folder profile;
	struct nx_duckdb *db;
	struct nx_timer *timer;
	struct nx_output out;
	bool is_over; /* .quit was given */
};

/* Close it also after a failure. */
NX_MUST_CHECK enum nx_status nx_query_session_open(struct nx_query_session *session,
						   const struct nx_query_settings *how,
						   struct nx_error *err);
/* Writes pending output if st is OK; else discards it and returns st. */
enum nx_status nx_query_session_close(struct nx_query_session *session, enum nx_status st,
				      struct nx_error *err);

/* One statement without its ';'. CANCELLED if ctrl-c ended it. */
NX_MUST_CHECK enum nx_status nx_query_session_ask(struct nx_query_session *session,
						  struct nx_slice sql, struct nx_error *err);

/* All statements of a text, the last with or without ';', or one dot command. */
NX_MUST_CHECK enum nx_status nx_query_session_ask_all(struct nx_query_session *session,
						      struct nx_slice text, struct nx_error *err);

/* ".tables", ".schema [TABLE]", ".queries", ".query NAME [P=V]...", ".help", ".quit" */
NX_MUST_CHECK enum nx_status nx_query_session_command(struct nx_query_session *session,
						      const char *line, struct nx_error *err);

/*
 * Reads statements from standard input until it ends: with a prompt and editing
 * on a terminal, where an error is reported and the next statement read; else as
 * a script that ends at its first error.
 */
NX_MUST_CHECK enum nx_status nx_query_session_read(struct nx_query_session *session,
						   const char *program, struct nx_error *err);

/*
 * Rows as aligned columns, for people. Columns are as wide as the first rows need; later rows are
 * printed as they come, so memory is bounded. On a terminal lines are cut to its width, NULL is
 * dim and there may be a limit of rows; rows beyond it are only counted.
 */
struct nx_row_sink *nx_query_table_open(struct nx_output *out,
					const struct nx_query_table_style *style);

#endif
