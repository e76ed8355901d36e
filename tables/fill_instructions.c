/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executed instructions. What depends on the slot alone is prepared once per slot
 * (tables/slot_texts.h); a row adds its times.
 */
#include <string.h>

#include "model/measure.h"
#include "model/transfer.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"
#include "tables/slot_texts.h"

struct instruction_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	struct nx_slot_text_cache texts;
	struct nx_trigger_walk triggers;
	double engine_clock_ghz;
	uint64_t id; /* the place in the table, counted from one, as in the JSON export */
	struct nx_row row;
};

static void put_text(struct nx_row *row, unsigned column, struct nx_slice text)
{
	if (text.data)
		nx_row_put_slice(row, column, text);
}

static void put_words(struct nx_row *row, const struct nx_slot_texts *texts)
{
	nx_row_put_slice(row, NX_COL_Instruction_opcode, texts->opcode);
	nx_row_put_slice(row, NX_COL_Instruction_operands, texts->operands);
	put_text(row, NX_COL_Instruction_compiler_opcode, texts->compiler_opcode);
	put_text(row, NX_COL_Instruction_compiler_operands, texts->compiler_operands);
	put_text(row, NX_COL_Instruction_instruction_chain, texts->chain);
	put_text(row, NX_COL_Instruction_scalar_activation_fn, texts->activation);
}

static void put_origin(struct nx_row *row, const struct nx_slot_texts *texts)
{
	const struct nx_origin *origin = texts->origin;

	nx_row_put_slice(row, NX_COL_Instruction_bir_id, texts->bir_id);
	if (!texts->bir)
		return;
	nx_row_put_i64(row, NX_COL_Instruction_raw_bir_id, (int64_t)texts->bir->id);
	put_text(row, NX_COL_Instruction_bir_instruction_name, texts->bir_name);
	if (texts->bir->has_penguin) {
		nx_row_put_slice(row, NX_COL_Instruction_penguin_id, texts->penguin_id);
		nx_row_put_i64(row, NX_COL_Instruction_raw_penguin_id,
			       (int64_t)texts->bir->penguin_id);
	}
	put_text(row, NX_COL_Instruction_layer, texts->layer);
	put_text(row, NX_COL_Instruction_hlo_attrs, texts->hlo_attributes);
	put_text(row, NX_COL_Instruction_hlo_name, texts->hlo_name);
	put_text(row, NX_COL_Instruction_nki_source_location, texts->kernel_place);
	put_text(row, NX_COL_Instruction_bir_debug_info_source_location, texts->kernel_place);
	put_text(row, NX_COL_Instruction_stack_frame_ids, texts->stack_frame_ids);
	if (!origin || !origin->has_hlo)
		return;
	nx_row_put_i64(row, NX_COL_Instruction_raw_hlo_id, (int64_t)origin->hlo_id);
	if (origin->framework_id_count)
		nx_row_put_i64(row, NX_COL_Instruction_raw_framework_id,
			       (int64_t)origin->framework_ids[0]);
}

