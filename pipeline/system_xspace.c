/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XSpaces: joined to the process they lie beside, where threads have the same ids, or else as a
 * process of their own per file, which is a host.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/data_quality.h"
#include "pipeline/system_run.h"

/* The words of a handle leave its top free: which of the process's XSpaces, from 1. */
#define HANDLE_SPACE 48

struct nx_xspace_decoder *nx_system_xspace_of(const struct nx_system_run *run,
					      const struct nx_system_event *event)
{
	const struct nx_xspace_inputs *spaces = &run->inputs[event->process].xspaces;
	uint64_t space = event->handle.words[1] >> HANDLE_SPACE;

	if (!spaces->len || event->id < NX_SYSTEM_FIRST_FOREIGN_ID || !space || space > spaces->len)
		return NULL;
	return &spaces->items[space - 1]->decoder;
}

/* --- opening ---------------------------------------------------------------- */

/* The host, in all sessions of a run, so that they share rows. */
static const char *instance_of(struct nx_system_run *run, const struct nx_found_file *found)
{
	struct nx_slice host = nx_slice_text(found->name);

	if (nx_slice_ends(host, NX_XSPACE_SUFFIX))
		host.len -= strlen(NX_XSPACE_SUFFIX);
	return nx_arena_copy(&run->profile.arena, host);
}

static int by_core(const void *left, const void *right)
{
	const struct nx_core_worker *a = left, *b = right;

	return (a->nc_idx > b->nc_idx) - (a->nc_idx < b->nc_idx);
}

/* Cores that the process does not know of yet. */
static void add_workers(struct nx_system_run *run, struct nx_system_process *process,
			const struct nx_xspace_decoder *d)
{
	struct nx_core_worker *all = NX_NEW_ARRAY(&run->profile.arena, struct nx_core_worker,
						  process->worker_count + d->planes.len);
	size_t count = process->worker_count;

	if (count)
		memcpy(all, process->workers, count * sizeof(*all));
	for (size_t i = 0; i < d->planes.len; i++) {
		size_t at = 0;

		if (d->planes.items[i].core < 0)
			continue;
		while (at < count && all[at].nc_idx != d->planes.items[i].core)
			at++;
		if (at == count)
			all[count++] = (struct nx_core_worker){d->planes.items[i].core, UINT32_MAX};
	}
	if (count)
		qsort(all, count, sizeof(*all), by_core);
	process->workers = all;
	process->worker_count = count;
}

static void add_threads(struct nx_system_run *run, uint32_t process,
			const struct nx_xspace_decoder *d)
{
	struct nx_thread_names names = {0};

	for (size_t i = 0; i < d->threads.len; i++)
		if (*d->threads.items[i].name)
			nx_vec_push(&names, ((struct nx_thread_name){d->threads.items[i].id,
								     d->threads.items[i].name,
								     d->threads.items[i].plane,
								     d->threads.items[i].line}));
	nx_system_name_threads(run, process, &names);
	nx_vec_release(&names);
}

static void describe(struct nx_system_process *process, const struct nx_xspace_decoder *d)
{
	process->init_ns = d->start_ns;
	process->close_ns = d->stop_ns;
	process->instance_type = d->device_type;
}

static enum nx_status open_one(struct nx_system_run *run, const struct nx_found_file *found,
			       struct nx_error *err)
{
	struct nx_xspace_input *input = nx_heap_alloc(sizeof(*input));
	uint32_t process = nx_system_process_beside(run, found->folder);
	enum nx_status st;

	memset(input, 0, sizeof(*input));
	input->path = found->path;
	st = nx_file_map(&input->file, found->path, err);
	if (!st)
		st = nx_xspace_decoder_open(&input->decoder, input->file.bytes, found->path,
					    &run->profile.arena, err);
	if (st) {
		nx_file_unmap(&input->file);
		nx_heap_free(input);
		return st;
	}
	if (process == UINT32_MAX) {
		process = nx_system_add_process(run, found->path, instance_of(run, found));
		describe(&run->profile.processes[process], &input->decoder);
	}
	nx_vec_push(&run->inputs[process].xspaces, input);
	return NX_OK;
}

enum nx_status nx_system_open_xspaces(struct nx_system_run *run, struct nx_error *err)
{
	struct nx_error one = {0};
	enum nx_status first = NX_OK, st;

	for (size_t i = 0; i < run->found.xspaces.len; i++) {
		st = open_one(run, &run->found.xspaces.items[i], &one);
		if (!st)
			continue;
		nx_system_warn(&run->profile, NX_WARN_LOSS, "%s", one.message);
		if (!first) {
			first = st;
			*err = one;
		}
	}
	return first;
}

void nx_system_close_xspaces(struct nx_process_input *input)
{
	for (size_t i = 0; i < input->xspaces.len; i++) {
		nx_xspace_decoder_release(&input->xspaces.items[i]->decoder);
		nx_file_unmap(&input->xspaces.items[i]->file);
		nx_heap_free(input->xspaces.items[i]);
	}
	nx_vec_release(&input->xspaces);
}

/* --- events ----------------------------------------------------------------- */

