/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_reader: questions to the ClickHouse that profiles were pushed to.
 *
 *	st = nx_clickhouse_reader_open("clickhouse://localhost:8123/runs", &reader, err);
 *	st = nx_clickhouse_reader_query(reader, "SELECT engine, count() FROM Instruction"
 *					" WHERE profile = 'step-100' GROUP BY engine", on_row,
 *context, err); nx_clickhouse_reader_close(reader);
 *
 * Tables have their published names, on one server and on a cluster alike; the server that the URL
 * names gathers from the others. Questions can only read, whatever their SQL says. Texts from
 * outside go into SQL by nx_clickhouse_append_text (store/clickhouse/clickhouse_server.h) alone.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_READER_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_READER_H

#include "store/clickhouse/clickhouse_rows.h"

struct nx_clickhouse_reader;

/* Fails when the server cannot be reached; *reader is then NULL. */
NX_MUST_CHECK enum nx_status nx_clickhouse_reader_open(const char *url,
						       struct nx_clickhouse_reader **reader,
						       struct nx_error *err);
/* Rows go to the function one by one; a failure of it ends the question. No FORMAT in the SQL. */
NX_MUST_CHECK enum nx_status nx_clickhouse_reader_query(struct nx_clickhouse_reader *reader,
							const char *sql, nx_clickhouse_row_fn row,
							void *context, struct nx_error *err);
void nx_clickhouse_reader_close(struct nx_clickhouse_reader *reader);

#endif
