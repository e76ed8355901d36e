/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto_args.h"

#include <stdio.h>

#include "model/transfer.h"

void nx_perfetto_arg_u64(struct nx_perfetto_args *args, const char *name, uint64_t value)
{
	nx_vec_push(args, ((struct nx_perfetto_arg){
				  .name = name, .kind = NX_PERFETTO_U64, .u64 = value}));
}

void nx_perfetto_arg_f64(struct nx_perfetto_args *args, const char *name, double value)
{
	nx_vec_push(args, ((struct nx_perfetto_arg){
				  .name = name, .kind = NX_PERFETTO_F64, .f64 = value}));
}

void nx_perfetto_arg_bool(struct nx_perfetto_args *args, const char *name, bool value)
{
	nx_vec_push(args, ((struct nx_perfetto_arg){
				  .name = name, .kind = NX_PERFETTO_BOOL, .u64 = value}));
}

void nx_perfetto_arg_text(struct nx_perfetto_args *args, const char *name, const char *text)
{
	nx_vec_push(args, ((struct nx_perfetto_arg){.name = name,
						    .kind = NX_PERFETTO_TEXT,
						    .text = nx_slice_text(text)}));
}

void nx_perfetto_semaphore_label(const struct nx_profile *profile, uint32_t graph,
				 uint32_t semaphore, char label[NX_SEMAPHORE_LABEL_MAX])
{
	const char *const *names = profile->program.semaphore_names[graph];

	if (names && semaphore < NX_SEMAPHORE_COUNT && names[semaphore])
		snprintf(label, NX_SEMAPHORE_LABEL_MAX, "S[%u] (%s)", semaphore, names[semaphore]);
	else
		snprintf(label, NX_SEMAPHORE_LABEL_MAX, "S[%u]", semaphore);
}

/* --- transfers ------------------------------------------------------------- */

static const struct nx_dma_descriptor *descriptor_of(const struct nx_profile *p,
						     const struct nx_transfer *t,
						     const struct nx_dma_block **block)
{
	*block = nx_transfer_block(p, t);
	return *block && (*block)->descriptor_count ? &(*block)->descriptors[0] : NULL;
}

static const struct nx_variable *variable_at(const struct nx_profile *p,
					     const struct nx_transfer *t, uint32_t index)
{
	const struct nx_binary_graph *graph = p->program.binary_graphs[t->graph];

	return index < graph->variable_count ? &graph->variables[index] : NULL;
}

const char *nx_perfetto_transfer_variable(const struct nx_profile *profile,
					  const struct nx_transfer *t)
{
	const struct nx_dma_block *block;
	const struct nx_dma_descriptor *d = descriptor_of(profile, t, &block);
	const struct nx_variable *v;

	if (!d)
		return NULL;
	v = variable_at(profile, t, d->from_count ? d->from[0] : NX_NONE);
	if (!v || !strcmp(v->type, "state-buffer"))
		v = variable_at(profile, t, d->to);
	return v ? v->name : NULL;
}

void nx_perfetto_attribution_args(struct nx_perfetto_args *args, const struct nx_profile *profile,
				  const struct nx_transfer *t, char label[NX_SEMAPHORE_LABEL_MAX])
{
	const struct nx_dma_block *block;
	const struct nx_dma_descriptor *d = descriptor_of(profile, t, &block);
	const char *variable = nx_perfetto_transfer_variable(profile, t);

	nx_perfetto_arg_u64(args, "block_id", t->block_id);
	if (!d)
		return;
	nx_perfetto_arg_text(args, "op", d->op);
	nx_perfetto_semaphore_label(profile, t->graph, block->semaphore, label);
	nx_perfetto_arg_text(args, "semaphore_id", label);
	nx_perfetto_arg_text(args, "variable", variable ? variable : "unknown");
	nx_perfetto_arg_u64(args, "source_offset", d->from_offset);
	nx_perfetto_arg_u64(args, "dest_offset", d->to_offset);
	nx_perfetto_arg_u64(args, "descriptor_count", block->descriptor_count);
}
