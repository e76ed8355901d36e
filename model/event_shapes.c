/* SPDX-License-Identifier: Apache-2.0 */
#include "model/event_shapes.h"

#include <assert.h>

static_assert((NX_SHAPE_KINDS & (NX_SHAPE_KINDS - 1)) == 0, "kinds are found with a mask");
static_assert(NX_MAX_ATTRIBUTES < NX_NOT_SHOWN, "a place is one byte");

void nx_event_shapes_release(struct nx_event_shapes *shapes)
{
	nx_arena_release(&shapes->arena);
	*shapes = (struct nx_event_shapes){0};
}

static const struct nx_slice *copy_keys(struct nx_arena *arena, const struct nx_slice *keys,
					size_t count)
{
	struct nx_slice *copies = NX_NEW_ARRAY(arena, struct nx_slice, count);

	for (size_t i = 0; i < count; i++)
		copies[i] = nx_slice_of(nx_arena_copy(arena, keys[i]), keys[i].len);
	return copies;
}

const struct nx_event_shape *nx_event_shapes_add(struct nx_event_shapes *shapes,
						 struct nx_shape_kind *kind,
						 const struct nx_event_shape *shape)
{
	size_t recorded_count = (size_t)shape->start_count + shape->stop_count;
	struct nx_event_shape *copy;

	assert(shape->count <= NX_MAX_ATTRIBUTES);
	if (kind->count == NX_SHAPES_PER_KIND || shapes->count == NX_MAX_SHAPES)
		return NULL;
	copy = NX_NEW(&shapes->arena, struct nx_event_shape);
	*copy = *shape;
	copy->idx = shapes->count++;
	copy->recorded = copy_keys(&shapes->arena, shape->recorded, recorded_count);
	copy->places = NX_COPY_ARRAY(&shapes->arena, shape->places, recorded_count);
	copy->keys = copy_keys(&shapes->arena, shape->keys, shape->count);
	kind->shapes[kind->count++] = copy;
	return copy;
}

size_t nx_event_shape_find(const struct nx_event_shape *shape, const char *key)
{
	size_t i = 0;

	while (i < shape->count && !nx_slice_is(shape->keys[i], key))
		i++;
	return i;
}

void nx_system_read_attributes(const struct nx_system_profile *profile,
			       const struct nx_system_event *event, struct nx_event_shapes *shapes,
			       struct nx_read_attributes *read)
{
	if (profile->source.read_attributes) {
		profile->source.read_attributes(profile->source.context, event, shapes, read);
		return;
	}
	read->shape = NULL;
	read->count = nx_system_attributes(profile, event, read->items, NX_MAX_ATTRIBUTES);
	if (read->count > NX_MAX_ATTRIBUTES)
		read->count = NX_MAX_ATTRIBUTES;
}
