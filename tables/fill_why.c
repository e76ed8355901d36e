/* SPDX-License-Identifier: Apache-2.0 */
/* What let each piece of work begin, and where the time went. */
#include <stdio.h>

#include "analyse/why/why.h"
#include "format/collective.h"
#include "format/instruction.h"
#include "model/transfer.h"
#include "tables/fillers.h"
#include "tables/row_numbers.h"

/* Larger captures are explained on request: the graph would need more memory than the rest. */
#define STORED_MAX UINT64_C(1000000)

struct why_fill {
	const struct nx_profile *profile;
	struct nx_table_sink *sink;
	const struct nx_release_graph *graph;
	struct nx_row row;
	char text[512];
};

/* --- texts ----------------------------------------------------------------- */

/* The instruction that a node is, or that triggered it; NULL: not known. */
static const struct nx_release_node *instruction_of(const struct why_fill *x,
						    const struct nx_release_node *n)
{
	uint32_t trigger;

	if (n->kind == NX_NODE_INSTRUCTION)
		return n;
	if (n->kind == NX_NODE_BLOCK) {
		trigger = x->graph->blocks.items[n->place].trigger;
		return trigger == NX_NONE ? NULL : &x->graph->nodes.items[trigger];
	}
	return n->cause == NX_NONE ? NULL : &x->graph->nodes.items[n->cause];
}

static const struct nx_slot *slot_of(const struct why_fill *x, const struct nx_release_node *n)
{
	return &x->profile->program.slots[n->graph][n->engine][n->place];
}

static const struct nx_queue *queue_of(const struct why_fill *x, const struct nx_release_node *n)
{
	return &x->profile->capture.graphs[n->graph].queues[x->graph->blocks.items[n->place].queue];
}

/* label holds a name that has no text of its own */
static const char *opcode_of(const struct why_fill *x, const struct nx_release_node *n,
			     char label[16])
{
	const struct nx_graph *graph = &x->profile->capture.graphs[n->graph];
	const char *name = NULL;

	if (n->kind == NX_NODE_INSTRUCTION)
		return nx_opcode_label(slot_of(x, n)->opcode, label);
	if (n->kind == NX_NODE_COLLECTIVE && n->place < graph->collective_op_count)
		name = nx_collective_kind_name(graph->collective_ops[n->place].type);
	return name;
}

static const char *variable_of(const struct why_fill *x, const struct nx_release_node *n)
{
	const struct nx_release_node *by = instruction_of(x, n);
	const struct nx_binary_graph *graph;
	const struct nx_dma_block *block;
	const struct nx_slot *slot;
	struct nx_transfer transfer;

	if (n->kind != NX_NODE_BLOCK || !by)
		return NULL;
	slot = slot_of(x, by);
	transfer = (struct nx_transfer){.block = slot->trigger_block_index,
					.graph = by->graph,
					.engine = by->engine,
					.is_dynamic = slot->flags & NX_SLOT_DYNAMIC_DMA};
	block = nx_transfer_block(x->profile, &transfer);
	graph = x->profile->program.binary_graphs[by->graph];
	return block && block->descriptor_count && graph
		       ? nx_descriptor_variable(graph, &block->descriptors[0])
		       : NULL;
}

/* "kernel.py:139": where the kernel or, without one, the framework's program has it. */
static const char *source_of(struct why_fill *x, const struct nx_slot *slot, unsigned graph_idx)
{
	const struct nx_binary_graph *graph = x->profile->program.binary_graphs[graph_idx];
	const struct nx_binary *binary = &x->profile->binary;
	const struct nx_bir *bir;

	if (!graph || slot->bir >= graph->bir_count)
		return NULL;
	bir = &graph->birs[slot->bir];
	if (bir->kernel_file && *bir->kernel_file) {
		snprintf(x->text, sizeof(x->text), "%s:%u", bir->kernel_file, bir->kernel_line);
		return x->text;
	}
	if (bir->origin >= binary->origin_count || !*binary->origins[bir->origin].source_file)
		return NULL;
	snprintf(x->text, sizeof(x->text), "%s:%u", binary->origins[bir->origin].source_file,
		 binary->origins[bir->origin].source_line);
	return x->text;
}

static const char *engine_name(unsigned engine)
{
	return engine < NX_ENGINE_COUNT ? nx_engines[engine].label : NULL;
}

/* --- Release --------------------------------------------------------------- */

