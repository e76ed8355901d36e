/* SPDX-License-Identifier: Apache-2.0 */
/* schema_fields: the SchemaFields table: one row for each column, in the order of model/schema.def.
 */
#ifndef NX_MODEL_SCHEMA_FIELDS_H
#define NX_MODEL_SCHEMA_FIELDS_H

#include "model/table_sink.h"

/* Begins, fills and ends the table; the sink keeps any failure. */
void nx_schema_fields_write(struct nx_table_sink *sink);

#endif
