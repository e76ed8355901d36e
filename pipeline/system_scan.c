/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a system profile, in order of time, and what is derived from them on the way. */
#include <stdlib.h>
#include <string.h>

#include "analyse/event_nesting.h"
#include "analyse/hbm_usage.h"
#include "base/bare/bits.h"
#include "pipeline/system_run.h"

/*
 * Attributes are read all over the files, so by reading, not by mapping: with a
 * page the system would map the window around it, and memory would grow with
 * the number of processes. So many files are kept open.
 */
#define MAX_OPEN_FILES 256
#define USUAL_RECORD_BYTES 512
#define LENGTH_BYTES 4
#define NEAR_BYTES 3072
/* A clock that stands still must not bring all events into memory. */
#define MAX_TIED_EVENTS ((size_t)1 << 18)

static int events_fd(struct nx_system_run *run, uint32_t process)
{
	struct nx_process_input *input = &run->inputs[process];

	if (input->events_fd)
		return input->events_fd;
	if (!run->open_fds)
		run->open_fds = NX_NEW_ARRAY(&run->profile.arena, uint32_t, MAX_OPEN_FILES);
	if (run->open_count == MAX_OPEN_FILES) {
		struct nx_process_input *oldest = &run->inputs[run->open_fds[run->oldest_open]];

		nx_file_close_at_random(oldest->events_fd);
		oldest->events_fd = 0;
		run->oldest_open = (run->oldest_open + 1) % MAX_OPEN_FILES;
		run->open_count--;
	}
	input->events_fd = nx_file_open_at_random(input->events.path);
	if (input->events_fd >= 0)
		run->open_fds[(run->oldest_open + run->open_count++) % MAX_OPEN_FILES] = process;
	return input->events_fd;
}

/* The record whose message lies at offset at of the file; block holds the file from block_at on. */
static struct nx_slice record_in(struct nx_slice block, uint64_t block_at, uint64_t at)
{
	uint64_t into = at - LENGTH_BYTES - block_at;

	if (at < LENGTH_BYTES + block_at || into + LENGTH_BYTES > block.len)
		return (struct nx_slice){0};
	return nx_slice_part(block, into + LENGTH_BYTES, nx_load32(block.data + into));
}

static struct nx_slice read_block(int fd, uint64_t at, size_t len, struct nx_bytes *buffer)
{
	nx_vec_reserve(buffer, len);
	return nx_slice_of(buffer->items, nx_file_read_at(fd, at, buffer->items, len));
}

/* Empty when there is no such record, or the file has changed since. */
static struct nx_slice read_record(struct nx_system_run *run, uint32_t process, uint64_t at,
				   struct nx_bytes *buffer)
{
	uint64_t file_len = run->inputs[process].events.bytes.len;
	int fd = events_fd(run, process);
	struct nx_slice block;
	size_t len;

	if (fd < 0 || at < LENGTH_BYTES || at >= file_len)
		return (struct nx_slice){0};
	block = read_block(fd, at - LENGTH_BYTES, USUAL_RECORD_BYTES, buffer);
	if (block.len < LENGTH_BYTES)
		return (struct nx_slice){0};
	len = nx_load32(block.data);
	if (len > file_len - at)
		return (struct nx_slice){0};
	if (LENGTH_BYTES + len > block.len)
		block = read_block(fd, at - LENGTH_BYTES, LENGTH_BYTES + len, buffer);
	return record_in(block, at - LENGTH_BYTES, at);
}

/* Most events end soon: then one reading brings both of their records. */
static bool read_together(struct nx_system_run *run, const struct nx_system_event *event,
			  struct nx_slice *start, struct nx_slice *stop)
{
	int fd = events_fd(run, event->process);
	struct nx_slice block;
	uint64_t from = event->start_at - LENGTH_BYTES;

	if (fd < 0 || event->start_at < LENGTH_BYTES || event->stop_at <= event->start_at ||
	    event->stop_at - event->start_at > NEAR_BYTES)
		return false;
	block = read_block(fd, from, event->stop_at - from + USUAL_RECORD_BYTES,
			   &run->start_record);
	*start = record_in(block, from, event->start_at);
	*stop = record_in(block, from, event->stop_at);
	return stop->len && stop->data + stop->len < block.data + block.len;
}

size_t nx_system_run_attributes(void *context, const struct nx_system_event *event,
				struct nx_event_attribute *out, size_t cap)
{
	struct nx_system_run *run = context;
	struct nx_slice start, stop;

	if (event->source == NX_SOURCE_FRAMEWORK)
		return 0;
	if (!read_together(run, event, &start, &stop)) {
		start = read_record(run, event->process, event->start_at, &run->start_record);
		stop = read_record(run, event->process, event->stop_at, &run->stop_record);
	}
	return nx_ntrace_record_attributes(event, start, stop, out, cap);
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
	uint64_t value;

	for (size_t i = 0; i < count; i++)
		if (nx_slice_is(attributes[i].key, key))
			return nx_slice_to_u64(attributes[i].value, &value) ? value : 0;
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
