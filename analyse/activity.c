/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/activity.h"
#include <assert.h>

static void add_work(struct nx_activity *a, uint64_t start_ps, uint64_t end_ps)
{
	if (!a->has_work)
		a->work_start_ps = start_ps; /* rows come in order of their start */
	if (!a->has_work || end_ps > a->work_end_ps)
		a->work_end_ps = end_ps;
	a->has_work = true;
}

static void add_matmul(struct nx_activity *a, const struct nx_slot *slot)
{
	a->matmul_count++;
	a->flop_count += 2 * slot->elements;
	a->adjusted_flop_count += slot->adjusted_flop_count;
	if (slot->instruction_type == NX_TYPE_TRANSPOSE) {
		a->transpose_flop_count += 2 * slot->elements;
		a->adjusted_transpose_flop_count += slot->adjusted_flop_count;
	}
}

static void add_bytes(struct nx_activity *a, const struct nx_slot *slot)
{
	a->sbuf_read_bytes += slot->sbuf_read_bytes;
	a->sbuf_write_bytes += slot->sbuf_write_bytes;
	a->psum_read_bytes += slot->psum_read_bytes;
	a->psum_write_bytes += slot->psum_write_bytes;
	a->hbm_read_bytes += slot->hbm_read_bytes;
	a->hbm_write_bytes += slot->hbm_write_bytes;
	if (slot->flags & NX_SLOT_EVICTION) {
		a->eviction_bytes += slot->sbuf_write_bytes;
		a->eviction_count++;
	}
}

static void add_trigger(struct nx_activity *a, const struct nx_slot *slot)
{
	a->trigger_count++;
	if (slot->flags & NX_SLOT_SPILL_SAVE)
		a->spill_save_bytes += slot->hbm_write_bytes;
	if (slot->flags & NX_SLOT_SPILL_RELOAD)
		a->spill_reload_bytes += slot->hbm_read_bytes;
	if (slot->flags & NX_SLOT_WEIGHT_QUEUE)
		a->weight_queue_bytes += slot->queue_bytes;
	else if (slot->flags & NX_SLOT_INPUT_QUEUE)
		a->input_queue_bytes += slot->queue_bytes;
	else if (slot->flags & NX_SLOT_OUTPUT_QUEUE)
		a->output_queue_bytes += slot->queue_bytes;
}

void nx_activity_add_instruction(struct nx_activity *a, const struct nx_instruction *row,
				 const struct nx_slot *slot)
{
	struct nx_engine_activity *engine = &a->engines[row->engine];
	uint64_t duration_ps = row->end_ps - row->start_ps;

	assert(row->engine < NX_ENGINE_COUNT);
	engine->instruction_count++;
	if (!(slot->flags & NX_SLOT_WAITS_ONLY)) {
		engine->instruction_ps += duration_ps;
		nx_span_union_cover(&engine->busy, row->start_ps, row->end_ps);
		nx_span_union_cover(&a->all_busy, row->start_ps, row->end_ps);
	}
	if (!(slot->flags & NX_SLOT_SETUP))
		add_work(a, row->start_ps, row->end_ps);
	if (slot->flags & NX_SLOT_MATMUL)
		add_matmul(a, slot);
	if (slot->flags & NX_SLOT_ACTIVATE) {
		a->activate_count++;
		a->activate_ps += duration_ps;
	}
	if (slot->flags & NX_SLOT_TRIGGER)
		add_trigger(a, slot);
	a->dynamic_dma_count += (slot->flags & NX_SLOT_DYNAMIC_DMA) != 0;
	a->unknown_text_count += (slot->flags & NX_SLOT_TEXT_UNKNOWN) != 0;
	a->with_layer_count += (slot->flags & NX_SLOT_HAS_LAYER) != 0;
	add_bytes(a, slot);
}

static enum nx_dma_kind kind_of(uint8_t queue_class)
{
	switch (queue_class) {
	case NX_QUEUE_HARDWARE_DYNAMIC:
		return NX_DMA_HARDWARE_DYNAMIC;
	case NX_QUEUE_SOFTWARE_DYNAMIC:
		return NX_DMA_SOFTWARE_DYNAMIC;
	default:
		return NX_DMA_STATIC;
	}
}

void nx_activity_add_packet(struct nx_activity *a, const struct nx_packet *row)
{
	struct nx_dma_activity *dma = &a->dma[kind_of(row->queue_class)];

	add_work(a, row->start_ps, row->end_ps);
	dma->packet_count++;
	dma->size_bytes += row->size_bytes;
	nx_span_union_cover(&dma->busy, row->start_ps, row->end_ps);
	a->packet_count++;
	a->packet_bytes += row->size_bytes;
	a->packet_ps += row->end_ps - row->start_ps;
	nx_span_union_cover(&a->dma_busy, row->start_ps, row->end_ps);
	nx_span_union_cover(&a->all_busy, row->start_ps, row->end_ps);
}

/* --- layers ------------------------------------------------------------------ */

static struct nx_layer_state *state_of(struct nx_layer_analysis *a,
				       const struct nx_instruction *row, uint32_t layer,
				       const char *name)
{
	uint64_t key = (uint64_t)row->graph << 32 | layer, position;
	struct nx_layer_state fresh = {
		.row = {.graph = row->graph, .name = name, .start_ps = row->start_ps}};

	if (nx_map_get(&a->index, key, &position))
		return &a->states.items[position];
	nx_map_put(&a->index, key, a->states.len);
	nx_vec_push(&a->states, fresh);
	return &a->states.items[a->states.len - 1];
}

/* Utilisation of the array is measured up to the latest end of anything that started no later than
 * the last Tensor instruction. A running maximum gives it in one pass. */
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
	assert(row->engine < NX_ENGINE_COUNT);
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

void nx_layers_finish(struct nx_layer_analysis *a, uint32_t graph_count, struct nx_layers *out)
{
	for (uint32_t g = 0; g < graph_count; g++)
		for (size_t i = 0; i < a->states.len; i++) {
			struct nx_layer_state *s = &a->states.items[i];

			if (s->row.graph != g)
				continue;
			s->row.end_ps = s->latest_end_ps;
			for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
				s->row.engines[e].active_ps = nx_span_union_length(&s->busy[e]);
			if (s->has_tensor)
				s->row.tensor_span_ps = s->tensor_context_end_ps - s->row.start_ps;
			nx_vec_push(out, s->row);
		}
	nx_vec_release(&a->states);
	nx_map_release(&a->index);
}
