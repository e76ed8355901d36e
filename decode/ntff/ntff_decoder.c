/* SPDX-License-Identifier: Apache-2.0 */
/* From the parsed file to struct nx_capture. Rings are only located here; ring_*.c stream them. */
#include "decode/ntff/ntff_decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "decode/ntff/ntff_internal.h"
#include "decode/ntff/ring_scan.h"
#include "format/instruction.h"
#include "model/binary.h"

static const char *version_text(struct nx_arena *arena, const struct nx_ntff_version *v)
{
	int hash_len = v->git_hash.len < 5 ? (int)v->git_hash.len : 5;

	return nx_arena_printf(arena, "%llu.%llu.%llu (%.*s)", (unsigned long long)v->major,
			       (unsigned long long)v->minor, (unsigned long long)v->patch, hash_len,
			       hash_len ? (const char *)v->git_hash.data : "");
}

/* --- queues, memory, clocks ------------------------------------------------ */

static enum nx_queue_class classify(const char *name)
{
	struct nx_slice n = nx_slice_text(name);

	if (nx_slice_ends(n, "DynamicHW"))
		return NX_QUEUE_HARDWARE_DYNAMIC;
	if (strstr(name, "Dynamic"))
		return NX_QUEUE_SOFTWARE_DYNAMIC;
	if (nx_slice_ends(n, "Table"))
		return NX_QUEUE_INSTRUCTION;
	return NX_QUEUE_DATA;
}

static int compare_blocks(const void *left, const void *right)
{
	const struct nx_block_usage *a = left, *b = right;

	return (a->block_id > b->block_id) - (a->block_id < b->block_id);
}

static void load_blocks(const struct nx_ntff_queue *from, struct nx_arena *arena,
			struct nx_queue *to)
{
	to->block_count = from->blocks.count;
	to->blocks = NX_NEW_ARRAY(arena, struct nx_block_usage, from->blocks.count);
	for (size_t b = 0; b < from->blocks.count; b++)
		to->blocks[b] =
			(struct nx_block_usage){(uint32_t)from->blocks.items[b].block_id,
						(uint32_t)from->blocks.items[b].packet_count};
	if (to->block_count)
		qsort(to->blocks, to->block_count, sizeof(*to->blocks), compare_blocks);
}

static void load_queues(const struct nx_ntff_graph *from, struct nx_arena *arena,
			struct nx_graph *graph)
{
	graph->queue_count = from->queues.count;
	graph->queues = NX_NEW_ARRAY(arena, struct nx_queue, from->queues.count);
	for (size_t i = 0; i < from->queues.count; i++) {
		const struct nx_ntff_queue *q = &from->queues.items[i];
		struct nx_queue *to = &graph->queues[i];
		char display[256];

		to->engine_idx = (uint32_t)q->engine_index;
		to->queue_idx = (uint32_t)q->queue_index;
		to->type = (uint32_t)q->queue_type;
		to->name = nx_arena_copy(arena, q->name);
		nx_queue_display_name(to->name, strlen(to->name), display, sizeof(display));
		to->display_name = nx_arena_copy_text(arena, display);
		to->queue_class = classify(to->name);
		to->event_id = q->tracing_event_id;
		to->axi_port = (uint32_t)q->axi_port;
		to->dram_channel = (uint32_t)q->channel;
		load_blocks(q, arena, to);
	}
}

/* Runtimes from 2.24 on send a text, older ones a number: the place in this list. */
#define NUMBERED_NAMES 18
static const struct {
	const char *text, *shown;
} memory_names[] = {
	{"generic", "Generic"},
	{"pe", "Tensor Instructions"},
	{"act", "Scalar Instructions"},
	{"pool", "GpSimd Instructions"},
	{"io", "IO"},
	{"spill", "DRAM Spill"},
	{"weight", "Weights"},
	{"", "DMA Rings"}, /* has only a number */
	{"profiler buffers", "Profiler Buffers"},
	{"act table", "Scalar Table"},
	{"dve", "Vector Instructions"},
	{"sp", "Sync Instructions"},
	{"shared scratchpad", "Shared Scratchpad"},
	{"tensor", "Tensors"},
	{"ucode", "Ucode lib"},
	{"pool stdio", "GpSimd STDIO"},
	{"collectives", "Collectives"},
	{"scratchpad", "Scratchpad"},
	{"xt cc", "XT CC (unused)"},
	{"dma rings runtime", "DMA Rings Runtime"},
	{"dma rings spill", "DMA Rings Spill"},
	{"dma rings io", "DMA Rings IO"},
	{"dma rings collectives", "DMA Rings Collectives"},
};

