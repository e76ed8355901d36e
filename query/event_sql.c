/* SPDX-License-Identifier: Apache-2.0 */
#include "query/event_sql.h"

#include <stdio.h>

/* --- columns ------------------------------------------------------------------------- */

/* The first that the table has. */
static const char *choose(const struct nx_stored_table *table, const char *const *names)
{
	size_t field;

	for (; *names; names++)
		if (nx_stored_table_find(table, *names, &field) && !table->fields[field].is_list)
			return table->fields[field].name;
	return NULL;
}

static const char *choose_integer(const struct nx_stored_table *table, const char *const *names)
{
	size_t field;

	for (; *names; names++)
		if (nx_stored_table_find(table, *names, &field) && !table->fields[field].is_list &&
		    (table->fields[field].type == NX_PARQUET_I64 ||
		     table->fields[field].type == NX_PARQUET_I32))
			return table->fields[field].name;
	return NULL;
}

bool nx_event_columns_find(struct nx_event_columns *columns, const struct nx_stored_table *table)
{
	static const char *const durations[] = {"duration_ns", "duration", NULL};
	static const char *const names[] = {"opcode",	  "operation",	 "name", "variable",
					    "queue_type", "description", "type", NULL};
	static const char *const engines[] = {"engine",	    "engine_name",	  "trigger_engine",
					      "queue_name", "trace_event_source", NULL};
	static const char *const counters[] = {"pc", "compiler_pc", NULL};
	static const char *const ids[] = {"id", NULL};
	struct nx_stored_times times;

	*columns = (struct nx_event_columns){0};
	if (!nx_stored_table_times(table, &times))
		return false;
	columns->start = table->fields[times.start].name;
	columns->is_end_given = !table->fields[times.end].is_optional;
	if (times.end != times.start)
		columns->end = table->fields[times.end].name;
	else
		columns->duration = choose_integer(table, durations);
	columns->name = choose(table, names);
	columns->engine = choose(table, engines);
	columns->pc = choose_integer(table, counters);
	columns->id = choose_integer(table, ids);
	return true;
}

/* --- sources ------------------------------------------------------------------------- */

static enum nx_status append_part(struct nx_bytes *sql, const char *file, uint64_t first_row,
				  struct nx_error *err)
{
	char base[64];
	enum nx_status st;

	snprintf(base, sizeof(base), "SELECT *, file_row_number + %llu AS " NX_EVENT_ROW,
		 (unsigned long long)first_row);
	nx_sql_append(sql, base);
	nx_sql_append(sql, " FROM read_parquet(");
	st = nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(file), err);
	nx_sql_append(sql, ", file_row_number = true, hive_partitioning = false)");
	return st;
}

enum nx_status nx_event_sql_append_source(struct nx_bytes *sql, const struct nx_stored_table *table,
					  const struct nx_folder_table *files, struct nx_error *err)
{
	uint64_t first_row = 0;
	enum nx_status st = NX_OK;

	nx_sql_append(sql, "(");
	for (size_t i = 0; !st && i < table->part_count; i++) {
		nx_sql_append(sql, i ? " UNION ALL BY NAME " : "");
		st = append_part(sql, files->files[i], first_row, err);
		first_row += nx_parquet_reader_row_count(table->parts[i].reader);
	}
	nx_sql_append(sql, ")");
	return st;
}

/* --- events -------------------------------------------------------------------------- */

/* A list of pieces of SQL; the first failure sticks. */
struct text {
	struct nx_bytes *sql;
	enum nx_status st;
	struct nx_error *err;
};

static void put(struct text *t, const char *words)
{
	nx_sql_append(t->sql, words);
}

static void put_name(struct text *t, const char *name)
{
	if (!t->st)
		t->st = nx_sql_append_name(t->sql, NX_SQL_DUCKDB, name, t->err);
}

static void put_i64(struct text *t, int64_t value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%lld", (long long)value);
	put(t, digits);
}

