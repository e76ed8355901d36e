/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of what capture and NEFF state about themselves. */
#include <assert.h>
#include <string.h>

#include "base/date.h"
#include "model/measure.h"
#include "model/schema_fields.h"
#include "tables/fillers.h"

/* --- the capture ----------------------------------------------------------- */

struct queue_rows {
	struct nx_table_sink *sink;
	struct nx_row row;
	uint32_t graph;
};

static void put_queue(void *context, const struct nx_queue *queue)
{
	struct queue_rows *rows = context;
	struct nx_row *row = &rows->row;

	nx_row_put_text(row, NX_COL_DmaQueuesInfo_name, queue->display_name);
	nx_row_put_text(row, NX_COL_DmaQueuesInfo_type, nx_queue_type_name(queue->type));
	nx_row_put_i64(row, NX_COL_DmaQueuesInfo_pcore_idx, rows->graph);
	nx_row_put_i64(row, NX_COL_DmaQueuesInfo_idx, queue->queue_idx);
	nx_row_put_i64(row, NX_COL_DmaQueuesInfo_engine_idx, queue->engine_idx);
	nx_row_put_i64(row, NX_COL_DmaQueuesInfo_axi_port, queue->axi_port);
	nx_row_put_i64(row, NX_COL_DmaQueuesInfo_dram_channel, queue->dram_channel);
	nx_table_sink_put(rows->sink, row);
}

enum nx_status nx_fill_queues(struct nx_device_fill *fill)
{
	const struct nx_capture *c = &fill->profile->capture;
	struct queue_rows rows = {.sink = fill->sink};

	nx_begin_table(fill->sink, &rows.row, NX_SCHEMA_DmaQueuesInfo);
	for (rows.graph = 0; rows.graph < c->graph_count; rows.graph++)
		nx_graph_each_queue(&c->graphs[rows.graph], put_queue, &rows);
	nx_table_sink_end(fill->sink, NX_SCHEMA_DmaQueuesInfo);
	return NX_OK;
}

static void put_memory(struct nx_table_sink *sink, const struct nx_graph *graph,
		       const char *usage_type, uint64_t bytes)
{
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_HbmUsageSummaryByType);
	nx_row_put_i64(&row, NX_COL_HbmUsageSummaryByType_neuron_device_idx, graph->nd_idx);
	nx_row_put_i64(&row, NX_COL_HbmUsageSummaryByType_neuroncore_idx, graph->nc_idx);
	nx_row_put_text(&row, NX_COL_HbmUsageSummaryByType_usage_type, usage_type);
	nx_row_put_u64(&row, NX_COL_HbmUsageSummaryByType_usage_bytes, bytes);
	nx_table_sink_put(sink, &row);
}

enum nx_status nx_fill_memory(struct nx_device_fill *fill)
{
	const struct nx_capture *c = &fill->profile->capture;

	nx_table_sink_begin(fill->sink, NX_SCHEMA_HbmUsageSummaryByType);
	for (uint32_t g = 0; g < c->graph_count; g++) {
		const struct nx_graph *graph = &c->graphs[g];

		for (size_t i = 0; i < graph->memory_count; i++)
			put_memory(fill->sink, graph, graph->memory[i].usage_type,
				   graph->memory[i].amount_bytes);
		put_memory(fill->sink, graph, "Total", nx_graph_memory_bytes(graph));
	}
	nx_table_sink_end(fill->sink, NX_SCHEMA_HbmUsageSummaryByType);
	return NX_OK;
}

static uint64_t since_start_ns(const struct nx_capture *c, int64_t time_ps)
{
	return (uint64_t)(time_ps - c->window_start_ps) / 1000;
}

static uint32_t graphs_of_model(const struct nx_capture *c, uint32_t model_idx)
{
	uint32_t count = 0;

	for (uint32_t g = 0; g < c->graph_count; g++)
		count += c->graphs[g].model_idx == model_idx;
	return count;
}

