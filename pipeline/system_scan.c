/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a system profile: process by process, each in order of time. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/event_nesting.h"
#include "pipeline/system_run.h"

/* A clock that stands still must not bring all events into memory. */
#define MAX_WAITING_EVENTS ((size_t)1 << 18)
/* Records are prefetched this many events before they are read. */
#define EVENTS_AHEAD ((size_t)32)
#define RECENT_FLOWS 256
#define CACHE_LINE_BYTES ((uint64_t)64)
/* Attributes are read from the mapped file, whose pages must not pile up. */
#define EVENTS_BETWEEN_FORGETTING ((size_t)1 << 17)

size_t nx_system_run_attributes(void *context, const struct nx_system_event *event,
				struct nx_event_attribute *out, size_t cap)
{
	struct nx_system_run *run = context;
	struct nx_xspace_decoder *xspace = nx_system_xspace_of(run, event);

	if (xspace)
		return nx_xspace_attributes(xspace, event, out, cap);
	if (event->source == NX_SOURCE_FRAMEWORK)
		return event->handle.words[0] ? nx_spans_event_attributes(
							&run->inputs[event->process].spans_decoder,
							event, out, cap)
					      : 0;
	return nx_ntrace_event_attributes(&run->inputs[event->process].decoder, event, out, cap);
}

void nx_system_run_read_attributes(void *context, const struct nx_system_event *event,
				   struct nx_event_shapes *shapes, struct nx_read_attributes *read)
{
	struct nx_system_run *run = context;
	struct nx_xspace_decoder *xspace = nx_system_xspace_of(run, event);

	if (xspace || event->source == NX_SOURCE_FRAMEWORK) {
		read->shape = NULL;
		read->count =
			nx_system_run_attributes(context, event, read->items, NX_MAX_ATTRIBUTES);
		return;
	}
	nx_ntrace_read_event(&run->inputs[event->process].decoder, event, shapes, read);
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
	/* in order; only the last group that starts together may still grow */
	struct nx_waiting_events NX_VEC_BODY(struct nx_system_event) waiting;
	struct {
		uint64_t flow_id, model_id;
	} recent[RECENT_FLOWS]; /* events of a flow follow each other */
	nx_row_fn fn;
	void *context;
};

static int longer_first(const void *left, const void *right)
{
	const struct nx_system_event *a = left, *b = right;
	uint64_t a_at, b_at;

	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	a_at = nx_event_record_at(a->handle.words[NX_RECORD_START]);
	b_at = nx_event_record_at(b->handle.words[NX_RECORD_START]);
	return (a_at > b_at) - (a_at < b_at);
}

static uint64_t model_of(struct event_scan *s, uint64_t flow_id)
{
	/* the lowest bit of a flow is set in all of them */
	size_t at = flow_id / 2 % RECENT_FLOWS;

	if (s->recent[at].flow_id != flow_id) {
		s->recent[at].flow_id = flow_id;
		s->recent[at].model_id = 0;
		nx_map_get(&s->run->models_of_flows, flow_id, &s->recent[at].model_id);
	}
	return s->recent[at].model_id;
}

static void flush_waiting(struct event_scan *s)
{
	struct nx_system_event *events = s->waiting.items;
	size_t count = s->waiting.len;

	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && events[to].start_ns == events[from].start_ns;)
			to++;
		if (to - from > 1)
			qsort(events + from, to - from, sizeof(*events), longer_first);
		for (struct nx_system_event *event = events + from; event < events + to; event++) {
			event->worker_gid = nx_system_worker(
				&s->run->profile.processes[event->process], event->nc_idx);
			if (event->flags & NX_EVENT_STEP)
				nx_map_get(&s->run->inputs[event->process].step_numbers, event->id,
					   &event->step_num);
			if (event->flow_id && event->source != NX_SOURCE_FRAMEWORK)
				event->model_id = model_of(s, event->flow_id);
			if (event->flags & NX_EVENT_QUEUED)
				event->nrta_seq_id = nx_ntrace_event_seq(
					&s->run->inputs[event->process].decoder, event);
			nx_event_nesting_place(&s->nesting, event);
			s->fn(s->context, event);
		}
	}
	nx_vec_clear(&s->waiting);
}

