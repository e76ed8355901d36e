/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_reader: a whole JSON text (RFC 8259, at most 128 deep) as a tree in an arena.
 *
 * Texts without escapes are borrowed from the input, which must outlive the tree. Numbers keep
 * their text, so 64-bit integers stay exact. Every accessor accepts NULL and wrong kinds and
 * returns the fallback, so that a chain of lookups needs one check at its end.
 */
#ifndef NX_BASE_JSON_READER_H
#define NX_BASE_JSON_READER_H

#include "base/arena.h"
#include "base/bare/slice.h"
#include "base/error.h"

enum nx_json_kind {
	NX_JSON_NULL,
	NX_JSON_BOOL,
	NX_JSON_NUMBER,
	NX_JSON_TEXT,
	NX_JSON_ARRAY,
	NX_JSON_OBJECT,
};

struct nx_json {
	enum nx_json_kind kind;
	struct nx_slice key;  /* in an object, the name of this member */
	struct nx_slice text; /* of TEXT and NUMBER; "true"/"false" of BOOL */
	struct nx_json *children;
	size_t count;
};

NX_MUST_CHECK enum nx_status nx_json_parse(struct nx_slice input, struct nx_arena *arena,
					   struct nx_json **root, struct nx_error *err);

/* The member of that name; the last one if a file repeats a name. */
const struct nx_json *nx_json_get(const struct nx_json *object, const char *key);
/* The bytes of a TEXT; empty for every other kind. */
struct nx_slice nx_json_as_slice(const struct nx_json *value);
const char *nx_json_as_text(const struct nx_json *value, struct nx_arena *arena,
			    const char *fallback);
/* Integers are exact; 1e3 and 2.0 count as integers, values out of range do not. */
uint64_t nx_json_as_u64(const struct nx_json *value, uint64_t fallback);
int64_t nx_json_as_i64(const struct nx_json *value, int64_t fallback);
double nx_json_as_f64(const struct nx_json *value, double fallback);

#endif
