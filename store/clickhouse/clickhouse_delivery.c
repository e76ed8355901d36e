/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_delivery.h"

#include <assert.h>

#include "base/backoff.h"
#include "base/number.h"

/* What a server stores of a batch. */
struct findings {
	int64_t row_count, least_digest, greatest_digest;
	bool is_running; /* the insert of an earlier try has not ended */
};

static void append_batch(struct nx_bytes *sql, const struct nx_clickhouse_batch *batch)
{
	char number[NX_NUMBER_MAX];

	nx_clickhouse_append(sql, " WHERE profile = ");
	nx_clickhouse_append_text(sql, batch->profile);
	nx_clickhouse_append(sql, " AND batch = ");
	nx_bytes_append(sql, number, nx_format_u64(number, batch->number));
	nx_vec_push(sql, '\0');
}

static enum nx_status on_running(void *context, const struct nx_clickhouse_row *row,
				 struct nx_error *err)
{
	struct findings *findings = context;
	enum nx_status st = nx_clickhouse_row_expect(row, "i", err);

	if (!st)
		findings->is_running = row->cells[0].i64 > 0;
	return st;
}

static enum nx_status on_found(void *context, const struct nx_clickhouse_row *row,
			       struct nx_error *err)
{
	struct findings *findings = context;
	enum nx_status st = nx_clickhouse_row_expect(row, "iii", err);

	if (st)
		return st;
	findings->row_count = row->cells[0].i64;
	findings->least_digest = row->cells[1].i64;
	findings->greatest_digest = row->cells[2].i64;
	return NX_OK;
}

/* In this order: an insert that runs may still add rows, one that has ended never does. */
static enum nx_status find(struct nx_clickhouse_server *server,
			   const struct nx_clickhouse_batch *batch, struct findings *findings,
			   struct nx_error *err)
{
	struct nx_clickhouse_question running = {.row = on_running, .context = findings};
	struct nx_clickhouse_question found = {.row = on_found, .context = findings};
	struct nx_bytes sql = {0};
	enum nx_status st;

	memset(findings, 0, sizeof(*findings));
	nx_clickhouse_append(&sql,
			     "SELECT toInt64(count()) FROM system.processes WHERE query_id = ");
	nx_clickhouse_append_text(&sql, nx_slice_text(batch->query_id));
	nx_vec_push(&sql, '\0');
	running.sql = (const char *)sql.items;
	st = nx_clickhouse_server_query(server, &running, err);
	nx_vec_clear(&sql);
	nx_clickhouse_append(&sql, "SELECT toInt64(count()), min(digest), max(digest) FROM ",
			     batch->table);
	append_batch(&sql, batch);
	found.sql = (const char *)sql.items;
	if (!st)
		st = nx_clickhouse_server_query(server, &found, err);
	nx_vec_release(&sql);
	return st;
}

/* We know of no way for a block to arrive in part or twice; if there is one, this repairs it.
 * ClickHouse deletes in the background, so wait for the end. */
static enum nx_status remove_rows(struct nx_clickhouse_server *server,
				  const struct nx_clickhouse_batch *batch,
				  struct nx_backoff *backoff, struct nx_error *err)
{
	struct nx_bytes sql = {0};
	struct findings findings = {.row_count = 1};
	enum nx_status st;

	nx_clickhouse_append(&sql, "ALTER TABLE ", batch->table, " DELETE");
	append_batch(&sql, batch);
	st = nx_clickhouse_server_run(server, (const char *)sql.items, err);
	nx_vec_release(&sql);
	while (!st && findings.row_count) {
		if (!nx_backoff_wait(backoff))
			return nx_fail(err, NX_IO,
				       "%s does not delete rows of %s that arrived in part; push "
				       "the profile again with --force",
				       server->place, batch->table);
		st = find(server, batch, &findings, err);
	}
	return st;
}