/* A record is seldom longer than two lines. */
static void ask_for_record(struct nx_slice file, uint64_t at)
{
	if (!at || at >= file.len)
		return;
	__builtin_prefetch(file.data + at);
	__builtin_prefetch(file.data + at + CACHE_LINE_BYTES);
}

static void ask_for_records(const struct nx_system_run *run, const struct nx_system_event *event)
{
	const struct nx_xspace_decoder *xspace = nx_system_xspace_of(run, event);
	struct nx_slice file = run->inputs[event->process].events.bytes;

	if (xspace) {
		ask_for_record(xspace->file, event->handle.words[0]);
		return;
	}
	ask_for_record(file, nx_event_record_at(event->handle.words[NX_RECORD_START]));
	ask_for_record(file, nx_event_record_at(event->handle.words[NX_RECORD_STOP]));
}

static void forget_files(const struct nx_process_input *input)
{
	nx_file_forget(input->events.bytes);
	for (size_t i = 0; i < input->xspaces.len; i++)
		nx_file_forget(input->xspaces.items[i]->file.bytes);
}

static enum nx_status scan_sorted(struct event_scan *s, uint32_t process, struct nx_error *err)
{
	struct nx_spool_cursor *cursor;
	const struct nx_kept_event *event;
	size_t count = 0;
	enum nx_status st = nx_spool_cursor_open_part(&cursor, s->run->events, process, err);

	if (st)
		return st;
	while ((event = nx_spool_cursor_next(cursor))) {
		const struct nx_waiting_events *waiting = &s->waiting;

		if (waiting->len >= EVENTS_AHEAD &&
		    (waiting->items[waiting->len - 1].start_ns != event->start_ns ||
		     waiting->len == MAX_WAITING_EVENTS))
			flush_waiting(s);
		nx_vec_reserve(&s->waiting, s->waiting.len + 1);
		nx_kept_event_show(event, process, &s->waiting.items[s->waiting.len]);
		ask_for_records(s->run, &s->waiting.items[s->waiting.len++]);
		if (++count % EVENTS_BETWEEN_FORGETTING == 0)
			forget_files(&s->run->inputs[process]);
	}
	flush_waiting(s);
	forget_files(&s->run->inputs[process]);
	return nx_spool_cursor_close(cursor, err);
}

enum nx_status nx_system_run_scan_process(void *context, uint32_t process, nx_row_fn fn,
					  void *fn_context, struct nx_error *err)
{
	struct event_scan s = {.run = context, .fn = fn, .context = fn_context};
	enum nx_status st = NX_OK;

	assert(process < s.run->profile.process_count && fn);
	if (s.run->inputs[process].is_kept)
		st = scan_sorted(&s, process, err);
	nx_event_nesting_release(&s.nesting);
	nx_vec_release(&s.waiting);
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

struct transfer_scan {
	const struct nx_system_run *run;
	struct nx_event_shapes shapes;
	uint32_t process;
	size_t count;
	nx_row_fn fn;
	void *context;
};

static uint64_t size_of(struct transfer_scan *s, const struct nx_kept_transfer *kept)
{
	struct nx_system_event event = {
		.handle = kept->handle, .type = kept->type, .flags = kept->flags};
	struct nx_read_attributes read;
	uint64_t size_bytes;

	nx_ntrace_read_event(&s->run->inputs[s->process].decoder, &event, &s->shapes, &read);
	for (size_t i = 0; i < read.count; i++)
		if (nx_slice_is(read.items[i].key, "size"))
			return nx_slice_to_u64(read.items[i].value, &size_bytes) ? size_bytes : 0;
	return 0;
}

static void show_transfer(void *context, const void *row)
{
	struct transfer_scan *s = context;
	const struct nx_kept_transfer *kept = row;
	struct nx_host_transfer transfer = {kept->start_ns, kept->end_ns, size_of(s, kept),
					    s->process,	    kept->nc_idx, kept->direction};

	s->fn(s->context, &transfer);
	if (++s->count % EVENTS_BETWEEN_FORGETTING == 0)
		nx_file_forget(s->run->inputs[s->process].events.bytes);
}

static enum nx_status scan_memory(const struct nx_system_run *run, nx_row_fn fn, void *context,
				  struct nx_error *err)
{
	struct derived_scan derived = {.fn = fn, .context = context};
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < run->profile.process_count && !st; i++)
		st = nx_spool_each(run->memory_changes, i, derive_hbm, &derived, err);
	nx_hbm_release(&derived.hbm);
	return st;
}

