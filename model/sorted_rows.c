/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sorted_rows.h"

#include <assert.h>

#define SPOOL_BYTES ((size_t)8 << 20)

void nx_sorted_rows_init(struct nx_sorted_rows *rows, size_t row_size)
{
	assert(row_size >= sizeof(uint64_t)); /* the key is first */
	*rows = (struct nx_sorted_rows){.spool = nx_spool_new(row_size, SPOOL_BYTES)};
}

void nx_sorted_rows_add(void *rows, const void *row)
{
	struct nx_sorted_rows *r = rows;

	assert(r->spool);
	if (!r->status)
		r->status = nx_spool_add(r->spool, row, &r->error);
}

void nx_sorted_rows_fail(struct nx_sorted_rows *rows, const struct nx_error *error)
{
	if (rows->status)
		return;
	rows->status = error->status;
	rows->error = *error;
}

void nx_sorted_rows_sort(struct nx_sorted_rows *rows)
{
	if (!rows->status)
		rows->status = nx_spool_sort(rows->spool, &rows->error);
}

static enum nx_status hand_on(struct nx_sorted_rows *rows, nx_row_fn fn, void *context,
			      struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	const void *row;
	enum nx_status st;

	nx_sorted_rows_sort(rows);
	if (rows->status) {
		if (err)
			*err = rows->error;
		return rows->status;
	}
	st = nx_spool_cursor_open(&cursor, rows->spool, err);
	if (st)
		return st;
	while ((row = nx_spool_cursor_next(cursor)))
		fn(context, row);
	return nx_spool_cursor_close(cursor, err);
}

enum nx_status nx_sorted_rows_finish(struct nx_sorted_rows *rows, nx_row_fn fn, void *context,
				     struct nx_error *err)
{
	enum nx_status st;

	assert(rows->spool && fn); /* once each */
	st = hand_on(rows, fn, context, err);
	nx_spool_free(rows->spool);
	rows->spool = NULL;
	return st;
}

enum nx_status nx_sorted_rows_scan(const struct nx_profile *profile, enum nx_table table,
				   size_t row_size, nx_row_fn fn, void *context,
				   struct nx_error *err)
{
	struct nx_sorted_rows rows;
	enum nx_status st;

	nx_sorted_rows_init(&rows, row_size);
	st = nx_profile_scan(profile, table, nx_sorted_rows_add, &rows, err);
	if (st) {
		nx_spool_free(rows.spool);
		return st;
	}
	return nx_sorted_rows_finish(&rows, fn, context, err);
}
