/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "export/schema_texts.h"
#include "model/schema.h"

static void put(struct nx_output *out, const char *text)
{
	nx_output_write(out, text, strlen(text));
}

/* Text inside a cell: a bar would end it. */
static void put_cell(struct nx_output *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			put(out, "\\");
		nx_output_write(out, text, 1);
	}
}

/* [Name](#name) */
static void put_link(struct nx_output *out, const char *name)
{
	put(out, "[");
	put(out, name);
	put(out, "](#");
	for (; *name; name++) {
		char low = (char)tolower((unsigned char)*name);

		nx_output_write(out, &low, 1);
	}
	put(out, ")");
}

static void put_type(struct nx_output *out, const struct nx_schema_column *column)
{
	enum nx_schema_type type = column->type;
	const char *format = nx_schema_type_format(type);

	if (nx_schema_is_list(type))
		put(out, "list of ");
	if (type == NX_SCHEMA_ENUM)
		put_link(out, nx_schema_enums[column->target].name);
	else if (type == NX_SCHEMA_LIST_ROWS)
		put_link(out, nx_schema_tables[column->target].name);
	else
		put(out, format ? format : nx_schema_type_word(type));
}

static void put_column(struct nx_output *out, enum nx_schema_table_id table, unsigned at)
{
	const struct nx_schema_column *column = &nx_schema_tables[table].columns[at];
	const char *example = nx_schema_example(table, at);
	char range[64];

	put(out, "| ");
	put(out, column->name);
	put(out, column->is_required ? " | " : "? | ");
	put_type(out, column);
	put(out, " | ");
	put(out, column->unit);
	put(out, *column->unit ? " | " : "| ");
	put_cell(out, nx_schema_describe(column));
	if (column->is_bounded) {
		snprintf(range, sizeof(range), " Range: %g to %g.", (double)column->minimum,
			 (double)column->maximum);
		put(out, range);
	}
	if (example) {
		put(out, " Example: `");
		put_cell(out, example);
		put(out, "`");
	}
	put(out, " |\n");
}

static void put_table(struct nx_output *out, enum nx_schema_table_id id)
{
	const struct nx_schema_table *table = &nx_schema_tables[id];

	put(out, "\n### ");
	put(out, table->name);
	put(out, "\n\n");
	put(out, table->description);
	put(out, "\n\n| field | type | unit | meaning |\n|---|---|---|---|\n");
	for (unsigned i = 0; i < table->column_count; i++)
		put_column(out, id, i);
}

static void put_group(struct nx_output *out, enum nx_schema_scope scope, const char *heading)
{
	put(out, "\n## ");
	put(out, heading);
	put(out, "\n");
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++)
		if (nx_schema_tables[i].scope == scope)
			put_table(out, i);
}

static void put_enum(struct nx_output *out, const struct nx_schema_enum *enumeration)
{
	put(out, "\n### ");
	put(out, enumeration->name);
	put(out, "\n\n");
	put(out, enumeration->description);
	put(out, "\n\n| value | meaning |\n|---|---|\n");
	for (unsigned i = 0; i < enumeration->value_count; i++) {
		put(out, "| `");
		put_cell(out, enumeration->values[i].text);
		put(out, "` | ");
		put_cell(out, enumeration->values[i].description);
		put(out, " |\n");
	}
}

static void put_index(struct nx_output *out)
{
	put(out, "\n| table | a row is |\n|---|---|\n");
	for (unsigned i = 0; i < NX_SCHEMA_TABLE_COUNT; i++) {
		put(out, "| ");
		put_link(out, nx_schema_tables[i].name);
		put(out, " | ");
		put_cell(out, nx_schema_tables[i].description);
		put(out, " |\n");
	}
}

void nx_schema_write_markdown(struct nx_output *out)
{
	put(out,
	    "<!-- Printed by `neuron-explorer --print-schema-docs`; the source is "
	    "model/schema.def. -->\n"
	    "# Tables of a profile, schema " NX_SCHEMA_VERSION "\n\n"
	    "Names, types and units are those of AWS's Neuron Explorer, so that queries written "
	    "for one\nwork with the other; the explanations are ours. Parquet files, the query "
	    "API and the table\nSchemaFields have the same contents, and "
	    "`neuron-explorer --show-profile-schema` prints them as OpenAPI.\n\n"
	    "* `?` behind a name: the value may be null.\n"
	    "* Names ending in `_percent` hold **fractions**, 0.2 is 20 %, unless their "
	    "description or range\n  says otherwise.\n"
	    "* Tables without rows are written too, with their columns: a query need not know what "
	    "a\n"
	    "  capture has. (AWS's program leaves them out.)\n");
	put_index(out);
	put_group(out, NX_SCOPE_DEVICE, "Device profiles");
	put_group(out, NX_SCOPE_SYSTEM, "System profiles");
	put_group(out, NX_SCOPE_BOTH, "Every profile");
	put_group(out, NX_SCOPE_ANSWER, "Answers over HTTP");
	put(out, "\n## Enumerations\n");
	for (unsigned i = 0; i < NX_SCHEMA_ENUM_COUNT; i++)
		put_enum(out, &nx_schema_enums[i]);
}
