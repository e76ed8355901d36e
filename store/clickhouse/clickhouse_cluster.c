/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_cluster.h"

#include <assert.h>
#include <inttypes.h>

#include "base/backoff.h"
#include "store/clickhouse/clickhouse_delivery.h"

#define NODES_MAX 4096

static void add_node(struct nx_clickhouse_cluster *cluster, const char *host, uint32_t shard)
{
	struct nx_clickhouse_node *node;

	nx_vec_reserve(&cluster->nodes, cluster->nodes.len + 1);
	node = &cluster->nodes.items[cluster->nodes.len++];
	memset(node, 0, sizeof(*node));
	node->shard = shard;
	nx_clickhouse_server_open(&node->server, &cluster->url, host, &cluster->arena);
}

struct listing {
	struct nx_clickhouse_cluster *cluster;
	int64_t last_shard;
};

/* Of all shards together. */
static uint64_t weight_of(const struct nx_clickhouse_cluster *cluster)
{
	return cluster->shard_ends.len ? cluster->shard_ends.items[cluster->shard_ends.len - 1] : 0;
}

/* A row of system.clusters: shard_num, shard_weight, host_name, in the order of shards. */
static enum nx_status on_replica(void *context, const struct nx_clickhouse_row *row,
				 struct nx_error *err)
{
	struct listing *listing = context;
	struct nx_clickhouse_cluster *cluster = listing->cluster;
	enum nx_status st = nx_clickhouse_row_expect(row, "iit", err);
	const char *host;

	if (st)
		return st;
	host = nx_arena_copy(&cluster->arena, row->cells[2].text);
	if (cluster->nodes.len == NODES_MAX)
		return nx_fail(err, NX_LIMIT, "the cluster has more than %d servers", NODES_MAX);
	if (row->cells[0].i64 != listing->last_shard) {
		nx_vec_push(&cluster->shard_ends, weight_of(cluster) + (uint32_t)row->cells[1].i64);
		listing->last_shard = row->cells[0].i64;
	}
	if (strchr(host, ':') && host[0] != '[')
		host = nx_arena_printf(&cluster->arena, "[%s]", host);
	add_node(cluster, host, (uint32_t)cluster->shard_ends.len - 1);
	return NX_OK;
}

static enum nx_status list_nodes(struct nx_clickhouse_cluster *cluster,
				 struct nx_clickhouse_server *entry, struct nx_error *err)
{
	struct listing listing = {cluster, -1};
	struct nx_clickhouse_question question = {.row = on_replica, .context = &listing};
	enum nx_status st;

	question.sql = nx_arena_printf(
		&cluster->arena,
		"SELECT toInt64(shard_num), toInt64(shard_weight), toString(host_name)"
		" FROM system.clusters WHERE cluster = '%s' ORDER BY shard_num, replica_num",
		cluster->url.cluster);
	st = nx_clickhouse_server_query(entry, &question, err);
	if (!st && !weight_of(cluster))
		return nx_fail(err, NX_NOT_FOUND,
			       "%s knows no cluster '%s'; its configuration lists clusters under "
			       "remote_servers, and SELECT cluster FROM system.clusters shows them",
			       entry->place, cluster->url.cluster);
	return st;
}

static enum nx_status find_nodes(struct nx_clickhouse_cluster *cluster, struct nx_error *err)
{
	struct nx_clickhouse_server entry;
	enum nx_status st;

	if (!cluster->url.cluster) {
		add_node(cluster, cluster->url.host, 0);
		nx_vec_push(&cluster->shard_ends, 1);
		return NX_OK;
	}
	nx_clickhouse_server_open(&entry, &cluster->url, cluster->url.host, &cluster->arena);
	st = list_nodes(cluster, &entry, err);
	nx_clickhouse_server_close(&entry);
	return st;
}

/* A row of system.tables. */
static enum nx_status on_table(void *context, const struct nx_clickhouse_row *row,
			       struct nx_error *err)
{
	struct nx_clickhouse_node *node = context;
	enum nx_status st = nx_clickhouse_row_expect(row, "tt", err);
	const struct nx_schema_table *table;
	struct nx_slice name;

	if (st)
		return st;
	name = row->cells[0].text;
	if (nx_slice_ends(name, "_local"))
		name.len -= strlen("_local");
	table = nx_schema_find_table(name);
	if (table && nx_slice_is(row->cells[1].text, "Distributed"))
		node->has_distributed[table - nx_schema_tables] = true;
	else if (table)
		node->has_local[table - nx_schema_tables] = true;
	return NX_OK;
}

/* On a cluster, rows are stored in _local tables; on a single server, in the published ones. */
static enum nx_status list_tables(struct nx_clickhouse_cluster *cluster,
				  struct nx_clickhouse_node *node, struct nx_error *err)
{
	struct nx_clickhouse_question question = {.row = on_table, .context = node};

	question.sql = nx_arena_printf(&cluster->arena,
				       "SELECT name, engine FROM system.tables WHERE database = "
				       "'%s' AND %s(name LIKE '%%\\_local' OR engine = "
				       "'Distributed')",
				       cluster->url.database, cluster->url.cluster ? "" : "NOT ");
	return nx_clickhouse_server_query(&node->server, &question, err);
}

