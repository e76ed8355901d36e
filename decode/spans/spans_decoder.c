/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/spans/spans_decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "decode/spans/spans_head.h"

/* Flows of programs count from 1; ids of executions are far smaller than this bit. */
#define FLOW_BIT (UINT64_C(1) << 61)
#define NOWHERE UINT32_MAX

struct open_span {
	uint64_t id, start_ns, thread_id, flow_id;
	uint64_t at; /* of its record */
	struct nx_slice name;
	uint32_t below, above; /* open spans of the thread; NOWHERE */
	bool is_open;
	bool is_step;
	uint64_t step_num;
};

struct scan {
	struct nx_spans_decoder *d;
	struct NX_VEC_BODY(struct open_span) open;
	struct nx_map open_ids; /* id -> index */
	struct nx_map tops;	/* thread -> index of its innermost open span */
	uint32_t free;		/* unused places, chained by below; NOWHERE */
	uint64_t newest_ns;
	nx_spans_event_fn fn;
	void *context;
};

/* --- records ------------------------------------------------------------------------------------
 */

enum { VARINT = 0, FIXED64 = 1, DELIMITED = 2 };

static void take_varint(struct nx_spans_head *head, uint32_t number, uint64_t value)
{
	uint64_t *const members[] = {
		[1] = &head->what,	  [2] = &head->time_ns,
		[3] = &head->end_ns,	  [4] = &head->thread_id,
		[5] = &head->id,	  [6] = &head->name,
		[8] = &head->kind,	  [10] = &head->flow,
		[15] = &head->line,	  [16] = &head->recorded_count,
		[17] = &head->lost_count, [18] = &head->version,
	};

	if (number < sizeof(members) / sizeof(members[0]) && members[number])
		*members[number] = value;
	else if (number == 11)
		head->is_step = value != 0;
	else if (number == 12)
		head->step_num = (int64_t)value;
}

bool nx_spans_head_read(struct nx_slice record, struct nx_spans_head *head)
{
	struct nx_wire_reader reader = nx_wire_reader_of(record);
	struct nx_wire_value value;

	memset(head, 0, sizeof(*head));
	while (nx_wire_next(&reader, &value)) {
		if (value.wire_type == VARINT)
			take_varint(head, value.number, value.integer);
		else if (value.wire_type == FIXED64 && value.number == 13)
			memcpy(&head->value, &value.integer, sizeof(head->value));
		else if (value.wire_type == DELIMITED && value.number == 7)
			head->text = value.bytes;
		else if (value.wire_type == DELIMITED && value.number == 14)
			head->file = value.bytes;
	}
	return !reader.failed && head->what;
}

const struct nx_spans_definition *nx_spans_definition_of(const struct nx_spans_decoder *decoder,
							 uint64_t name)
{
	uint64_t index;

	return nx_map_get(&decoder->definition_ids, name, &index)
		       ? &decoder->definitions.items[index]
		       : NULL;
}

static void define(struct nx_spans_decoder *d, const struct nx_spans_head *head)
{
	struct nx_spans_definition definition = {head->text, head->file, head->kind, head->line};
	uint64_t index;

	if (nx_map_get(&d->definition_ids, head->name, &index)) {
		d->definitions.items[index] = definition;
		return;
	}
	nx_map_put(&d->definition_ids, head->name, d->definitions.len);
	nx_vec_push(&d->definitions, definition);
}

static void name_thread(struct nx_spans_decoder *d, const struct nx_spans_head *head)
{
	struct nx_spans_thread thread = {head->thread_id, head->text};
	uint64_t index;

	if (nx_map_get(&d->thread_ids, head->thread_id, &index)) {
		d->threads.items[index] = thread;
		return;
	}
	nx_map_put(&d->thread_ids, head->thread_id, d->threads.len);
	nx_vec_push(&d->threads, thread);
}

static struct nx_slice name_of(const struct nx_spans_decoder *d, const struct nx_spans_head *head,
			       uint64_t *unnamed_count)
{
	const struct nx_spans_definition *definition;

	if (!head->name)
		return head->text;
	definition = nx_spans_definition_of(d, head->name);
	if (definition)
		return definition->text;
	++*unnamed_count;
	return nx_slice_text("(unnamed)");
}

