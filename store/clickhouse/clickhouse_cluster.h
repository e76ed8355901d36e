/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_cluster: the servers behind one URL: a single one, or all shards and replicas that the
 * named one lists in system.clusters.
 *
 * Statements go to each server directly, none needs ON CLUSTER and the ZooKeeper behind it. All
 * servers of a cluster are asked at the HTTP port, user and password of the URL. Every replica of a
 * shard is given every row of it, so tables need no replication of their own.
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
	NX_VEC(uint64_t) shard_ends; /* a shard's share ends here, of the last one's end in all */
};

/* Finds the servers, greets them, makes the database and sees which tables it has. A failed open
 * has to be closed as well. */
NX_MUST_CHECK enum nx_status nx_clickhouse_cluster_open(struct nx_clickhouse_cluster *cluster,
							const char *url, struct nx_error *err);
void nx_clickhouse_cluster_close(struct nx_clickhouse_cluster *cluster);

/* The shard of a hash (store/clickhouse/clickhouse_layout.h), by the weights of the cluster. */
uint32_t nx_clickhouse_cluster_shard(const struct nx_clickhouse_cluster *cluster, uint64_t hash);

/* Makes the table, and the one over all shards, wherever it is missing. */
NX_MUST_CHECK enum nx_status nx_clickhouse_cluster_prepare(struct nx_clickhouse_cluster *cluster,
							   enum nx_schema_table_id table,
							   struct nx_error *err);

#endif
