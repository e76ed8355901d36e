/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_sink.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/backoff.h"
#include "base/bare/bits.h"
#include "store/clickhouse/clickhouse_cluster.h"
#include "store/clickhouse/clickhouse_delivery.h"
#include "store/clickhouse/clickhouse_layout.h"

#define BATCH_ROWS 200000
#define BATCH_ROWS_MAX 1000000
#define BATCH_BYTES ((size_t)16 << 20)
#define PATIENCE_MS 120000

/* Rows of one table that wait for one shard. */
struct part {
	struct nx_bytes rows;
	NX_VEC(size_t) digests; /* where each row's digest goes */
	uint32_t batch_number;
	uint64_t row_count; /* sent and waiting */
};

struct table {
	bool is_begun;
	const char *local_name, *insert_sql;
	struct nx_track_columns track;
	struct nx_map shards;  /* of tracks, by hash */
	struct nx_map arrived; /* from an earlier push, by node and batch */
	struct part *parts;    /* by shard */
};

struct nx_clickhouse_sink {
	struct nx_table_sink sink; /* first: ops get it and mean the whole */
	struct nx_clickhouse_cluster cluster;
	struct nx_clickhouse_catalogue catalogue;
	struct nx_clickhouse_options options;
	struct nx_slice profile;
	bool is_resumed;
	uint32_t shard_count;
	struct nx_bytes scratch;
	struct nx_clickhouse_counts counts;
	struct nx_clickhouse_tally tallies[NX_SCHEMA_TABLE_COUNT];
	struct table tables[NX_SCHEMA_TABLE_COUNT];
};

static struct nx_clickhouse_sink *sink_of(struct nx_table_sink *sink)
{
	return (struct nx_clickhouse_sink *)sink;
}

static enum nx_status list_arrived(struct nx_clickhouse_sink *s, struct table *table,
				   struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; !st && i < s->cluster.nodes.len; i++)
		st = nx_clickhouse_list_arrived(&s->cluster.nodes.items[i].server,
						table->local_name, s->profile, (uint64_t)i << 32,
						&table->arrived, err);
	return st;
}

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id id)
{
	struct nx_clickhouse_sink *s = sink_of(sink);
	struct table *table = &s->tables[id];
	struct nx_bytes sql = {0};
	struct nx_error error;

	table->is_begun = true;
	table->track = nx_track_columns_of(id);
	table->local_name = nx_clickhouse_local_name(&s->cluster.layout, nx_schema_tables[id].name,
						     &s->cluster.arena);
	nx_clickhouse_insert_into(&s->cluster.layout, id, &sql);
	table->insert_sql = nx_arena_copy(&s->cluster.arena, nx_slice_of(sql.items, sql.len));
	nx_vec_release(&sql);
	table->parts = NX_NEW_ARRAY(&s->cluster.arena, struct part, s->shard_count);
	if (nx_clickhouse_cluster_prepare(&s->cluster, id, &error) ||
	    (s->is_resumed && list_arrived(s, table, &error)))
		nx_table_sink_fail(sink, &error);
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t words[2] = {hash, 0};

	for (; len >= 8; at += 8, len -= 8) {
		words[1] = nx_load64(at);
		words[0] = nx_hash_words(words, 2);
	}
	words[1] = len;
	if (len)
		memcpy((uint8_t *)words + 9, at, len);
	return nx_hash_words(words, 2);
}

static uint64_t hash_track(const struct nx_row *row, const struct nx_track_columns *track)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < track->count; i++) {
		unsigned at = track->columns[i];
		const union nx_cell *cell = &row->cells[at];

		if (row->kinds[at] == NX_CELL_TEXT)
			hash = hash_bytes(hash, cell->text.data, cell->text.len);
		else
			hash = hash_bytes(hash, row->kinds[at] ? &cell->i64 : NULL,
					  row->kinds[at] ? sizeof(cell->i64) : 0);
	}
	return hash;
}

