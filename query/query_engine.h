/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query_engine: runs SQL and returns rows, whichever engine it is: DuckDB in this
 * process, or a server.
 */
#ifndef NX_QUERY_QUERY_ENGINE_H
#define NX_QUERY_QUERY_ENGINE_H

#include "query/row_stream.h"
#include "query/sql_text.h"

struct nx_query_engine {
	enum nx_sql_dialect dialect;
	enum nx_status (*ask)(void *context, struct nx_slice sql, struct nx_row_stream **out,
			      struct nx_error *err);
	void *context;
};

#endif
