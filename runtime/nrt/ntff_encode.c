/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/nrt/ntff_encode.h"

#include <assert.h>
#include <unistd.h>

#include "format/instruction.h"
#include "runtime/nrt/nrt_log.h"
#include "runtime/nrt/ranks/model_ranks.h"
#include "runtime/nrt/release.h"
#include "runtime/timing/notifications.h"

#define NTFF_ID 10001 /* as all real files have */
#define VERSION 6
#define VERSION_OF_TICKS 5
#define NO_EVENT (-1)
#define DRAM_CHANNEL 2			 /* as real captures of trn2 have */
#define NO_INSTANCE UINT64_C(0xffffffff) /* not part of an UltraServer */

/* --- code ------------------------------------------------------------------------------------ */

struct patching {
	struct nx_ntff_patch *patch;
	uint64_t next_pc; /* of the compiler's stream */
};

/* Adjacent patches of one kind become one. */
static void add_patch(struct patching *p, size_t slot, enum nx_patch_type type, uint64_t count)
{
	struct nx_ntff_patch_location *items = p->patch->locations.items;
	size_t len = p->patch->locations.count;

	if (len && items[len - 1].type == type && type != NX_PATCH_DELETE &&
	    items[len - 1].offset / NX_SLOT_BYTES + items[len - 1].count == slot) {
		items[len - 1].count += count;
		return;
	}
	items[p->patch->locations.count++] = (struct nx_ntff_patch_location){
		.offset = slot * NX_SLOT_BYTES, .count = count, .type = type};
}

/* At most two per slot: one for deleted slots before it, one for the slot itself. */
static void fill_patches(const struct nx_loaded_stream *stream, struct nx_arena *arena,
			 struct nx_ntff_patch *patch)
{
	struct patching p = {patch, 0};

	patch->locations.items =
		NX_NEW_ARRAY(arena, struct nx_ntff_patch_location, 2 * stream->slot_count);
	for (size_t i = 0; i < stream->slot_count; i++) {
		const struct nx_loaded_slot *slot = &stream->slots[i];

		if (slot->compiler_pc == NX_NO_INDEX) {
			add_patch(&p, i, NX_PATCH_INSERT, 1);
			continue;
		}
		if (slot->compiler_pc > p.next_pc)
			add_patch(&p, i, NX_PATCH_DELETE, slot->compiler_pc - p.next_pc);
		if (slot->kind == NX_LOADED_REPLACED)
			add_patch(&p, i, NX_PATCH_MODIFY, 1);
		p.next_pc = (uint64_t)slot->compiler_pc + 1;
	}
}

void nx_ntff_fill_code(const struct nx_loaded_core *core, uint8_t version, uint64_t *offset,
		       struct nx_arena *arena, struct nx_ntff_graph *graph)
{
	graph->code.count = graph->patches.count = NX_ENGINE_COUNT;
	graph->code.items = NX_NEW_ARRAY(arena, struct nx_ntff_code, NX_ENGINE_COUNT);
	graph->patches.items = NX_NEW_ARRAY(arena, struct nx_ntff_patch, NX_ENGINE_COUNT);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const struct nx_loaded_stream *stream = &core->streams[e];
		struct nx_ntff_code *code = &graph->code.items[e];
		uint8_t *image;

		code->engine = e;
		code->start_address = stream->start_address;
		graph->patches.items[e].engine = e;
		fill_patches(stream, arena, &graph->patches.items[e]);
		if (version >= 6) {
			code->offset = *offset;
			code->size = stream->slot_count * NX_SLOT_BYTES;
			*offset += code->size;
			continue;
		}
		image = NX_NEW_ARRAY(arena, uint8_t, stream->slot_count * NX_SLOT_BYTES);
		for (size_t i = 0; i < stream->slot_count; i++)
			memcpy(image + i * NX_SLOT_BYTES, stream->slots[i].word.bytes,
			       NX_SLOT_BYTES);
		code->inline_code = nx_slice_of(image, stream->slot_count * NX_SLOT_BYTES);
	}
}

