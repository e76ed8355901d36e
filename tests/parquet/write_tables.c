/* SPDX-License-Identifier: Apache-2.0 */
/* Writes every case as DIR/NAME.parquet and DIR/NAME.jsonl: write_tables DIR [THREADS] */
#include <stdio.h>
#include <stdlib.h>

#include "tests/parquet/cases.h"

static enum nx_status put_rows(const struct nx_parquet_case *table, struct nx_parquet_writer *w,
			       struct nx_output *lines, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (uint64_t i = 0; i < table->row_count && !st; i++) {
		struct nx_json_writer json;
		struct nx_case_row row = {w, &json, table, i};

		nx_json_init_output(&json, lines, false);
		nx_json_begin_object(&json);
		table->put(&row);
		nx_json_end_object(&json);
		nx_output_write(lines, "\n", 1);
		st = nx_parquet_end_row(w, err);
	}
	return st;
}

static enum nx_status write_both(const struct nx_parquet_case *table, struct nx_output *parquet,
				 struct nx_output *lines, unsigned threads, struct nx_error *err)
{
	struct nx_parquet_options options = table->options;
	struct nx_parquet_writer *w;
	enum nx_status st;

	options.threads = threads;
	st = nx_parquet_open(&w, nx_parquet_to_output(parquet), table->fields, table->field_count,
			     &options, err);
	if (st)
		return st;
	nx_parquet_add_metadata(w, "table", table->name);
	nx_parquet_add_metadata(w, "unicode", "gr\xc3\xbc\xc3\x9f");
	st = put_rows(table, w, lines, err);
	if (!st)
		return nx_parquet_close(w, err);
	nx_parquet_abandon(w);
	return st;
}

static enum nx_status write_case(const struct nx_parquet_case *table, const char *folder,
				 unsigned threads, struct nx_error *err)
{
	struct nx_output parquet = {0}, lines = {0};
	char path[4096];
	enum nx_status st;

	snprintf(path, sizeof(path), "%.4000s/%s.parquet", folder, table->name);
	st = nx_output_open(&parquet, path, err);
	snprintf(path, sizeof(path), "%.4000s/%s.jsonl", folder, table->name);
	if (!st)
		st = nx_output_open(&lines, path, err);
	if (!st)
		st = write_both(table, &parquet, &lines, threads, err);
	if (!st)
		st = nx_output_commit(&parquet, err);
	if (!st)
		st = nx_output_commit(&lines, err);
	nx_output_abort(&parquet);
	nx_output_abort(&lines);
	return st;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	struct nx_error err = {0};

	if (argc < 2) {
		fprintf(stderr, "usage: %s DIR [THREADS]\n", argv[0]);
		return 2;
	}
	for (size_t i = 0; i < nx_parquet_case_count; i++)
		if (write_case(&nx_parquet_cases[i], argv[1], threads, &err)) {
			fprintf(stderr, "%s: %s\n", nx_parquet_cases[i].name, err.message);
			return 1;
		}
	return 0;
}