static void put_bytes(struct nx_row *row, const struct nx_slot *slot)
{
	const struct {
		uint32_t flag;
		unsigned column;
		uint64_t bytes;
	} counts[] = {
		{NX_SLOT_SBUF_READ, NX_COL_Instruction_sbuf_read_bytes, slot->sbuf_read_bytes},
		{NX_SLOT_SBUF_WRITE, NX_COL_Instruction_sbuf_write_bytes, slot->sbuf_write_bytes},
		{NX_SLOT_PSUM_READ, NX_COL_Instruction_psum_read_bytes, slot->psum_read_bytes},
		{NX_SLOT_PSUM_WRITE, NX_COL_Instruction_psum_write_bytes, slot->psum_write_bytes},
		{NX_SLOT_HBM_READ, NX_COL_Instruction_hbm_read_bytes, slot->hbm_read_bytes},
		{NX_SLOT_HBM_WRITE, NX_COL_Instruction_hbm_write_bytes, slot->hbm_write_bytes},
		{NX_SLOT_EVICTION, NX_COL_Instruction_psum_read_sbuf_write_bytes,
		 slot->sbuf_write_bytes},
		{NX_SLOT_SPILL_SAVE, NX_COL_Instruction_spill_save_bytes, slot->hbm_write_bytes},
		{NX_SLOT_SPILL_RELOAD, NX_COL_Instruction_spill_reload_bytes, slot->hbm_read_bytes},
		{NX_SLOT_WEIGHT_QUEUE, NX_COL_Instruction_weight_queue_bytes, slot->queue_bytes},
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (slot->flags & counts[i].flag)
			nx_row_put_i64(row, counts[i].column, nx_to_i64(counts[i].bytes));
	if (slot->flags & NX_SLOT_WEIGHT_QUEUE)
		return; /* a queue has one kind, as in the summary's sums */
	if (slot->flags & NX_SLOT_INPUT_QUEUE)
		nx_row_put_i64(row, NX_COL_Instruction_input_queue_bytes,
			       nx_to_i64(slot->queue_bytes));
	else if (slot->flags & NX_SLOT_OUTPUT_QUEUE)
		nx_row_put_i64(row, NX_COL_Instruction_output_queue_bytes,
			       nx_to_i64(slot->queue_bytes));
}

static void put_flops(struct nx_row *row, const struct nx_slot *slot,
		      const struct nx_matmul_flops *flops)
{
	bool is_transpose = slot->instruction_type == NX_TYPE_TRANSPOSE;

	nx_row_put_i64(row, NX_COL_Instruction_tensor_elements, nx_to_i64(slot->elements));
	nx_row_put_i64(row, NX_COL_Instruction_tensor_elements_transpose,
		       is_transpose ? nx_to_i64(slot->elements) : 0);
	nx_row_put_i64(row, NX_COL_Instruction_raw_flops, flops->raw);
	nx_row_put_i64(row, NX_COL_Instruction_flops_transpose, is_transpose ? flops->raw : 0);
	if (flops->adjusted < 0)
		return;
	nx_row_put_i64(row, NX_COL_Instruction_adjusted_flops, flops->adjusted);
	nx_row_put_i64(row, NX_COL_Instruction_adjusted_flops_transpose,
		       is_transpose ? flops->adjusted : 0);
}

static void put_slot(struct nx_row *row, const struct nx_instruction *ran,
		     const struct nx_slot *slot, const struct nx_slot_texts *texts)
{
	const char *engine = nx_engines[ran->engine].label;
	bool is_matmul = slot->flags & NX_SLOT_MATMUL;

	nx_row_put_text(row, NX_COL_Instruction_engine, engine);
	nx_row_put_text(row, NX_COL_Instruction_timeline_track,
			is_matmul ? "TensorMatrix" : engine);
	nx_row_put_i64(row, NX_COL_Instruction_pcore_idx, ran->graph);
	nx_row_put_i64(row, NX_COL_Instruction_pc, ran->slot);
	if (slot->compiler_slot != NX_NONE)
		nx_row_put_i64(row, NX_COL_Instruction_compiler_pc, slot->compiler_slot);
	put_words(row, texts);
	put_origin(row, texts);
	put_bytes(row, slot);
	if (is_matmul)
		put_flops(row, slot, &texts->flops);
	if (ran->engine == NX_ENGINE_TENSOR && slot->instruction_type)
		nx_row_put_text(row, NX_COL_Instruction_tensor_instruction_type,
				nx_instruction_type_name(slot->instruction_type));
}

static void put_trigger(struct instruction_fill *x, const struct nx_instruction *ran)
{
	uint32_t at = nx_trigger_walk_find(&x->triggers, ran);
	const struct nx_transfer *t;

	if (at == NX_NONE)
		return;
	t = &x->profile->transfers.items[at];
	nx_row_put_i64(&x->row, NX_COL_Instruction_dma_trigger_start_ts, nx_ps_to_ns(t->start_ps));
	nx_row_put_i64(&x->row, NX_COL_Instruction_dma_trigger_end_ts, nx_ps_to_ns(t->end_ps));
	nx_row_put_i64(&x->row, NX_COL_Instruction_dma_wait_time_ns,
		       nx_gap_ns(ran->end_ps, t->start_ps));
}

static void fill_row(void *context, const void *opaque)
{
	struct instruction_fill *x = context;
	const struct nx_instruction *ran = opaque;
	const struct nx_slot *slot = nx_profile_slot(x->profile, ran);
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_Instruction_id, (int64_t)++x->id);
	nx_row_put_i64(row, NX_COL_Instruction_start_ts, nx_ps_to_ns(ran->start_ps));
	nx_row_put_i64(row, NX_COL_Instruction_end_ts, nx_ps_to_ns(ran->end_ps));
	nx_row_put_i64(row, NX_COL_Instruction_duration_ns,
		       nx_ps_to_ns(ran->end_ps - ran->start_ps));
	nx_row_put_i64(row, NX_COL_Instruction_crc_in, ran->crc_in);
	nx_row_put_i64(row, NX_COL_Instruction_crc_out, ran->crc_out);
	nx_row_put_i64(row, NX_COL_Instruction_evt_wait_time_ns,
		       (int64_t)nx_wait_ns(ran->wait_cycles, x->engine_clock_ghz));
	put_slot(row, ran, slot, nx_slot_texts_of(&x->texts, ran));
	if (slot->flags & NX_SLOT_TRIGGER)
		put_trigger(x, ran);
	nx_table_sink_put(x->sink, row);
}

enum nx_status nx_fill_instructions(struct nx_device_fill *fill)
{
	struct instruction_fill *x = nx_heap_alloc(sizeof(*x));
	enum nx_status st;

	memset(x, 0, sizeof(*x));
	x->profile = fill->profile;
	x->sink = fill->sink;
	x->triggers.transfers = &fill->profile->transfers;
	x->engine_clock_ghz = fill->profile->capture.hardware->engine_clock_ghz;
	nx_slot_text_cache_init(&x->texts, fill->profile);
	nx_row_init(&x->row, NX_SCHEMA_Instruction);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_Instruction);
	st = nx_profile_scan(fill->profile, NX_TABLE_INSTRUCTION, fill_row, x, fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_Instruction);
	nx_slot_text_cache_release(&x->texts);
	nx_heap_free(x);
	return st;
}
