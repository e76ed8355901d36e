/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/table_sink.h"
#include "tests/unit/checked_sink.h"
#include "tests/unit/table_memory.h"

struct fixture {
	struct nx_table_memory memory;
	struct nx_checked_sink checked;
	struct nx_error err;
	struct nx_row row;
};

static int set_up(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	nx_table_memory_init(&f.memory);
	nx_checked_sink_init(&f.checked, &f.memory.sink);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	nx_table_memory_release(&((struct fixture *)*state)->memory);
	return 0;
}

static void fill_pending(struct nx_row *row, int64_t time_ns, int64_t value)
{
	nx_row_put_i64(row, NX_COL_PendingDma_timestamp, time_ns);
	nx_row_put_i64(row, NX_COL_PendingDma_value, value);
}

static void rows_arrive_as_they_were_filled(void **state)
{
	struct fixture *f = *state;
	const struct nx_row *kept;

	nx_row_init(&f->row, NX_SCHEMA_PendingDma);
	nx_table_sink_begin(&f->checked.sink, NX_SCHEMA_PendingDma);
	fill_pending(&f->row, 10, 1);
	nx_row_put_i64(&f->row, NX_COL_PendingDma_pcore_idx, 7);
	nx_table_sink_put(&f->checked.sink, &f->row);
	fill_pending(&f->row, 20, -2);
	nx_table_sink_put(&f->checked.sink, &f->row);
	nx_table_sink_end(&f->checked.sink, NX_SCHEMA_PendingDma);
	assert_int_equal(nx_checked_sink_finish(&f->checked, &f->err), NX_OK);

	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_PendingDma), 2);
	kept = nx_table_memory_row(&f->memory, NX_SCHEMA_PendingDma, 0);
	assert_int_equal(kept->cells[NX_COL_PendingDma_pcore_idx].i64, 7);
	kept = nx_table_memory_row(&f->memory, NX_SCHEMA_PendingDma, 1);
	assert_int_equal(kept->cells[NX_COL_PendingDma_value].i64, -2);
	assert_int_equal(kept->kinds[NX_COL_PendingDma_pcore_idx], NX_CELL_NULL);
}

static void tables_may_be_open_at_once(void **state)
{
	struct fixture *f = *state;
	struct nx_row warning;

	nx_row_init(&f->row, NX_SCHEMA_PendingDma);
	nx_row_init(&warning, NX_SCHEMA_Warning);
	nx_table_sink_begin(&f->checked.sink, NX_SCHEMA_PendingDma);
	nx_table_sink_begin(&f->checked.sink, NX_SCHEMA_Warning);
	fill_pending(&f->row, 1, 1);
	nx_row_put_text(&warning, NX_COL_Warning_message, "m");
	nx_row_put_text(&warning, NX_COL_Warning_category, "c");
	nx_table_sink_put(&f->checked.sink, &warning);
	nx_table_sink_put(&f->checked.sink, &f->row);
	nx_table_sink_end(&f->checked.sink, NX_SCHEMA_PendingDma);
	nx_table_sink_end(&f->checked.sink, NX_SCHEMA_Warning);
	assert_int_equal(nx_checked_sink_finish(&f->checked, &f->err), NX_OK);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_PendingDma), 1);
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_Warning), 1);
}

static void all_kinds_of_values_arrive(void **state)
{
	struct fixture *f = *state;
	static const int64_t numbers[] = {INT64_MIN, 0, INT64_MAX};
	struct nx_slice texts[] = {nx_slice_text("a"), nx_slice_of("b\0c", 3)};
	const union nx_cell *cells;

	nx_row_init(&f->row, NX_SCHEMA_Summary);
	nx_row_put_f64(&f->row, 0, 0.5);
	nx_row_put_bool(&f->row, 1, true);
	nx_row_put_list_i64(&f->row, 2, numbers, 3);
	nx_row_put_list_text(&f->row, 3, texts, 2);
	nx_row_put_list_i64(&f->row, 4, NULL, 0);
	nx_row_put_text(&f->row, 5, NULL);
	nx_row_put_enum(&f->row, 6, NX_SCHEMA_DmaQueueType, NX_VALUE_DmaQueueType_output);
	nx_table_sink_put(&f->memory.sink, &f->row);
	cells = nx_table_memory_row(&f->memory, NX_SCHEMA_Summary, 0)->cells;
	assert_true(cells[0].f64 == 0.5);
	assert_true(cells[1].boolean);
	assert_int_equal(cells[2].list_i64.count, 3);
	assert_true(cells[2].list_i64.items[0] == INT64_MIN);
	assert_true(nx_slice_equal(cells[3].list_text.items[1], nx_slice_of("b\0c", 3)));
	assert_int_equal(cells[4].list_i64.count, 0);
	assert_null(nx_table_memory_text(nx_table_memory_row(&f->memory, NX_SCHEMA_Summary, 0), 5));
	assert_true(nx_slice_is(cells[6].text, "output"));
}

