/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_wire: columns and rows as bytes, between the process that runs SQL and the one that asked.
 *
 * Numbers are little-endian. A text is its length in 32 bits and its bytes. A value is its kind in
 * one byte and its contents; a list is the count of its items and the items, and a struct has the
 * name before each item. The reader trusts nothing: the writer has run SQL of strangers.
 */
#ifndef NX_QUERY_ROW_WIRE_H
#define NX_QUERY_ROW_WIRE_H

#include "base/arena.h"
#include "query/row_stream.h"

void nx_row_wire_put_columns(struct nx_bytes *to, const struct nx_column *columns, size_t count);
/* False, with `to` as it was, if the row takes more than bytes_max. */
NX_MUST_CHECK bool nx_row_wire_put_row(struct nx_bytes *to, const struct nx_value *row,
				       size_t count, size_t bytes_max);

/* Both take what they read off *from. Texts of a row borrow from it, the rest is in the arena.
 * FORMAT if the bytes are not what a writer makes. */
NX_MUST_CHECK enum nx_status nx_row_wire_get_columns(struct nx_slice *from, struct nx_arena *arena,
						     struct nx_column **columns, size_t *count);
NX_MUST_CHECK enum nx_status nx_row_wire_get_row(struct nx_slice *from, struct nx_arena *arena,
						 struct nx_value *row, size_t count);

#endif
