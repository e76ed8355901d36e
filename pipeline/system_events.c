/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the events of all processes, one process after another, and keeps them
 * sorted: a part of the spool each. What the derived tables and executions need
 * of an event's attributes is taken on the way, while its records are at hand.
 */
#include <string.h>

#include "pipeline/kept_event.h"
#include "pipeline/system_run.h"

#define EVENT_SPOOL_BYTES ((size_t)96 << 20)
#define DERIVED_SPOOL_BYTES ((size_t)8 << 20)

uint8_t nx_system_role_of(const char *event_name)
{
	static const struct {
		const char *name;
		uint8_t role;
	} roles[] = {
		{"nrt_dma_mem_alloc", NX_ROLE_ALLOCATE},
		{"nrt_dma_mem_dealloc", NX_ROLE_RELEASE},
		{"dmem_buf_copyin", NX_ROLE_TO_DEVICE},
		{"dmem_buf_batch_copyin", NX_ROLE_TO_DEVICE},
		{"dmem_buf_copyout", NX_ROLE_TO_HOST},
		{"dmem_buf_batch_copyout", NX_ROLE_TO_HOST},
		{"kbl_exec_pre", NX_ROLE_EXECUTION},
		{"kbl_exec_core", NX_ROLE_EXECUTION},
		{"kbl_exec_wait", NX_ROLE_EXECUTION},
		{"kbl_exec_post", NX_ROLE_EXECUTION},
		{"nc_exec_running", NX_ROLE_EXECUTION},
		{"nc_model_switch", NX_ROLE_EXECUTION},
		{"nrt_model_switch", NX_ROLE_EXECUTION},
		{"cc_running", NX_ROLE_EXECUTION},
		{"cc_exec_barrier", NX_ROLE_EXECUTION},
		{"timestamp_sync_point", NX_ROLE_SYNC},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(event_name, roles[i].name))
			return roles[i].role;
	return NX_ROLE_NONE;
}

/* Keys that are asked for. */
enum wanted {
	EXEC_ID,
	MODEL_ID,
	NC_TIME,
	NC_START_TIME,
	CPU_TIME,
	IS_DEVICE_MEMORY,
	USAGE_TYPE,
	HBM_IDX,
	DEVICE_IDX,
	FREED_BYTES,
	ALLOCATED_BYTES,
	TOTAL_BYTES,
	USAGE_TOTAL_BYTES,
};

static const char *const wanted_keys[NX_WANTED_KEYS] = {
	[EXEC_ID] = "exec_id",
	[MODEL_ID] = "model_id",
	[NC_TIME] = "nc_timestamp_ns",
	[NC_START_TIME] = "nc_start_timestamp_ns",
	[CPU_TIME] = "cpu_timestamp_ns",
	[IS_DEVICE_MEMORY] = "is_nc_hbm",
	[USAGE_TYPE] = "usage_type",
	[HBM_IDX] = "hbm_idx",
	[DEVICE_IDX] = "mla_idx",
	[FREED_BYTES] = "freed_bytes",
	[ALLOCATED_BYTES] = "allocated_bytes",
	[TOTAL_BYTES] = "total_bytes",
	[USAGE_TOTAL_BYTES] = "usage_type_total_bytes",
};

struct attributes {
	struct nx_read_attributes read;
	const struct nx_wanted_places *places; /* NULL: keys must be looked at */
};

static const struct nx_wanted_places *places_of(struct nx_system_run *run,
						const struct nx_event_shape *shape)
{
	struct nx_wanted_places *places = &run->places_of_shapes[shape->idx];

	if (places->is_known)
		return places;
	for (size_t i = 0; i < NX_WANTED_KEYS; i++)
		places->of[i] = (uint8_t)nx_event_shape_find(shape, wanted_keys[i]);
	places->is_known = true;
	return places;
}

static void read_attributes(struct nx_system_run *run, const struct nx_system_event *event,
			    struct attributes *a)
{
	nx_ntrace_read_event(&run->inputs[event->process].decoder, event, &run->shapes, &a->read);
	a->places = a->read.shape ? places_of(run, a->read.shape) : NULL;
}

static struct nx_slice find(const struct attributes *a, enum wanted wanted)
{
	const struct nx_read_attributes *read = &a->read;
	size_t i = 0;

