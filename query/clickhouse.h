/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse: SQL on the ClickHouse server that profiles were pushed to
 * (store/clickhouse/clickhouse_sink.h), as the same stream of rows.
 *
 * The rows are kept in memory until the stream is closed, because the server cannot wait for the
 * reader; a result larger than the limit fails.
 */
#ifndef NX_QUERY_CLICKHOUSE_H
#define NX_QUERY_CLICKHOUSE_H

#include "query/query_engine.h"

#define NX_CLICKHOUSE_ANSWER_BYTES_MAX ((size_t)256 << 20)

struct nx_clickhouse;

/* Fails when the server cannot be reached. */
NX_MUST_CHECK enum nx_status nx_clickhouse_open(struct nx_clickhouse **out, const char *url,
						struct nx_error *err);
void nx_clickhouse_close(struct nx_clickhouse *engine);

/* Borrows the engine. Streams live on their own. */
struct nx_query_engine nx_clickhouse_as_engine(struct nx_clickhouse *engine);

#endif
