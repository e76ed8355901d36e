/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_server: one ClickHouse server, used via its HTTP interface.
 *
 *	nx_clickhouse_server_open(&server, &url, url.host, &arena);
 *	st = nx_clickhouse_server_run(&server, "CREATE DATABASE IF NOT EXISTS runs", err);
 *	st = nx_clickhouse_server_query(&server, &question, err);
 *	nx_clickhouse_server_close(&server);
 *
 * Error messages name the server (never the password) and a remedy if the error code has one. After
 * a failure, may_pass says whether a retry may help: the connection was lost, or the server is
 * starting, overloaded or short of memory. Retrying is up to the caller, who knows whether a
 * statement may run twice.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_SERVER_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_SERVER_H

#include "base/http_client.h"
#include "store/clickhouse/clickhouse_rows.h"

/*
 * The address of a server and a database on it:
 *
 *	clickhouse://[user[:password]@]host[:port]/database[?cluster=NAME][&secure=1]
 *
 * The port is that of the HTTP interface, by default 8123, or 8443 with secure=1, which uses
 * https. User and password may be percent-encoded. IPv6 addresses are written in brackets.
 */
struct nx_clickhouse_url {
	const char *user, *password; /* NULL: the server's default user */
	const char *host;
	uint16_t port;
	bool is_secure;
	const char *database; /* letters, digits and _ */
	const char *cluster;  /* as in system.clusters; NULL: this server alone */
};

/* Copies texts into the arena. USAGE if it is not valid; the message shows the form of a URL and
 * never repeats the password. */
NX_MUST_CHECK enum nx_status nx_clickhouse_url_parse(struct nx_clickhouse_url *url,
						     const char *text, struct nx_arena *arena,
						     struct nx_error *err);

struct nx_clickhouse_server {
	struct nx_http_client *http;
	struct nx_http_answer answer;
	struct nx_bytes request_url;
	const char *origin; /* "http://host:port" */
	const char *place;  /* "clickhouse://host:port", for messages */
	const char *user, *password;
	uint32_t version; /* 18016 for 18.16; 0: unknown so far */
	bool may_pass;	  /* of the last failure */
};

/* A server on that host, otherwise as in the URL; texts live in the arena. Connects lazily. */
void nx_clickhouse_server_open(struct nx_clickhouse_server *server,
			       const struct nx_clickhouse_url *url, const char *host,
			       struct nx_arena *arena);
void nx_clickhouse_server_close(struct nx_clickhouse_server *server);

/* Gets the version, which some statements depend on, and so checks that the server answers. */
NX_MUST_CHECK enum nx_status nx_clickhouse_server_greet(struct nx_clickhouse_server *server,
							struct nx_error *err);

/* Runs a statement without a result. */
NX_MUST_CHECK enum nx_status nx_clickhouse_server_run(struct nx_clickhouse_server *server,
						      const char *sql, struct nx_error *err);

/* A query; its row function is called for each row (no FORMAT in the SQL). settings, NULL or as in
 * a URL ("readonly=2&database=runs"), apply to this query. */
struct nx_clickhouse_question {
	const char *sql;
	const char *settings;
	nx_clickhouse_row_fn row;
	void *context;
};
NX_MUST_CHECK enum nx_status nx_clickhouse_server_query(
	struct nx_clickhouse_server *server, const struct nx_clickhouse_question *question,
	struct nx_error *err);

/* Rows for an INSERT statement that ends in FORMAT; query_id identifies the call on the server. */
NX_MUST_CHECK enum nx_status nx_clickhouse_server_insert(struct nx_clickhouse_server *server,
							 const char *sql, const char *query_id,
							 struct nx_slice rows,
							 struct nx_error *err);

/* Appends 'text' as SQL writes it, quotes and backslashes escaped. */
void nx_clickhouse_append_text(struct nx_bytes *sql, struct nx_slice text);

/* Appends texts one after another. */
void nx_clickhouse_append_all(struct nx_bytes *sql, const char *const *texts);
#define nx_clickhouse_append(sql, ...)                                                             \
	nx_clickhouse_append_all((sql), (const char *const[]){__VA_ARGS__, NULL})

#endif
