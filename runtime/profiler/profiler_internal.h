/* SPDX-License-Identifier: Apache-2.0 */
/* profiler_internal: what the files of libnxprofiler.so.1 share. */
#ifndef NX_RUNTIME_PROFILER_PROFILER_INTERNAL_H
#define NX_RUNTIME_PROFILER_PROFILER_INTERNAL_H

#include <nx/profiler.h>

#include "base/error.h"
#include "base/vec.h"
#include "format/snapshot_file.h"
#include "runtime/trace/guest_files.h"
#include "runtime/trace/trace_clock.h"
#include "runtime/trace/trace_history.h"
#include "runtime/trace/trace_share.h"

#define NX_PROFILER_EXPORT __attribute__((visibility("default")))
#define NX_PROFILER_DEFAULT_FOLDER "output"

/* --- profiler_names.c ---------------------------------------------------------------------- */

#define NX_PROFILER_NAME_BITS 20
#define NX_PROFILER_MAX_NAMES (1u << NX_PROFILER_NAME_BITS)

struct nx_profiler_entry {
	const char *text, *file; /* file: NULL if unknown */
	uint32_t text_len, file_len;
	uint32_t line;
	uint8_t kind;
};

/* NULL for a number that is no name. */
const struct nx_profiler_entry *nx_profiler_entry_of(nx_name name);
/* Calls fn for each thread that was named; a change since *generation, which it updates. */
void nx_profiler_thread_names(uint64_t *generation,
			      void (*fn)(void *context, uint32_t thread_id, const char *name),
			      void *context);
bool nx_profiler_thread_name_of(uint32_t thread_id, char *out, size_t cap);
void nx_profiler_names_abandon(void);

/* --- profiler_record.c --------------------------------------------------------------------- */

/*
 * A record in the ring. First word: 22 bits thread, 20 bits name, 4 bits of this enum. Then ticks,
 * then:
 *
 *	BEGIN, INSTANT		attributes
 *	TEXT			length of the text and kind << 32, the text, attributes
 *	END			span, attributes
 *	COMPLETE		start in ticks, attributes (its ticks are those of the end)
 *	STEP			number of the step, attributes
 *	COUNTER			value
 *	FLOW_OUT, FLOW_IN	flow
 *
 * An attribute is a word: 20 bits key, 4 bits type, length of a text << 32; then its value.
 */
enum nx_profiler_record {
	NX_RECORD_BEGIN = 1,
	NX_RECORD_TEXT,
	NX_RECORD_END,
	NX_RECORD_COMPLETE,
	NX_RECORD_INSTANT,
	NX_RECORD_STEP,
	NX_RECORD_COUNTER,
	NX_RECORD_FLOW_OUT,
	NX_RECORD_FLOW_IN,
};
#define NX_RECORD_THREAD_BITS 22
#define NX_RECORD_NAME_SHIFT NX_RECORD_THREAD_BITS
#define NX_RECORD_WHAT_SHIFT (NX_RECORD_THREAD_BITS + NX_PROFILER_NAME_BITS)

/* The ring of the running session: ours or that of libnrt.so.1. Set before the switch. */
extern struct nx_trace_ring *_Atomic nx_profiler_ring;

/* --- profiler_spans.c ---------------------------------------------------------------------- */

#define NX_PROFILER_MAX_THREADS (1u << 16) /* in one file; half of them are named */

/* A spans.pb being written. Its buffer has a fixed size. */
struct nx_profiler_spans {
	struct nx_guest_stream stream;
	const struct nx_trace_clock *clock;
	struct nx_bytes pending;
	uint64_t pending_count;
	uint64_t unwritten_count; /* records that did not fit on the disk */
	uint64_t first_position;  /* ends of spans that began before are left out */
	uint64_t thread_generation;
	uint64_t defined[NX_PROFILER_MAX_NAMES / 64]; /* names that are in the file */
	uint32_t seen[NX_PROFILER_MAX_THREADS];	      /* hash table of threads in the file */
	uint32_t seen_count;
};

/* Creates <folder>/spans.pb; the clock stays the caller's. */
NX_MUST_CHECK enum nx_status nx_profiler_spans_open(struct nx_profiler_spans *spans,
						    const char *folder,
						    const struct nx_trace_clock *clock,
						    uint64_t first_position, struct nx_error *err);
