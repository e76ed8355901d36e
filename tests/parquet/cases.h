/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases: tables that show everything the Parquet writer can do. Each row goes to the
 * writer and, as text, to JSON lines, so that any reader can be compared with them.
 *
 * In the lines an integer is its digits and a double the 16 hex digits of its bits, both as
 * texts: JSON's own numbers would round the one and have no NaN for the other. A float is
 * the double of the same value.
 */
#ifndef NX_TESTS_PARQUET_CASES_H
#define NX_TESTS_PARQUET_CASES_H

#include "base/json_writer.h"
#include "format/parquet/parquet.h"

struct nx_parquet_case;

/* A row on its way into both. */
struct nx_case_row {
	struct nx_parquet_writer *parquet;
	struct nx_json_writer *json;
	const struct nx_parquet_case *table;
	uint64_t number;
};

struct nx_parquet_case {
	const char *name;
	const struct nx_parquet_field *fields;
	size_t field_count;
	uint64_t row_count;
	struct nx_parquet_options options;
	void (*put)(const struct nx_case_row *row);
};

extern const struct nx_parquet_case nx_parquet_cases[];
extern const size_t nx_parquet_case_count;

/* One value of the lines; the writer's side of each is in cases.c. */
void nx_case_json_i64(struct nx_json_writer *json, int64_t value);
void nx_case_json_f64(struct nx_json_writer *json, double value);

#endif