static void put_release(struct why_fill *x, const struct nx_release_node *n)
{
	struct nx_row *row = &x->row;

	if (!n->release)
		return;
	nx_row_put_text(row, NX_COL_Release_kind, nx_release_kind_name(n->release));
	nx_row_put_i64(row, NX_COL_Release_event_ps, n->event_ps);
	nx_row_put_i64(row, NX_COL_Release_ready_ps, n->ready_ps);
	if (n->cause != NX_NONE)
		nx_row_put_i64(row, NX_COL_Release_cause, (int64_t)n->cause + 1);
	if (n->slack_ps != NX_NO_SLACK)
		nx_row_put_u64(row, NX_COL_Release_slack_ps, n->slack_ps);
	if (!n->how)
		return;
	nx_row_put_text(row, NX_COL_Release_how, nx_release_how_name(n->how));
	nx_row_put_i64(row, NX_COL_Release_semaphore, n->semaphore);
	if (n->kind == NX_NODE_INSTRUCTION) {
		const struct nx_slot_signals *s =
			nx_program_signals(&x->profile->program, slot_of(x, n));

		if (s->inside.what && s->inside.semaphore == n->semaphore)
			nx_row_put_i64(row, NX_COL_Release_value, s->inside.value);
		else if (s->before.what && s->before.semaphore == n->semaphore)
			nx_row_put_i64(row, NX_COL_Release_value, s->before.value);
	}
}

static void put_node(struct why_fill *x, uint32_t node)
{
	static const char *const kinds[] = {"instruction", "block", "collective"};
	const struct nx_release_node *n = &x->graph->nodes.items[node];
	struct nx_row *row = &x->row;
	char label[16];

	nx_row_put_i64(row, NX_COL_Release_id, (int64_t)node + 1);
	nx_row_put_text(row, NX_COL_Release_node, kinds[n->kind]);
	nx_row_put_i64(row, NX_COL_Release_pcore_idx, n->graph);
	nx_row_put_text(row, NX_COL_Release_engine, engine_name(n->engine));
	nx_row_put_text(row, NX_COL_Release_opcode, opcode_of(x, n, label));
	if (n->kind == NX_NODE_BLOCK) {
		const struct nx_ring_block *block = &x->graph->blocks.items[n->place];

		nx_row_put_text(row, NX_COL_Release_queue_name, queue_of(x, n)->display_name);
		nx_row_put_i64(row, NX_COL_Release_dma_engine_idx, block->dma_engine);
		nx_row_put_i64(row, NX_COL_Release_block_id, block->block_id);
	}
	nx_row_put_i64(row, NX_COL_Release_start_ps, n->start_ps);
	nx_row_put_i64(row, NX_COL_Release_work_ps, n->work_ps);
	nx_row_put_i64(row, NX_COL_Release_end_ps, n->end_ps);
	nx_row_put_i64(row, NX_COL_Release_flags, n->flags);
	put_release(x, n);
	nx_table_sink_put(x->sink, row);
}

/* --- the partitions -------------------------------------------------------- */

static void put_engine_time(void *context, const struct nx_engine_time *time)
{
	struct why_fill *x = context;
	struct nx_row *row = &x->row;

	nx_row_put_i64(row, NX_COL_EngineTime_pcore_idx, time->graph);
	nx_row_put_text(row, NX_COL_EngineTime_engine, engine_name(time->engine));
	nx_row_put_text(row, NX_COL_EngineTime_cause, nx_cause_name(time->cause));
	if (time->queue != NX_NONE)
		nx_row_put_text(
			row, NX_COL_EngineTime_blocker,
			x->profile->capture.graphs[time->graph].queues[time->queue].display_name);
	else
		nx_row_put_text(row, NX_COL_EngineTime_blocker, engine_name(time->blocker));
	nx_row_put_i64(row, NX_COL_EngineTime_time_ps, time->time_ps);
	nx_table_sink_put(x->sink, row);
}

static void put_piece(void *context, const struct nx_why_piece *piece)
{
	struct why_fill *x = context;
	const struct nx_release_node *n = &x->graph->nodes.items[piece->node];
	const struct nx_release_node *by = instruction_of(x, n);
	struct nx_row *row = &x->row;
	char label[16];

	nx_row_put_i64(row, NX_COL_CriticalPath_start_ts, nx_ps_to_ns((uint64_t)piece->start_ps));
	nx_row_put_i64(row, NX_COL_CriticalPath_end_ts, nx_ps_to_ns((uint64_t)piece->end_ps));
	nx_row_put_i64(row, NX_COL_CriticalPath_start_ps, piece->start_ps);
	nx_row_put_i64(row, NX_COL_CriticalPath_duration_ps, piece->end_ps - piece->start_ps);
	nx_row_put_text(row, NX_COL_CriticalPath_cause, nx_cause_name(piece->cause));
	nx_row_put_i64(row, NX_COL_CriticalPath_release, (int64_t)piece->node + 1);
	nx_row_put_i64(row, NX_COL_CriticalPath_hops, piece->hops);
	nx_row_put_i64(row, NX_COL_CriticalPath_pcore_idx, n->graph);
	nx_row_put_text(row, NX_COL_CriticalPath_opcode, opcode_of(x, n, label));
	if (n->kind == NX_NODE_BLOCK) {
		nx_row_put_text(row, NX_COL_CriticalPath_queue_name, queue_of(x, n)->display_name);
		nx_row_put_known(row, NX_COL_CriticalPath_variable, variable_of(x, n));
	} else {
		nx_row_put_text(row, NX_COL_CriticalPath_engine, engine_name(n->engine));
	}
	if (by) {
		const struct nx_slot *slot = slot_of(x, by);

		if (slot->flags & NX_SLOT_HAS_LAYER)
			nx_row_put_known(row, NX_COL_CriticalPath_layer,
					 x->profile->program.layers[slot->layer]);
		nx_row_put_known(row, NX_COL_CriticalPath_source_location,
				 source_of(x, slot, by->graph));
	}
	nx_table_sink_put(x->sink, row);
}

