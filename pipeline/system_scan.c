/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a system profile, in order of time, and what is derived from them on the way. */
#include <stdlib.h>
#include <string.h>

#include "analyse/event_nesting.h"
#include "analyse/hbm_usage.h"
#include "pipeline/system_run.h"

/*
 * Attributes are read all over the mapped files, and with a page the system
 * maps the window around it. So many windows of all files together may be
 * resident: 192 MB, and some times that where files are cached in larger pieces.
 */
#define WINDOW_SHIFT 16
#define MAX_WINDOWS 3072
/* A clock that stands still must not bring all events into memory. */
#define MAX_TIED_EVENTS ((size_t)1 << 18)

static size_t bitmap_len(const struct nx_process_input *input)
{
	return (input->events.bytes.len >> WINDOW_SHIFT) / 8 + 1;
}

static void forget_touched(struct nx_system_run *run)
{
	for (uint32_t i = 0; i < run->profile.process_count; i++) {
		if (!run->inputs[i].touched)
			continue;
		nx_file_forget(run->inputs[i].events.bytes);
		memset(run->inputs[i].touched, 0, bitmap_len(&run->inputs[i]));
	}
	run->touched_count = 0;
}

static void touch(struct nx_system_run *run, struct nx_process_input *input, uint64_t at)
{
	uint64_t window = at >> WINDOW_SHIFT;
	uint8_t bit = (uint8_t)(1u << window % 8);

	if (at >= input->events.bytes.len)
		return;
	if (!input->touched)
		input->touched = NX_NEW_ARRAY(&run->profile.arena, uint8_t, bitmap_len(input));
	if (input->touched[window / 8] & bit)
		return;
	if (run->touched_count >= MAX_WINDOWS)
		forget_touched(run);
	input->touched[window / 8] |= bit;
	run->touched_count++;
}

size_t nx_system_run_attributes(void *context, const struct nx_system_event *event,
				struct nx_event_attribute *out, size_t cap)
{
	struct nx_system_run *run = context;
	struct nx_process_input *input = &run->inputs[event->process];

	if (event->source == NX_SOURCE_FRAMEWORK)
		return 0;
	touch(run, input, event->start_at);
	touch(run, input, event->stop_at);
	return nx_ntrace_event_attributes(&input->decoder, event, out, cap);
}

struct nx_slice nx_system_run_interned(void *context, uint32_t process, uint64_t id)
{
	struct nx_system_run *run = context;

	return nx_ntrace_interned_text(&run->inputs[process].decoder, id);
}

/* --- events in order ------------------------------------------------------- */

struct event_scan {
	struct nx_system_run *run;
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
		nx_event_nesting_place(&s->nesting, event);
		s->fn(s->context, event);
	}
	nx_vec_clear(&s->tied);
}

static enum nx_status scan_events(struct nx_system_run *run, nx_row_fn fn, void *context,
				  struct nx_error *err)
{
	struct event_scan s = {.run = run, .fn = fn, .context = context};
	struct nx_spool_cursor *cursor;
	const struct nx_system_event *event;
	enum nx_status st = nx_spool_cursor_open(&cursor, run->events, err);

	if (st)
		return st;
	while ((event = nx_spool_cursor_next(cursor))) {
		if (s.tied.len &&
		    (s.tied.items[0].start_ns != event->start_ns || s.tied.len == MAX_TIED_EVENTS))
			flush_tied(&s);
		nx_vec_push(&s.tied, *event);
	}
	flush_tied(&s);
	nx_vec_release(&s.tied);
	nx_event_nesting_release(&s.nesting);
	return nx_spool_cursor_close(cursor, err);
}

/* Without nesting and workers, which the derived tables do not need. */
static enum nx_status scan_plain(struct nx_system_run *run, nx_row_fn fn, void *context,
				 struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	const struct nx_system_event *event;
	enum nx_status st = nx_spool_cursor_open(&cursor, run->events, err);

	if (st)
		return st;
	while ((event = nx_spool_cursor_next(cursor)))
		fn(context, event);
	return nx_spool_cursor_close(cursor, err);
}

/* --- derived --------------------------------------------------------------- */

struct derived_scan {
	struct nx_system_run *run;
	struct nx_hbm_analysis hbm;
	nx_row_fn fn;
	void *context;
};

