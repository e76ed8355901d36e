/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_catalogue.h"

#include "base/backoff.h"
#include "base/number.h"
#include "store/clickhouse/clickhouse_delivery.h"

static void append(struct nx_bytes *sql, const char *text)
{
	nx_bytes_append(sql, text, strlen(text));
}

static const char *finish(struct nx_bytes *sql)
{
	nx_vec_push(sql, '\0');
	return (const char *)sql->items;
}

static void append_local(const struct nx_clickhouse_catalogue *catalogue, struct nx_bytes *sql,
			 const char *table)
{
	append(sql, catalogue->cluster->layout.database);
	append(sql, ".`");
	append(sql, table);
	append(sql, catalogue->cluster->layout.cluster ? "_local`" : "`");
}

static uint32_t home_of(const struct nx_clickhouse_catalogue *catalogue)
{
	return nx_clickhouse_cluster_shard(catalogue->cluster,
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

/* Is the profile in that state? Any state when it is NULL. */
static enum nx_status has_state(const struct nx_clickhouse_catalogue *catalogue,
				struct nx_clickhouse_server *server, const char *state, bool *has,
				struct nx_error *err)
{
	struct nx_clickhouse_question question = {.row = on_count, .context = has};
	struct nx_bytes sql = {0};
	enum nx_status st;

	append(&sql, "SELECT toInt64(count()) FROM ");
	append_local(catalogue, &sql, NX_CLICKHOUSE_INGEST);
	append(&sql, " WHERE profile = ");
	nx_clickhouse_append_text(&sql, catalogue->profile);
	if (state) {
		append(&sql, " AND state = ");
		nx_clickhouse_append_text(&sql, nx_slice_text(state));
	}
	question.sql = finish(&sql);
	st = nx_clickhouse_server_query(server, &question, err);
	nx_vec_release(&sql);
	return st;
}

/* Rows of states come in one insert, so there are all of them or none. */
static enum nx_status mark_on(const struct nx_clickhouse_catalogue *catalogue,
			      struct nx_clickhouse_server *server, const char *state,
			      const char *insert, struct nx_error *err)
{
	struct nx_backoff backoff;
	bool is_there = false;
	enum nx_status st;

	nx_backoff_init(&backoff, catalogue->patience_ms);
	do {
		st = has_state(catalogue, server, state, &is_there, err);
		if (!st && !is_there)
			st = nx_clickhouse_server_run(server, insert, err);
	} while (st && server->may_pass && nx_backoff_wait(&backoff));
	return st;
}

/* On all replicas of the home. */
static enum nx_status mark(const struct nx_clickhouse_catalogue *catalogue, const char *state,
			   const char *insert, struct nx_error *err)
{
	struct nx_clickhouse_cluster *cluster = catalogue->cluster;
	uint32_t home = home_of(catalogue);
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < cluster->nodes.len; i++)
		if (cluster->nodes.items[i].shard == home)
			st = mark_on(catalogue, &cluster->nodes.items[i].server, state, insert,
				     err);
	return st;
}

static void append_number(struct nx_bytes *sql, uint64_t value)
{
	char number[NX_NUMBER_MAX];

	append(sql, ", ");
	nx_bytes_append(sql, number, nx_format_u64(number, value));
}

static void append_state(const struct nx_clickhouse_catalogue *catalogue, struct nx_bytes *sql,
			 const char *state, const char *table,
			 const struct nx_clickhouse_tally *tally)
{
	append(sql, "(");
	nx_clickhouse_append_text(sql, catalogue->profile);
	append(sql, ", '");
	append(sql, state);
	append(sql, "', '");
	append(sql, table);
	append(sql, "'");
	append_number(sql, tally->row_count);
	append_number(sql, tally->batch_count);
	append(sql, ", '" NX_SCHEMA_VERSION "')");
}

static void begin_insert(const struct nx_clickhouse_catalogue *catalogue, struct nx_bytes *sql)
{
	append(sql, "INSERT INTO ");
	append_local(catalogue, sql, NX_CLICKHOUSE_INGEST);
	append(sql,
	       " (profile, state, table_name, row_count, batch_count, schema_version) VALUES ");
}

static enum nx_status mark_plainly(const struct nx_clickhouse_catalogue *catalogue,
				   const char *state, struct nx_error *err)
{
	struct nx_clickhouse_tally none = {0};
	struct nx_bytes sql = {0};
	enum nx_status st;

	begin_insert(catalogue, &sql);
	append_state(catalogue, &sql, state, "", &none);
	st = mark(catalogue, state, finish(&sql), err);
	nx_vec_release(&sql);
	return st;
}

enum nx_status nx_clickhouse_catalogue_find(const struct nx_clickhouse_catalogue *catalogue,
					    bool *is_begun, struct nx_error *err)
{
	struct nx_clickhouse_cluster *cluster = catalogue->cluster;
	uint32_t home = home_of(catalogue);
	enum nx_status st = NX_OK;

	*is_begun = false;
	for (size_t i = 0; !st && !*is_begun && i < cluster->nodes.len; i++)
		if (cluster->nodes.items[i].shard == home)
			st = has_state(catalogue, &cluster->nodes.items[i].server, NULL, is_begun,
				       err);
	return st;
}

enum nx_status nx_clickhouse_catalogue_begin(const struct nx_clickhouse_catalogue *catalogue,
					     struct nx_error *err)
{
	return mark_plainly(catalogue, "begun", err);
}

static enum nx_status drop_table(const struct nx_clickhouse_catalogue *catalogue,
				 struct nx_clickhouse_node *node, const char *table,
				 struct nx_error *err)
{
	struct nx_bytes sql = {0};
	enum nx_status st;

	append(&sql, "ALTER TABLE ");
	append_local(catalogue, &sql, table);
	append(&sql, " DROP PARTITION ");
	nx_clickhouse_append_text(&sql, catalogue->profile);
	st = nx_clickhouse_insist(&node->server, finish(&sql), catalogue->patience_ms, err);
	nx_vec_release(&sql);
	return st;
}

static enum nx_status drop_rows(const struct nx_clickhouse_catalogue *catalogue,
				struct nx_clickhouse_node *node, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (unsigned i = 0; !st && i < NX_SCHEMA_TABLE_COUNT; i++)
		if (node->has_local[i])
			st = drop_table(catalogue, node, nx_schema_tables[i].name, err);
	return st;
}

enum nx_status nx_clickhouse_catalogue_drop(const struct nx_clickhouse_catalogue *catalogue,
					    struct nx_error *err)
{
	struct nx_clickhouse_cluster *cluster = catalogue->cluster;
	enum nx_status st = mark_plainly(catalogue, "replaced", err);

	for (size_t i = 0; !st && i < cluster->nodes.len; i++)
		st = drop_rows(catalogue, &cluster->nodes.items[i], err);
	for (size_t i = 0; !st && i < cluster->nodes.len; i++)
		st = drop_table(catalogue, &cluster->nodes.items[i], NX_CLICKHOUSE_INGEST, err);
	return st;
}

enum nx_status nx_clickhouse_catalogue_complete(const struct nx_clickhouse_catalogue *catalogue,
						const struct nx_clickhouse_tally *tallies,
						struct nx_error *err)
{
	struct nx_bytes sql = {0};
	enum nx_status st;

	begin_insert(catalogue, &sql);
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (tallies[i].is_ended)
			append_state(catalogue, &sql, "complete", nx_schema_tables[i].name,
				     &tallies[i]);
	st = mark(catalogue, "complete", finish(&sql), err);
	nx_vec_release(&sql);
	return st;
}