/* The name of a model; NULL: neither the capture nor a NEFF has it. */
static const char *model_name(const struct nx_profile *p, uint32_t model_idx)
{
	for (size_t i = 0; i < p->binary.part_count; i++)
		if (p->binary.parts[i].model_idx == model_idx)
			return p->binary.parts[i].network_name;
	return model_idx == 0 ? p->capture.model_name : NULL;
}

static void put_executions(struct nx_device_fill *fill)
{
	const struct nx_capture *c = &fill->profile->capture;

	nx_table_sink_begin(fill->sink, NX_SCHEMA_ExecutionInfo);
	for (size_t i = 0; i < c->shown_execution_count; i++) {
		const struct nx_execution_span *e = &c->executions[i];
		struct nx_row row;

		nx_row_init(&row, NX_SCHEMA_ExecutionInfo);
		nx_row_put_i64(&row, NX_COL_ExecutionInfo_execution_index, e->number);
		nx_row_put_known(&row, NX_COL_ExecutionInfo_neff_name,
				 model_name(fill->profile, e->model_idx));
		nx_row_put_u64(&row, NX_COL_ExecutionInfo_execution_start_ts,
			       since_start_ns(c, e->start_ps));
		nx_row_put_u64(&row, NX_COL_ExecutionInfo_execution_end_ts,
			       since_start_ns(c, e->end_ps));
		nx_row_put_i64(&row, NX_COL_ExecutionInfo_num_subgraphs,
			       graphs_of_model(c, e->model_idx));
		nx_table_sink_put(fill->sink, &row);
	}
	nx_table_sink_end(fill->sink, NX_SCHEMA_ExecutionInfo);
}

/* A profile shows one execution of its capture, or all if they are of several models. */
enum nx_status nx_fill_execution(struct nx_device_fill *fill)
{
	const struct nx_profile *p = fill->profile;
	const struct nx_capture *c = &p->capture;
	bool is_named = p->has_binary && *p->binary.network_name;
	const char *name = is_named ? p->binary.network_name : c->model_name;
	struct nx_row row;

	if (c->executions) {
		put_executions(fill);
		return NX_OK;
	}
	nx_row_init(&row, NX_SCHEMA_ExecutionInfo);
	nx_row_put_i64(&row, NX_COL_ExecutionInfo_execution_index, c->execution);
	nx_row_put_known(&row, NX_COL_ExecutionInfo_neff_name, name);
	if (c->window_source != NX_WINDOW_FIRST_RECORD)
		nx_row_put_i64(&row, NX_COL_ExecutionInfo_execution_start_ts, 0);
	if (c->has_window_end)
		nx_row_put_u64(&row, NX_COL_ExecutionInfo_execution_end_ts,
			       c->total_time_ps / 1000);
	nx_row_put_i64(&row, NX_COL_ExecutionInfo_num_subgraphs, c->graph_count);
	nx_row_put_u64(&row, NX_COL_ExecutionInfo_row_count, fill->row_count);
	nx_put_only_row(fill->sink, &row);
	return NX_OK;
}

/* --- the profile as a whole ------------------------------------------------ */

static void put_hardware(struct nx_row *row, const struct nx_hardware *hw)
{
	nx_row_put_f64(row, NX_COL_Metadata_dma_ddr_bandwidth, (double)hw->dma_bytes_per_s);
	nx_row_put_i64(row, NX_COL_Metadata_num_dma_engines_per_neuroncore, hw->dma_engine_count);
	nx_row_put_f64(row, NX_COL_Metadata_hbm_ddr_bandwidth, (double)hw->hbm_bytes_per_s);
	nx_row_put_i64(row, NX_COL_Metadata_tensor_engine_num_rows, hw->array_rows);
	nx_row_put_i64(row, NX_COL_Metadata_tensor_engine_num_cols, hw->array_columns);
	nx_row_put_f64(row, NX_COL_Metadata_tensor_engine_clock_freq, hw->tensor_clock_ghz);
	nx_row_put_f64(row, NX_COL_Metadata_vector_engine_clock_freq, hw->vector_clock_ghz);
	nx_row_put_i64(row, NX_COL_Metadata_vector_engine_num_channels, hw->partition_count);
	nx_row_put_f64(row, NX_COL_Metadata_scalar_engine_clock_freq, hw->engine_clock_ghz);
	nx_row_put_i64(row, NX_COL_Metadata_scalar_engine_num_channels, hw->partition_count);
	nx_row_put_f64(row, NX_COL_Metadata_gpsimd_engine_clock_freq, hw->engine_clock_ghz);
	nx_row_put_i64(row, NX_COL_Metadata_gpsimd_engine_num_channels, hw->partition_count);
	nx_row_put_f64(row, NX_COL_Metadata_neuroncore_clock_freq, hw->engine_clock_ghz);
}

