/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What executions cost at each level a program passed on its way to the device. The four levels
 * of instructions have the same columns under their own numbers; modules are in
 * framework_node_row.c.
 */
#include <string.h>

#include "base/json_writer.h"
#include "tables/fillers.h"
#include "tables/hierarchy_rows.h"

struct level_columns {
	enum nx_schema_table_id table;
	unsigned id, bir_id, penguin_id, hlo_id, framework_id, name, call;
	unsigned start, end, intervals, elements, transposes, moved;
	unsigned hbm_read, hbm_write, sbuf_read, sbuf_write, weights;
};

#define COLUMNS(table, name_column)                                                                \
	{                                                                                          \
		NX_SCHEMA_##table, NX_COL_##table##_id, NX_COL_##table##_raw_bir_id,               \
			NX_COL_##table##_raw_penguin_id, NX_COL_##table##_raw_hlo_id,              \
			NX_COL_##table##_raw_framework_id, NX_COL_##table##_##name_column,         \
			NX_COL_##table##_modular_flow_invocation_idx, NX_COL_##table##_start_ts,   \
			NX_COL_##table##_end_ts, NX_COL_##table##_time_intervals,                  \
			NX_COL_##table##_element_count_per_interval,                               \
			NX_COL_##table##_transpose_element_count_per_interval,                     \
			NX_COL_##table##_hbm_transfer_size_per_interval,                           \
			NX_COL_##table##_hbm_read_bytes, NX_COL_##table##_hbm_write_bytes,         \
			NX_COL_##table##_sbuf_read_bytes, NX_COL_##table##_sbuf_write_bytes,       \
			NX_COL_##table##_load_weight_bytes                                         \
	}

static const struct level_columns columns_of[] = {
	[NX_LEVEL_BIR] = COLUMNS(BirInstruction, bir_name),
	[NX_LEVEL_PENGUIN] = COLUMNS(PenguinInstruction, penguin_name),
	[NX_LEVEL_HLO] = COLUMNS(HloInstruction, hlo_name),
	[NX_LEVEL_FRAMEWORK] = COLUMNS(FrameworkInstruction, framework_name),
};

struct nx_slice nx_hierarchy_intervals_text(struct nx_bytes *text,
					    const struct nx_intervals *intervals)
{
	struct nx_json_writer w;

	nx_vec_clear(text);
	nx_json_init_bytes(&w, text, false);
	nx_json_begin_array(&w);
	for (size_t i = 0; i < intervals->len; i++) {
		nx_json_begin_array(&w);
		nx_json_u64(&w, intervals->items[i].start_ps / 1000);
		nx_json_u64(&w, intervals->items[i].end_ps / 1000);
		nx_json_end_array(&w);
	}
	nx_json_end_array(&w);
	return nx_slice_of(text->items, text->len);
}

static void put_ids(struct nx_row *row, const struct level_columns *c,
		    const struct nx_hierarchy_node *node)
{
	nx_row_put_i64(row, c->id, node->id);
	nx_row_put_i64(row, c->bir_id, (int64_t)node->bir_id);
	nx_row_put_i64(row, c->penguin_id, (int64_t)node->penguin_id);
	nx_row_put_i64(row, c->hlo_id, (int64_t)node->hlo_id);
	nx_row_put_i64(row, c->framework_id, (int64_t)node->framework_id);
	nx_row_put_i64(row, c->call, 0);
	if (node->name.len || node->level != NX_LEVEL_FRAMEWORK)
		nx_row_put_slice(row, c->name, node->name);
}

static void put_intervals(struct nx_hierarchy_rows *rows, struct nx_row *row,
			  const struct level_columns *c, const struct nx_intervals *intervals)
{
	struct nx_list_i64 *lists = rows->lists;

	for (unsigned i = 0; i < 3; i++)
		nx_vec_clear(&lists[i]);
	for (size_t i = 0; i < intervals->len; i++) {
		const struct nx_interval *interval = &intervals->items[i];

		nx_vec_push(&lists[0], (int64_t)interval->element_count);
		nx_vec_push(&lists[1], (int64_t)interval->transpose_element_count);
		nx_vec_push(&lists[2], (int64_t)interval->hbm_bytes);
	}
	nx_row_put_slice(row, c->intervals,
			 nx_hierarchy_intervals_text(&rows->texts[NX_TEXT_INTERVALS], intervals));
	nx_row_put_list_i64(row, c->elements, lists[0].items, lists[0].len);
	nx_row_put_list_i64(row, c->transposes, lists[1].items, lists[1].len);
	nx_row_put_list_i64(row, c->moved, lists[2].items, lists[2].len);
}