/* Queries until it is certain whether the batch was inserted; it is inserted as a whole or not. */
static enum nx_status settle(struct nx_clickhouse_server *server,
			     const struct nx_clickhouse_batch *batch, struct nx_backoff *backoff,
			     bool *is_there, struct nx_error *err)
{
	struct nx_slice name = nx_slice_part(batch->profile, 0, 100);
	struct findings found;
	enum nx_status st = find(server, batch, &found, err);

	*is_there = !st && found.row_count == (int64_t)batch->row_count;
	if (!st && found.is_running && !*is_there) {
		server->may_pass = true;
		return nx_fail(err, NX_IO, "%s is still busy with an insert into %s", server->place,
			       batch->table);
	}
	if (st || !found.row_count)
		return st;
	if (found.least_digest != batch->digest || found.greatest_digest != batch->digest)
		return nx_fail(
			err, NX_MISMATCH,
			"%s holds other rows of %s under the profile name '%.*s'; choose "
			"another name with --display-name or replace the profile with --force",
			server->place, batch->table, (int)name.len, (const char *)name.data);
	return *is_there ? NX_OK : remove_rows(server, batch, backoff, err);
}

enum nx_status nx_clickhouse_deliver(struct nx_clickhouse_server *server,
				     const struct nx_clickhouse_batch *batch, bool is_doubtful,
				     uint64_t patience_ms, struct nx_error *err)
{
	struct nx_backoff backoff;
	bool is_there = false;
	enum nx_status st;

	assert(batch->table && batch->insert_sql && batch->query_id);
	nx_backoff_init(&backoff, patience_ms);
	do {
		st = is_doubtful ? settle(server, batch, &backoff, &is_there, err) : NX_OK;
		if (!st && !is_there)
			st = nx_clickhouse_server_insert(server, batch->insert_sql, batch->query_id,
							 batch->rows, err);
		is_doubtful = true;
	} while (st && server->may_pass && nx_backoff_wait(&backoff));
	return st;
}

enum nx_status nx_clickhouse_insist(struct nx_clickhouse_server *server, const char *sql,
				    uint64_t patience_ms, struct nx_error *err)
{
	struct nx_backoff backoff;
	enum nx_status st;

	nx_backoff_init(&backoff, patience_ms);
	do {
		st = nx_clickhouse_server_run(server, sql, err);
	} while (st && server->may_pass && nx_backoff_wait(&backoff));
	return st;
}

uint64_t nx_clickhouse_evidence(uint64_t row_count, int64_t least_digest, int64_t greatest_digest)
{
	uint64_t words[] = {row_count, (uint64_t)least_digest, (uint64_t)greatest_digest};

	return nx_hash_words(words, 3);
}

struct arrived_list {
	struct nx_map *arrived;
	uint64_t key_base;
};

static enum nx_status on_arrived(void *context, const struct nx_clickhouse_row *row,
				 struct nx_error *err)
{
	struct arrived_list *list = context;
	enum nx_status st = nx_clickhouse_row_expect(row, "iiii", err);

	if (st)
		return st;
	nx_map_put(list->arrived, list->key_base + (uint64_t)row->cells[0].i64,
		   nx_clickhouse_evidence((uint64_t)row->cells[1].i64, row->cells[2].i64,
					  row->cells[3].i64));
	return NX_OK;
}

enum nx_status nx_clickhouse_list_arrived(struct nx_clickhouse_server *server, const char *table,
					  struct nx_slice profile, uint64_t key_base,
					  struct nx_map *arrived, struct nx_error *err)
{
	struct arrived_list list = {arrived, key_base};
	struct nx_clickhouse_question question = {.row = on_arrived, .context = &list};
	struct nx_bytes sql = {0};
	enum nx_status st;

	nx_clickhouse_append(
		&sql, "SELECT toInt64(batch), toInt64(count()), min(digest), max(digest) FROM ",
		table, " WHERE profile = ");
	nx_clickhouse_append_text(&sql, profile);
	nx_clickhouse_append(&sql, " GROUP BY batch");
	nx_vec_push(&sql, '\0');
	question.sql = (const char *)sql.items;
	st = nx_clickhouse_server_query(server, &question, err);
	nx_vec_release(&sql);
	return st;
}
