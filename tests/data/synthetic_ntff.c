/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synthetic_ntff: writes the capture of a machine. The message comes first and
 * names the size of every blob, so all sizes are planned before a byte is written.
 */
#include "base/bare/bits.h"
#include "tests/data/synthetic_inside.h"

#define PROTO_SIZE_OFFSET 1
#define UNKNOWN_FIELD 500
#define TABLE_QUEUE 14

static const struct {
	uint8_t trace_type, block_type;
} ring_kinds[NX_SYNTHETIC_RING_COUNT] = {
	[NX_SYNTHETIC_RING_INSTRUCTION] = {NX_TRACE_INSTRUCTION, NX_BLOCK_CORE},
	[NX_SYNTHETIC_RING_EVENT] = {NX_TRACE_EVENT, NX_BLOCK_CORE},
	[NX_SYNTHETIC_RING_ERROR] = {NX_TRACE_ERROR, NX_BLOCK_CORE},
	[NX_SYNTHETIC_RING_DMA] = {NX_TRACE_DMA, NX_BLOCK_DMA},
	[NX_SYNTHETIC_RING_THROTTLE] = {NX_TRACE_THROTTLE, NX_BLOCK_CORE},
	[NX_SYNTHETIC_RING_UNKNOWN] = {9, 7},
};

/* --- clocks ------------------------------------------------------------------- */

/* Older chips count ticks of their own; newer ones write picoseconds. */
static void set_clocks(struct nx_synthetic_writer *w)
{
	static const uint64_t actual[NX_SYNTHETIC_CLOCK_COUNT] = {731428, 731428, 731428, 914286,
								  731428, 731428, 1024,	  1024};
	static const uint64_t expected[NX_SYNTHETIC_CLOCK_COUNT] = {
		731408, 731408, 731408, 914260, 731408, 731408, 731408, 1204672};
	bool is_old = w->machine->options.arch == 1;

	for (unsigned i = 0; i < NX_SYNTHETIC_CLOCK_COUNT; i++) {
		w->clocks[i].init = is_old ? 1000000 + 77 * i : 0;
		w->clocks[i].actual = is_old ? actual[i] : 1;
		w->clocks[i].expected = is_old ? expected[i] : 1;
	}
}

static void fill_clocks(const struct nx_synthetic_writer *w, struct nx_ntff_clocks *out)
{
	struct nx_arena *arena = &w->machine->arena;

	out->tensor = w->clocks[NX_ENGINE_TENSOR];
	out->scalar = w->clocks[NX_ENGINE_SCALAR];
	out->vector = w->clocks[NX_ENGINE_VECTOR];
	out->gpsimd = w->clocks[NX_ENGINE_GPSIMD];
	out->sync = w->clocks[NX_ENGINE_SYNC];
	out->events = w->clocks[NX_SYNTHETIC_CLOCK_EVENTS];
	out->throttle = w->clocks[NX_SYNTHETIC_CLOCK_THROTTLE];
	out->has_tensor = out->has_scalar = out->has_vector = out->has_gpsimd = true;
	out->has_sync = out->has_events = out->has_throttle = true;
	out->dma.count = NX_SYNTHETIC_DMA_ENGINES;
	out->dma.items = NX_NEW_ARRAY(arena, struct nx_ntff_clock, out->dma.count);
	for (size_t i = 0; i < out->dma.count; i++)
		out->dma.items[i] = w->clocks[NX_SYNTHETIC_CLOCK_DMA];
}

/* --- the message ---------------------------------------------------------------- */

static void fill_code(struct nx_synthetic_writer *w, const struct nx_synthetic_graph *from,
		      struct nx_ntff_graph *out)
{
	struct nx_arena *arena = &w->machine->arena;

	out->code.count = NX_ENGINE_COUNT;
	out->code.items = NX_NEW_ARRAY(arena, struct nx_ntff_code, NX_ENGINE_COUNT);
	out->patches.count = NX_ENGINE_COUNT;
	out->patches.items = NX_NEW_ARRAY(arena, struct nx_ntff_patch, NX_ENGINE_COUNT);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		struct nx_ntff_code *code = &out->code.items[e];
		struct nx_ntff_patch *patch = &out->patches.items[e];

		code->engine = e;
		code->start_address = (uint64_t)nx_synthetic_pc(e, 0) << 6;
		patch->engine = e;
		patch->locations.count = 2;
		patch->locations.items = NX_NEW_ARRAY(arena, struct nx_ntff_patch_location, 2);
		patch->locations.items[0].count = NX_SYNTHETIC_PROLOGUE;
		patch->locations.items[1].count = NX_SYNTHETIC_EPILOGUE;
		patch->locations.items[1].offset =
			from->code[e].len - (uint64_t)NX_SYNTHETIC_EPILOGUE * NX_SLOT_BYTES;
		if (w->machine->options.version < 6) {
			code->inline_code = nx_slice_of(from->code[e].items, from->code[e].len);
			continue;
		}
		code->offset = w->next_offset;
		code->size = from->code[e].len;
		w->next_offset += code->size;
	}
}

