/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_sink: pushes the published tables of a profile to a ClickHouse server or cluster.
 *
 * Rows are inserted in batches, each exactly once, however often the connection is lost or the
 * server is killed (clickhouse_delivery.h). If this program or the machine dies before the commit,
 * pushing the profile again resumes: batches that arrived are compared and skipped. Pushing a
 * complete profile again changes nothing. Other rows under the same name are refused with MISMATCH
 * unless options.replaces is set.
 *
 * Batches are cut by rows and bytes of their table and shard alone, so the same profile gives the
 * same batches every time. Memory is one batch for each open table and shard.
 *
 * The table ProfileIngest records which profiles exist and whether they are complete; see
 * clickhouse_layout.h for all tables and docs/design/scale.md for the reasons.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_SINK_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_SINK_H

#include "model/table_sink.h"

struct nx_clickhouse_sink;

/* Zeroes are good defaults. */
struct nx_clickhouse_options {
	bool replaces;	      /* first drop what is stored under the profile's name */
	uint32_t batch_rows;  /* 0: 200,000; at most 1,000,000 */
	size_t batch_bytes;   /* 0: 16 MiB; a batch ends after the row that reaches it */
	uint64_t patience_ms; /* how long to wait for a lost server; 0: two minutes */
};

#define NX_CLICKHOUSE_PROFILE_BYTES_MAX 255

/* options may be NULL. Fails at once if the server cannot be reached; *sink is then NULL. */
NX_MUST_CHECK enum nx_status nx_clickhouse_sink_open(const char *url, const char *profile,
						     const struct nx_clickhouse_options *options,
						     struct nx_clickhouse_sink **sink,
						     struct nx_error *err);

/* Where to put rows; lives as long as the sink. */
struct nx_table_sink *nx_clickhouse_sink_tables(struct nx_clickhouse_sink *sink);

/* How many batches were sent, and how many had arrived before. */
struct nx_clickhouse_counts {
	uint64_t row_count;
	uint64_t batch_count, skipped_count;
	uint64_t sent_bytes;
};
struct nx_clickhouse_counts nx_clickhouse_sink_counts(const struct nx_clickhouse_sink *sink);

/* Call after the last table: compares the row counts of every server with what was put, and marks
 * the profile complete. Returns the first failure of the tables, if there was one. */
NX_MUST_CHECK enum nx_status nx_clickhouse_sink_commit(struct nx_clickhouse_sink *sink,
						       struct nx_error *err);
/* Frees; NULL is allowed. A profile that was not committed stays on the server as begun. */
void nx_clickhouse_sink_close(struct nx_clickhouse_sink *sink);

#endif
