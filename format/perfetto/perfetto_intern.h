/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_intern: texts of a Perfetto trace, each stored once for all tracks, and for each track
 * the numbers (iids) that its packet sequence has assigned to them.
 */
#ifndef NX_FORMAT_PERFETTO_PERFETTO_INTERN_H
#define NX_FORMAT_PERFETTO_PERFETTO_INTERN_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

enum nx_perfetto_space {
	NX_SPACE_EVENT_NAME,
	NX_SPACE_ARG_NAME,
	NX_SPACE_ARG_TEXT,
	NX_SPACE_COUNT,
};

/* Texts beyond this many per track and space are written in place. */
#define NX_PERFETTO_TEXTS_MAX 4096

/* Names often come from the same few addresses: those need no hashing. */
#define NX_PERFETTO_RECENT_NAMES 256
/* The first texts are looked up in a track's table instead of its map. */
#define NX_PERFETTO_EARLY_TEXTS 512

struct nx_perfetto_texts { /* of the whole trace */
	struct nx_arena arena;
	struct nx_text_map ids;
	struct nx_perfetto_copies NX_VEC_BODY(const char *) copies; /* by id */
	struct {
		const char *at;
		uint64_t id;
	} recent[NX_PERFETTO_RECENT_NAMES];
};

struct nx_perfetto_iids {						      /* of one track */
	struct nx_perfetto_early NX_VEC_BODY(uint16_t) early[NX_SPACE_COUNT]; /* by text id */
	struct nx_map known; /* text id and space -> iid, for later texts */
	uint64_t last[NX_SPACE_COUNT];
};

/* The iid of a text, 0 if the track is full; *is_new if the sequence must still define it. */
uint64_t nx_perfetto_intern(struct nx_perfetto_texts *texts, struct nx_perfetto_iids *iids,
			    enum nx_perfetto_space space, struct nx_slice text, bool *is_new);
/* The same for a C string; fast if its address was seen before. */
uint64_t nx_perfetto_intern_name(struct nx_perfetto_texts *texts, struct nx_perfetto_iids *iids,
				 enum nx_perfetto_space space, const char *name, bool *is_new);
void nx_perfetto_iids_release(struct nx_perfetto_iids *iids);
void nx_perfetto_texts_release(struct nx_perfetto_texts *texts);

#endif
