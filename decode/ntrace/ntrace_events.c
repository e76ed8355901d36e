/* SPDX-License-Identifier: Apache-2.0 */
/* ntrace_events: records of ntrace.pb, paired. */
#include <assert.h>
#include <stdio.h>

#include "base/bare/bits.h"
#include "decode/ntrace/ntrace_internal.h"
#include "decode/ntrace/open_starts.h"

#define CACHED_TYPES 64

struct type {
	uint32_t name;
	uint8_t source; /* enum nx_event_source */
	bool is_known;
};

struct scan {
	struct nx_ntrace_decoder *decoder;
	struct nx_open_starts open;
	struct type types[CACHED_TYPES]; /* of the small numbers, to be found without hashing */
	struct scan_workers NX_VEC_BODY(struct nx_core_worker) workers;
	struct nx_map worker_of_core; /* index into workers, by nc_idx */
	int32_t newest_core;
	uint64_t record_count, unreadable_count;
	uint64_t last_ns;
	nx_row_fn fn;
	void *context;
};

/* --- types --------------------------------------------------------------------- */

static uint32_t name_of(struct scan *s, uint64_t event_type)
{
	struct nx_ntrace_decoder *d = s->decoder;
	uint64_t index;
	char text[40];

	if (nx_map_get(&d->type_names, event_type, &index))
		return (uint32_t)index;
	snprintf(text, sizeof(text), "event_type_%llu", (unsigned long long)event_type);
	index = nx_ntrace_name_index(d, nx_slice_text(text));
	nx_map_put(&d->type_names, event_type, index);
	d->unknown_type_count++;
	return (uint32_t)index;
}

static struct type type_of(struct scan *s, uint64_t event_type)
{
	struct type type;

	if (event_type < CACHED_TYPES && s->types[event_type].is_known)
		return s->types[event_type];
	type.name = name_of(s, event_type);
	type.source = nx_ntrace_is_hardware(s->decoder->process->names[type.name])
			      ? NX_SOURCE_HARDWARE
			      : NX_SOURCE_RUNTIME;
	type.is_known = true;
	if (event_type < CACHED_TYPES)
		s->types[event_type] = type;
	return type;
}

/* --- workers --------------------------------------------------------------------- */

static int32_t core_of(const struct nx_ntrace_head *head)
{
	return head->nc_idx <= INT32_MAX ? (int32_t)head->nc_idx : -1;
}

static uint32_t worker_of(const struct nx_ntrace_head *head)
{
	return head->worker_gid >= 0 && head->worker_gid < UINT32_MAX ? (uint32_t)head->worker_gid
								      : UINT32_MAX;
}

/* Records come core by core, so the last one seen is nearly always the same. */
static void note_worker(struct scan *s, int32_t nc_idx, uint32_t worker_gid)
{
	struct nx_core_worker worker = {nc_idx, worker_gid};

	if (nc_idx < 0 || nc_idx == s->newest_core)
		return;
	if (!nx_map_get(&s->worker_of_core, (uint64_t)nc_idx, NULL)) {
		nx_map_put(&s->worker_of_core, (uint64_t)nc_idx, s->workers.len);
		nx_vec_push(&s->workers, worker);
	}
	s->newest_core = nc_idx;
}

/* --- rows ------------------------------------------------------------------------ */

static struct nx_system_event row_of(struct scan *s, const struct nx_open_start *start)
{
	return (struct nx_system_event){
		.start_ns = start->start_ns,
		.end_ns = start->start_ns,
		.id = start->id,
		.thread_id = start->thread_id,
		.handle.words[NX_RECORD_START] = nx_event_record(start->at, start->lead_bytes),
		.process = s->decoder->process_idx,
		.type = start->event_type <= UINT32_MAX ? (uint32_t)start->event_type : UINT32_MAX,
		.name = start->name,
		.nc_idx = start->nc_idx,
		.worker_gid = start->worker_gid,
		.stream_id = UINT32_MAX,
		.source = start->source,
		.flags = start->is_queued ? NX_EVENT_QUEUED : 0,
	};
}

static struct nx_open_start start_of(struct scan *s, const struct nx_ntrace_head *head, uint64_t at)
{
	struct type type = type_of(s, head->event_type);

	return (struct nx_open_start){
		.event_type = head->event_type,
		.tracking_id = head->tracking_id,
		.start_ns = head->timestamp_ns,
		.thread_id = head->thread_id,
		.id = head->id,
		.at = at,
		.lead_bytes = head->lead_bytes,
		.nc_idx = core_of(head),
		.worker_gid = worker_of(head),
		.name = type.name,
		.source = type.source,
		.is_queued = head->nrta_seq_id != 0,
	};
}

static void take_orphan(struct scan *s, const struct nx_ntrace_head *head, uint64_t at)
{
	struct nx_open_start start = start_of(s, head, at);
	struct nx_system_event row = row_of(s, &start);

	row.handle = (struct nx_event_handle){.words[NX_RECORD_STOP] =
						      nx_event_record(at, head->lead_bytes)};
	row.flags |= NX_EVENT_ORPHAN;
	s->decoder->loss.orphan_count++;
	s->fn(s->context, &row);
}

