/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntff_encode: a model and its runs as the bytes of an NTFF, of version 6, or of
 * version 5 for programs of NeuronCore v2 as real captures of it are.
 *
 * The same program gives the same bytes: times come from the simulated device, and
 * process and machine are named in captures of a whole session only.
 */
#include <stdio.h>
#include <unistd.h>

#include "format/ntff.h"
#include "runtime/nrt/device_profile.h"
#include "runtime/nrt/ntff_program.h"
#include "runtime/nrt/ranks/model_ranks.h"
#include "runtime/nrt/release.h"

#define NTFF_ID 10001 /* as all real files have */
#define VERSION 6
#define VERSION_OF_TICKS 5
#define NO_INSTANCE UINT64_C(0xffffffff) /* not part of an UltraServer */

struct encoding {
	const struct nx_device_recording *recording;
	const struct nx_model *model;
	const struct nx_loaded_code *code; /* may be NULL */
	uint8_t version;
	uint32_t first_core;
	uint64_t offset; /* of the next blob */
	struct nx_arena arena;
};

/* --- rings ------------------------------------------------------------------------------------ */

static void fill_straight_clocks(struct nx_arena *arena, struct nx_ntff_clocks *clocks)
{
	const struct nx_ntff_clock straight = {0, 1, 1};

	clocks->tensor = clocks->scalar = clocks->vector = clocks->gpsimd = straight;
	clocks->sync = clocks->events = clocks->throttle = straight;
	clocks->has_tensor = clocks->has_scalar = clocks->has_vector = true;
	clocks->has_gpsimd = clocks->has_sync = clocks->has_events = clocks->has_throttle = true;
	clocks->dma.count = NX_NOTIFY_DMA_ENGINES;
	clocks->dma.items = NX_NEW_ARRAY(arena, struct nx_ntff_clock, NX_NOTIFY_DMA_ENGINES);
	for (size_t i = 0; i < clocks->dma.count; i++)
		clocks->dma.items[i] = straight;
}

static size_t ring_count(const struct encoding *e)
{
	return e->recording->notified ? e->recording->notified->rings.len : 0;
}

static struct nx_ntff_ring place_ring(struct encoding *e, size_t index)
{
	const struct nx_notified_ring *from = &e->recording->notified->rings.items[index];
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

/* All of a session in one list; before version 6 each graph has its own. */
static void fill_rings(struct encoding *e, struct nx_ntff_info *info,
		       struct nx_ntff_device_node *device)
{
	size_t count = ring_count(e);
	struct nx_ntff_ring *rings = NX_NEW_ARRAY(&e->arena, struct nx_ntff_ring, count);

	for (size_t i = 0; i < count; i++) {
		uint32_t core = e->recording->notified->rings.items[i].core;
		struct nx_ntff_graph *graph;

		rings[i] = place_ring(e, i);
		if (e->version >= 6 || core >= device->graphs.count)
			continue;
		graph = &device->graphs.items[core]; /* rings of a core lie together */
		if (!graph->rings.count)
			graph->rings.items = &rings[i];
		graph->rings.count++;
	}
	if (e->version >= 6) {
		info->session_rings.items = rings;
		info->session_rings.count = count;
	}
}

/* --- the program --------------------------------------------------------------------- */

static void fill_graph(struct encoding *e, size_t index, struct nx_ntff_graph *graph)
{
	const struct nx_device_recording *recording = e->recording;

	graph->name = nx_slice_text(nx_arena_printf(&e->arena, "sg%02zu", index));
	graph->nd_idx = nx_instance_device(nx_state_instance(), e->model->core);
	graph->nc_idx = e->first_core + index;
	graph->exec_duration_ps = recording->duration_ps;
	if (e->version < 6 && recording->notified && recording->notified->marked_ps)
		graph->exec_duration_ps = recording->notified->marked_ps;
	graph->has_clocks = true;
	if (recording->notified && recording->notified->rings.len)
		graph->clocks = recording->notified->clocks;
	else
		fill_straight_clocks(&e->arena, &graph->clocks);
	nx_model_ranks_fill(e->model->ranks, (uint32_t)index, &e->arena, graph);
	if (!e->code || index >= e->code->core_count)
		return;
	nx_ntff_program_fill_code(&e->code->cores[index], e->version, &e->offset, &e->arena, graph);
	nx_ntff_program_fill_queues(&e->code->cores[index], e->first_core, &e->arena, graph);
	nx_ntff_program_fill_memory(e->code, index, &e->arena, graph);
}

static void fill_identity(struct encoding *e, struct nx_ntff_info *info)
{
	const struct nx_model *model = e->model;
	const struct nx_instance *instance = nx_state_instance();
	const struct nx_instance_kind *kind = instance->kind;
	enum nx_device_arch arch = model->port->arch(model->program);

	if (!nx_instance_runs(kind, arch))
		kind = nx_instance_kind_of(arch);
	info->name = nx_slice_text(model->neff.header.name);
	info->uuid = nx_slice_of(model->neff.header.uuid,
				 strnlen((const char *)model->neff.header.uuid, 16));
	info->id = NTFF_ID;
	info->arch = kind ? kind->file_arch : 3; /* V4: no instance of it is published */
	info->runtime_version =
		(struct nx_ntff_version){NX_RELEASE_MAJOR, NX_RELEASE_MINOR, NX_RELEASE_PATCH, 0,
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

static void fill_executions(struct encoding *e, struct nx_slice uid, struct nx_ntff_info *info)
{
	const struct nx_device_recording *recording = e->recording;

	info->executions.count = recording->execution_count;
	info->executions.items =
		NX_NEW_ARRAY(&e->arena, struct nx_ntff_execution, recording->execution_count);
	for (size_t i = 0; i < recording->execution_count; i++) {
		info->executions.items[i] = recording->executions[i];
		info->executions.items[i].uid = uid;
	}
}

void nx_device_profile_encode(const struct nx_device_recording *recording, struct nx_bytes *out)
{
	const struct nx_model *model = recording->model;
	struct encoding e = {
		.recording = recording, .model = model, .code = model->port->code(model->program)};
	struct nx_slice uid = nx_slice_of(model->neff.header.uuid, 16);
	struct nx_ntff_info info = {0};
	struct nx_ntff_node node = {.has_device = true};
	bool counts_ticks = nx_notify_counts_ticks(model->port->arch(model->program));

	e.version = counts_ticks ? VERSION_OF_TICKS : VERSION;
	e.first_core = nx_instance_physical_core(nx_state_instance(), model->core);
	fill_identity(&e, &info);
	node.device.graphs.count = model->port->graph_count(model->program);
	node.device.graphs.items =
		NX_NEW_ARRAY(&e.arena, struct nx_ntff_graph, node.device.graphs.count);
	for (size_t i = 0; i < node.device.graphs.count; i++)
		fill_graph(&e, i, &node.device.graphs.items[i]);
	fill_rings(&e, &info, &node.device);
	info.nodes.items = &node;
	info.nodes.count = 1;
	if (e.version >= 6) {
		node.uid = uid;
		fill_executions(&e, uid, &info);
	}
	nx_ntff_write_head(e.version, &info, out);
	for (size_t i = 0; e.version >= 6 && e.code && i < e.code->core_count; i++)
		nx_ntff_program_append_code(&e.code->cores[i], out);
	for (size_t i = 0; i < ring_count(&e); i++)
		nx_bytes_append(out, recording->notified->rings.items[i].records.items,
				recording->notified->rings.items[i].records.len);
	nx_arena_release(&e.arena);
}
