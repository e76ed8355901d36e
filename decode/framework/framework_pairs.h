/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framework_pairs: events that began and have not ended: of one key the latest ends first. Bounded
 * in number and in bytes of text. A zeroed struct is empty.
 */
#ifndef NX_DECODE_FRAMEWORK_FRAMEWORK_PAIRS_H
#define NX_DECODE_FRAMEWORK_FRAMEWORK_PAIRS_H

#include "decode/framework/framework_decoder.h"

#define NX_FRAMEWORK_OPEN_MAX 32768
#define NX_FRAMEWORK_OPEN_BYTES_MAX ((size_t)16 << 20)
#define NX_FRAMEWORK_BUCKETS 4096

struct nx_framework_pair {
	uint64_t key;
	struct nx_framework_event event;
	uint8_t *text; /* the name; NULL in a free place */
	uint32_t next; /* place + 1 of the next older in its bucket, or of the next free one */
};

struct nx_framework_pairs {
	struct NX_VEC_BODY(struct nx_framework_pair) places;
	uint32_t buckets[NX_FRAMEWORK_BUCKETS]; /* place + 1, 0 = empty */
	uint32_t first_free;			/* place + 1 */
	size_t text_bytes;
};

/* Copies the name; false when too many are open. */
bool nx_framework_pairs_push(struct nx_framework_pairs *pairs, uint64_t key,
			     const struct nx_framework_event *event);
/* The latest of that key, until the next push or drop; NULL when there is none. */
struct nx_framework_event *nx_framework_pairs_top(struct nx_framework_pairs *pairs, uint64_t key);
/* Forgets the latest of that key, which must exist. */
void nx_framework_pairs_drop(struct nx_framework_pairs *pairs, uint64_t key);
/* The open ones, one per call, in no order; NULL after the last. Begin with *at = 0. */
struct nx_framework_event *nx_framework_pairs_next(struct nx_framework_pairs *pairs, size_t *at);
void nx_framework_pairs_release(struct nx_framework_pairs *pairs);

#endif
