/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/binary_merge.h"

#include <assert.h>

/* Indices count from zero, with NX_NONE for none. */
static uint32_t shift(uint32_t index, size_t count, size_t base)
{
	return index < count ? (uint32_t)(index + base) : NX_NONE;
}

/* Ids count from one, with 0 for none. */
static uint32_t shift_id(uint32_t id, size_t base)
{
	return id ? (uint32_t)(id + base) : 0;
}

static void add_birs(const struct nx_binary *whole, const struct nx_binary *part)
{
	for (size_t g = 0; g < part->graph_count; g++)
		for (size_t i = 0; i < part->graphs[g].bir_count; i++) {
			struct nx_bir *bir = &part->graphs[g].birs[i];

			bir->origin = shift(bir->origin, part->origin_count, whole->origin_count);
			bir->kernel_instruction =
				shift(bir->kernel_instruction, part->kernel_instruction_count,
				      whole->kernel_instruction_count);
		}
}

static void add_graphs(struct nx_binary *whole, const struct nx_binary *part, uint32_t part_idx,
		       struct nx_arena *arena)
{
	for (size_t i = 0; i < part->tensor_count; i++) {
		struct nx_tensor *tensor = &whole->tensors[whole->tensor_count++];

		*tensor = part->tensors[i];
		tensor->graph += (uint32_t)whole->graph_count;
	}
	for (size_t i = 0; i < part->graph_count; i++) {
		struct nx_binary_graph *graph = &whole->graphs[whole->graph_count++];

		*graph = part->graphs[i];
		graph->name = nx_arena_printf(arena, NX_MODEL_GRAPH_FORMAT, part->model_idx,
					      part->graphs[i].name);
		graph->part = part_idx;
	}
}

static void add_stack(struct nx_stack *whole, const struct nx_stack *part)
{
	for (size_t i = 0; i < part->location_count; i++)
		whole->locations[whole->location_count + i] = (struct nx_source_location){
			shift_id(part->locations[i].file_name, whole->file_name_count),
			shift_id(part->locations[i].function_name, whole->function_name_count),
			part->locations[i].line};
	for (size_t i = 0; i < part->frame_count; i++)
		whole->frames[whole->frame_count + i] = (struct nx_stack_frame){
			shift_id(part->frames[i].location, whole->location_count),
			shift_id(part->frames[i].parent, whole->frame_count)};
	for (size_t i = 0; i < part->file_name_count; i++)
		whole->file_names[whole->file_name_count++] = part->file_names[i];
	for (size_t i = 0; i < part->function_name_count; i++)
		whole->function_names[whole->function_name_count++] = part->function_names[i];
	whole->location_count += part->location_count;
	whole->frame_count += part->frame_count;
}

static void add_origins(struct nx_binary *whole, const struct nx_binary *part)
{
	for (size_t i = 0; i < part->origin_count; i++) {
		struct nx_origin *origin = &whole->origins[whole->origin_count++];

		*origin = part->origins[i];
		origin->stack_frame = shift_id(origin->stack_frame, whole->stack.frame_count);
	}
}

static void add_kernels(struct nx_binary *whole, const struct nx_binary *part)
{
	size_t frames = whole->kernel_frame_count, iterations = whole->kernel_iteration_count;

	for (size_t i = 0; i < part->kernel_frame_count; i++) {
		struct nx_kernel_frame *frame = &whole->kernel_frames[whole->kernel_frame_count++];

		*frame = part->kernel_frames[i];
		frame->parent = shift(frame->parent, part->kernel_frame_count, frames);
	}
	for (size_t i = 0; i < part->kernel_iteration_count; i++) {
		struct nx_kernel_iteration *iteration =
			&whole->kernel_iterations[whole->kernel_iteration_count++];

		*iteration = part->kernel_iterations[i];
		iteration->parent =
			shift(iteration->parent, part->kernel_iteration_count, iterations);
	}
	for (size_t i = 0; i < part->kernel_instruction_count; i++) {
		struct nx_kernel_instruction *in =
			&whole->kernel_instructions[whole->kernel_instruction_count++];

		*in = part->kernel_instructions[i];
		in->frame = shift(in->frame, part->kernel_frame_count, frames);
		in->iteration = shift(in->iteration, part->kernel_iteration_count, iterations);
	}
}

