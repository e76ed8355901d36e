/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duckdb: SQL over the Parquet files of one profile, inside this process.
 *
 * Each table of the profile is a view. Whoever asks may be a stranger, so the
 * engine is locked before the first question:
 *
 *	- the only files it can open are the profile's own, by name; no folder,
 *	  no network, no extension, no setting can be changed afterwards;
 *	- a question is one SELECT (or DESCRIBE, SHOW, SUMMARIZE, EXPLAIN of one)
 *	  that calls only table functions from a list, because DuckDB has some
 *	  that write; nothing is ever written;
 *	- memory is limited and nothing is spilled to disk.
 *
 * One question at a time for each struct; open several for more. Needs the
 * DuckDB library at run time; nx_duckdb_open says what to do when it is missing.
 */
#ifndef NX_QUERY_DUCKDB_H
#define NX_QUERY_DUCKDB_H

#include "query/profile_folder.h"
#include "query/query_engine.h"

struct nx_duckdb;

struct nx_duckdb_options {
	uint64_t memory_limit_bytes; /* 0: half of the machine's */
	uint32_t thread_count;	     /* 0: one per processor */
	/* Planning cannot be stopped and takes long for thousands of nested parts, so a server
	 * for strangers should ask for less: 0 is 1 MiB, 64 KiB are planned in a second or so. */
	size_t statement_limit_bytes;
	const char *library_path;  /* NULL: looked for where it usually is */
	const char *writable_path; /* the file nx_duckdb_write_parquet may write; NULL: none */
};

/*
 * Names of tables that turned out to be unreadable get their fault set in
 * profile, which must outlive the engine. Fails when no table can be read.
 */
NX_MUST_CHECK enum nx_status nx_duckdb_open(struct nx_duckdb **out,
					    struct nx_profile_folder *profile,
					    const struct nx_duckdb_options *options,
					    struct nx_error *err);
void nx_duckdb_close(struct nx_duckdb *db);

/*
 * Asks. USAGE for SQL that is wrong, NOT_FOUND for a table or column that is
 * not there, PERMISSION for what is locked, LIMIT for too much memory,
 * CANCELLED after nx_duckdb_stop; the place in sql is in the sentence. The
 * stream must be closed before the next question.
 */
NX_MUST_CHECK enum nx_status nx_duckdb_query(struct nx_duckdb *db, struct nx_slice sql,
					     struct nx_row_stream **out, struct nx_error *err);

/* The rows of a SELECT as a Parquet file at the writable path, which is overwritten in place. */
NX_MUST_CHECK enum nx_status nx_duckdb_write_parquet(struct nx_duckdb *db, struct nx_slice sql,
						     const char *path, struct nx_error *err);

/* Ends the question that is being answered, if there is one; from any thread. */
void nx_duckdb_stop(struct nx_duckdb *db);

/* For those who ask without knowing whom. */
struct nx_query_engine nx_duckdb_as_engine(struct nx_duckdb *db);

/* "v1.5.6" */
const char *nx_duckdb_version(const struct nx_duckdb *db);

#endif
