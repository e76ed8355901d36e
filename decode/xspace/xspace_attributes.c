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
			return;
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

/* The stats of a kind of event, in the decoder's arena. They are the same for all its events. */
static void read_kind(struct nx_xspace_decoder *d, const struct nx_xspace_plane *plane,
		      struct nx_xspace_name *name)
{
	struct nx_event_attribute found[NX_MAX_ATTRIBUTES], *kept;
	struct attribute_list list = {
		.d = d, .plane = plane, .out = found, .cap = NX_MAX_ATTRIBUTES};
	struct nx_wire_reader reader = nx_wire_reader_of(name->metadata);
	struct nx_wire_value value;
	struct nx_xstat stat;

	if (name->display_name.len && !nx_slice_equal(name->display_name, name->name))
		add(&list, nx_slice_text("long_name"), name->name);
	while (nx_wire_next(&reader, &value))
		if (value.number == METADATA_STATS && value.wire_type == NX_XSPACE_DELIMITED) {
			nx_xstat_read(value.bytes, &stat);
			add_stat(&list, &stat);
		}
	kept = NX_COPY_ARRAY(&d->attributes, found, list.count);
	for (size_t i = 0; i < list.count; i++)
		if (kept[i].value.data == (const uint8_t *)d->digits[i])
			kept[i].value = nx_slice_of(nx_arena_copy(&d->attributes, kept[i].value),
						    kept[i].value.len);
	name->attributes = kept;
	name->attribute_count = (uint32_t)list.count;
	name->has_attributes = true;
}

/* The event's own stats are more exact than those of its kind. */
static void add_kind(struct attribute_list *list, const struct nx_xspace_name *name)
{
	size_t own_count = list->count;

	for (size_t i = 0; i < name->attribute_count && list->count < list->cap; i++) {
		size_t at = 0;

		while (at < own_count &&
		       !nx_slice_equal(list->out[at].key, name->attributes[i].key))
			at++;
		if (at == own_count)
			list->out[list->count++] = name->attributes[i];
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
	uint64_t word = event->handle.words[1], at;
	uint64_t plane = word >> NX_XSPACE_HANDLE_PLANE & UINT16_MAX;
	struct nx_slice message =
		nx_slice_part(d->file, event->handle.words[0], word & NX_XSPACE_HANDLE_LEN);
	struct nx_xspace_name *kind = NULL;
	struct nx_wire_reader reader;
	struct nx_xevent read;
	struct nx_xstat stat;

	if (plane >= d->planes.len || !message.len)
		return 0;
	list.plane = &d->planes.items[plane];
	nx_xevent_read(message, &read);
	if (nx_map_get(&list.plane->events, (uint64_t)read.metadata_id, &at)) {
		kind = &d->names.items[at];
		if (!kind->has_attributes)
			read_kind(d, list.plane, kind);
	}
	if (read.is_aggregated) {
		add_count(&list, "num_occurrences", read.occurrence_count);
		add_count(&list, "total_duration_ps", read.duration_ps);
	} else if (read.duration_ps % 1000) {
		add_count(&list, "duration_ps", read.duration_ps);
	}
	if (word & NX_XSPACE_HANDLE_DERIVED)
		add(&list, nx_slice_text("is_derived"), nx_slice_text("true"));
	reader = nx_wire_reader_of(read.stats);
	while (nx_xevent_next_stat(&reader, &stat))
		add_stat(&list, &stat);
	if (kind)
		add_kind(&list, kind);
	return list.count;
}
