/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/summary.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "model/measure.h"
#include "model/naming.h"
#include "model/transfer.h"

/* --- putting metrics ------------------------------------------------------- */

static void put_count(struct nx_profile *p, const char *name, uint64_t count)
{
	nx_vec_push(&p->metrics,
		    ((struct nx_metric){.name = name, .kind = NX_METRIC_COUNT, .count = count}));
}

static void put_number(struct nx_profile *p, const char *name, double number)
{
	nx_vec_push(&p->metrics,
		    ((struct nx_metric){.name = name, .kind = NX_METRIC_NUMBER, .number = number}));
}

static void put_text(struct nx_profile *p, const char *name, const char *text)
{
	nx_vec_push(&p->metrics,
		    ((struct nx_metric){.name = name, .kind = NX_METRIC_TEXT, .text = text}));
}

/* "static" and "dma_size" are "static_dma_size". */
static const char *joined(struct nx_profile *p, const char *word, const char *rest)
{
	return nx_arena_printf(&p->arena, "%s_%s", word, rest);
}

static double seconds(uint64_t ps)
{
	return (double)ps / 1e12;
}

static double ratio(double part, double whole)
{
	return whole != 0 ? part / whole : 0;
}

/* --- groups of metrics ----------------------------------------------------- */

static void put_system(struct nx_profile *p)
{
	const struct nx_capture *c = &p->capture;
	uint64_t nc_sum = 0, nd_sum = 0;

	for (uint32_t g = 0; g < c->graph_count; g++) {
		nc_sum += c->graphs[g].nc_idx;
		nd_sum += c->graphs[g].nd_idx;
	}
	put_text(p, "instance_type", c->instance_type);
	put_count(p, "nc_idx", nc_sum);
	put_count(p, "nd_idx", nd_sum);
	put_text(p, "runtime_version", c->runtime_version);
	put_text(p, "driver_version", c->driver_version);
	put_text(p, "collectives_version", c->collectives_version);
	if (p->has_binary && *p->binary.compiler_version)
		put_text(p, "compiler_version", p->binary.compiler_version);
}

static void put_counts(struct nx_profile *p)
{
	uint64_t events = 0, traces = 0, queues = 0;

	for (uint32_t g = 0; g < p->capture.graph_count; g++) {
		const struct nx_graph_counts *n = &p->graphs[g];

		events += n->event_count;
		traces += n->event_count + n->packet_count + n->transfer_count;
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			traces += n->instruction_count[e];
		queues += p->capture.graphs[g].queue_count;
	}
	put_count(p, "event_count", events);
	put_count(p, "trace_count", traces);
	put_count(p, "dma_queue_count", queues);
}

static void put_engines(struct nx_profile *p, const struct nx_activity *a)
{
	double total_s = seconds(p->capture.total_time_ps);

	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const struct nx_engine_activity *engine = &a->engines[e];
		double active_s = seconds(nx_span_union_length(&engine->busy));
		const char *word = nx_engines[e].word;

		put_count(p, joined(p, word, "engine_instruction_count"),
			  engine->instruction_count);
		put_number(p, joined(p, word, "engine_instruction_time"),
			   seconds(engine->instruction_ps));
		put_number(p, joined(p, word, "engine_active_time"), active_s);
		put_number(p, joined(p, word, "engine_active_time_percent"),
			   ratio(active_s, total_s));
	}
	put_count(p, "matmul_instruction_count", a->matmul_count);
	put_count(p, "activate_instruction_count", a->activate_count);
	put_number(p, "activate_instruction_time", seconds(a->activate_ps));
}

