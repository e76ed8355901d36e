/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_event: what an event of a system profile says about itself, made
 * ready for people: attributes of its start and stop merged under unique keys,
 * ids with their names, and the model behind an execution.
 */
#ifndef NX_EXPORT_SYSTEM_EVENT_H
#define NX_EXPORT_SYSTEM_EVENT_H

#include "base/map.h"
#include "base/number.h"
#include "model/system.h"

struct nx_event_reader {
	const struct nx_system_profile *profile;
	struct nx_map exec_models; /* execution on a core -> its model's id */
	struct nx_text_map keys;   /* attribute key -> its only copy */
	struct nx_arena arena;
};

/* Reads all events once: only some of those of an execution name its model. */
NX_MUST_CHECK enum nx_status nx_event_reader_open(struct nx_event_reader *reader,
						  const struct nx_system_profile *profile,
						  struct nx_error *err);
void nx_event_reader_close(struct nx_event_reader *reader);

struct nx_event_field {
	const char *key; /* lives as long as the reader */
	struct nx_slice text;
	bool is_number; /* the text is a decimal number that fits */
	uint64_t number;
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

/* One attribute's number without a reader. */
bool nx_event_number(const struct nx_system_profile *profile, const struct nx_system_event *event,
		     const char *key, uint64_t *number);

/* "host_to_device" */
const char *nx_direction_name(uint8_t direction);

/* Cores of framework events and of files that do not tell are not known by a worker's number. */
static inline bool nx_event_has_worker(const struct nx_system_event *event)
{
	return event->nc_idx >= 0 && event->worker_gid != UINT32_MAX;
}

static inline uint64_t nx_event_duration_ns(const struct nx_system_event *event)
{
	return event->end_ns > event->start_ns ? event->end_ns - event->start_ns : 0;
}

/* The first device profile of this model that holds something; NULL without one. */
const struct nx_device_capture *nx_system_device_of(const struct nx_system_profile *profile,
						    uint64_t model_id);

#endif
