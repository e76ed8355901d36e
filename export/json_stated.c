/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of fixed size: the summary, and what capture and NEFF state about themselves. */
#include <stdio.h>
#include <string.h>

#include "base/date.h"
#include "base/number.h"
#include "export/exporters.h"
#include "export/json_sections.h"
#include "model/measure.h"
#include "model/metrics.h"

static void put_metrics(struct nx_json_writer *w, const struct nx_profile *p)
{
	for (size_t i = 0; i < p->metrics.len; i++) {
		const struct nx_metric *m = &p->metrics.items[i];

		switch (m->kind) {
		case NX_METRIC_COUNT:
			nx_json_key_u64(w, m->name, m->count);
			break;
		case NX_METRIC_NUMBER:
			nx_json_key_f64(w, m->name, m->number);
			break;
		case NX_METRIC_TEXT:
			nx_json_key_text(w, m->name, m->text);
			break;
		}
	}
	nx_json_key_text(w, "profiler_version", NX_PRODUCT_VERSION);
}

void nx_json_summary(struct nx_json_writer *w, const struct nx_profile *p)
{
	nx_json_begin_object(w);
	put_metrics(w, p);
	nx_json_end_object(w);
}

void nx_json_summary_alone(struct nx_json_writer *w, const struct nx_profile *p)
{
	nx_json_begin_object(w);
	put_metrics(w, p);
	nx_json_key_f64(w, "total_exec_time", (double)p->exec_time_ps / 1e12);
	nx_json_key_u64(w, "adjusted_hardware_flops", p->adjusted_flop_count);
	nx_json_key_u64(w, "adjusted_transpose_flops", p->adjusted_transpose_flop_count);
	nx_json_end_object(w);
}

/* --- layers ---------------------------------------------------------------- */

static void put_layer_engine(struct nx_json_writer *w, const struct nx_layer *row, unsigned e)
{
	double active = (double)(float)row->engines[e].active_ps;
	double duration = (double)(float)(row->end_ps - row->start_ps);
	char key[64];

	snprintf(key, sizeof(key), "%s_engine_instruction_count", nx_engines[e].word);
	nx_json_key_u64(w, key, row->engines[e].instruction_count);
	snprintf(key, sizeof(key), "%s_engine_instruction_time", nx_engines[e].word);
	nx_json_key_u64(w, key, row->engines[e].instruction_ps / 1000);
	snprintf(key, sizeof(key), "%s_engine_active_time", nx_engines[e].word);
	nx_json_key_u64(w, key, row->engines[e].active_ps / 1000);
	snprintf(key, sizeof(key), "%s_engine_active_percent", nx_engines[e].word);
	nx_json_key_f32(w, key, duration > 0 ? (float)(active / duration) : 0);
}

static void put_layer_flops(struct nx_json_writer *w, const struct nx_profile *p,
			    const struct nx_layer *row)
{
	const struct nx_hardware *hw = p->capture.hardware;
	double peak = nx_peak_flops(hw) * p->capture.graph_count;
	double span_s = row->tensor_span_ps ? (double)row->tensor_span_ps / 1e12 : 1;

	nx_json_key_u64(w, "tensor_engine_flop_count", row->flop_count);
	nx_json_key_u64(w, "tensor_engine_model_flop_count", row->model_flop_count);
	nx_json_key_f64(w, "tensor_engine_hfu", (double)row->flop_count / (span_s * peak));
	nx_json_key_f64(w, "tensor_engine_mfu", (double)row->model_flop_count / (span_s * peak));
}

