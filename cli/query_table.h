/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query_table: rows of a query as aligned columns, for people.
 *
 * Columns are as wide as the first rows need; later rows are printed as they
 * come, so memory is bounded. On a terminal lines are cut to its width, NULL is
 * dim and there may be a limit of rows; rows beyond it are only counted.
 */
#ifndef NX_CLI_QUERY_TABLE_H
#define NX_CLI_QUERY_TABLE_H

#include "export/row_sink.h"

struct nx_query_table_style {
	unsigned width;	      /* columns of the terminal; 0: lines may be of any length */
	bool is_coloured;     /* NULL dim, titles bold */
	bool shows_count;     /* ends with the number of rows */
	uint64_t limit_count; /* of rows; 0: none */
};

struct nx_row_sink *nx_query_table_open(struct nx_output *out,
					const struct nx_query_table_style *style);

#endif
