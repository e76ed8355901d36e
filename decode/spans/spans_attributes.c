/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/number.h"
#include "decode/spans/spans_decoder.h"
#include "decode/spans/spans_head.h"

#define ATTRIBUTES_FIELD 9
#define LENGTH_BYTES 4
#define MAX_NUMBERS 64

enum { VARINT = 0, FIXED64 = 1, DELIMITED = 2 };

struct attributes {
	const struct nx_spans_decoder *d;
	struct nx_event_attribute *out;
	size_t count, cap, number_count;
	size_t known_count; /* the first ones, which the program's own do not replace */
};

static _Thread_local char numbers[MAX_NUMBERS][NX_NUMBER_MAX];

static void add(struct attributes *a, struct nx_slice key, struct nx_slice value)
{
	size_t i = 0;

	if (!key.len)
		return;
	while (i < a->count && !nx_slice_equal(a->out[i].key, key))
		i++;
	if (i == a->cap || i == NX_MAX_ATTRIBUTES || i < a->known_count)
		return;
	a->out[i] = (struct nx_event_attribute){key, value};
	a->count += i == a->count;
}

/* Each number has its own buffer; there are at most as many as attributes of both records. */
static char *next_buffer(struct attributes *a)
{
	return numbers[a->number_count < MAX_NUMBERS ? a->number_count++ : MAX_NUMBERS - 1];
}

static struct nx_slice u64_text(struct attributes *a, uint64_t value)
{
	char *text = next_buffer(a);

	return nx_slice_of(text, nx_format_u64(text, value));
}

static struct nx_slice i64_text(struct attributes *a, int64_t value)
{
	char *text = next_buffer(a);

	return nx_slice_of(text, nx_format_i64(text, value));
}

static struct nx_slice f64_text(struct attributes *a, double value)
{
	char *text = next_buffer(a);

	return nx_slice_of(text, nx_format_f64(text, value));
}

static void add_attribute(struct attributes *a, struct nx_slice message)
{
	struct nx_wire_reader reader = nx_wire_reader_of(message);
	const struct nx_spans_definition *key = NULL, *name;
	uint64_t type = 0, integer = 0;
	struct nx_slice text = {0};
	struct nx_wire_value value;
	double number = 0;

	while (nx_wire_next(&reader, &value)) {
		if (value.number == 1 && value.wire_type == VARINT)
			key = nx_spans_definition_of(a->d, value.integer);
		else if (value.number == 2 && value.wire_type == VARINT)
			type = value.integer;
		else if (value.number == 3 && value.wire_type == VARINT)
			integer = value.integer;
		else if (value.number == 4 && value.wire_type == FIXED64)
			memcpy(&number, &value.integer, sizeof(number));
		else if (value.number == 5 && value.wire_type == DELIMITED)
			text = value.bytes;
	}
	if (!key)
		return;
	if (type == NX_SPANS_I64) {
		text = i64_text(a, (int64_t)integer);
	} else if (type == NX_SPANS_U64) {
		text = u64_text(a, integer);
	} else if (type == NX_SPANS_F64) {
		text = f64_text(a, number);
	} else if (type == NX_SPANS_BOOL) {
		text = nx_slice_text(integer ? "true" : "false");
	} else if (type == NX_SPANS_NAME) {
		name = nx_spans_definition_of(a->d, integer);
		text = name ? name->text : (struct nx_slice){0};
	}
	add(a, key->text, text);
}

static void add_recorded(struct attributes *a, struct nx_slice record)
{
	struct nx_wire_reader reader = nx_wire_reader_of(record);
	struct nx_wire_value value;

	while (nx_wire_next(&reader, &value))
		if (value.number == ATTRIBUTES_FIELD && value.wire_type == DELIMITED)
			add_attribute(a, value.bytes);
}

static void add_known(struct attributes *a, const struct nx_spans_head *head)
{
	const struct nx_spans_definition *name = nx_spans_definition_of(a->d, head->name);
	uint64_t kind = head->is_step ? NX_SPANS_STEP : name ? name->kind : head->kind, thread;
	const char *kind_name = nx_spans_kind_name(kind);

	if (kind_name)
		add(a, nx_slice_text("kind"), nx_slice_text(kind_name));
	if (name && name->file.len)
		add(a, nx_slice_text("source_file"), name->file);
	if (name && name->line)
		add(a, nx_slice_text("source_line"), u64_text(a, name->line));
	if (head->is_step) {
		add(a, nx_slice_text("step_name"), name ? name->text : head->text);
		add(a, nx_slice_text("step_num"), i64_text(a, head->step_num));
	}
	if (nx_map_get(&a->d->thread_ids, head->thread_id, &thread))
		add(a, nx_slice_text("thread_name"), a->d->threads.items[thread].name);
}

/* The record whose message lies at this place; the length is before it. */
static bool record_at(struct nx_slice file, uint64_t at, struct nx_slice *record)
{
	struct nx_ntrace_stream stream = {.file = file, .at = at - LENGTH_BYTES};

	return at >= LENGTH_BYTES && nx_ntrace_next(&stream, record);
}

size_t nx_spans_event_attributes(const struct nx_spans_decoder *decoder,
				 const struct nx_system_event *event,
				 struct nx_event_attribute *out, size_t cap)
{
	struct attributes a = {.d = decoder, .out = out, .cap = cap};
	struct nx_spans_head head;
	struct nx_slice record;

	if (record_at(decoder->file, event->handle.words[0], &record) &&
	    nx_spans_head_read(record, &head)) {
		add_known(&a, &head);
		a.known_count = a.count;
		add_recorded(&a, record);
	}
	if (record_at(decoder->file, event->handle.words[1], &record))
		add_recorded(&a, record);
	return a.count;
}
