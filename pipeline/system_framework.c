/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of frameworks, joined to the process they lie beside.
 *
 * If the times lie outside the session by more than an hour, the trace's clock has another epoch:
 * it is shifted to begin with the session, with a warning. A flow belongs to the slice that starts
 * at the time and on the thread of its flow point.
 */
#include <assert.h>
#include <string.h>

#include "decode/framework/framework_decoder.h"
#include "pipeline/data_quality.h"
#include "pipeline/system_run.h"

#define SLACK_NS (UINT64_C(3600) * 1000000000)

struct framework_read {
	struct nx_system_run *run;
	uint32_t process;
	uint64_t first_ns, last_ns; /* of the first pass */
	struct nx_clock_shift shift;
	uint64_t count;
	struct nx_map flows; /* thread and time, as in the file -> flow id */
	struct nx_map named; /* threads whose name is known */
	struct nx_thread_names threads;
};

#define MAX_FLOW_POINTS ((size_t)4 << 20)
#define MAX_THREAD_NAMES ((size_t)16384)

static uint64_t moment(const struct nx_system_event *row)
{
	return nx_fnv1a(nx_fnv1a(NX_FNV_SEED, &row->thread_id, sizeof(row->thread_id)),
			&row->start_ns, sizeof(row->start_ns));
}

/* The trace may lie in a subfolder (plugins/…) of its process. */
uint32_t nx_system_process_beside(const struct nx_system_run *run, const char *folder)
{
	struct nx_slice part = nx_slice_text(folder);
	uint64_t process;

	while (part.len) {
		if (nx_text_map_get(&run->processes_by_folder, part, &process))
			return (uint32_t)process;
		while (part.len && part.data[--part.len] != '/')
			;
	}
	/* of a captured session, other files are of other hosts or sessions */
	if (run->traced_count != 1 || strstr(run->profile.processes[0].folder, NX_SESSIONS_FOLDER))
		return UINT32_MAX;
	return 0;
}

static void keep_thread_name(struct framework_read *r, const struct nx_framework_event *event)
{
	uint64_t known;

	if (r->threads.len == MAX_THREAD_NAMES ||
	    nx_map_get(&r->named, event->row.thread_id, &known))
		return;
	nx_map_put(&r->named, event->row.thread_id, 1);
	nx_vec_push(&r->threads,
		    ((struct nx_thread_name){.thread_id = event->row.thread_id,
					     .name = nx_arena_copy(&r->run->profile.arena,
								   event->name)}));
}

static void measure(void *context, const struct nx_framework_event *event)
{
	struct framework_read *r = context;

	if (event->is_thread_name) {
		keep_thread_name(r, event);
		return;
	}
	if (event->is_flow_point) {
		if (r->flows.len < MAX_FLOW_POINTS)
			nx_map_put(&r->flows, moment(&event->row), event->row.flow_id);
		return;
	}
	if (!r->count++ || event->row.start_ns < r->first_ns)
		r->first_ns = event->row.start_ns;
	if (event->row.end_ns > r->last_ns)
		r->last_ns = event->row.end_ns;
}

uint32_t nx_system_name_id(struct nx_system_run *run, uint32_t process, struct nx_slice name)
{
	struct nx_process_input *input = &run->inputs[process];
	const char *copy;
	uint64_t id;

	if (nx_text_map_get(&input->name_ids, name, &id))
		return (uint32_t)id;
	copy = nx_arena_copy(&run->profile.arena, name);
	id = input->names.len;
	nx_vec_push(&input->names, copy);
	nx_text_map_put(&input->name_ids, nx_slice_of(copy, name.len), id);
	return (uint32_t)id;
}

void nx_system_sink_framework(struct nx_system_run *run, uint32_t process,
			      struct nx_system_event *row, struct nx_slice name)
{
	struct nx_process_input *input = &run->inputs[process];

	row->id = input->next_id++;
	/* so that the runtime's calls inside of it belong to it */
	if (!row->flow_id && !input->is_own)
		row->flow_id = row->id;
	if (!(row->flags & (NX_EVENT_STEP | NX_EVENT_INSTANT)) &&
	    nx_step_number_of(name, &row->step_num))
		row->flags |= NX_EVENT_STEP;
	row->process = process;
	row->type = NX_FRAMEWORK_EVENT_TYPE;
	row->source = NX_SOURCE_FRAMEWORK;
	row->nc_idx = -1;
	row->worker_gid = UINT32_MAX;
	row->name = nx_system_name_id(run, process, name);
	nx_system_sink_event(run, row, input->names.items[row->name]);
}

