/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/layers.h"

#include <string.h>

static struct nx_layer_state *state_of(struct nx_layer_analysis *a,
				       const struct nx_instruction *row, uint32_t layer,
				       const char *name)
{
	uint64_t key = (uint64_t)row->graph << 32 | layer, position;
	struct nx_layer_state fresh;

	if (nx_map_get(&a->index, key, &position))
		return &a->states.items[position];
	memset(&fresh, 0, sizeof(fresh));
	fresh.row.graph = row->graph;
	fresh.row.name = name;
	fresh.row.start_ps = row->start_ps;
	nx_map_put(&a->index, key, a->states.len);
	nx_vec_push(&a->states, fresh);
	return &a->states.items[a->states.len - 1];
}

/*
 * Utilisation of the array is measured over the time up to the last Tensor
 * instruction's context: the latest end of anything that started no later. A
 * running maximum at each Tensor instruction gives it in one pass.
 */
static void note_tensor_context(struct nx_layer_state *s, const struct nx_instruction *row)
{
	if (row->end_ps > s->latest_end_ps)
		s->latest_end_ps = row->end_ps;
	if (row->engine == NX_ENGINE_TENSOR) {
		s->has_tensor = true;
		s->last_tensor_start_ps = row->start_ps;
	}
	if (s->has_tensor && row->start_ps == s->last_tensor_start_ps)
		s->tensor_context_end_ps = s->latest_end_ps;
}

static void add_to(struct nx_layer_state *s, const struct nx_instruction *row,
		   const struct nx_slot *slot)
{
	s->row.engines[row->engine].instruction_count++;
	if (!(slot->flags & NX_SLOT_WAITS_ONLY)) {
		s->row.engines[row->engine].instruction_ps += row->end_ps - row->start_ps;
		nx_span_union_cover(&s->busy[row->engine], row->start_ps, row->end_ps);
	}
	if (slot->flags & NX_SLOT_MATMUL) {
		s->row.flop_count += 2 * slot->elements;
		if (slot->instruction_type != NX_TYPE_TRANSPOSE)
			s->row.model_flop_count += 2 * slot->elements;
	}
	note_tensor_context(s, row);
}

void nx_layers_add(struct nx_layer_analysis *a, const struct nx_program *program,
		   const struct nx_instruction *row, const struct nx_slot *slot)
{
	add_to(state_of(a, row, 0, ""), row, slot);
	if (slot->layer)
		add_to(state_of(a, row, slot->layer, program->layers[slot->layer]), row, slot);
}

static void emit(struct nx_layer_state *s, struct nx_layers *out)
{
	s->row.end_ps = s->latest_end_ps;
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		s->row.engines[e].active_ps = nx_span_union_length(&s->busy[e]);
	if (s->has_tensor)
		s->row.tensor_span_ps = s->tensor_context_end_ps - s->row.start_ps;
	nx_vec_push(out, s->row);
}

void nx_layers_finish(struct nx_layer_analysis *a, uint32_t graph_count, struct nx_layers *out)
{
	for (uint32_t g = 0; g < graph_count; g++)
		for (size_t i = 0; i < a->states.len; i++)
			if (a->states.items[i].row.graph == g)
				emit(&a->states.items[i], out);
	nx_vec_release(&a->states);
	nx_map_release(&a->index);
}