void nx_ntff_append_code(const struct nx_loaded_core *core, struct nx_bytes *out)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		for (size_t i = 0; i < core->streams[e].slot_count; i++)
			nx_bytes_append(out, core->streams[e].slots[i].word.bytes, NX_SLOT_BYTES);
}

/* --- queues ---------------------------------------------------------------------------------- */

/* Packets of a dynamic queue are unknown until it runs. */
static void fill_blocks(const struct nx_loaded_queue *from, unsigned ring, struct nx_arena *arena,
			struct nx_ntff_queue *to)
{
	if (from->kind != NX_LOADED_STATIC)
		return;
	to->blocks.count = from->block_count;
	to->blocks.items = NX_NEW_ARRAY(arena, struct nx_ntff_dma_block, from->block_count);
	for (size_t i = 0; i < from->block_count; i++) {
		const struct nx_loaded_block *block = &from->blocks[i];
		uint32_t packet_count = block->first[ring + 1] - block->first[ring];

		to->blocks.items[i] = (struct nx_ntff_dma_block){.block_id = block->id,
								 .packet_count = packet_count,
								 .m2s = packet_count,
								 .s2m = packet_count};
	}
}

void nx_ntff_fill_queues(const struct nx_loaded_core *core, uint32_t first_core,
			 struct nx_arena *arena, struct nx_ntff_graph *graph)
{
	graph->queues.items =
		NX_NEW_ARRAY(arena, struct nx_ntff_queue, core->queue_count * NX_LOADED_RINGS);
	for (size_t q = 0; q < core->queue_count; q++)
		for (unsigned ring = 0; ring < NX_LOADED_RINGS; ring++) {
			const struct nx_loaded_queue *from = &core->queues[q];
			struct nx_ntff_queue *to = &graph->queues.items[graph->queues.count++];

			to->engine_index = (uint64_t)first_core * NX_DMA_ENGINE_COUNT +
					   from->first_dma_engine + ring;
			to->queue_index = from->queue_index;
			to->queue_type = from->queue_type;
			to->name = from->name;
			to->tracing_event_id = NO_EVENT;
			to->channel = DRAM_CHANNEL;
			fill_blocks(from, ring, arena, to);
		}
}

/* --- memory ---------------------------------------------------------------------------------- */

static void add_memory(struct nx_ntff_graph *graph, const char *type, uint64_t amount_bytes)
{
	graph->memory.items[graph->memory.count++] = (struct nx_ntff_memory_usage){
		.amount_bytes = amount_bytes, .type = nx_slice_text(type)};
}

void nx_ntff_fill_memory(const struct nx_loaded_code *code, size_t core, struct nx_arena *arena,
			 struct nx_ntff_graph *graph)
{
	const struct nx_core_program *program = &code->program->cores[core];
	uint64_t weight_bytes = 0, tensor_bytes = 0;

	for (size_t i = 0; i < program->variable_count; i++)
		if (program->variables[i].kind == NX_VARIABLE_FILE)
			weight_bytes += program->variables[i].size_bytes;
	for (size_t i = 0; core == 0 && i < code->program->tensor_count; i++)
		tensor_bytes += code->program->tensors[i].size_bytes;
	graph->memory.items = NX_NEW_ARRAY(arena, struct nx_ntff_memory_usage, NX_ENGINE_COUNT + 3);
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		add_memory(graph, nx_engines[e].neff_key,
			   code->cores[core].streams[e].slot_count * NX_SLOT_BYTES);
	add_memory(graph, "weight", weight_bytes);
	add_memory(graph, "scratchpad", program->scratch_bytes);
	add_memory(graph, "tensor", tensor_bytes);
}

struct encoding {
	const struct nx_ntff_recording *recording;
	const struct nx_notified *notified; /* version 6: the recording's or own; may be NULL */
	struct nx_notified own;
	uint8_t version;
	uint32_t first_core;
	uint64_t offset; /* of the next blob */
	struct nx_arena arena;
	struct nx_bytes *out;
};

/* --- rings ------------------------------------------------------------------------------------ */

static struct nx_ntff_ring place_ring(struct encoding *e, const struct nx_notified_ring *from)
{
	struct nx_ntff_ring ring = {
		.trace_type = from->trace_type,
		.block_type = from->block_type,
		.engine_index = from->engine_index,
		.core_idx = e->version >= 6 ? e->first_core + from->core : 0,
		.offset = e->offset,
		.size = from->records.len,
	};

