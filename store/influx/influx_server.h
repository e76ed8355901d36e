/* SPDX-License-Identifier: Apache-2.0 */
/*
 * influx_server: an InfluxDB that takes lines, whichever of its two ways to write it knows.
 *
 * Opening asks for the way of version 2 with an empty body. A plain 404 means version 1 before 1.8,
 * whose database is then made; a 404 of version 2 names the bucket or organisation that is missing.
 */
#ifndef NX_STORE_INFLUX_INFLUX_SERVER_H
#define NX_STORE_INFLUX_INFLUX_SERVER_H

#include "base/arena.h"
#include "base/http_client.h"
#include "store/influx/influx_sink.h"

struct nx_influx_server {
	struct nx_http_client *http;
	struct nx_http_answer answer;
	const char *endpoint, *bucket, *org;
	const char *write_url;
	const char *header;	     /* with the token, of version 2 */
	const char *user, *password; /* of version 1 */
	bool is_version_1;
};

/* A failed open has to be closed as well. Texts live in the arena. */
NX_MUST_CHECK enum nx_status nx_influx_server_open(struct nx_influx_server *server,
						   const struct nx_influx_options *options,
						   struct nx_arena *arena, struct nx_error *err);
void nx_influx_server_close(struct nx_influx_server *server);

/* Writes lines, again and again for patience_ms while the server is away or busy. */
NX_MUST_CHECK enum nx_status nx_influx_server_write(struct nx_influx_server *server,
						    struct nx_slice lines, uint64_t patience_ms,
						    struct nx_error *err);

#endif
