/* SPDX-License-Identifier: Apache-2.0 */
/*
 * influx_sink: published tables of a profile into an InfluxDB, for dashboards that read there.
 *
 *	struct nx_influx_options options = {.endpoint = "http://localhost:8086", .bucket = "n_1"};
 *
 *	st = nx_influx_sink_open(&options, "step-100", &sink, err);
 *	...
 *	st = nx_device_tables_write(profile, &tables, nx_influx_sink_tables(sink), err);
 *	if (!st)
 *		st = nx_influx_sink_commit(sink, err);
 *	nx_influx_sink_close(sink);
 *
 * Servers of version 1.8, 2 and 3 are written to by /api/v2/write; one that does not know it (404)
 * by /write of version 1, where the database is made if it is missing. Lines are those of
 * store/influx/influx_line.h. They travel in batches that are sent again while the server is away:
 *a point that arrives twice overwrites itself, so nothing doubles (store/influx/influx_ordinal.h).
 *
 * Times of device tables count from the profile's start and are moved to start_ns; those of system
 * tables are of the host's clock already. Rows of tables without a time get start_ns plus their
 * number in nanoseconds.
 */
#ifndef NX_STORE_INFLUX_INFLUX_SINK_H
#define NX_STORE_INFLUX_INFLUX_SINK_H

#include "model/table_sink.h"

struct nx_influx_sink;

struct nx_influx_options {
	const char *endpoint; /* NULL: http://localhost:8086 */
	const char *org;      /* of version 2; NULL or "": none */
	const char *bucket;   /* the database of version 1; NULL: neuron_profile */
	const char *token;    /* of version 2; user:password of version 1; NULL: none */
	int64_t start_ns;     /* when the profile began, since 1970 */
	uint32_t batch_lines; /* 0: 10,000 */
	size_t batch_bytes;   /* 0: 4 MiB */
	uint64_t patience_ms; /* how long a lost server is waited for; 0: one minute */
};

/* Fails at once when there is no server; the sentence says what to do. *sink is then NULL. */
NX_MUST_CHECK enum nx_status nx_influx_sink_open(const struct nx_influx_options *options,
						 const char *profile, struct nx_influx_sink **sink,
						 struct nx_error *err);
struct nx_table_sink *nx_influx_sink_tables(struct nx_influx_sink *sink);
/* Sends what is left. The first failure of the tables, if there was one. */
NX_MUST_CHECK enum nx_status nx_influx_sink_commit(struct nx_influx_sink *sink,
						   struct nx_error *err);
uint64_t nx_influx_sink_line_count(const struct nx_influx_sink *sink);
void nx_influx_sink_close(struct nx_influx_sink *sink);

#endif
