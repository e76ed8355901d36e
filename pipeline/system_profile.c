/* SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/system_profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/process_folder.h"
#include "pipeline/data_quality.h"
#include "pipeline/system_run.h"

const struct nx_system_profile *nx_system_run_borrow(const struct nx_system_run *run)
{
	return &run->profile;
}

/* --- opening the processes ------------------------------------------------- */

static void map_if_there(struct nx_system_run *run, struct nx_file *file, const char *path)
{
	struct nx_error err = {0};

	if (path && nx_file_map(file, path, &err))
		nx_system_warn(&run->profile, NX_WARN_LOSS, "%s", err.message);
}

static void copy_names(struct nx_system_run *run, uint32_t index)
{
	struct nx_system_process *process = &run->profile.processes[index];
	struct nx_process_input *input = &run->inputs[index];

	process->recorded_name_count = process->name_count;
	process->name_is_used = NX_NEW_ARRAY(&run->profile.arena, bool, process->name_count);
	input->roles = NX_NEW_ARRAY(&run->profile.arena, uint8_t, process->name_count);
	for (size_t i = 0; i < process->name_count; i++) {
		nx_vec_push(&input->names, process->names[i]);
		nx_text_map_put(&input->name_ids, nx_slice_text(process->names[i]), i);
		input->roles[i] = nx_event_role_of(process->names[i]);
	}
}

static void close_process(struct nx_process_input *input)
{
	nx_ntrace_decoder_release(&input->decoder);
	nx_file_unmap(&input->info);
	nx_file_unmap(&input->events);
	nx_file_unmap(&input->cpu);
	nx_file_unmap(&input->memory);
	nx_spans_decoder_release(&input->spans_decoder);
	nx_file_unmap(&input->spans);
	nx_system_close_xspaces(input);
	nx_vec_release(&input->names);
	nx_text_map_release(&input->name_ids);
	nx_map_release(&input->step_numbers);
	memset(input, 0, sizeof(*input));
}

static enum nx_status open_process(struct nx_system_run *run, const struct nx_found_process *found,
				   struct nx_error *err)
{
	uint32_t index = run->profile.process_count;
	struct nx_process_input *input = &run->inputs[index];
	struct nx_system_process *process = &run->profile.processes[index];
	struct nx_ntrace_files files;
	const char *mark;
	enum nx_status st;

	map_if_there(run, &input->info, found->info_path);
	map_if_there(run, &input->events, found->events_path);
	map_if_there(run, &input->cpu, found->cpu_path);
	map_if_there(run, &input->memory, found->memory_path);
	map_if_there(run, &input->spans, found->spans_path);
	files = (struct nx_ntrace_files){input->info.bytes, input->events.bytes, input->cpu.bytes,
					 input->memory.bytes, input->spans.bytes.len > 0};
	st = nx_ntrace_decoder_open(&input->decoder, &files, found->name, index,
				    &run->profile.arena, process, err);
	if (st) {
		close_process(input);
		return nx_context(err, "%s", found->folder);
	}
	process->folder = found->folder;
	mark = nx_arena_printf(&run->profile.arena, "%s/" NX_PROCESS_DISK_FULL, found->folder);
	process->was_disk_full = access(mark, F_OK) == 0;
	input->next_id = NX_SYSTEM_FIRST_FOREIGN_ID;
	input->is_kept = nx_system_filter_keeps_process(&run->filter, process);
	copy_names(run, index);
	nx_text_map_put(&run->processes_by_folder, nx_slice_text(found->folder), index);
	run->profile.process_count++;
	return NX_OK;
}