/* The kind of an UltraServer is a number in the file; what the numbers mean is not public. */
static void put_place(struct nx_row *row, const struct nx_capture *c)
{
	if (c->graph_count) {
		nx_row_put_i64(row, NX_COL_Metadata_neuroncore_idx, c->graphs[0].nc_idx);
		nx_row_put_i64(row, NX_COL_Metadata_neuron_device_idx, c->graphs[0].nd_idx);
	}
	if (!c->ultraserver.is_known)
		return;
	nx_row_put_u64(row, NX_COL_Metadata_ultraserver_id, c->ultraserver.id);
	if (c->ultraserver.size <= INT32_MAX)
		nx_row_put_i64(row, NX_COL_Metadata_ultraserver_size, c->ultraserver.size);
	if (c->ultraserver.instance_idx <= INT32_MAX)
		nx_row_put_i64(row, NX_COL_Metadata_ultraserver_instance_index,
			       c->ultraserver.instance_idx);
}

static void put_versions(struct nx_row *row, const struct nx_profile *p)
{
	const struct nx_capture *c = &p->capture;

	nx_row_put_text(row, NX_COL_Metadata_profile_schema_version, NX_SCHEMA_VERSION);
	nx_row_put_i64(row, NX_COL_Metadata_ntff_version, (int32_t)c->version);
	nx_row_put_known(row, NX_COL_Metadata_instance_type, c->instance_type);
	nx_row_put_known(row, NX_COL_Metadata_runtime_version, c->runtime_version);
	nx_row_put_known(row, NX_COL_Metadata_collectives_version, c->collectives_version);
	nx_row_put_known(row, NX_COL_Metadata_driver_version, c->driver_version);
	if (p->has_binary)
		nx_row_put_known(row, NX_COL_Metadata_compiler_version, p->binary.compiler_version);
}

enum nx_status nx_fill_metadata(struct nx_device_fill *fill)
{
	const struct nx_profile *p = fill->profile;
	const char *name = fill->options->profile_name;
	uint64_t last_ns = nx_profile_last_ns(p);
	char first_date[NX_DATE_MAX], last_date[NX_DATE_MAX];
	struct nx_row row;

	nx_format_date(first_date, 0);
	nx_format_date(last_date, last_ns);
	nx_row_init(&row, NX_SCHEMA_Metadata);
	put_versions(&row, p);
	put_hardware(&row, p->capture.hardware);
	put_place(&row, &p->capture);
	nx_row_put_i64(&row, NX_COL_Metadata_num_physical_cores, p->capture.graph_count);
	nx_row_put_bool(&row, NX_COL_Metadata_vnc_enabled, p->capture.graph_count > 1);
	nx_row_put_i64(&row, NX_COL_Metadata_first_hw_timestamp, 0);
	nx_row_put_u64(&row, NX_COL_Metadata_last_hw_timestamp, last_ns);
	nx_row_put_text(&row, NX_COL_Metadata_first_ts, first_date);
	nx_row_put_text(&row, NX_COL_Metadata_last_ts, last_date);
	nx_row_put_i64(&row, NX_COL_Metadata_ticks_per_nanosec, 1000);
	nx_row_put_known(&row, NX_COL_Metadata_explorer_version, fill->options->explorer_version);
	nx_row_put_known(&row, NX_COL_Metadata_profile_name, name ? name : p->name);
	nx_row_put_bool(&row, NX_COL_Metadata_is_simulation, p->capture.is_simulation);
	nx_put_only_row(fill->sink, &row);
	return NX_OK;
}

