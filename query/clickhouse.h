/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse: the other engine: questions to the ClickHouse that profiles were
 * pushed to (store/clickhouse/clickhouse_sink.h), answered by the same stream of rows.
 *
 * An answer is kept in memory until it is closed, because the server's bytes
 * cannot wait; one that is larger than the limit fails. A timeline's question
 * asks for a row per pixel and track, which is little.
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