static void fill_rings(struct nx_synthetic_writer *w, unsigned g, struct nx_ntff_ring *out)
{
	for (size_t r = 0; r < nx_synthetic_ring_count(w); r++) {
		out[r].trace_type = ring_kinds[r].trace_type;
		out[r].block_type = ring_kinds[r].block_type;
		out[r].core_idx = NX_SYNTHETIC_FIRST_CORE + g;
		out[r].offset = w->next_offset;
		out[r].size = nx_synthetic_ring_records(w, &w->machine->graphs[g].rings[r]) *
			      NX_NOTIFICATION_BYTES;
		w->next_offset += out[r].size;
	}
}

static void fill_blocks(const struct nx_synthetic_writer *w,
			const struct nx_synthetic_program *program, unsigned queue,
			struct nx_ntff_queue *out)
{
	out->blocks.items =
		NX_NEW_ARRAY(&w->machine->arena, struct nx_ntff_dma_block, program->blocks.len + 1);
	for (size_t i = 0; i < program->blocks.len; i++)
		if (program->blocks.items[i].queue == queue)
			out->blocks.items[out->blocks.count++] = (struct nx_ntff_dma_block){
				.block_id = program->blocks.items[i].id,
				.packet_count = program->blocks.items[i].packet_count + 1,
			};
}

static void fill_queues(const struct nx_synthetic_writer *w, unsigned g, struct nx_ntff_graph *out)
{
	const struct nx_synthetic_options *options = &w->machine->options;
	unsigned base = NX_SYNTHETIC_DMA_BASE + g * NX_SYNTHETIC_DMA_ENGINES;
	struct nx_ntff_queue *table;

	out->queues.items = NX_NEW_ARRAY(&w->machine->arena, struct nx_ntff_queue,
					 NX_SYNTHETIC_QUEUE_COUNT * options->dma_engine_count + 1);
	for (unsigned q = 0; q < NX_SYNTHETIC_QUEUE_COUNT; q++)
		for (unsigned e = 0; e < options->dma_engine_count; e++) {
			struct nx_ntff_queue *to = &out->queues.items[out->queues.count++];

			to->engine_index = base + e;
			to->queue_index = nx_synthetic_queues[q].index;
			to->queue_type = nx_synthetic_queues[q].queue_type;
			to->name = nx_slice_text(nx_synthetic_queues[q].name);
			to->tracing_event_id = -1;
			to->channel = 2;
			if (nx_synthetic_queues[q].is_static)
				fill_blocks(w, &w->machine->graphs[g].program, q, to);
		}
	table = &out->queues.items[out->queues.count++];
	table->engine_index = base + (options->dma_engine_count > 9 ? 9 : 0);
	table->queue_index = TABLE_QUEUE;
	table->name = nx_slice_text("qActTable");
	table->tracing_event_id = -1;
	table->channel = 2;
}

/* Number as version 4 has it, text as later ones have it. */
static const struct {
	uint8_t number;
	const char *text;
	uint32_t amount_bytes;
} memory[] = {
	{0, "generic", 38912},
	{4, "io", 524288},
	{5, "spill", 262144},
	{6, "weight", 3670016},
	{8, "profiler buffers", 67108864},
	{9, "act table", 83968},
	{13, "tensor", 524288},
	{14, "ucode", 1744584},
	{15, "pool stdio", 1088},
};

static const struct {
	uint8_t number;
	const char *text;
} code_memory[NX_ENGINE_COUNT] = {
	[NX_ENGINE_TENSOR] = {1, "pe"},	  [NX_ENGINE_SCALAR] = {2, "act"},
	[NX_ENGINE_GPSIMD] = {3, "pool"}, [NX_ENGINE_VECTOR] = {10, "dve"},
	[NX_ENGINE_SYNC] = {11, "sp"},
};

static void add_memory(const struct nx_synthetic_writer *w, struct nx_ntff_graph *out,
		       unsigned number, const char *text, uint64_t amount_bytes)
{
	struct nx_ntff_memory_usage *to = &out->memory.items[out->memory.count++];

	to->amount_bytes = amount_bytes;
	if (w->machine->options.version == 4)
		to->usage_type = number;
	else
		to->type = nx_slice_text(text);
}

static void fill_memory(const struct nx_synthetic_writer *w, const struct nx_synthetic_graph *from,
			struct nx_ntff_graph *out)
{
	size_t count = sizeof(memory) / sizeof(memory[0]);

	out->memory.items = NX_NEW_ARRAY(&w->machine->arena, struct nx_ntff_memory_usage,
					 count + NX_ENGINE_COUNT);
	for (size_t i = 0; i < count; i++)
		add_memory(w, out, memory[i].number, memory[i].text, memory[i].amount_bytes);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		add_memory(w, out, code_memory[e].number, code_memory[e].text, from->code[e].len);
}

static void fill_graph(struct nx_synthetic_writer *w, unsigned g, struct nx_ntff_graph *out)
{
	out->name = nx_slice_text(g ? "sg01" : "sg00");
	out->nc_idx = NX_SYNTHETIC_FIRST_CORE + g;
	fill_code(w, &w->machine->graphs[g], out);
	fill_queues(w, g, out);
	fill_clocks(w, &out->clocks);
	out->has_clocks = true;
	fill_memory(w, &w->machine->graphs[g], out);
	out->exec_duration_ps = w->run_count * w->machine->run_ps;
}