/* --- open spans ---------------------------------------------------------------------------------
 */

static uint32_t new_place(struct scan *s)
{
	static const struct open_span empty;
	uint32_t place = s->free;

	if (place != NOWHERE) {
		s->free = s->open.items[place].below;
		return place;
	}
	nx_vec_push(&s->open, empty);
	return (uint32_t)s->open.len - 1;
}

static void push(struct scan *s, struct open_span span)
{
	uint32_t place = new_place(s);
	uint64_t top;

	span.is_open = true;
	span.above = NOWHERE;
	span.below = NOWHERE;
	if (nx_map_get(&s->tops, span.thread_id, &top)) {
		span.below = (uint32_t)top;
		s->open.items[top].above = place;
	}
	s->open.items[place] = span;
	nx_map_put(&s->tops, span.thread_id, place);
	nx_map_put(&s->open_ids, span.id, place);
}

static bool take(struct scan *s, uint64_t id, struct open_span *out)
{
	struct open_span *span;
	uint64_t place;

	if (!nx_map_take(&s->open_ids, id, &place))
		return false;
	span = &s->open.items[place];
	*out = *span;
	if (span->below != NOWHERE)
		s->open.items[span->below].above = span->above;
	if (span->above != NOWHERE)
		s->open.items[span->above].below = span->below;
	else if (span->below != NOWHERE)
		nx_map_put(&s->tops, span->thread_id, span->below);
	else
		nx_map_take(&s->tops, span->thread_id, NULL);
	span->is_open = false;
	span->below = s->free;
	s->free = (uint32_t)place;
	return true;
}

/* --- events -------------------------------------------------------------------------------------
 */

static void emit(struct scan *s, const struct open_span *span, uint64_t end_ns, uint64_t end_at,
		 uint8_t flags)
{
	struct nx_spans_event event = {.name = span->name};

	if (end_ns < span->start_ns) {
		s->d->loss.backwards_count++;
		end_ns = span->start_ns;
	}
	event.row = (struct nx_system_event){
		.start_ns = span->start_ns,
		.end_ns = end_ns,
		.thread_id = span->thread_id,
		.flow_id = span->flow_id,
		.handle = {{span->at, end_at}},
		.stream_id = UINT32_MAX,
		.flags = flags,
		.step_num = span->step_num,
	};
	if (span->is_step && !(flags & NX_EVENT_INSTANT))
		event.row.flags |= NX_EVENT_STEP;
	s->fn(s->context, &event);
}

static void begin(struct scan *s, const struct nx_spans_head *head, uint64_t at)
{
	struct open_span older;

	if (take(s, head->id, &older)) {
		s->d->loss.duplicate_count++;
		emit(s, &older, head->time_ns, 0, NX_EVENT_UNFINISHED);
	}
	push(s, (struct open_span){.id = head->id,
				   .start_ns = head->time_ns,
				   .thread_id = head->thread_id,
				   .at = at,
				   .is_step = head->is_step,
				   .step_num = (uint64_t)head->step_num,
				   .name = name_of(s->d, head, &s->d->loss.unnamed_count)});
}

static void end(struct scan *s, const struct nx_spans_head *head, uint64_t at)
{
	struct open_span span;

	if (take(s, head->id, &span))
		emit(s, &span, head->time_ns, at, 0);
	else
		s->d->loss.orphan_count++;
}

static void whole(struct scan *s, const struct nx_spans_head *head, uint64_t at, bool is_instant)
{
	struct open_span span = {.start_ns = head->time_ns,
				 .thread_id = head->thread_id,
				 .at = at,
				 .is_step = head->is_step,
				 .step_num = (uint64_t)head->step_num,
				 .name = name_of(s->d, head, &s->d->loss.unnamed_count)};

	emit(s, &span, is_instant ? head->time_ns : head->end_ns, 0,
	     is_instant ? NX_EVENT_INSTANT : 0);
}

/* A span has one flow: the first one counts. */
static void flow(struct scan *s, const struct nx_spans_head *head)
{
	uint64_t top;

	if (!nx_map_get(&s->tops, head->thread_id, &top))
		return;
	assert(s->open.items);
	if (!s->open.items[top].flow_id)
		s->open.items[top].flow_id = head->flow | FLOW_BIT;
}

