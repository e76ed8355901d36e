/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_url: where a ClickHouse is and which database of it is meant.
 *
 *	clickhouse://[user[:password]@]host[:port]/database[?cluster=NAME][&secure=1]
 *
 * The port is that of the HTTP interface, 8123 unless said (8443 with secure=1, which speaks
 * https). User and password may be %-escaped. An IPv6 address stands in brackets.
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

/* Does the text mean a ClickHouse at all? */
bool nx_clickhouse_url_fits(const char *text);

/* Texts are copied into the arena. USAGE and a sentence with the form of a URL otherwise; the
 * sentence never repeats the password. */
NX_MUST_CHECK enum nx_status nx_clickhouse_url_parse(struct nx_clickhouse_url *url,
						     const char *text, struct nx_arena *arena,
						     struct nx_error *err);

/* Letters, digits and _, not empty: what can be a name in SQL without quotes. */
bool nx_clickhouse_is_plain_name(struct nx_slice name);

#endif
