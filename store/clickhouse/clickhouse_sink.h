/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_sink: published tables of a profile into a ClickHouse, one server or a cluster.
 *
 *	st = nx_clickhouse_sink_open("clickhouse://localhost:8123/runs", "step-100", NULL, &sink,
 *err); if (st) return st; st = nx_device_tables_write(profile, &options,
 *nx_clickhouse_sink_tables(sink), err); if (!st) st = nx_clickhouse_sink_commit(sink, err);
 *	nx_clickhouse_sink_close(sink);
 *
 * Rows travel in batches, each exactly once however often the connection is lost or the server is
 * killed (store/clickhouse/clickhouse_delivery.h). A profile that was not committed, because this
 *program or the machine died, is resumed by pushing it again: what arrived is compared and skipped.
 *Pushing a whole profile again changes nothing. Other rows under the same name are refused with
 *MISMATCH unless options say to replace them.
 *
 * Batches are cut by rows and bytes of their table and shard alone, so the same profile gives the
 * same batches every time. Memory is one batch for each open table and shard.
 *
 * Which profiles are there and whether they are complete is in the table ProfileIngest; see
 * store/clickhouse/clickhouse_layout.h for it and the other tables, docs/design/scale.md for the
 *reasons.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_SINK_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_SINK_H

#include "model/table_sink.h"

struct nx_clickhouse_sink;

/* 0 everywhere is a good choice. */
struct nx_clickhouse_options {
	bool replaces;	      /* drop what is there under the profile's name first */
	uint32_t batch_rows;  /* 0: 200,000; at most 1,000,000 */
	size_t batch_bytes;   /* 0: 16 MiB; a batch ends behind the row that reaches it */
	uint64_t patience_ms; /* how long a lost server is waited for; 0: two minutes */
};

#define NX_CLICKHOUSE_PROFILE_BYTES_MAX 255

/* options may be NULL. Fails at once when the server cannot be reached; *sink is then NULL. */
NX_MUST_CHECK enum nx_status nx_clickhouse_sink_open(const char *url, const char *profile,
						     const struct nx_clickhouse_options *options,
						     struct nx_clickhouse_sink **sink,
						     struct nx_error *err);

/* Where to put rows; lives as long as the sink. */
struct nx_table_sink *nx_clickhouse_sink_tables(struct nx_clickhouse_sink *sink);

/* How many batches went out, and how many were there already. */
struct nx_clickhouse_counts {
	uint64_t row_count;
	uint64_t batch_count, skipped_count;
	uint64_t sent_bytes;
};
struct nx_clickhouse_counts nx_clickhouse_sink_counts(const struct nx_clickhouse_sink *sink);

/* All tables are ended: counts what every server has against what was put and marks the profile
 * complete. The first failure of the tables, if there was one. */
NX_MUST_CHECK enum nx_status nx_clickhouse_sink_commit(struct nx_clickhouse_sink *sink,
						       struct nx_error *err);
/* Frees; a profile that was not committed stays there as begun. NULL is fine. */
void nx_clickhouse_sink_close(struct nx_clickhouse_sink *sink);

#endif
