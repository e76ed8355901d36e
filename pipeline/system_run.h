/* SPDX-License-Identifier: Apache-2.0 */
/* system_run: shared by the files behind pipeline/system_profile.h. */
#ifndef NX_PIPELINE_SYSTEM_RUN_H
#define NX_PIPELINE_SYSTEM_RUN_H

#include <assert.h>
#include <stddef.h>

#include "analyse/event_roles.h"
#include "analyse/rank_hang.h"
#include "analyse/steps.h"
#include "base/file.h"
#include "base/spool.h"
#include "decode/ntrace/ntrace_decoder.h"
#include "decode/spans/spans_decoder.h"
#include "decode/xspace/xspace_decoder.h"
#include "pipeline/capture_folders.h"
#include "pipeline/system_profile.h"

struct nx_filter_words {
	const char **words;
	size_t count;
};

struct nx_system_filter {
	struct nx_filter_words cores, types, instances;
	bool has_positive_type; /* some type is included, not only excluded */
	/* which words matched something so far */
	bool *core_matched, *type_matched, *instance_matched;
};

/* A trace on a clock with another epoch is shown as if it began with its process. */
struct nx_clock_shift {
	bool is_needed;
	uint64_t first_ns, init_ns; /* what was first_ns is shown at init_ns */
};

struct nx_xspace_input {
	const char *path;
	struct nx_file file;
	struct nx_xspace_decoder decoder;
	struct nx_clock_shift shift; /* of its times */
};

struct nx_process_input {
	bool is_own; /* made for a trace that lies beside no process: it has no files of ours */
	struct nx_file info, events, cpu, memory, spans;
	struct nx_xspace_inputs NX_VEC_BODY(struct nx_xspace_input *) xspaces;
	struct nx_ntrace_decoder decoder;
	struct nx_spans_decoder spans_decoder;
	uint8_t *roles; /* by name */
	struct nx_process_names NX_VEC_BODY(
		const char *) names; /* decoder's, then the framework's */
	struct nx_text_map name_ids;
	uint64_t sync_ns;			/* when the process's clock offset was recorded */
	uint64_t first_event_ns, last_event_ns; /* of those kept; last 0: none */
	uint64_t next_id;			/* for events of other profilers */
	struct nx_map step_numbers;		/* of events with NX_EVENT_STEP, by id */
	bool is_kept;
	int64_t host_ahead_ns; /* its host's clock minus that of the machine that captured */
};

/* A time of the process on the clock that all hosts of its session share. */
static inline uint64_t nx_host_time(const struct nx_process_input *input, uint64_t time_ns)
{
	uint64_t ahead_ns = (uint64_t)input->host_ahead_ns, behind_ns = 0 - ahead_ns;

	if (input->host_ahead_ns >= 0)
		return time_ns > ahead_ns ? time_ns - ahead_ns : 0;
	return time_ns < UINT64_MAX - behind_ns ? time_ns + behind_ns : UINT64_MAX;
}

/* What the spool keeps of an event; each scan derives parent, depth, model, worker and process. */
struct nx_kept_event {
	uint64_t start_ns; /* sorted by */
	uint64_t end_ns;
	uint64_t id;
	uint64_t thread_id;
	uint64_t flow_id;
	struct nx_event_handle handle;
	uint32_t name;
	int32_t nc_idx;
	uint32_t number; /* a framework event's stream, any other's type */
	uint8_t source;
	uint8_t flags;
};

static_assert(sizeof(struct nx_kept_event) == 72 && offsetof(struct nx_kept_event, start_ns) == 0,
	      "millions are spooled, sorted by their first member");

/* Writes in place: copying what was just written in small pieces is slow. */
static inline void nx_kept_event_fill(struct nx_kept_event *kept,
				      const struct nx_system_event *event)
{
	*kept = (struct nx_kept_event){
		.start_ns = event->start_ns,
		.end_ns = event->end_ns,
		.id = event->id,
		.thread_id = event->thread_id,
		.flow_id = event->flow_id,
		.handle = event->handle,
		.name = event->name,
		.nc_idx = event->nc_idx,
		.number = event->source == NX_SOURCE_FRAMEWORK ? event->stream_id : event->type,
		.source = event->source,
		.flags = event->flags,
	};
}

