/* SPDX-License-Identifier: Apache-2.0 */
/*
 * influx_sink: pushes the published tables of a profile to an InfluxDB, for dashboards.
 *
 * Versions 1.8, 2 and 3 are written to via /api/v2/write; a server without it (404) via /write of
 * version 1, where a missing database is created. Lines are those of store/influx/influx_line.h.
 * They are sent in batches and sent again while the server is away: a point that arrives twice
 * overwrites itself, so no row is inserted twice.
 *
 * Times in device tables count from the profile's start and are moved to start_ns; those in system
 * tables are on the host's clock already. Rows of tables without a time get start_ns plus their
 * number in nanoseconds.
 */
#ifndef NX_STORE_INFLUX_INFLUX_SINK_H
#define NX_STORE_INFLUX_INFLUX_SINK_H

#include "model/table_sink.h"

struct nx_influx_sink;

struct nx_influx_options {
	const char *endpoint; /* NULL: http://localhost:8086 */
	const char *org;      /* version 2; NULL or "": none */
	const char *bucket;   /* version 1: the database; NULL: neuron_profile */
	bool makes_bucket;    /* version 2: creates a missing bucket if the token may */
	const char *token;    /* version 1: user:password; NULL: none */
	int64_t start_ns;     /* when the profile began, since 1970 */
	uint32_t batch_lines; /* 0: 10,000 */
	size_t batch_bytes;   /* 0: 4 MiB */
	uint64_t patience_ms; /* how long to wait for a lost server; 0: one minute */
};

/* Fails at once if no server answers; *sink is then NULL. */
NX_MUST_CHECK enum nx_status nx_influx_sink_open(const struct nx_influx_options *options,
						 const char *profile, struct nx_influx_sink **sink,
						 struct nx_error *err);
struct nx_table_sink *nx_influx_sink_tables(struct nx_influx_sink *sink);
/* Sends the last batch. Returns the first failure of the tables, if there was one. */
NX_MUST_CHECK enum nx_status nx_influx_sink_commit(struct nx_influx_sink *sink,
						   struct nx_error *err);
uint64_t nx_influx_sink_line_count(const struct nx_influx_sink *sink);
/* Of all lines that the server has taken. */
uint64_t nx_influx_sink_sent_bytes(const struct nx_influx_sink *sink);
void nx_influx_sink_close(struct nx_influx_sink *sink);

#endif
