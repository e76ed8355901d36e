/* SPDX-License-Identifier: Apache-2.0 */
#include "query/event_sql.h"

#include <assert.h>

/* --- columns ------------------------------------------------------------------------- */

/* The first of the names that the table has as a column of that kind. */
static const char *choose(const struct nx_stored_table *table, const char *const *names,
			  bool is_integer)
{
	size_t field;

	for (; *names; names++)
		if (nx_stored_table_find(table, *names, &field) && !table->fields[field].is_list &&
		    (!is_integer || table->fields[field].type == NX_PARQUET_I64 ||
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
		columns->duration = choose(table, durations, true);
	columns->name = choose(table, names, false);
	columns->engine = choose(table, engines, false);
	columns->pc = choose(table, counters, true);
	columns->id = choose(table, ids, true);
	return true;
}

/* --- sources ------------------------------------------------------------------------- */

void nx_event_sql_append_source(struct nx_bytes *sql, const struct nx_stored_table *table,
				const struct nx_folder_table *files)
{
	uint64_t first_row = 0;

	assert(table->part_count == files->file_count);
	nx_sql_append(sql, "(");
	for (size_t i = 0; i < table->part_count; i++) {
		nx_sql_append(sql, i ? " UNION ALL BY NAME " : "");
		nx_bytes_printf(sql,
				"SELECT *, file_row_number + %llu AS " NX_EVENT_ROW
				" FROM read_parquet(",
				(unsigned long long)first_row);
		nx_sql_append_text(sql, NX_SQL_DUCKDB, nx_slice_text(files->files[i]));
		nx_sql_append(sql, ", file_row_number = true, hive_partitioning = false)");
		first_row += nx_parquet_reader_row_count(table->parts[i].reader);
	}
	nx_sql_append(sql, ")");
}

/* --- events -------------------------------------------------------------------------- */

/* before "name" after */
static void put(struct nx_bytes *sql, const char *before, const char *name, const char *after)
{
	nx_sql_append(sql, before);
	nx_sql_append_name(sql, NX_SQL_DUCKDB, name);
	nx_sql_append(sql, after);
}

static void put_end(struct nx_bytes *sql, const struct nx_event_columns *columns)
{
	if (!columns->end && !columns->duration) {
		put(sql, "", columns->start, "");
		return;
	}
	put(sql, "greatest(", columns->start, ", ");
	if (columns->end) {
		put(sql, "", columns->end, ")");
	} else {
		/* The end of a damaged row may not fit 64 bits. */
		put(sql, "least(CAST(", columns->start, " AS HUGEINT) + coalesce(");
		put(sql, "", columns->duration, ", 0), 9223372036854775807))");
	}
}

static void put_optional(struct nx_bytes *sql, const char *column, const char *as)
{
	if (column)
		put(sql, ", CAST(", column, as);
	else
		nx_bytes_printf(sql, ", CAST(NULL%s", as);
}

void nx_event_sql_append_columns(struct nx_bytes *sql, const struct nx_event_columns *columns,
				 size_t number)
{
	assert(columns->start);
	nx_bytes_printf(sql, "CAST(%zu AS BIGINT) AS t, CAST(" NX_EVENT_ROW " AS BIGINT) AS r",
			number);
	put(sql, ", CAST(", columns->start, " AS BIGINT) AS s, CAST(");
	put_end(sql, columns);
	nx_sql_append(sql, " AS BIGINT) AS e");
	put_optional(sql, columns->name, " AS VARCHAR) AS n");
	put_optional(sql, columns->engine, " AS VARCHAR) AS g");
	put_optional(sql, columns->pc, " AS BIGINT) AS p");
}

/* The columns stand alone first, so that DuckDB can skip row groups by their statistics. */
void nx_event_sql_append_range(struct nx_bytes *sql, const struct nx_event_columns *columns,
			       const struct nx_time_range *range)
{
	long long from_ns = range->from_ns, to_ns = range->to_ns;

	assert(columns->start);
	put(sql, "", columns->start, " IS NOT NULL");
	if (range->has_to) {
		put(sql, " AND ", columns->start, " < ");
		nx_bytes_printf(sql, "%lld", to_ns);
	}
	if (!range->has_from)
		return;
	if (columns->end && columns->is_end_given) {
		put(sql, " AND ", columns->end, " >= ");
		nx_bytes_printf(sql, "%lld", from_ns);
	}
	nx_sql_append(sql, " AND (");
	put_end(sql, columns);
	nx_bytes_printf(sql, " > %lld OR ", from_ns);
	put(sql, "", columns->start, " = ");
	nx_bytes_printf(sql, "%lld)", from_ns);
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

/* --- bandwidth -------------------------------------------------------------------------- */

/* Counts the copies under way: sums of doubles may not come back to 0. */
#define QUESTION(keys)                                                                             \
	"WITH copies AS (SELECT instance_id, " keys                                                \
	", CASE WHEN name IN ('dmem_buf_copyin', 'dmem_buf_batch_copyin') THEN 'host_to_device' "  \
	"ELSE 'device_to_host' END AS direction, start_ts AS s, end_ts AS e, "                     \
	"TRY_CAST(extra_attributes_json->>'size' AS DOUBLE) * 1e9 / (end_ts - start_ts) AS rate "  \
	"FROM SystemProfileEvents WHERE name IN ('dmem_buf_copyin', 'dmem_buf_batch_copyin', "     \
	"'dmem_buf_copyout', 'dmem_buf_batch_copyout') AND end_ts > start_ts), "                   \
	"edges AS (SELECT instance_id, worker, core, direction, s AS t, rate, 1 AS n FROM copies " \
	"WHERE rate > 0 UNION ALL SELECT instance_id, worker, core, direction, e, -rate, -1 FROM " \
	"copies WHERE rate > 0), "                                                                 \
	"steps AS (SELECT instance_id, worker, core, direction, t, sum(rate) AS rate, sum(n) AS "  \
	"n FROM edges GROUP BY ALL) "                                                              \
	"SELECT instance_id, worker, core, direction, t, CASE WHEN sum(n) OVER so_far = 0 THEN "   \
	"0.0 ELSE greatest(sum(rate) OVER so_far, 0.0) END FROM steps WINDOW so_far AS "           \
	"(PARTITION BY instance_id, worker, core, direction ORDER BY t) ORDER BY instance_id, "    \
	"worker, core, direction, t"

const char *nx_bandwidth_sql(bool is_by_core)
{
	return is_by_core ? QUESTION("worker_gid AS worker, nc_idx AS core")
			  : QUESTION("NULL::BIGINT AS worker, NULL::BIGINT AS core");
}
