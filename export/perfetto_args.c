/* SPDX-License-Identifier: Apache-2.0 */
#include "export/perfetto_args.h"

#include <stdio.h>

#include "format/instruction.h"
#include "model/naming.h"
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

/* --- instructions ---------------------------------------------------------- */

static void put_instruction(struct nx_perfetto_args *args, struct nx_arena *arena,
			    const struct nx_profile *p, uint32_t graph, const uint8_t *word,
			    const char *opcode_key, const char *operands_key)
{
	struct nx_instruction_context context = {p->capture.arch,
						 p->program.semaphore_names[graph]};
	char text[NX_INSTRUCTION_TEXT_MAX], label[16];
	bool is_known;

	nx_instruction_text(word, &context, text, sizeof(text), &is_known);
	nx_perfetto_arg_text(args, opcode_key,
			     nx_arena_copy_text(arena,
						nx_opcode_label(nx_word_opcode(word), label)));
	nx_perfetto_arg_text(args, operands_key, nx_arena_copy_text(arena, text));
}

/* Shown where the runtime replaced the compiler's instruction. */
static void put_compiled(struct nx_perfetto_args *args, struct nx_arena *arena,
			 const struct nx_profile *p, const struct nx_instruction *row)
{
	const struct nx_slot *slot = nx_profile_slot(p, row);
	const struct nx_binary_graph *graph = p->program.binary_graphs[row->graph];
	const uint8_t *word;

	if (slot->compiler_slot == NX_NONE)
		return;
	nx_perfetto_arg_u64(args, "compiler_pc", slot->compiler_slot);
	if (!graph)
		return;
	word = nx_instruction_word(graph->engines[row->engine].code, slot->compiler_slot);
	if (word && nx_word_opcode(word) != slot->opcode)
		put_instruction(args, arena, p, row->graph, word, "compiler_opcode",
				"compiler_operands");
}

static void put_id(struct nx_perfetto_args *args, struct nx_arena *arena, const char *name,
		   uint64_t id)
{
	char text[NX_DEBUG_ID_TEXT_MAX];

	nx_perfetto_arg_text(args, name, nx_arena_copy_text(arena, nx_debug_id_text(id, text)));
}

static void put_framework_ids(struct nx_perfetto_args *args, struct nx_arena *arena,
			      const struct nx_origin *origin)
{
	const char *text = "";

	for (size_t i = 0; i < origin->framework_id_count && i < 16; i++)
		text = nx_arena_printf(arena, "%s%s%llu", text, i ? "," : "",
				       (unsigned long long)origin->framework_ids[i]);
	if (*text)
		nx_perfetto_arg_text(args, "raw_framework_id", text);
}

static void put_origin(struct nx_perfetto_args *args, struct nx_arena *arena,
		       const struct nx_bir *bir, const struct nx_origin *origin)
{
	if (origin && origin->has_hlo) {
		nx_perfetto_arg_text(args, "hlo_name", origin->hlo_name);
		nx_perfetto_arg_text(args, "hlo_attrs", origin->hlo_attributes);
		nx_perfetto_arg_u64(args, "raw_hlo_id", origin->hlo_id);
		put_framework_ids(args, arena, origin);
	}
	if (*bir->kernel_file) {
		nx_perfetto_arg_text(args, "source_file", bir->kernel_file);
		nx_perfetto_arg_u64(args, "source_line", bir->kernel_line);
	} else if (origin && *origin->source_file) {
		nx_perfetto_arg_text(args, "source_file", origin->source_file);
		nx_perfetto_arg_u64(args, "source_line", origin->source_line);
	}
}

