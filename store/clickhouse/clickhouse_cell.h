/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clickhouse_cell: parses one value, and the name of its type, from ClickHouse's tab-separated
 * text. All functions accept any bytes; those that return bool return false if it is not such a
 * value.
 */
#ifndef NX_STORE_CLICKHOUSE_CLICKHOUSE_CELL_H
#define NX_STORE_CLICKHOUSE_CLICKHOUSE_CELL_H

#include "base/vec.h"
#include "model/table_sink.h"

/* The kind of values of a type; false for those that no cell holds (lists of lists). */
bool nx_clickhouse_type_kind(struct nx_slice type, enum nx_cell_kind *kind);

bool nx_clickhouse_read_i64(struct nx_slice raw, int64_t *value);
bool nx_clickhouse_read_f64(struct nx_slice raw, double *value);

/* Removes escapes: returns raw itself if there are none, otherwise a copy at the end of texts that
 * is never longer than raw. */
struct nx_slice nx_clickhouse_unescape(struct nx_bytes *texts, struct nx_slice raw);

/* The text between [ and ]. */
bool nx_clickhouse_open_list(struct nx_slice raw, struct nx_slice *list);
/* Removes the next item and its comma from the list. */
bool nx_clickhouse_next_number(struct nx_slice *list, int64_t *value);
bool nx_clickhouse_next_item(struct nx_slice *list, struct nx_bytes *texts, struct nx_slice *item);

#endif
