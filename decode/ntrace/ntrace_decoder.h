/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ntrace_decoder: one process's folder of a system profile as a struct nx_system_process and
 * streams of rows, in the order of the file (core by core), not of time. Memory does not grow with
 * the trace.
 */
#ifndef NX_DECODE_NTRACE_NTRACE_DECODER_H
#define NX_DECODE_NTRACE_NTRACE_DECODER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "format/ntrace.h"
#include "model/event_shapes.h"

struct nx_ntrace_loss {
	bool info_is_missing, events_are_missing, cpu_is_missing, memory_is_missing;
	bool info_is_damaged;
	/* after the last complete record */
	uint64_t torn_event_bytes, torn_cpu_bytes, torn_memory_bytes;
	uint64_t unreadable_count;    /* not messages, or samples without time or value */
	uint64_t unfinished_count;    /* STARTs without STOP */
	uint64_t orphan_count;	      /* STOPs without START */
	uint64_t backwards_count;     /* STOPs before their START: shown with no duration */
	uint64_t unknown_type_count;  /* types that neither the file nor our table names */
	uint64_t unknown_phase_count; /* neither START, STOP nor INSTANT: shown as instants */
	uint64_t unknown_field_count;
	uint64_t duplicate_count; /* STARTs of an id that is already open */
	/* no end of the session is recorded, or events follow it: killed, or still running */
	bool has_no_end;
};

struct nx_ntrace_files { /* empty when missing */
	struct nx_slice info, events, cpu, memory;
	bool has_spans; /* the folder has a spans.pb, so all of them may be missing */
};

struct nx_ntrace_decoder {
	struct nx_ntrace_files files;
	struct nx_ntrace_info info;
	struct nx_system_process *process;
	uint32_t process_idx;
	struct nx_map type_names; /* event type -> index into process->names */
	struct nx_text_map names; /* index of a name */
	const char **own_names;	  /* process->names unless it was replaced */
	size_t own_name_cap;
	struct nx_map interned; /* id -> index into interned_texts */
	struct nx_slice *interned_texts;
	struct nx_ntrace_loss loss;
	uint64_t unreadable_counts[3];	   /* parts of the loss's: events, load, memory */
	uint64_t info_unknown_field_count; /* part of the loss's that trace_info.pb has */
	uint64_t unknown_type_count;	   /* of all scans so far */
	uint64_t newest_ns;		   /* of all events; 0 without any */
	struct nx_arena *arena;
};

/*
 * folder_name ("i-0123_pid_45", with or without more folders around it) fills in what a missing
 * trace_info.pb would have said. Damage is counted in loss; fails with FORMAT only when all four
 * files are empty.
 */
NX_MUST_CHECK enum nx_status nx_ntrace_decoder_open(struct nx_ntrace_decoder *decoder,
						    const struct nx_ntrace_files *files,
						    const char *folder_name, uint32_t process_idx,
						    struct nx_arena *arena,
						    struct nx_system_process *process,
						    struct nx_error *err);
void nx_ntrace_decoder_release(struct nx_ntrace_decoder *decoder);

/*
 * The words of an event's handle: the place of START's message in the file and of STOP's, with the
 * number of its bytes before the attributes (0: not known) on top. A word of 0 means no record.
 */
enum { NX_RECORD_START, NX_RECORD_STOP };

static inline uint64_t nx_event_record(uint64_t at, uint8_t lead_bytes)
{
	return at | (uint64_t)lead_bytes << 56;
}

static inline uint64_t nx_event_record_at(uint64_t word)
{
	return word & (UINT64_MAX >> 8);
}

static inline uint8_t nx_event_record_lead_bytes(uint64_t word)
{
	return (uint8_t)(word >> 56);
}

/*
 * Rows of model/system.h. Events are paired by (event type, tracking id); parent_id, depth and
 * flow_id are left for the pipeline. nc_idx and worker_gid are those of the record, worker_gid
 * UINT32_MAX when it has none.
 *
 * Events also set the process's workers, its counts of events, and names of types that were not
 * known before: process->names may move. May be called again: the loss is counted anew.
 */
void nx_ntrace_decode_events(struct nx_ntrace_decoder *decoder, nx_row_fn fn, void *context);
void nx_ntrace_decode_cpu(struct nx_ntrace_decoder *decoder, nx_row_fn fn, void *context);
void nx_ntrace_decode_memory(struct nx_ntrace_decoder *decoder, nx_row_fn fn, void *context);

/* Returns how many it stored, at most cap. A key that STOP repeats keeps STOP's value. */
size_t nx_ntrace_event_attributes(const struct nx_ntrace_decoder *decoder,
				  const struct nx_system_event *event,
				  struct nx_event_attribute *out, size_t cap);
/* The same with the event's shape, if it is known or can be learnt: much faster. */
void nx_ntrace_read_event(const struct nx_ntrace_decoder *decoder,
			  const struct nx_system_event *event, struct nx_event_shapes *shapes,
			  struct nx_read_attributes *read);
/* nrta_seq_id of a row with NX_EVENT_QUEUED, read from its records; 0 if they have none. */
uint64_t nx_ntrace_event_seq(const struct nx_ntrace_decoder *decoder,
			     const struct nx_system_event *event);
/* "_unknown_" if the file does not have it. */
struct nx_slice nx_ntrace_interned_text(const struct nx_ntrace_decoder *decoder, uint64_t id);
/* Index of the name in process->names; a new name is added, which may move them. */
uint32_t nx_ntrace_name_index(struct nx_ntrace_decoder *decoder, struct nx_slice name);

#endif
