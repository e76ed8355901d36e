/* SPDX-License-Identifier: Apache-2.0 */
#include "model/schema.h"

#include <assert.h>

#include "model/metrics.h"

#define NX_SCHEMA_SENTENCES

/* The words of schema.def as members of a column. */
#define TYPE_BOOLEAN .type = NX_SCHEMA_BOOLEAN
#define TYPE_INT32 .type = NX_SCHEMA_INT32
#define TYPE_INT64 .type = NX_SCHEMA_INT64
#define TYPE_FLOAT .type = NX_SCHEMA_FLOAT
#define TYPE_FLOAT_IN(low, high)                                                                   \
	.type = NX_SCHEMA_FLOAT, .is_bounded = true, .minimum = (low), .maximum = (high)
#define TYPE_DOUBLE .type = NX_SCHEMA_DOUBLE
#define TYPE_TEXT .type = NX_SCHEMA_TEXT
#define TYPE_ENUM(enumeration) .type = NX_SCHEMA_ENUM, .target = NX_SCHEMA_##enumeration
#define TYPE_LIST_INT64 .type = NX_SCHEMA_LIST_INT64
#define TYPE_LIST_TEXT .type = NX_SCHEMA_LIST_TEXT
#define TYPE_LIST_ROWS(table) .type = NX_SCHEMA_LIST_ROWS, .target = NX_SCHEMA_##table
#define NEED_REQUIRED true
#define NEED_OPTIONAL false

/* clang-format off */
#define NX_TABLE(table, scope, text) static const struct nx_schema_column columns_of_##table[] = {
#define NX_COLUMN(table, column, column_type, column_unit, need, text)                             \
	{.name = #column, .unit = (column_unit), TYPE_##column_type,                               \
	 .is_required = NEED_##need, .description = (text)},
#define NX_TABLE_END(table) };
#include "model/schema.def"

#define NX_ENUM(enumeration, text) static const struct nx_schema_value values_of_##enumeration[] = {
#define NX_VALUE(enumeration, value, stored, text) {(stored), (text)},
#define NX_ENUM_END(enumeration) };
#include "model/schema.def"
/* clang-format on */

const struct nx_schema_table nx_schema_tables[NX_SCHEMA_TABLE_COUNT] = {
#define NX_TABLE(table, which, text)                                                               \
	{#table, (text), columns_of_##table, NX_COLUMN_COUNT_##table, NX_SCOPE_##which},
#include "model/schema.def"
};

const struct nx_schema_enum nx_schema_enums[NX_SCHEMA_ENUM_COUNT] = {
#define NX_ENUM(enumeration, text)                                                                 \
	{#enumeration, (text), values_of_##enumeration, NX_VALUE_COUNT_##enumeration},
#include "model/schema.def"
};

static_assert(NX_SCHEMA_TABLE_COUNT <= UINT8_MAX && NX_SCHEMA_COLUMNS_MAX <= UINT8_MAX,
	      "examples and targets are numbered in bytes");

static const struct {
	uint8_t table, column;
	const char *text;
} examples[] = {
#define NX_EXAMPLE(table, column, text) {NX_SCHEMA_##table, NX_COL_##table##_##column, (text)},
#include "model/schema.def"
};

const struct nx_schema_table *nx_schema_find_table(struct nx_slice name)
{
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (nx_slice_is(name, nx_schema_tables[i].name))
			return &nx_schema_tables[i];
	return NULL;
}

const struct nx_schema_column *nx_schema_find_column(const struct nx_schema_table *table,
						     struct nx_slice name)
{
	for (unsigned i = 0; i < table->column_count; i++)
		if (nx_slice_is(name, table->columns[i].name))
			return &table->columns[i];
	return NULL;
}

const char *nx_schema_describe(const struct nx_schema_column *column)
{
	if (column->description)
		return column->description;
	for (size_t i = 0; i < nx_metric_count; i++)
		if (!strcmp(nx_metrics[i].name, column->name))
			return nx_metrics[i].description;
	return "";
}

const char *nx_schema_example(enum nx_schema_table_id table, unsigned column)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		if (examples[i].table == table && examples[i].column == column)
			return examples[i].text;
	return NULL;
}

static const struct {
	const char *word, *format;
} types[NX_SCHEMA_TYPE_COUNT] = {
#define TYPE_ROW(name, word, format) {word, format},
	NX_SCHEMA_TYPE_MAP(TYPE_ROW)
#undef TYPE_ROW
};

const char *nx_schema_type_word(enum nx_schema_type type)
{
	assert(type < NX_SCHEMA_TYPE_COUNT);
	return types[type].word;
}

const char *nx_schema_type_format(enum nx_schema_type type)
{
	assert(type < NX_SCHEMA_TYPE_COUNT);
	return types[type].format;
}
