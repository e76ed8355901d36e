/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_json: values of rows as the API writes them: integers that JavaScript's numbers
 * cannot hold are texts, numbers that are none are null.
 */
#ifndef NX_SERVE_ROW_JSON_H
#define NX_SERVE_ROW_JSON_H

#include "base/json_writer.h"
#include "query/row_stream.h"

/* The largest whole number up to which a double has all of them. */
#define NX_JSON_SAFE_INTEGER ((INT64_C(1) << 53) - 1)

void nx_row_json_value(struct nx_json_writer *w, const struct nx_value *value);
/* [v, v, ...] */
void nx_row_json_row(struct nx_json_writer *w, const struct nx_value *row, size_t column_count);

#endif
