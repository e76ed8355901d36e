/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_reader: queries a ClickHouse that profiles were pushed to.
 *
 *	st = nx_clickhouse_reader_open("clickhouse://localhost:8123/runs", &reader, err);
 *	st = nx_clickhouse_reader_query(reader, sql, on_row, context, err);
 *	nx_clickhouse_reader_close(reader);
 *
 * Tables have their published names on a server and on a cluster alike; the server in the URL
 * gathers from the others. Queries are read-only, whatever the SQL says. Always quote foreign text
 * in SQL with nx_clickhouse_append_text (clickhouse_server.h).
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_READER_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_READER_H

#include "store/clickhouse/clickhouse_rows.h"

struct nx_clickhouse_reader;

/* Fails if the server cannot be reached; *reader is then NULL. */
NX_MUST_CHECK enum nx_status nx_clickhouse_reader_open(const char *url,
						       struct nx_clickhouse_reader **reader,
						       struct nx_error *err);
/* Calls row for each row; its first failure ends the query. The SQL must have no FORMAT. */
NX_MUST_CHECK enum nx_status nx_clickhouse_reader_query(struct nx_clickhouse_reader *reader,
							const char *sql, nx_clickhouse_row_fn row,
							void *context, struct nx_error *err);
void nx_clickhouse_reader_close(struct nx_clickhouse_reader *reader);

#endif
