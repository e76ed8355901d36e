/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clickhouse/clickhouse_layout.h"

#include <assert.h>

#include "base/bare/bits.h"
#include "base/md5.h"
#include "base/number.h"
#include "store/clickhouse/clickhouse_server.h"

/* Of a value that is neither text nor list, with its null byte. */
#define SCALAR_MAX 9
#define LEB128_MAX 10

static const char *const type_names[NX_SCHEMA_TYPE_COUNT] = {
	[NX_SCHEMA_BOOLEAN] = "UInt8",
	[NX_SCHEMA_INT32] = "Int32",
	[NX_SCHEMA_INT64] = "Int64",
	[NX_SCHEMA_FLOAT] = "Float32",
	[NX_SCHEMA_DOUBLE] = "Float64",
	[NX_SCHEMA_TEXT] = "String",
	[NX_SCHEMA_ENUM] = "String",
	[NX_SCHEMA_LIST_INT64] = "Array(Int64)",
	[NX_SCHEMA_LIST_TEXT] = "Array(String)",
	[NX_SCHEMA_LIST_ROWS] = "String",
};

static const char *suffix_of(const struct nx_clickhouse_layout *layout)
{
	return layout->cluster ? "_local" : "";
}

const char *nx_clickhouse_local_name(const struct nx_clickhouse_layout *layout, const char *table,
				     struct nx_arena *arena)
{
	return nx_arena_printf(arena, "%s.%s%s", layout->database, table, suffix_of(layout));
}

static bool is_text(const struct nx_schema_column *column)
{
	return column->type == NX_SCHEMA_TEXT || column->type == NX_SCHEMA_ENUM;
}

/* A key cannot be null, so null is -1 or the empty text there. */
static void append_key(struct nx_bytes *sql, const struct nx_schema_column *column)
{
	if (column->is_required)
		nx_clickhouse_append(sql, "`", column->name, "`");
	else
		nx_clickhouse_append(sql, "ifNull(`", column->name, "`, ",
				     is_text(column) ? "''" : "-1", ")");
}

static void append_columns(struct nx_bytes *sql, enum nx_schema_table_id table)
{
	const struct nx_schema_table *t = &nx_schema_tables[table];

	nx_clickhouse_append(sql, "(profile String, batch UInt32, digest Int64");
	for (unsigned i = 0; i < t->column_count; i++) {
		const struct nx_schema_column *column = &t->columns[i];
		bool is_nullable = !column->is_required && !nx_schema_is_list(column->type);

		nx_clickhouse_append(sql, ", `", column->name, "` ", is_nullable ? "Nullable(" : "",
				     type_names[column->type], is_nullable ? ")" : "");
	}
	nx_clickhouse_append(sql, ")");
}

static void append_order(struct nx_bytes *sql, enum nx_schema_table_id table)
{
	const struct nx_schema_column *columns = nx_schema_tables[table].columns;
	struct nx_track_columns track = nx_track_columns_of(table);
	bool has_key = false;

	nx_clickhouse_append(sql, " ORDER BY tuple(");
	for (unsigned i = 0; i < track.count; i++) {
		nx_clickhouse_append(sql, has_key ? ", " : "");
		append_key(sql, &columns[track.columns[i]]);
		has_key = true;
	}
	if (track.time >= 0) {
		nx_clickhouse_append(sql, has_key ? ", " : "");
		append_key(sql, &columns[track.time]);
	}
	nx_clickhouse_append(sql, ")");
}

void nx_clickhouse_create_local(const struct nx_clickhouse_layout *layout,
				enum nx_schema_table_id table, struct nx_bytes *sql)
{
	nx_clickhouse_append(sql, "CREATE TABLE IF NOT EXISTS ", layout->database, ".`",
			     nx_schema_tables[table].name, suffix_of(layout), "` ");
	append_columns(sql, table);
	nx_clickhouse_append(sql, " ENGINE = MergeTree PARTITION BY profile");
	append_order(sql, table);
	nx_clickhouse_append(sql, " SETTINGS index_granularity = 8192");
}

