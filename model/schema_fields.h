/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema_fields: the SchemaFields table, by which a stored profile describes itself: one row for
 * each column of each table, in the order of model/schema.def.
 */
#ifndef NX_MODEL_SCHEMA_FIELDS_H
#define NX_MODEL_SCHEMA_FIELDS_H

#include "model/table_sink.h"

/* Begins, fills and ends the table; the sink keeps any failure. */
void nx_schema_fields_write(struct nx_table_sink *sink);

/* The values of an enumeration joined by ", "; returns out. Cut when cap is too small. */
#define NX_SCHEMA_VALUES_MAX 256
const char *nx_schema_values_text(const struct nx_schema_enum *enumeration, char *out, size_t cap);

#endif
