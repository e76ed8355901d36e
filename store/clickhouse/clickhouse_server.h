/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_server: one ClickHouse, asked over its HTTP interface.
 *
 *	nx_clickhouse_server_open(&server, &url, url.host, &arena);
 *	st = nx_clickhouse_server_run(&server, "CREATE DATABASE IF NOT EXISTS runs", err);
 *	st = nx_clickhouse_server_query(&server, &question, err);
 *	nx_clickhouse_server_close(&server);
 *
 * Failures are sentences with the server's place (never the password) and a remedy where the code
 * of the error has one. After a failure may_pass tells whether asking again may help: the
 * connection was lost, the server is starting, overloaded or out of memory for the moment. Nothing
 * is repeated here; who knows whether a statement may run twice is the caller.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_SERVER_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_SERVER_H

#include "base/http_client.h"
#include "store/clickhouse/clickhouse_rows.h"
#include "store/clickhouse/clickhouse_url.h"

struct nx_clickhouse_server {
	struct nx_http_client *http;
	struct nx_http_answer answer;
	struct nx_bytes request_url;
	const char *origin; /* "http://host:port" */
	const char *place;  /* "clickhouse://host:port", for sentences */
	const char *user, *password;
	uint32_t version; /* 18016 for 18.16; 0: nobody has asked */
	bool may_pass;	  /* of the last failure */
};

/* The server of that host, otherwise as the URL says; texts live in the arena. Connects lazily. */
void nx_clickhouse_server_open(struct nx_clickhouse_server *server,
			       const struct nx_clickhouse_url *url, const char *host,
			       struct nx_arena *arena);
void nx_clickhouse_server_close(struct nx_clickhouse_server *server);

/* Asks for the version, which some statements depend on; proves that the server is there. */
NX_MUST_CHECK enum nx_status nx_clickhouse_server_greet(struct nx_clickhouse_server *server,
							struct nx_error *err);

/* A statement without an answer. */
NX_MUST_CHECK enum nx_status nx_clickhouse_server_run(struct nx_clickhouse_server *server,
						      const char *sql, struct nx_error *err);

/* A question; its rows go to the function one by one (no FORMAT in the SQL). settings, NULL or as
 * in a URL ("readonly=2&database=runs"), hold for this question. */
struct nx_clickhouse_question {
	const char *sql;
	const char *settings;
	nx_clickhouse_row_fn row;
	void *context;
};
NX_MUST_CHECK enum nx_status nx_clickhouse_server_query(
	struct nx_clickhouse_server *server, const struct nx_clickhouse_question *question,
	struct nx_error *err);

/* Rows for an INSERT statement that ends in FORMAT; query_id is the server's name for the call. */
NX_MUST_CHECK enum nx_status nx_clickhouse_server_insert(struct nx_clickhouse_server *server,
							 const char *sql, const char *query_id,
							 struct nx_slice rows,
							 struct nx_error *err);

/* Appends 'text' as SQL writes it, quotes and backslashes escaped. */
void nx_clickhouse_append_text(struct nx_bytes *sql, struct nx_slice text);

#endif
