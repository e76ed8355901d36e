/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema: the published tables of a profile as data: names, types, units, meanings. From the lines
 * of model/schema.def come
 *
 *	NX_SCHEMA_DmaPacket		the number of a table
 *	NX_COL_DmaPacket_start_ts	the number of a column in its table
 *	NX_COLUMN_COUNT_DmaPacket
 *	NX_SCHEMA_DmaQueueType		the number of an enumeration
 *	NX_VALUE_DmaQueueType_input	the number of a value in its enumeration
 *
 * with the published spelling, so that a misspelt column does not compile.
 */
#ifndef NX_MODEL_SCHEMA_H
#define NX_MODEL_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bare/slice.h"

#define NX_SCHEMA_VERSION "7.4.0"

enum nx_schema_table_id {
#define NX_TABLE(table, scope, description) NX_SCHEMA_##table,
#include "model/schema.def"
	NX_SCHEMA_TABLE_COUNT,
};

/* Half a pair of braces in a macro is beyond the formatter. */
/* clang-format off */
#define NX_TABLE(table, scope, description) enum {
#define NX_COLUMN(table, column, type, unit, need, description) NX_COL_##table##_##column,
#define NX_TABLE_END(table) NX_COLUMN_COUNT_##table };
#include "model/schema.def"
/* clang-format on */

enum nx_schema_enum_id {
#define NX_ENUM(name, description) NX_SCHEMA_##name,
#include "model/schema.def"
	NX_SCHEMA_ENUM_COUNT,
};

/* clang-format off */
#define NX_ENUM(name, description) enum {
#define NX_VALUE(name, value, text, description) NX_VALUE_##name##_##value,
#define NX_ENUM_END(name) NX_VALUE_COUNT_##name };
#include "model/schema.def"
/* clang-format on */

/* Columns of the widest table: the room a row needs at most. */
#define NX_SCHEMA_COLUMNS_MAX NX_COLUMN_COUNT_Summary

/* X(name, OpenAPI's type, its format or NULL); of a list, those of its items */
#define NX_SCHEMA_TYPE_MAP(X)                                                                      \
	X(BOOLEAN, "boolean", NULL)                                                                \
	X(INT32, "integer", "int32")                                                               \
	X(INT64, "integer", "int64")                                                               \
	X(FLOAT, "number", "float")                                                                \
	X(DOUBLE, "number", "double")                                                              \
	X(TEXT, "string", NULL)                                                                    \
	X(ENUM, "string", NULL)                                                                    \
	X(LIST_INT64, "integer", "int64")                                                          \
	X(LIST_TEXT, "string", NULL)                                                               \
	X(LIST_ROWS, "object", NULL)

enum nx_schema_type {
#define NX_SCHEMA_TYPE_ENUM(name, type, format) NX_SCHEMA_##name,
	NX_SCHEMA_TYPE_MAP(NX_SCHEMA_TYPE_ENUM)
#undef NX_SCHEMA_TYPE_ENUM
		NX_SCHEMA_TYPE_COUNT,
};

/* Which profiles have the table. */
enum nx_schema_scope {
	NX_SCOPE_DEVICE,
	NX_SCOPE_SYSTEM,
	NX_SCOPE_BOTH,
	NX_SCOPE_ANSWER, /* none: computed for an answer over HTTP */
};

struct nx_schema_column {
	const char *name;
	const char *unit; /* "" for none */
	uint8_t type;	  /* enum nx_schema_type */
	uint8_t target;	  /* of ENUM: enum nx_schema_enum_id; of LIST_ROWS: the table of its rows */
	bool is_required; /* every row has a value */
	bool is_bounded;  /* minimum and maximum hold */
	float minimum, maximum;
	const char *description; /* NULL: use nx_schema_describe */
};

struct nx_schema_table {
	const char *name;
	const char *description; /* what a row is */
	const struct nx_schema_column *columns;
	uint16_t column_count;
	uint8_t scope; /* enum nx_schema_scope */
};

struct nx_schema_value {
	const char *text; /* as stored */
	const char *description;
};

struct nx_schema_enum {
	const char *name;
	const char *description;
	const struct nx_schema_value *values;
	uint16_t value_count;
};

extern const struct nx_schema_table nx_schema_tables[NX_SCHEMA_TABLE_COUNT]; /* by name, sorted */
extern const struct nx_schema_enum nx_schema_enums[NX_SCHEMA_ENUM_COUNT];

/* By published name, case counts; NULL if there is none. */
const struct nx_schema_table *nx_schema_find_table(struct nx_slice name);
const struct nx_schema_column *nx_schema_find_column(const struct nx_schema_table *table,
						     struct nx_slice name);

/* What the column means, one or a few sentences; metrics are described in model/metrics.c. */
const char *nx_schema_describe(const struct nx_schema_column *column);
/* A value of the column, where the form of a text is not obvious; otherwise NULL. */
const char *nx_schema_example(enum nx_schema_table_id table, unsigned column);

/* The words of OpenAPI: "integer" and "int64"; format NULL for types that have none. */
const char *nx_schema_type_word(enum nx_schema_type type);
const char *nx_schema_type_format(enum nx_schema_type type);

static inline bool nx_schema_is_list(enum nx_schema_type type)
{
	return type >= NX_SCHEMA_LIST_INT64;
}

#endif
