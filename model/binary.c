/* SPDX-License-Identifier: Apache-2.0 */
#include "model/binary.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

const char *nx_tensor_kind_name(enum nx_tensor_kind kind)
{
	static const char *const names[] = {"IN", "OUT", "WEIGHT"};

	assert((size_t)kind < sizeof(names) / sizeof(names[0]));
	return names[kind];
}

static int compare_id(const void *var_id, const void *variable)
{
	uint64_t wanted = *(const uint64_t *)var_id;
	uint64_t is = ((const struct nx_variable *)variable)->var_id;

	return (wanted > is) - (wanted < is);
}

/* Rows are in order of their ids. */
uint32_t nx_variable_of_id(const struct nx_binary_graph *graph, uint64_t var_id)
{
	const struct nx_variable *found =
		graph->variable_count ? bsearch(&var_id, graph->variables, graph->variable_count,
						sizeof(*graph->variables), compare_id)
				      : NULL;

	return found ? (uint32_t)(found - graph->variables) : NX_NONE;
}

struct nx_source_location nx_stack_frame_place(const struct nx_stack *stack, uint32_t frame_id)
{
	uint32_t location;

	assert(frame_id && frame_id <= stack->frame_count);
	location = stack->frames[frame_id - 1].location;
	return location ? stack->locations[location - 1] : (struct nx_source_location){0};
}

void nx_stack_frame_text(const struct nx_stack *stack, uint32_t frame_id, char *text, size_t size)
{
	struct nx_source_location at = nx_stack_frame_place(stack, frame_id);

	snprintf(text, size, "%s (%s:%u)",
		 at.function_name ? stack->function_names[at.function_name - 1] : "?",
		 at.file_name ? stack->file_names[at.file_name - 1] : "?", at.line);
}

const char *nx_edge_name(unsigned type)
{
	static const char *const names[] = {"INVALID", "ORDERED", "ANTI_DEPENDENCE",
					    "OUTPUT_DEPENDENCE", "FLOW_DEPENDENCE"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "INVALID";
}

const char *nx_instruction_type_name(unsigned type)
{
	static const char *const names[] = {"", "REGULAR", "SPILL", "TRANSPOSE"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "";
}
