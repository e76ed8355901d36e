/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the same windows of time of a profile's folder (DuckDB) or of a database
 * (ClickHouse) and prints the answers, sorted, so that both can be compared.
 * usage: ask_windows FOLDER                 exit 77: no DuckDB here
 *        ask_windows clickhouse://... PROFILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/clickhouse.h"
#include "query/duckdb.h"
#include "query/window.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const engine_group[] = {"engine"};
static const char *const core_and_engine[] = {"pcore_idx", "engine"};
static const char *const instruction_columns[] = {"id", "start_ts", "end_ts", "opcode", "operands"};

static const struct nx_window_aggregate sums[] = {
	{.measure = NX_WINDOW_COUNT},
	{.measure = NX_WINDOW_SUM, .column = "duration_ns"},
	{.measure = NX_WINDOW_MAX, .column = "duration_ns"},
	{.measure = NX_WINDOW_DOMINANT, .column = "engine"},
};
static const struct nx_window_aggregate bytes[] = {
	{.measure = NX_WINDOW_COUNT},
	{.measure = NX_WINDOW_SUM, .column = "transfer_bytes"},
	{.measure = NX_WINDOW_MAX, .column = "throughput", .is_real = true},
};

static const struct nx_value matmul = {.kind = NX_VALUE_TEXT,
				       .text = {(const uint8_t *)"MATMUL", 6}};
static const struct nx_value engines[] = {
	{.kind = NX_VALUE_TEXT, .text = {(const uint8_t *)"Tensor", 6}},
	{.kind = NX_VALUE_TEXT, .text = {(const uint8_t *)"it's", 4}},
};
static const struct nx_value long_ns = {.kind = NX_VALUE_I64, .i64 = 500};

static const struct nx_window_filter only_matmul[] = {
	{"opcode", NX_WINDOW_EQUAL, &matmul, 1},
	{"engine", NX_WINDOW_ONE_OF, engines, COUNT_OF(engines)},
};
static const struct nx_window_filter only_long[] = {
	{"duration_ns", NX_WINDOW_AT_LEAST, &long_ns, 1}};

static const struct nx_window windows[] = {
	{.to = 400000,
	 .bucket_count = 50,
	 .groups = engine_group,
	 .group_count = 1,
	 .aggregates = sums,
	 .aggregate_count = COUNT_OF(sums)},
	{.from = 100000,
	 .to = 110000,
	 .bucket_count = 1000,
	 .groups = core_and_engine,
	 .group_count = 2,
	 .aggregates = sums,
	 .aggregate_count = COUNT_OF(sums)},
	{.to = 400000,
	 .filters = only_matmul,
	 .filter_count = COUNT_OF(only_matmul),
	 .aggregates = sums,
	 .aggregate_count = COUNT_OF(sums)},
	{.from = 50000,
	 .to = 60000,
	 .columns = instruction_columns,
	 .column_count = COUNT_OF(instruction_columns),
	 .filters = only_long,
	 .filter_count = COUNT_OF(only_long)},
	{.table = "DmaPacket",
	 .to = 400000,
	 .bucket_count = 64,
	 .aggregates = bytes,
	 .aggregate_count = COUNT_OF(bytes)},
	{.from = 399999999,
	 .to = 400000000,
	 .bucket_count = 3,
	 .aggregates = sums,
	 .aggregate_count = COUNT_OF(sums)}, /* behind everything */
};

static int compare_lines(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static void print_sorted(char **lines, size_t count)
{
	if (count)
		qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++) {
		puts(lines[i]);
		free(lines[i]);
	}
}

static enum nx_status print_answer(struct nx_row_stream *rows, struct nx_error *err)
{
	struct nx_bytes text = {0};
	char **lines = NULL;
	size_t count = 0;
	const struct nx_value *row;
	enum nx_status st;

	while (!(st = nx_row_stream_next(rows, &row, err)) && row) {
		nx_vec_clear(&text);
		for (size_t i = 0; i < rows->column_count; i++) {
			nx_bytes_append(&text, "|", 1);
			nx_value_append_text(&row[i], &text);
		}
		lines = realloc(lines, (count + 1) * sizeof(*lines));
		lines[count++] =
			text.len ? strndup((const char *)text.items, text.len) : strdup("");
	}
	print_sorted(lines, count);
	free(lines);
	nx_vec_release(&text);
	return st;
}

static enum nx_status ask_all(const struct nx_query_engine *engine, const char *profile,
			      struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < COUNT_OF(windows) && !st; i++) {
		struct nx_window w = windows[i];
		struct nx_row_stream *rows;

		w.profile = profile;
		w.table = w.table ? w.table : "Instruction";
		w.start_column = "start_ts";
		w.end_column = "end_ts";
		printf("window %zu\n", i);
		st = nx_window_ask(&w, engine, &rows, err);
		if (st)
			break;
		st = print_answer(rows, err);
		nx_row_stream_close(rows);
	}
	return st;
}

static enum nx_status ask_folder(const char *path, struct nx_error *err)
{
	struct nx_duckdb_options options = {0};
	struct nx_profile_folder folder;
	struct nx_query_engine engine;
	struct nx_duckdb *db = NULL;
	enum nx_status st = nx_profile_folder_open(&folder, path, err);

	if (!st)
		st = nx_duckdb_open(&db, &folder, &options, err);
	if (!st) {
		engine = nx_duckdb_as_engine(db);
		st = ask_all(&engine, NULL, err);
	}
	nx_duckdb_close(db);
	nx_profile_folder_release(&folder);
	return st;
}

static enum nx_status ask_database(const char *url, const char *profile, struct nx_error *err)
{
	struct nx_query_engine engine;
	struct nx_clickhouse *db;
	enum nx_status st = nx_clickhouse_open(&db, url, err);

	if (st)
		return st;
	engine = nx_clickhouse_as_engine(db);
	st = ask_all(&engine, profile, err);
	nx_clickhouse_close(db);
	return st;
}

int main(int argc, char **argv)
{
	struct nx_error err = {0};
	enum nx_status st;

	if (argc < 2) {
		fprintf(stderr, "usage: ask_windows FOLDER | clickhouse://... PROFILE\n");
		return 2;
	}
	st = argc > 2 ? ask_database(argv[1], argv[2], &err) : ask_folder(argv[1], &err);
	if (!st)
		return 0;
	fprintf(stderr, "ask_windows: %s\n", err.message);
	return st == NX_UNSUPPORTED ? 77 : 1;
}
