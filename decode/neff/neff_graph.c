/* SPDX-License-Identifier: Apache-2.0 */
/* neff_graph: the variables and queues that a graph declares. */
#include <stdlib.h>

#include "decode/neff/neff_source.h"

/* Compilers number variables densely, so that in this order index and id agree. */
static int by_id(const void *left, const void *right)
{
	const struct nx_neff_variable *a = *(const struct nx_neff_variable *const *)left;
	const struct nx_neff_variable *b = *(const struct nx_neff_variable *const *)right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void read_variables(struct nx_graph_source *g)
{
	struct nx_arena *arena = g->source->arena;
	size_t count = g->graph->variable_count;
	const struct nx_neff_variable **sorted =
		NX_NEW_ARRAY(arena, const struct nx_neff_variable *, count);

	for (size_t i = 0; i < count; i++)
		sorted[i] = &g->graph->variables[i];
	if (count)
		qsort(sorted, count, sizeof(*sorted), by_id);
	g->rows = NX_NEW_ARRAY(arena, uint32_t, count);
	g->out->variable_count = count;
	g->out->variables = NX_NEW_ARRAY(arena, struct nx_variable, count);
	for (size_t i = 0; i < count; i++) {
		const struct nx_neff_variable *v = sorted[i];

		g->rows[v - g->graph->variables] = (uint32_t)i;
		g->out->variables[i] = (struct nx_variable){
			.name = v->name,
			.type = v->type,
			.var_id = v->id,
			.size_bytes = v->size_bytes,
			.file_name = v->file_name,
			.backing_offset = v->scratch_offset,
		};
	}
}

void nx_neff_graph_read(struct nx_graph_source *g)
{
	const struct nx_neff_graph *graph = g->graph;
	struct nx_binary_graph *out = g->out;

	read_variables(g);
	out->queue_count = graph->queue_count;
	out->queues =
		NX_NEW_ARRAY(g->source->arena, struct nx_queue_declaration, graph->queue_count);
	for (size_t i = 0; i < graph->queue_count; i++)
		out->queues[i] = (struct nx_queue_declaration){
			.name = graph->queues[i].name,
			.owner = graph->queues[i].owner,
			.type = graph->queues[i].type,
			.semaphores = graph->queues[i].semaphores,
			.semaphore_count = graph->queues[i].semaphore_count,
		};
	out->runtime_semaphore_count = graph->runtime_semaphore_count;
}