uint64_t nx_json_layer_summary(struct nx_json_writer *w, const struct nx_profile *p)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < p->layers.len; i++) {
		const struct nx_layer *row = &p->layers.items[i];
		const char *graph = p->capture.graphs[row->graph].name;
		char name[2048];

		nx_json_begin_object(w);
		snprintf(name, sizeof(name), "/%s%s%s", graph, *row->name ? "/" : "", row->name);
		nx_json_key_text(w, "name", name);
		snprintf(name, sizeof(name), "/%s", graph);
		nx_json_key_text(w, "fully_qualified_subgraph", name);
		nx_json_key_u64(w, "start", row->start_ps / 1000);
		nx_json_key_u64(w, "end", row->end_ps / 1000);
		nx_json_key_u64(w, "duration", (row->end_ps - row->start_ps) / 1000);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			put_layer_engine(w, row, e);
		put_layer_flops(w, p, row);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	return p->layers.len;
}

/* --- the capture ----------------------------------------------------------- */

uint64_t nx_json_model_info(struct nx_json_writer *w, const struct nx_profile *p)
{
	nx_json_begin_array(w);
	for (uint32_t g = 0; g < p->capture.graph_count; g++) {
		const struct nx_graph *graph = &p->capture.graphs[g];
		const struct nx_graph_counts *n = &p->graphs[g];
		uint64_t traces = n->event_count + n->packet_count + n->transfer_count;
		char key[64];

		nx_json_begin_object(w);
		nx_json_key_text(w, "sg_name", graph->name);
		nx_json_key_u64(w, "nd_idx", graph->nd_idx);
		nx_json_key_u64(w, "nc_idx", graph->nc_idx);
		nx_json_key_u64(w, "dma_queue_count", graph->queue_count);
		nx_json_key_u64(w, "event_count", n->event_count);
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
			snprintf(key, sizeof(key), "%s_engine_instruction_count",
				 nx_engines[e].word);
			nx_json_key_u64(w, key, n->instruction_count[e]);
			traces += n->instruction_count[e];
		}
		nx_json_key_u64(w, "trace_count", traces);
		nx_json_key_u64(w, "neuroncore_cycle_count",
				nx_cycle_count(n->last_end_ps,
					       p->capture.hardware->engine_clock_ghz));
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	return p->capture.graph_count;
}

static void put_memory_row(struct nx_json_writer *w, const struct nx_graph *graph,
			   const char *usage_type, uint64_t amount_bytes)
{
	nx_json_begin_object(w);
	nx_json_key_u64(w, "nd", graph->nd_idx);
	nx_json_key_u64(w, "nc", graph->nc_idx);
	nx_json_key_text(w, "usage_type", usage_type);
	nx_json_key_u64(w, "amount_bytes", amount_bytes);
	nx_json_end_object(w);
}

uint64_t nx_json_memory_usage(struct nx_json_writer *w, const struct nx_profile *p)
{
	uint64_t rows = 0;

	nx_json_begin_array(w);
	for (uint32_t g = 0; g < p->capture.graph_count; g++) {
		const struct nx_graph *graph = &p->capture.graphs[g];

		for (size_t i = 0; i < graph->memory_count; i++)
			put_memory_row(w, graph, graph->memory[i].usage_type,
				       graph->memory[i].amount_bytes);
		put_memory_row(w, graph, "Total", nx_graph_memory_bytes(graph));
		rows += graph->memory_count + 1;
	}
	nx_json_end_array(w);
	return rows;
}

struct queue_list {
	struct nx_json_writer *w;
	const char *graph;
	uint64_t rows;
};

static void put_queue(void *context, const struct nx_queue *q)
{
	struct queue_list *list = context;
	struct nx_json_writer *w = list->w;

	nx_json_begin_object(w);
	nx_json_key_text(w, "q_name", q->display_name);
	nx_json_key_u64(w, "q_idx", q->queue_idx);
	nx_json_key_u64(w, "q_eng_idx", q->engine_idx);
	nx_json_key_text(w, "q_type", nx_queue_type_name(q->type));
	nx_json_key_i64(w, "q_event_id", q->event_id);
	nx_json_key_u64(w, "q_axi_port", q->axi_port);
	nx_json_key_u64(w, "q_dram_channel", q->dram_channel);
	nx_json_key_text(w, "subgraph", list->graph);
	nx_json_end_object(w);
	list->rows++;
}

