/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_writer: JSON as a stream, in constant memory, to a file or a buffer.
 *
 *	nx_json_begin_object(w);
 *	nx_json_key(w, "total_time");
 *	nx_json_f64(w, 0.017);
 *	nx_json_end_object(w);
 *
 * Adds commas and, if pretty, line breaks and indents. Text is escaped, and bytes that are not
 * UTF-8 become U+FFFD. The output keeps errors and reports them at its commit.
 */
#ifndef NX_BASE_JSON_WRITER_H
#define NX_BASE_JSON_WRITER_H

#include "base/bare/slice.h"
#include "base/file.h"
#include "base/vec.h"

#define NX_JSON_MAX_DEPTH 64

struct nx_json_writer {
	struct nx_output *out; /* one of the two targets is set */
	struct nx_bytes *bytes;
	bool pretty;
	bool has_item[NX_JSON_MAX_DEPTH];
	bool after_key;
	unsigned depth;
};

void nx_json_init_output(struct nx_json_writer *w, struct nx_output *out, bool pretty);
void nx_json_init_bytes(struct nx_json_writer *w, struct nx_bytes *bytes, bool pretty);

void nx_json_begin_object(struct nx_json_writer *w);
void nx_json_end_object(struct nx_json_writer *w);
void nx_json_begin_array(struct nx_json_writer *w);
void nx_json_end_array(struct nx_json_writer *w);
void nx_json_key(struct nx_json_writer *w, const char *key);
void nx_json_key_slice(struct nx_json_writer *w, struct nx_slice key);

void nx_json_text(struct nx_json_writer *w, const char *text);
void nx_json_slice(struct nx_json_writer *w, struct nx_slice text);
void nx_json_u64(struct nx_json_writer *w, uint64_t value);
void nx_json_i64(struct nx_json_writer *w, int64_t value);
void nx_json_f64(struct nx_json_writer *w, double value);
void nx_json_f32(struct nx_json_writer *w, float value);
/* A number whose text is known and shorter than a page; it must be a JSON number. */
void nx_json_digits(struct nx_json_writer *w, struct nx_slice digits);
void nx_json_bool(struct nx_json_writer *w, bool value);
void nx_json_null(struct nx_json_writer *w);

/* Members prepared earlier ("\"a\":1,\"b\":2", compact), put into the open
 * object as if written now: how rows share what never changes between them.
 * Not for a pretty writer. */
void nx_json_raw_members(struct nx_json_writer *w, struct nx_slice members);

/* key and value in one call; w is evaluated twice */
#define nx_json_key_text(w, key, text) (nx_json_key((w), (key)), nx_json_text((w), (text)))
#define nx_json_key_u64(w, key, value) (nx_json_key((w), (key)), nx_json_u64((w), (value)))
#define nx_json_key_i64(w, key, value) (nx_json_key((w), (key)), nx_json_i64((w), (value)))
#define nx_json_key_f64(w, key, value) (nx_json_key((w), (key)), nx_json_f64((w), (value)))
#define nx_json_key_f32(w, key, value) (nx_json_key((w), (key)), nx_json_f32((w), (value)))
#define nx_json_key_bool(w, key, value) (nx_json_key((w), (key)), nx_json_bool((w), (value)))

#endif
