/* SPDX-License-Identifier: Apache-2.0 */
/* Usage and contents of the on-chip memories. */
#include <assert.h>
#include <string.h>

#include "format/instruction.h"
#include "model/measure.h"
#include "model/transfer.h"
#include "tables/ahead_rows.h"
#include "tables/fillers.h"
#include "tables/instruction_fields.h"

/* --- how full --------------------------------------------------------------- */

struct usage_fill {
	struct nx_device_fill *fill;
	struct nx_row sbuf, psum;
};

static void put_sbuf(struct usage_fill *u, const struct nx_buffer_usage *usage)
{
	static const unsigned columns[] = {NX_COL_SbufUsage_avg_util_percent,
					   NX_COL_SbufUsage_partition_0_util_percent,
					   NX_COL_SbufUsage_partition_32_util_percent,
					   NX_COL_SbufUsage_partition_64_util_percent,
					   NX_COL_SbufUsage_partition_96_util_percent};
	const struct nx_hardware *hardware = u->fill->profile->capture.hardware;
	float share = nx_sbuf_usage(hardware, usage->live_bytes);

	nx_row_put_i64(&u->sbuf, NX_COL_SbufUsage_timestamp, (int64_t)(usage->time_ps / 1000));
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		nx_row_put_f64(&u->sbuf, columns[i], share < 1 ? (double)share : 1);
	nx_row_put_i64(&u->sbuf, NX_COL_SbufUsage_pcore_idx, usage->graph);
	nx_table_sink_put(u->fill->sink, &u->sbuf);
}

static void put_psum(struct usage_fill *u, const struct nx_buffer_usage *usage)
{
	static const unsigned columns[NX_PSUM_BANKS] = {
		NX_COL_PsumUsage_bank_0_util_percent, NX_COL_PsumUsage_bank_1_util_percent,
		NX_COL_PsumUsage_bank_2_util_percent, NX_COL_PsumUsage_bank_3_util_percent,
		NX_COL_PsumUsage_bank_4_util_percent, NX_COL_PsumUsage_bank_5_util_percent,
		NX_COL_PsumUsage_bank_6_util_percent, NX_COL_PsumUsage_bank_7_util_percent};

	nx_row_put_i64(&u->psum, NX_COL_PsumUsage_timestamp, (int64_t)(usage->time_ps / 1000));
	nx_row_put_f64(&u->psum, NX_COL_PsumUsage_avg_util_percent, nx_psum_usage(usage->banks));
	for (unsigned bank = 0; bank < NX_PSUM_BANKS; bank++)
		if (usage->banks_ever >> bank & 1)
			nx_row_put_f64(&u->psum, columns[bank], usage->banks >> bank & 1);
	nx_row_put_i64(&u->psum, NX_COL_PsumUsage_pcore_idx, usage->graph);
	nx_table_sink_put(u->fill->sink, &u->psum);
}

static void put_usage(void *context, const void *opaque)
{
	const struct nx_buffer_usage *usage = opaque;

	if (usage->buffer == NX_BUFFER_PSUM)
		put_psum(context, usage);
	else
		put_sbuf(context, usage);
}

enum nx_status nx_fill_buffer_usage(struct nx_device_fill *fill)
{
	struct usage_fill u = {.fill = fill};
	enum nx_status st;

	nx_row_init(&u.sbuf, NX_SCHEMA_SbufUsage);
	nx_row_init(&u.psum, NX_SCHEMA_PsumUsage);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_SbufUsage);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_PsumUsage);
	st = nx_ahead_rows_finish(fill, NX_ANALYSIS_BUFFER_USAGE, put_usage, &u);
	nx_table_sink_end(fill->sink, NX_SCHEMA_SbufUsage);
	nx_table_sink_end(fill->sink, NX_SCHEMA_PsumUsage);
	return st;
}

/* --- with what -------------------------------------------------------------- */

struct allocation_fill {
	struct nx_device_fill *fill;
	struct nx_row row;
	struct nx_arena arena;
	struct nx_instruction_words *words[NX_MAX_GRAPHS][NX_ENGINE_COUNT]; /* by slot */
};