static enum nx_status scan_transfers(const struct nx_system_run *run, nx_row_fn fn, void *context,
				     struct nx_error *err)
{
	struct transfer_scan s = {.run = run, .fn = fn, .context = context};
	enum nx_status st = NX_OK;

	for (; s.process < run->profile.process_count && !st; s.process++) {
		st = nx_spool_each(run->transfers, s.process, show_transfer, &s, err);
		nx_file_forget(run->inputs[s.process].events.bytes);
	}
	nx_event_shapes_release(&s.shapes);
	return st;
}

struct sample_shift {
	const struct nx_process_input *input;
	nx_row_fn fn;
	void *context;
};

static void shift_cpu(void *context, const void *opaque)
{
	const struct sample_shift *s = context;
	struct nx_cpu_sample row = *(const struct nx_cpu_sample *)opaque;

	row.time_ns = nx_host_time(s->input, row.time_ns);
	s->fn(s->context, &row);
}

static void shift_memory(void *context, const void *opaque)
{
	const struct sample_shift *s = context;
	struct nx_memory_sample row = *(const struct nx_memory_sample *)opaque;

	row.time_ns = nx_host_time(s->input, row.time_ns);
	s->fn(s->context, &row);
}

static void scan_samples(struct nx_system_run *run, enum nx_system_table table, nx_row_fn fn,
			 void *context)
{
	for (uint32_t i = 0; i < run->profile.process_count; i++) {
		struct sample_shift shift = {&run->inputs[i], fn, context};

		if (!run->inputs[i].is_kept)
			continue;
		if (table == NX_SYSTEM_COUNTER)
			nx_system_scan_xspace_counters(run, i, fn, context);
		if (run->inputs[i].is_own)
			continue;
		if (table == NX_SYSTEM_COUNTER)
			nx_system_scan_counters(run, i, fn, context);
		else if (table == NX_SYSTEM_CPU)
			nx_ntrace_decode_cpu(&run->inputs[i].decoder, shift_cpu, &shift);
		else
			nx_ntrace_decode_memory(&run->inputs[i].decoder, shift_memory, &shift);
	}
}

enum nx_status nx_system_run_scan(void *context, enum nx_system_table table, nx_row_fn fn,
				  void *fn_context, struct nx_error *err)
{
	struct nx_system_run *run = context;
	enum nx_status st = NX_OK;

	switch (table) {
	case NX_SYSTEM_EVENT:
		for (uint32_t i = 0; i < run->profile.process_count && !st; i++)
			st = nx_system_run_scan_process(run, i, fn, fn_context, err);
		return st;
	case NX_SYSTEM_CPU:
	case NX_SYSTEM_MEMORY:
	case NX_SYSTEM_COUNTER:
		scan_samples(run, table, fn, fn_context);
		return NX_OK;
	case NX_SYSTEM_HBM:
		return scan_memory(run, fn, fn_context, err);
	case NX_SYSTEM_TRANSFER:
		return scan_transfers(run, fn, fn_context, err);
	case NX_SYSTEM_STEP:
	case NX_SYSTEM_STEP_TOTAL:
	case NX_SYSTEM_GAP:
	case NX_SYSTEM_GAP_TOTAL:
		return nx_system_scan_steps(run, table, fn, fn_context, err);
	case NX_SYSTEM_TABLE_COUNT:
		break;
	}
	return nx_fail(err, NX_UNSUPPORTED, "no such table");
}
