/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/tensor_loads.h"

#include <string.h>

#include "base/map.h"

static bool is_load(const struct nx_binary_graph *graph, const struct nx_dma_descriptor *d)
{
	return d->to < graph->variable_count &&
	       !strcmp(graph->variables[d->to].type, "state-buffer");
}

static void add_transfer(struct nx_profile *p, const struct nx_transfer *t,
			 const struct nx_text_map *tensors)
{
	const struct nx_binary_graph *graph = p->program.binary_graphs[t->graph];
	const struct nx_dma_block *block = nx_profile_block(p, t);
	uint64_t tensor, last = NX_NONE;

	for (size_t i = 0; block && i < block->descriptor_count; i++) {
		const struct nx_dma_descriptor *d = &block->descriptors[i];

		if (!d->from_count || d->from[0] >= graph->variable_count || !is_load(graph, d) ||
		    !nx_text_map_get(tensors, nx_slice_text(graph->variables[d->from[0]].name),
				     &tensor))
			continue;
		p->tensor_loads[tensor].total_bytes += d->to_bytes;
		p->tensor_loads[tensor].dma_count += tensor != last;
		last = tensor;
	}
}

void nx_tensor_loads_sum(struct nx_profile *p)
{
	struct nx_text_map tensors = {0};

	p->tensor_loads = NX_NEW_ARRAY(&p->arena, struct nx_tensor_load, p->binary.tensor_count);
	for (size_t i = 0; i < p->binary.tensor_count; i++)
		nx_text_map_put(&tensors, nx_slice_text(p->binary.tensors[i].name), i);
	for (size_t i = 0; i < p->transfers.len; i++)
		add_transfer(p, &p->transfers.items[i], &tensors);
	nx_text_map_release(&tensors);
}
