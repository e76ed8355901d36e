/* SPDX-License-Identifier: Apache-2.0 */
/* parquet_column: the values of a column while their row group is open; for this folder. */
#ifndef NX_FORMAT_PARQUET_PARQUET_COLUMN_H
#define NX_FORMAT_PARQUET_PARQUET_COLUMN_H

#include "format/parquet/parquet.h"

/* Records the first failure of a writer; its error already holds the message. */
enum nx_status nx_parquet_keep(struct nx_parquet_writer *w, enum nx_status status);

/* Memory of one value of the open group, without the bytes of a text. */
size_t nx_parquet_value_bytes(const struct nx_parquet_column *c);

/* Rows before the current one without a value become null, or a failure. */
enum nx_status nx_parquet_fill_gap(struct nx_parquet_writer *w, struct nx_parquet_column *c);

/* Call before encoding a group: numbers the last text if it has no number yet. */
void nx_parquet_settle(struct nx_parquet_writer *w, struct nx_parquet_column *c);

#endif