static void take_stop(struct scan *s, const struct nx_ntrace_head *head, uint64_t at)
{
	struct nx_open_start start;
	struct nx_system_event row;

	if (!nx_open_starts_take(&s->open, head->event_type, head->tracking_id, &start)) {
		take_orphan(s, head, at);
		return;
	}
	row = row_of(s, &start);
	row.handle.words[NX_RECORD_STOP] = nx_event_record(at, head->lead_bytes);
	if (head->timestamp_ns >= row.start_ns)
		row.end_ns = head->timestamp_ns;
	else
		s->decoder->loss.backwards_count++;
	if (row.nc_idx < 0)
		row.nc_idx = core_of(head);
	if (row.worker_gid == UINT32_MAX)
		row.worker_gid = worker_of(head);
	if (head->nrta_seq_id)
		row.flags |= NX_EVENT_QUEUED;
	s->fn(s->context, &row);
}

static void take_record(struct scan *s, struct nx_slice record, uint64_t at)
{
	struct nx_ntrace_loss *loss = &s->decoder->loss;
	struct nx_open_start start;
	struct nx_system_event row;
	struct nx_ntrace_head head;

	s->record_count++;
	if (!nx_ntrace_read_head(record, &head)) {
		s->unreadable_count++;
		return;
	}
	loss->unknown_field_count += head.unknown_field_count;
	if (head.timestamp_ns > s->last_ns)
		s->last_ns = head.timestamp_ns;
	note_worker(s, core_of(&head), worker_of(&head));
	if (head.phase == NX_PHASE_STOP) {
		take_stop(s, &head, at);
		return;
	}
	start = start_of(s, &head, at);
	if (head.phase == NX_PHASE_START) {
		loss->duplicate_count += nx_open_starts_put(&s->open, &start);
		return;
	}
	row = row_of(s, &start);
	row.flags |= NX_EVENT_INSTANT;
	loss->unknown_phase_count += head.phase != NX_PHASE_INSTANT;
	s->fn(s->context, &row);
}

static void finish_open(struct scan *s)
{
	uint64_t close_ns = s->decoder->process->close_ns;
	size_t count = nx_open_starts_sort(&s->open);

	for (size_t i = 0; i < count; i++) {
		struct nx_system_event row = row_of(s, &s->open.starts.items[i]);

		row.end_ns = close_ns ? close_ns : s->last_ns;
		if (row.end_ns < row.start_ns)
			row.end_ns = row.start_ns;
		row.flags |= NX_EVENT_UNFINISHED;
		s->fn(s->context, &row);
	}
	s->decoder->loss.unfinished_count = count;
}

static void describe_events(struct scan *s)
{
	struct nx_system_process *process = s->decoder->process;

	process->stored_event_count = s->record_count;
	if (process->total_event_count < s->record_count)
		process->total_event_count = s->record_count;
	if (process->worker_count == s->workers.len)
		return;
	process->worker_count = s->workers.len;
	process->workers = NX_COPY_ARRAY(s->decoder->arena, s->workers.items, s->workers.len);
}

/* A runtime completes trace_info.pb last of all; in between it may refresh its counts. */
static void find_end(struct scan *s)
{
	const struct nx_ntrace_info *info = &s->decoder->info;
	struct nx_ntrace_loss *loss = &s->decoder->loss;

	s->decoder->newest_ns = s->last_ns;
	loss->has_no_end = info->init_ns &&
			   (!info->close_ns ||
			    (info->events.num_events && s->record_count > info->events.num_events));
}

void nx_ntrace_decode_events(struct nx_ntrace_decoder *decoder, nx_row_fn fn, void *context)
{
	struct nx_ntrace_stream stream = {.file = decoder->files.events};
	struct scan s = {.decoder = decoder, .newest_core = -1, .fn = fn, .context = context};
	struct nx_ntrace_loss *loss = &decoder->loss;
	struct nx_slice record;

	assert(fn && decoder->process);
	loss->orphan_count = loss->backwards_count = 0;
	loss->unknown_phase_count = loss->duplicate_count = 0;
	loss->unknown_field_count = decoder->info_unknown_field_count;
	while (nx_ntrace_next(&stream, &record))
		take_record(&s, record, stream.at - record.len);
	finish_open(&s);
	find_end(&s);
	describe_events(&s);
	loss->torn_event_bytes = nx_ntrace_torn_bytes(&stream);
	nx_ntrace_set_unreadable(decoder, NX_STREAM_EVENTS, s.unreadable_count);
	loss->unknown_type_count = decoder->unknown_type_count;
	nx_open_starts_release(&s.open);
	nx_vec_release(&s.workers);
	nx_map_release(&s.worker_of_core);
}