uint64_t nx_json_queues(struct nx_json_writer *w, const struct nx_profile *p)
{
	struct queue_list list = {.w = w};

	nx_json_begin_array(w);
	for (uint32_t g = 0; g < p->capture.graph_count; g++) {
		list.graph = p->capture.graphs[g].name;
		nx_graph_each_queue(&p->capture.graphs[g], put_queue, &list);
	}
	nx_json_end_array(w);
	return list.rows;
}

uint64_t nx_json_collectives(struct nx_json_writer *w, const struct nx_profile *p)
{
	uint64_t rows = 0;

	nx_json_begin_array(w);
	for (uint32_t g = 0; g < p->capture.graph_count; g++)
		for (size_t i = 0; i < p->capture.graphs[g].collective_op_count; i++) {
			const struct nx_collective_op *op = &p->capture.graphs[g].collective_ops[i];

			nx_json_begin_object(w);
			nx_json_subgraph(w, p, g);
			nx_json_key_u64(w, "op_id", i);
			nx_json_key_i64(w, "operation", op->type);
			nx_json_key_i64(w, "algorithm_id", op->algorithm);
			nx_json_key_text(w, "algorithm", op->algorithm_name);
			nx_json_key_u64(w, "num_elements", op->element_count);
			nx_json_key_u64(w, "comm_id", op->comm_id);
			nx_json_key_u64(w, "dtype", op->dtype);
			nx_json_end_object(w);
			rows++;
		}
	nx_json_end_array(w);
	return rows;
}

/* --- the NEFF -------------------------------------------------------------- */

static void put_header(struct nx_json_writer *w, const struct nx_binary *binary)
{
	nx_json_begin_object(w);
	for (size_t i = 0; i < binary->header_count; i++)
		nx_json_key_text(w, binary->header[i].name, binary->header[i].value);
	nx_json_end_object(w);
}

/* One for each NEFF: a capture of several models may have several. */
uint64_t nx_json_neff_header(struct nx_json_writer *w, const struct nx_profile *p)
{
	const struct nx_binary *binary = &p->binary;

	nx_json_begin_array(w);
	for (size_t i = 0; i < binary->part_count; i++)
		put_header(w, &binary->parts[i]);
	if (!binary->part_count)
		put_header(w, binary);
	nx_json_end_array(w);
	return binary->part_count ? binary->part_count : 1;
}

static void put_graph_node(struct nx_json_writer *w, const char *name, uint32_t node)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "sg_name", name);
	nx_json_key_digits(w, "node", node);
	nx_json_key_text(w, "variable_name", "");
	nx_json_key_text(w, "type", "");
	nx_json_key_text(w, "format", "");
	nx_json_key_text(w, "shape", "");
	nx_json_end_object(w);
}

static void put_tensor_loads(struct nx_json_writer *w, const struct nx_tensor *t,
			     const struct nx_tensor_load *load)
{
	char text[NX_NUMBER_MAX + 1];

	if (!load->dma_count || !t->size_bytes)
		return;
	nx_json_key_digits(w, "load_to_sbuf_dma_count", load->dma_count);
	nx_json_key_digits(w, "load_to_sbuf_total_size_bytes", load->total_bytes);
	nx_json_key_digits(w, "load_to_sbuf_avg_size_bytes", nx_load_average_bytes(load));
	text[nx_format_f64(text, nx_load_repeat_factor(load, t->size_bytes))] = 0;
	nx_json_key_text(w, "load_to_sbuf_repeat_factor", text);
}

static void put_tensor_node(struct nx_json_writer *w, const struct nx_tensor *t,
			    const struct nx_tensor_load *load)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "sg_name", "");
	nx_json_key_text(w, "variable_name", t->name);
	nx_json_key_text(w, "type", nx_tensor_kind_name(t->kind));
	nx_json_key_text(w, "format", t->format);
	nx_json_key_text(w, "shape", t->shape);
	nx_json_key_digits(w, "size", t->size_bytes);
	put_tensor_loads(w, t, load);
	nx_json_end_object(w);
}