static void expect_fault(struct fixture *f, const char *sentence)
{
	assert_int_equal(nx_row_check(&f->row, &f->err), NX_FORMAT);
	assert_string_equal(f->err.message, sentence);
}

static void a_required_column_must_be_filled(void **state)
{
	struct fixture *f = *state;

	nx_row_init(&f->row, NX_SCHEMA_PendingDma);
	nx_row_put_i64(&f->row, NX_COL_PendingDma_timestamp, 5);
	expect_fault(f, "PendingDma.value is required and has no value");
	nx_row_put_i64(&f->row, NX_COL_PendingDma_value, 5);
	assert_int_equal(nx_row_check(&f->row, &f->err), NX_OK);
	nx_row_put_null(&f->row, NX_COL_PendingDma_timestamp);
	expect_fault(f, "PendingDma.timestamp is required and has no value");
}

static void a_value_must_be_of_its_columns_type(void **state)
{
	struct fixture *f = *state;

	nx_row_init(&f->row, NX_SCHEMA_PendingDma);
	fill_pending(&f->row, 1, 1);
	nx_row_put_f64(&f->row, NX_COL_PendingDma_pcore_idx, 1.0);
	expect_fault(f, "PendingDma.pcore_idx was given a number instead of an integer");
	nx_row_put_text(&f->row, NX_COL_PendingDma_pcore_idx, "1");
	expect_fault(f, "PendingDma.pcore_idx was given text instead of an integer");
	nx_row_put_i64(&f->row, NX_COL_PendingDma_pcore_idx, 1);
	assert_int_equal(nx_row_check(&f->row, &f->err), NX_OK);
}

static void thirty_two_bits_are_enough_or_it_is_a_fault(void **state)
{
	struct fixture *f = *state;

	nx_row_init(&f->row, NX_SCHEMA_PendingDma);
	fill_pending(&f->row, 1, INT32_MAX);
	assert_int_equal(nx_row_check(&f->row, &f->err), NX_OK);
	fill_pending(&f->row, 1, INT32_MIN);
	assert_int_equal(nx_row_check(&f->row, &f->err), NX_OK);
	fill_pending(&f->row, 1, (int64_t)INT32_MAX + 1);
	expect_fault(f, "PendingDma.value cannot hold 2147483648: it has 32 bits");
}

static void a_text_must_be_one_of_its_enumeration(void **state)
{
	struct fixture *f = *state;

	nx_row_init(&f->row, NX_SCHEMA_Error);
	nx_row_put_text(&f->row, NX_COL_Error_description, "d");
	nx_row_put_i64(&f->row, NX_COL_Error_error_type_id, 1);
	nx_row_put_i64(&f->row, NX_COL_Error_timestamp, 1);
	nx_row_put_enum(&f->row, NX_COL_Error_type, NX_SCHEMA_ErrorType, NX_VALUE_ErrorType_errors);
	assert_int_equal(nx_row_check(&f->row, &f->err), NX_OK);
	nx_row_put_text(&f->row, NX_COL_Error_type, "errors");
	expect_fault(f, "Error.type cannot be 'errors': ErrorType has no such value");
}

static void a_column_of_a_wider_table_is_a_fault(void **state)
{
	struct fixture *f = *state;

	nx_row_init(&f->row, NX_SCHEMA_PendingDma);
	fill_pending(&f->row, 1, 1);
	nx_row_put_i64(&f->row, NX_COL_Instruction_id, 1);
	expect_fault(f, "PendingDma has no column 10: it has 3");
}

