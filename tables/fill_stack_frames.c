/* SPDX-License-Identifier: Apache-2.0 */
/* Source locations: calls of the framework, calls and loops of kernels. */
#include <stdio.h>

#include "tables/fillers.h"

/* Ids of these tables are texts. */
static void put_id(struct nx_row *row, unsigned column, uint64_t id, char text[24])
{
	snprintf(text, 24, "%llu", (unsigned long long)id);
	nx_row_put_text(row, column, text);
}

static void put_frames(struct nx_table_sink *sink, const struct nx_stack *stack)
{
	char id[24], parent[24];
	struct nx_row row;

	nx_begin_table(sink, &row, NX_SCHEMA_StackFrame);
	for (size_t i = 0; i < stack->frame_count; i++) {
		put_id(&row, NX_COL_StackFrame_id, i + 1, id);
		nx_row_put_i64(&row, NX_COL_StackFrame_file_location_id, stack->frames[i].location);
		put_id(&row, NX_COL_StackFrame_parent_frame_id, stack->frames[i].parent, parent);
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_StackFrame);
}

static void put_locations(struct nx_table_sink *sink, const struct nx_stack *stack)
{
	struct nx_row row;
	char id[24];

	nx_begin_table(sink, &row, NX_SCHEMA_StackFrameFileLocation);
	for (size_t i = 0; i < stack->location_count; i++) {
		const struct nx_source_location *location = &stack->locations[i];

		put_id(&row, NX_COL_StackFrameFileLocation_id, i + 1, id);
		nx_row_put_i64(&row, NX_COL_StackFrameFileLocation_file_name_id,
			       location->file_name);
		nx_row_put_i64(&row, NX_COL_StackFrameFileLocation_function_name_id,
			       location->function_name);
		nx_row_put_i64(&row, NX_COL_StackFrameFileLocation_line_number, location->line);
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_StackFrameFileLocation);
}

static void put_names(struct nx_table_sink *sink, enum nx_schema_table_id table,
		      const char *const *names, size_t count)
{
	bool is_file = table == NX_SCHEMA_StackFrameFileName;
	struct nx_row row;
	char id[24];

	nx_begin_table(sink, &row, table);
	for (size_t i = 0; i < count; i++) {
		put_id(&row,
		       is_file ? NX_COL_StackFrameFileName_id : NX_COL_StackFrameFunctionName_id,
		       i + 1, id);
		nx_row_put_text(&row,
				is_file ? NX_COL_StackFrameFileName_name
					: NX_COL_StackFrameFunctionName_name,
				names[i]);
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, table);
}

enum nx_status nx_fill_stack_frames(struct nx_device_fill *fill)
{
	const struct nx_stack *stack = &fill->profile->binary.stack;

	put_frames(fill->sink, stack);
	put_locations(fill->sink, stack);
	put_names(fill->sink, NX_SCHEMA_StackFrameFileName, stack->file_names,
		  stack->file_name_count);
	put_names(fill->sink, NX_SCHEMA_StackFrameFunctionName, stack->function_names,
		  stack->function_name_count);
	return NX_OK;
}

/* --- kernels ---------------------------------------------------------------- */

static void put_known_text(struct nx_row *row, unsigned column, const char *text)
{
	if (text[0])
		nx_row_put_text(row, column, text);
}

static void put_line(struct nx_row *row, unsigned column, uint32_t line)
{
	if (line)
		nx_row_put_i64(row, column, line);
}

/* Rows count from one, indices from zero. */
static void put_ref(struct nx_row *row, unsigned column, uint32_t index)
{
	if (index != NX_NONE)
		nx_row_put_i64(row, column, (int64_t)index + 1);
}

static void put_kernel_frames(struct nx_table_sink *sink, const struct nx_binary *binary)
{
	struct nx_row row;

	nx_begin_table(sink, &row, NX_SCHEMA_KernelStackFrames);
	for (uint32_t i = 0; i < binary->kernel_frame_count; i++) {
		const struct nx_kernel_frame *frame = &binary->kernel_frames[i];

		put_ref(&row, NX_COL_KernelStackFrames_stack_frame_id, i);
		put_known_text(&row, NX_COL_KernelStackFrames_fully_qualified_function_name,
			       frame->function);
		put_ref(&row, NX_COL_KernelStackFrames_parent_stack_frame_id, frame->parent);
		put_known_text(&row, NX_COL_KernelStackFrames_file_path, frame->file);
		put_line(&row, NX_COL_KernelStackFrames_line_number, frame->line);
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_KernelStackFrames);
}

static void put_kernel_iterations(struct nx_table_sink *sink, const struct nx_binary *binary)
{
	struct nx_row row;

	nx_begin_table(sink, &row, NX_SCHEMA_KernelIterationVariables);
	for (uint32_t i = 0; i < binary->kernel_iteration_count; i++) {
		const struct nx_kernel_iteration *iteration = &binary->kernel_iterations[i];

		put_ref(&row, NX_COL_KernelIterationVariables_iteration_variable_id, i);
		put_known_text(&row, NX_COL_KernelIterationVariables_variable_name,
			       iteration->variable);
		if (iteration->has_value)
			nx_row_put_i64(&row, NX_COL_KernelIterationVariables_variable_value,
				       iteration->value);
		put_ref(&row, NX_COL_KernelIterationVariables_parent_iteration_variable_id,
			iteration->parent);
		put_known_text(&row, NX_COL_KernelIterationVariables_file_path, iteration->file);
		put_line(&row, NX_COL_KernelIterationVariables_line_number, iteration->line);
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_KernelIterationVariables);
}

static void put_kernel_instructions(struct nx_table_sink *sink, const struct nx_binary *binary)
{
	struct nx_row row;

	nx_begin_table(sink, &row, NX_SCHEMA_KernelInstructions);
	for (size_t i = 0; i < binary->kernel_instruction_count; i++) {
		const struct nx_kernel_instruction *in = &binary->kernel_instructions[i];

		nx_row_put_text(&row, NX_COL_KernelInstructions_kernel_instruction_name, in->name);
		put_ref(&row, NX_COL_KernelInstructions_stack_frame_id, in->frame);
		nx_row_put_i64(&row, NX_COL_KernelInstructions_stack_frame_depth,
			       in->frame == NX_NONE ? 0 : binary->kernel_frames[in->frame].depth);
		put_ref(&row, NX_COL_KernelInstructions_iteration_variables_id, in->iteration);
		nx_row_put_i64(&row, NX_COL_KernelInstructions_iteration_variable_depth,
			       in->iteration == NX_NONE
				       ? 0
				       : binary->kernel_iterations[in->iteration].depth);
		put_known_text(&row, NX_COL_KernelInstructions_file_path, in->file);
		put_line(&row, NX_COL_KernelInstructions_line_number, in->line);
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_KernelInstructions);
}

enum nx_status nx_fill_kernels(struct nx_device_fill *fill)
{
	put_kernel_frames(fill->sink, &fill->profile->binary);
	put_kernel_iterations(fill->sink, &fill->profile->binary);
	put_kernel_instructions(fill->sink, &fill->profile->binary);
	return NX_OK;
}