static void note_times(struct scan *s, const struct nx_spans_head *head)
{
	if (head->time_ns > s->newest_ns)
		s->newest_ns = head->time_ns;
	if (head->end_ns > s->newest_ns)
		s->newest_ns = head->end_ns;
}

static void take_record(struct scan *s, const struct nx_spans_head *head, uint64_t at)
{
	struct nx_spans_loss *loss = &s->d->loss;

	switch (head->what) {
	case NX_SPANS_SESSION:
		loss->is_newer |= head->version > NX_SPANS_VERSION;
		return;
	case NX_SPANS_DEFINITION:
		define(s->d, head);
		return;
	case NX_SPANS_THREAD:
		name_thread(s->d, head);
		return;
	case NX_SPANS_COUNTS:
		loss->has_no_end = false;
		loss->recorded_count = head->recorded_count;
		loss->lost_count = head->lost_count;
		note_times(s, head);
		return;
	}
	if (!head->time_ns) {
		loss->unreadable_count++;
		return;
	}
	note_times(s, head);
	switch (head->what) {
	case NX_SPANS_BEGIN:
		begin(s, head, at);
		break;
	case NX_SPANS_END:
		end(s, head, at);
		break;
	case NX_SPANS_COMPLETE:
	case NX_SPANS_INSTANT:
		whole(s, head, at, head->what == NX_SPANS_INSTANT);
		break;
	case NX_SPANS_FLOW_OUT:
	case NX_SPANS_FLOW_IN:
		flow(s, head);
		break;
	case NX_SPANS_COUNTER:
		break; /* nx_spans_decode_counters reads them */
	default:
		loss->unknown_count++;
	}
}

static int by_place(const void *left, const void *right)
{
	const struct open_span *a = left, *b = right;

	return (a->at > b->at) - (a->at < b->at);
}

static void end_open(struct scan *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->open.len; i++)
		if (s->open.items[i].is_open)
			s->open.items[count++] = s->open.items[i];
	if (count)
		qsort(s->open.items, count, sizeof(*s->open.items), by_place);
	for (size_t i = 0; i < count; i++)
		emit(s, &s->open.items[i], s->newest_ns, 0, NX_EVENT_UNFINISHED);
	s->d->loss.unfinished_count = count;
}

void nx_spans_decode(struct nx_spans_decoder *decoder, struct nx_slice file, nx_spans_event_fn fn,
		     void *context)
{
	struct scan s = {.d = decoder, .free = NOWHERE, .fn = fn, .context = context};
	struct nx_ntrace_stream stream = {.file = file};
	struct nx_spans_head head;
	struct nx_slice record;

	assert(fn);
	decoder->file = file;
	decoder->loss = (struct nx_spans_loss){.has_no_end = true};
	while (nx_ntrace_next(&stream, &record)) {
		decoder->loss.record_count++;
		if (nx_spans_head_read(record, &head))
			take_record(&s, &head, (uint64_t)(record.data - file.data));
		else
			decoder->loss.unreadable_count++;
	}
	if (stream.is_torn)
		decoder->loss.torn_bytes = file.len - stream.torn_at;
	end_open(&s);
	decoder->newest_ns = s.newest_ns;
	nx_vec_release(&s.open);
	nx_map_release(&s.open_ids);
	nx_map_release(&s.tops);
}

void nx_spans_decode_counters(const struct nx_spans_decoder *decoder, nx_spans_sample_fn fn,
			      void *context)
{
	struct nx_ntrace_stream stream = {.file = decoder->file};
	struct nx_spans_head head;
	struct nx_slice record;
	uint64_t unnamed_count = 0;

	while (nx_ntrace_next(&stream, &record)) {
		struct nx_spans_sample sample;

		if (!nx_spans_head_read(record, &head) || head.what != NX_SPANS_COUNTER ||
		    !head.time_ns)
			continue;
		sample = (struct nx_spans_sample){head.time_ns, head.value,
						  name_of(decoder, &head, &unnamed_count)};
		fn(context, &sample);
	}
}

void nx_spans_decoder_release(struct nx_spans_decoder *decoder)
{
	nx_map_release(&decoder->definition_ids);
	nx_vec_release(&decoder->definitions);
	nx_map_release(&decoder->thread_ids);
	nx_vec_release(&decoder->threads);
}