	if (a->places)
		i = a->places->of[wanted];
	else
		while (i < read->count && !nx_slice_is(read->items[i].key, wanted_keys[wanted]))
			i++;
	return i < read->count ? read->items[i].value : (struct nx_slice){0};
}

static uint64_t number(const struct attributes *a, enum wanted wanted)
{
	uint64_t value;

	return nx_slice_to_u64(find(a, wanted), &value) ? value : 0;
}

static void keep(struct nx_system_run *run, struct nx_spool *spool, const void *row)
{
	if (!run->status)
		run->status = nx_spool_add(spool, row, &run->error);
}

bool nx_system_sink_event(struct nx_system_run *run, struct nx_system_event *event,
			  const char *name)
{
	struct nx_system_profile *p = &run->profile;
	void *kept;

	if (!nx_system_filter_keeps(&run->filter, event, name))
		return false;
	if (!p->rows[NX_SYSTEM_EVENT] || event->start_ns < p->first_ns)
		p->first_ns = event->start_ns;
	if (event->end_ns > p->last_ns)
		p->last_ns = event->end_ns;
	p->rows[NX_SYSTEM_EVENT]++;
	if (!run->status)
		run->status = nx_spool_place(run->events, event->start_ns, &kept, &run->error);
	if (!run->status)
		nx_kept_event_fill(kept, event);
	return true;
}

/* --- what attributes say --------------------------------------------------- */

/* Executions are numbered per core and process; only some of their events name the model. */
static uint64_t exec_flow(struct nx_system_run *run, const struct nx_system_event *event,
			  const struct attributes *a)
{
	struct nx_slice exec = find(a, EXEC_ID), model = find(a, MODEL_ID);
	uint64_t flow, model_id;

	if (!exec.data)
		return 0;
	flow = nx_fnv1a(NX_FNV_SEED, &event->process, sizeof(event->process));
	flow = nx_fnv1a(flow, &event->nc_idx, sizeof(event->nc_idx));
	flow = nx_fnv1a(flow, exec.data, exec.len) | 1;
	if (model.data && nx_slice_to_u64(model, &model_id))
		nx_map_put(&run->models_of_flows, flow, model_id);
	return flow;
}

static void note_sync(struct nx_system_run *run, const struct nx_system_event *event,
		      const struct attributes *a)
{
	struct nx_system_process *process = &run->profile.processes[event->process];
	struct nx_process_input *input = &run->inputs[event->process];
	struct nx_slice device = find(a, NC_TIME);
	uint64_t device_ns, host_ns;

	if (!device.data)
		device = find(a, NC_START_TIME);
	if ((process->has_clock_offset && event->start_ns >= input->sync_ns) ||
	    !nx_slice_to_u64(device, &device_ns) || !nx_slice_to_u64(find(a, CPU_TIME), &host_ns))
		return;
	process->has_clock_offset = true;
	process->clock_offset_ns = (int64_t)(host_ns - device_ns);
	input->sync_ns = event->start_ns;
}

/* Also of events that a filter drops: what an event belongs to does not depend on it. */
static void read_execution(struct nx_system_run *run, struct nx_system_event *event, bool is_sync)
{
	struct attributes a;

	read_attributes(run, event, &a);
	event->flow_id = exec_flow(run, event, &a);
	if (is_sync)
		note_sync(run, event, &a);
}

static void keep_memory_change(struct nx_system_run *run, const struct nx_system_event *event,
			       bool is_release)
{
	const struct nx_process_input *input = &run->inputs[event->process];
	struct nx_memory_change m = {.time_ns = event->end_ns};
	struct attributes a;
	uint64_t category;

	read_attributes(run, event, &a);
	if (!number(&a, IS_DEVICE_MEMORY))
		return; /* host memory: reported, but not in the cores' totals */
	if (!nx_text_map_get(&input->name_ids, find(&a, USAGE_TYPE), &category))
		category = UINT32_MAX;
	m.row = (struct nx_hbm_sample){.time_ns = event->end_ns,
				       .process = event->process,
				       .nc_idx = event->nc_idx,
				       .hbm_idx = (uint32_t)number(&a, HBM_IDX),
				       .device_idx = (uint32_t)number(&a, DEVICE_IDX),
				       .category = (uint32_t)category};
	m.change = (struct nx_hbm_change){
		.size_bytes = number(&a, is_release ? FREED_BYTES : ALLOCATED_BYTES),
		.is_release = is_release,
		.total_bytes = number(&a, TOTAL_BYTES),
		.category_total_bytes = number(&a, USAGE_TOTAL_BYTES),
		.core_count = run->profile.processes[event->process].logical_nc_size};
	run->profile.rows[NX_SYSTEM_HBM]++;
	keep(run, run->memory_changes, &m);
}

