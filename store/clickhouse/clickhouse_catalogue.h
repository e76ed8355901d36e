/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_catalogue: which profiles a ClickHouse has, and in which state.
 *
 * The states of a profile are rows of the table ProfileIngest on the shard that its name hashes to.
 * "begun" is inserted before the first row of the profile, so a profile without it has no rows
 * anywhere; "replaced" before the old rows are dropped; "complete", one row per table, after all
 * rows have been counted. A profile is complete if it has "complete" but not "replaced".
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_CATALOGUE_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_CATALOGUE_H

#include "store/clickhouse/clickhouse_cluster.h"

struct nx_clickhouse_catalogue {
	struct nx_clickhouse_cluster *cluster;
	struct nx_slice profile;
	uint64_t patience_ms;
};

/* How many rows a table received; "complete" records it. */
struct nx_clickhouse_tally {
	bool is_ended;
	uint64_t row_count, batch_count;
};

/* Whether a profile of that name exists or was begun. */
NX_MUST_CHECK enum nx_status nx_clickhouse_catalogue_find(
	const struct nx_clickhouse_catalogue *catalogue, bool *is_begun, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_clickhouse_catalogue_begin(
	const struct nx_clickhouse_catalogue *catalogue, struct nx_error *err);
/* Drops all rows of the profile on all servers, its states last. */
NX_MUST_CHECK enum nx_status nx_clickhouse_catalogue_drop(
	const struct nx_clickhouse_catalogue *catalogue, struct nx_error *err);
NX_MUST_CHECK enum nx_status nx_clickhouse_catalogue_complete(
	const struct nx_clickhouse_catalogue *catalogue, const struct nx_clickhouse_tally *tallies,
	struct nx_error *err);

#endif
