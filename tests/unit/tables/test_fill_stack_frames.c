/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tables/made_rows.h"

static int64_t number(const struct nx_row *row, unsigned column)
{
	assert_int_equal(row->kinds[column], NX_CELL_I64);
	return row->cells[column].i64;
}

static void frames_point_at_places_and_callers(void **state)
{
	const char *files[] = {"main.py", "net.py"}, *functions[] = {"forward"};
	struct nx_source_location locations[] = {{1, 0, 7}, {2, 1, 31}};
	struct nx_stack_frame frames[] = {{1, 0}, {2, 1}};
	struct nx_made_rows made = {
		.profile.binary.stack = {files, functions, 2, 1, locations, 2, frames, 2}};
	struct nx_table_memory m;
	struct nx_error err;
	const struct nx_row *row;

	(void)state;
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_stack_frames, &m, &err), NX_OK);
	assert_int_equal(nx_table_memory_count(&m, NX_SCHEMA_StackFrame), 2);
	row = nx_table_memory_row(&m, NX_SCHEMA_StackFrame, 0);
	assert_string_equal(nx_table_memory_text(row, NX_COL_StackFrame_id), "1");
	assert_string_equal(nx_table_memory_text(row, NX_COL_StackFrame_parent_frame_id), "0");
	row = nx_table_memory_row(&m, NX_SCHEMA_StackFrame, 1);
	assert_string_equal(nx_table_memory_text(row, NX_COL_StackFrame_id), "2");
	assert_string_equal(nx_table_memory_text(row, NX_COL_StackFrame_parent_frame_id), "1");
	assert_int_equal(number(row, NX_COL_StackFrame_file_location_id), 2);
	row = nx_table_memory_row(&m, NX_SCHEMA_StackFrameFileLocation, 1);
	assert_string_equal(nx_table_memory_text(row, NX_COL_StackFrameFileLocation_id), "2");
	assert_int_equal(number(row, NX_COL_StackFrameFileLocation_file_name_id), 2);
	assert_int_equal(number(row, NX_COL_StackFrameFileLocation_function_name_id), 1);
	assert_int_equal(number(row, NX_COL_StackFrameFileLocation_line_number), 31);
	row = nx_table_memory_row(&m, NX_SCHEMA_StackFrameFileName, 1);
	assert_string_equal(nx_table_memory_text(row, NX_COL_StackFrameFileName_id), "2");
	assert_string_equal(nx_table_memory_text(row, NX_COL_StackFrameFileName_name), "net.py");
	assert_int_equal(nx_table_memory_count(&m, NX_SCHEMA_StackFrameFunctionName), 1);
	row = nx_table_memory_row(&m, NX_SCHEMA_StackFrameFunctionName, 0);
	assert_string_equal(nx_table_memory_text(row, NX_COL_StackFrameFunctionName_name),
			    "forward");
	nx_table_memory_release(&m);
}

static void kernel_rows_count_from_one(void **state)
{
	struct nx_kernel_frame frames[] = {{"main.k", "k.py", 45, NX_NONE, 1},
					   {"tile", "", 0, 0, 2}};
	struct nx_kernel_iteration iterations[] = {{"i", true, -3, "k.py", 9, NX_NONE, 1},
						   {"", false, 0, "", 0, 0, 2}};
	struct nx_kernel_instruction instructions[] = {{"jmp", "", 0, NX_NONE, NX_NONE},
						       {"inst.2", "k.py", 50, 1, 1}};
	struct nx_made_rows made = {.profile.binary = {.kernel_frames = frames,
						       .kernel_frame_count = 2,
						       .kernel_iterations = iterations,
						       .kernel_iteration_count = 2,
						       .kernel_instructions = instructions,
						       .kernel_instruction_count = 2}};
	struct nx_table_memory m;
	struct nx_error err;
	const struct nx_row *row;

	(void)state;
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_kernels, &m, &err), NX_OK);
	row = nx_table_memory_row(&m, NX_SCHEMA_KernelStackFrames, 1);
	assert_int_equal(number(row, NX_COL_KernelStackFrames_stack_frame_id), 2);
	assert_int_equal(number(row, NX_COL_KernelStackFrames_parent_stack_frame_id), 1);
	assert_null(nx_table_memory_text(row, NX_COL_KernelStackFrames_file_path));
	assert_int_equal(row->kinds[NX_COL_KernelStackFrames_line_number], NX_CELL_NULL);
	row = nx_table_memory_row(&m, NX_SCHEMA_KernelStackFrames, 0);
	assert_int_equal(row->kinds[NX_COL_KernelStackFrames_parent_stack_frame_id], NX_CELL_NULL);
	row = nx_table_memory_row(&m, NX_SCHEMA_KernelIterationVariables, 0);
	assert_int_equal(number(row, NX_COL_KernelIterationVariables_variable_value), -3);
	row = nx_table_memory_row(&m, NX_SCHEMA_KernelIterationVariables, 1);
	assert_int_equal(row->kinds[NX_COL_KernelIterationVariables_variable_value], NX_CELL_NULL);
	assert_int_equal(number(row, NX_COL_KernelIterationVariables_parent_iteration_variable_id),
			 1);
	row = nx_table_memory_row(&m, NX_SCHEMA_KernelInstructions, 0);
	assert_int_equal(number(row, NX_COL_KernelInstructions_stack_frame_depth), 0);
	assert_int_equal(row->kinds[NX_COL_KernelInstructions_stack_frame_id], NX_CELL_NULL);
	row = nx_table_memory_row(&m, NX_SCHEMA_KernelInstructions, 1);
	assert_int_equal(number(row, NX_COL_KernelInstructions_stack_frame_id), 2);
	assert_int_equal(number(row, NX_COL_KernelInstructions_stack_frame_depth), 2);
	assert_int_equal(number(row, NX_COL_KernelInstructions_iteration_variables_id), 2);
	assert_int_equal(number(row, NX_COL_KernelInstructions_iteration_variable_depth), 2);
	assert_int_equal(number(row, NX_COL_KernelInstructions_line_number), 50);
	nx_table_memory_release(&m);
}

static void without_a_neff_the_tables_are_empty(void **state)
{
	struct nx_made_rows made = {0};
	struct nx_table_memory m;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_stack_frames, &m, &err), NX_OK);
	assert_int_equal(m.begin_counts[NX_SCHEMA_StackFrame], 1);
	assert_int_equal(m.taken_count, 0);
	nx_table_memory_release(&m);
	assert_int_equal(nx_made_rows_fill(&made, nx_fill_kernels, &m, &err), NX_OK);
	assert_int_equal(m.begin_counts[NX_SCHEMA_KernelInstructions], 1);
	assert_int_equal(m.taken_count, 0);
	nx_table_memory_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_point_at_places_and_callers),
		cmocka_unit_test(kernel_rows_count_from_one),
		cmocka_unit_test(without_a_neff_the_tables_are_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