static void put_dma_kind(struct nx_profile *p, const struct nx_activity *a, enum nx_dma_kind kind,
			 const char *word)
{
	const struct nx_dma_activity *dma = &a->dma[kind];
	double active_s = seconds(nx_span_union_length(&dma->busy));

	/* a dynamic kind that did not occur has shares (0) but no amounts */
	if (dma->packet_count || kind == NX_DMA_STATIC) {
		put_count(p, joined(p, word, "dma_packet_count"), dma->packet_count);
		put_count(p, joined(p, word, "dma_size"), dma->size_bytes);
		put_number(p, joined(p, word, "dma_active_time"), active_s);
	}
	put_number(p, joined(p, word, "dma_packet_percent"),
		   ratio((double)dma->packet_count, (double)a->packet_count));
	put_number(p, joined(p, word, "dma_size_percent"),
		   ratio((double)dma->size_bytes, (double)a->packet_bytes));
	put_number(p, joined(p, word, "dma_active_time_percent"),
		   ratio(active_s, seconds(nx_span_union_length(&a->dma_busy))));
}

static void put_dynamic_shares(struct nx_profile *p, const struct nx_activity *a)
{
	double packets = 0, bytes = 0, active = 0;
	double dma_s = seconds(nx_span_union_length(&a->dma_busy));

	for (unsigned k = NX_DMA_HARDWARE_DYNAMIC; k <= NX_DMA_SOFTWARE_DYNAMIC; k++) {
		packets += ratio((double)a->dma[k].packet_count, (double)a->packet_count);
		bytes += ratio((double)a->dma[k].size_bytes, (double)a->packet_bytes);
		active += ratio(seconds(nx_span_union_length(&a->dma[k].busy)), dma_s);
	}
	put_number(p, "dynamic_dma_packet_percent", packets);
	put_number(p, "dynamic_dma_size_percent", bytes);
	put_number(p, "dynamic_dma_active_time_percent", active);
}

static void put_transfers(struct nx_profile *p)
{
	uint64_t bytes = 0, ps = 0;
	size_t count = p->transfers.len;

	for (size_t i = 0; i < count; i++) {
		bytes += p->transfers.items[i].size_bytes;
		ps += p->transfers.items[i].end_ps - p->transfers.items[i].start_ps;
	}
	if (count) {
		put_count(p, "dma_transfer_count", count);
		put_count(p, "dma_transfer_total_bytes", bytes);
	}
	if (count || p->has_binary) {
		put_count(p, "dma_transfer_average_bytes", count ? bytes / count : 0);
		put_number(p, "dma_transfer_time", seconds(ps));
	}
}

static void put_dma(struct nx_profile *p, const struct nx_activity *a)
{
	double total_s = seconds(p->capture.total_time_ps);
	uint64_t busy_ps = nx_span_union_length(&a->dma_busy);
	uint64_t all_ps = nx_span_union_length(&a->all_busy);

	put_number(p, "dma_packet_time", seconds(a->packet_ps));
	put_number(p, "dma_active_time", seconds(busy_ps));
	put_number(p, "dma_active_time_percent", ratio(seconds(busy_ps), total_s));
	put_count(p, "dma_active_cycles",
		  (uint64_t)((double)busy_ps / 1000.0 * p->capture.hardware->engine_clock_ghz));
	put_number(p, "total_active_time", seconds(all_ps));
	put_number(p, "total_active_time_percent", ratio(seconds(all_ps), total_s));
	put_dma_kind(p, a, NX_DMA_STATIC, "static");
	put_dma_kind(p, a, NX_DMA_HARDWARE_DYNAMIC, "hardware_dynamic");
	put_dma_kind(p, a, NX_DMA_SOFTWARE_DYNAMIC, "software_dynamic");
	put_dynamic_shares(p, a);
	put_transfers(p);
}