/* Tracks are few and rows many: the MD5 is computed once for each track. */
static uint32_t shard_of(struct nx_clickhouse_sink *s, struct table *table,
			 const struct nx_row *row)
{
	uint64_t track, shard;

	if (s->shard_count == 1)
		return 0;
	track = hash_track(row, &table->track);
	if (!nx_map_get(&table->shards, track, &shard)) {
		shard = nx_clickhouse_cluster_shard(
			&s->cluster,
			nx_clickhouse_shard_hash(s->profile, row, &table->track, &s->scratch));
		nx_map_put(&table->shards, track, shard);
	}
	return (uint32_t)shard;
}

static enum nx_status send_to(struct nx_clickhouse_sink *s, const struct table *table, size_t node,
			      const struct nx_clickhouse_batch *batch, struct nx_error *err)
{
	uint64_t seen, wanted;
	bool is_seen = nx_map_get(&table->arrived, (uint64_t)node << 32 | batch->number, &seen);

	wanted = nx_clickhouse_evidence(batch->row_count, batch->digest, batch->digest);
	if (is_seen && seen == wanted) {
		s->counts.skipped_count++;
		return NX_OK;
	}
	s->counts.batch_count++;
	s->counts.sent_bytes += batch->rows.len;
	return nx_clickhouse_deliver(&s->cluster.nodes.items[node].server, batch, is_seen,
				     s->options.patience_ms, err);
}

static enum nx_status flush(struct nx_clickhouse_sink *s, enum nx_schema_table_id id,
			    uint32_t shard, struct nx_error *err)
{
	struct table *table = &s->tables[id];
	struct part *part = &table->parts[shard];
	struct nx_clickhouse_batch batch = {.table = table->local_name,
					    .insert_sql = table->insert_sql,
					    .profile = s->profile,
					    .number = part->batch_number,
					    .row_count = part->digests.len};
	char name[128];
	enum nx_status st = NX_OK;

	assert(shard < s->shard_count);
	if (!part->digests.len)
		return NX_OK;
	snprintf(name, sizeof(name), "nx-%016" PRIx64 "-%s-%" PRIu32 "-%" PRIu32,
		 nx_fnv1a(NX_FNV_SEED, s->profile.data, s->profile.len), nx_schema_tables[id].name,
		 shard, part->batch_number);
	batch.query_id = name;
	/* The digest is of the rows with zeros in its place, and then goes into each of them. */
	batch.digest = (int64_t)hash_bytes(0, part->rows.items, part->rows.len);
	for (size_t i = 0; i < part->digests.len; i++)
		nx_store64(part->rows.items + part->digests.items[i], (uint64_t)batch.digest);
	batch.rows = nx_slice_of(part->rows.items, part->rows.len);
	for (size_t i = 0; !st && i < s->cluster.nodes.len; i++)
		if (s->cluster.nodes.items[i].shard == shard)
			st = send_to(s, table, i, &batch, err);
	part->batch_number++;
	s->tallies[id].batch_count++;
	nx_vec_clear(&part->rows);
	nx_vec_clear(&part->digests);
	return st;
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_clickhouse_sink *s = sink_of(sink);
	struct table *table = &s->tables[row->table];
	uint32_t shard = shard_of(s, table, row);
	struct part *part = &table->parts[shard];
	struct nx_error error;

	assert(table->is_begun);
	nx_row_binary_text(&part->rows, s->profile);
	nx_bytes_append(&part->rows, &part->batch_number, sizeof(part->batch_number));
	nx_vec_push(&part->digests, part->rows.len);
	nx_bytes_append_zeros(&part->rows, sizeof(int64_t));
	nx_row_binary_append(&part->rows, row);
	part->row_count++;
	s->tallies[row->table].row_count++;
	s->counts.row_count++;
	if (part->digests.len < s->options.batch_rows && part->rows.len < s->options.batch_bytes)
		return;
	if (flush(s, row->table, shard, &error))
		nx_table_sink_fail(sink, &error);
}

