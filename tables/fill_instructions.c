/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions. Fields of a slot are read once; a row adds its times. */
#include <assert.h>
#include <string.h>

#include "model/measure.h"
#include "model/transfer.h"
#include "tables/fillers.h"
#include "tables/instruction_fields.h"
#include "tables/row_numbers.h"

struct slot_fields {
	struct nx_field *items; /* NULL: not read yet */
	size_t count;
};

struct instruction_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	struct nx_instruction_fields fields;
	struct slot_fields *slots[NX_MAX_GRAPHS][NX_ENGINE_COUNT];
	struct nx_trigger_walk triggers;
	double engine_clock_ghz;
	uint64_t id; /* the place in the table, counted from one, as in the JSON export */
	struct nx_row row;
};

/* The fields of a slot, read when it runs for the first time. */
static const struct slot_fields *fields_of(struct instruction_fill *x,
					   const struct nx_instruction *ran)
{
	struct slot_fields **slots = &x->slots[ran->graph][ran->engine];
	const struct nx_field_list *list = &x->fields.list;
	struct slot_fields *slot;

	if (!*slots)
		*slots = NX_NEW_ARRAY(&x->fields.arena, struct slot_fields,
				      (size_t)x->profile->capture.graphs[ran->graph]
						      .engines[ran->engine]
						      .slot_count +
					      1);
	slot = &(*slots)[ran->slot];
	assert(ran->slot <= x->profile->capture.graphs[ran->graph].engines[ran->engine].slot_count);
	if (slot->items)
		return slot;
	nx_instruction_fields_read(&x->fields, ran);
	slot->count = list->len;
	slot->items = NX_NEW_ARRAY(&x->fields.arena, struct nx_field, list->len);
	memcpy(slot->items, list->items, list->len * sizeof(*list->items));
	return slot;
}

static void put_fields(struct nx_row *row, const struct slot_fields *slot)
{
	for (size_t i = 0; i < slot->count; i++) {
		const struct nx_field *field = &slot->items[i];

		if (field->kind == NX_FIELD_TEXT)
			nx_row_put_slice(row, field->column, field->text);
		else
			nx_row_put_u64(row, field->column,
				       field->kind == NX_FIELD_IDS ? field->ids[0] : field->number);
	}
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
	put_fields(row, fields_of(x, ran));
	if (slot->flags & NX_SLOT_STARTS_DMA)
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
	nx_instruction_fields_init(&x->fields, fill->profile, NX_FOR_TABLE);
	nx_begin_table(fill->sink, &x->row, NX_SCHEMA_Instruction);
	st = nx_profile_scan(fill->profile, NX_TABLE_INSTRUCTION, fill_row, x, fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_Instruction);
	nx_instruction_fields_release(&x->fields);
	nx_heap_free(x);
	return st;
}