static void put_costs(struct nx_row *row, const struct level_columns *c,
		      const struct nx_hierarchy_node *node)
{
	nx_row_put_i64(row, c->start, (int64_t)(node->start_ps / 1000));
	nx_row_put_i64(row, c->end, (int64_t)(node->end_ps / 1000));
	nx_row_put_i64(row, c->hbm_read, (int64_t)node->hbm_read_bytes);
	nx_row_put_i64(row, c->hbm_write, (int64_t)node->hbm_write_bytes);
	if (node->has_sbuf_read)
		nx_row_put_i64(row, c->sbuf_read, (int64_t)node->sbuf_read_bytes);
	if (node->has_sbuf_write)
		nx_row_put_i64(row, c->sbuf_write, (int64_t)node->sbuf_write_bytes);
	if (node->has_weights)
		nx_row_put_i64(row, c->weights, (int64_t)node->weight_bytes);
}

static void put_counts(struct nx_row *row, const struct nx_hierarchy_node *node)
{
	static const unsigned columns[NX_ENGINE_COUNT] = {
		[NX_ENGINE_TENSOR] = NX_COL_FrameworkInstruction_tensor_engine_instruction_count,
		[NX_ENGINE_SCALAR] = NX_COL_FrameworkInstruction_scalar_engine_instruction_count,
		[NX_ENGINE_SYNC] = NX_COL_FrameworkInstruction_sync_engine_instruction_count,
		[NX_ENGINE_GPSIMD] = NX_COL_FrameworkInstruction_gpsimd_engine_instruction_count,
		[NX_ENGINE_VECTOR] = NX_COL_FrameworkInstruction_vector_engine_instruction_count,
	};

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		nx_row_put_i64(row, columns[e], (int64_t)node->engines->instruction_count[e]);
}

static void put_node(void *context, const struct nx_hierarchy_node *node,
		     const struct nx_intervals *intervals)
{
	struct nx_hierarchy_rows *rows = context;
	const struct level_columns *c = &columns_of[node->level];
	struct nx_row *row = &rows->rows[node->level];

	if (node->level == NX_LEVEL_MODULE) {
		nx_framework_node_put(rows, node, intervals);
		return;
	}
	put_ids(row, c, node);
	put_costs(row, c, node);
	put_intervals(rows, row, c, intervals);
	if (node->level == NX_LEVEL_BIR)
		nx_row_put_i64(row, NX_COL_BirInstruction_pcore_idx, node->graph);
	if (node->level == NX_LEVEL_FRAMEWORK)
		put_counts(row, node);
	nx_table_sink_put(rows->fill->sink, row);
}

static void add_instruction(void *context, const void *row)
{
	nx_hierarchy_add(context, row);
}

static enum nx_status put_all(struct nx_hierarchy_rows *rows)
{
	const struct nx_profile *profile = rows->fill->profile;
	struct nx_error *err = rows->fill->err;
	enum nx_status st;

	nx_hierarchy_init(&rows->hierarchy, profile);
	st = nx_profile_scan(profile, NX_TABLE_INSTRUCTION, add_instruction, &rows->hierarchy, err);
	if (!st)
		st = nx_hierarchy_finish(&rows->hierarchy, put_node, rows, err);
	nx_hierarchy_release(&rows->hierarchy);
	return st;
}

enum nx_status nx_fill_hierarchy(struct nx_device_fill *fill)
{
	static const enum nx_schema_table_id tables[NX_LEVEL_COUNT] = {
		NX_SCHEMA_BirInstruction, NX_SCHEMA_PenguinInstruction, NX_SCHEMA_HloInstruction,
		NX_SCHEMA_FrameworkInstruction, NX_SCHEMA_FrameworkNode};
	struct nx_hierarchy_rows *rows = nx_heap_alloc(sizeof(*rows));
	enum nx_status st = NX_OK;

	memset(rows, 0, sizeof(*rows));
	rows->fill = fill;
	for (unsigned i = 0; i < NX_LEVEL_COUNT; i++) {
		nx_row_init(&rows->rows[i], tables[i]);
		nx_table_sink_begin(fill->sink, tables[i]);
	}
	if (fill->profile->has_binary)
		st = put_all(rows);
	for (unsigned i = 0; i < NX_LEVEL_COUNT; i++)
		nx_table_sink_end(fill->sink, tables[i]);
	for (size_t i = 0; i < sizeof(rows->texts) / sizeof(rows->texts[0]); i++)
		nx_vec_release(&rows->texts[i]);
	for (size_t i = 0; i < sizeof(rows->lists) / sizeof(rows->lists[0]); i++)
		nx_vec_release(&rows->lists[i]);
	nx_heap_free(rows);
	return st;
}