static inline void nx_kept_event_show(const struct nx_kept_event *kept, uint32_t process,
				      struct nx_system_event *event)
{
	bool is_framework = kept->source == NX_SOURCE_FRAMEWORK;

	*event = (struct nx_system_event){
		.start_ns = kept->start_ns,
		.end_ns = kept->end_ns,
		.id = kept->id,
		.thread_id = kept->thread_id,
		.flow_id = kept->flow_id,
		.handle = kept->handle,
		.process = process,
		.type = is_framework ? NX_FRAMEWORK_EVENT_TYPE : kept->number,
		.name = kept->name,
		.nc_idx = kept->nc_idx,
		.worker_gid = UINT32_MAX,
		.stream_id = is_framework ? kept->number : UINT32_MAX,
		.source = kept->source,
		.flags = kept->flags,
	};
}

/* Records state what was copied; they are read only if transfers are requested. */
struct nx_kept_transfer {
	uint64_t start_ns, end_ns;
	struct nx_event_handle handle;
	uint32_t type;
	int32_t nc_idx;
	uint8_t direction;
	uint8_t flags;
};

static_assert(offsetof(struct nx_kept_transfer, start_ns) == 0, "sorted by its first member");

struct nx_system_run {
	struct nx_system_profile profile;
	struct nx_system_options options;
	struct nx_capture_folders found;
	struct nx_system_filter filter;
	struct nx_process_input *inputs; /* parallel to profile.processes */
	uint32_t traced_count;		 /* processes with files of ours; others follow */
	struct nx_rank_hang hang;
	struct nx_text_map processes_by_folder;
	/* each has a part per process, so that files are read one after another */
	struct nx_spool *events;	 /* struct nx_kept_event by start */
	struct nx_spool *memory_changes; /* struct nx_memory_change */
	struct nx_spool *transfers;	 /* struct nx_kept_transfer by start */
	struct nx_spool *gaps;		 /* struct nx_execution_gap; NULL before the first scan */
	struct nx_step_analysis steps;
	struct nx_map models_of_flows; /* of executions: flow -> model's id */
	struct nx_event_shapes shapes; /* while events are read */
	struct nx_role_places places;
	struct nx_progress progress;
	enum nx_status status; /* first failure of a row sink */
	struct nx_error error;
	struct nx_error trace_error; /* of the first trace that is none */
};

/* system_filter.c */
NX_MUST_CHECK enum nx_status nx_system_filter_init(struct nx_system_filter *filter,
						   const struct nx_system_filter_options *options,
						   struct nx_arena *arena, struct nx_error *err);
bool nx_system_filter_keeps_process(struct nx_system_filter *filter,
				    const struct nx_system_process *process);
bool nx_system_filter_keeps(struct nx_system_filter *filter, const struct nx_system_event *event,
			    const char *event_name);
/* After all events: NOT_FOUND naming the first word that matched nothing. */
NX_MUST_CHECK enum nx_status nx_system_filter_check(const struct nx_system_filter *filter,
						    const struct nx_system_profile *profile,
						    struct nx_error *err);

/* system_events.c: fills the spools, process by process. */
void nx_system_read_events(struct nx_system_run *run);
/* Drops what the filter does not keep; false then. For a step, set NX_EVENT_STEP and step_num. */
bool nx_system_sink_event(struct nx_system_run *run, struct nx_system_event *event,
			  const char *name);

/* system_framework.c: traces of frameworks in the process's folder. */
void nx_system_read_frameworks(struct nx_system_run *run, uint32_t process);
/* Index into the process's names; a new one is copied. */
uint32_t nx_system_name_id(struct nx_system_run *run, uint32_t process, struct nx_slice name);
/* Adds a framework event; row has times, thread, stream, flags, handle and perhaps a flow. */
void nx_system_sink_framework(struct nx_system_run *run, uint32_t process,
			      struct nx_system_event *row, struct nx_slice name);

