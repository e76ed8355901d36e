/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_cell: one value in ClickHouse's tab-separated text, and what its type's name means.
 * All functions accept any bytes; those that return bool say false for what is no such value.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_CELL_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_CELL_H

#include "base/vec.h"
#include "model/table_sink.h"

/* The kind of values of a type; false for those that no cell holds (lists of lists). */
bool nx_clickhouse_type_kind(struct nx_slice type, enum nx_cell_kind *kind);

bool nx_clickhouse_read_i64(struct nx_slice raw, int64_t *value);
bool nx_clickhouse_read_f64(struct nx_slice raw, double *value);

/* The text without its escapes: raw itself where it has none, else a copy at the end of texts,
 * which is never longer than raw. */
struct nx_slice nx_clickhouse_unescape(struct nx_bytes *texts, struct nx_slice raw);

/* What is between [ and ]. */
bool nx_clickhouse_open_list(struct nx_slice raw, struct nx_slice *list);
/* Takes the next item and the comma behind it off the list. */
bool nx_clickhouse_next_number(struct nx_slice *list, int64_t *value);
bool nx_clickhouse_next_item(struct nx_slice *list, struct nx_bytes *texts, struct nx_slice *item);

#endif