static void put_memory(struct nx_profile *p, const struct nx_activity *a)
{
	double total_s = seconds(p->capture.total_time_ps);
	double hbm_bytes = (double)(a->hbm_read_bytes + a->hbm_write_bytes);

	put_count(p, "hbm_read_bytes", a->hbm_read_bytes);
	put_count(p, "hbm_write_bytes", a->hbm_write_bytes);
	put_count(p, "sbuf_read_bytes", a->sbuf_read_bytes);
	put_count(p, "sbuf_write_bytes", a->sbuf_write_bytes);
	put_count(p, "psum_read_bytes", a->psum_read_bytes);
	put_count(p, "psum_write_bytes", a->psum_write_bytes);
	put_count(p, "psum_read_sbuf_write_bytes", a->eviction_bytes);
	put_count(p, "psum_read_sbuf_write_count", a->eviction_count);
	put_count(p, "input_queue_bytes", a->input_queue_bytes);
	put_count(p, "output_queue_bytes", a->output_queue_bytes);
	put_number(p, "mbu_estimated_percent",
		   ratio(hbm_bytes, total_s * (double)p->capture.hardware->hbm_bytes_per_s));
	if (!p->has_binary)
		return;
	put_count(p, "weight_queue_bytes", a->weight_queue_bytes);
	if (a->trigger_count) {
		put_count(p, "spill_save_bytes", a->spill_save_bytes);
		put_count(p, "spill_reload_bytes", a->spill_reload_bytes);
	}
}

static void put_tensors(struct nx_profile *p)
{
	uint64_t sizes[3] = {0};
	double total_s = seconds(p->capture.total_time_ps);
	uint64_t read_once;

	if (!p->has_binary)
		return;
	for (size_t i = 0; i < p->binary.tensor_count; i++)
		sizes[p->binary.tensors[i].kind] += p->binary.tensors[i].size_bytes;
	read_once = sizes[NX_TENSOR_INPUT] + sizes[NX_TENSOR_WEIGHT];
	put_count(p, "weight_size_bytes", sizes[NX_TENSOR_WEIGHT]);
	put_count(p, "inputs_and_weights_size_bytes", read_once);
	put_count(p, "inputs_outputs_weights_size_bytes", read_once + sizes[NX_TENSOR_OUTPUT]);
	put_number(p, "mbu_min_read_util_percent",
		   ratio((double)read_once,
			 total_s * (double)p->capture.hardware->hbm_bytes_per_s));
}

static double achievable(double flops, double hbm_bytes, double bandwidth, double peak)
{
	double limit = ratio(flops, hbm_bytes) * bandwidth / peak;

	return limit < 1 ? limit : 1;
}

static void put_flops(struct nx_profile *p, const struct nx_activity *a)
{
	const struct nx_hardware *hw = p->capture.hardware;
	double total_s = seconds(p->capture.total_time_ps);
	double peak_core = nx_peak_flops(hw), peak = peak_core * p->capture.graph_count;
	double bandwidth = (double)hw->hbm_bytes_per_s;
	double hbm_bytes = (double)(a->hbm_read_bytes + a->hbm_write_bytes);
	double useful = (double)(a->flop_count - a->transpose_flop_count);
	double model = 2.0 * (double)(p->has_binary ? p->binary.hlo_mac_count : 0);
	double best = model > 0 ? model : useful;

	put_count(p, "hardware_flops", a->flop_count);
	put_count(p, "transpose_flops", a->transpose_flop_count);
	put_number(p, "hfu_estimated_percent", ratio((double)a->flop_count, total_s * peak));
	put_number(p, "mfu_inst_estimated_percent", ratio(useful, total_s * peak));
	put_number(p, "mfu_estimated_percent", ratio(best, total_s * peak));
	put_number(p, "mm_arithmetic_intensity", ratio(best, hbm_bytes));
	put_number(p, "peak_flops_bandwidth_ratio", peak_core / bandwidth);
	put_number(p, "mfu_inst_max_achievable_estimated_percent",
		   achievable(useful, hbm_bytes, bandwidth, peak));
	put_number(p, "mfu_max_achievable_estimated_percent",
		   achievable(best, hbm_bytes, bandwidth, peak));
	if (!p->has_binary)
		return;
	put_count(p, "model_flops", 2 * p->binary.hlo_mac_count);
	put_number(p, "mfu_hlo_estimated_percent", ratio(model, total_s * peak));
	put_number(p, "mfu_hlo_max_achievable_estimated_percent",
		   achievable(model, hbm_bytes, bandwidth, peak));
}

