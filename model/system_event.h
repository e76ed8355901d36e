/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_event: an event's attributes as people see them: those of start and stop merged under
 * unique keys, ids with their names, and the model behind an execution.
 */
#ifndef NX_MODEL_SYSTEM_EVENT_H
#define NX_MODEL_SYSTEM_EVENT_H

#include "base/map.h"
#include "base/number.h"
#include "model/event_shapes.h"

#define NX_RECENT_KEYS 64

struct nx_event_key;

struct nx_event_reader {
	const struct nx_system_profile *profile;
	struct nx_text_map keys; /* attribute key -> its only copy */
	struct nx_recent_key {	 /* found without hashing */
		const struct nx_event_key *key;
		size_t len;
	} recent[NX_RECENT_KEYS];
	struct nx_event_shapes shapes;
	struct nx_shape_keys {			  /* by number of the shape */
		const struct nx_event_key **keys; /* NULL: the shape repeats a key */
		bool is_looked_at;
	} shape_keys[NX_MAX_SHAPES];
	const struct nx_event_key *none; /* of an empty text */
	struct nx_recent_name {		 /* events of a model follow each other */
		struct nx_slice name;
		char digits[NX_NUMBER_MAX];
		size_t len; /* of the digits; 0 when there are none yet */
		uint32_t process;
	} recent_model, recent_tensor;
	const struct nx_event_key *model_id, *model_name, *tensor_id, *tensor_name, *nc_start,
		*nc_stop;
	struct nx_arena arena;
};

void nx_event_reader_open(struct nx_event_reader *reader, const struct nx_system_profile *profile);
void nx_event_reader_close(struct nx_event_reader *reader);

/* The only copy of a key. */
struct nx_event_key {
	uint32_t idx; /* the reader's keys are numbered as they come */
	char text[];
};

/* The key of that text, so that an event's can be compared with it by address. */
const struct nx_event_key *nx_event_reader_key(struct nx_event_reader *reader, const char *text);

struct nx_event_field {
	const struct nx_event_key *key; /* lives as long as the reader, equal keys are one */
	struct nx_slice text;
};

/* beside the attributes: model_id, model_name, tensor_name */
#define NX_MAX_EVENT_FIELDS (NX_MAX_ATTRIBUTES + 3)

struct nx_event_fields {
	struct nx_event_field items[NX_MAX_EVENT_FIELDS];
	size_t count;
	char model_digits[NX_NUMBER_MAX];
};

/* Texts live until the next call of the source. */
void nx_event_fields_read(struct nx_event_reader *reader, const struct nx_system_event *event,
			  struct nx_event_fields *fields);
/* NULL when it has none of this key. */
const struct nx_event_field *nx_event_fields_find(const struct nx_event_fields *fields,
						  const char *key);
const struct nx_event_field *nx_event_fields_at(const struct nx_event_fields *fields,
						const struct nx_event_key *key);
/* False, and 0, if the text is not a decimal number that fits and prints the same. */
bool nx_event_field_number(const struct nx_event_field *field, uint64_t *number);

/* One attribute's number without a reader. */
bool nx_event_number(const struct nx_system_profile *profile, const struct nx_system_event *event,
		     const char *key, uint64_t *number);

/* "host_to_device" */
const char *nx_direction_name(uint8_t direction);

/* Framework events and older files name no core or worker. */
static inline bool nx_event_has_worker(const struct nx_system_event *event)
{
	return event->nc_idx >= 0 && event->worker_gid != UINT32_MAX;
}

static inline uint64_t nx_event_duration_ns(const struct nx_system_event *event)
{
	return event->end_ns > event->start_ns ? event->end_ns - event->start_ns : 0;
}

#endif
