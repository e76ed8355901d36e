/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_layout: the published tables in ClickHouse: their SQL, and their rows.
 *
 * Every stored table of the schema becomes one of the same name with the same columns: INT32
 * Int32, INT64 Int64, FLOAT Float32, DOUBLE Float64, BOOLEAN UInt8, TEXT and ENUM String, lists
 * Array; Nullable where the schema does not require a value, except lists, whose null is the empty
 * list. Three columns come first:
 *
 *	profile	String	the profile of the row; each profile is a partition and is dropped as one
 *	batch	UInt32	which insert the row came with
 *	digest	Int64	of the rows of that insert, the same in all of them
 *
 * Rows are sorted by track and time. On a cluster the rows are stored in <table>_local on every
 * shard and <table> is a Distributed table over them; a row's shard follows from its profile and
 * track.
 *
 * The statements work on servers from 18.16 to 26.7.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_LAYOUT_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_LAYOUT_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/table_sink.h"
#include "store/track_columns.h"

/* The columns before those of the schema. */
#define NX_CLICKHOUSE_OWN_COLUMNS 3

/* The table that lists profiles; its columns: profile, state ("begun", "replaced",
 * "complete"), table_name, row_count, batch_count, schema_version. */
#define NX_CLICKHOUSE_INGEST "ProfileIngest"

struct nx_clickhouse_layout {
	const char *database;
	const char *cluster; /* NULL: one server */
};

/* "database.Instruction", or the _local table on a cluster. */
const char *nx_clickhouse_local_name(const struct nx_clickhouse_layout *layout, const char *table,
				     struct nx_arena *arena);

/* CREATE TABLE IF NOT EXISTS for the table with the rows, and for the Distributed one. */
void nx_clickhouse_create_local(const struct nx_clickhouse_layout *layout,
				enum nx_schema_table_id table, struct nx_bytes *sql);
void nx_clickhouse_create_distributed(const struct nx_clickhouse_layout *layout,
				      enum nx_schema_table_id table, struct nx_bytes *sql);
void nx_clickhouse_create_ingest(const struct nx_clickhouse_layout *layout, bool is_distributed,
				 struct nx_bytes *sql);

/* INSERT INTO (all columns) FORMAT RowBinary. */
void nx_clickhouse_insert_into(const struct nx_clickhouse_layout *layout,
			       enum nx_schema_table_id table, struct nx_bytes *sql);

/* The hash that selects a row's shard, as the Distributed table computes it: half of the MD5 of
 * profile and track. */
uint64_t nx_clickhouse_shard_hash(struct nx_slice profile, const struct nx_row *row,
				  const struct nx_track_columns *track, struct nx_bytes *scratch);
/* The hash of a profile alone, for its rows in the ingest table. */
uint64_t nx_clickhouse_profile_hash(struct nx_slice profile);

/*
 * Rows in RowBinary, ClickHouse's fastest input format: values one after another, numbers
 * little-endian, a text as its length (LEB128) and bytes, a list as its length and items; a
 * nullable value follows a byte that is 1 for null. A required column without a value becomes 0 or
 * the empty text.
 */
void nx_row_binary_text(struct nx_bytes *out, struct nx_slice text);
void nx_row_binary_append(struct nx_bytes *out, const struct nx_row *row);

#endif