/* Runs of a core come in order of their start. */
static void add_collectives(const struct nx_graph *graph, struct nx_span_union *active,
			    uint64_t *sum_ps)
{
	for (size_t i = 0; i < graph->collective_run_count; i++) {
		const struct nx_collective_run *run = &graph->collective_runs[i];

		*sum_ps += run->end_ps - run->start_ps;
		nx_span_union_cover(active, run->start_ps, run->end_ps);
	}
}

/* Steps of collective cores are not decoded: their records are not documented. */
static void put_collectives(struct nx_profile *p)
{
	static const char *const zeros[] = {"cc_cores_instruction_active_time",
					    "cc_cores_instruction_active_time_percent",
					    "cc_cores_instruction_time"};
	uint64_t ops = 0, runs = 0, sum_ps = 0;
	struct nx_span_union active = {0};
	double active_s;

	for (uint32_t g = 0; g < p->capture.graph_count; g++) {
		ops += p->capture.graphs[g].collective_op_count;
		runs += p->capture.graphs[g].collective_run_count;
		add_collectives(&p->capture.graphs[g], &active, &sum_ps);
	}
	active_s = seconds(nx_span_union_length(&active));
	put_count(p, "cc_cores_instruction_count", 0);
	put_count(p, "cc_op_count", runs ? runs : ops);
	for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++)
		put_number(p, zeros[i], 0);
	put_number(p, "cc_op_active_time", active_s);
	put_number(p, "cc_op_active_time_percent",
		   ratio(active_s, seconds(p->capture.total_time_ps)));
	put_number(p, "cc_op_time", seconds(sum_ps));
}

/* --- throttling ------------------------------------------------------------ */

static_assert(NX_THROTTLE_TYPES > UINT8_MAX, "a place for each type of a row");

void nx_throttle_sums_add(struct nx_throttle_sums *sums, const struct nx_throttle *row)
{
	uint64_t ns = (row->end_ps - row->start_ps) / 1000;
	double weighted = (double)ns * row->k / row->n;

	sums->row_count++;
	if (row->k < row->n)
		sums->limited_ns += ns;
	sums->weighted_ns += weighted;
	sums->types[row->type].row_count++;
	sums->types[row->type].duration_ns += ns;
	sums->types[row->type].weighted_ns += weighted;
}

struct nx_throttle_cost nx_throttle_cost_of_type(const struct nx_throttle_sums *sums, unsigned type,
						 uint64_t last_ns)
{
	const struct nx_throttle_type_sum *sum = &sums->types[type];

	assert(type < NX_THROTTLE_TYPES);
	return (struct nx_throttle_cost){
		.active_ns = sum->duration_ns,
		.active_frac = ratio((double)sum->duration_ns, (double)last_ns),
		.limit_frac = ratio(sum->weighted_ns, (double)sum->duration_ns),
	};
}

struct nx_throttle_cost nx_throttle_cost_of_all(const struct nx_throttle_sums *sums,
						uint64_t last_ns)
{
	return (struct nx_throttle_cost){
		.active_ns = sums->limited_ns,
		.active_frac = ratio((double)sums->limited_ns, (double)last_ns),
		.limit_frac = ratio(sums->weighted_ns, (double)last_ns),
	};
}

static void put_throttle_type(struct nx_profile *p, const struct nx_throttle_cost *cost,
			      unsigned type, uint32_t core)
{
	char text[NX_THROTTLE_TYPE_TEXT_MAX];
	const char *kind = nx_throttle_type_text(type, text);

	put_number(p,
		   nx_arena_printf(&p->arena, "throttle_%s_active_time_nc%u_percent", kind, core),
		   cost->active_frac);
	put_number(p,
		   nx_arena_printf(&p->arena, "throttle_%s_avg_util_limit_nc%u_percent", kind,
				   core),
		   cost->limit_frac);
}