/* --- the whole ------------------------------------------------------------- */

static void put_scenarios(struct why_fill *x, const struct nx_why_prediction *prediction)
{
	struct nx_row *row = &x->row;

	nx_begin_table(x->sink, row, NX_SCHEMA_WhatIf);
	for (size_t i = 0; i < prediction->scenario_count; i++) {
		const struct nx_why_scenario *s = &prediction->scenarios[i];

		nx_row_put_text(row, NX_COL_WhatIf_scenario, s->name);
		nx_row_put_i64(row, NX_COL_WhatIf_total_ps, s->total_ps);
		nx_row_put_i64(row, NX_COL_WhatIf_gain_ps, x->graph->end_ps - s->total_ps);
		if (s->path_ps >= 0)
			nx_row_put_i64(row, NX_COL_WhatIf_path_ps, s->path_ps);
		nx_table_sink_put(x->sink, row);
	}
	nx_table_sink_end(x->sink, NX_SCHEMA_WhatIf);
}

static void put_summary(struct why_fill *x, const struct nx_why_counts *counts,
			const struct nx_why_prediction *prediction)
{
	struct nx_row *row = &x->row;

	nx_row_init(row, NX_SCHEMA_WhySummary);
	nx_row_put_i64(row, NX_COL_WhySummary_span_ps, counts->span_ps);
	nx_row_put_i64(row, NX_COL_WhySummary_program_ps, counts->program_ps);
	nx_row_put_u64(row, NX_COL_WhySummary_waits, counts->wait_count);
	nx_row_put_u64(row, NX_COL_WhySummary_waits_matched, counts->matched_count);
	nx_row_put_u64(row, NX_COL_WhySummary_waits_filled, counts->how_count[NX_HOW_FILLED]);
	nx_row_put_u64(row, NX_COL_WhySummary_waits_assumed, counts->how_count[NX_HOW_ASSUMED]);
	nx_row_put_i64(row, NX_COL_WhySummary_gap_ps, counts->gap_ps);
	nx_row_put_i64(row, NX_COL_WhySummary_gap_unexplained_ps, counts->gap_unexplained_ps);
	nx_row_put_i64(row, NX_COL_WhySummary_path_unexplained_ps, counts->path_unexplained_ps);
	if (prediction) {
		nx_row_put_i64(row, NX_COL_WhySummary_replay_error_ps, prediction->replay_error_ps);
		nx_row_put_u64(row, NX_COL_WhySummary_pinned, prediction->pinned_count);
		nx_row_put_i64(row, NX_COL_WhySummary_nominal_ps, prediction->nominal_ps);
	}
	nx_put_only_row(x->sink, row);
}

static void put_tables(struct why_fill *x, struct nx_why *why, bool predicts)
{
	struct nx_why_prediction prediction = {0};
	struct nx_why_counts counts;

	x->graph = nx_why_graph(why);
	nx_begin_table(x->sink, &x->row, NX_SCHEMA_Release);
	for (size_t i = 0; i < x->graph->nodes.len; i++)
		put_node(x, (uint32_t)i);
	nx_table_sink_end(x->sink, NX_SCHEMA_Release);
	nx_begin_table(x->sink, &x->row, NX_SCHEMA_EngineTime);
	nx_why_engine_times(why, put_engine_time, x);
	nx_table_sink_end(x->sink, NX_SCHEMA_EngineTime);
	nx_begin_table(x->sink, &x->row, NX_SCHEMA_CriticalPath);
	nx_why_path(why, put_piece, x);
	nx_table_sink_end(x->sink, NX_SCHEMA_CriticalPath);
	counts = nx_why_counts(why);
	if (predicts)
		nx_why_predict(why, &prediction);
	put_scenarios(x, &prediction);
	put_summary(x, &counts, predicts ? &prediction : NULL);
}

enum nx_status nx_fill_why(struct nx_device_fill *fill)
{
	struct why_fill x = {.profile = fill->profile, .sink = fill->sink};
	const struct nx_profile *p = fill->profile;
	uint64_t count = 0;
	struct nx_why *why;
	enum nx_status st;

	for (uint32_t g = 0; g < p->capture.graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			count += p->graphs[g].instruction_count[e];
	if (!count || (count > STORED_MAX && !fill->options->only_why))
		return NX_OK;
	st = nx_why_build(&why, p, count <= STORED_MAX, fill->err);
	if (st)
		return st;
	put_tables(&x, why, count <= STORED_MAX);
	nx_why_free(why);
	return NX_OK;
}
