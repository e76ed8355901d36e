/* SPDX-License-Identifier: Apache-2.0 */
#include "model/system_event.h"

#include <string.h>

/* A leading zero would be lost: such a text is a code, not a number. */
static bool parse_decimal(struct nx_slice text, uint64_t *number)
{
	*number = 0;
	return (text.len < 2 || text.data[0] != '0') && nx_slice_to_u64(text, number);
}

bool nx_event_field_number(const struct nx_event_field *field, uint64_t *number)
{
	return parse_decimal(field->text, number);
}

static struct nx_event_key *new_key(struct nx_event_reader *r, struct nx_slice text)
{
	struct nx_event_key *key = nx_arena_alloc(&r->arena, sizeof(*key) + text.len + 1);

	key->idx = (uint32_t)r->keys.len;
	if (text.len)
		memcpy(key->text, text.data, text.len);
	key->text[text.len] = 0;
	nx_text_map_put(&r->keys, nx_slice_of(key->text, text.len), (uint64_t)(uintptr_t)key);
	return key;
}

/* Keys end at a NUL: they become C strings. */
static const struct nx_event_key *keep_key(struct nx_event_reader *r, struct nx_slice text)
{
	struct nx_recent_key *recent;
	uint64_t at;

	if (!text.len)
		return r->none;
	recent = &r->recent[(text.len * 7 + text.data[0] + text.data[text.len - 1] * 5) %
			    NX_RECENT_KEYS];
	if (recent->len == text.len && !memcmp(recent->key->text, text.data, text.len))
		return recent->key;
	text.len = strnlen((const char *)text.data, text.len);
	recent->key = nx_text_map_get(&r->keys, text, &at)
			      ? (const struct nx_event_key *)(uintptr_t)at
			      : new_key(r, text);
	recent->len = text.len;
	return recent->key;
}

const struct nx_event_key *nx_event_reader_key(struct nx_event_reader *reader, const char *text)
{
	return keep_key(reader, nx_slice_text(text));
}

/* A later value of the same key replaces the earlier: a stop knows more than its start. */
static void put_field(struct nx_event_fields *f, const struct nx_event_key *key,
		      struct nx_slice text)
{
	size_t at = 0;

	while (at < f->count && f->items[at].key != key)
		at++;
	if (at == NX_MAX_EVENT_FIELDS)
		return;
	f->count += at == f->count;
	f->items[at] = (struct nx_event_field){key, text};
}

const struct nx_event_field *nx_event_fields_at(const struct nx_event_fields *fields,
						const struct nx_event_key *key)
{
	for (size_t i = 0; i < fields->count; i++)
		if (fields->items[i].key == key)
			return &fields->items[i];
	return NULL;
}

const struct nx_event_field *nx_event_fields_find(const struct nx_event_fields *fields,
						  const char *key)
{
	for (size_t i = 0; i < fields->count; i++)
		if (!strcmp(fields->items[i].key->text, key))
			return &fields->items[i];
	return NULL;
}

static void put_attributes(struct nx_event_reader *r, const struct nx_system_event *event,
			   const struct nx_read_attributes *read, struct nx_event_fields *f)
{
	bool is_stop = event->flags & NX_EVENT_ORPHAN;

	f->count = 0;
	for (size_t i = 0; i < read->count; i++) {
		const struct nx_event_key *key;

		if (!nx_slice_is(read->items[i].key, "nc_timestamp_ns") ||
		    (event->flags & NX_EVENT_INSTANT)) {
			key = keep_key(r, read->items[i].key);
		} else { /* on the device's clock: its start, then its stop */
			key = is_stop ? r->nc_stop : r->nc_start;
			is_stop = true;
		}
		put_field(f, key, read->items[i].value);
	}
}

/* The first event of a shape gives the keys of all others. */
static void keep_shape_keys(struct nx_event_reader *r, const struct nx_event_shape *shape,
			    const struct nx_event_fields *f)
{
	struct nx_shape_keys *known = &r->shape_keys[shape->idx];

	known->is_looked_at = true;
	if (f->count != shape->count)
		return;
	known->keys = NX_NEW_ARRAY(&r->arena, const struct nx_event_key *, f->count);
	for (size_t i = 0; i < f->count; i++)
		known->keys[i] = f->items[i].key;
}

