/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duckdb: SQL over the Parquet files of one profile, inside this process.
 *
 * Each table of the profile is a view. Queries are untrusted, so the engine is
 * locked before the first one:
 *
 *	- the only files it can open are the profile's own, by name; no folder,
 *	  no network, no extension, no setting can be changed afterwards;
 *	- a query is one SELECT (or DESCRIBE, SHOW, SUMMARIZE, EXPLAIN of one)
 *	  that calls only table functions from a list, because DuckDB has some
 *	  that write; nothing is ever written;
 *	- memory is limited and nothing is spilled to disk.
 *
 * One query at a time for each engine; open several for more. Needs the DuckDB
 * library at run time; the error of nx_duckdb_open says how to install it.
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
 * Sets the fault of each unreadable table in profile, which must outlive the
 * engine. Fails if no table can be read.
 */
NX_MUST_CHECK enum nx_status nx_duckdb_open(struct nx_duckdb **out,
					    struct nx_profile_folder *profile,
					    const struct nx_duckdb_options *options,
					    struct nx_error *err);
void nx_duckdb_close(struct nx_duckdb *db);

/*
 * Runs a query. USAGE for invalid SQL, NOT_FOUND for a missing table or column,
 * PERMISSION for what is locked, LIMIT if it needs too much memory, CANCELLED
 * after nx_duckdb_stop; messages name the position in sql. Close the stream
 * before the next query.
 */
NX_MUST_CHECK enum nx_status nx_duckdb_query(struct nx_duckdb *db, struct nx_slice sql,
					     struct nx_row_stream **out, struct nx_error *err);

/* The rows of a SELECT as a Parquet file at the writable path, which is overwritten in place. */
NX_MUST_CHECK enum nx_status nx_duckdb_write_parquet(struct nx_duckdb *db, struct nx_slice sql,
						     const char *path, struct nx_error *err);

/* Stops the running query, if any; safe from any thread. */
void nx_duckdb_stop(struct nx_duckdb *db);

/* Half of the machine's memory, but at least 64 MiB. */
uint64_t nx_duckdb_memory_default(void);

/* For callers that do not depend on the engine. */
struct nx_query_engine nx_duckdb_as_engine(struct nx_duckdb *db);

/* "v1.5.6" */
const char *nx_duckdb_version(const struct nx_duckdb *db);

#endif
