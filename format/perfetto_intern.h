/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_intern: texts of a Perfetto trace, each stored once for all tracks,
 * and per track the numbers (iids) under which its packet sequence knows them.
 */
#ifndef NX_FORMAT_PERFETTO_INTERN_H
#define NX_FORMAT_PERFETTO_INTERN_H

#include "base/arena.h"
#include "base/map.h"

enum nx_perfetto_space {
	NX_SPACE_EVENT_NAME,
	NX_SPACE_ARG_NAME,
	NX_SPACE_ARG_TEXT,
	NX_SPACE_COUNT,
};

/* Texts beyond this many per track and space are written in place. */
#define NX_PERFETTO_TEXTS_MAX 4096

struct nx_perfetto_texts { /* of the whole trace */
	struct nx_arena arena;
	struct nx_text_map ids;
};

struct nx_perfetto_iids {    /* of one track */
	struct nx_map known; /* text id and space -> iid */
	uint64_t last[NX_SPACE_COUNT];
};

/* The iid of a text, 0 when the track is full; *is_new when the sequence must still be told. */
uint64_t nx_perfetto_intern(struct nx_perfetto_texts *texts, struct nx_perfetto_iids *iids,
			    enum nx_perfetto_space space, struct nx_slice text, bool *is_new);
void nx_perfetto_texts_release(struct nx_perfetto_texts *texts);

#endif
