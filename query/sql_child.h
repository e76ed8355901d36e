/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_child: a process of its own that runs SQL over one profile.
 *
 *	st = nx_sql_child_start(&child, &options, err);		the process; loads DuckDB
 *	st = nx_sql_child_open(child, path, err);		the profile
 *	st = nx_sql_child_query(child, sql, &rows, err);
 *
 * DuckDB's own limit does not count lists and long texts, an allocation that fails may end its
 * process, and planning cannot be interrupted. So queries of strangers run here, and the system
 * enforces the limits: on memory, on processor time, and on files (none can be written). If the
 * child ends, the query fails with one sentence that names the limit, and the child is not usable
 * any more. It also ends when the process that started it does.
 *
 * One query at a time. nx_sql_child_stop is safe from any thread, the rest is not.
 */
#ifndef NX_QUERY_SQL_CHILD_H
#define NX_QUERY_SQL_CHILD_H

#include "query/query_engine.h"

#define NX_SQL_CHILD_ARGUMENT "--answer-sql"
#define NX_SQL_CHILD_FD 3 /* the child's end of the connection */

struct nx_sql_child;

struct nx_sql_child_options {
	const char *program;	      /* calls nx_sql_child_serve when given the argument */
	uint64_t memory_limit_bytes;  /* for data; the process may need a quarter more */
	size_t statement_limit_bytes; /* 0: as nx_duckdb_options */
	size_t row_bytes_max;	      /* of a single row; 0: 32 MiB */
	uint32_t processor_seconds;   /* for each query; 0: 120 */
	uint32_t thread_count;	      /* 0: one per processor */
	const char *library_path;     /* NULL: looked for where it usually is */
};

/* Does not wait until the process runs. */
NX_MUST_CHECK enum nx_status nx_sql_child_start(struct nx_sql_child **out,
						const struct nx_sql_child_options *options,
						struct nx_error *err);
/* Opens the profile at path; once. Fails as nx_duckdb_open and nx_profile_folder_open do. */
NX_MUST_CHECK enum nx_status nx_sql_child_open(struct nx_sql_child *child, const char *path,
					       struct nx_error *err);
/* As nx_duckdb_query; LIMIT if the child ended. Close the rows before the next query. */
NX_MUST_CHECK enum nx_status nx_sql_child_query(struct nx_sql_child *child, struct nx_slice sql,
						struct nx_row_stream **out, struct nx_error *err);
/* Ends the process and so the running query, which returns CANCELLED. */
void nx_sql_child_stop(struct nx_sql_child *child);
/* Ends the process; child may be NULL. */
void nx_sql_child_close(struct nx_sql_child *child);

/* False if it ended, for example because the system was out of memory; between queries only. */
bool nx_sql_child_is_alive(const struct nx_sql_child *child);
/* For callers that do not depend on the engine. */
struct nx_query_engine nx_sql_child_as_engine(struct nx_sql_child *child);

/* In the child: answers at NX_SQL_CHILD_FD until the parent hangs up; returns the exit code. */
int nx_sql_child_serve(const char *library_path);

#endif
