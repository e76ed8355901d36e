/* SPDX-License-Identifier: Apache-2.0 */
/* ntff_encode: a model and its runs as the bytes of an NTFF of version 6. */
#include <stdio.h>
#include <unistd.h>

#include "format/ntff.h"
#include "runtime/nrt/device_profile.h"
#include "runtime/nrt/release.h"

#define NTFF_ID 10001 /* as all real files have */
#define VERSION 6
#define NO_INSTANCE UINT64_C(0xffffffff) /* not part of an UltraServer */
#define DMA_ENGINES 16

static void fill_clocks(struct nx_arena *arena, struct nx_ntff_clocks *clocks)
{
	const struct nx_ntff_clock straight = {0, 1, 1}; /* records are in picoseconds */

	clocks->tensor = clocks->scalar = clocks->vector = clocks->gpsimd = straight;
	clocks->sync = clocks->events = clocks->throttle = straight;
	clocks->has_tensor = clocks->has_scalar = clocks->has_vector = true;
	clocks->has_gpsimd = clocks->has_sync = clocks->has_events = clocks->has_throttle = true;
	clocks->dma.count = DMA_ENGINES;
	clocks->dma.items = NX_NEW_ARRAY(arena, struct nx_ntff_clock, DMA_ENGINES);
	for (size_t i = 0; i < DMA_ENGINES; i++)
		clocks->dma.items[i] = straight;
}

static void fill_graphs(const struct nx_model *model, const struct nx_port_run *run,
			struct nx_arena *arena, struct nx_ntff_device_node *device)
{
	uint32_t first_core = nx_instance_physical_core(nx_state_instance(), model->core);

	device->graphs.count = model->port->graph_count(model->program);
	device->graphs.items = NX_NEW_ARRAY(arena, struct nx_ntff_graph, device->graphs.count);
	for (size_t i = 0; i < device->graphs.count; i++) {
		struct nx_ntff_graph *graph = &device->graphs.items[i];

		graph->name = nx_slice_text(nx_arena_printf(arena, "sg%02zu", i));
		graph->nc_idx = first_core + i;
		graph->exec_duration_ps = run->end_ps - run->start_ps;
		graph->has_clocks = true;
		fill_clocks(arena, &graph->clocks);
	}
}

static void fill_rings(const struct nx_model *model, const struct nx_port_run *run,
		       struct nx_arena *arena, struct nx_ntff_info *info)
{
	uint32_t first_core = nx_instance_physical_core(nx_state_instance(), model->core);
	uint64_t offset = 0;

	info->session_rings.count = run->ring_count;
	info->session_rings.items = NX_NEW_ARRAY(arena, struct nx_ntff_ring, run->ring_count);
	for (size_t i = 0; i < run->ring_count; i++) {
		info->session_rings.items[i] = (struct nx_ntff_ring){
			.trace_type = run->rings[i].trace_type,
			.block_type = run->rings[i].block_type,
			.core_idx = first_core + run->rings[i].graph_idx,
			.offset = offset,
			.size = run->rings[i].records.len,
		};
		offset += run->rings[i].records.len;
	}
}

static void fill_info(const struct nx_model *model, struct nx_ntff_info *info)
{
	const struct nx_instance *instance = nx_state_instance();

	info->name = nx_slice_text(model->neff.header.name);
	info->uuid = nx_slice_of(model->neff.header.uuid,
				 strnlen((const char *)model->neff.header.uuid, 16));
	info->id = NTFF_ID;
	info->arch = NX_INSTANCE_ARCH;
	info->framework = nx_slice_text("");
	info->runtime_version = (struct nx_ntff_version){NX_RELEASE_MAJOR, NX_RELEASE_MINOR,
							 NX_RELEASE_PATCH, 0, nx_slice_text("")};
	info->has_runtime_version = true;
	info->instance_type = nx_slice_text(NX_INSTANCE_TYPE);
	info->ultraserver.instance_index = NO_INSTANCE;
	info->has_ultraserver = true;
	info->instance_id = nx_slice_text(instance->instance_id);
	info->pid = (uint64_t)getpid();
	info->start_nc = model->core;
}

void nx_device_profile_encode(const struct nx_model *model, const struct nx_port_run *run,
			      const struct nx_ntff_execution *executions, size_t execution_count,
			      struct nx_bytes *out)
{
	struct nx_slice uid = nx_slice_of(model->neff.header.uuid, 16);
	struct nx_arena arena = {0};
	struct nx_ntff_info info = {0};
	struct nx_ntff_node node = {.has_device = true, .uid = uid};

	fill_info(model, &info);
	fill_graphs(model, run, &arena, &node.device);
	fill_rings(model, run, &arena, &info);
	info.nodes.items = &node;
	info.nodes.count = 1;
	info.executions.count = execution_count;
	info.executions.items = NX_NEW_ARRAY(&arena, struct nx_ntff_execution, execution_count);
	for (size_t i = 0; i < execution_count; i++) {
		info.executions.items[i] = executions[i];
		info.executions.items[i].uid = uid;
	}
	nx_ntff_write_head(VERSION, &info, out);
	for (size_t i = 0; i < run->ring_count; i++)
		nx_bytes_append(out, run->rings[i].records.data, run->rings[i].records.len);
	nx_arena_release(&arena);
}