static void the_checked_sink_names_the_row_and_stops(void **state)
{
	struct fixture *f = *state;

	nx_row_init(&f->row, NX_SCHEMA_PendingDma);
	nx_table_sink_begin(&f->checked.sink, NX_SCHEMA_PendingDma);
	fill_pending(&f->row, 1, 1);
	nx_table_sink_put(&f->checked.sink, &f->row);
	nx_table_sink_put(&f->checked.sink, &f->row); /* emptied by the first */
	fill_pending(&f->row, 1, 1);
	nx_table_sink_put(&f->checked.sink, &f->row);
	nx_table_sink_end(&f->checked.sink, NX_SCHEMA_PendingDma);
	assert_int_equal(nx_checked_sink_finish(&f->checked, &f->err), NX_FORMAT);
	assert_string_equal(f->err.message,
			    "row 1: PendingDma.timestamp is required and has no value");
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_PendingDma), 1);
}

static void tables_are_begun_and_ended_once(void **state)
{
	struct fixture *f = *state;

	nx_table_sink_begin(&f->checked.sink, NX_SCHEMA_Flow);
	assert_int_equal(nx_checked_sink_finish(&f->checked, &f->err), NX_FORMAT);
	assert_string_equal(f->err.message, "table Flow is begun and not ended");

	nx_checked_sink_init(&f->checked, &f->memory.sink);
	nx_table_sink_begin(&f->checked.sink, NX_SCHEMA_Flow);
	nx_table_sink_end(&f->checked.sink, NX_SCHEMA_Flow);
	nx_table_sink_begin(&f->checked.sink, NX_SCHEMA_Flow);
	assert_int_equal(nx_checked_sink_finish(&f->checked, &f->err), NX_FORMAT);
	assert_string_equal(f->err.message, "table Flow is begun twice");

	nx_checked_sink_init(&f->checked, &f->memory.sink);
	nx_table_sink_end(&f->checked.sink, NX_SCHEMA_Flow);
	assert_int_equal(nx_checked_sink_finish(&f->checked, &f->err), NX_FORMAT);
	assert_string_equal(f->err.message, "table Flow is ended while it is not open");

	nx_checked_sink_init(&f->checked, &f->memory.sink);
	nx_row_init(&f->row, NX_SCHEMA_Flow);
	nx_table_sink_put(&f->checked.sink, &f->row);
	assert_int_equal(nx_checked_sink_finish(&f->checked, &f->err), NX_FORMAT);
	assert_string_equal(f->err.message, "table Flow gets a row while it is not open");
}

static void the_first_failure_sticks(void **state)
{
	struct fixture *f = *state;
	struct nx_error later = {NX_IO, "later"};

	f->memory.fail_after = 1;
	nx_row_init(&f->row, NX_SCHEMA_PendingDma);
	nx_table_sink_begin(&f->checked.sink, NX_SCHEMA_PendingDma);
	for (int i = 0; i < 3; i++) {
		fill_pending(&f->row, i, 1);
		nx_table_sink_put(&f->checked.sink, &f->row);
	}
	nx_table_sink_fail(&f->checked.sink, &later);
	nx_table_sink_end(&f->checked.sink, NX_SCHEMA_PendingDma);
	assert_int_equal(nx_checked_sink_finish(&f->checked, &f->err), NX_NO_SPACE);
	assert_string_equal(f->err.message, "the memory table is full");
	assert_int_equal(nx_table_memory_count(&f->memory, NX_SCHEMA_PendingDma), 1);
	assert_int_equal(nx_table_sink_status(&f->checked.sink, NULL), NX_NO_SPACE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rows_arrive_as_they_were_filled),
		TEST(tables_may_be_open_at_once),
		TEST(all_kinds_of_values_arrive),
		TEST(a_required_column_must_be_filled),
		TEST(a_value_must_be_of_its_columns_type),
		TEST(thirty_two_bits_are_enough_or_it_is_a_fault),
		TEST(a_text_must_be_one_of_its_enumeration),
		TEST(a_column_of_a_wider_table_is_a_fault),
		TEST(the_checked_sink_names_the_row_and_stops),
		TEST(tables_are_begun_and_ended_once),
		TEST(the_first_failure_sticks),
	};

	return cmocka_run_group_tests_name("model/table_sink", tests, NULL, NULL);
}
