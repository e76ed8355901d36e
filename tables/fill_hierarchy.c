/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of executions at each level of the compiler. The four levels of instructions have the
 * same columns; modules have their own. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "analyse/hierarchy.h"
#include "base/json_writer.h"
#include "model/measure.h"
#include "tables/fillers.h"

enum text {
	TEXT_INTERVALS,
	TEXT_ELEMENTS,
	TEXT_TRANSPOSES,
	TEXT_MOVED,
	TEXT_HFU,
	TEXT_MFU,
	TEXT_MBU,
	TEXT_CHILDREN,
	TEXT_OPERATIONS,
	TEXT_COUNT,
};

struct hierarchy_rows {
	struct nx_device_fill *fill;
	struct nx_hierarchy hierarchy;
	struct nx_row rows[NX_LEVEL_COUNT];
	struct nx_bytes texts[TEXT_COUNT]; /* of the row at hand, by enum text */
	struct nx_list_i64 NX_VEC_BODY(int64_t) lists[3];
};

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
static_assert(sizeof(columns_of) / sizeof(columns_of[0]) == NX_LEVEL_MODULE,
	      "modules have their own columns");

/* --- modules: FrameworkNode, with everything below a module. Its lists are JSON texts. ---- */

/* "[[1200,1420],[1980,2200]]", in nanoseconds. */
static struct nx_slice intervals_text(struct nx_bytes *text, const struct nx_intervals *intervals)
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

static const struct nx_hierarchy_node *node_of(const struct nx_hierarchy *h, uint32_t module)
{
	return &h->nodes.items[h->modules.items[module].node];
}

static struct nx_slice text_of(const struct nx_bytes *text)
{
	return nx_slice_of(text->items, text->len);
}

static void put_children(struct hierarchy_rows *rows, struct nx_row *row, uint32_t module)
{
	const struct nx_hierarchy *h = &rows->hierarchy;
	struct nx_bytes *text = &rows->texts[TEXT_CHILDREN];
	uint32_t child = h->modules.items[module].first_child;
	struct nx_json_writer w;

	nx_vec_clear(text);
	nx_json_init_bytes(&w, text, false);
	nx_json_begin_array(&w);
	for (; child != NX_NONE; child = h->modules.items[child].next_sibling)
		nx_json_slice(&w, node_of(h, child)->name);
	nx_json_end_array(&w);
	nx_row_put_slice(row, NX_COL_FrameworkNode_children_names, text_of(text));
}

static void put_operations(struct hierarchy_rows *rows, struct nx_row *row, uint32_t module)
{
	struct nx_bytes *text = &rows->texts[TEXT_OPERATIONS];
	struct nx_json_writer w;
	struct nx_ids ids = {0};

	nx_hierarchy_operations(&rows->hierarchy, module, &ids);
	nx_vec_clear(text);
	nx_json_init_bytes(&w, text, false);
	nx_json_begin_array(&w);
	for (size_t i = 0; i < ids.len; i++)
		nx_json_u64(&w, ids.items[i]);
	nx_json_end_array(&w);
	nx_row_put_slice(row, NX_COL_FrameworkNode_children_ids, text_of(text));
	nx_vec_release(&ids);
}

static void put_tree(struct hierarchy_rows *rows, struct nx_row *row,
		     const struct nx_hierarchy_node *node)
{
	uint32_t parent = rows->hierarchy.modules.items[node->module].parent;

	nx_row_put_slice(row, NX_COL_FrameworkNode_node_name, node->name);
	nx_row_put_slice(row, NX_COL_FrameworkNode_parent_name,
			 parent == NX_NONE ? nx_slice_text("")
					   : node_of(&rows->hierarchy, parent)->name);
	put_children(rows, row, node->module);
	put_operations(rows, row, node->module);
}

/* Elements as a share of what the arrays of all cores can do in the time; 1 is the peak. */
static double utilisation(const struct nx_profile *p, uint64_t element_count, uint64_t span_ps)
{
	double peak = nx_peak_flops(p->capture.hardware) * p->capture.graph_count;

	return span_ps ? 2.0 * (double)element_count / ((double)span_ps / 1e12 * peak) : 0;
}

