/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/activity.h"

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
