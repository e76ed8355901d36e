/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_url: the address of a ClickHouse server and a database on it.
 *
 *	clickhouse://[user[:password]@]host[:port]/database[?cluster=NAME][&secure=1]
 *
 * The port is that of the HTTP interface, by default 8123, or 8443 with secure=1, which uses
 * https. User and password may be percent-encoded. IPv6 addresses are written in brackets.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_URL_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_URL_H

#include "base/arena.h"
#include "base/error.h"

struct nx_clickhouse_url {
	const char *user, *password; /* NULL: the server's default user */
	const char *host;
	uint16_t port;
	bool is_secure;
	const char *database; /* letters, digits and _ */
	const char *cluster;  /* as in system.clusters; NULL: this server alone */
};

/* Whether the text is a ClickHouse URL at all. */
bool nx_clickhouse_url_fits(const char *text);

/* Copies texts into the arena. USAGE if it is not valid; the message shows the form of a URL and
 * never repeats the password. */
NX_MUST_CHECK enum nx_status nx_clickhouse_url_parse(struct nx_clickhouse_url *url,
						     const char *text, struct nx_arena *arena,
						     struct nx_error *err);

/* Letters, digits and _, not empty: a name that needs no quotes in SQL. */
bool nx_clickhouse_is_plain_name(struct nx_slice name);

#endif