static_assert(sizeof(memory_names) / sizeof(memory_names[0]) >= NUMBERED_NAMES, "all are here");

static const char *memory_name(struct nx_arena *arena, const struct nx_ntff_memory_usage *m)
{
	if (m->type.len) {
		for (size_t i = 0; i < sizeof(memory_names) / sizeof(memory_names[0]); i++)
			if (nx_slice_is(m->type, memory_names[i].text))
				return memory_names[i].shown;
		return nx_arena_copy(arena, m->type);
	}
	if (m->usage_type < NUMBERED_NAMES)
		return memory_names[m->usage_type].shown;
	return nx_arena_printf(arena, "Type %llu", (unsigned long long)m->usage_type);
}

static void load_memory(const struct nx_ntff_graph *from, struct nx_arena *arena,
			struct nx_graph *graph)
{
	graph->memory_count = from->memory.count;
	graph->memory = NX_NEW_ARRAY(arena, struct nx_memory_usage, from->memory.count);
	for (size_t i = 0; i < from->memory.count; i++)
		graph->memory[i] =
			(struct nx_memory_usage){memory_name(arena, &from->memory.items[i]),
						 from->memory.items[i].amount_bytes};
}

static struct nx_clock clock_of(const struct nx_ntff_clock *c)
{
	return (struct nx_clock){c->init, c->actual, c->expected};
}

static void load_clocks(const struct nx_ntff_graph *from, struct nx_graph_rings *rings)
{
	const struct nx_ntff_clocks *c = &from->clocks;
	uint32_t lowest = UINT32_MAX;

	rings->engine_clocks[NX_ENGINE_TENSOR] = clock_of(&c->tensor);
	rings->engine_clocks[NX_ENGINE_SCALAR] = clock_of(&c->scalar);
	rings->engine_clocks[NX_ENGINE_GPSIMD] = clock_of(&c->gpsimd);
	rings->engine_clocks[NX_ENGINE_VECTOR] = clock_of(&c->vector);
	rings->engine_clocks[NX_ENGINE_SYNC] = clock_of(&c->sync);
	rings->event_clock = clock_of(&c->events);
	rings->throttle_clock = clock_of(&c->throttle);
	for (size_t i = 0; i < NX_DMA_CLOCKS && i < c->dma.count; i++)
		rings->dma_clocks[i] = clock_of(&c->dma.items[i]);
	/* a record names its DMA engine modulo 32; the declared queues say which 32 */
	for (size_t i = 0; i < from->queues.count; i++)
		if (from->queues.items[i].engine_index < lowest)
			lowest = (uint32_t)from->queues.items[i].engine_index;
	rings->dma_engine_base = from->queues.count ? lowest & ~31u : 0;
}

/* --- rings ----------------------------------------------------------------- */

/* Explicit rings are empty in all known captures, and TopSP records are not documented. */
static bool ring_is_read(const struct nx_ntff_ring *ring)
{
	switch (ring->block_type) {
	case NX_BLOCK_CORE:
		return ring->trace_type <= NX_TRACE_ERROR || ring->trace_type == NX_TRACE_THROTTLE;
	case NX_BLOCK_DMA:
		return true;
	default:
		return false;
	}
}

static void add_ring(struct nx_ntff_decoder *d, const struct nx_ntff_ring *ring,
		     struct nx_graph_rings *rings)
{
	struct nx_slice bytes = nx_ntff_ring_bytes(&d->ntff, ring);
	struct nx_ring_span span = {(uint32_t)ring->trace_type, (uint32_t)ring->block_type,
				    nx_ntff_within_budget(d, bytes, &d->ring_budget_bytes), false};

