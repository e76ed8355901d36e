/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the events of all processes, one process after another, into a part of the spool each. The
 * attributes that derived tables and executions need (analyse/event_roles.h) are read on the way.
 */
#include "pipeline/system_run.h"

#include <assert.h>

#define EVENT_SPOOL_BYTES ((size_t)384 << 20)
#define DERIVED_SPOOL_BYTES ((size_t)8 << 20)

static void read_attributes(struct nx_system_run *run, const struct nx_system_event *event,
			    struct nx_read_attributes *read)
{
	nx_ntrace_read_event(&run->inputs[event->process].decoder, event, &run->shapes, read);
}

static void keep(struct nx_system_run *run, struct nx_spool *spool, const void *row)
{
	if (!run->status)
		run->status = nx_spool_add(spool, row, &run->error);
}

bool nx_system_sink_event(struct nx_system_run *run, struct nx_system_event *event,
			  const char *name)
{
	struct nx_process_input *input = &run->inputs[event->process];
	struct nx_system_profile *p = &run->profile;
	void *kept;

	if (!nx_system_filter_keeps(&run->filter, event, name))
		return false;
	event->start_ns = nx_host_time(input, event->start_ns);
	event->end_ns = nx_host_time(input, event->end_ns);
	if (!p->rows[NX_SYSTEM_EVENT] || event->start_ns < p->first_ns)
		p->first_ns = event->start_ns;
	if (event->end_ns > p->last_ns)
		p->last_ns = event->end_ns;
	if (!input->last_event_ns || event->start_ns < input->first_event_ns)
		input->first_event_ns = event->start_ns;
	if (event->end_ns > input->last_event_ns)
		input->last_event_ns = event->end_ns;
	p->rows[NX_SYSTEM_EVENT]++;
	if (!run->status)
		run->status = nx_spool_place(run->events, event->start_ns, &kept, &run->error);
	if (!run->status)
		nx_kept_event_fill(kept, event);
	if (event->flags & NX_EVENT_STEP)
		nx_map_put(&input->step_numbers, event->id, event->step_num);
	return true;
}

/* --- attributes ------------------------------------------------------------- */

/* Also for events that a filter drops, because others belong to the same execution. */
static void read_execution(struct nx_system_run *run, struct nx_system_event *event, bool is_sync)
{
	struct nx_system_process *process = &run->profile.processes[event->process];
	struct nx_process_input *input = &run->inputs[event->process];
	uint64_t model_id = UINT64_MAX;
	struct nx_read_attributes read;

	read_attributes(run, event, &read);
	event->flow_id = nx_execution_flow(&run->places, event, &read, &model_id);
	if (model_id != UINT64_MAX)
		nx_map_put(&run->models_of_flows, event->flow_id, model_id);
	/* the first sync point is the process's clock offset */
	if (!is_sync || (process->has_clock_offset && event->start_ns >= input->sync_ns) ||
	    !nx_sync_offset(&run->places, &read, &process->clock_offset_ns))
		return;
	process->has_clock_offset = true;
	input->sync_ns = event->start_ns;
}

static void keep_memory_change(struct nx_system_run *run, const struct nx_system_event *event,
			       bool is_release)
{
	struct nx_read_attributes read;
	struct nx_memory_change change;
	struct nx_slice category;
	uint64_t name;

	read_attributes(run, event, &read);
	if (!nx_memory_change_of(&run->places, event, &read, is_release, &change, &category))
		return;
	change.change.core_count = run->profile.processes[event->process].logical_nc_size;
	if (nx_text_map_get(&run->inputs[event->process].name_ids, category, &name))
		change.row.category = (uint32_t)name;
	run->profile.rows[NX_SYSTEM_HBM]++;
	keep(run, run->memory_changes, &change);
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

static void keep_barrier(struct nx_system_run *run, const struct nx_system_event *event,
			 bool is_peer)
{
	struct nx_rank_barrier barrier;
	struct nx_read_attributes read;
	uint64_t rank;

	read_attributes(run, event, &read);
	if (is_peer && nx_peer_of(&run->places, &read, &rank))
		nx_rank_hang_mention(&run->hang, rank);
	else if (!is_peer && nx_barrier_of(&run->places, event, &read, &barrier))
		nx_rank_hang_add(&run->hang, &barrier);
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
	else if (role == NX_ROLE_BARRIER || role == NX_ROLE_PEER)
		keep_barrier(run, &event, role == NX_ROLE_PEER);
}

static void count_row(void *context, const void *row)
{
	(void)row;
	++*(uint64_t *)context;
}

static void read_process(struct nx_system_run *run, uint32_t index)
{
	const struct nx_system_process *process = &run->profile.processes[index];
	struct nx_process_input *input = &run->inputs[index];

	assert(input->is_kept);
	if (input->is_own) {
		nx_system_read_frameworks(run, index);
		nx_system_read_xspaces(run, index);
		return;
	}
	nx_ntrace_decode_events(&input->decoder, take_event, run);
	/* types that only the events revealed; the framework's names follow them */
	for (size_t i = input->names.len; i < process->name_count; i++) {
		nx_vec_push(&input->names, process->names[i]);
		nx_text_map_put(&input->name_ids, nx_slice_text(process->names[i]), i);
	}
	nx_file_forget(input->events.bytes);
	nx_ntrace_decode_cpu(&input->decoder, count_row, &run->profile.rows[NX_SYSTEM_CPU]);
	nx_ntrace_decode_memory(&input->decoder, count_row, &run->profile.rows[NX_SYSTEM_MEMORY]);
	nx_system_read_spans(run, index);
	nx_system_read_frameworks(run, index);
	nx_system_read_xspaces(run, index);
	nx_progress_add(&run->progress, input->events.bytes.len + input->spans.bytes.len);
}

/* After its events, because readers compare them with these times. */
static void shift_process(struct nx_system_run *run, uint32_t index)
{
	struct nx_system_process *process = &run->profile.processes[index];
	const struct nx_process_input *input = &run->inputs[index];

	if (process->init_ns)
		process->init_ns = nx_host_time(input, process->init_ns);
	if (process->close_ns)
		process->close_ns = nx_host_time(input, process->close_ns);
	if (process->has_clock_offset)
		process->clock_offset_ns = (int64_t)((uint64_t)process->clock_offset_ns -
						     (uint64_t)input->host_ahead_ns);
}

void nx_system_read_events(struct nx_system_run *run)
{
	run->events = nx_spool_new(sizeof(struct nx_kept_event), EVENT_SPOOL_BYTES);
	run->memory_changes = nx_spool_new(sizeof(struct nx_memory_change), DERIVED_SPOOL_BYTES);
	run->transfers = nx_spool_new(sizeof(struct nx_kept_transfer), DERIVED_SPOOL_BYTES);
	for (uint32_t i = 0; i < run->profile.process_count; i++) {
		if (run->inputs[i].is_kept) {
			read_process(run, i);
			shift_process(run, i);
		}
		nx_spool_cut(run->events);
		nx_spool_cut(run->memory_changes);
		nx_spool_cut(run->transfers);
	}
}