static void put_names(struct nx_perfetto_args *args, struct nx_arena *arena,
		      const struct nx_profile *p, const struct nx_instruction *row)
{
	const struct nx_slot *slot = nx_profile_slot(p, row);
	const struct nx_bir *bir;

	if (slot->bir == NX_NONE)
		return;
	bir = &p->program.binary_graphs[row->graph]->birs[slot->bir];
	put_id(args, arena, "bir_id", bir->id);
	nx_perfetto_arg_u64(args, "raw_bir_id", bir->id);
	nx_perfetto_arg_text(args, "bir_instruction_name", bir->name);
	if (bir->has_penguin) {
		put_id(args, arena, "penguin_id", bir->penguin_id);
		nx_perfetto_arg_u64(args, "raw_penguin_id", bir->penguin_id);
	}
	if (*nx_instruction_type_name(bir->instruction_type))
		nx_perfetto_arg_text(args, "instruction_type",
				     nx_instruction_type_name(bir->instruction_type));
	if (*p->program.layers[slot->layer])
		nx_perfetto_arg_text(args, "layer", p->program.layers[slot->layer]);
	put_origin(args, arena, bir,
		   bir->origin < p->binary.origin_count ? &p->binary.origins[bir->origin] : NULL);
}

static void put_bytes(struct nx_perfetto_args *args, const struct nx_slot *slot)
{
	const struct {
		uint32_t flag;
		const char *name;
		uint64_t value;
	} counts[] = {
		{NX_SLOT_HAS_ELEMENTS, "elements", slot->elements},
		{NX_SLOT_SBUF_READ, "sbuf_read_bytes", slot->sbuf_read_bytes},
		{NX_SLOT_SBUF_WRITE, "sbuf_write_bytes", slot->sbuf_write_bytes},
		{NX_SLOT_PSUM_READ, "psum_read_bytes", slot->psum_read_bytes},
		{NX_SLOT_PSUM_WRITE, "psum_write_bytes", slot->psum_write_bytes},
		{NX_SLOT_HBM_READ, "hbm_read_bytes", slot->hbm_read_bytes},
		{NX_SLOT_HBM_WRITE, "hbm_write_bytes", slot->hbm_write_bytes},
		{NX_SLOT_EVICTION, "psum_read_sbuf_write_bytes", slot->sbuf_write_bytes},
		{NX_SLOT_SPILL_SAVE, "spill_save_bytes", slot->hbm_write_bytes},
		{NX_SLOT_SPILL_RELOAD, "spill_reload_bytes", slot->hbm_read_bytes},
		{NX_SLOT_WEIGHT_QUEUE, "weight_queue_bytes", slot->queue_bytes},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (slot->flags & counts[i].flag)
			nx_perfetto_arg_u64(args, counts[i].name, counts[i].value);
	if (slot->flags & NX_SLOT_EVICTION)
		nx_perfetto_arg_bool(args, "is_psum_read_sbuf_write", true);
}

void nx_perfetto_slot_args(struct nx_perfetto_args *args, struct nx_arena *arena,
			   const struct nx_profile *profile, const struct nx_instruction *row)
{
	const struct nx_graph *graph = &profile->capture.graphs[row->graph];
	const struct nx_slot *slot = nx_profile_slot(profile, row);
	const uint8_t *word =
		graph->engines[row->engine].code.data + (size_t)row->slot * NX_SLOT_BYTES;
	const char *engine = nx_engines[row->engine].label;
	char function[16];

	nx_perfetto_arg_u64(args, "pc", row->slot);
	nx_perfetto_arg_text(args, "label", slot->flags & NX_SLOT_MATMUL ? "TensorMatrix" : engine);
	nx_perfetto_arg_text(args, "subgroup", engine);
	put_instruction(args, arena, profile, row->graph, word, "opcode", "operands");
	if (nx_word_opcode(word) == NX_OP_ACTIVATE)
		nx_perfetto_arg_text(
			args, "activation_fn",
			nx_arena_copy_text(arena,
					   nx_activation_name(nx_word_of(word)->activate.function,
							      function)));
	nx_perfetto_arg_text(args, "fully_qualified_subgraph",
			     nx_arena_printf(arena, "/%s", graph->name));
	put_compiled(args, arena, profile, row);
	put_names(args, arena, profile, row);
	put_bytes(args, slot);
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