static double interval_value(const struct nx_profile *p, const struct nx_interval *i, unsigned text)
{
	uint64_t span_ps = i->end_ps - i->start_ps;

	if (text == TEXT_MBU)
		return span_ps ? (double)i->hbm_bytes /
					 ((double)span_ps / 1e12 *
					  (double)p->capture.hardware->hbm_bytes_per_s)
			       : 0;
	return utilisation(
		p, i->element_count - (text == TEXT_MFU ? i->transpose_element_count : 0), span_ps);
}

static void put_list(struct hierarchy_rows *rows, struct nx_row *row, unsigned column,
		     unsigned text, const struct nx_intervals *intervals)
{
	struct nx_json_writer w;

	assert(text < TEXT_COUNT);
	nx_vec_clear(&rows->texts[text]);
	nx_json_init_bytes(&w, &rows->texts[text], false);
	nx_json_begin_array(&w);
	for (size_t i = 0; i < intervals->len; i++) {
		const struct nx_interval *interval = &intervals->items[i];

		if (text >= TEXT_HFU)
			nx_json_f64(&w, interval_value(rows->fill->profile, interval, text));
		else
			nx_json_u64(&w, text == TEXT_MOVED ? interval->hbm_bytes
					: text == TEXT_ELEMENTS
						? interval->element_count
						: interval->transpose_element_count);
	}
	nx_json_end_array(&w);
	nx_row_put_slice(row, column, text_of(&rows->texts[text]));
}

static void put_tensor_work(struct hierarchy_rows *rows, struct nx_row *row,
			    const struct nx_hierarchy_node *node,
			    const struct nx_intervals *intervals)
{
	const struct nx_profile *p = rows->fill->profile;
	uint64_t span_ps = node->end_ps - node->start_ps;

	if (!node->has_matmul)
		return;
	put_list(rows, row, NX_COL_FrameworkNode_element_count_per_interval, TEXT_ELEMENTS,
		 intervals);
	put_list(rows, row, NX_COL_FrameworkNode_transpose_element_count_per_interval,
		 TEXT_TRANSPOSES, intervals);
	put_list(rows, row, NX_COL_FrameworkNode_hfu_per_interval, TEXT_HFU, intervals);
	put_list(rows, row, NX_COL_FrameworkNode_mfu_per_interval, TEXT_MFU, intervals);
	nx_row_put_f64(row, NX_COL_FrameworkNode_hfu, utilisation(p, node->element_count, span_ps));
	nx_row_put_f64(row, NX_COL_FrameworkNode_mfu,
		       utilisation(p, node->element_count - node->transpose_element_count,
				   span_ps));
}

static void put_bytes(struct hierarchy_rows *rows, struct nx_row *row,
		      const struct nx_hierarchy_node *node, const struct nx_intervals *intervals)
{
	if (node->has_dma) {
		put_list(rows, row, NX_COL_FrameworkNode_hbm_transfer_size_per_interval, TEXT_MOVED,
			 intervals);
		put_list(rows, row, NX_COL_FrameworkNode_mbu_per_interval, TEXT_MBU, intervals);
	}
	nx_row_put_i64(row, NX_COL_FrameworkNode_hbm_read_bytes, (int64_t)node->hbm_read_bytes);
	nx_row_put_i64(row, NX_COL_FrameworkNode_hbm_write_bytes, (int64_t)node->hbm_write_bytes);
	if (node->has_sbuf_read)
		nx_row_put_i64(row, NX_COL_FrameworkNode_sbuf_read_bytes,
			       (int64_t)node->sbuf_read_bytes);
	if (node->has_sbuf_write)
		nx_row_put_i64(row, NX_COL_FrameworkNode_sbuf_write_bytes,
			       (int64_t)node->sbuf_write_bytes);
	if (node->has_weights)
		nx_row_put_i64(row, NX_COL_FrameworkNode_load_weight_bytes,
			       (int64_t)node->weight_bytes);
}

