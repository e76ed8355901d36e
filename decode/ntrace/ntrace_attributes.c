/* SPDX-License-Identifier: Apache-2.0 */
/* ntrace_attributes: what the records of an event say, merged under the keys it is shown with. */
#include "base/bare/bits.h"

#include <assert.h>

#include "decode/ntrace/ntrace_internal.h"

#define LENGTH_BYTES 4
#define MAX_RECORDED ((size_t)2 * NX_MAX_ATTRIBUTES)
/* The length of an entry with a longer key takes two bytes: it makes no shape. */
#define LONGEST_KEY 127
/* Give up on a kind after so many events that make no shape. */
#define MOST_FAILURES 8
#define STOP_KEY "nc_stop_timestamp_ns"

static_assert(MAX_RECORDED <= UINT8_MAX, "shapes count recorded keys in bytes");

/* START's or STOP's record; rows may come from a file that has changed since. */
static struct nx_slice record_of(const struct nx_ntrace_decoder *decoder,
				 const struct nx_system_event *event, unsigned which)
{
	uint64_t at = nx_event_record_at(event->handle.words[which]);
	struct nx_slice file = decoder->files.events;

	if (at < LENGTH_BYTES || at > file.len)
		return (struct nx_slice){0};
	return nx_slice_part(file, at, nx_load32(file.data + at - LENGTH_BYTES));
}

static bool is_in_row(struct nx_slice key)
{
	return nx_slice_is(key, "nc_idx") || nx_slice_is(key, "worker_gid");
}

static size_t put_attribute(struct nx_event_attribute *out, size_t count, size_t cap,
			    struct nx_event_attribute attribute)
{
	for (size_t i = 0; i < count; i++)
		if (nx_slice_equal(out[i].key, attribute.key)) {
			out[i].value = attribute.value;
			return count;
		}
	if (count < cap)
		out[count++] = attribute;
	return count;
}

/* device_key is what nc_timestamp_ns of this record is called in the event. */
static size_t add_attributes(struct nx_slice record, const char *device_key,
			     struct nx_event_attribute *out, size_t count, size_t cap)
{
	struct nx_ntrace_attribute found[NX_MAX_ATTRIBUTES];
	size_t found_count = nx_ntrace_read_attributes(record, found, NX_MAX_ATTRIBUTES);

	if (found_count > NX_MAX_ATTRIBUTES)
		found_count = NX_MAX_ATTRIBUTES;
	for (size_t i = 0; i < found_count; i++) {
		struct nx_event_attribute attribute = {found[i].key, found[i].value};

		if (is_in_row(attribute.key))
			continue;
		if (nx_slice_is(attribute.key, "nc_timestamp_ns"))
			attribute.key = nx_slice_text(device_key);
		count = put_attribute(out, count, cap, attribute);
	}
	return count;
}

/* The key of START's time on the device's clock. */
static const char *start_key_of(const struct nx_system_event *event)
{
	return event->flags & NX_EVENT_INSTANT ? "nc_timestamp_ns" : "nc_start_timestamp_ns";
}

size_t nx_ntrace_event_attributes(const struct nx_ntrace_decoder *decoder,
				  const struct nx_system_event *event,
				  struct nx_event_attribute *out, size_t cap)
{
	size_t count = add_attributes(record_of(decoder, event, NX_RECORD_START),
				      start_key_of(event), out, 0, cap);

	return add_attributes(record_of(decoder, event, NX_RECORD_STOP), STOP_KEY, out, count, cap);
}

uint64_t nx_ntrace_event_seq(const struct nx_ntrace_decoder *decoder,
			     const struct nx_system_event *event)
{
	struct nx_ntrace_head head;

	for (unsigned which = NX_RECORD_START; which <= NX_RECORD_STOP; which++)
		if (nx_ntrace_read_head(record_of(decoder, event, which), &head) &&
		    head.nrta_seq_id)
			return head.nrta_seq_id;
	return 0;
}

/* --- shapes ------------------------------------------------------------------------ */

/* A shape being made from the records of one event. */
struct learnt {
	struct nx_event_shape shape;
	struct nx_slice recorded[MAX_RECORDED];
	uint8_t places[MAX_RECORDED];
	struct nx_slice keys[NX_MAX_ATTRIBUTES];
};