uint64_t nx_clock_shift_apply(const struct nx_clock_shift *shift, uint64_t time_ns)
{
	uint64_t shown_ns;

	if (!shift->is_needed)
		return time_ns;
	time_ns = time_ns > shift->first_ns ? time_ns - shift->first_ns : 0;
	return __builtin_add_overflow(shift->init_ns, time_ns, &shown_ns) ? UINT64_MAX : shown_ns;
}

static void take(void *context, const struct nx_framework_event *event)
{
	struct framework_read *r = context;
	struct nx_system_event row = event->row;

	if (event->is_flow_point || event->is_thread_name)
		return;
	if (!row.flow_id)
		nx_map_get(&r->flows, moment(&row), &row.flow_id);
	row.start_ns = nx_clock_shift_apply(&r->shift, row.start_ns);
	row.end_ns = nx_clock_shift_apply(&r->shift, row.end_ns);
	nx_system_sink_framework(r->run, r->process, &row, event->name);
}

static uint64_t later(uint64_t time_ns, uint64_t by_ns)
{
	return time_ns > UINT64_MAX - by_ns ? UINT64_MAX : time_ns + by_ns;
}

struct nx_clock_shift nx_clock_shift_choose(const struct nx_system_process *process,
					    uint64_t first_ns, uint64_t last_ns)
{
	/* a process that was killed did not record its end */
	uint64_t close_ns = process->close_ns ? process->close_ns : UINT64_MAX;

	if (!process->init_ns ||
	    (later(first_ns, SLACK_NS) >= process->init_ns && last_ns <= later(close_ns, SLACK_NS)))
		return (struct nx_clock_shift){0};
	return (struct nx_clock_shift){true, first_ns, process->init_ns};
}

static void read_twice(struct framework_read *r, struct nx_slice file, const char *path)
{
	struct nx_system_profile *profile = &r->run->profile;
	struct nx_framework_loss loss = {0};
	struct nx_error err = {0};
	bool is_epoch;

	if (nx_framework_decode(file, path, measure, r, &is_epoch, &loss, &err)) {
		nx_system_warn(profile, NX_WARN_LOSS, "%s", err.message);
		if (!r->run->trace_error.status)
			r->run->trace_error = err;
		return;
	}
	nx_system_name_threads(r->run, r->process, &r->threads);
	if (r->count)
		r->shift = nx_clock_shift_choose(&profile->processes[r->process], r->first_ns,
						 r->last_ns);
	if (r->shift.is_needed)
		nx_data_quality_report_shift(profile, path, is_epoch);
	memset(&loss, 0, sizeof(loss));
	if (nx_framework_decode(file, path, take, r, &is_epoch, &loss, &err))
		nx_system_warn(profile, NX_WARN_LOSS, "%s", err.message);
	nx_data_quality_report_framework(profile, path, &loss);
}

static void read_one(struct nx_system_run *run, uint32_t process, const struct nx_found_file *found)
{
	struct framework_read r = {.run = run, .process = process};
	struct nx_error err = {0};
	struct nx_file file = {0};

	assert(process < run->profile.process_count);
	if (nx_file_map(&file, found->path, &err)) {
		nx_system_warn(&run->profile, NX_WARN_LOSS, "%s", err.message);
		if (!run->trace_error.status)
			run->trace_error = err;
		return;
	}
	read_twice(&r, file.bytes, found->path);
	nx_map_release(&r.flows);
	nx_map_release(&r.named);
	nx_vec_release(&r.threads);
	nx_file_unmap(&file);
}

/* A trace that lies beside no process has one of its own, found by its path. */
static uint32_t process_of(const struct nx_system_run *run, const struct nx_found_file *found)
{
	uint64_t process;

	if (nx_text_map_get(&run->processes_by_folder, nx_slice_text(found->path), &process))
		return (uint32_t)process;
	return nx_system_process_beside(run, found->folder);
}

void nx_system_open_frameworks(struct nx_system_run *run)
{
	for (size_t i = 0; i < run->found.frameworks.len; i++) {
		const struct nx_found_file *found = &run->found.frameworks.items[i];
		struct nx_slice stem = nx_slice_text(found->name);

		if (nx_system_process_beside(run, found->folder) != UINT32_MAX)
			continue;
		stem.len = strcspn(found->name, ".");
		nx_system_add_process(run, found->path, nx_arena_copy(&run->profile.arena, stem));
	}
}

void nx_system_read_frameworks(struct nx_system_run *run, uint32_t process)
{
	for (size_t i = 0; i < run->found.frameworks.len; i++) {
		const struct nx_found_file *found = &run->found.frameworks.items[i];

		if (process_of(run, found) == process)
			read_one(run, process, found);
	}
}
