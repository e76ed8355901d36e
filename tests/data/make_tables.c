/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a small profile of Parquet files for tests of SQL.
 * usage: make_tables FOLDER [SQL...]     the SQL runs in the folder, without any lock
 *        make_tables --check             exits with 77 if there is no DuckDB library
 */
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "query/duckdb_internal.h"

static const char *const usual[] = {
	"COPY (SELECT i * 10 AS start_ts, i * 10 + 1 + i % 7 AS end_ts, 'op' || (i % 3) AS opcode, "
	"['Tensor', 'Vector'][1 + i % 2] AS engine, i AS bytes FROM range(0, 500) t(i)) TO "
	"'Instruction_0.parquet'",
	"COPY (SELECT i * 10 AS start_ts, i * 10 + 1 + i % 7 AS end_ts, 'op' || (i % 3) AS opcode, "
	"['Tensor', 'Vector'][1 + i % 2] AS engine, i AS bytes FROM range(500, 1000) t(i)) TO "
	"'Instruction_1.parquet'",
	"COPY (SELECT * FROM (VALUES (1, 'plain', NULL, [1, NULL, 3], 9007199254740993), "
	"(2, 'naïve 日本', 0.5, [], -9223372036854775808), (3, '', NULL, NULL, NULL)) "
	"t(id, name, ratio, steps, exact)) TO 'Layer.parquet'",
	"COPY (SELECT 1 AS id WHERE false) TO 'Warning.parquet'",
};

static enum nx_status run(struct nx_duckdb *db, int argc, char **argv, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && !st; i++)
		st = nx_duckdb_run(db, usual[i], err);
	for (int i = 2; i < argc && !st; i++)
		st = nx_duckdb_run(db, argv[i], err);
	return st;
}

int main(int argc, char **argv)
{
	struct nx_duckdb db = {0};
	struct nx_error err = {0};
	enum nx_status st = nx_duckdb_load(&db.api, NULL, &err);

	if (st) {
		printf("SKIP: %s\n", err.message);
		return 77;
	}
	if (argc < 2 || !strcmp(argv[1], "--check"))
		return argc < 2 ? 2 : 0;
	if (nx_make_directories(argv[1], &err) || chdir(argv[1]) ||
	    db.api->duckdb_open(NULL, &db.database) ||
	    db.api->duckdb_connect(db.database, &db.connection)) {
		fprintf(stderr, "make_tables: cannot begin in %s\n", argv[1]);
		return 1;
	}
	st = run(&db, argc, argv, &err);
	if (st)
		fprintf(stderr, "make_tables: %s\n", err.message);
	db.api->duckdb_disconnect(&db.connection);
	db.api->duckdb_close(&db.database);
	return nx_status_exit_code(st);
}
