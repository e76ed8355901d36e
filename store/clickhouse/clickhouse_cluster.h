/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_cluster: the servers of one URL: a single one, or all shards and replicas that it
 * lists in system.clusters.
 *
 * Statements go to each server directly, so neither ON CLUSTER nor ZooKeeper is needed. All servers
 * use the HTTP port, user and password of the URL. Every replica of a shard receives every row, so
 * tables need no replication of their own.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_CLUSTER_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_CLUSTER_H

#include "store/clickhouse/clickhouse_layout.h"
#include "store/clickhouse/clickhouse_server.h"

struct nx_clickhouse_node {
	struct nx_clickhouse_server server;
	uint32_t shard; /* counted from 0 */
	bool has_local[NX_SCHEMA_TABLE_COUNT];
	bool has_distributed[NX_SCHEMA_TABLE_COUNT];
};

struct nx_clickhouse_cluster {
	struct nx_arena arena;
	struct nx_clickhouse_url url;
	struct nx_clickhouse_layout layout;
	NX_VEC(struct nx_clickhouse_node) nodes;
	NX_VEC(uint64_t) shard_ends; /* cumulative weights of the shards */
};

/* Finds the servers, connects, creates the database and lists its tables. Close it even if opening
 * fails. */
NX_MUST_CHECK enum nx_status nx_clickhouse_cluster_open(struct nx_clickhouse_cluster *cluster,
							const char *url, struct nx_error *err);
void nx_clickhouse_cluster_close(struct nx_clickhouse_cluster *cluster);

/* The shard of a hash (store/clickhouse/clickhouse_layout.h), by the weights of the cluster. */
uint32_t nx_clickhouse_cluster_shard(const struct nx_clickhouse_cluster *cluster, uint64_t hash);

/* Creates the table, and the Distributed one, wherever it is missing. */
NX_MUST_CHECK enum nx_status nx_clickhouse_cluster_prepare(struct nx_clickhouse_cluster *cluster,
							   enum nx_schema_table_id table,
							   struct nx_error *err);

/*
 * The states of a profile: rows of the table ProfileIngest on the shard that its name hashes to.
 * "begun" is inserted before the first row of the profile, so a profile without it has no rows
 * anywhere; "replaced" before the old rows are dropped; "complete", one row per table, after all
 * rows have been counted. A profile is complete if it has "complete" but not "replaced".
 */
struct nx_clickhouse_catalogue {
	struct nx_clickhouse_cluster *cluster;
	struct nx_slice profile;
	const char *quoted; /* the same as SQL writes it */
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
