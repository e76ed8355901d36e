/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_catalogue: which profiles a ClickHouse has, and in which state.
 *
 * The states of a profile are rows of the table ProfileIngest on the profile's home, the shard its
 * name alone leads to. "begun" is written before the first row of the profile, so a profile without
 * it has no rows anywhere and needs no questions; "replaced" before the old rows are dropped;
 * "complete", one row for each table, after all rows were counted. A profile is whole when it has
 * "complete" and not "replaced".
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_CATALOGUE_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_CATALOGUE_H

#include "store/clickhouse/clickhouse_cluster.h"

struct nx_clickhouse_catalogue {
	struct nx_clickhouse_cluster *cluster;
	struct nx_slice profile;
	uint64_t patience_ms;
};

/* How many rows a table was given; what "complete" records. */
struct nx_clickhouse_tally {
	bool is_ended;
	uint64_t row_count, batch_count;
};

/* Is there, or was there begun, a profile of that name? */
NX_MUST_CHECK enum nx_status nx_clickhouse_catalogue_find(
	const struct nx_clickhouse_catalogue *catalogue, bool *is_begun, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_clickhouse_catalogue_begin(
	const struct nx_clickhouse_catalogue *catalogue, struct nx_error *err);
/* Drops all rows of the profile on all servers, at last those of its states. */
NX_MUST_CHECK enum nx_status nx_clickhouse_catalogue_drop(
	const struct nx_clickhouse_catalogue *catalogue, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_clickhouse_catalogue_complete(
	const struct nx_clickhouse_catalogue *catalogue, const struct nx_clickhouse_tally *tallies,
	struct nx_error *err);

#endif