static void read_attributes(struct nx_event_reader *r, const struct nx_system_event *event,
			    struct nx_event_fields *f)
{
	const struct nx_shape_keys *known = NULL;
	struct nx_read_attributes read;

	nx_system_read_attributes(r->profile, event, &r->shapes, &read);
	if (read.shape)
		known = &r->shape_keys[read.shape->idx];
	if (known && known->keys) {
		for (size_t i = 0; i < read.count; i++)
			f->items[i] = (struct nx_event_field){known->keys[i], read.items[i].value};
		f->count = read.count;
		return;
	}
	put_attributes(r, event, &read, f);
	if (known && !known->is_looked_at)
		keep_shape_keys(r, read.shape, f);
}

void nx_event_reader_open(struct nx_event_reader *r, const struct nx_system_profile *profile)
{
	*r = (struct nx_event_reader){.profile = profile};
	r->none = new_key(r, nx_slice_text(""));
	r->model_id = nx_event_reader_key(r, "model_id");
	r->model_name = nx_event_reader_key(r, "model_name");
	r->tensor_id = nx_event_reader_key(r, "tensor_id");
	r->tensor_name = nx_event_reader_key(r, "tensor_name");
	r->nc_start = nx_event_reader_key(r, "nc_start_timestamp_ns");
	r->nc_stop = nx_event_reader_key(r, "nc_stop_timestamp_ns");
}

void nx_event_reader_close(struct nx_event_reader *reader)
{
	nx_event_shapes_release(&reader->shapes);
	nx_text_map_release(&reader->keys);
	nx_arena_release(&reader->arena);
}

/* Puts the name of an id, if the id is a number. */
static void put_name(struct nx_event_reader *r, uint32_t process, struct nx_event_fields *f,
		     const struct nx_event_key *key, const struct nx_event_field *id,
		     struct nx_recent_name *recent)
{
	uint64_t number;

	if (!recent->len || recent->process != process ||
	    !nx_slice_equal(id->text, nx_slice_of(recent->digits, recent->len))) {
		if (!nx_event_field_number(id, &number))
			return;
		recent->name = nx_system_interned(r->profile, process, number);
		recent->process = process;
		recent->len = id->text.len;
		memcpy(recent->digits, id->text.data, id->text.len);
	}
	/* an event that states the name itself knows better */
	if (nx_slice_is(recent->name, "_unknown_") && nx_event_fields_at(f, key))
		return;
	put_field(f, key, recent->name);
}

static void add_model(struct nx_event_reader *r, const struct nx_system_event *event,
		      struct nx_event_fields *f)
{
	const struct nx_event_field *model = nx_event_fields_at(f, r->model_id);

	if (!model && event->model_id) {
		size_t len = nx_format_u64(f->model_digits, event->model_id);

		put_field(f, r->model_id, nx_slice_of(f->model_digits, len));
		model = nx_event_fields_at(f, r->model_id);
	}
	if (model)
		put_name(r, event->process, f, r->model_name, model, &r->recent_model);
}

void nx_event_fields_read(struct nx_event_reader *reader, const struct nx_system_event *event,
			  struct nx_event_fields *fields)
{
	const struct nx_event_field *tensor;

	read_attributes(reader, event, fields);
	if (event->source == NX_SOURCE_FRAMEWORK)
		return;
	add_model(reader, event, fields);
	tensor = nx_event_fields_at(fields, reader->tensor_id);
	if (tensor)
		put_name(reader, event->process, fields, reader->tensor_name, tensor,
			 &reader->recent_tensor);
}

bool nx_event_number(const struct nx_system_profile *profile, const struct nx_system_event *event,
		     const char *key, uint64_t *number)
{
	struct nx_event_attribute attributes[NX_MAX_ATTRIBUTES];
	size_t count = nx_system_attributes(profile, event, attributes, NX_MAX_ATTRIBUTES);

	for (size_t i = 0; i < count && i < NX_MAX_ATTRIBUTES; i++)
		if (nx_slice_is(attributes[i].key, key))
			return parse_decimal(attributes[i].value, number);
	return false;
}

const char *nx_direction_name(uint8_t direction)
{
	return direction == NX_DEVICE_TO_HOST ? "device_to_host" : "host_to_device";
}