/* The text that nx_clickhouse_shard_hash builds, built by the server. */
static void append_shard_key(struct nx_bytes *sql, enum nx_schema_table_id table)
{
	const struct nx_schema_column *columns = nx_schema_tables[table].columns;
	struct nx_track_columns track = nx_track_columns_of(table);

	nx_clickhouse_append(sql, "halfMD5(concat(profile, ''");
	for (unsigned i = 0; i < track.count; i++) {
		nx_clickhouse_append(sql, ", '/', toString(");
		append_key(sql, &columns[track.columns[i]]);
		nx_clickhouse_append(sql, ")");
	}
	nx_clickhouse_append(sql, "))");
}

static void append_engine(const struct nx_clickhouse_layout *layout, const char *table,
			  struct nx_bytes *sql)
{
	nx_clickhouse_append(sql, " ENGINE = Distributed(", layout->cluster, ", ", layout->database,
			     ", `", table, "_local`, ");
}

void nx_clickhouse_create_distributed(const struct nx_clickhouse_layout *layout,
				      enum nx_schema_table_id table, struct nx_bytes *sql)
{
	const char *name = nx_schema_tables[table].name;

	nx_clickhouse_append(sql, "CREATE TABLE IF NOT EXISTS ", layout->database, ".`", name,
			     "` ");
	append_columns(sql, table);
	append_engine(layout, name, sql);
	append_shard_key(sql, table);
	nx_clickhouse_append(sql, ")");
}

void nx_clickhouse_create_ingest(const struct nx_clickhouse_layout *layout, bool is_distributed,
				 struct nx_bytes *sql)
{
	nx_clickhouse_append(sql, "CREATE TABLE IF NOT EXISTS ", layout->database,
			     ".`" NX_CLICKHOUSE_INGEST, is_distributed ? "" : suffix_of(layout),
			     "` (profile String, state String, table_name String, row_count Int64,"
			     " batch_count Int64, schema_version String)");
	if (is_distributed) {
		append_engine(layout, NX_CLICKHOUSE_INGEST, sql);
		nx_clickhouse_append(sql, "halfMD5(profile))");
	} else {
		nx_clickhouse_append(
			sql, " ENGINE = MergeTree PARTITION BY profile ORDER BY (state, table_name)"
			     " SETTINGS index_granularity = 8192");
	}
}

void nx_clickhouse_insert_into(const struct nx_clickhouse_layout *layout,
			       enum nx_schema_table_id table, struct nx_bytes *sql)
{
	const struct nx_schema_table *t = &nx_schema_tables[table];

	nx_clickhouse_append(sql, "INSERT INTO ", layout->database, ".`", t->name,
			     suffix_of(layout), "` (profile, batch, digest");
	for (unsigned i = 0; i < t->column_count; i++)
		nx_clickhouse_append(sql, ", `", t->columns[i].name, "`");
	nx_clickhouse_append(sql, ") FORMAT RowBinary");
}

static uint64_t half_md5(struct nx_slice text)
{
	uint8_t digest[NX_MD5_BYTES];
	uint64_t half = 0;

	nx_md5_digest(text, digest);
	for (unsigned i = 0; i < sizeof(half); i++)
		half = half << 8 | digest[i];
	return half;
}

uint64_t nx_clickhouse_profile_hash(struct nx_slice profile)
{
	return half_md5(profile);
}