/* --- the NEFF -------------------------------------------------------------- */

static const char *header_text(const struct nx_binary *binary, const char *name)
{
	for (size_t i = 0; i < binary->header_count; i++)
		if (!strcmp(binary->header[i].name, name))
			return binary->header[i].value;
	return NULL;
}

/* False if the header has no such number. */
static bool header_number(const struct nx_binary *binary, const char *name, uint64_t *number)
{
	const char *text = header_text(binary, name);

	return text && nx_slice_to_u64(nx_slice_text(text), number);
}

static void put_header_numbers(struct nx_row *row, const struct nx_binary *binary)
{
	static const struct {
		const char *name;
		unsigned column;
	} numbers[] = {
		{"header_size", NX_COL_NeffHeader_header_size},
		{"data_size", NX_COL_NeffHeader_data_size},
		{"major_version", NX_COL_NeffHeader_major_version},
		{"minor_version", NX_COL_NeffHeader_minor_version},
		{"number_of_logical_neuroncores", NX_COL_NeffHeader_logical_neuroncore_count},
		{"number_of_neuroncores_per_lnc", NX_COL_NeffHeader_pcore_count_per_lnc},
	};
	uint64_t number, logical, each, product;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (header_number(binary, numbers[i].name, &number))
			nx_row_put_u64(row, numbers[i].column, number);
	if (header_number(binary, "number_of_logical_neuroncores", &logical) &&
	    header_number(binary, "number_of_neuroncores_per_lnc", &each) &&
	    !__builtin_mul_overflow(logical, each, &product))
		nx_row_put_u64(row, NX_COL_NeffHeader_neuroncore_count, product);
}

static void put_header(struct nx_table_sink *sink, const struct nx_binary *binary)
{
	static const struct {
		const char *name;
		unsigned column;
	} texts[] = {
		{"network_name", NX_COL_NeffHeader_network_name},
		{"uuid", NX_COL_NeffHeader_uuid},
		{"hash", NX_COL_NeffHeader_hash},
		{"enabled_features", NX_COL_NeffHeader_enabled_features},
		{"package_version", NX_COL_NeffHeader_package_version},
		{"build_version", NX_COL_NeffHeader_build_version},
	};
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_NeffHeader);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		nx_row_put_text(&row, texts[i].column, header_text(binary, texts[i].name));
	put_header_numbers(&row, binary);
	nx_table_sink_put(sink, &row);
}

enum nx_status nx_fill_neff_header(struct nx_device_fill *fill)
{
	const struct nx_binary *binary = &fill->profile->binary;

	nx_table_sink_begin(fill->sink, NX_SCHEMA_NeffHeader);
	for (size_t i = 0; i < binary->part_count; i++)
		put_header(fill->sink, &binary->parts[i]);
	if (fill->profile->has_binary && !binary->part_count)
		put_header(fill->sink, binary);
	nx_table_sink_end(fill->sink, NX_SCHEMA_NeffHeader);
	return NX_OK;
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