uint32_t nx_system_add_process(struct nx_system_run *run, const char *folder, const char *instance)
{
	uint32_t index = run->profile.process_count++;
	struct nx_process_input *input = &run->inputs[index];
	struct nx_system_process *process = &run->profile.processes[index];

	*process = (struct nx_system_process){.folder = folder, .instance_id = instance};
	*input = (struct nx_process_input){.is_own = true, .next_id = NX_SYSTEM_FIRST_FOREIGN_ID};
	input->is_kept = nx_system_filter_keeps_process(&run->filter, process);
	nx_text_map_put(&run->processes_by_folder, nx_slice_text(folder), index);
	return index;
}

static int by_thread_id(const void *left, const void *right)
{
	const struct nx_thread_name *a = left, *b = right;

	return (a->thread_id > b->thread_id) - (a->thread_id < b->thread_id);
}

void nx_system_name_threads(struct nx_system_run *run, uint32_t index,
			    const struct nx_thread_names *names)
{
	struct nx_system_process *process = &run->profile.processes[index];
	size_t known = process->thread_count, count = known;
	struct nx_thread_name *all =
		NX_NEW_ARRAY(&run->profile.arena, struct nx_thread_name, known + names->len);

	if (known)
		memcpy(all, process->threads, known * sizeof(*all));
	for (size_t i = 0; i < names->len; i++)
		if (!known || !bsearch(&names->items[i], all, known, sizeof(*all), by_thread_id))
			all[count++] = names->items[i];
	if (count)
		qsort(all, count, sizeof(*all), by_thread_id);
	process->threads = all;
	process->thread_count = count;
}

/* A process without traces is only a warning, unless there is no other. */
static enum nx_status open_processes(struct nx_system_run *run, struct nx_error *err)
{
	struct nx_error first = {0}, one = {0};
	struct nx_system_profile *p = &run->profile;
	enum nx_status st;
	const struct nx_capture_folders *found = &run->found;
	uint32_t count = run->options.skip_system ? 0 : (uint32_t)found->processes.len;
	size_t room = count + found->xspaces.len + found->frameworks.len;

	p->processes = NX_NEW_ARRAY(&p->arena, struct nx_system_process, room);
	run->inputs = NX_NEW_ARRAY(&p->arena, struct nx_process_input, room);
	for (uint32_t i = 0; i < count; i++) {
		if (!open_process(run, &run->found.processes.items[i], &one))
			continue;
		nx_system_warn(p, NX_WARN_LOSS, "%s", one.message);
		if (!first.status)
			first = one;
	}
	run->traced_count = p->process_count;
	if (!run->options.skip_system) {
		st = nx_system_open_xspaces(run, &one);
		if (st && !first.status)
			first = one;
		nx_system_open_frameworks(run);
	}
	if (!first.status || p->process_count || run->found.sessions.len)
		return NX_OK;
	return nx_fail(err, first.status, "%s", first.message);
}

/* --- workers --------------------------------------------------------------- */

static int compare_workers(const void *left, const void *right)
{
	const struct nx_core_worker *a = left, *b = right;

	return (a->nc_idx > b->nc_idx) - (a->nc_idx < b->nc_idx);
}

struct numbered_worker {
	uint32_t instance; /* the first process of it */
	uint32_t process;
	struct nx_core_worker *worker;
};

static uint32_t recorded_gid(const struct numbered_worker *w)
{
	return w->worker->worker_gid;
}

static int compare_gids(const void *left, const void *right)
{
	const struct numbered_worker *a = left, *b = right;

	return (recorded_gid(a) > recorded_gid(b)) - (recorded_gid(a) < recorded_gid(b));
}

static int compare_instances(const void *left, const void *right)
{
	const struct numbered_worker *a = left, *b = right;

	if (a->instance != b->instance)
		return a->instance < b->instance ? -1 : 1;
	return compare_gids(left, right);
}

static int compare_processes(const void *left, const void *right)
{
	const struct numbered_worker *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return compare_workers(a->worker, b->worker);
}

/* True when the recorded numbers of neighbours in the list differ. */
static bool gids_are_unique(const struct numbered_worker *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (recorded_gid(&list[i]) == UINT32_MAX ||
		    (i && recorded_gid(&list[i]) == recorded_gid(&list[i - 1])))
			return false;
	return true;
}

