/* SPDX-License-Identifier: Apache-2.0 */
#include "export/system_event.h"

#include <string.h>

static bool parse_decimal(struct nx_slice text, uint64_t *number)
{
	uint64_t sum = 0;

	/* a leading zero would be lost: such a text is a code, not a number */
	if (!text.len || (text.data[0] == '0' && text.len > 1))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9' ||
		    __builtin_mul_overflow(sum, 10u, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(text.data[i] - '0'), &sum))
			return false;
	}
	*number = sum;
	return true;
}

static const char *keep_key(struct nx_event_reader *r, struct nx_slice key)
{
	size_t len = key.len ? strnlen((const char *)key.data, key.len) : 0;
	uint64_t at;
	char *copy;

	key.len = len;
	if (nx_text_map_get(&r->keys, key, &at))
		return (const char *)(uintptr_t)at;
	copy = nx_arena_copy(&r->arena, key);
	nx_text_map_put(&r->keys, nx_slice_of(copy, len), (uint64_t)(uintptr_t)copy);
	return copy;
}

/* A later value of the same key replaces the earlier: a stop knows more than its start. */
static void put_field(struct nx_event_fields *f, const char *key, struct nx_slice text)
{
	struct nx_event_field *to = NULL;

	for (size_t i = 0; i < f->count && !to; i++)
		if (!strcmp(f->items[i].key, key))
			to = &f->items[i];
	if (!to && f->count == NX_MAX_EVENT_FIELDS)
		return;
	if (!to)
		to = &f->items[f->count++];
	*to = (struct nx_event_field){.key = key, .text = text};
	to->is_number = parse_decimal(text, &to->number);
}

const struct nx_event_field *nx_event_fields_find(const struct nx_event_fields *fields,
						  const char *key)
{
	for (size_t i = 0; i < fields->count; i++)
		if (!strcmp(fields->items[i].key, key))
			return &fields->items[i];
	return NULL;
}

static void read_attributes(struct nx_event_reader *r, const struct nx_system_event *event,
			    struct nx_event_fields *f)
{
	struct nx_event_attribute attributes[NX_MAX_ATTRIBUTES];
	size_t count = nx_system_attributes(r->profile, event, attributes, NX_MAX_ATTRIBUTES);
	bool is_stop = event->flags & NX_EVENT_ORPHAN;

	f->count = 0;
	for (size_t i = 0; i < count && i < NX_MAX_ATTRIBUTES; i++) {
		const char *key;

		if (!nx_slice_is(attributes[i].key, "nc_timestamp_ns") ||
		    (event->flags & NX_EVENT_INSTANT)) {
			key = keep_key(r, attributes[i].key);
		} else { /* on the device's clock: its start, then its stop */
			key = is_stop ? "nc_stop_timestamp_ns" : "nc_start_timestamp_ns";
			is_stop = true;
		}
		put_field(f, key, attributes[i].value);
	}
}

/* Executions are numbered per core and process; a hash stands for the three. */
static uint64_t exec_key(const struct nx_system_event *event, uint64_t exec_id)
{
	uint64_t key[] = {event->process, (uint64_t)(int64_t)event->nc_idx, exec_id};

	return nx_fnv1a(NX_FNV_SEED, key, sizeof(key));
}

static void learn_model(void *context, const void *row)
{
	struct nx_event_reader *r = context;
	const struct nx_system_event *event = row;
	const struct nx_event_field *exec, *model;
	struct nx_event_fields fields;

	/* what belongs to an execution has its flow */
	if (event->source == NX_SOURCE_FRAMEWORK || !event->flow_id)
		return;
	read_attributes(r, event, &fields);
	exec = nx_event_fields_find(&fields, "exec_id");
	model = nx_event_fields_find(&fields, "model_id");
	if (exec && model && exec->is_number && model->is_number)
		nx_map_put(&r->exec_models, exec_key(event, exec->number), model->number);
}

enum nx_status nx_event_reader_open(struct nx_event_reader *reader,
				    const struct nx_system_profile *profile, struct nx_error *err)
{
	enum nx_status st;

	*reader = (struct nx_event_reader){.profile = profile};
	st = nx_system_scan(profile, NX_SYSTEM_EVENT, learn_model, reader, err);
	if (st)
		nx_event_reader_close(reader);
	return st;
}

void nx_event_reader_close(struct nx_event_reader *reader)
{
	nx_map_release(&reader->exec_models);
	nx_text_map_release(&reader->keys);
	nx_arena_release(&reader->arena);
}

static void add_model(struct nx_event_reader *r, const struct nx_system_event *event,
		      struct nx_event_fields *f)
{
	const struct nx_event_field *exec = nx_event_fields_find(f, "exec_id");
	const struct nx_event_field *model = nx_event_fields_find(f, "model_id");
	uint64_t id;

	if (!model && exec && exec->is_number &&
	    nx_map_get(&r->exec_models, exec_key(event, exec->number), &id)) {
		size_t len = nx_format_u64(f->model_digits, id);

		put_field(f, "model_id", nx_slice_of(f->model_digits, len));
		model = nx_event_fields_find(f, "model_id");
	}
	if (model && model->is_number)
		put_field(f, "model_name",
			  nx_system_interned(r->profile, event->process, model->number));
}

void nx_event_fields_read(struct nx_event_reader *reader, const struct nx_system_event *event,
			  struct nx_event_fields *fields)
{
	const struct nx_event_field *tensor;

	read_attributes(reader, event, fields);
	if (event->source == NX_SOURCE_FRAMEWORK)
		return;
	add_model(reader, event, fields);
	tensor = nx_event_fields_find(fields, "tensor_id");
	if (tensor && tensor->is_number)
		put_field(fields, "tensor_name",
			  nx_system_interned(reader->profile, event->process, tensor->number));
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

const struct nx_device_capture *nx_system_device_of(const struct nx_system_profile *profile,
						    uint64_t model_id)
{
	for (size_t i = 0; model_id && i < profile->devices.len; i++)
		if (profile->devices.items[i].model_id == model_id &&
		    !profile->devices.items[i].is_empty)
			return &profile->devices.items[i];
	return NULL;
}