static void fill_identity(const struct nx_synthetic_writer *w, struct nx_ntff_info *info)
{
	const struct nx_synthetic_options *options = &w->machine->options;

	info->name = nx_slice_text("llama_demo");
	info->uuid = nx_slice_of(w->machine->uuid, sizeof(w->machine->uuid));
	info->id = 10001;
	info->arch = options->arch;
	info->instance_type = nx_slice_text(options->arch == 1 ? "inf2.xlarge" : "trn2.3xlarge");
	info->runtime_version = (struct nx_ntff_version){2, 30, 51, 0, nx_slice_text("5c1f2e9ab")};
	info->driver_version = (struct nx_ntff_version){2, 26, 5, 0, nx_slice_text("d3adc0de1")};
	info->collectives_version =
		(struct nx_ntff_version){2, 30, 58, 0, nx_slice_text("0badf00d")};
	info->has_runtime_version = info->has_driver_version = info->has_collectives_version = true;
	if (options->version == 4)
		info->profile_start_time = 1750000000;
	if (options->version >= 5) {
		info->ultraserver.instance_index = 0xffffffff;
		info->has_ultraserver = true;
	}
	if (options->version >= 6) {
		info->instance_id = nx_slice_text("i-0123456789abcdef0");
		info->pid = 4242;
		info->session_id = 1;
	}
}

static void fill_executions(const struct nx_synthetic_writer *w, struct nx_ntff_info *info)
{
	info->executions.items = NX_NEW(&w->machine->arena, struct nx_ntff_execution);
	info->executions.count = 1;
	info->executions.items[0].uid = nx_slice_of(w->machine->uuid, sizeof(w->machine->uuid));
	info->executions.items[0].start_ps = NX_SYNTHETIC_START_PS;
	info->executions.items[0].end_ps =
		NX_SYNTHETIC_START_PS + w->run_count * w->machine->run_ps;
}

static void fill_info(struct nx_synthetic_writer *w, struct nx_ntff_info *info)
{
	struct nx_arena *arena = &w->machine->arena;
	unsigned graph_count = w->machine->options.graph_count;
	bool has_session = w->machine->options.version >= 6;
	struct nx_ntff_node *node = NX_NEW(arena, struct nx_ntff_node);
	struct nx_ntff_ring *rings = NX_NEW_ARRAY(arena, struct nx_ntff_ring,
						  (size_t)NX_SYNTHETIC_RING_COUNT * graph_count);

	fill_identity(w, info);
	info->nodes.items = node;
	info->nodes.count = 1;
	node->has_device = true;
	if (has_session)
		node->uid = nx_slice_of(w->machine->uuid, sizeof(w->machine->uuid));
	node->device.graphs.items = NX_NEW_ARRAY(arena, struct nx_ntff_graph, graph_count);
	node->device.graphs.count = graph_count;
	for (unsigned g = 0; g < graph_count; g++)
		fill_graph(w, g, &node->device.graphs.items[g]);
	for (unsigned g = 0; g < graph_count; g++) {
		struct nx_ntff_graph *graph = &node->device.graphs.items[g];
		struct nx_ntff_ring *first = &rings[g * nx_synthetic_ring_count(w)];

		fill_rings(w, g, first);
		if (has_session)
			continue;
		graph->rings.items = first;
		graph->rings.count = nx_synthetic_ring_count(w);
	}
	if (!has_session)
		return;
	info->session_rings.items = rings;
	info->session_rings.count = nx_synthetic_ring_count(w) * graph_count;
	fill_executions(w, info);
}

static void write_head(struct nx_synthetic_writer *w)
{
	struct nx_ntff_info info;

	memset(&info, 0, sizeof(info));
	fill_info(w, &info);
	nx_ntff_write_head((uint8_t)w->machine->options.version, &info, &w->buffer);
	if (w->machine->options.with_faults) {
		nx_wire_put_u64(&w->buffer, UNKNOWN_FIELD, 1);
		nx_store64(w->buffer.items + PROTO_SIZE_OFFSET,
			   w->buffer.len - NX_NTFF_HEADER_BYTES);
	}
}

bool nx_synthetic_write_ntff(struct nx_synthetic_machine *machine, uint64_t run_count,
			     nx_synthetic_sink sink, void *context,
			     struct nx_synthetic_counts *counts)
{
	struct nx_synthetic_writer w = {
		.machine = machine, .run_count = run_count, .sink = sink, .context = context};
	bool is_written;

	set_clocks(&w);
	write_head(&w);
	for (unsigned g = 0; machine->options.version >= 6 && g < machine->options.graph_count; g++)
		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			nx_bytes_append(&w.buffer, machine->graphs[g].code[e].items,
					machine->graphs[g].code[e].len);
	is_written = nx_synthetic_write_rings(&w);
	nx_vec_release(&w.buffer);
	if (counts)
		nx_synthetic_sum_counts(&w, counts);
	return is_written;
}