struct xspace_read {
	struct nx_system_run *run;
	uint32_t process;
	uint64_t space;	 /* from 1 */
	uint32_t *names; /* of the decoder -> of the process; UINT32_MAX: not needed so far */
	uint64_t count, first_ns, last_ns;
	const struct nx_clock_shift *shift;
	/* of the scan of counters */
	nx_row_fn fn;
	void *context;
};

static void measure(void *context, const struct nx_xspace_event *event)
{
	struct xspace_read *r = context;

	if (!r->count++ || event->row.start_ns < r->first_ns)
		r->first_ns = event->row.start_ns;
	if (event->row.end_ns > r->last_ns)
		r->last_ns = event->row.end_ns;
}

static uint32_t name_of(struct xspace_read *r, const struct nx_xspace_event *event)
{
	uint32_t *known = event->name_idx == UINT32_MAX ? NULL : &r->names[event->name_idx];
	uint32_t name;

	if (known && *known != UINT32_MAX)
		return *known;
	name = nx_system_name_id(r->run, r->process, event->name);
	if (known)
		*known = name;
	return name;
}

static void take(void *context, const struct nx_xspace_event *event)
{
	struct xspace_read *r = context;
	struct nx_process_input *input = &r->run->inputs[r->process];
	struct nx_system_event row = event->row;

	row.start_ns = nx_clock_shift_apply(r->shift, row.start_ns);
	row.end_ns = nx_clock_shift_apply(r->shift, row.end_ns);
	row.id = input->next_id++;
	/* so that the runtime's calls inside of it belong to it */
	if (!row.flow_id && !input->is_own && row.source == NX_SOURCE_FRAMEWORK)
		row.flow_id = row.id;
	row.process = r->process;
	row.name = name_of(r, event);
	row.handle.words[1] |= r->space << HANDLE_SPACE;
	nx_system_sink_event(r->run, &row, input->names.items[row.name]);
}

static void count_sample(void *context, const struct nx_xspace_sample *sample)
{
	struct xspace_read *r = context;

	nx_system_name_id(r->run, r->process, sample->name);
	r->run->profile.rows[NX_SYSTEM_COUNTER]++;
}

static void read_one(struct nx_system_run *run, uint32_t process, uint64_t space)
{
	struct nx_xspace_input *input = run->inputs[process].xspaces.items[space - 1];
	struct nx_xspace_decoder *d = &input->decoder;
	struct xspace_read r = {
		.run = run, .process = process, .space = space, .shift = &input->shift};
	struct nx_system_process *p = &run->profile.processes[process];

	/* a file that states when it started is on the host's clock */
	if (!run->inputs[process].is_own && !d->start_ns) {
		nx_xspace_decode_events(d, measure, &r);
		if (r.count)
			input->shift = nx_clock_shift_choose(p, r.first_ns, r.last_ns);
		if (input->shift.is_needed)
			nx_data_quality_report_shift(&run->profile, input->path, false);
	}
	r.names = nx_heap_alloc((d->names.len + 1) * sizeof(*r.names));
	memset(r.names, 0xff, (d->names.len + 1) * sizeof(*r.names));
	nx_xspace_decode_events(d, take, &r);
	nx_xspace_decode_counters(d, count_sample, &r);
	nx_heap_free(r.names);
	add_threads(run, process, d);
	add_workers(run, p, d);
	p->stored_event_count += d->loss.event_count;
	p->total_event_count += d->loss.event_count;
	nx_data_quality_report_xspace(&run->profile, input->path, d);
	if (d->loss.is_damaged && d->loss.event_count == d->loss.malformed_count &&
	    !run->trace_error.status)
		(void)!nx_fail(&run->trace_error, NX_FORMAT,
			       "%s is damaged and has no event that can be read; copy it again in "
			       "binary mode, or capture again",
			       input->path);
	nx_file_forget(input->file.bytes);
}

void nx_system_read_xspaces(struct nx_system_run *run, uint32_t process)
{
	assert(process < run->profile.process_count);
	for (size_t i = 0; i < run->inputs[process].xspaces.len; i++)
		read_one(run, process, i + 1);
}

static void show_sample(void *context, const struct nx_xspace_sample *sample)
{
	struct xspace_read *r = context;
	uint64_t time_ns = nx_clock_shift_apply(r->shift, sample->time_ns);
	struct nx_counter_sample row = {nx_host_time(&r->run->inputs[r->process], time_ns),
					sample->value, r->process,
					nx_system_name_id(r->run, r->process, sample->name)};

	r->fn(r->context, &row);
}

void nx_system_scan_xspace_counters(struct nx_system_run *run, uint32_t process, nx_row_fn fn,
				    void *context)
{
	const struct nx_xspace_inputs *spaces = &run->inputs[process].xspaces;
	struct xspace_read r = {.run = run, .process = process, .fn = fn, .context = context};

	for (size_t i = 0; i < spaces->len; i++) {
		r.shift = &spaces->items[i]->shift;
		nx_xspace_decode_counters(&spaces->items[i]->decoder, show_sample, &r);
		nx_file_forget(spaces->items[i]->file.bytes);
	}
}