	if (!ring->inline_records.len && ring->size > bytes.len)
		d->loss.missing_bytes += ring->size - bytes.len;
	span.is_cut = ring->size > span.records.len && !ring->inline_records.len;
	d->loss.odd_tail_bytes += span.records.len % NX_NOTIFICATION_BYTES;
	d->ring_bytes += span.records.len;
	if (span.records.len >= NX_NOTIFICATION_BYTES)
		rings->rings[rings->ring_count++] = span;
}

/* Whether a ring of any kind belongs to the graph and is not empty. */
static bool ring_is_of(const struct nx_ntff_decoder *d, const struct nx_ntff_ring *ring,
		       const struct nx_ntff_graph *from)
{
	return (from->rings.count || ring->core_idx == from->nc_idx) &&
	       (nx_ntff_ring_bytes(&d->ntff, ring).len || ring->size);
}

static void load_rings(struct nx_ntff_decoder *d, const struct nx_ntff_graph *from,
		       struct nx_arena *arena, struct nx_graph_rings *rings)
{
	const struct nx_ntff_info *info = &d->ntff.info;
	const struct nx_ntff_ring *items =
		from->rings.count ? from->rings.items : info->session_rings.items;
	size_t count = from->rings.count ? from->rings.count : info->session_rings.count, mine = 0;

	for (size_t i = 0; i < count; i++)
		mine += ring_is_of(d, &items[i], from);
	if (mine > d->ring_budget_bytes / NX_NOTIFICATION_BYTES)
		mine = (size_t)(d->ring_budget_bytes / NX_NOTIFICATION_BYTES);
	rings->rings = NX_NEW_ARRAY(arena, struct nx_ring_span, mine);
	rings->is_of_session = !from->rings.count;
	for (size_t i = 0; i < count; i++) {
		if (!ring_is_of(d, &items[i], from))
			continue;
		if (ring_is_read(&items[i]))
			add_ring(d, &items[i], rings);
		else if (!d->loss.unknown_ring_count++)
			d->loss.first_unknown_ring = (uint32_t)(items[i].trace_type << 8) |
						     (uint32_t)(items[i].block_type & 0xff);
	}
}

/* --- the whole ------------------------------------------------------------- */

/* Models that ran on the same core share its rings. */
static bool share_rings(struct nx_ntff_decoder *d, const struct nx_ntff_graph *from, uint32_t index)
{
	for (uint32_t g = 0; g < index && !from->rings.count; g++) {
		struct nx_graph_rings *rings = &d->graphs[g];

		if (!rings->is_of_session || d->capture->graphs[g].nc_idx != from->nc_idx)
			continue;
		d->graphs[index].rings = rings->rings;
		d->graphs[index].ring_count = rings->ring_count;
		for (size_t i = 0; i < rings->ring_count; i++)
			d->ring_bytes += rings->rings[i].records.len;
		return true;
	}
	return false;
}

static void load_graph(struct nx_ntff_decoder *d, const struct nx_ntff_node *node,
		       const struct nx_ntff_graph *from, struct nx_arena *arena, uint32_t index)
{
	struct nx_graph *graph = &d->capture->graphs[index];

	graph->name = nx_arena_copy(arena, from->name);
	graph->uid = node->uid;
	if (d->capture->model_count > 1) {
		graph->model_idx = nx_ntff_find_model(d, node->uid);
		graph->compiled_name = graph->name;
		graph->name = nx_arena_printf(arena, NX_MODEL_GRAPH_FORMAT, graph->model_idx,
					      graph->name);
	}
	graph->nd_idx = (uint32_t)from->nd_idx;
	graph->nc_idx = (uint32_t)from->nc_idx;
	graph->exec_duration_ps = from->exec_duration_ps;
	nx_ntff_load_code(d, from, arena, graph);
	load_queues(from, arena, graph);
	load_memory(from, arena, graph);
	nx_ntff_load_collectives(from, arena, graph);
	load_clocks(from, &d->graphs[index]);
	if (!share_rings(d, from, index))
		load_rings(d, from, arena, &d->graphs[index]);
}

/* With a chosen execution, only the graphs of its model are shown. */
static bool is_shown(const struct nx_ntff_decoder *d, size_t node)
{
	return !d->shown_uid.len ||
	       nx_slice_equal(d->ntff.info.nodes.items[node].uid, d->shown_uid);
}

