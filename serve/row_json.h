/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_json: values of rows as the API writes them: integers that JavaScript's numbers
 * cannot hold are texts, NaN and infinities are null.
 */
#ifndef NX_SERVE_ROW_JSON_H
#define NX_SERVE_ROW_JSON_H

#include "export/value_json.h"

void nx_row_json_value(struct nx_json_writer *w, const struct nx_value *value);
/* [v, v, ...] */
void nx_row_json_row(struct nx_json_writer *w, const struct nx_value *row, size_t column_count);

#endif