	e->offset += from->records.len;
	return ring;
}

static struct nx_ntff_ring *place_rings(struct encoding *e, const struct nx_notified *notified)
{
	size_t count = notified ? notified->rings.len : 0;
	struct nx_ntff_ring *rings = NX_NEW_ARRAY(&e->arena, struct nx_ntff_ring, count);

	for (size_t i = 0; i < count; i++)
		rings[i] = place_ring(e, &notified->rings.items[i]);
	return rings;
}

/* Before version 6 each graph has its own. */
static void fill_graph_rings(struct encoding *e, const struct nx_notified *notified,
			     struct nx_ntff_device_node *device)
{
	struct nx_ntff_ring *rings = place_rings(e, notified);

	for (size_t i = 0; notified && i < notified->rings.len; i++) {
		uint32_t core = notified->rings.items[i].core;
		struct nx_ntff_graph *graph;

		if (core >= device->graphs.count)
			continue;
		graph = &device->graphs.items[core]; /* rings of a core are adjacent */
		if (!graph->rings.count)
			graph->rings.items = &rings[i];
		graph->rings.count++;
	}
}

static void append_rings(struct encoding *e, const struct nx_notified *notified)
{
	for (size_t i = 0; notified && i < notified->rings.len; i++)
		nx_bytes_append(e->out, notified->rings.items[i].records.items,
				notified->rings.items[i].records.len);
}

/* --- the file -------------------------------------------------------------------------------- */

struct nx_slice nx_ntff_model_uid(const struct nx_model *model)
{
	return nx_slice_of(model->neff.header.uuid, 16);
}

bool nx_ntff_has_timeline(const struct nx_model *model)
{
	return !nx_notify_counts_ticks(model->port->arch(model->program));
}

/* The rings that have a model's records; may be NULL. */
static const struct nx_notified *notified_of(const struct encoding *e,
					     const struct nx_ntff_model *from)
{
	return e->version >= 6 || e->recording->run ? e->notified : from->notified;
}

static void fill_graph(struct encoding *e, const struct nx_ntff_model *from, size_t index,
		       struct nx_ntff_graph *graph)
{
	const struct nx_model *model = from->model;
	const struct nx_loaded_code *code = model->port->code(model->program);
	const struct nx_notified *notified = notified_of(e, from);

	graph->name = nx_slice_text(nx_arena_printf(&e->arena, "sg%02zu", index));
	graph->nd_idx = nx_instance_device(nx_state_instance(), model->core);
	graph->nc_idx = e->first_core + index;
	graph->exec_duration_ps = from->duration_ps;
	if (e->version < 6 && notified && notified->marked_ps)
		graph->exec_duration_ps = notified->marked_ps;
	graph->has_clocks = true;
	if (notified && notified->rings.len)
		graph->clocks = notified->clocks;
	else
		nx_notify_set_clocks(&graph->clocks, false, &e->arena);
	nx_model_ranks_fill(model->ranks, (uint32_t)index, &e->arena, graph);
	if (!code || index >= code->core_count)
		return;
	nx_ntff_fill_code(&code->cores[index], e->version, &e->offset, &e->arena, graph);
	nx_ntff_fill_queues(&code->cores[index], e->first_core, &e->arena, graph);
	nx_ntff_fill_memory(code, index, &e->arena, graph);
}

static void fill_identity(struct encoding *e, struct nx_ntff_info *info)
{
	const struct nx_model *model = e->recording->models[0].model;
	const struct nx_instance *instance = nx_state_instance();
	const struct nx_instance_kind *kind = instance->kind;
	enum nx_device_arch arch = model->port->arch(model->program);

	if (!nx_instance_runs(kind, arch))
		kind = nx_instance_kind_of(arch);
	info->name = nx_slice_text(model->neff.header.name);
	info->uuid = nx_slice_of(model->neff.header.uuid,
				 strnlen((const char *)model->neff.header.uuid, 16));
	info->id = NTFF_ID;
	info->arch = nx_device_generation(kind ? kind->arch : arch);
	info->runtime_version =
		(struct nx_ntff_version){NX_RELEASE_MAJOR, NX_CAPTURE_MINOR, NX_CAPTURE_PATCH, 0,
					 nx_slice_text(NX_NTFF_SIMULATED "ed")};
	info->has_runtime_version = true;
	info->instance_type = nx_slice_text(kind ? kind->type : "");
	info->ultraserver.instance_index = NO_INSTANCE;
	info->has_ultraserver = true;
	info->start_nc = model->core;
	if (e->recording->has_process && e->version >= 6) {
		info->instance_id = nx_slice_text(instance->instance_id);
		info->pid = (uint64_t)getpid();
	}
}