/* texts holds the decimal numbers until the row is put. */
static void put_engines(struct nx_row *row, const struct nx_engine_costs *costs, char (*texts)[24])
{
	static const unsigned counts[NX_ENGINE_COUNT] = {
		[NX_ENGINE_TENSOR] = NX_COL_FrameworkNode_tensor_engine_instruction_count,
		[NX_ENGINE_SCALAR] = NX_COL_FrameworkNode_scalar_engine_instruction_count,
		[NX_ENGINE_SYNC] = NX_COL_FrameworkNode_sync_engine_instruction_count,
		[NX_ENGINE_GPSIMD] = NX_COL_FrameworkNode_gpsimd_engine_instruction_count,
		[NX_ENGINE_VECTOR] = NX_COL_FrameworkNode_vector_engine_instruction_count,
	};
	static const unsigned times[NX_ENGINE_COUNT] = {
		[NX_ENGINE_TENSOR] = NX_COL_FrameworkNode_total_time_tensor,
		[NX_ENGINE_SCALAR] = NX_COL_FrameworkNode_total_time_scalar,
		[NX_ENGINE_SYNC] = NX_COL_FrameworkNode_total_time_sync,
		[NX_ENGINE_GPSIMD] = NX_COL_FrameworkNode_total_time_gpsimd,
		[NX_ENGINE_VECTOR] = NX_COL_FrameworkNode_total_time_vector,
	};

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		uint64_t busy_ns = nx_span_union_length(&costs->busy[e]) / 1000;

		nx_row_put_i64(row, counts[e], (int64_t)costs->instruction_count[e]);
		if (!costs->instruction_count[e])
			continue;
		snprintf(texts[e], sizeof(texts[e]), "%llu", (unsigned long long)busy_ns);
		nx_row_put_text(row, times[e], texts[e]);
	}
	nx_row_put_i64(row, NX_COL_FrameworkNode_total_channels_scalar,
		       (int64_t)costs->channel_count[NX_ENGINE_SCALAR]);
	nx_row_put_i64(row, NX_COL_FrameworkNode_total_channels_vector,
		       (int64_t)costs->channel_count[NX_ENGINE_VECTOR]);
}

static void put_module(struct hierarchy_rows *rows, const struct nx_hierarchy_node *node,
		       const struct nx_intervals *intervals)
{
	struct nx_row *row = &rows->rows[NX_LEVEL_MODULE];
	char texts[NX_ENGINE_COUNT][24];

	assert(node->level == NX_LEVEL_MODULE && node->engines);
	put_tree(rows, row, node);
	nx_row_put_i64(row, NX_COL_FrameworkNode_start_ts, (int64_t)(node->start_ps / 1000));
	nx_row_put_i64(row, NX_COL_FrameworkNode_end_ts, (int64_t)(node->end_ps / 1000));
	nx_row_put_slice(row, NX_COL_FrameworkNode_time_intervals,
			 intervals_text(&rows->texts[TEXT_INTERVALS], intervals));
	put_tensor_work(rows, row, node, intervals);
	put_bytes(rows, row, node, intervals);
	put_engines(row, node->engines, texts);
	nx_table_sink_put(rows->fill->sink, row);
}

/* --- instructions ------------------------------------------------------------------------- */

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

static void put_intervals(struct hierarchy_rows *rows, struct nx_row *row,
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
			 intervals_text(&rows->texts[TEXT_INTERVALS], intervals));
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
	struct hierarchy_rows *rows = context;
	const struct level_columns *c = &columns_of[node->level];
	struct nx_row *row = &rows->rows[node->level];

	if (node->level == NX_LEVEL_MODULE) {
		put_module(rows, node, intervals);
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

static enum nx_status put_all(struct hierarchy_rows *rows)
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
	struct hierarchy_rows *rows = nx_heap_alloc(sizeof(*rows));
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
