/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a system profile: process by process, each in order of time. */
#include <stdlib.h>
#include <string.h>

#include "analyse/event_nesting.h"
#include "pipeline/kept_event.h"
#include "pipeline/system_run.h"

/* A clock that stands still must not bring all events into memory. */
#define MAX_TIED_EVENTS ((size_t)1 << 18)
/* Attributes are read where the file is mapped: its pages must not pile up. */
#define EVENTS_BETWEEN_FORGETTING ((size_t)1 << 17)

size_t nx_system_run_attributes(void *context, const struct nx_system_event *event,
				struct nx_event_attribute *out, size_t cap)
{
	struct nx_system_run *run = context;

	if (event->source == NX_SOURCE_FRAMEWORK)
		return 0;
	return nx_ntrace_event_attributes(&run->inputs[event->process].decoder, event, out, cap);
}

struct nx_slice nx_system_run_interned(void *context, uint32_t process, uint64_t id)
{
	struct nx_system_run *run = context;

	return nx_ntrace_interned_text(&run->inputs[process].decoder, id);
}

/* --- events in order ------------------------------------------------------- */

struct event_scan {
	const struct nx_system_run *run;
	struct nx_event_nesting nesting;
	struct nx_tied_events NX_VEC_BODY(struct nx_system_event) tied; /* that start together */
	nx_row_fn fn;
	void *context;
};

static int longer_first(const void *left, const void *right)
{
	const struct nx_system_event *a = left, *b = right;

	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->start_at > b->start_at) - (a->start_at < b->start_at);
}

/* Workers are sorted by core. */
static void set_worker(const struct nx_system_profile *p, struct nx_system_event *event)
{
	const struct nx_system_process *process = &p->processes[event->process];
	size_t low = 0, high = process->worker_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->workers[middle].nc_idx < event->nc_idx)
			low = middle + 1;
		else
			high = middle;
	}
	event->worker_gid =
		low < process->worker_count && process->workers[low].nc_idx == event->nc_idx
			? process->workers[low].worker_gid
			: UINT32_MAX;
}

static void flush_tied(struct event_scan *s)
{
	if (s->tied.len > 1)
		qsort(s->tied.items, s->tied.len, sizeof(*s->tied.items), longer_first);
	for (size_t i = 0; i < s->tied.len; i++) {
		struct nx_system_event *event = &s->tied.items[i];

		set_worker(&s->run->profile, event);
		if (event->flow_id && event->source != NX_SOURCE_FRAMEWORK)
			nx_map_get(&s->run->models_of_flows, event->flow_id, &event->model_id);
		nx_event_nesting_place(&s->nesting, event);
		s->fn(s->context, event);
	}
	nx_vec_clear(&s->tied);
}

static enum nx_status scan_sorted(struct event_scan *s, uint32_t process, struct nx_error *err)
{
	struct nx_slice file = s->run->inputs[process].events.bytes;
	struct nx_spool_cursor *cursor;
	const struct nx_kept_event *event;
	size_t count = 0;
	enum nx_status st = nx_spool_cursor_open_part(&cursor, s->run->events, process, err);

	if (st)
		return st;
	while ((event = nx_spool_cursor_next(cursor))) {
		if (s->tied.len && (s->tied.items[0].start_ns != event->start_ns ||
				    s->tied.len == MAX_TIED_EVENTS))
			flush_tied(s);
		nx_vec_push(&s->tied, nx_kept_event_shown(event, process));
		if (++count % EVENTS_BETWEEN_FORGETTING == 0)
			nx_file_forget(file);
	}
	flush_tied(s);
	nx_file_forget(file);
	return nx_spool_cursor_close(cursor, err);
}

enum nx_status nx_system_run_scan_process(void *context, uint32_t process, nx_row_fn fn,
					  void *fn_context, struct nx_error *err)
{
	struct event_scan s = {.run = context, .fn = fn, .context = fn_context};
	enum nx_status st = NX_OK;

	if (s.run->inputs[process].is_kept)
		st = scan_sorted(&s, process, err);
	nx_event_nesting_release(&s.nesting);
	nx_vec_release(&s.tied);
	return st;
}

static enum nx_status scan_events(struct nx_system_run *run, nx_row_fn fn, void *context,
				  struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < run->profile.process_count && !st; i++)
		st = nx_system_run_scan_process(run, i, fn, context, err);
	return st;
}

/* --- derived --------------------------------------------------------------- */

struct derived_scan {
	struct nx_hbm_analysis hbm;
	nx_row_fn fn;
	void *context;
};

static void derive_hbm(void *context, const void *row)
{
	struct derived_scan *s = context;
	struct nx_memory_change m = *(const struct nx_memory_change *)row;

	nx_hbm_add(&s->hbm, &m.change, &m.row);
	s->fn(s->context, &m.row);
}

static enum nx_status scan_spool(const struct nx_system_run *run, const struct nx_spool *spool,
				 nx_row_fn fn, void *context, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < run->profile.process_count && !st; i++) {
		struct nx_spool_cursor *cursor;
		const void *row;

		st = nx_spool_cursor_open_part(&cursor, spool, i, err);
		if (st)
			return st;
		while ((row = nx_spool_cursor_next(cursor)))
			fn(context, row);
		st = nx_spool_cursor_close(cursor, err);
	}
	return st;
}

static void scan_samples(struct nx_system_run *run, enum nx_system_table table, nx_row_fn fn,
			 void *context)
{
	for (uint32_t i = 0; i < run->profile.process_count; i++) {
		if (!run->inputs[i].is_kept)
			continue;
		if (table == NX_SYSTEM_CPU)
			nx_ntrace_decode_cpu(&run->inputs[i].decoder, fn, context);
		else
			nx_ntrace_decode_memory(&run->inputs[i].decoder, fn, context);
	}
}

enum nx_status nx_system_run_scan(void *context, enum nx_system_table table, nx_row_fn fn,
				  void *fn_context, struct nx_error *err)
{
	struct nx_system_run *run = context;
	struct derived_scan derived = {.fn = fn, .context = fn_context};
	enum nx_status st = NX_OK;

	switch (table) {
	case NX_SYSTEM_EVENT:
		return scan_events(run, fn, fn_context, err);
	case NX_SYSTEM_CPU:
	case NX_SYSTEM_MEMORY:
		scan_samples(run, table, fn, fn_context);
		return NX_OK;
	case NX_SYSTEM_HBM:
		st = scan_spool(run, run->memory_changes, derive_hbm, &derived, err);
		nx_hbm_release(&derived.hbm);
		return st;
	case NX_SYSTEM_TRANSFER:
		return scan_spool(run, run->transfers, fn, fn_context, err);
	case NX_SYSTEM_TABLE_COUNT:
		break;
	}
	return nx_fail(err, NX_UNSUPPORTED, "no such table");
}
