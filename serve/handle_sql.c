/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/handlers.h"
#include "serve/sql_answer.h"

NX_HANDLER(sql)
{
	struct nx_sql_asked asked = {0};
	const struct nx_json *body;
	enum nx_status st = nx_request_json(request, &body, err);

	if (st)
		return st;
	asked.sql = nx_json_as_slice(nx_json_get(body, "sql"));
	asked.limit = nx_json_get(body, "limit") ? nx_json_as_u64(nx_json_get(body, "limit"), 0)
						 : NX_SQL_ROWS_USUAL;
	if (!asked.sql.len)
		return nx_fail(err, NX_USAGE,
			       "the body should be {\"sql\":\"SELECT ...\",\"limit\":100}");
	if (!asked.limit || asked.limit > NX_SQL_ROWS_MAX)
		return nx_fail(err, NX_USAGE, "'limit' should be a whole number from 1 to %u",
			       NX_SQL_ROWS_MAX);
	return nx_sql_answer(server, request, &asked, reply, err);
}