static uint8_t role_of(const struct nx_system_run *run, const struct nx_system_event *event)
{
	if (event->source == NX_SOURCE_FRAMEWORK ||
	    event->name >= run->profile.processes[event->process].recorded_name_count)
		return NX_ROLE_NONE;
	return run->inputs[event->process].roles[event->name];
}

static uint64_t number(const struct nx_event_attribute *attributes, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = 0;

		if (!nx_slice_is(attributes[i].key, key))
			continue;
		for (size_t k = 0; k < attributes[i].value.len; k++) {
			uint8_t c = attributes[i].value.data[k];

			if (c < '0' || c > '9' || value > (UINT64_MAX - 9) / 10)
				return value;
			value = value * 10 + (c - '0');
		}
		return value;
	}
	return 0;
}

static uint32_t category_of(const struct nx_system_run *run, uint32_t process,
			    const struct nx_event_attribute *attributes, size_t count)
{
	uint64_t id;

	for (size_t i = 0; i < count; i++)
		if (nx_slice_is(attributes[i].key, "usage_type") &&
		    nx_text_map_get(&run->inputs[process].name_ids, attributes[i].value, &id))
			return (uint32_t)id;
	return UINT32_MAX;
}

static void derive_hbm(void *context, const void *opaque)
{
	struct derived_scan *s = context;
	const struct nx_system_event *event = opaque;
	uint8_t role = role_of(s->run, event);
	struct nx_event_attribute a[NX_MAX_ATTRIBUTES];
	struct nx_hbm_sample row = {
		.time_ns = event->end_ns, .process = event->process, .nc_idx = event->nc_idx};
	struct nx_hbm_change change = {.is_release = role == NX_ROLE_RELEASE};
	size_t count;

	if (role != NX_ROLE_ALLOCATE && role != NX_ROLE_RELEASE)
		return;
	count = nx_system_run_attributes(s->run, event, a, NX_MAX_ATTRIBUTES);
	count = count < NX_MAX_ATTRIBUTES ? count : NX_MAX_ATTRIBUTES;
	if (!number(a, count, "is_nc_hbm"))
		return; /* host memory: reported, but not in the cores' totals */
	row.hbm_idx = (uint32_t)number(a, count, "hbm_idx");
	row.device_idx = (uint32_t)number(a, count, "mla_idx");
	row.category = category_of(s->run, event->process, a, count);
	change.size_bytes = number(a, count, change.is_release ? "freed_bytes" : "allocated_bytes");
	change.total_bytes = number(a, count, "total_bytes");
	change.core_count = s->run->profile.processes[event->process].logical_nc_size;
	change.category_total_bytes = number(a, count, "usage_type_total_bytes");
	nx_hbm_add(&s->hbm, &change, &row);
	s->fn(s->context, &row);
}

static void derive_transfer(void *context, const void *opaque)
{
	struct derived_scan *s = context;
	const struct nx_system_event *event = opaque;
	uint8_t role = role_of(s->run, event);
	struct nx_event_attribute a[NX_MAX_ATTRIBUTES];
	struct nx_host_transfer row = {event->start_ns, event->end_ns, 0,
				       event->process,	event->nc_idx, NX_HOST_TO_DEVICE};
	size_t count;

	if (role != NX_ROLE_TO_DEVICE && role != NX_ROLE_TO_HOST)
		return;
	count = nx_system_run_attributes(s->run, event, a, NX_MAX_ATTRIBUTES);
	row.size_bytes = number(a, count < NX_MAX_ATTRIBUTES ? count : NX_MAX_ATTRIBUTES, "size");
	if (role == NX_ROLE_TO_HOST)
		row.direction = NX_DEVICE_TO_HOST;
	s->fn(s->context, &row);
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
	struct derived_scan derived = {.run = run, .fn = fn, .context = fn_context};
	enum nx_status st = NX_OK;

	switch (table) {
	case NX_SYSTEM_EVENT:
		return scan_events(run, fn, fn_context, err);
	case NX_SYSTEM_CPU:
	case NX_SYSTEM_MEMORY:
		scan_samples(run, table, fn, fn_context);
		return NX_OK;
	case NX_SYSTEM_HBM:
		st = scan_plain(run, derive_hbm, &derived, err);
		nx_hbm_release(&derived.hbm);
		return st;
	case NX_SYSTEM_TRANSFER:
		return scan_plain(run, derive_transfer, &derived, err);
	case NX_SYSTEM_TABLE_COUNT:
		break;
	}
	return nx_fail(err, NX_UNSUPPORTED, "no such table");
}
