/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the same questions of a profile's folder (DuckDB) or of a database
 * (ClickHouse) and prints the answers, sorted, so that both can be compared.
 * usage: ask_both FOLDER                 exit 77: no DuckDB here
 *        ask_both clickhouse://... PROFILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/clickhouse.h"
#include "query/duckdb.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* SQL that both understand, up to WHERE and after its first condition. */
static const struct {
	const char *select, *rest;
} questions[] = {
	{"SELECT engine, count(*), sum(duration_ns), max(duration_ns) FROM Instruction",
	 "start_ts < 400000 GROUP BY engine"},
	{"SELECT pcore_idx, engine, count(*), min(start_ts), max(end_ts) FROM Instruction",
	 "start_ts < 110000 AND end_ts > 100000 GROUP BY pcore_idx, engine"},
	{"SELECT count(*), sum(duration_ns) FROM Instruction",
	 "opcode = 'MATMUL' AND engine IN ('Tensor', 'it''s')"},
	{"SELECT id, start_ts, end_ts, opcode, operands FROM Instruction",
	 "start_ts >= 0 AND duration_ns >= 0"},
	{"SELECT count(*), sum(transfer_bytes), max(throughput) FROM DmaPacket", "start_ts >= 0"},
	{"SELECT id, opcode FROM Instruction", "start_ts >= 399999999"}, /* after everything */
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

	for (size_t i = 0; i < COUNT_OF(questions) && !st; i++) {
		struct nx_row_stream *rows;
		char sql[1024];

		/* A database holds many profiles, a folder one. */
		if (profile)
			snprintf(sql, sizeof(sql), "%s WHERE profile = '%s' AND %s",
				 questions[i].select, profile, questions[i].rest);
		else
			snprintf(sql, sizeof(sql), "%s WHERE %s", questions[i].select,
				 questions[i].rest);
		printf("question %zu\n", i);
		st = engine->ask(engine->context, nx_slice_text(sql), &rows, err);
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
		fprintf(stderr, "usage: ask_both FOLDER | clickhouse://... PROFILE\n");
		return 2;
	}
	st = argc > 2 ? ask_database(argv[1], argv[2], &err) : ask_folder(argv[1], &err);
	if (!st)
		return 0;
	fprintf(stderr, "ask_both: %s\n", err.message);
	return st == NX_UNSUPPORTED ? 77 : 1;
}