/* False when more keys are shown than there is room for. */
static bool learn_key(struct learnt *l, struct nx_slice recorded, const char *device_key)
{
	struct nx_event_shape *shape = &l->shape;
	size_t at = (size_t)shape->start_count + shape->stop_count, place = 0;
	struct nx_slice shown = recorded;

	if (recorded.len > LONGEST_KEY)
		return false;
	l->recorded[at] = recorded;
	l->places[at] = NX_NOT_SHOWN;
	if (is_in_row(recorded))
		return true;
	if (nx_slice_is(recorded, "nc_timestamp_ns"))
		shown = nx_slice_text(device_key);
	while (place < shape->count && !nx_slice_equal(l->keys[place], shown))
		place++;
	if (place == NX_MAX_ATTRIBUTES)
		return false;
	if (place == shape->count)
		l->keys[shape->count++] = shown;
	l->places[at] = (uint8_t)place;
	return true;
}

static bool learn_record(struct learnt *l, struct nx_slice record, const char *device_key,
			 uint8_t *count)
{
	struct nx_ntrace_attribute found[NX_MAX_ATTRIBUTES];
	size_t found_count = nx_ntrace_read_attributes(record, found, NX_MAX_ATTRIBUTES);

	if (found_count > NX_MAX_ATTRIBUTES)
		return false;
	for (; *count < found_count; ++*count)
		if (!learn_key(l, found[*count].key, device_key))
			return false;
	return true;
}

struct event_records {
	struct nx_slice start, stop;
	size_t start_lead_bytes, stop_lead_bytes;
};

static struct event_records records_of(const struct nx_ntrace_decoder *decoder,
				       const struct nx_system_event *event)
{
	return (struct event_records){
		record_of(decoder, event, NX_RECORD_START),
		record_of(decoder, event, NX_RECORD_STOP),
		nx_event_record_lead_bytes(event->handle.words[NX_RECORD_START]),
		nx_event_record_lead_bytes(event->handle.words[NX_RECORD_STOP]),
	};
}

/* False when the records are not of this shape; read is undefined then. */
static bool read_by_shape(const struct event_records *records, const struct nx_event_shape *shape,
			  struct nx_read_attributes *read)
{
	struct nx_slice values[MAX_RECORDED];
	size_t recorded_count = (size_t)shape->start_count + shape->stop_count;

	if (!nx_ntrace_read_values(records->start, records->start_lead_bytes, shape->recorded,
				   shape->start_count, values) ||
	    !nx_ntrace_read_values(records->stop, records->stop_lead_bytes,
				   shape->recorded + shape->start_count, shape->stop_count,
				   values + shape->start_count))
		return false;
	for (size_t i = 0; i < recorded_count; i++) {
		size_t place = shape->places[i];

		if (place != NX_NOT_SHOWN)
			read->items[place] =
				(struct nx_event_attribute){shape->keys[place], values[i]};
	}
	read->shape = shape;
	read->count = shape->count;
	return true;
}

static void learn_shape(const struct event_records *records, const struct nx_system_event *event,
			struct nx_event_shapes *shapes, struct nx_shape_kind *kind)
{
	struct learnt l = {.shape.flags = event->flags};
	struct nx_read_attributes read;

	l.shape.recorded = l.recorded;
	l.shape.places = l.places;
	l.shape.keys = l.keys;
	if (!learn_record(&l, records->start, start_key_of(event), &l.shape.start_count) ||
	    !learn_record(&l, records->stop, STOP_KEY, &l.shape.stop_count) ||
	    !read_by_shape(records, &l.shape, &read)) {
		kind->failed_count++;
		return;
	}
	(void)nx_event_shapes_add(shapes, kind, &l.shape);
}

void nx_ntrace_read_event(const struct nx_ntrace_decoder *decoder,
			  const struct nx_system_event *event, struct nx_event_shapes *shapes,
			  struct nx_read_attributes *read)
{
	struct nx_shape_kind *kind = nx_event_shapes_kind(shapes, event);
	struct event_records records = records_of(decoder, event);

	for (size_t i = 0; i < kind->count; i++)
		if (kind->shapes[i]->flags == event->flags &&
		    read_by_shape(&records, kind->shapes[i], read))
			return;
	read->shape = NULL;
	read->count = nx_ntrace_event_attributes(decoder, event, read->items, NX_MAX_ATTRIBUTES);
	if (kind->count < NX_SHAPES_PER_KIND && kind->failed_count < MOST_FAILURES)
		learn_shape(&records, event, shapes, kind);
}
