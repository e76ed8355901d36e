/* SPDX-License-Identifier: Apache-2.0 */
/* profiler_internal: what the files of libnxprofiler.so.1 share. */
#ifndef NX_RUNTIME_PROFILER_PROFILER_INTERNAL_H
#define NX_RUNTIME_PROFILER_PROFILER_INTERNAL_H

#include <nx/profiler.h>

#include "base/error.h"
#include "runtime/trace/trace_clock.h"
#include "runtime/trace/trace_share.h"

#define NX_PROFILER_EXPORT __attribute__((visibility("default")))

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

/* --- profiler_drain.c ---------------------------------------------------------------------- */

/* Called by the thread in each round: libnrt.so.1 may have been loaded. profiler.c */
void nx_profiler_look_for_runtime(void);

struct nx_profiler_drain_options {
	const char *folder;
	struct nx_trace_ring *ring;
	uint64_t epoch_offset_ns; /* for trace_clock */
};

/* Opens spans.pb and starts the thread that writes it. */
NX_MUST_CHECK enum nx_status nx_profiler_drain_begin(
	const struct nx_profiler_drain_options *options, struct nx_error *err);
/* Returns after all that is in the ring now is in the file. */
void nx_profiler_drain_flush(void);
/* The switch is off: takes the rest and closes the file. False if something could not be written.
 */
bool nx_profiler_drain_end(struct nx_error *err);
void nx_profiler_drain_counts(uint64_t *recorded, uint64_t *lost);
void nx_profiler_drain_abandon(void);

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

#endif