uint64_t nx_json_neff_nodes(struct nx_json_writer *w, const struct nx_profile *p)
{
	nx_json_begin_array(w);
	for (uint32_t g = 0; g < p->binary.graph_count; g++) {
		put_graph_node(w, p->binary.graphs[g].name, p->binary.kelf_node);
		for (size_t i = 0; i < p->binary.tensor_count; i++)
			if (p->binary.tensors[i].graph == g)
				put_tensor_node(w, &p->binary.tensors[i], &p->tensor_loads[i]);
	}
	nx_json_end_array(w);
	return p->binary.graph_count + p->binary.tensor_count;
}

/* --- stack frames ---------------------------------------------------------- */

/* Ids count from one, as stack_frame_ids of instructions do. What is not known is left out. */
uint64_t nx_json_stack_frames(struct nx_json_writer *w, const struct nx_profile *p)
{
	const struct nx_stack *stack = &p->binary.stack;

	nx_json_begin_array(w);
	for (size_t i = 0; i < stack->frame_count; i++) {
		struct nx_source_location at = nx_stack_frame_place(stack, (uint32_t)i + 1);

		nx_json_begin_object(w);
		nx_json_key_u64(w, "id", i + 1);
		if (at.function_name)
			nx_json_key_text(w, "function_name",
					 stack->function_names[at.function_name - 1]);
		if (at.file_name)
			nx_json_key_text(w, "file_name", stack->file_names[at.file_name - 1]);
		if (at.line)
			nx_json_key_u64(w, "line_number", at.line);
		if (stack->frames[i].parent)
			nx_json_key_u64(w, "parent_frame_id", stack->frames[i].parent);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
	return stack->frame_count;
}

/* --- the profile ----------------------------------------------------------- */

uint64_t nx_json_profile_info(struct nx_json_writer *w, const struct nx_profile *p)
{
	nx_json_begin_array(w);
	nx_json_begin_object(w);
	nx_json_key_text(w, "profile_name", p->name);
	nx_json_key_text(w, "ntff_filename", p->capture.path);
	nx_json_key_text(w, "neff_name", p->has_binary ? p->binary_path : "");
	nx_json_key_text(w, "profile_type", "normal");
	nx_json_key_bool(w, "cc_only", false);
	nx_json_key_text(w, "profiler_version", NX_PRODUCT_VERSION);
	nx_json_key_text(w, "profiler_build_time", "");
	nx_json_end_object(w);
	nx_json_end_array(w);
	return 1;
}

void nx_json_warnings(struct nx_json_writer *w, const struct nx_warnings *warnings)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < warnings->len; i++) {
		nx_json_begin_object(w);
		nx_json_key_text(w, "category", warnings->items[i].category);
		nx_json_key_text(w, "message", warnings->items[i].message);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void put_group(struct nx_json_writer *w, const char *name,
		      const struct nx_metric_definition *m, unsigned core)
{
	char group[NX_METRIC_NAME_MAX];

	nx_metric_expand(m->group, core, group, sizeof(group));
	nx_json_key_text(w, name, group);
}

static void put_term(struct nx_json_writer *w, const char *name,
		     const struct nx_metric_definition *m, unsigned core)
{
	char text[1024];

	nx_metric_expand(m->description, core, text, sizeof(text));
	nx_json_key_text(w, name, text);
}

/* One object with a member for every metric; those of each core have the core's number in place. */
static uint64_t metric_section(struct nx_json_writer *w, const struct nx_profile *p,
			       void (*put)(struct nx_json_writer *w, const char *name,
					   const struct nx_metric_definition *m, unsigned core))
{
	char name[NX_METRIC_NAME_MAX];

	nx_json_begin_array(w);
	nx_json_begin_object(w);
	for (size_t i = 0; i < nx_metric_count; i++)
		put(w, nx_metrics[i].name, &nx_metrics[i], 0);
	for (uint32_t core = 0; core < p->capture.graph_count; core++)
		for (size_t i = 0; i < nx_core_metric_count; i++) {
			nx_metric_expand(nx_core_metrics[i].name, core, name, sizeof(name));
			put(w, name, &nx_core_metrics[i], core);
		}
	nx_json_end_object(w);
	nx_json_end_array(w);
	return 1;
}

uint64_t nx_json_summary_groups(struct nx_json_writer *w, const struct nx_profile *p)
{
	return metric_section(w, p, put_group);
}

uint64_t nx_json_terminology(struct nx_json_writer *w, const struct nx_profile *p)
{
	return metric_section(w, p, put_term);
}

uint64_t nx_json_summary_group_order(struct nx_json_writer *w, const struct nx_profile *p)
{
	uint32_t cores = p->capture.graph_count;
	bool after_cores = false;
	char name[NX_METRIC_NAME_MAX];

	nx_json_begin_array(w);
	nx_json_begin_object(w);
	for (size_t i = 0; i < nx_metric_group_count; i++) {
		const struct nx_metric_group *group = &nx_metric_groups[i];
		bool is_per_core = strstr(group->name, "%u") != NULL;

		if (group->order < 0)
			continue;
		for (uint32_t core = 0; core < (is_per_core ? cores : 1); core++) {
			nx_metric_expand(group->name, core, name, sizeof(name));
			nx_json_key_u64(w, name,
					(uint64_t)group->order + core +
						(after_cores ? cores - 1 : 0));
		}
		after_cores |= is_per_core;
	}
	nx_json_end_object(w);
	nx_json_end_array(w);
	return 1;
}

void nx_json_metadata(struct nx_json_writer *w, const struct nx_profile *p,
		      uint64_t total_point_count)
{
	const struct nx_capture *c = &p->capture;
	const struct nx_hardware *hw = c->hardware;
	uint64_t last_ns = nx_profile_last_ns(p);
	char text[NX_DATE_MAX];

	nx_json_begin_array(w);
	nx_json_begin_object(w);
	nx_json_key_u64(w, "ntff_version", c->version);
	nx_json_key_u64(w, "data_version", 8);
	nx_json_key_u64(w, "num_subgraphs", c->graph_count);
	nx_json_key_u64(w, "num_physical_cores", c->graph_count);
	nx_json_key_bool(w, "vnc_enabled", c->graph_count > 1);
	nx_json_key_bool(w, "is_ext", true);
	nx_json_key_bool(w, "is_simulation", c->is_simulation);
	nx_json_key_u64(w, "ticks_per_nanosec", 1000);
	nx_json_key_u64(w, "first_hw_timestamp", 0);
	nx_json_key_u64(w, "last_hw_timestamp", last_ns);
	nx_format_date(text, 0);
	nx_json_key_text(w, "first_ts", text);
	nx_format_date(text, last_ns);
	nx_json_key_text(w, "last_ts", text);
	if (p->start_epoch_ns) /* beyond what a double holds */
		nx_json_key_digits(w, "start_epoch_ns", p->start_epoch_ns);
	nx_json_key_u64(w, "pe_num_rows", hw->array_rows);
	nx_json_key_u64(w, "pe_num_cols", hw->array_columns);
	nx_json_key_f64(w, "pe_clock_freq", hw->tensor_clock_ghz);
	nx_json_key_f64(w, "pe_clock_others", hw->engine_clock_ghz);
	nx_json_key_u64(w, "hbm_ddr_bandwidth", hw->hbm_bytes_per_s);
	nx_json_key_u64(w, "dma_ddr_bandwidth", hw->dma_bytes_per_s);
	nx_json_key_u64(w, "total_point_count", total_point_count);
	nx_json_end_object(w);
	nx_json_end_array(w);
}
