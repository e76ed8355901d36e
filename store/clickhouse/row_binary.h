/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row_binary: rows of published tables in ClickHouse's RowBinary, its fastest input format: values
 * one after another, numbers little-endian, a text as its length (LEB128) and bytes, a list as its
 * length and items; a nullable value follows a byte that is 1 for null. Types as in
 * store/clickhouse/clickhouse_layout.h; a required column without a value becomes 0 or the empty
 * text.
 */
#ifndef NX_STORE_CLICKHOUSE_ROW_BINARY_H
#define NX_STORE_CLICKHOUSE_ROW_BINARY_H

#include "base/vec.h"
#include "model/table_sink.h"

void nx_row_binary_text(struct nx_bytes *out, struct nx_slice text);
void nx_row_binary_append(struct nx_bytes *out, const struct nx_row *row);

#endif
