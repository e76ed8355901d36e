/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/schema_fields.h"
#include "tests/unit/checked_sink.h"
#include "tests/unit/table_memory.h"

static struct nx_table_memory memory;
static struct nx_checked_sink checked;

static int write_fields(void **state)
{
	struct nx_error err;

	(void)state;
	nx_table_memory_init(&memory);
	nx_checked_sink_init(&checked, &memory.sink);
	nx_schema_fields_write(&checked.sink);
	return nx_checked_sink_finish(&checked, &err) ? -1 : 0;
}

static int release(void **state)
{
	(void)state;
	nx_table_memory_release(&memory);
	return 0;
}

static const struct nx_row *find(const char *table, const char *field)
{
	for (size_t i = 0; i < nx_table_memory_count(&memory, NX_SCHEMA_SchemaFields); i++) {
		const struct nx_row *row = nx_table_memory_row(&memory, NX_SCHEMA_SchemaFields, i);

		if (!strcmp(nx_table_memory_text(row, NX_COL_SchemaFields_table_name), table) &&
		    !strcmp(nx_table_memory_text(row, NX_COL_SchemaFields_field_name), field))
			return row;
	}
	fail_msg("no row for %s.%s", table, field);
	return NULL;
}

static void expect_text(const struct nx_row *row, unsigned column, const char *expected)
{
	const char *text = nx_table_memory_text(row, column);

	if (!expected)
		assert_null(text);
	else
		assert_string_equal(text, expected);
}

static void every_column_has_a_row_in_order(void **state)
{
	size_t at = 0;

	(void)state;
	for (unsigned t = 0; t < NX_SCHEMA_TABLE_COUNT; t++)
		for (unsigned i = 0; i < nx_schema_tables[t].column_count; i++, at++) {
			const struct nx_row *row =
				nx_table_memory_row(&memory, NX_SCHEMA_SchemaFields, at);

			expect_text(row, NX_COL_SchemaFields_table_name, nx_schema_tables[t].name);
			expect_text(row, NX_COL_SchemaFields_field_name,
				    nx_schema_tables[t].columns[i].name);
		}
	assert_int_equal(nx_table_memory_count(&memory, NX_SCHEMA_SchemaFields), at);
	assert_int_equal(memory.begin_counts[NX_SCHEMA_SchemaFields], 1);
	assert_int_equal(memory.end_counts[NX_SCHEMA_SchemaFields], 1);
}

static void a_plain_number(void **state)
{
	const struct nx_row *row = find("PendingDma", "timestamp");

	(void)state;
	expect_text(row, NX_COL_SchemaFields_table_description,
		    nx_schema_tables[NX_SCHEMA_PendingDma].description);
	expect_text(row, NX_COL_SchemaFields_field_type, "integer");
	expect_text(row, NX_COL_SchemaFields_field_format, "int64");
	expect_text(row, NX_COL_SchemaFields_field_unit, "nanoseconds");
	expect_text(row, NX_COL_SchemaFields_field_example, NULL);
	expect_text(row, NX_COL_SchemaFields_field_enum_values, NULL);
	assert_true(row->cells[NX_COL_SchemaFields_field_required].boolean);
	assert_int_equal(row->kinds[NX_COL_SchemaFields_field_minimum], NX_CELL_NULL);
	assert_int_equal(row->kinds[NX_COL_SchemaFields_field_maximum], NX_CELL_NULL);
}

static void an_enumeration(void **state)
{
	const struct nx_row *row = find("Error", "type");

	(void)state;
	expect_text(row, NX_COL_SchemaFields_field_type, "string");
	expect_text(row, NX_COL_SchemaFields_field_format, NULL);
	expect_text(row, NX_COL_SchemaFields_field_unit, NULL);
	expect_text(row, NX_COL_SchemaFields_field_enum_values,
		    "Custom Notification, Errors, Warnings");
}

static void a_bounded_number(void **state)
{
	const struct nx_row *row = find("SbufUsage", "avg_util_percent");

	(void)state;
	expect_text(row, NX_COL_SchemaFields_field_format, "float");
	assert_false(row->cells[NX_COL_SchemaFields_field_required].boolean);
	assert_int_equal(row->kinds[NX_COL_SchemaFields_field_minimum], NX_CELL_F64);
	assert_true(row->cells[NX_COL_SchemaFields_field_minimum].f64 == 0.0);
	assert_true(row->cells[NX_COL_SchemaFields_field_maximum].f64 == 1.0);
}

/* What one row had must not show in the next: the row is emptied between them. */
static void lists_and_examples(void **state)
{
	(void)state;
	expect_text(find("BirInstruction", "time_intervals"), NX_COL_SchemaFields_field_example,
		    "[[1200,1420],[1980,2200]]");
	expect_text(find("BirInstruction", "element_count_per_interval"),
		    NX_COL_SchemaFields_field_example, NULL);
	expect_text(find("BirInstruction", "element_count_per_interval"),
		    NX_COL_SchemaFields_field_type, "array");
	expect_text(find("BirInstruction", "element_count_per_interval"),
		    NX_COL_SchemaFields_field_format, "int64");
	expect_text(find("SystemProfileEvents", "flow_id"), NX_COL_SchemaFields_field_format, NULL);
}

static void all_values_fit(void **state)
{
	(void)state;
	for (size_t i = 0; i < nx_table_memory_count(&memory, NX_SCHEMA_SchemaFields); i++) {
		const struct nx_row *row = nx_table_memory_row(&memory, NX_SCHEMA_SchemaFields, i);

		if (row->kinds[NX_COL_SchemaFields_field_enum_values] == NX_CELL_TEXT)
			assert_in_range(row->cells[NX_COL_SchemaFields_field_enum_values].text.len,
					1, 254);
	}
}

static void a_full_store_stops_it(void **state)
{
	struct nx_table_memory small;
	struct nx_error err;

	(void)state;
	nx_table_memory_init(&small);
	small.fail_after = 3;
	nx_schema_fields_write(&small.sink);
	assert_int_equal(nx_table_sink_status(&small.sink, &err), NX_NO_SPACE);
	assert_string_equal(err.message, "the memory table is full");
	assert_int_equal(nx_table_memory_count(&small, NX_SCHEMA_SchemaFields), 3);
	assert_int_equal(small.end_counts[NX_SCHEMA_SchemaFields], 0);
	nx_table_memory_release(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_column_has_a_row_in_order),
		cmocka_unit_test(a_plain_number),
		cmocka_unit_test(an_enumeration),
		cmocka_unit_test(a_bounded_number),
		cmocka_unit_test(lists_and_examples),
		cmocka_unit_test(all_values_fit),
		cmocka_unit_test(a_full_store_stops_it),
	};

	return cmocka_run_group_tests_name("model/schema_fields", tests, write_fields, release);
}