static enum nx_status run(struct nx_clickhouse_node *node, struct nx_bytes *sql,
			  struct nx_error *err)
{
	enum nx_status st;

	nx_vec_push(sql, '\0');
	st = nx_clickhouse_server_run(&node->server, (const char *)sql->items, err);
	nx_vec_release(sql);
	return st;
}

static enum nx_status create_ingest(struct nx_clickhouse_cluster *cluster,
				    struct nx_clickhouse_node *node, bool is_distributed,
				    struct nx_error *err)
{
	struct nx_bytes sql = {0};

	nx_clickhouse_create_ingest(&cluster->layout, is_distributed, &sql);
	return run(node, &sql, err);
}

static enum nx_status set_up(struct nx_clickhouse_cluster *cluster, struct nx_clickhouse_node *node,
			     struct nx_error *err)
{
	const char *create = nx_arena_printf(&cluster->arena, "CREATE DATABASE IF NOT EXISTS %s",
					     cluster->url.database);
	enum nx_status st = nx_clickhouse_server_greet(&node->server, err);

	if (!st)
		st = nx_clickhouse_server_run(&node->server, create, err);
	if (!st)
		st = list_tables(cluster, node, err);
	if (!st)
		st = create_ingest(cluster, node, false, err);
	if (!st && cluster->url.cluster)
		st = create_ingest(cluster, node, true, err);
	return st;
}

enum nx_status nx_clickhouse_cluster_open(struct nx_clickhouse_cluster *cluster, const char *url,
					  struct nx_error *err)
{
	enum nx_status st;

	memset(cluster, 0, sizeof(*cluster));
	st = nx_clickhouse_url_parse(&cluster->url, url, &cluster->arena, err);
	if (st)
		return st;
	cluster->layout =
		(struct nx_clickhouse_layout){cluster->url.database, cluster->url.cluster};
	st = find_nodes(cluster, err);
	for (size_t i = 0; !st && i < cluster->nodes.len; i++)
		st = set_up(cluster, &cluster->nodes.items[i], err);
	return st;
}

void nx_clickhouse_cluster_close(struct nx_clickhouse_cluster *cluster)
{
	for (size_t i = 0; i < cluster->nodes.len; i++)
		nx_clickhouse_server_close(&cluster->nodes.items[i].server);
	nx_vec_release(&cluster->nodes);
	nx_vec_release(&cluster->shard_ends);
	nx_arena_release(&cluster->arena);
}

uint32_t nx_clickhouse_cluster_shard(const struct nx_clickhouse_cluster *cluster, uint64_t hash)
{
	uint64_t weight = weight_of(cluster), slot;
	uint32_t shard = 0;

	assert(cluster->shard_ends.len);
	assert(weight);
	slot = hash % weight;
	while (slot >= cluster->shard_ends.items[shard])
		shard++;
	return shard;
}

static enum nx_status create_on(struct nx_clickhouse_cluster *cluster,
				struct nx_clickhouse_node *node, enum nx_schema_table_id table,
				bool is_distributed, struct nx_error *err)
{
	bool *has = is_distributed ? node->has_distributed : node->has_local;
	struct nx_bytes sql = {0};
	enum nx_status st;

	if (has[table])
		return NX_OK;
	if (is_distributed)
		nx_clickhouse_create_distributed(&cluster->layout, table, &sql);
	else
		nx_clickhouse_create_local(&cluster->layout, table, &sql);
	st = run(node, &sql, err);
	has[table] = !st;
	return st;
}

enum nx_status nx_clickhouse_cluster_prepare(struct nx_clickhouse_cluster *cluster,
					     enum nx_schema_table_id table, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < cluster->nodes.len; i++) {
		st = create_on(cluster, &cluster->nodes.items[i], table, false, err);
		if (!st && cluster->url.cluster)
			st = create_on(cluster, &cluster->nodes.items[i], table, true, err);
	}
	return st;
}

/* --- states of a profile ------------------------------------------------------- */

static const char *local_name(const struct nx_clickhouse_catalogue *catalogue, const char *table)
{
	const struct nx_clickhouse_layout *layout = &catalogue->cluster->layout;

	return nx_arena_printf(&catalogue->cluster->arena, "%s.`%s%s`", layout->database, table,
			       layout->cluster ? "_local" : "");
}

/* Whether a node stores the states of the profile. */
static bool is_home(const struct nx_clickhouse_catalogue *catalogue,
		    const struct nx_clickhouse_node *node)
{
	return node->shard ==
	       nx_clickhouse_cluster_shard(catalogue->cluster,
					   nx_clickhouse_profile_hash(catalogue->profile));
}

static enum nx_status on_count(void *context, const struct nx_clickhouse_row *row,
			       struct nx_error *err)
{
	enum nx_status st = nx_clickhouse_row_expect(row, "i", err);

	if (!st)
		*(bool *)context = row->cells[0].i64 > 0;
	return st;
}

/* Inserts rows for a state on all replicas of the home unless they are there. They come in one
 * insert, so there are all of them or none. */