/* Adds a record, with the names it needs; false if there is nothing to write. */
bool nx_profiler_spans_put(struct nx_profiler_spans *spans, const struct nx_trace_kept *kept);
/* Adds names that threads got since the last call. */
void nx_profiler_spans_name_threads(struct nx_profiler_spans *spans);
void nx_profiler_spans_flush(struct nx_profiler_spans *spans);
/* Adds the counts and closes the file; false if something could not be written. */
bool nx_profiler_spans_close(struct nx_profiler_spans *spans, uint64_t recorded, uint64_t lost,
			     struct nx_error *err);
void nx_profiler_spans_abandon(struct nx_profiler_spans *spans);

/* --- profiler_drain.c ---------------------------------------------------------------------- */

/* Called by the thread in each round, profiler.c: libnrt.so.1 may have been loaded. */
void nx_profiler_look_for_runtime(void);
/* Called by the thread in each round, profiler_continuous.c: a trigger may have fired. */
void nx_profiler_watch(void);

/* Starts the thread that empties the ring. */
NX_MUST_CHECK enum nx_status nx_profiler_drain_begin(struct nx_trace_ring *ring,
						     uint64_t epoch_offset_ns,
						     struct nx_error *err);
/* Ends the thread. Records may be left in the ring. */
void nx_profiler_drain_end(void);
/* Opens spans.pb: from now on it gets the records from this ticket on. */
NX_MUST_CHECK enum nx_status nx_profiler_drain_open(const char *folder, uint64_t first_ticket,
						    struct nx_error *err);
/* Takes the rest and closes it; false if something could not be written. */
bool nx_profiler_drain_close(struct nx_error *err);
/* Returns after all that is in the ring now is in the file. */
void nx_profiler_drain_flush(void);
/* The same, without the thread. */
void nx_profiler_drain_take(void);
void nx_profiler_drain_counts(uint64_t *recorded, uint64_t *lost);
/* Records that were overwritten in the ring before anybody took them. */
uint64_t nx_profiler_drain_dropped(void);
void nx_profiler_drain_abandon(void);

/* --- profiler_history.c -------------------------------------------------------------------- */

#define NX_PROFILER_SPANS NX_TRACE_MAX_CORES /* source of spans; others are cores */

NX_MUST_CHECK enum nx_status nx_profiler_history_begin(size_t bytes, uint64_t horizon_ns,
						       uint64_t epoch_offset_ns,
						       struct nx_error *err);
void nx_profiler_history_end(void);
/* Around the records of a round; false if there is no history. */
bool nx_profiler_history_enter(void);
void nx_profiler_history_put(uint64_t position, const uint64_t *words, unsigned count);
void nx_profiler_history_leave(void);
/* For the records of the runtime. */
struct nx_trace_keeper nx_profiler_history_keeper(void);
struct nx_profiler_alarm;
/* Drops what is older than the horizon; true if a trigger fired. state: NULL without a runtime. */
bool nx_profiler_history_check(uint64_t now_ns, const struct nx_trace_share_state *state,
			       struct nx_profiler_alarm *alarm);
/* A copy without the words. */
struct nx_trace_history nx_profiler_history_look(void);
/* While it is held, nothing is dropped for its age. */
void nx_profiler_history_hold(bool is_held);
/* As nx_trace_history_copy. */
uint64_t nx_profiler_history_copy(uint64_t number, struct nx_trace_excerpt *out);
void nx_profiler_history_abandon(void);

/* --- profiler_triggers.c -------------------------------------------------------------------- */

struct nx_profiler_alarm {
	enum nx_snapshot_trigger trigger;
	char reason[256];
};

/* The rest needs the history locked. */
void nx_profiler_triggers_begin(const nx_profiler_continuous_options *options);
/* Sees every record; source as in the history. */
void nx_profiler_triggers_see(unsigned source, uint64_t position, const uint64_t *words);
/* True if a snapshot is due. */
bool nx_profiler_triggers_check(uint64_t now_ns, const struct nx_trace_share_state *state,
				const struct nx_trace_clock *clock,
				struct nx_profiler_alarm *alarm);