static void put_throttling(struct nx_profile *p, const struct nx_throttle_sums *throttles)
{
	uint64_t last_ns = p->last_end_ps / 1000;

	for (uint32_t g = 0; g < p->capture.graph_count; g++) {
		const struct nx_throttle_sums *sums = &throttles[g];
		struct nx_throttle_cost cost = nx_throttle_cost_of_all(sums, last_ns);

		if (!sums->row_count)
			continue;
		put_count(p, nx_arena_printf(&p->arena, "throttle_active_nc%u_time_ns", g),
			  cost.active_ns);
		put_number(p, nx_arena_printf(&p->arena, "throttle_avg_util_limit_nc%u_percent", g),
			   cost.limit_frac);
		for (unsigned type = 0; type < NX_THROTTLE_TYPES; type++) {
			cost = nx_throttle_cost_of_type(sums, type, last_ns);
			if (sums->types[type].row_count)
				put_throttle_type(p, &cost, type, g);
		}
	}
}

static int compare_metrics(const void *left, const void *right)
{
	return strcmp(((const struct nx_metric *)left)->name,
		      ((const struct nx_metric *)right)->name);
}

void nx_summary_build(struct nx_profile *p, const struct nx_activity *activity,
		      const struct nx_throttle_sums *throttles)
{
	assert(p->capture.hardware && throttles);
	put_number(p, "total_time", seconds(p->capture.total_time_ps));
	put_count(p, "neuroncore_cycle_count",
		  nx_cycle_count(p->capture.total_time_ps, p->capture.hardware->engine_clock_ghz));
	put_system(p);
	put_counts(p);
	put_engines(p, activity);
	put_dma(p, activity);
	put_memory(p, activity);
	put_tensors(p);
	put_flops(p, activity);
	put_collectives(p);
	put_throttling(p, throttles);
	qsort(p->metrics.items, p->metrics.len, sizeof(*p->metrics.items), compare_metrics);
}

/* --- loads of tensors ------------------------------------------------------- */

static void add_transfer(struct nx_profile *p, const struct nx_transfer *t,
			 const struct nx_text_map *by_part)
{
	const struct nx_binary_graph *graph = p->program.binary_graphs[t->graph];
	const struct nx_dma_block *block = nx_transfer_block(p, t);
	uint64_t tensor, last = NX_NONE;

	for (size_t i = 0; block && i < block->descriptor_count; i++) {
		const struct nx_dma_descriptor *d = &block->descriptors[i];

		if (!d->from_count || d->from[0] >= graph->variable_count ||
		    !nx_variable_is_sbuf(graph, d->to) ||
		    !nx_text_map_get(&by_part[graph->part],
				     nx_slice_text(graph->variables[d->from[0]].name), &tensor))
			continue;
		p->tensor_loads[tensor].total_bytes += d->to_bytes;
		p->tensor_loads[tensor].dma_count += tensor != last;
		last = tensor;
	}
}

static uint32_t part_of(const struct nx_binary *binary, const struct nx_tensor *tensor)
{
	return binary->part_count ? binary->graphs[tensor->graph].part : 0;
}

/* Tensors of different NEFFs may have the same name. */
void nx_tensor_loads_sum(struct nx_profile *p)
{
	size_t part_count = p->binary.part_count ? p->binary.part_count : 1;
	struct nx_text_map *by_part = NX_NEW_ARRAY(&p->arena, struct nx_text_map, part_count);

	p->tensor_loads = NX_NEW_ARRAY(&p->arena, struct nx_tensor_load, p->binary.tensor_count);
	for (size_t i = 0; i < p->binary.tensor_count; i++)
		nx_text_map_put(&by_part[part_of(&p->binary, &p->binary.tensors[i])],
				nx_slice_text(p->binary.tensors[i].name), i);
	for (size_t i = 0; i < p->transfers.len; i++)
		add_transfer(p, &p->transfers.items[i], by_part);
	for (size_t i = 0; i < part_count; i++)
		nx_text_map_release(&by_part[i]);
}
