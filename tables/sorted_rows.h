/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sorted_rows: the rows of a table in order of time over all graphs.
 *
 * Some tables come graph by graph, or when a span ends. This sorts them in a bounded buffer; the
 * row's first member must be the time to sort by. Rows of one moment keep the order in which they
 * came.
 */
#ifndef NX_TABLES_SORTED_ROWS_H
#define NX_TABLES_SORTED_ROWS_H

#include "base/spool.h"
#include "model/profile.h"

struct nx_sorted_rows {
	struct nx_spool *spool;
	enum nx_status status; /* first failure of adding */
	struct nx_error error;
};

void nx_sorted_rows_init(struct nx_sorted_rows *rows, size_t row_size);
/* An nx_row_fn: give it the struct as context. */
void nx_sorted_rows_add(void *rows, const void *row);
/* Like a failure of adding: finish reports it instead of handing rows on. */
void nx_sorted_rows_fail(struct nx_sorted_rows *rows, const struct nx_error *error);
/* Does now what finish would have to do first. */
void nx_sorted_rows_sort(struct nx_sorted_rows *rows);
/* Hands all rows on and releases them, also on failure. */
NX_MUST_CHECK enum nx_status nx_sorted_rows_finish(struct nx_sorted_rows *rows, nx_row_fn fn,
						   void *context, struct nx_error *err);

/* nx_profile_scan, sorted. */
NX_MUST_CHECK enum nx_status nx_sorted_rows_scan(const struct nx_profile *profile,
						 enum nx_table table, size_t row_size, nx_row_fn fn,
						 void *context, struct nx_error *err);

#endif
