/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pushes invented rows into a server, asks a ClickHouse, or tells what must be there.
 *
 * usage: push_rows clickhouse URL PROFILE COUNT [option=value...]
 *        push_rows influx ENDPOINT ORG BUCKET PROFILE COUNT [option=value...]
 *        push_rows query URL SQL
 *        push_rows sums COUNT
 *
 * options: force=1 batch_rows=N patience_ms=N pause_us=N token=TEXT commit=0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "store/clickhouse/clickhouse_reader.h"
#include "store/clickhouse/clickhouse_sink.h"
#include "store/influx/influx_sink.h"
#include "tests/scale/scale_rows.h"

struct options {
	bool force, is_dropped;
	uint32_t batch_rows;
	uint64_t patience_ms;
	unsigned pause_us;
	const char *token;
};

static bool starts(const char *text, const char *prefix)
{
	return nx_slice_starts(nx_slice_text(text), prefix);
}

static struct options read_options(char **words, int count)
{
	struct options options = {0};

	for (int i = 0; i < count; i++) {
		const char *value = strchr(words[i], '=');
		unsigned long long number = value ? strtoull(value + 1, NULL, 10) : 0;

		if (starts(words[i], "force="))
			options.force = number;
		else if (starts(words[i], "batch_rows="))
			options.batch_rows = (uint32_t)number;
		else if (starts(words[i], "patience_ms="))
			options.patience_ms = number;
		else if (starts(words[i], "pause_us="))
			options.pause_us = (unsigned)number;
		else if (starts(words[i], "commit="))
			options.is_dropped = !number;
		else if (starts(words[i], "token="))
			options.token = value + 1;
	}
	return options;
}

static double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int leave(enum nx_status st, const struct nx_error *err)
{
	if (st)
		fprintf(stderr, "%d: %s\n", (int)st, err->message);
	return nx_status_exit_code(st);
}

static int push_clickhouse(char **words, int count)
{
	struct options options = read_options(words + 3, count - 3);
	struct nx_clickhouse_options sink_options = {.replaces = options.force,
						     .batch_rows = options.batch_rows,
						     .patience_ms = options.patience_ms};
	double started = now_seconds();
	struct nx_clickhouse_counts counts;
	struct nx_clickhouse_sink *sink;
	struct nx_error err;
	enum nx_status st;

	st = nx_clickhouse_sink_open(words[0], words[1], &sink_options, &sink, &err);
	if (st)
		return leave(st, &err);
	nx_scale_rows_write(nx_clickhouse_sink_tables(sink), strtoull(words[2], NULL, 10),
			    options.pause_us);
	st = options.is_dropped ? nx_table_sink_status(nx_clickhouse_sink_tables(sink), &err)
				: nx_clickhouse_sink_commit(sink, &err);
	counts = nx_clickhouse_sink_counts(sink);
	nx_clickhouse_sink_close(sink);
	printf("rows %" PRIu64 " batches %" PRIu64 " skipped %" PRIu64 " bytes %" PRIu64
	       " seconds %.3f\n",
	       counts.row_count, counts.batch_count, counts.skipped_count, counts.sent_bytes,
	       now_seconds() - started);
	return leave(st, &err);
}

static int push_influx(char **words, int count)
{
	struct options options = read_options(words + 5, count - 5);
	struct nx_influx_options sink_options = {.endpoint = words[0],
						 .org = words[1],
						 .bucket = words[2],
						 .token = options.token,
						 .start_ns = INT64_C(1700000000000000000),
						 .batch_lines = options.batch_rows,
						 .patience_ms = options.patience_ms};
	double started = now_seconds();
	struct nx_influx_sink *sink;
	struct nx_error err;
	enum nx_status st;

	st = nx_influx_sink_open(&sink_options, words[3], &sink, &err);
	if (st)
		return leave(st, &err);
	nx_scale_rows_write(nx_influx_sink_tables(sink), strtoull(words[4], NULL, 10),
			    options.pause_us);
	st = nx_influx_sink_commit(sink, &err);
	printf("lines %" PRIu64 " seconds %.3f\n", nx_influx_sink_line_count(sink),
	       now_seconds() - started);
	nx_influx_sink_close(sink);
	return leave(st, &err);
}

static void print_cell(unsigned kind, const union nx_cell *cell)
{
	if (kind == NX_CELL_I64)
		printf("%" PRId64, cell->i64);
	else if (kind == NX_CELL_F64)
		printf("%.17g", cell->f64);
	else if (kind == NX_CELL_TEXT)
		printf("%.*s", (int)cell->text.len, (const char *)cell->text.data);
	else if (kind == NX_CELL_BOOL)
		printf("%d", cell->boolean);
	else if (kind == NX_CELL_LIST_I64)
		printf("%zu numbers", cell->list_i64.count);
	else if (kind == NX_CELL_LIST_TEXT)
		for (size_t i = 0; i < cell->list_text.count; i++)
			printf("<%.*s>", (int)cell->list_text.items[i].len,
			       (const char *)cell->list_text.items[i].data);
	else
		printf("null");
}

static enum nx_status print_row(void *context, const struct nx_clickhouse_row *row,
				struct nx_error *err)
{
	(void)context;
	(void)err;
	for (size_t i = 0; i < row->column_count; i++) {
		if (i)
			putchar('|');
		print_cell(row->kinds[i], &row->cells[i]);
	}
	putchar('\n');
	return NX_OK;
}

static int query(const char *url, const char *sql)
{
	struct nx_clickhouse_reader *reader;
	struct nx_error err;
	enum nx_status st = nx_clickhouse_reader_open(url, &reader, &err);

	if (!st)
		st = nx_clickhouse_reader_query(reader, sql, print_row, NULL, &err);
	nx_clickhouse_reader_close(reader);
	return leave(st, &err);
}

static int print_sums(const char *count)
{
	struct nx_scale_sums sums;

	nx_scale_sums_init(&sums);
	nx_scale_rows_write(&sums.sink, strtoull(count, NULL, 10), 0);
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (sums.tables[i].row_count)
			printf("%s %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n",
			       nx_schema_tables[i].name, sums.tables[i].row_count,
			       sums.tables[i].time_sum, sums.tables[i].duration_sum,
			       sums.tables[i].text_bytes);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 5 && !strcmp(argv[1], "clickhouse"))
		return push_clickhouse(argv + 2, argc - 2);
	if (argc >= 7 && !strcmp(argv[1], "influx"))
		return push_influx(argv + 2, argc - 2);
	if (argc == 4 && !strcmp(argv[1], "query"))
		return query(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], "sums"))
		return print_sums(argv[2]);
	fprintf(stderr, "usage: see tests/scale/push_rows.c\n");
	return 2;
}