static void keep_transfer(struct nx_system_run *run, const struct nx_system_event *event,
			  uint8_t direction)
{
	struct nx_kept_transfer kept = {.start_ns = event->start_ns,
					.end_ns = event->end_ns,
					.handle = event->handle,
					.type = event->type,
					.nc_idx = event->nc_idx,
					.direction = direction,
					.flags = event->flags};

	run->profile.rows[NX_SYSTEM_TRANSFER]++;
	keep(run, run->transfers, &kept);
}

/* --- process by process ---------------------------------------------------- */

static void take_event(void *context, const void *opaque)
{
	struct nx_system_run *run = context;
	struct nx_system_event event = *(const struct nx_system_event *)opaque;
	const struct nx_process_input *input = &run->inputs[event.process];
	struct nx_system_process *process = &run->profile.processes[event.process];
	uint8_t role = NX_ROLE_NONE;

	if (event.name < process->recorded_name_count) {
		role = input->roles[event.name];
		process->name_is_used[event.name] = true;
	}
	if (role == NX_ROLE_EXECUTION || role == NX_ROLE_SYNC)
		read_execution(run, &event, role == NX_ROLE_SYNC);
	if (!nx_system_sink_event(run, &event, nx_system_event_name(&run->profile, &event)))
		return;
	if (role == NX_ROLE_ALLOCATE || role == NX_ROLE_RELEASE)
		keep_memory_change(run, &event, role == NX_ROLE_RELEASE);
	else if (role == NX_ROLE_TO_DEVICE)
		keep_transfer(run, &event, NX_HOST_TO_DEVICE);
	else if (role == NX_ROLE_TO_HOST)
		keep_transfer(run, &event, NX_DEVICE_TO_HOST);
}

static void count_row(void *context, const void *row)
{
	(void)row;
	++*(uint64_t *)context;
}

/* Types that only the events revealed: the framework's names come behind them. */
static void take_new_names(struct nx_process_input *input, const struct nx_system_process *process)
{
	for (size_t i = input->names.len; i < process->name_count; i++) {
		nx_vec_push(&input->names, process->names[i]);
		nx_text_map_put(&input->name_ids, nx_slice_text(process->names[i]), i);
	}
}

static void read_process(struct nx_system_run *run, uint32_t index)
{
	struct nx_process_input *input = &run->inputs[index];

	nx_ntrace_decode_events(&input->decoder, take_event, run);
	take_new_names(input, &run->profile.processes[index]);
	nx_file_forget(input->events.bytes);
	nx_ntrace_decode_cpu(&input->decoder, count_row, &run->profile.rows[NX_SYSTEM_CPU]);
	nx_ntrace_decode_memory(&input->decoder, count_row, &run->profile.rows[NX_SYSTEM_MEMORY]);
	nx_system_read_frameworks(run, index);
	nx_progress_add(&run->progress, input->events.bytes.len);
}

void nx_system_read_events(struct nx_system_run *run)
{
	run->events = nx_spool_new(sizeof(struct nx_kept_event), EVENT_SPOOL_BYTES);
	run->memory_changes = nx_spool_new(sizeof(struct nx_memory_change), DERIVED_SPOOL_BYTES);
	run->transfers = nx_spool_new(sizeof(struct nx_kept_transfer), DERIVED_SPOOL_BYTES);
	for (uint32_t i = 0; i < run->profile.process_count; i++) {
		if (run->inputs[i].is_kept)
			read_process(run, i);
		nx_spool_cut(run->events);
		nx_spool_cut(run->memory_changes);
		nx_spool_cut(run->transfers);
	}
}
