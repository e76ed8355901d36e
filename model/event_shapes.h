/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_shapes: which attributes events of a kind have, learnt from the first of them.
 *
 * Millions of events share a few lists of keys. A source that recognises such a list returns its
 * shape with the values, so that the reader need not compare keys again. Each reading thread has
 * its own shapes, for all processes of a profile. Beyond a limit events are read without a shape. A
 * zeroed struct is valid and empty.
 */
#ifndef NX_MODEL_EVENT_SHAPES_H
#define NX_MODEL_EVENT_SHAPES_H

#include "base/arena.h"
#include "model/system.h"

#define NX_MAX_SHAPES 256
#define NX_SHAPES_PER_KIND 4
#define NX_SHAPE_KINDS 128 /* a power of two */
#define NX_NOT_SHOWN UINT8_MAX

struct nx_event_shape {
	uint32_t idx; /* counts from 0 */
	/* keys as recorded, of START, then of STOP; none is longer than 127 bytes */
	const struct nx_slice *recorded;
	const uint8_t *places; /* of their values among those shown, or NX_NOT_SHOWN */
	uint8_t start_count, stop_count;
	uint8_t flags; /* of its events: they decide how keys are named */
	uint8_t count;
	const struct nx_slice *keys; /* as shown */
};

/* Shapes that may be an event's, by its type. */
struct nx_shape_kind {
	const struct nx_event_shape *shapes[NX_SHAPES_PER_KIND];
	uint8_t count;
	uint8_t failed_count; /* events that made no shape; after a few it is not tried */
};

struct nx_event_shapes {
	struct nx_arena arena;
	struct nx_shape_kind kinds[NX_SHAPE_KINDS];
	uint32_t count;
};

/* An event's attributes as of nx_system_attributes. */
struct nx_read_attributes {
	const struct nx_event_shape *shape; /* NULL: unknown, compare the keys */
	size_t count;			    /* of items */
	struct nx_event_attribute items[NX_MAX_ATTRIBUTES];
};

void nx_event_shapes_release(struct nx_event_shapes *shapes);

/* The shapes of events like this one. */
static inline struct nx_shape_kind *nx_event_shapes_kind(struct nx_event_shapes *shapes,
							 const struct nx_system_event *event)
{
	return &shapes->kinds[(event->type * 2 + (event->flags != 0)) & (NX_SHAPE_KINDS - 1)];
}

/* A numbered copy of the shape; NULL if there are too many. */
const struct nx_event_shape *nx_event_shapes_add(struct nx_event_shapes *shapes,
						 struct nx_shape_kind *kind,
						 const struct nx_event_shape *shape);

/* The index of a key among those shown; shape->count if there is none. */
size_t nx_event_shape_find(const struct nx_event_shape *shape, const char *key);

void nx_system_read_attributes(const struct nx_system_profile *profile,
			       const struct nx_system_event *event, struct nx_event_shapes *shapes,
			       struct nx_read_attributes *read);

#endif