static void put_writer(struct allocation_fill *a, const struct nx_sbuf_allocation *allocation)
{
	const struct nx_profile *p = a->fill->profile;
	const struct nx_engine_image *image =
		&p->capture.graphs[allocation->graph].engines[allocation->engine];
	struct nx_instruction_words **all = &a->words[allocation->graph][allocation->engine];
	struct nx_instruction_words *words;

	if (!*all)
		*all = NX_NEW_ARRAY(&a->arena, struct nx_instruction_words,
				    (size_t)image->slot_count + 1);
	words = &(*all)[allocation->source];
	if (!words->opcode.data)
		*words = nx_instruction_words(p, allocation->graph,
					      nx_instruction_word(image->code, allocation->source),
					      &a->arena);
	nx_row_put_text(&a->row, NX_COL_SbufAllocation_op_source_type, "instruction");
	nx_row_put_slice(&a->row, NX_COL_SbufAllocation_opcode, words->opcode);
	nx_row_put_slice(&a->row, NX_COL_SbufAllocation_operands, words->operands);
}

static const char *loaded_name(const struct nx_profile *p, const struct nx_transfer *t)
{
	const struct nx_binary_graph *graph = p->program.binary_graphs[t->graph];
	const struct nx_dma_block *block = nx_transfer_block(p, t);

	for (size_t i = 0; block && i < block->descriptor_count; i++) {
		const struct nx_dma_descriptor *d = &block->descriptors[i];

		if (d->from_count && d->from[0] < graph->variable_count &&
		    strcmp(graph->variables[d->from[0]].type, "state-buffer") != 0)
			return graph->variables[d->from[0]].name;
	}
	return NULL;
}

static void put_transfer(struct nx_row *row, const struct nx_profile *p,
			 const struct nx_transfer *t)
{
	const struct nx_graph *graph = &p->capture.graphs[t->graph];

	nx_row_put_text(row, NX_COL_SbufAllocation_op_source_type, "dma");
	nx_row_put_text(row, NX_COL_SbufAllocation_queue_name,
			graph->queues[t->queue].display_name);
	nx_row_put_i64(row, NX_COL_SbufAllocation_block_id, t->block_id);
	nx_row_put_text(row, NX_COL_SbufAllocation_tensor_name, loaded_name(p, t));
}

static void put_hlo(struct nx_row *row, const struct nx_profile *p, const struct nx_slot *slot,
		    uint32_t graph)
{
	const struct nx_bir *bir;

	if (slot->bir == NX_NONE)
		return;
	bir = &p->program.binary_graphs[graph]->birs[slot->bir];
	if (bir->origin < p->binary.origin_count && p->binary.origins[bir->origin].has_hlo)
		nx_row_put_text(row, NX_COL_SbufAllocation_hlo_name,
				p->binary.origins[bir->origin].hlo_name);
}

static void put_allocation(void *context, const void *opaque)
{
	struct allocation_fill *a = context;
	const struct nx_sbuf_allocation *allocation = opaque;
	const struct nx_profile *p = a->fill->profile;
	uint32_t slot = allocation->source;

	assert(allocation->graph < p->capture.graph_count && allocation->engine < NX_ENGINE_COUNT);
	if (allocation->is_dma) {
		const struct nx_transfer *t = &p->transfers.items[allocation->source];

		put_transfer(&a->row, p, t);
		slot = t->slot;
	} else {
		put_writer(a, allocation);
	}
	put_hlo(&a->row, p, &p->program.slots[allocation->graph][allocation->engine][slot],
		allocation->graph);
	nx_row_put_i64(&a->row, NX_COL_SbufAllocation_start_ts,
		       (int64_t)(allocation->start_ps / 1000));
	nx_row_put_i64(&a->row, NX_COL_SbufAllocation_end_ts, (int64_t)(allocation->end_ps / 1000));
	nx_row_put_i64(&a->row, NX_COL_SbufAllocation_start_address, allocation->first_byte);
	nx_row_put_i64(&a->row, NX_COL_SbufAllocation_end_address, allocation->end_byte);
	nx_row_put_i64(&a->row, NX_COL_SbufAllocation_partition, allocation->partition);
	nx_row_put_i64(&a->row, NX_COL_SbufAllocation_pcore_idx, allocation->graph);
	nx_table_sink_put(a->fill->sink, &a->row);
}

enum nx_status nx_fill_sbuf_allocations(struct nx_device_fill *fill)
{
	struct allocation_fill a = {.fill = fill};
	enum nx_status st;

	nx_begin_table(fill->sink, &a.row, NX_SCHEMA_SbufAllocation);
	st = nx_ahead_rows_finish(fill, NX_ANALYSIS_SBUF_ALLOCATION, put_allocation, &a);
	nx_table_sink_end(fill->sink, NX_SCHEMA_SbufAllocation);
	nx_arena_release(&a.arena);
	return st;
}
