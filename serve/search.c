/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/search.h"

#include <assert.h>

#include "model/schema.h"
#include "serve/time_part.h"
#include "serve/where.h"

#define TEXT_BYTES_MAX 1000u

/* --- conditions ---------------------------------------------------------------------- */

/* Many columns are null in all rows; reading them would take most of the time. */
static bool is_empty(const struct nx_stored_table *table, size_t field)
{
	for (size_t p = 0; p < table->part_count; p++) {
		const struct nx_parquet_reader *reader = table->parts[p].reader;
		size_t column = table->parts[p].columns[field];

		for (size_t g = 0; g < nx_parquet_reader_group_count(reader); g++) {
			const struct nx_parquet_stats *s =
				nx_parquet_reader_stats(reader, g, column);

			if (!s || !s->has_null_count ||
			    s->null_count < nx_parquet_reader_group_rows(reader, g))
				return false;
		}
	}
	return true;
}

/* Whether any text column contains the text, in any case. */
static void append_text(struct nx_bytes *sql, const struct nx_stored_table *table, const char *text)
{
	const char *word = "(";

	for (size_t i = 0; i < table->field_count; i++) {
		if (table->fields[i].type != NX_PARQUET_TEXT || is_empty(table, i))
			continue;
		nx_sql_append(sql, word);
		nx_sql_append(sql, "contains(lower(CAST(");
		nx_sql_append_name(sql, NX_SQL_DUCKDB, table->fields[i].name);
		nx_sql_append(sql, " AS VARCHAR)), lower(");
		nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(text));
		nx_sql_append(sql, "))");
		word = " OR ";
	}
	nx_sql_append(sql, *word == '(' ? "false" : ")");
}

static enum nx_status append_conditions(struct nx_bytes *sql, const struct nx_stored_table *table,
					const struct nx_request *request, struct nx_error *err)
{
	const char *text = nx_request_find(request, "text"), *condition;
	enum nx_status st = NX_OK;
	size_t at = 0;

	nx_sql_append(sql, "true");
	while (!st && (condition = nx_request_next(request, "where", &at))) {
		nx_sql_append(sql, " AND coalesce(");
		st = nx_where_append_one(sql, table, condition, err);
		nx_sql_append(sql, ", false)");
	}
	if (!st && text && *text) {
		nx_sql_append(sql, " AND ");
		append_text(sql, table, text);
	}
	return st;
}

/* --- tables -------------------------------------------------------------------- */

static enum nx_status add_table(struct nx_search *search, struct nx_request *request,
				const char *name, struct nx_error *err)
{
	struct nx_search_table *table = &search->tables[search->table_count];
	struct nx_bytes sql = {0};
	enum nx_status st = nx_open_profile_table(request->profile, name, &table->stored, err);

	if (st)
		return st;
	table->files = nx_profile_folder_find(&request->profile->folder, name);
	if (!nx_event_columns_find(&table->columns, table->stored))
		return nx_fail(err, NX_USAGE,
			       "rows of the table %s have no time; ask for them with "
			       "tables/%s?where=...",
			       table->stored->name, table->stored->name);
	st = append_conditions(&sql, table->stored, request, err);
	table->condition = nx_arena_copy(&request->arena, nx_slice_of(sql.items, sql.len));
	nx_vec_release(&sql);
	if (!st)
		search->table_count++;
	return st;
}

/* Skips tables that are missing or lack a column, but fails if all do. */
static enum nx_status add_drawn(struct nx_search *search, struct nx_request *request,
				struct nx_error *err)
{
	bool is_seen[NX_SCHEMA_TABLE_COUNT] = {false};
	const struct nx_timeline *timeline;
	struct nx_track track;
	enum nx_status st = nx_open_profile_timeline(request->profile, &timeline, err);

	if (st)
		return st;
	for (uint32_t i = 0; nx_timeline_track(timeline, i, &track); i++) {
		uint64_t id = track.keys[0];

		if (track.kind != NX_TRACK_SPANS || id >= NX_SCHEMA_TABLE_COUNT || is_seen[id])
			continue;
		is_seen[id] = true;
		st = add_table(search, request, nx_schema_tables[id].name, err);
		if (st && st != NX_NOT_FOUND)
			return st;
	}
	return search->table_count ? NX_OK : st;
}

enum nx_status nx_search_init(struct nx_search *search, struct nx_request *request,
			      struct nx_error *err)
{
	const char *table = nx_request_find(request, "table");
	const char *text = nx_request_find(request, "text");
	enum nx_status st;

	assert(request->profile);
	*search = (struct nx_search){0};
	search->tables =
		NX_NEW_ARRAY(&request->arena, struct nx_search_table, NX_SCHEMA_TABLE_COUNT + 1);
	if (text && strlen(text) > TEXT_BYTES_MAX)
		return nx_fail(err, NX_USAGE, "'text' is longer than %u bytes", TEXT_BYTES_MAX);
	st = nx_request_time_range(request, &search->range, err);
	if (!st && table && *table)
		st = add_table(search, request, table, err);
	else if (!st)
		st = add_drawn(search, request, err);
	search->key = "";
	for (size_t i = 0; !st && i < search->table_count; i++)
		search->key = nx_arena_printf(&request->arena, "%s%s:%s\n", search->key,
					      search->tables[i].stored->name,
					      search->tables[i].condition);
	return st;
}

/* --- SQL ----------------------------------------------------------------------- */

void nx_search_append_rows(struct nx_bytes *sql, const struct nx_search_table *table)
{
	nx_sql_append(sql, " FROM ");
	nx_event_sql_append_source(sql, table->stored, table->files);
	nx_sql_append(sql, " WHERE ");
	nx_sql_append(sql, table->condition);
}

void nx_search_append_hits(struct nx_bytes *sql, const struct nx_search *search)
{
	assert(search->table_count);
	nx_sql_append(sql, "(");
	for (size_t i = 0; i < search->table_count; i++) {
		const struct nx_search_table *table = &search->tables[i];

		nx_sql_append(sql, i ? " UNION ALL SELECT " : "SELECT ");
		nx_event_sql_append_columns(sql, &table->columns, i);
		nx_search_append_rows(sql, table);
		nx_sql_append(sql, " AND ");
		nx_event_sql_append_range(sql, &table->columns, &search->range);
	}
	nx_sql_append(sql, ")");
}
