/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spans: spans.pb, what a program recorded about itself (include/nx/profiler.h).
 *
 * A stream of records like ntrace.pb: nx_ntrace_next and nx_ntrace_append read and write it.
 * docs/formats/spans.md has the layout, spans.def the messages.
 */
#ifndef NX_FORMAT_SPANS_H
#define NX_FORMAT_SPANS_H

#include "format/ntrace.h"

#define NX_SPANS_VERSION 1
#define NX_SPANS_FILE "spans.pb"

enum nx_spans_what {
	NX_SPANS_SESSION = 1, /* the first record */
	NX_SPANS_DEFINITION,  /* before its first use */
	NX_SPANS_THREAD,
	NX_SPANS_BEGIN,
	NX_SPANS_END,
	NX_SPANS_COMPLETE,
	NX_SPANS_INSTANT,
	NX_SPANS_COUNTER,
	NX_SPANS_FLOW_OUT, /* leaves the innermost open span of the thread */
	NX_SPANS_FLOW_IN,
	NX_SPANS_COUNTS, /* the last record, unless the process was killed */
};

/* As nx_profiler_kind. */
enum nx_spans_kind {
	NX_SPANS_ANNOTATION,
	NX_SPANS_PYTHON,
	NX_SPANS_OPERATOR,
	NX_SPANS_STEP,
	NX_SPANS_RUNTIME,
	NX_SPANS_FRAMEWORK,
	NX_SPANS_KIND_COUNT,
};
const char *nx_spans_kind_name(uint64_t kind); /* "annotation"; NULL beyond the table */

/* As nx_attribute_type. */
enum nx_spans_type {
	NX_SPANS_I64 = 1,
	NX_SPANS_U64,
	NX_SPANS_F64,
	NX_SPANS_BOOL,
	NX_SPANS_TEXT,
	NX_SPANS_NAME,
};

#define NX_MESSAGE NX_WIRE_STRUCT
#define NX_MEMBER NX_WIRE_MEMBER
#define NX_MESSAGE_END NX_WIRE_STRUCT_END
#include "format/spans.def"

#endif
