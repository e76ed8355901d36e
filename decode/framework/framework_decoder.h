/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framework_decoder: Chrome/Kineto traces (`trace.json[.gz]`,
 * `*.pt.trace.json[.gz]`) as framework events of a process.
 *
 * A pull parser over the text, plain or gzipped, so a trace of any size passes
 * in constant memory: complete ("X"), begin/end ("B"/"E"), async ("b"/"e"),
 * instant ("i"), flow ("s"/"t"/"f") and metadata ("M") events. Times come in
 * microseconds with decimals and are converted in integers. Names such as
 * `model.py(123): forward` are kept.
 *
 * Events come in the order of the file, which is not the order of time.
 */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_DECODER_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_DECODER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "decode/framework/framework_names.h"
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
	uint64_t lost_name_count;  /* names of threads and processes beyond the limit */
	uint64_t read_bytes;	   /* of text, unpacked; where reading stopped */
	bool is_cut;		   /* the text ends early; all before that is kept */
	bool is_damaged;	   /* it ends because what follows is not JSON, or not gzip */
};

/*
 * What fn receives; texts live for the call. A name longer than 4 KiB is cut.
 *
 * row has start_ns, end_ns, thread_id, flow_id, stream_id, flags, type and
 * source; the pipeline fills in the rest. A thread id that is not a number ("Trace PyTorch
 * Profiler") becomes a hash with the top bit set, and so does a pid; their texts are in the names.
 *
 * A flow point is not an event of its own but one end of an arrow, delivered in a
 * call of its own with is_flow_point set and row.start_ns == row.end_ns. Points
 * of equal category and row.flow_id are one flow: it leaves at 's', passes 't',
 * arrives at 'f'. It belongs to the innermost slice that encloses its time on
 * (pid, thread_id), or with binds_next to the first slice that begins there at
 * or after its time. Slice and point come in any order. Where the slice itself
 * names its flow (bind_id) the event's row.flow_id says so and no point comes.
 */
struct nx_framework_event {
	struct nx_system_event row;
	struct nx_slice name;
	struct nx_slice category;
	uint64_t pid;
	char phase; /* as recorded; of a pair, that of its beginning */
	bool is_flow_point;
	bool binds_next;
};

typedef void (*nx_framework_fn)(void *context, const struct nx_framework_event *event);

/*
 * Streams the events of one file. Times are as in the file plus its
 * baseTimeNanoseconds, if it has one (Kineto). *is_epoch says whether they are
 * epoch ns: the file has a base, or its first event is later than September 2001
 * (10^18 ns), where no clock that counts from boot arrives. names may be NULL.
 *
 * A file that is cut or damaged is OK and loss says so; FORMAT is a file that
 * never was a trace.
 */
NX_MUST_CHECK enum nx_status nx_framework_decode(struct nx_slice file, const char *path,
						 nx_framework_fn fn, void *context,
						 struct nx_framework_names *names, bool *is_epoch,
						 struct nx_framework_loss *loss,
						 struct nx_error *err);

#endif