/* system_spans.c: what the process recorded about itself. */
void nx_system_read_spans(struct nx_system_run *run, uint32_t process);
void nx_system_scan_counters(struct nx_system_run *run, uint32_t process, nx_row_fn fn,
			     void *context);
/* Adds a process for each trace that lies beside none. */
void nx_system_open_frameworks(struct nx_system_run *run);
/* The process in whose folder, or in a folder below, something lies; the only one if there is just
 * one; else UINT32_MAX. */
uint32_t nx_system_process_beside(const struct nx_system_run *run, const char *folder);

struct nx_clock_shift nx_clock_shift_choose(const struct nx_system_process *process,
					    uint64_t first_ns, uint64_t last_ns);
uint64_t nx_clock_shift_apply(const struct nx_clock_shift *shift, uint64_t time_ns);

/* system_xspace.c: XSpaces beside a process, or as processes of their own. */
/* What cannot be read is a warning, and the first such failure is returned. */
enum nx_status nx_system_open_xspaces(struct nx_system_run *run, struct nx_error *err);
void nx_system_read_xspaces(struct nx_system_run *run, uint32_t process);
void nx_system_close_xspaces(struct nx_process_input *input);
void nx_system_scan_xspace_counters(struct nx_system_run *run, uint32_t process, nx_row_fn fn,
				    void *context);
/* Events of other profilers have ids from here on, beyond every recorded one. */
#define NX_SYSTEM_FIRST_FOREIGN_ID (UINT64_C(1) << 62)
/* The XSpace that an event is from; NULL if it is from none. */
struct nx_xspace_decoder *nx_system_xspace_of(const struct nx_system_run *run,
					      const struct nx_system_event *event);
/* system_profile.c: a process for a trace of another profiler; folder and instance are kept. */
uint32_t nx_system_add_process(struct nx_system_run *run, const char *folder, const char *instance);
/* Adds names of threads, which outlive the run; those that the process knows stay. */
struct nx_thread_names NX_VEC_BODY(struct nx_thread_name);
void nx_system_name_threads(struct nx_system_run *run, uint32_t index,
			    const struct nx_thread_names *names);

/* Sessions of a run lie below this. */
#define NX_SESSIONS_FOLDER "/plugins/profile/"

/* system_sessions.c: before events are read, and NOT_FOUND for a session that is not there. */
NX_MUST_CHECK enum nx_status nx_system_find_sessions(struct nx_system_run *run,
						     struct nx_error *err);
/* After events were read: when each was recorded, in order of time. */
void nx_system_time_sessions(struct nx_system_run *run);
void nx_system_drop_devices(struct nx_system_run *run);
void nx_system_release_sessions(struct nx_system_profile *profile);

/* system_steps.c: steps and gaps, derived once, at the first scan. */
NX_MUST_CHECK enum nx_status nx_system_scan_steps(struct nx_system_run *run,
						  enum nx_system_table table, nx_row_fn fn,
						  void *context, struct nx_error *err);

/* system_devices.c: session files and the NEFFs they belong to. */
void nx_system_find_devices(struct nx_system_run *run);

/* system_scan.c: the row source. */
enum nx_status nx_system_run_scan(void *context, enum nx_system_table table, nx_row_fn fn,
				  void *fn_context, struct nx_error *err);
enum nx_status nx_system_run_scan_process(void *context, uint32_t process, nx_row_fn fn,
					  void *fn_context, struct nx_error *err);
size_t nx_system_run_attributes(void *context, const struct nx_system_event *event,
				struct nx_event_attribute *out, size_t cap);
void nx_system_run_read_attributes(void *context, const struct nx_system_event *event,
				   struct nx_event_shapes *shapes, struct nx_read_attributes *read);
struct nx_slice nx_system_run_interned(void *context, uint32_t process, uint64_t id);

/* system_snapshots.c: warnings about snapshots of continuous recording, and about ranks that hang.
 */
void nx_system_report_snapshots(struct nx_system_run *run);
void nx_system_report_hang(struct nx_system_run *run);

#endif
