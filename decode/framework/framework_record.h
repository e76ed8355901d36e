/* SPDX-License-Identifier: Apache-2.0 */
/* framework_record: one element of traceEvents: the members that rows are made of, in any order. */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_RECORD_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_RECORD_H

#include "base/json_stream.h"

/* A decimal text as an exact integer: a double would be off by hundreds of ns. */
struct nx_decimal {
	uint64_t magnitude;
	bool is_negative;
};

/* The number times 10^digits, rounded down. False if the text is not a JSON number or too large. */
bool nx_decimal_parse(struct nx_slice text, int digits, struct nx_decimal *out);

/* base + number; false when the sum is negative or does not fit. */
bool nx_decimal_add(uint64_t base, struct nx_decimal number, uint64_t *sum);

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
	bool has_step;
	uint64_t step_num;	 /* args.step_num, of JAX's StepTraceAnnotation */
	uint64_t pid, thread_id; /* of a text: N of "stream N", or a hash with the top bit set */
	uint32_t thread_stream;	 /* N of a thread called "stream N" */
	struct nx_framework_text name, category, scope;
	struct nx_framework_text label;	 /* args.name, of metadata */
	struct nx_framework_text thread; /* a tid that is neither a number nor a stream */
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
