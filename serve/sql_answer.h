/* SPDX-License-Identifier: Apache-2.0 */
/* sql_answer: runs a user's SQL statement on a profile and writes its rows as JSON. */
#ifndef NX_SERVE_SQL_ANSWER_H
#define NX_SERVE_SQL_ANSWER_H

#include "serve/asking.h"
#include "serve/reply.h"

#define NX_SQL_ROWS_USUAL 1000u
#define NX_SQL_ROWS_MAX 100000u

struct nx_sql_asked {
	struct nx_slice sql;
	uint64_t limit;	     /* of rows */
	bool has_named_rows; /* rows are objects instead of arrays */
};

/* {"columns":[{"name","type"}],"rows":[[...]],"is_cut","elapsed_ms"} */
NX_MUST_CHECK enum nx_status nx_sql_answer(struct nx_server *server, struct nx_request *request,
					   const struct nx_sql_asked *asked, struct nx_reply *reply,
					   struct nx_error *err);

#endif
