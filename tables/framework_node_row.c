/* SPDX-License-Identifier: Apache-2.0 */
/* FrameworkNode: a module, with everything below it added up. Its lists are JSON texts. */
#include <stdio.h>

#include "base/json_writer.h"
#include "model/measure.h"
#include "tables/hierarchy_rows.h"

static const struct nx_hierarchy_node *node_of(const struct nx_hierarchy *h, uint32_t module)
{
	return &h->nodes.items[h->modules.items[module].node];
}

static struct nx_slice text_of(const struct nx_bytes *text)
{
	return nx_slice_of(text->items, text->len);
}

static void put_children(struct nx_hierarchy_rows *rows, struct nx_row *row, uint32_t module)
{
	const struct nx_hierarchy *h = &rows->hierarchy;
	struct nx_bytes *text = &rows->texts[NX_TEXT_CHILDREN];
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

static void put_operations(struct nx_hierarchy_rows *rows, struct nx_row *row, uint32_t module)
{
	struct nx_bytes *text = &rows->texts[NX_TEXT_OPERATIONS];
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

static void put_tree(struct nx_hierarchy_rows *rows, struct nx_row *row,
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

/* Elements over what the arrays of all cores could do in a time; 1 is the peak. */
static double utilisation(const struct nx_profile *p, uint64_t element_count, uint64_t span_ps)
{
	double peak = nx_peak_flops(p->capture.hardware) * p->capture.graph_count;

	return span_ps ? 2.0 * (double)element_count / ((double)span_ps / 1e12 * peak) : 0;
}

static double interval_value(const struct nx_profile *p, const struct nx_interval *i, unsigned text)
{
	uint64_t span_ps = i->end_ps - i->start_ps;

	if (text == NX_TEXT_MBU)
		return span_ps ? (double)i->hbm_bytes /
					 ((double)span_ps / 1e12 *
					  (double)p->capture.hardware->hbm_bytes_per_s)
			       : 0;
	return utilisation(
		p, i->element_count - (text == NX_TEXT_MFU ? i->transpose_element_count : 0),
		span_ps);
}

static void put_list(struct nx_hierarchy_rows *rows, struct nx_row *row, unsigned column,
		     unsigned text, const struct nx_intervals *intervals)
{
	struct nx_json_writer w;

	nx_vec_clear(&rows->texts[text]);
	nx_json_init_bytes(&w, &rows->texts[text], false);
	nx_json_begin_array(&w);
	for (size_t i = 0; i < intervals->len; i++) {
		const struct nx_interval *interval = &intervals->items[i];

		if (text >= NX_TEXT_HFU)
			nx_json_f64(&w, interval_value(rows->fill->profile, interval, text));
		else
			nx_json_u64(&w, text == NX_TEXT_MOVED ? interval->hbm_bytes
					: text == NX_TEXT_ELEMENTS
						? interval->element_count
						: interval->transpose_element_count);
	}
	nx_json_end_array(&w);
	nx_row_put_slice(row, column, text_of(&rows->texts[text]));
}

static void put_tensor_work(struct nx_hierarchy_rows *rows, struct nx_row *row,
			    const struct nx_hierarchy_node *node,
			    const struct nx_intervals *intervals)
{
	const struct nx_profile *p = rows->fill->profile;
	uint64_t span_ps = node->end_ps - node->start_ps;

	if (!node->has_matmul)
		return;
	put_list(rows, row, NX_COL_FrameworkNode_element_count_per_interval, NX_TEXT_ELEMENTS,
		 intervals);
	put_list(rows, row, NX_COL_FrameworkNode_transpose_element_count_per_interval,
		 NX_TEXT_TRANSPOSES, intervals);
	put_list(rows, row, NX_COL_FrameworkNode_hfu_per_interval, NX_TEXT_HFU, intervals);
	put_list(rows, row, NX_COL_FrameworkNode_mfu_per_interval, NX_TEXT_MFU, intervals);
	nx_row_put_f64(row, NX_COL_FrameworkNode_hfu, utilisation(p, node->element_count, span_ps));
	nx_row_put_f64(row, NX_COL_FrameworkNode_mfu,
		       utilisation(p, node->element_count - node->transpose_element_count,
				   span_ps));
}

static void put_bytes(struct nx_hierarchy_rows *rows, struct nx_row *row,
		      const struct nx_hierarchy_node *node, const struct nx_intervals *intervals)
{
	if (node->has_dma) {
		put_list(rows, row, NX_COL_FrameworkNode_hbm_transfer_size_per_interval,
			 NX_TEXT_MOVED, intervals);
		put_list(rows, row, NX_COL_FrameworkNode_mbu_per_interval, NX_TEXT_MBU, intervals);
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

void nx_framework_node_put(struct nx_hierarchy_rows *rows, const struct nx_hierarchy_node *node,
			   const struct nx_intervals *intervals)
{
	struct nx_row *row = &rows->rows[NX_LEVEL_MODULE];
	char texts[NX_ENGINE_COUNT][24];

	put_tree(rows, row, node);
	nx_row_put_i64(row, NX_COL_FrameworkNode_start_ts, (int64_t)(node->start_ps / 1000));
	nx_row_put_i64(row, NX_COL_FrameworkNode_end_ts, (int64_t)(node->end_ps / 1000));
	nx_row_put_slice(row, NX_COL_FrameworkNode_time_intervals,
			 nx_hierarchy_intervals_text(&rows->texts[NX_TEXT_INTERVALS], intervals));
	put_tensor_work(rows, row, node, intervals);
	put_bytes(rows, row, node, intervals);
	put_engines(row, node->engines, texts);
	nx_table_sink_put(rows->fill->sink, row);
}