	nx_begin_table(fill->sink, &row, NX_SCHEMA_TensorInfo);
	for (size_t i = 0; i < p->binary.tensor_count; i++) {
		const struct nx_tensor *tensor = &p->binary.tensors[i];

		nx_row_put_text(&row, NX_COL_TensorInfo_variable_name, tensor->name);
		nx_row_put_text(&row, NX_COL_TensorInfo_type, nx_tensor_kind_name(tensor->kind));
		nx_row_put_text(&row, NX_COL_TensorInfo_format, tensor->format);
		nx_row_put_text(&row, NX_COL_TensorInfo_shape, tensor->shape);
		nx_row_put_i64(&row, NX_COL_TensorInfo_size, (int64_t)tensor->size_bytes);
		nx_row_put_i64(&row, NX_COL_TensorInfo_node, p->binary.kelf_node);
		/* cores are numbered in the capture's order of graphs, which need not be the NEFF's
		 */
		for (core = 0; core < p->capture.graph_count; core++)
			if (p->program.binary_graphs[core] == &p->binary.graphs[tensor->graph])
				break;
		if (core < p->capture.graph_count)
			nx_row_put_i64(&row, NX_COL_TensorInfo_pcore_idx, core);
		put_loads(&row, tensor, &p->tensor_loads[i]);
		nx_table_sink_put(fill->sink, &row);
	}
	nx_table_sink_end(fill->sink, NX_SCHEMA_TensorInfo);
	return NX_OK;
}

/* --- about the profile ------------------------------------------------------ */

void nx_put_warnings(const struct nx_warnings *warnings, struct nx_table_sink *sink)
{
	struct nx_row row;

	nx_begin_table(sink, &row, NX_SCHEMA_Warning);
	for (size_t i = 0; i < warnings->len; i++) {
		nx_row_put_text(&row, NX_COL_Warning_message, warnings->items[i].message);
		nx_row_put_text(&row, NX_COL_Warning_category, warnings->items[i].category);
		nx_table_sink_put(sink, &row);
	}
	nx_table_sink_end(sink, NX_SCHEMA_Warning);
}

enum nx_status nx_fill_warnings(struct nx_device_fill *fill)
{
	nx_put_warnings(&fill->profile->warnings, fill->sink);
	return NX_OK;
}

enum nx_status nx_fill_schema_fields(struct nx_device_fill *fill)
{
	nx_schema_fields_write(fill->sink);
	return NX_OK;
}

/* --- the summary: a column holds the metric of its name ---------------------- */

/* Metrics are sorted by name. */
static const struct nx_metric *find_metric(const struct nx_profile *profile, const char *name)
{
	size_t low = 0, high = profile->metrics.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, profile->metrics.items[middle].name);

		if (!order)
			return &profile->metrics.items[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static void put_metric(struct nx_row *row, unsigned column, const struct nx_metric *metric)
{
	bool is_integer = nx_schema_tables[row->table].columns[column].type == NX_SCHEMA_INT64;

	assert(column < row->column_count);
	if (metric->kind == NX_METRIC_COUNT && is_integer)
		nx_row_put_u64(row, column, metric->count);
	else if (metric->kind == NX_METRIC_COUNT)
		nx_row_put_f64(row, column, (double)metric->count);
	else if (metric->kind == NX_METRIC_NUMBER && !is_integer)
		nx_row_put_f64(row, column, metric->number);
}

/* Columns that are no metric, because the JSON of AWS's profiler does not have them. */
static void put_unnamed(struct nx_row *row, const struct nx_device_fill *fill)
{
	const struct nx_profile *p = fill->profile;

	nx_row_put_f64(row, NX_COL_Summary_total_exec_time, (double)p->exec_time_ps / 1e12);
	nx_row_put_u64(row, NX_COL_Summary_adjusted_hardware_flops, p->adjusted_flop_count);
	nx_row_put_u64(row, NX_COL_Summary_adjusted_transpose_flops,
		       p->adjusted_transpose_flop_count);
	nx_row_put_u64(row, NX_COL_Summary_total_row_count, fill->row_count);
}

enum nx_status nx_fill_summary(struct nx_device_fill *fill)
{
	const struct nx_schema_table *table = &nx_schema_tables[NX_SCHEMA_Summary];
	struct nx_row row;

	nx_row_init(&row, NX_SCHEMA_Summary);
	for (unsigned i = 0; i < table->column_count; i++) {
		const struct nx_metric *metric = find_metric(fill->profile, table->columns[i].name);

		if (metric)
			put_metric(&row, i, metric);
	}
	put_unnamed(&row, fill);
	nx_put_only_row(fill->sink, &row);
	return NX_OK;
}