static void put_end(struct text *t, const struct nx_event_columns *columns)
{
	if (!columns->end && !columns->duration) {
		put_name(t, columns->start);
		return;
	}
	put(t, "greatest(");
	put_name(t, columns->start);
	put(t, ", ");
	if (columns->end) {
		put_name(t, columns->end);
	} else {
		put_name(t, columns->start);
		put(t, " + coalesce(");
		put_name(t, columns->duration);
		put(t, ", 0)");
	}
	put(t, ")");
}

static void put_optional(struct text *t, const char *column, const char *type, const char *as)
{
	put(t, ", CAST(");
	if (column)
		put_name(t, column);
	else
		put(t, "NULL");
	put(t, " AS ");
	put(t, type);
	put(t, ") AS ");
	put(t, as);
}

enum nx_status nx_event_sql_append_columns(struct nx_bytes *sql,
					   const struct nx_event_columns *columns, size_t number,
					   struct nx_error *err)
{
	struct text t = {.sql = sql, .err = err};

	put(&t, "CAST(");
	put_i64(&t, (int64_t)number);
	put(&t, " AS BIGINT) AS t, CAST(" NX_EVENT_ROW " AS BIGINT) AS r, CAST(");
	put_name(&t, columns->start);
	put(&t, " AS BIGINT) AS s, CAST(");
	put_end(&t, columns);
	put(&t, " AS BIGINT) AS e");
	put_optional(&t, columns->name, "VARCHAR", "n");
	put_optional(&t, columns->engine, "VARCHAR", "g");
	put_optional(&t, columns->pc, "BIGINT", "p");
	return t.st;
}

/* The columns stand alone first, so that row groups can be left out by their statistics. */
enum nx_status nx_event_sql_append_range(struct nx_bytes *sql,
					 const struct nx_event_columns *columns,
					 const struct nx_time_range *range, struct nx_error *err)
{
	struct text t = {.sql = sql, .err = err};

	put_name(&t, columns->start);
	put(&t, " IS NOT NULL");
	if (range->has_to) {
		put(&t, " AND ");
		put_name(&t, columns->start);
		put(&t, " < ");
		put_i64(&t, range->to_ns);
	}
	if (!range->has_from)
		return t.st;
	if (columns->end && columns->is_end_given) {
		put(&t, " AND ");
		put_name(&t, columns->end);
		put(&t, " >= ");
		put_i64(&t, range->from_ns);
	}
	put(&t, " AND (");
	put_end(&t, columns);
	put(&t, " > ");
	put_i64(&t, range->from_ns);
	put(&t, " OR ");
	put_name(&t, columns->start);
	put(&t, " = ");
	put_i64(&t, range->from_ns);
	put(&t, ")");
	return t.st;
}

static uint64_t time_of(const struct nx_value *value)
{
	return value->kind == NX_VALUE_I64 && value->i64 > 0 ? (uint64_t)value->i64 : 0;
}

static struct nx_slice text_of(const struct nx_value *value)
{
	return value->kind == NX_VALUE_TEXT ? value->text : (struct nx_slice){0};
}

void nx_event_read(struct nx_event_row *event, const struct nx_value *row)
{
	*event = (struct nx_event_row){
		.table = (size_t)time_of(&row[NX_EVENT_TABLE]),
		.row = time_of(&row[NX_EVENT_NUMBER]),
		.start_ns = time_of(&row[NX_EVENT_START]),
		.end_ns = time_of(&row[NX_EVENT_END]),
		.name = text_of(&row[NX_EVENT_NAME]),
		.engine = text_of(&row[NX_EVENT_ENGINE]),
		.has_pc = row[NX_EVENT_PC].kind == NX_VALUE_I64,
		.pc = row[NX_EVENT_PC].kind == NX_VALUE_I64 ? row[NX_EVENT_PC].i64 : 0,
	};
}