static void fill_node(struct encoding *e, size_t index, struct nx_ntff_node *node)
{
	const struct nx_ntff_model *from = &e->recording->models[index];
	struct nx_ntff_device_node *device = &node->device;

	node->node_id = (int64_t)index;
	node->has_device = true;
	/* Real files of version 5 have no ids here, but also never several models. */
	if (e->version >= 6 || e->recording->model_count > 1)
		node->uid = nx_ntff_model_uid(from->model);
	device->graphs.count = from->model->neff.graph_count;
	device->graphs.items = NX_NEW_ARRAY(&e->arena, struct nx_ntff_graph, device->graphs.count);
	for (size_t i = 0; i < device->graphs.count; i++)
		fill_graph(e, from, i, &device->graphs.items[i]);
	if (e->version < 6)
		fill_graph_rings(e, notified_of(e, from), device);
}

/* Version 6: all code, then the rings. Before, code is in the message. */
static void append_blobs(struct encoding *e)
{
	const struct nx_ntff_recording *recording = e->recording;

	for (size_t m = 0; m < recording->model_count; m++) {
		const struct nx_model *model = recording->models[m].model;
		const struct nx_loaded_code *code = model->port->code(model->program);

		for (size_t i = 0; e->version >= 6 && code && i < code->core_count; i++)
			nx_ntff_append_code(&code->cores[i], e->out);
		if (e->version < 6)
			append_rings(e, notified_of(e, &recording->models[m]));
	}
	if (e->version >= 6)
		append_rings(e, e->notified);
}

static void encode(void *context)
{
	struct encoding *e = context;
	const struct nx_ntff_recording *recording = e->recording;
	const struct nx_model *first = recording->models[0].model;
	struct nx_ntff_info info = {0};

	if (recording->run)
		first->port->record(first->program, recording->run, e->first_core, &e->own);
	fill_identity(e, &info);
	info.nodes.count = recording->model_count;
	info.nodes.items = NX_NEW_ARRAY(&e->arena, struct nx_ntff_node, info.nodes.count);
	for (size_t i = 0; i < info.nodes.count; i++)
		fill_node(e, i, &info.nodes.items[i]);
	if (e->version >= 6) {
		info.session_rings.items = place_rings(e, e->notified);
		info.session_rings.count = e->notified ? e->notified->rings.len : 0;
		info.executions.count = recording->execution_count;
		info.executions.items = (struct nx_ntff_execution *)recording->executions;
	}
	nx_ntff_write_head(e->version, &info, e->out);
	append_blobs(e);
}

bool nx_ntff_encode(const struct nx_ntff_recording *recording, struct nx_bytes *out)
{
	const struct nx_model *model = recording->models[0].model;
	struct encoding e = {
		.recording = recording,
		.version = nx_ntff_has_timeline(model) ? VERSION : VERSION_OF_TICKS,
		.first_core = nx_instance_physical_core(nx_state_instance(), model->core),
		.out = out,
	};
	bool is_done;

	assert(recording->executions || !recording->execution_count);
	assert(recording->model_count == 1 || !recording->run);
	e.notified = recording->run ? &e.own : recording->notified;
	out->len = 0;
	is_done = nx_heap_guarded(encode, &e);
	nx_arena_release(&e.arena);
	if (is_done) {
		nx_notified_release(&e.own);
	} else {
		nx_log_error("nrt_profile", "out of memory for the device profile of core %u",
			     model->core);
		out->len = 0;
	}
	return is_done;
}
