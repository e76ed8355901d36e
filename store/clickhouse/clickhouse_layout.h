/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_layout: how published tables lie in a ClickHouse, as SQL.
 *
 * Every stored table of the schema becomes one of the same name with the same columns: INT32
 * Int32, INT64 Int64, FLOAT Float32, DOUBLE Float64, BOOLEAN UInt8, TEXT and ENUM String, lists
 * Array; Nullable where the schema does not require a value, except lists, whose null is the empty
 * one. Three columns come first:
 *
 *	profile	String	which profile the row is of; each is a partition and is dropped as one
 *	batch	UInt32	which insert brought the row
 *	digest	Int64	of that insert's rows, the same in all of them
 *
 * Rows are sorted by track and time. On a cluster the rows lie in <table>_local on every shard and
 * <table> is a Distributed table over them; a row's shard follows from its profile and track.
 *
 * All append to sql. Statements hold on servers from 18.16 to 26.7.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_LAYOUT_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_LAYOUT_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/table_sink.h"
#include "store/track_columns.h"

/* Columns in front of the schema's. */
#define NX_CLICKHOUSE_OWN_COLUMNS 3

/* The table of which profiles are there; its columns: profile, state ("begun", "replaced",
 * "complete"), table_name, row_count, batch_count, schema_version. */
#define NX_CLICKHOUSE_INGEST "ProfileIngest"

struct nx_clickhouse_layout {
	const char *database;
	const char *cluster; /* NULL: one server */
};

/* "database.Instruction", or the _local one of a cluster: where rows lie. */
const char *nx_clickhouse_local_name(const struct nx_clickhouse_layout *layout, const char *table,
				     struct nx_arena *arena);

/* CREATE TABLE IF NOT EXISTS of where the rows lie, and of the table over all shards. */
void nx_clickhouse_create_local(const struct nx_clickhouse_layout *layout,
				enum nx_schema_table_id table, struct nx_bytes *sql);
void nx_clickhouse_create_distributed(const struct nx_clickhouse_layout *layout,
				      enum nx_schema_table_id table, struct nx_bytes *sql);
void nx_clickhouse_create_ingest(const struct nx_clickhouse_layout *layout, bool is_distributed,
				 struct nx_bytes *sql);

/* INSERT INTO (all columns) FORMAT RowBinary. */
void nx_clickhouse_insert_into(const struct nx_clickhouse_layout *layout,
			       enum nx_schema_table_id table, struct nx_bytes *sql);

/* The number by which a row's shard is chosen, as the Distributed table computes it: half of the
 * MD5 of profile and track. */
uint64_t nx_clickhouse_shard_hash(struct nx_slice profile, const struct nx_row *row,
				  const struct nx_track_columns *track, struct nx_bytes *scratch);
/* The same of a profile alone: where its rows of the ingest table lie. */
uint64_t nx_clickhouse_profile_hash(struct nx_slice profile);

#endif