/* The same core in an earlier session of the process; NULL: this is the first. */
static const struct nx_core_worker *earlier_worker(const struct nx_system_profile *p, uint32_t at,
						   int32_t nc_idx)
{
	const struct nx_system_process *process = &p->processes[at];

	for (uint32_t i = 0; i < at && process->session != NX_NO_SESSION; i++) {
		const struct nx_system_process *other = &p->processes[i];

		if (other->session == NX_NO_SESSION || other->session == process->session ||
		    other->pid != process->pid ||
		    strcmp(other->instance_id, process->instance_id) != 0)
			continue;
		for (size_t k = 0; k < other->worker_count; k++)
			if (other->workers[k].nc_idx == nc_idx)
				return &other->workers[k];
	}
	return NULL;
}

static size_t list_workers(struct nx_system_profile *p, struct numbered_worker *list)
{
	size_t count = 0;

	for (uint32_t i = 0; i < p->process_count; i++) {
		uint32_t instance = 0;

		while (strcmp(p->processes[instance].instance_id, p->processes[i].instance_id) != 0)
			instance++;
		for (size_t k = 0; k < p->processes[i].worker_count; k++) {
			struct nx_core_worker *worker = &p->processes[i].workers[k];

			if (!earlier_worker(p, i, worker->nc_idx))
				list[count++] = (struct numbered_worker){instance, i, worker};
		}
	}
	return count;
}

/* A core has one number in all sessions. */
static void repeat_numbers(struct nx_system_profile *p)
{
	for (uint32_t i = 0; i < p->process_count; i++)
		for (size_t k = 0; k < p->processes[i].worker_count; k++) {
			struct nx_core_worker *worker = &p->processes[i].workers[k];
			const struct nx_core_worker *first = earlier_worker(p, i, worker->nc_idx);

			if (first)
				worker->worker_gid = first->worker_gid;
		}
}

/*
 * Workers' numbers must be unique over all instances. The runtime counts the cores of its own
 * instance, so several instances repeat them: then workers are numbered by instance, and within one
 * as recorded, because the cores of one process need not be neighbours. Processes that were not
 * started together may repeat numbers even within an instance; these are numbered by process and
 * core.
 */
static void number_workers(struct nx_system_profile *p)
{
	struct numbered_worker *list;
	size_t total = 0, from = 0, to;
	uint32_t next = 0;

	for (uint32_t i = 0; i < p->process_count; i++) {
		struct nx_system_process *process = &p->processes[i];

		total += process->worker_count;
		if (process->worker_count)
			qsort(process->workers, process->worker_count, sizeof(*process->workers),
			      compare_workers);
	}
	list = nx_heap_alloc(sizeof(*list) * (total + 1));
	total = list_workers(p, list);
	qsort(list, total, sizeof(*list), compare_gids);
	if (gids_are_unique(list, total))
		goto out;
	qsort(list, total, sizeof(*list), compare_instances);
	for (; from < total; from = to) {
		for (to = from + 1; to < total && list[to].instance == list[from].instance;)
			to++;
		if (!gids_are_unique(list + from, to - from))
			qsort(list + from, to - from, sizeof(*list), compare_processes);
		for (size_t i = from; i < to; i++)
			list[i].worker->worker_gid = next++;
	}
out:
	nx_heap_free(list);
	repeat_numbers(p);
}

/* --- life ------------------------------------------------------------------ */

static enum nx_status process_run(struct nx_system_run *run, struct nx_error *err)
{
	struct nx_system_profile *p = &run->profile;
	enum nx_status st;