static enum nx_status mark(const struct nx_clickhouse_catalogue *catalogue, const char *state,
			   const char *rows, struct nx_error *err)
{
	struct nx_clickhouse_cluster *cluster = catalogue->cluster;
	const char *table = local_name(catalogue, NX_CLICKHOUSE_INGEST);
	const char *insert =
		nx_arena_printf(&cluster->arena,
				"INSERT INTO %s (profile, state, table_name, row_count, "
				"batch_count, schema_version) VALUES %s",
				table, rows);
	bool is_there = false;
	struct nx_clickhouse_question question = {.row = on_count, .context = &is_there};
	enum nx_status st = NX_OK;

	question.sql = nx_arena_printf(&cluster->arena,
				       "SELECT toInt64(count()) FROM %s WHERE profile = %s"
				       " AND state = '%s'",
				       table, catalogue->quoted, state);
	for (size_t i = 0; !st && i < cluster->nodes.len; i++) {
		struct nx_clickhouse_server *server = &cluster->nodes.items[i].server;
		struct nx_backoff backoff;

		if (!is_home(catalogue, &cluster->nodes.items[i]))
			continue;
		is_there = false;
		nx_backoff_init(&backoff, catalogue->patience_ms);
		do {
			st = nx_clickhouse_server_query(server, &question, err);
			if (!st && !is_there)
				st = nx_clickhouse_server_run(server, insert, err);
		} while (st && server->may_pass && nx_backoff_wait(&backoff));
	}
	return st;
}

static const char *state_row(const struct nx_clickhouse_catalogue *catalogue, const char *state,
			     const char *table, const struct nx_clickhouse_tally *tally)
{
	return nx_arena_printf(&catalogue->cluster->arena,
			       "(%s, '%s', '%s', %" PRIu64 ", %" PRIu64 ", '" NX_SCHEMA_VERSION
			       "')",
			       catalogue->quoted, state, table, tally->row_count,
			       tally->batch_count);
}

enum nx_status nx_clickhouse_catalogue_find(const struct nx_clickhouse_catalogue *catalogue,
					    bool *is_begun, struct nx_error *err)
{
	struct nx_clickhouse_cluster *cluster = catalogue->cluster;
	struct nx_clickhouse_question question = {.row = on_count, .context = is_begun};
	enum nx_status st = NX_OK;

	*is_begun = false;
	question.sql =
		nx_arena_printf(&cluster->arena,
				"SELECT toInt64(count()) FROM %s WHERE profile = %s",
				local_name(catalogue, NX_CLICKHOUSE_INGEST), catalogue->quoted);
	for (size_t i = 0; !st && !*is_begun && i < cluster->nodes.len; i++)
		if (is_home(catalogue, &cluster->nodes.items[i]))
			st = nx_clickhouse_server_query(&cluster->nodes.items[i].server, &question,
							err);
	return st;
}

enum nx_status nx_clickhouse_catalogue_begin(const struct nx_clickhouse_catalogue *catalogue,
					     struct nx_error *err)
{
	static const struct nx_clickhouse_tally none;

	return mark(catalogue, "begun", state_row(catalogue, "begun", "", &none), err);
}

static enum nx_status drop_table(const struct nx_clickhouse_catalogue *catalogue,
				 struct nx_clickhouse_node *node, const char *table,
				 struct nx_error *err)
{
	const char *sql =
		nx_arena_printf(&catalogue->cluster->arena, "ALTER TABLE %s DROP PARTITION %s",
				local_name(catalogue, table), catalogue->quoted);

	return nx_clickhouse_insist(&node->server, sql, catalogue->patience_ms, err);
}

enum nx_status nx_clickhouse_catalogue_drop(const struct nx_clickhouse_catalogue *catalogue,
					    struct nx_error *err)
{
	static const struct nx_clickhouse_tally none;
	struct nx_clickhouse_node *nodes = catalogue->cluster->nodes.items;
	size_t node_count = catalogue->cluster->nodes.len;
	enum nx_status st =
		mark(catalogue, "replaced", state_row(catalogue, "replaced", "", &none), err);

	for (size_t i = 0; i < node_count; i++)
		for (unsigned k = 0; !st && k < NX_SCHEMA_TABLE_COUNT; k++)
			if (nodes[i].has_local[k])
				st = drop_table(catalogue, &nodes[i], nx_schema_tables[k].name,
						err);
	for (size_t i = 0; !st && i < node_count; i++)
		st = drop_table(catalogue, &nodes[i], NX_CLICKHOUSE_INGEST, err);
	return st;
}

enum nx_status nx_clickhouse_catalogue_complete(const struct nx_clickhouse_catalogue *catalogue,
						const struct nx_clickhouse_tally *tallies,
						struct nx_error *err)
{
	struct nx_bytes rows = {0};
	enum nx_status st;

	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (tallies[i].is_ended)
			nx_clickhouse_append(&rows,
					     state_row(catalogue, "complete",
						       nx_schema_tables[i].name, &tallies[i]));
	nx_vec_push(&rows, '\0');
	st = mark(catalogue, "complete", (const char *)rows.items, err);
	nx_vec_release(&rows);
	return st;
}
