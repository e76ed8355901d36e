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

struct attributes {
	struct nx_event_attribute items[NX_MAX_ATTRIBUTES];
	size_t count;
};

static void read_attributes(const struct nx_system_run *run, const struct nx_system_event *event,
			    struct attributes *a)
{
	a->count = nx_ntrace_event_attributes(&run->inputs[event->process].decoder, event, a->items,
					      NX_MAX_ATTRIBUTES);
	if (a->count > NX_MAX_ATTRIBUTES)
		a->count = NX_MAX_ATTRIBUTES;
}

static struct nx_slice find(const struct attributes *a, const char *key)
{
	for (size_t i = 0; i < a->count; i++)
		if (nx_slice_is(a->items[i].key, key))
			return a->items[i].value;
	return (struct nx_slice){0};
}

static uint64_t number(const struct attributes *a, const char *key)
{
	uint64_t value;

	return nx_slice_to_u64(find(a, key), &value) ? value : 0;
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
	struct nx_kept_event kept;

	if (!nx_system_filter_keeps(&run->filter, event, name))
		return false;
	if (!p->rows[NX_SYSTEM_EVENT] || event->start_ns < p->first_ns)
		p->first_ns = event->start_ns;
	if (event->end_ns > p->last_ns)
		p->last_ns = event->end_ns;
	p->rows[NX_SYSTEM_EVENT]++;
	kept = nx_kept_event_of(event);
	keep(run, run->events, &kept);
	return true;
}

/* --- what attributes say --------------------------------------------------- */

/* Executions are numbered per core and process; only some of their events name the model. */
static uint64_t exec_flow(struct nx_system_run *run, const struct nx_system_event *event,
			  const struct attributes *a)
{
	struct nx_slice exec = find(a, "exec_id"), model = find(a, "model_id");
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
	struct nx_slice device = find(a, "nc_timestamp_ns");
	uint64_t device_ns, host_ns;

	if (!device.data)
		device = find(a, "nc_start_timestamp_ns");
	if ((process->has_clock_offset && event->start_ns >= input->sync_ns) ||
	    !nx_slice_to_u64(device, &device_ns) ||
	    !nx_slice_to_u64(find(a, "cpu_timestamp_ns"), &host_ns))
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
	if (!number(&a, "is_nc_hbm"))
		return; /* host memory: reported, but not in the cores' totals */
	if (!nx_text_map_get(&input->name_ids, find(&a, "usage_type"), &category))
		category = UINT32_MAX;
	m.row = (struct nx_hbm_sample){.time_ns = event->end_ns,
				       .process = event->process,
				       .nc_idx = event->nc_idx,
				       .hbm_idx = (uint32_t)number(&a, "hbm_idx"),
				       .device_idx = (uint32_t)number(&a, "mla_idx"),
				       .category = (uint32_t)category};
	m.change = (struct nx_hbm_change){
		.size_bytes = number(&a, is_release ? "freed_bytes" : "allocated_bytes"),
		.is_release = is_release,
		.total_bytes = number(&a, "total_bytes"),
		.category_total_bytes = number(&a, "usage_type_total_bytes"),
		.core_count = run->profile.processes[event->process].logical_nc_size};
	run->profile.rows[NX_SYSTEM_HBM]++;
	keep(run, run->memory_changes, &m);
}

static void keep_transfer(struct nx_system_run *run, const struct nx_system_event *event,
			  uint8_t direction)
{
	struct attributes a;
	struct nx_host_transfer row = {event->start_ns, event->end_ns, 0,
				       event->process,	event->nc_idx, direction};

	read_attributes(run, event, &a);
	row.size_bytes = number(&a, "size");
	run->profile.rows[NX_SYSTEM_TRANSFER]++;
	keep(run, run->transfers, &row);
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
	run->transfers = nx_spool_new(sizeof(struct nx_host_transfer), DERIVED_SPOOL_BYTES);
	for (uint32_t i = 0; i < run->profile.process_count; i++) {
		if (run->inputs[i].is_kept)
			read_process(run, i);
		nx_spool_cut(run->events);
		nx_spool_cut(run->memory_changes);
		nx_spool_cut(run->transfers);
	}
}
