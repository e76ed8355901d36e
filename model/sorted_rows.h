/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sorted_rows: the rows of a table in order of time over all graphs, in bounded memory. The first
 * member of a row must be the time to sort by. Rows of the same time keep their order.
 */
#ifndef NX_MODEL_SORTED_ROWS_H
#define NX_MODEL_SORTED_ROWS_H

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
/* Records a failure, which finish reports instead of handing rows on. */
void nx_sorted_rows_fail(struct nx_sorted_rows *rows, const struct nx_error *error);
/* Sorts now, for example on another thread, instead of in finish. */
void nx_sorted_rows_sort(struct nx_sorted_rows *rows);
/* Hands all rows on and releases them, even on failure. */
NX_MUST_CHECK enum nx_status nx_sorted_rows_finish(struct nx_sorted_rows *rows, nx_row_fn fn,
						   void *context, struct nx_error *err);

/* nx_profile_scan, sorted. */
NX_MUST_CHECK enum nx_status nx_sorted_rows_scan(const struct nx_profile *profile,
						 enum nx_table table, size_t row_size, nx_row_fn fn,
						 void *context, struct nx_error *err);

#endif
