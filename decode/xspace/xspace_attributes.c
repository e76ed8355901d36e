/* SPDX-License-Identifier: Apache-2.0 */
/* The stats of an event, read again from the file. */
#include <assert.h>

#include "decode/xspace/xspace_internal.h"

#define METADATA_STATS 5

struct attribute_list {
	struct nx_xspace_decoder *d;
	const struct nx_xspace_plane *plane;
	struct nx_event_attribute *out;
	size_t count, cap;
};

static void add(struct attribute_list *list, struct nx_slice key, struct nx_slice value)
{
	for (size_t i = 0; i < list->count; i++)
		if (nx_slice_equal(list->out[i].key, key))
			return; /* the event's own stat is more exact than that of its kind */
	if (list->count < list->cap && key.len)
		list->out[list->count++] = (struct nx_event_attribute){key, value};
}

static bool text_of(struct attribute_list *list, const struct nx_xstat *stat, struct nx_slice *text)
{
	char *digits = list->d->digits[list->count];
	uint64_t at;

	switch (stat->kind) {
	case NX_XSTAT_F64:
		*text = nx_slice_of(digits, nx_format_f64(digits, stat->f64));
		return true;
	case NX_XSTAT_U64:
		*text = nx_slice_of(digits, nx_format_u64(digits, stat->integer));
		return true;
	case NX_XSTAT_I64:
		*text = nx_slice_of(digits, nx_format_i64(digits, (int64_t)stat->integer));
		return true;
	case NX_XSTAT_TEXT:
		*text = stat->text;
		return true;
	case NX_XSTAT_REF:
		if (!nx_map_get(&list->plane->stats, stat->integer, &at))
			return false;
		*text = list->d->texts.items[at];
		return true;
	default:
		return false; /* bytes are messages of other programs */
	}
}

static void add_stat(struct attribute_list *list, const struct nx_xstat *stat)
{
	struct nx_slice text;
	uint64_t at;

	if (list->count == list->cap || list->count == NX_MAX_ATTRIBUTES ||
	    !nx_map_get(&list->plane->stats, (uint64_t)stat->metadata_id, &at) ||
	    !text_of(list, stat, &text))
		return;
	add(list, list->d->texts.items[at], text);
}

static void add_kind(struct attribute_list *list, const struct nx_xspace_name *name)
{
	struct nx_wire_reader reader = nx_wire_reader_of(name->metadata);
	struct nx_wire_value value;
	struct nx_xstat stat;

	if (name->display_name.len && !nx_slice_equal(name->display_name, name->name))
		add(list, nx_slice_text("long_name"), name->name);
	while (nx_wire_next(&reader, &value))
		if (value.number == METADATA_STATS && value.wire_type == NX_XSPACE_DELIMITED) {
			nx_xstat_read(value.bytes, &stat);
			add_stat(list, &stat);
		}
}

static void add_count(struct attribute_list *list, const char *key, int64_t number)
{
	char *digits;

	if (list->count == list->cap || list->count == NX_MAX_ATTRIBUTES)
		return;
	digits = list->d->digits[list->count];
	add(list, nx_slice_text(key), nx_slice_of(digits, nx_format_i64(digits, number)));
}

size_t nx_xspace_attributes(struct nx_xspace_decoder *d, const struct nx_system_event *event,
			    struct nx_event_attribute *out, size_t cap)
{
	struct attribute_list list = {.d = d, .out = out, .cap = cap};
	uint64_t plane = event->handle.words[1] >> NX_XSPACE_HANDLE_PLANE & UINT16_MAX, at;
	struct nx_slice message =
		nx_slice_part(d->file, event->handle.words[0], event->handle.words[1] & UINT32_MAX);
	struct nx_wire_reader reader = nx_wire_reader_of(message);
	struct nx_xevent read;
	struct nx_xstat stat;

	if (plane >= d->planes.len || !message.len)
		return 0;
	list.plane = &d->planes.items[plane];
	nx_xevent_read(message, &read);
	if (read.is_aggregated) {
		add_count(&list, "num_occurrences", read.occurrence_count);
		add_count(&list, "total_duration_ps", read.duration_ps);
	} else if (read.duration_ps % 1000) {
		add_count(&list, "duration_ps", read.duration_ps);
	}
	if (nx_map_get(&d->threads_by_id, event->thread_id, &at) && d->threads.items[at].is_derived)
		add(&list, nx_slice_text("is_derived"), nx_slice_text("true"));
	while (nx_xevent_next_stat(&reader, &stat))
		add_stat(&list, &stat);
	if (nx_map_get(&list.plane->events, (uint64_t)read.metadata_id, &at))
		add_kind(&list, &d->names.items[at]);
	return list.count;
}
