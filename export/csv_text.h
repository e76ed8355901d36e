/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv_text: rows of a query as lines of CSV in memory, for files and for answers alike.
 *
 * RFC 4180 with plain line ends. NULL is an empty field, an empty text is "".
 */
#ifndef NX_EXPORT_CSV_TEXT_H
#define NX_EXPORT_CSV_TEXT_H

#include "query/row_stream.h"

/* One line each, with its end. */
void nx_csv_append_header(struct nx_bytes *to, const struct nx_column *columns, size_t count);
void nx_csv_append_row(struct nx_bytes *to, const struct nx_value *row, size_t count);

#endif
