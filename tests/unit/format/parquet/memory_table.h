/* SPDX-License-Identifier: Apache-2.0 */
/* memory_table: a Parquet file in memory, written and read back by tests. */
#ifndef NX_TESTS_MEMORY_TABLE_H
#define NX_TESTS_MEMORY_TABLE_H

#include "format/parquet/parquet.h"

struct nx_memory_table {
	struct nx_bytes bytes;
	size_t room; /* the sink fails beyond; 0 for no limit */
};

static inline enum nx_status nx_memory_table_take(void *context, const void *data, size_t len,
						  struct nx_error *err)
{
	struct nx_memory_table *table = context;

	if (table->room && table->bytes.len + len > table->room)
		return nx_fail(err, NX_NO_SPACE, "the table is full");
	nx_bytes_append(&table->bytes, data, len);
	return NX_OK;
}

static inline struct nx_parquet_sink nx_memory_table_sink(struct nx_memory_table *table)
{
	return (struct nx_parquet_sink){nx_memory_table_take, table};
}

static inline struct nx_slice nx_memory_table_slice(const struct nx_memory_table *table)
{
	return nx_slice_of(table->bytes.items, table->bytes.len);
}

#endif
