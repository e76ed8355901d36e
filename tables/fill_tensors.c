/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that the compiled model declares. */
#include <string.h>

#include "model/measure.h"
#include "tables/fillers.h"

/* Cores are numbered as the capture lists their graphs, which need not be the NEFF's order. */
static bool find_core(const struct nx_profile *p, uint32_t binary_graph, uint32_t *core)
{
	for (*core = 0; *core < p->capture.graph_count; ++*core)
		if (p->program.binary_graphs[*core] == &p->binary.graphs[binary_graph])
			return true;
	return false;
}

static void put_loads(struct nx_row *row, const struct nx_tensor *tensor,
		      const struct nx_tensor_load *load)
{
	if (!load->dma_count || !tensor->size_bytes)
		return;
	nx_row_put_i64(row, NX_COL_TensorInfo_load_to_sbuf_dma_count, (int64_t)load->dma_count);
	nx_row_put_i64(row, NX_COL_TensorInfo_load_to_sbuf_total_size_bytes,
		       (int64_t)load->total_bytes);
	nx_row_put_i64(row, NX_COL_TensorInfo_load_to_sbuf_avg_size_bytes,
		       (int64_t)nx_load_average_bytes(load));
	nx_row_put_f64(row, NX_COL_TensorInfo_load_to_sbuf_repeat_factor,
		       nx_load_repeat_factor(load, tensor->size_bytes));
}

enum nx_status nx_fill_tensors(struct nx_device_fill *fill)
{
	const struct nx_profile *p = fill->profile;
	struct nx_row row;
	uint32_t core;

	nx_row_init(&row, NX_SCHEMA_TensorInfo);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_TensorInfo);
	for (size_t i = 0; i < p->binary.tensor_count; i++) {
		const struct nx_tensor *tensor = &p->binary.tensors[i];

		nx_row_put_text(&row, NX_COL_TensorInfo_variable_name, tensor->name);
		nx_row_put_text(&row, NX_COL_TensorInfo_type, nx_tensor_kind_name(tensor->kind));
		nx_row_put_text(&row, NX_COL_TensorInfo_format, tensor->format);
		nx_row_put_text(&row, NX_COL_TensorInfo_shape, tensor->shape);
		nx_row_put_i64(&row, NX_COL_TensorInfo_size, (int64_t)tensor->size_bytes);
		nx_row_put_i64(&row, NX_COL_TensorInfo_node, p->binary.kelf_node);
		if (find_core(p, tensor->graph, &core))
			nx_row_put_i64(&row, NX_COL_TensorInfo_pcore_idx, core);
		put_loads(&row, tensor, &p->tensor_loads[i]);
		nx_table_sink_put(fill->sink, &row);
	}
	nx_table_sink_end(fill->sink, NX_SCHEMA_TensorInfo);
	return NX_OK;
}