static void release_parts(struct nx_clickhouse_sink *s, struct table *table)
{
	for (uint32_t i = 0; table->parts && i < s->shard_count; i++) {
		nx_vec_release(&table->parts[i].rows);
		nx_vec_release(&table->parts[i].digests);
	}
	nx_map_release(&table->shards);
	nx_map_release(&table->arrived);
}

static void end(struct nx_table_sink *sink, enum nx_schema_table_id id)
{
	struct nx_clickhouse_sink *s = sink_of(sink);
	struct nx_error error;

	for (uint32_t i = 0; i < s->shard_count; i++)
		if (flush(s, id, i, &error)) {
			nx_table_sink_fail(sink, &error);
			return;
		}
	s->tallies[id].is_ended = true;
	release_parts(s, &s->tables[id]);
}

static void set_options(struct nx_clickhouse_sink *s, const struct nx_clickhouse_options *options)
{
	if (options)
		s->options = *options;
	if (!s->options.batch_rows)
		s->options.batch_rows = BATCH_ROWS;
	if (s->options.batch_rows > BATCH_ROWS_MAX)
		s->options.batch_rows = BATCH_ROWS_MAX;
	if (!s->options.batch_bytes)
		s->options.batch_bytes = BATCH_BYTES;
	if (!s->options.patience_ms)
		s->options.patience_ms = PATIENCE_MS;
}

static enum nx_status check_profile(const char *profile, struct nx_error *err)
{
	size_t len = strlen(profile);

	for (size_t i = 0; i < len; i++)
		if ((uint8_t)profile[i] < ' ')
			return nx_fail(err, NX_USAGE,
				       "a profile's name may not hold control characters");
	if (!len || len > NX_CLICKHOUSE_PROFILE_BYTES_MAX)
		return nx_fail(err, NX_USAGE,
			       "a profile's name has 1 to %d bytes, this one has %zu",
			       NX_CLICKHOUSE_PROFILE_BYTES_MAX, len);
	return NX_OK;
}

static enum nx_status set_up(struct nx_clickhouse_sink *s, const char *url, const char *profile,
			     struct nx_error *err)
{
	enum nx_status st = check_profile(profile, err);

	if (!st)
		st = nx_clickhouse_cluster_open(&s->cluster, url, err);
	if (st)
		return st;
	s->profile = nx_slice_text(nx_arena_copy_text(&s->cluster.arena, profile));
	s->shard_count = (uint32_t)s->cluster.shard_ends.len;
	nx_clickhouse_append_text(&s->scratch, s->profile);
	s->catalogue = (struct nx_clickhouse_catalogue){
		.cluster = &s->cluster,
		.profile = s->profile,
		.quoted = nx_arena_copy(&s->cluster.arena,
					nx_slice_of(s->scratch.items, s->scratch.len)),
		.patience_ms = s->options.patience_ms,
	};
	st = nx_clickhouse_catalogue_find(&s->catalogue, &s->is_resumed, err);
	if (!st && s->is_resumed && s->options.replaces) {
		st = nx_clickhouse_catalogue_drop(&s->catalogue, err);
		s->is_resumed = false;
	}
	return st ? st : nx_clickhouse_catalogue_begin(&s->catalogue, err);
}

enum nx_status nx_clickhouse_sink_open(const char *url, const char *profile,
				       const struct nx_clickhouse_options *options,
				       struct nx_clickhouse_sink **sink, struct nx_error *err)
{
	static const struct nx_table_sink_ops ops = {begin, put, end};
	struct nx_clickhouse_sink *s = nx_heap_alloc(sizeof(*s));
	enum nx_status st;