	nx_system_read_events(run);
	nx_system_time_sessions(run);
	number_workers(p);
	for (uint32_t i = 0; i < p->process_count; i++) {
		p->processes[i].names = run->inputs[i].names.items;
		p->processes[i].name_count = run->inputs[i].names.len;
		if (run->inputs[i].is_kept && !run->inputs[i].is_own)
			nx_data_quality_report_process(p, i, &run->inputs[i].decoder);
	}
	nx_system_report_snapshots(run);
	nx_system_report_hang(run);
	if (run->status) {
		if (err)
			*err = run->error;
		return run->status;
	}
	/* a bad trace is only a warning, unless there is nothing else */
	if (run->trace_error.status && !run->traced_count && !p->devices.len &&
	    !p->rows[NX_SYSTEM_EVENT])
		return nx_fail(err, run->trace_error.status, "%s", run->trace_error.message);
	st = nx_system_filter_check(&run->filter, p, err);
	if (!st)
		st = nx_spool_sort(run->events, err);
	if (!st)
		st = nx_spool_sort(run->memory_changes, err);
	return st ? st : nx_spool_sort(run->transfers, err);
}

static enum nx_status open_run(struct nx_system_run *run, struct nx_error *err)
{
	struct nx_system_profile *p = &run->profile;
	uint64_t event_bytes = 0;
	enum nx_status st;

	st = nx_system_filter_init(&run->filter, &run->options.filter, &p->arena, err);
	if (!st)
		st = nx_capture_folders_find(&run->found, run->options.directory, &p->arena, err);
	if (!st)
		st = open_processes(run, err);
	if (!st)
		st = nx_system_find_sessions(run, err);
	if (st)
		return st;
	p->path = run->found.path;
	nx_data_quality_report_folders(p, &run->found);
	if (!run->options.skip_device)
		nx_system_find_devices(run);
	nx_system_drop_devices(run);
	if (!p->process_count && !p->devices.len)
		return nx_fail(
			err, NX_NOT_FOUND,
			"no device or system profiles found in %s; give the directory that the "
			"capture wrote (it has folders named <instance>_pid_<pid>)",
			run->options.directory);
	for (uint32_t i = 0; i < p->process_count; i++)
		event_bytes += run->inputs[i].events.bytes.len + run->inputs[i].spans.bytes.len;
	nx_progress_begin(&run->progress, "reading system traces", event_bytes,
			  run->options.show_progress);
	st = process_run(run, err);
	nx_progress_end(&run->progress);
	return st;
}

enum nx_status nx_system_run_open(struct nx_system_run **out,
				  const struct nx_system_options *options, struct nx_error *err)
{
	struct nx_system_run *run = nx_heap_alloc(sizeof(*run));
	enum nx_status st;

	assert(options->directory);
	memset(run, 0, sizeof(*run));
	run->options = *options;
	run->profile.source = (struct nx_system_source){
		.scan = nx_system_run_scan,
		.scan_process = nx_system_run_scan_process,
		.attributes = nx_system_run_attributes,
		.interned = nx_system_run_interned,
		.read_attributes = nx_system_run_read_attributes,
		.context = run,
	};
	st = open_run(run, err);
	if (st) {
		nx_system_run_close(run);
		return st;
	}
	*out = run;
	return NX_OK;
}

void nx_system_run_close(struct nx_system_run *run)
{
	if (!run)
		return;
	for (uint32_t i = 0; i < run->profile.process_count; i++)
		close_process(&run->inputs[i]);
	nx_spool_free(run->events);
	nx_spool_free(run->memory_changes);
	nx_spool_free(run->transfers);
	nx_spool_free(run->gaps);
	nx_step_analysis_release(&run->steps);
	nx_event_shapes_release(&run->shapes);
	nx_map_release(&run->models_of_flows);
	nx_rank_hang_release(&run->hang);
	nx_text_map_release(&run->processes_by_folder);
	nx_capture_folders_release(&run->found);
	nx_system_release_sessions(&run->profile);
	nx_vec_release(&run->profile.devices);
	nx_vec_release(&run->profile.warnings);
	nx_arena_release(&run->profile.arena);
	nx_heap_free(run);
}
