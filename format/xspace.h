/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xspace: the profile format of XProf, TensorBoard and JAX (`<host>.xplane.pb`): a space has
 * planes, a plane has lines of events, and a plane names its events and stats once, in maps.
 *
 * xspace.def has the messages, docs/formats/xspace.md the conventions. A space may exceed memory:
 * lines and events are slices here, read one by one. format/xspace_writer.h writes.
 */
#ifndef NX_FORMAT_XSPACE_H
#define NX_FORMAT_XSPACE_H

#include "format/wire.h"

#define NX_MESSAGE NX_WIRE_STRUCT
#define NX_MEMBER NX_WIRE_MEMBER
#define NX_MESSAGE_END NX_WIRE_STRUCT_END
#include "format/xspace.def"

/* Fields that are read by hand. */
enum {
	NX_XSPACE_PLANES = 1,
	NX_XSPACE_ERRORS = 2,
	NX_XSPACE_WARNINGS = 3,
	NX_XSPACE_HOSTNAMES = 4,
	NX_XPLANE_ID = 1,
	NX_XPLANE_NAME = 2,
	NX_XPLANE_LINES = 3,
	NX_XPLANE_EVENT_METADATA = 4,
	NX_XPLANE_STAT_METADATA = 5,
	NX_XPLANE_STATS = 6,
	NX_XLINE_ID = 1,
	NX_XLINE_NAME = 2,
	NX_XLINE_TIMESTAMP = 3,
	NX_XLINE_EVENTS = 4,
	NX_XLINE_DURATION = 9,
	NX_XLINE_DISPLAY_ID = 10,
	NX_XLINE_DISPLAY_NAME = 11,
};

/* Names that the format's programs agree on. */
#define NX_XSPACE_SUFFIX ".xplane.pb"
#define NX_XPLANE_HOST "/host:CPU"
#define NX_XPLANE_DEVICE "/device:"
#define NX_XPLANE_CUSTOM "/device:CUSTOM:"
#define NX_XPLANE_TASK "Task Environment"
#define NX_XSTAT_START_TIME "profile_start_time"
#define NX_XSTAT_STOP_TIME "profile_stop_time"
/* Events of a line with this name are samples of the counter they are called after. */
#define NX_XLINE_COUNTERS "_counters_"
#define NX_XSTAT_COUNTER_VALUE "counter_value"
/* Planes that we write: XProf's viewer shows custom planes, and no other names that it does not
 * know. */
#define NX_XPLANE_RUNTIME NX_XPLANE_CUSTOM "Neuron Runtime"
#define NX_XPLANE_CORE NX_XPLANE_CUSTOM "NeuronCore " /* and its number */

/* Lines that a program computed from others have ids from here on. */
#define NX_XLINE_DERIVED_FIRST INT64_C(0xdeadbeef)
#define NX_XLINE_DERIVED_COUNT 390

/* Google's protobuf libraries refuse larger messages. */
#define NX_XSPACE_MAX_BYTES ((uint64_t)INT32_MAX)

/* --- stats ----------------------------------------------------------------- */

enum nx_xstat_kind { /* the number of its field */
		     NX_XSTAT_NONE = 0,
		     NX_XSTAT_F64 = 2,
		     NX_XSTAT_U64 = 3,
		     NX_XSTAT_I64 = 4,
		     NX_XSTAT_TEXT = 5,
		     NX_XSTAT_BYTES = 6,
		     NX_XSTAT_REF = 7, /* the text is the name of this stat metadata */
};

struct nx_xstat {
	int64_t metadata_id;
	enum nx_xstat_kind kind;
	uint64_t integer; /* U64, REF; I64 as two's complement */
	double f64;
	struct nx_slice text; /* TEXT and BYTES */
};

/* False if the message ends inside a field; what came before is kept. */
bool nx_xstat_read(struct nx_slice message, struct nx_xstat *stat);
/* Appends the field that holds it: number is NX_XPLANE_STATS or that of an event's stats. */
void nx_xstat_append(struct nx_bytes *out, uint32_t number, const struct nx_xstat *stat);

/* --- events ---------------------------------------------------------------- */

struct nx_xevent {
	int64_t metadata_id;
	int64_t offset_ps; /* from the line's timestamp */
	int64_t duration_ps;
	int64_t occurrence_count; /* of an aggregated event, which has no offset */
	bool is_aggregated;
	struct nx_slice stats; /* the message from its first stat on; empty if there is none */
};

bool nx_xevent_read(struct nx_slice message, struct nx_xevent *event);
/* The id of a stat without reading its value; -1 if only nx_xstat_read can tell. */
static inline int64_t nx_xstat_peek(struct nx_slice message)
{
	const uint8_t first_tag = 1 << 3;

	return message.len >= 2 && message.data[0] == first_tag && message.data[1] < 0x80
		       ? message.data[1]
		       : -1;
}
/* The event's stats one by one, not read yet; begin with a reader of event.stats. */
bool nx_xevent_next_stat_bytes(struct nx_wire_reader *reader, struct nx_slice *message);
/* The event's stats one by one: begin with a reader of event.stats. */
bool nx_xevent_next_stat(struct nx_wire_reader *reader, struct nx_xstat *stat);
/* Appends the line's field with the event. */
void nx_xevent_append(struct nx_bytes *out, const struct nx_xevent *event,
		      const struct nx_xstat *stats, size_t count);

/* --- flows ----------------------------------------------------------------- */

/* The stat "flow": direction, id and category in one number. */
enum nx_xflow_direction { NX_XFLOW_IN = 1, NX_XFLOW_OUT = 2, NX_XFLOW_BOTH = 3 };

static inline uint64_t nx_xflow_id(uint64_t flow)
{
	return flow << 6 >> 8;
}

static inline uint64_t nx_xflow_make(uint64_t id, enum nx_xflow_direction direction)
{
	return (id & (UINT64_MAX >> 8)) << 2 | direction;
}

#endif