static void add_missing(struct nx_binary *whole, const struct nx_binary *part,
			struct nx_arena *arena)
{
	whole->has_hlo_statistics &= part->has_hlo_statistics;
	whole->has_compiler_metrics &= part->has_compiler_metrics;
	for (size_t i = 0; i < part->missing_count; i++)
		whole->missing[whole->missing_count++] =
			(struct nx_property){nx_arena_printf(arena, "model %u, %s", part->model_idx,
							     part->missing[i].name),
					     part->missing[i].value};
}

/* Work is counted for each execution; at least once if the capture does not list them. */
static uint64_t mac_count(const struct nx_binary *part, const struct nx_capture *capture)
{
	uint64_t runs = 0;

	for (size_t i = 0; capture->executions && i < capture->shown_execution_count; i++)
		runs += capture->executions[i].model_idx == part->model_idx;
	return part->hlo_mac_count * (capture->executions ? runs : 1);
}

/* Lists as long as those of all parts together. */
static void make_room(struct nx_binary *whole, const struct nx_binary *parts, size_t count,
		      struct nx_arena *arena)
{
	struct nx_binary sum = {0};

	for (size_t i = 0; i < count; i++) {
		sum.tensor_count += parts[i].tensor_count;
		sum.graph_count += parts[i].graph_count;
		sum.origin_count += parts[i].origin_count;
		sum.stack.file_name_count += parts[i].stack.file_name_count;
		sum.stack.function_name_count += parts[i].stack.function_name_count;
		sum.stack.location_count += parts[i].stack.location_count;
		sum.stack.frame_count += parts[i].stack.frame_count;
		sum.kernel_frame_count += parts[i].kernel_frame_count;
		sum.kernel_iteration_count += parts[i].kernel_iteration_count;
		sum.kernel_instruction_count += parts[i].kernel_instruction_count;
		sum.missing_count += parts[i].missing_count;
	}
	whole->tensors = NX_NEW_ARRAY(arena, struct nx_tensor, sum.tensor_count);
	whole->graphs = NX_NEW_ARRAY(arena, struct nx_binary_graph, sum.graph_count);
	whole->origins = NX_NEW_ARRAY(arena, struct nx_origin, sum.origin_count);
	whole->stack = (struct nx_stack){
		.file_names = NX_NEW_ARRAY(arena, const char *, sum.stack.file_name_count),
		.function_names = NX_NEW_ARRAY(arena, const char *, sum.stack.function_name_count),
		.locations =
			NX_NEW_ARRAY(arena, struct nx_source_location, sum.stack.location_count),
		.frames = NX_NEW_ARRAY(arena, struct nx_stack_frame, sum.stack.frame_count)};
	whole->kernel_frames = NX_NEW_ARRAY(arena, struct nx_kernel_frame, sum.kernel_frame_count);
	whole->kernel_iterations =
		NX_NEW_ARRAY(arena, struct nx_kernel_iteration, sum.kernel_iteration_count);
	whole->kernel_instructions =
		NX_NEW_ARRAY(arena, struct nx_kernel_instruction, sum.kernel_instruction_count);
	whole->missing = NX_NEW_ARRAY(arena, struct nx_property, sum.missing_count);
}

void nx_binary_merge(struct nx_binary *whole, struct nx_binary *parts, size_t count,
		     const struct nx_capture *capture, struct nx_arena *arena)
{
	assert(count);
	/* what is said of a whole file is that of the first: its version, its target */
	*whole = parts[0];
	whole->tensor_count = whole->graph_count = whole->origin_count = 0;
	whole->kernel_frame_count = whole->kernel_iteration_count = 0;
	whole->kernel_instruction_count = whole->missing_count = 0;
	whole->hlo_mac_count = 0;
	make_room(whole, parts, count, arena);
	for (size_t i = 0; i < count; i++) {
		const struct nx_binary *part = &parts[i];

		/* before the lists that their indices lead to */
		add_birs(whole, part);
		add_graphs(whole, part, (uint32_t)i, arena);
		add_origins(whole, part);
		add_stack(&whole->stack, &part->stack);
		add_kernels(whole, part);
		add_missing(whole, part, arena);
		whole->hlo_mac_count += mac_count(part, capture);
	}
	whole->parts = parts;
	whole->part_count = count;
}
