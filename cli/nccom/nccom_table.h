/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccom_table: what nccom-test prints, and its JSON.
 *
 *	struct nx_nccom_table table = {.request = &request, .words = &words};
 *	st = nx_nccom_table_open(&table, &err);
 *	... nx_nccom_table_add for each size, nx_nccom_table_end after each operation ...
 *	st = nx_nccom_table_close(&table, st, &err);
 *
 * A row is shown as soon as it is known, and stays in the JSON when a later one fails.
 */
#ifndef NX_CLI_NCCOM_NCCOM_TABLE_H
#define NX_CLI_NCCOM_NCCOM_TABLE_H

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/nccom/nccom_options.h"

struct nx_nccom_table {
	const struct nx_nccom_request *request; /* borrowed, as words are */
	const struct nx_nccom_words *words;
	struct nx_bytes said; /* a line for each rank that failed */
	struct nx_output out;
	struct nx_bytes json;
	struct nx_json_writer writer;
	size_t stream; /* the stream of these rows, from 1; 0: no streams */
	double bus_sum;
	size_t row_count;
	bool has_header;
};

/* Begins table and JSON; IO. Close what was opened. */
NX_MUST_CHECK enum nx_status nx_nccom_table_open(struct nx_nccom_table *table,
						 struct nx_error *err);
/* Sorts the times of the result. */
void nx_nccom_table_add(struct nx_nccom_table *table, const struct nx_nccom_case *c,
			struct nx_nccom_result *result);
void nx_nccom_table_end(struct nx_nccom_table *table);

/*
 * Writes the JSON. If st or the writing is a failure, prints it in the lines that scripts look
 * for; they name a file with the messages of err and the ranks, which --debug also shows.
 * Returns st, or what failed here.
 */
NX_MUST_CHECK enum nx_status nx_nccom_table_close(struct nx_nccom_table *table, enum nx_status st,
						  struct nx_error *err);

#endif
