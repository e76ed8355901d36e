/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_plan: the assembled program as the NEFF it becomes. */
#include "assemble/assembly_internal.h"

static void plan_engine(struct nx_assembly *a, struct nx_assembly_engine *engine,
			struct nx_plan_engine *out)
{
	struct nx_plan_block *blocks =
		NX_NEW_ARRAY(&a->arena, struct nx_plan_block, engine->blocks.len);

	for (size_t i = 0; i < engine->blocks.len; i++) {
		blocks[i] = engine->blocks.items[i].plan;
		blocks[i].descriptors = engine->blocks.items[i].descriptors.items;
		blocks[i].descriptor_count = engine->blocks.items[i].descriptors.len;
	}
	*out = (struct nx_plan_engine){
		.code = nx_slice_of(engine->code.items, engine->code.len),
		.origins = engine->origins.items,
		.blocks = blocks,
		.block_count = engine->blocks.len,
	};
}

static void plan_core(struct nx_assembly *a, struct nx_assembly_core *core,
		      struct nx_plan_graph *out)
{
	out->variables = core->variables.items;
	out->variable_count = core->variables.len;
	out->queues = core->queues.items;
	out->queue_count = core->queues.len;
	out->activation_sets = core->sets.items;
	out->activation_set_count = core->sets.len;
	out->replica_groups =
		(struct nx_plan_lists){core->replica_groups.items, core->replica_groups.len};
	out->source_target_pairs = (struct nx_plan_lists){core->source_target_pairs.items,
							  core->source_target_pairs.len};
	out->element_counts =
		(struct nx_plan_lists){core->element_counts.items, core->element_counts.len};
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		plan_engine(a, &core->engines[e], &out->engines[e]);
}

enum nx_status nx_assembly_write(struct nx_assembly *a, struct nx_bytes *out, struct nx_error *err)
{
	struct nx_plan_graph *graphs = NX_NEW_ARRAY(&a->arena, struct nx_plan_graph, a->cores.len);
	struct nx_neff_plan plan = {
		.name = a->name,
		.target = a->target,
		.graphs = graphs,
		.graph_count = a->cores.len,
		.origins = a->origins.items,
		.origin_count = a->origins.len,
		.members = a->members.items,
		.member_count = a->members.len,
	};
	size_t code_bytes = 0;

	for (size_t i = 0; i < a->cores.len; i++) {
		plan_core(a, &a->cores.items[i], &graphs[i]);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			code_bytes += graphs[i].engines[e].code.len;
	}
	if (code_bytes == 0)
		return nx_fail(err, NX_FORMAT, "%s holds no instruction", a->options->path);
	nx_neff_plan_write(&plan, out);
	return NX_OK;
}
