/* SPDX-License-Identifier: Apache-2.0 */
/* framework_record: one element of traceEvents: the members that rows are made of, in any order. */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_RECORD_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_RECORD_H

#include "base/json_stream.h"
#include "decode/framework/framework_decimal.h"

struct nx_framework_text {
	size_t len;
	uint8_t bytes[NX_JSON_STREAM_TEXT_BYTES];
};

#define NX_FRAMEWORK_NO_STREAM UINT32_MAX

struct nx_framework_record {
	char phase; /* 0 when missing or longer than one letter */
	bool is_empty;
	bool has_name, has_time, has_duration, has_flow;
	bool id_is_local; /* only meant within its process */
	struct nx_decimal time_ns, duration_ns;
	uint64_t id;   /* pairs async events, connects flow points */
	uint64_t flow; /* bind_id: a flow of the slice itself */
	uint32_t stream_id;
	uint64_t pid, thread_id; /* of a text: N of "stream N", or a hash with the top bit set */
	uint32_t thread_stream;	 /* N of a thread called "stream N" */
	struct nx_framework_text name, category, scope;
};

/* Call after NX_TOKEN_OBJECT. False when the text ends inside the record. */
bool nx_framework_record_read(struct nx_json_stream *stream, struct nx_framework_record *record);

/* N of "stream N", white space around it allowed; NX_FRAMEWORK_NO_STREAM otherwise. */
uint32_t nx_framework_stream_of(struct nx_slice text);

static inline struct nx_slice nx_framework_text_slice(const struct nx_framework_text *text)
{
	return nx_slice_of(text->bytes, text->len);
}

#endif