	assert(url && profile);
	memset(s, 0, sizeof(*s));
	s->sink.ops = &ops;
	set_options(s, options);
	st = set_up(s, url, profile, err);
	if (st) {
		nx_clickhouse_sink_close(s);
		s = NULL;
	}
	*sink = s;
	return st;
}

struct nx_table_sink *nx_clickhouse_sink_tables(struct nx_clickhouse_sink *sink)
{
	return &sink->sink;
}

struct nx_clickhouse_counts nx_clickhouse_sink_counts(const struct nx_clickhouse_sink *sink)
{
	return sink->counts;
}

struct check {
	const struct nx_clickhouse_sink *sink;
	const struct nx_clickhouse_node *node;
	unsigned table_count;
};

static enum nx_status on_count(void *context, const struct nx_clickhouse_row *row,
			       struct nx_error *err)
{
	struct check *check = context;
	enum nx_status st = nx_clickhouse_row_expect(row, "ii", err);
	const struct table *table;
	uint64_t put_count;

	if (st)
		return st;
	if (row->cells[0].i64 < 0 || row->cells[0].i64 >= NX_SCHEMA_TABLE_COUNT)
		return nx_fail(err, NX_FORMAT, "the server reported rows of an unknown table");
	table = &check->sink->tables[row->cells[0].i64];
	put_count = table->parts ? table->parts[check->node->shard].row_count : 0;
	check->table_count++;
	if ((uint64_t)row->cells[1].i64 == put_count)
		return NX_OK;
	return nx_fail(err, NX_MISMATCH,
		       "%s has %" PRId64 " rows of the profile in %s but was given %" PRIu64
		       "; push it again with --force",
		       check->node->server.place, row->cells[1].i64, table->local_name, put_count);
}

/* Compares the rows of the profile in all tables of a server with those sent, in one query. */
static enum nx_status verify(struct nx_clickhouse_sink *s, struct nx_clickhouse_node *node,
			     struct nx_error *err)
{
	struct check check = {s, node, 0};
	struct nx_clickhouse_question question = {.row = on_count, .context = &check};
	struct nx_backoff backoff;
	unsigned begun_count = 0;
	char id[16];
	enum nx_status st;

	nx_vec_clear(&s->scratch);
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		if (!s->tables[i].is_begun)
			continue;
		snprintf(id, sizeof(id), "%u", i);
		nx_clickhouse_append(&s->scratch, begun_count++ ? " UNION ALL " : "",
				     "SELECT toInt64(", id,
				     ") AS id, toInt64(count()) AS row_count FROM ",
				     s->tables[i].local_name,
				     " WHERE profile = ", s->catalogue.quoted);
	}
	if (!begun_count)
		return NX_OK;
	nx_vec_push(&s->scratch, '\0');
	question.sql = (const char *)s->scratch.items;
	nx_backoff_init(&backoff, s->options.patience_ms);
	do {
		check.table_count = 0;
		st = nx_clickhouse_server_query(&node->server, &question, err);
	} while (st && node->server.may_pass && nx_backoff_wait(&backoff));
	if (!st && check.table_count != begun_count)
		return nx_fail(err, NX_FORMAT, "%s did not count all tables", node->server.place);
	return st;
}

enum nx_status nx_clickhouse_sink_commit(struct nx_clickhouse_sink *sink, struct nx_error *err)
{
	enum nx_status st = nx_table_sink_status(&sink->sink, err);

	for (size_t i = 0; !st && i < sink->cluster.nodes.len; i++)
		st = verify(sink, &sink->cluster.nodes.items[i], err);
	return st ? st : nx_clickhouse_catalogue_complete(&sink->catalogue, sink->tallies, err);
}

void nx_clickhouse_sink_close(struct nx_clickhouse_sink *sink)
{
	if (!sink)
		return;
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		release_parts(sink, &sink->tables[i]);
	nx_vec_release(&sink->scratch);
	nx_clickhouse_cluster_close(&sink->cluster);
	nx_heap_free(sink);
}
