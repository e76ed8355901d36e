/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framework_decoder: Chrome/Kineto traces (`trace.json[.gz]`, `*.pt.trace.json[.gz]`) as framework
 * events of a process, in the order of the file and in constant memory.
 *
 * Reads complete ("X"), begin/end ("B"/"E"), async ("b"/"e"), instant ("i") and flow ("s"/"t"/"f")
 * events. Times are microseconds with decimals, converted in integers.
 */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_DECODER_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_DECODER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "model/system.h"

struct nx_framework_loss {
	uint64_t event_count;	   /* elements of traceEvents, of any phase */
	uint64_t metadata_count;   /* of them, phase "M" */
	uint64_t skipped_count;	   /* phases without meaning here (counters, objects), and {} */
	uint64_t malformed_count;  /* events without time, duration or name */
	uint64_t unfinished_count; /* B without E, b without e */
	uint64_t orphan_count;	   /* E without B, e without b */
	uint64_t backwards_count;  /* ends before their starts: shown with no duration */
	uint64_t overflow_count;   /* Bs dropped because too many were open at once */
	uint64_t read_bytes;	   /* of text, unpacked; where reading stopped */
	bool is_cut;		   /* the text ends early; all before that is kept */
	bool is_damaged;	   /* it ends because what follows is not JSON, or not gzip */
};

/*
 * What fn receives; the name lives for the call and is cut to 4 KiB. row has start_ns, end_ns,
 * thread_id, flow_id, stream_id, flags, step_num, type and source; the pipeline fills in the rest.
 * A thread id that is not a number becomes a hash with the top bit set.
 *
 * A flow point is one end of an arrow, not an event: row.start_ns == row.end_ns. Points of equal
 * row.flow_id are one flow, which leaves at 's', passes 't' and arrives at 'f'. Slice and point
 * come in any order. Where the slice itself names its flow (bind_id), row.flow_id has it and there
 * is no point.
 *
 * A thread's name comes as an event of its own, before or after the events of the thread: it has no
 * time, and row.thread_id is the thread. A name may come more than once.
 */
struct nx_framework_event {
	struct nx_system_event row;
	struct nx_slice name;
	char phase; /* as recorded; of a pair, that of its beginning */
	bool is_flow_point;
	bool is_thread_name;
};

typedef void (*nx_framework_fn)(void *context, const struct nx_framework_event *event);

/*
 * Streams the events of one file. Times are as in the file plus its
 * baseTimeNanoseconds, if it has one (Kineto). *is_epoch says whether they are
 * epoch ns: the file has a base, or its first event is later than September 2001
 * (10^18 ns), which no clock since boot reaches.
 *
 * A file that is cut or damaged is OK and loss says so; FORMAT is a file that
 * never was a trace.
 */
NX_MUST_CHECK enum nx_status nx_framework_decode(struct nx_slice file, const char *path,
						 nx_framework_fn fn, void *context, bool *is_epoch,
						 struct nx_framework_loss *loss,
						 struct nx_error *err);

#endif
