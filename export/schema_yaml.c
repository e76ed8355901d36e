/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "export/schema_texts.h"
#include "model/schema.h"

#define LINE_COLUMNS 100

static void put(struct nx_output *out, const char *text)
{
	nx_output_write(out, text, strlen(text));
}

/* A line of its own: "  key: value". */
static void put_pair(struct nx_output *out, unsigned indent, const char *key, const char *value)
{
	char spaces[16];

	assert(indent < sizeof(spaces));
	snprintf(spaces, sizeof(spaces), "%*s", (int)indent, "");
	put(out, spaces);
	put(out, key);
	put(out, value ? ": " : ":");
	if (value)
		put(out, value);
	put(out, "\n");
}

/* A folded block, in which any text without line breaks needs no quotes. */
static void put_folded(struct nx_output *out, unsigned indent, const char *key, const char *text)
{
	size_t room = LINE_COLUMNS - indent - 2, at = 0;
	char spaces[16];

	snprintf(spaces, sizeof(spaces), "\n%*s", (int)indent + 2, "");
	put_pair(out, indent, key, ">-");
	put(out, spaces + 1);
	while (*text) {
		size_t len = strcspn(text, " ");

		if (at && at + 1 + len > room) {
			put(out, spaces);
			at = 0;
		}
		put(out, at ? " " : "");
		nx_output_write(out, text, len);
		at += len + (at > 0);
		text += len;
		text += strspn(text, " ");
	}
	put(out, "\n");
}

static void put_quoted(struct nx_output *out, const char *text)
{
	put(out, "'");
	for (; *text; text++) {
		nx_output_write(out, text, 1);
		if (*text == '\'')
			put(out, "'");
	}
	put(out, "'");
}

/* '<name>.yaml#/<name>' */
static void put_reference(struct nx_output *out, const char *before, const char *name)
{
	put(out, before);
	put(out, "$ref: '");
	put(out, name);
	put(out, ".yaml#/");
	put(out, name);
	put(out, "'\n");
}

static void put_type(struct nx_output *out, const struct nx_schema_column *column)
{
	enum nx_schema_type type = column->type;
	bool is_list = nx_schema_is_list(type);
	unsigned indent = is_list ? 8 : 6;
	char number[32];

	if (type == NX_SCHEMA_ENUM) {
		/* readers ignore other keys beside a bare $ref */
		put(out, "      allOf:\n");
		put_reference(out, "        - ", nx_schema_enums[column->target].name);
		return;
	}
	if (is_list)
		put(out, "      type: array\n      items:\n");
	if (type == NX_SCHEMA_LIST_ROWS) {
		put_reference(out, "        ", nx_schema_tables[column->target].name);
		return;
	}
	put_pair(out, indent, "type", nx_schema_type_word(type));
	if (nx_schema_type_format(type))
		put_pair(out, indent, "format", nx_schema_type_format(type));
	if (!column->is_bounded)
		return;
	snprintf(number, sizeof(number), "%g", (double)column->minimum);
	put_pair(out, 6, "minimum", number);
	snprintf(number, sizeof(number), "%g", (double)column->maximum);
	put_pair(out, 6, "maximum", number);
}

/* YAML 1.1 reads "n" as a boolean. */
static void put_name(struct nx_output *out, const char *name)
{
	if (name[1])
		put(out, name);
	else
		put_quoted(out, name);
}

static void put_column(struct nx_output *out, enum nx_schema_table_id table, unsigned at)
{
	const struct nx_schema_column *column = &nx_schema_tables[table].columns[at];
	const char *example = nx_schema_example(table, at);

	put(out, "    ");
	put_name(out, column->name);
	put(out, ":\n");
	put_type(out, column);
	if (!column->is_required)
		put_pair(out, 6, "nullable", "true");
	put_folded(out, 6, "description", nx_schema_describe(column));
	if (example) {
		put(out, "      example: ");
		put_quoted(out, example);
		put(out, "\n");
	}
	if (*column->unit)
		put_pair(out, 6, "x-unit", column->unit);
}

static void put_required(struct nx_output *out, const struct nx_schema_table *table)
{
	const char *heading = "  required:\n";

	for (unsigned i = 0; i < table->column_count; i++) {
		if (!table->columns[i].is_required)
			continue;
		put(out, heading);
		put(out, "    - ");
		put_name(out, table->columns[i].name);
		put(out, "\n");
		heading = "";
	}
}

static void put_table(struct nx_output *out, enum nx_schema_table_id id)
{
	static const char *const profiles[] = {"device", "system", "device, system", "none"};
	const struct nx_schema_table *table = &nx_schema_tables[id];

	static_assert(sizeof(profiles) / sizeof(profiles[0]) == NX_SCOPE_ANSWER + 1, "by scope");
	put(out, "---\n");
	put_pair(out, 0, table->name, NULL);
	put_pair(out, 2, "type", "object");
	put_folded(out, 2, "description", table->description);
	put_pair(out, 2, "x-profiles", profiles[table->scope]);
	put_required(out, table);
	put_pair(out, 2, "properties", NULL);
	for (unsigned i = 0; i < table->column_count; i++)
		put_column(out, id, i);
}

static void put_enum(struct nx_output *out, const struct nx_schema_enum *enumeration)
{
	put(out, "---\n");
	put_pair(out, 0, enumeration->name, NULL);
	put_pair(out, 2, "type", "string");
	put_folded(out, 2, "description", enumeration->description);
	put_pair(out, 2, "enum", NULL);
	for (unsigned i = 0; i < enumeration->value_count; i++) {
		put(out, "    - ");
		put_quoted(out, enumeration->values[i].text);
		put(out, "\n");
	}
	put_pair(out, 2, "x-enum-descriptions", NULL);
	for (unsigned i = 0; i < enumeration->value_count; i++) {
		put(out, "    - ");
		put_quoted(out, enumeration->values[i].description);
		put(out, "\n");
	}
}

static void put_root(struct nx_output *out)
{
	put(out, "openapi: 3.0.3\ninfo:\n");
	put_pair(out, 2, "title", "Tables of a Neuron profile");
	put_pair(out, 2, "version", NX_SCHEMA_VERSION);
	put_folded(out, 2, "description",
		   "Each table is a Parquet file of the same name and a table for queries. Fields "
		   "that are not required may be null. Names ending in _percent hold fractions, "
		   "0.2 is 20 %, unless their description says otherwise.");
	put(out, "paths: {}\ncomponents:\n  schemas:\n");
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		put_pair(out, 4, nx_schema_tables[i].name, NULL);
		put_reference(out, "      ", nx_schema_tables[i].name);
	}
	for (unsigned i = 0; i < NX_SCHEMA_ENUM_COUNT; i++) {
		put_pair(out, 4, nx_schema_enums[i].name, NULL);
		put_reference(out, "      ", nx_schema_enums[i].name);
	}
}

void nx_schema_write_yaml(struct nx_output *out)
{
	put_root(out);
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		put_table(out, i);
	for (unsigned i = 0; i < NX_SCHEMA_ENUM_COUNT; i++)
		put_enum(out, &nx_schema_enums[i]);
}