static void choose_models(struct nx_ntff_decoder *d, const struct nx_ntff_options *options)
{
	const struct nx_ntff_info *info = &d->ntff.info;

	nx_ntff_list_models(d);
	d->capture->model_count = d->model_count;
	if (d->model_count < 2 || !options->is_chosen ||
	    options->execution >= info->executions.count ||
	    nx_ntff_find_model(d, info->executions.items[options->execution].uid) == NX_NONE)
		return;
	d->shown_uid = info->executions.items[options->execution].uid;
	d->capture->model_count = 1;
}

static void load_identity(struct nx_ntff_decoder *d, const char *path, struct nx_arena *arena)
{
	const struct nx_ntff_info *info = &d->ntff.info;
	struct nx_capture *c = d->capture;

	c->path = path;
	c->version = d->ntff.version;
	c->arch = (unsigned)info->arch;
	c->hardware = nx_hardware_of(c->arch);
	if (!c->hardware)
		c->hardware = nx_hardware_of(c->arch < NX_ARCH_V2 ? NX_ARCH_V2 : NX_ARCH_V3);
	c->model_name = nx_arena_copy(arena, info->name);
	c->uuid = info->uuid;
	c->instance_type = nx_arena_copy(arena, info->instance_type);
	c->instance_id = nx_arena_copy(arena, info->instance_id);
	c->pid = info->pid;
	c->rank = nx_ntff_rank(info, arena);
	c->is_simulation = nx_slice_starts(info->runtime_version.git_hash, NX_NTFF_SIMULATED);
	if (info->has_ultraserver)
		c->ultraserver = nx_ultraserver_of(info->ultraserver.id, info->ultraserver.size,
						   info->ultraserver.instance_index);
	c->runtime_version = version_text(arena, &info->runtime_version);
	c->driver_version = version_text(arena, &info->driver_version);
	c->collectives_version = version_text(arena, &info->collectives_version);
	for (size_t i = 0; i < info->nodes.count && !c->uid.len; i++)
		if (info->nodes.items[i].has_device && is_shown(d, i))
			c->uid = info->nodes.items[i].uid;
}

enum nx_status nx_ntff_decoder_open(struct nx_ntff_decoder *d, struct nx_slice file,
				    const char *path, const struct nx_ntff_options *options,
				    struct nx_arena *arena, struct nx_capture *capture,
				    struct nx_error *err)
{
	size_t count = 0;
	uint32_t index = 0;

	assert(path && options && arena);
	memset(d, 0, sizeof(*d));
	memset(capture, 0, sizeof(*capture));
	d->capture = capture;
	if (nx_ntff_read(file, arena, &d->ntff, err))
		return nx_context(err, "%s", path);
	choose_models(d, options);
	for (size_t n = 0; n < d->ntff.info.nodes.count; n++)
		if (is_shown(d, n))
			count += d->ntff.info.nodes.items[n].device.graphs.count;
	if (!count)
		return nx_fail(err, NX_FORMAT,
			       "%s holds no device graph, so there is nothing to show; "
			       "was the model run on a NeuronCore while profiling was on?",
			       path);
	if (count > NX_MAX_GRAPHS) {
		d->loss.ignored_graph_count = count - NX_MAX_GRAPHS;
		count = NX_MAX_GRAPHS;
	}
	d->code_budget_bytes = d->ring_budget_bytes = (uint64_t)file.len * NX_BLOB_SHARE;
	load_identity(d, path, arena);
	capture->graph_count = (uint32_t)count;
	capture->graphs = NX_NEW_ARRAY(arena, struct nx_graph, count);
	d->graphs = NX_NEW_ARRAY(arena, struct nx_graph_rings, count);
	for (size_t n = 0; n < d->ntff.info.nodes.count; n++) {
		const struct nx_ntff_node *node = &d->ntff.info.nodes.items[n];

		for (size_t g = 0; is_shown(d, n) && g < node->device.graphs.count; g++)
			if (index < count)
				load_graph(d, node, &node->device.graphs.items[g], arena, index++);
	}
	return nx_ntff_find_window(d, options, arena, err);
}
