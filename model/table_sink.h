/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table_sink: how rows of the published tables (model/schema.h) reach a store.
 *
 *	struct nx_row row;
 *
 *	nx_row_init(&row, NX_SCHEMA_PendingDma);
 *	nx_table_sink_begin(sink, NX_SCHEMA_PendingDma);
 *	for (...) {
 *		nx_row_put_i64(&row, NX_COL_PendingDma_timestamp, t);
 *		nx_row_put_i64(&row, NX_COL_PendingDma_value, count);
 *		nx_table_sink_put(sink, &row);
 *	}
 *	nx_table_sink_end(sink, NX_SCHEMA_PendingDma);
 *	st = nx_table_sink_status(sink, err);
 *
 * Columns that are not filled are null. Texts and lists are borrowed until nx_table_sink_put
 * returns. Several tables may be open at once; each is begun and ended at most once. A sink belongs
 * to one thread. After the first failure rows are dropped and nx_table_sink_status says why.
 */
#ifndef NX_MODEL_TABLE_SINK_H
#define NX_MODEL_TABLE_SINK_H

#include "base/error.h"
#include "model/schema.h"

enum nx_cell_kind {
	NX_CELL_NULL,
	NX_CELL_I64, /* INT32, INT64 */
	NX_CELL_F64, /* FLOAT, DOUBLE */
	NX_CELL_BOOL,
	NX_CELL_TEXT, /* TEXT, ENUM */
	NX_CELL_LIST_I64,
	NX_CELL_LIST_TEXT,
};

union nx_cell {
	int64_t i64;
	double f64;
	bool boolean;
	struct nx_slice text;
	struct {
		const int64_t *items;
		size_t count;
	} list_i64;
	struct {
		const struct nx_slice *items;
		size_t count;
	} list_text;
};

struct nx_row {
	enum nx_schema_table_id table;
	unsigned column_count;
	uint8_t kinds[NX_SCHEMA_COLUMNS_MAX]; /* enum nx_cell_kind */
	union nx_cell cells[NX_SCHEMA_COLUMNS_MAX];
};

/* An empty row of the table: all columns null. */
static inline void nx_row_init(struct nx_row *row, enum nx_schema_table_id table)
{
	row->table = table;
	row->column_count = nx_schema_tables[table].column_count;
	memset(row->kinds, NX_CELL_NULL, sizeof(row->kinds));
}

static inline void nx_row_put_null(struct nx_row *row, unsigned column)
{
	row->kinds[column] = NX_CELL_NULL;
}

static inline void nx_row_put_i64(struct nx_row *row, unsigned column, int64_t value)
{
	row->kinds[column] = NX_CELL_I64;
	row->cells[column].i64 = value;
}

/* Larger numbers, which only damaged captures have, become INT64_MAX. */
static inline void nx_row_put_u64(struct nx_row *row, unsigned column, uint64_t value)
{
	nx_row_put_i64(row, column, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static inline void nx_row_put_f64(struct nx_row *row, unsigned column, double value)
{
	row->kinds[column] = NX_CELL_F64;
	row->cells[column].f64 = value;
}

static inline void nx_row_put_bool(struct nx_row *row, unsigned column, bool value)
{
	row->kinds[column] = NX_CELL_BOOL;
	row->cells[column].boolean = value;
}

static inline void nx_row_put_slice(struct nx_row *row, unsigned column, struct nx_slice text)
{
	row->kinds[column] = NX_CELL_TEXT;
	row->cells[column].text = text;
}

/* NULL is null. */
static inline void nx_row_put_text(struct nx_row *row, unsigned column, const char *text)
{
	if (text)
		nx_row_put_slice(row, column, nx_slice_text(text));
	else
		nx_row_put_null(row, column);
}

/* NULL and "" are null. */
static inline void nx_row_put_known(struct nx_row *row, unsigned column, const char *text)
{
	nx_row_put_text(row, column, text && *text ? text : NULL);
}

/* value is NX_VALUE_<name>_<value> of the enumeration */
static inline void nx_row_put_enum(struct nx_row *row, unsigned column,
				   enum nx_schema_enum_id enumeration, unsigned value)
{
	nx_row_put_text(row, column, nx_schema_enums[enumeration].values[value].text);
}

static inline void nx_row_put_list_i64(struct nx_row *row, unsigned column, const int64_t *items,
				       size_t count)
{
	row->kinds[column] = NX_CELL_LIST_I64;
	row->cells[column].list_i64.items = items;
	row->cells[column].list_i64.count = count;
}

static inline void nx_row_put_list_text(struct nx_row *row, unsigned column,
					const struct nx_slice *items, size_t count)
{
	row->kinds[column] = NX_CELL_LIST_TEXT;
	row->cells[column].list_text.items = items;
	row->cells[column].list_text.count = count;
}

struct nx_table_sink;

/* Provided by a store. After a call to nx_table_sink_fail none of them is called again. */
struct nx_table_sink_ops {
	void (*begin)(struct nx_table_sink *sink, enum nx_schema_table_id table);
	void (*put)(struct nx_table_sink *sink, const struct nx_row *row);
	void (*end)(struct nx_table_sink *sink, enum nx_schema_table_id table);
};

/* The first member of a store's own struct. */
struct nx_table_sink {
	const struct nx_table_sink_ops *ops;
	struct nx_error error; /* the first failure; status OK: none yet */
};

static inline void nx_table_sink_begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	if (!sink->error.status)
		sink->ops->begin(sink, table);
}

/* Hands the row over and empties it. */
static inline void nx_table_sink_put(struct nx_table_sink *sink, struct nx_row *row)
{
	if (!sink->error.status)
		sink->ops->put(sink, row);
	memset(row->kinds, NX_CELL_NULL, row->column_count);
}

static inline void nx_table_sink_end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	if (!sink->error.status)
		sink->ops->end(sink, table);
}

/* For stores: records the failure unless there was one before. */
void nx_table_sink_fail(struct nx_table_sink *sink, const struct nx_error *error);

/* For a sink in front of another one: takes over its failure. */
static inline void nx_table_sink_follow(struct nx_table_sink *sink,
					const struct nx_table_sink *target)
{
	if (target->error.status)
		nx_table_sink_fail(sink, &target->error);
}

/* OK, or the first failure and its sentence. */
NX_MUST_CHECK enum nx_status nx_table_sink_status(const struct nx_table_sink *sink,
						  struct nx_error *err);

#endif
