/* SPDX-License-Identifier: Apache-2.0 */
/*
 * where: the conditions of a request (where=opcode=MATMUL&where=duration_ns>100) as SQL for
 * the engine of a profile. Names are looked up in the table and values are written
 * according to the types of its columns, so nothing a client sends is read as SQL.
 */
#ifndef NX_SERVE_WHERE_H
#define NX_SERVE_WHERE_H

#include "query/stored_table.h"
#include "serve/request.h"

/* " WHERE a AND b", or nothing. NOT_FOUND for a column that is not there, else USAGE. */
NX_MUST_CHECK enum nx_status nx_where_append(struct nx_bytes *sql,
					     const struct nx_stored_table *table,
					     const struct nx_request *request,
					     struct nx_error *err);
/* One condition, "opcode=MATMUL", without the word before it. */
NX_MUST_CHECK enum nx_status nx_where_append_one(struct nx_bytes *sql,
						 const struct nx_stored_table *table,
						 const char *condition, struct nx_error *err);
/* " ORDER BY ..." of "duration_ns" or "-duration_ns"; equals in order of time. */
NX_MUST_CHECK enum nx_status nx_where_append_order(struct nx_bytes *sql,
						   const struct nx_stored_table *table,
						   const char *order, struct nx_error *err);

#endif
