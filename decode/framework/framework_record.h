/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framework_record: one element of traceEvents, its members in any order.
 *
 * Only what rows and names are made of is kept; the rest (shapes, call stacks)
 * is skipped, which is where most of a trace's bytes go.
 */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_RECORD_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_RECORD_H

#include "base/json_stream.h"
#include "decode/framework/framework_decimal.h"

struct nx_framework_text {
	size_t len;
	uint8_t bytes[NX_JSON_STREAM_TEXT_BYTES];
};

struct nx_framework_id {
	uint64_t value;
	bool is_text; /* value is a hash with the top bit set, or N of "stream N" */
	struct nx_framework_text text;
};

struct nx_framework_record {
	char phase; /* 0 when missing or longer than one letter */
	bool is_empty;
	bool has_name, has_time, has_duration, has_flow;
	bool id_is_local; /* only meant within its process */
	bool binds_to_enclosing;
	struct nx_decimal time_ns, duration_ns;
	uint64_t id;   /* pairs async events, connects flow points */
	uint64_t flow; /* bind_id: a flow of the slice itself */
	uint32_t stream_id;
	bool has_argument_name, has_sort_index;
	struct nx_decimal sort_index;
	struct nx_framework_id pid, thread;
	struct nx_framework_text name, category, scope, argument_name;
};

/* Call after NX_TOKEN_OBJECT. False when the text ends inside the record. */
bool nx_framework_record_read(struct nx_json_stream *stream, struct nx_framework_record *record);

static inline struct nx_slice nx_framework_text_slice(const struct nx_framework_text *text)
{
	return nx_slice_of(text->bytes, text->len);
}

#endif
