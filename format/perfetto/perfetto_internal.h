/* SPDX-License-Identifier: Apache-2.0 */
/* perfetto_internal: shared by the files of the Perfetto writer. Field numbers are those of
 * perfetto/protos/perfetto/trace. */
#ifndef NX_FORMAT_PERFETTO_PERFETTO_INTERNAL_H
#define NX_FORMAT_PERFETTO_PERFETTO_INTERNAL_H

#include <assert.h>

#include "base/arena.h"
#include "base/bare/bits.h"
#include "base/conveyor.h"
#include "base/map.h"
#include "base/vec.h"
#include "format/perfetto/perfetto.h"

#define MAX_VARINT_BYTES 10
#define NX_PERFETTO_BUNDLE_BYTES ((size_t)512 << 10)

enum field {
	TRACE_PACKET = 1,

	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_COMPRESSED = 50,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_DESCRIPTOR = 60,

	EVENT_ARGS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_COUNTER_F64 = 44,
	EVENT_FLOWS = 47,
	EVENT_LAST_FLOWS = 48,

	ARG_NAME_IID = 1,
	ARG_BOOL = 2,
	ARG_U64 = 3,
	ARG_I64 = 4,
	ARG_F64 = 5,
	ARG_TEXT = 6,
	ARG_NAME = 10,
	ARG_TEXT_IID = 17,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_CHILD_ORDER = 11,
	TRACK_RANK = 12,
};

/* --- texts: each is stored once for all tracks; a track numbers those it uses (iids) ------- */

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

/* --- tracks ----------------------------------------------------------------------------- */

enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum track_kind { TRACK_KIND_PLAIN, TRACK_KIND_PROCESS, TRACK_KIND_THREAD, TRACK_KIND_COUNTER };

struct track {
	enum track_kind kind;
	uint32_t parent;
	uint32_t rank;
	const char *name;
	uint64_t pid, tid;
	enum nx_perfetto_unit unit;
	const char *unit_name;

	bool is_open; /* its sequence has begun */
	uint64_t last_ns;
	uint64_t depth; /* slices begun and not ended */
	struct nx_perfetto_iids iids;
};

struct nx_perfetto {
	struct nx_perfetto_shard shard;
	struct nx_conveyor *bundles; /* for other threads to compress */
	struct nx_perfetto_deflate
		*deflate; /* or the compressor of this thread; both NULL: plain */
	uint64_t last_number;
	struct nx_arena arena; /* names of tracks */
	struct nx_perfetto_texts texts;
	NX_VEC(struct track) tracks;
	struct nx_bytes bundle;			       /* complete packets to write */
	struct nx_bytes event, interned, part, nested; /* messages under construction */
};

/* Number of a track's sequence, and its uuid. */
static inline uint64_t sequence_of(const struct nx_perfetto *p, uint32_t track)
{
	return (uint64_t)track * p->shard.count + p->shard.index + 1;
}

static inline void put_varint(struct nx_bytes *b, uint64_t value)
{
	nx_vec_reserve(b, b->len + MAX_VARINT_BYTES);
	while (value >= 0x80) {
		b->items[b->len++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	b->items[b->len++] = (uint8_t)value;
}

static inline void put_u64(struct nx_bytes *b, enum field number, uint64_t value)
{
	put_varint(b, (uint64_t)number << 3);
	put_varint(b, value);
}

static inline void put_fixed64(struct nx_bytes *b, enum field number, uint64_t value)
{
	put_varint(b, (uint64_t)number << 3 | 1);
	nx_vec_reserve(b, b->len + sizeof(value));
	nx_store64(b->items + b->len, value);
	b->len += sizeof(value);
}

static inline void put_f64(struct nx_bytes *b, enum field number, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	put_fixed64(b, number, bits);
}

static inline void put_bytes(struct nx_bytes *b, enum field number, const void *data, size_t len)
{
	put_varint(b, (uint64_t)number << 3 | 2);
	put_varint(b, len);
	nx_bytes_append(b, data, len);
}

static inline void put_message(struct nx_bytes *b, enum field number,
			       const struct nx_bytes *message)
{
	put_bytes(b, number, message->items, message->len);
}

/* perfetto_bundle.c: a whole trace compresses in threads, a shard in its own thread. */
void nx_perfetto_compress(struct nx_perfetto *p, bool in_threads);
void nx_perfetto_flush(struct nx_perfetto *p);
void nx_perfetto_finish_bundles(struct nx_perfetto *p);

/* Foreign bytes that are not UTF-8 become '?': readers may refuse such a string. */
void nx_perfetto_put_text(struct nx_bytes *b, enum field number, struct nx_slice text);
/* Writes the packets that start a track's sequence, unless it was started before. */
void nx_perfetto_open_track(struct nx_perfetto *p, uint32_t track, uint64_t time_ns);

#endif