uint64_t nx_clickhouse_shard_hash(struct nx_slice profile, const struct nx_row *row,
				  const struct nx_track_columns *track, struct nx_bytes *scratch)
{
	char number[NX_NUMBER_MAX];

	nx_vec_clear(scratch);
	nx_bytes_append(scratch, profile.data, profile.len);
	for (unsigned i = 0; i < track->count; i++) {
		unsigned at = track->columns[i];
		const union nx_cell *cell = &row->cells[at];

		nx_clickhouse_append(scratch, "/");
		if (row->kinds[at] == NX_CELL_TEXT)
			nx_bytes_append(scratch, cell->text.data, cell->text.len);
		else if (row->kinds[at] == NX_CELL_I64)
			nx_bytes_append(scratch, number, nx_format_i64(number, cell->i64));
		else if (!is_text(&nx_schema_tables[row->table].columns[at]))
			nx_clickhouse_append(scratch, "-1");
	}
	return half_md5(nx_slice_of(scratch->items, scratch->len));
}

/* --- rows -------------------------------------------------------------------- */

static void append_length(struct nx_bytes *out, size_t length)
{
	nx_vec_reserve(out, out->len + LEB128_MAX);
	for (; length >= 0x80; length >>= 7)
		out->items[out->len++] = (uint8_t)(length | 0x80);
	out->items[out->len++] = (uint8_t)length;
}

void nx_row_binary_text(struct nx_bytes *out, struct nx_slice text)
{
	nx_vec_reserve(out, out->len + LEB128_MAX + text.len);
	append_length(out, text.len);
	if (text.len)
		memcpy(out->items + out->len, text.data, text.len);
	out->len += text.len;
}

/* Returns how many bytes it wrote. */
static size_t put_number(uint8_t *at, enum nx_schema_type type, const union nx_cell *cell)
{
	float narrow;

	switch (type) {
	case NX_SCHEMA_BOOLEAN:
		*at = cell->boolean;
		return 1;
	case NX_SCHEMA_INT32:
		nx_store32(at, (uint32_t)cell->i64);
		return 4;
	case NX_SCHEMA_INT64:
		nx_store64(at, (uint64_t)cell->i64);
		return 8;
	case NX_SCHEMA_FLOAT:
		narrow = (float)cell->f64;
		memcpy(at, &narrow, sizeof(narrow));
		return sizeof(narrow);
	default:
		memcpy(at, &cell->f64, sizeof(cell->f64));
		return sizeof(cell->f64);
	}
}

static void append_list(struct nx_bytes *out, unsigned kind, const union nx_cell *cell)
{
	size_t count = kind == NX_CELL_LIST_I64	   ? cell->list_i64.count
		       : kind == NX_CELL_LIST_TEXT ? cell->list_text.count
						   : 0;

	append_length(out, count);
	if (kind == NX_CELL_LIST_I64)
		nx_bytes_append(out, cell->list_i64.items, count * sizeof(int64_t));
	for (size_t i = 0; kind == NX_CELL_LIST_TEXT && i < count; i++)
		nx_row_binary_text(out, cell->list_text.items[i]);
}

static void append_cell(struct nx_bytes *out, const struct nx_schema_column *column, unsigned kind,
			const union nx_cell *cell)
{
	static const union nx_cell zero;
	bool is_null = kind == NX_CELL_NULL;

	if (nx_schema_is_list(column->type)) {
		append_list(out, kind, cell);
		return;
	}
	nx_vec_reserve(out, out->len + SCALAR_MAX);
	if (!column->is_required) {
		out->items[out->len++] = is_null;
		if (is_null)
			return;
	}
	if (is_text(column))
		nx_row_binary_text(out, is_null ? nx_slice_of("", 0) : cell->text);
	else
		out->len += put_number(out->items + out->len, column->type, is_null ? &zero : cell);
}

void nx_row_binary_append(struct nx_bytes *out, const struct nx_row *row)
{
	const struct nx_schema_column *columns = nx_schema_tables[row->table].columns;

	assert(row->column_count == nx_schema_tables[row->table].column_count);
	for (unsigned i = 0; i < row->column_count; i++)
		append_cell(out, &columns[i], row->kinds[i], &row->cells[i]);
}