/* These may be called at any time. */
uint64_t nx_profiler_triggers_suppressed(void);
/* Another process asks for a snapshot. */
void nx_profiler_triggers_request(void);
/* Catches the signal, if the program has no handler for it; false otherwise. */
bool nx_profiler_triggers_catch(int number);
void nx_profiler_triggers_release(void);

/* --- profiler_snapshot.c ------------------------------------------------------------------- */

struct nx_profiler_snapshot {
	const char *output_dir;
	const char *instance_id, *hostname;
	const struct nx_trace_share *share; /* NULL: there are no events of the runtime */
	bool drains;			    /* the caller is the thread that empties the ring */
	uint64_t previous_end;	      /* sequence at which the one before ended; UINT64_MAX: none */
	struct nx_snapshot_file file; /* in: trigger, reason, counts since the recording began */
	/* out: */
	uint64_t begin_ns; /* of the oldest record */
	char folder[1280];
};

/* Writes what the history has, under a temporary name that becomes the folder. */
NX_MUST_CHECK enum nx_status nx_profiler_snapshot_write(struct nx_profiler_snapshot *snapshot,
							struct nx_error *err);
void nx_profiler_snapshot_abandon(void);

/* --- profiler_runtime.c -------------------------------------------------------------------- */

/* What is known about libnrt.so.1 in this process; all NULL: it is not loaded. */
struct nx_profiler_runtime {
	const struct nx_trace_share *share; /* ours */
	bool is_loaded, is_on;
	bool is_filtered;
	struct nx_trace_filter filter; /* the cores of the session; all if not is_filtered */
};

void nx_profiler_runtime_find(struct nx_profiler_runtime *runtime);
/* The cores of the next session, as in the options; USAGE if text is not a list of cores. */
NX_MUST_CHECK enum nx_status nx_profiler_runtime_set_cores(struct nx_profiler_runtime *runtime,
							   const char *text, struct nx_error *err);
/*
 * Starts its session. Ours writes to the given folder; for others, folder (of cap bytes) becomes
 * the one it made, if that can be found.
 */
NX_MUST_CHECK enum nx_status nx_profiler_runtime_begin(struct nx_profiler_runtime *runtime,
						       const nx_profiler_options *options,
						       uint64_t epoch_offset_ns, char *folder,
						       size_t cap, struct nx_error *err);
/* False if it never began, so that nobody described the folder. */
bool nx_profiler_runtime_end(struct nx_profiler_runtime *runtime);

/* --- profiler_continuous.c ----------------------------------------------------------------- */

/* Asks the runtime for its records, if that is due; with the lock held. */
void nx_profiler_continuous_join(const struct nx_profiler_runtime *runtime);
void nx_profiler_continuous_abandon(void);

/* --- profiler_environment.c ----------------------------------------------------------------- */

/* One line on stderr. The only thing this library ever prints: somebody set a variable and gets
 * nothing for it. */
void nx_profiler_complain(const char *variable, const char *sentence);

/* --- profiler_server.c ---------------------------------------------------------------------- */

void nx_profiler_server_abandon(void);

/* --- profiler.c ---------------------------------------------------------------------------- */

/* The lock of sessions and of continuous recording; the rest needs it. */
void nx_profiler_lock(void);
bool nx_profiler_trylock(void);
void nx_profiler_unlock(void);

/* Makes the ring, of so many bytes, and starts the thread, unless they are there. */
NX_MUST_CHECK enum nx_status nx_profiler_activate(uint64_t buffer_bytes, struct nx_error *err);
/* Recording functions record from now on, to chunks that they begin now. */
void nx_profiler_turn_on(void);
/* Ends it all, unless a session or continuous recording needs it. */
void nx_profiler_deactivate(void);
uint64_t nx_profiler_epoch_offset_ns(void);
void nx_profiler_identify(const char **instance_id, const char **hostname);
/* Looks for the runtime and lets continuous recording join it. */
void nx_profiler_join_keeper(void);
/* Sets the sentence for nx_profiler_error; returns the status. */
int nx_profiler_fail(int status, const char *sentence);

#endif
