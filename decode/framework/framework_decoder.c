/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the text twice: Kineto writes baseTimeNanoseconds after the events that need it. */
#include "decode/framework/framework_decoder.h"

#include "decode/framework/framework_pairs.h"
#include "decode/framework/framework_record.h"
#include "format/gzip_stream.h"
#include <assert.h>

#define FIRST_EPOCH_NS UINT64_C(1000000000000000000)

struct decoder {
	nx_framework_fn fn;
	void *context;
	struct nx_framework_loss *loss;
	uint64_t base_ns;
	uint64_t first_ns, last_ns;
	bool has_events;   /* traceEvents was there */
	bool ends_between; /* the text ended where the next event could begin */
	struct nx_gzip_stream gzip;
	struct nx_json_stream json;
	struct nx_framework_record record;
	struct nx_framework_pairs pairs;
	uint64_t named_thread_id; /* the last one with a text as its id */
};

static bool next_piece(void *context, struct nx_slice *piece)
{
	return nx_gzip_stream_next(context, piece);
}

/* --- base time ---------------------------------------------------------- */

static bool find_base(struct decoder *d)
{
	struct nx_json_stream *s = &d->json;
	struct nx_decimal base;

	if (nx_json_stream_next(s) != NX_TOKEN_OBJECT)
		return false;
	while (nx_json_stream_next(s) == NX_TOKEN_KEY) {
		if (!nx_slice_is(s->text, "baseTimeNanoseconds")) {
			nx_json_stream_skip(s);
			continue;
		}
		if (nx_json_stream_next(s) == NX_TOKEN_OBJECT || s->last == NX_TOKEN_ARRAY)
			nx_json_stream_skip(s);
		else if (nx_decimal_parse(s->text, 0, &base) && !base.is_negative)
			d->base_ns = base.magnitude;
		return d->base_ns > 0;
	}
	return false;
}

/* --- events ------------------------------------------------------------- */

static void deliver(struct decoder *d, const struct nx_framework_event *event)
{
	if (event->row.start_ns < d->first_ns)
		d->first_ns = event->row.start_ns;
	if (event->row.end_ns > d->last_ns)
		d->last_ns = event->row.end_ns;
	d->fn(d->context, event);
}

/* The fields that all phases share; false when the time is missing or out of range. */
static bool make_event(const struct decoder *d, struct nx_framework_event *event)
{
	const struct nx_framework_record *r = &d->record;

	*event = (struct nx_framework_event){
		.row = {.thread_id = r->thread_id,
			.flow_id = r->has_flow ? r->flow : 0,
			.type = NX_FRAMEWORK_EVENT_TYPE,
			.nc_idx = -1,
			.stream_id = r->stream_id,
			.source = NX_SOURCE_FRAMEWORK},
		.name = nx_framework_text_slice(&r->name),
		.phase = r->phase,
	};
	if (r->has_step) {
		event->row.flags = NX_EVENT_STEP;
		event->row.step_num = r->step_num;
	}
	if (!r->has_time || !nx_decimal_add(d->base_ns, r->time_ns, &event->row.start_ns))
		return false;
	event->row.end_ns = event->row.start_ns;
	return true;
}

static bool make_named_event(struct decoder *d, struct nx_framework_event *event)
{
	bool is_good = make_event(d, event) && d->record.has_name;

	d->loss->malformed_count += !is_good;
	return is_good;
}

static void on_complete(struct decoder *d)
{
	struct nx_decimal duration = d->record.duration_ns;
	struct nx_framework_event event;

	if (!make_named_event(d, &event))
		return;
	if (duration.is_negative) {
		d->loss->backwards_count += duration.magnitude > 0;
		duration.magnitude = 0;
		duration.is_negative = false;
	}
	if (d->record.has_duration &&
	    nx_decimal_add(event.row.start_ns, duration, &event.row.end_ns))
		deliver(d, &event);
	else
		d->loss->malformed_count++;
}

static void on_instant(struct decoder *d)
{
	struct nx_framework_event event;

	if (!make_named_event(d, &event))
		return;
	event.row.flags = NX_EVENT_INSTANT;
	deliver(d, &event);
}

static void on_flow(struct decoder *d)
{
	struct nx_framework_event event;

	if (!make_event(d, &event)) {
		d->loss->malformed_count++;
		return;
	}
	event.is_flow_point = true;
	event.row.flow_id = d->record.id;
	deliver(d, &event);
}

/* Slices of a thread nest; async ones are distinguished by category, id and scope. */
static uint64_t pair_key(const struct nx_framework_record *r)
{
	bool is_async = r->phase == 'b' || r->phase == 'e';
	uint64_t numbers[] = {is_async, is_async && !r->id_is_local ? 0 : r->pid,
			      is_async ? r->id : r->thread_id, r->id_is_local};
	uint64_t key = nx_fnv1a(NX_FNV_SEED, numbers, sizeof(numbers));

	if (!is_async)
		return key;
	key = nx_fnv1a(key, r->category.bytes, r->category.len);
	return nx_fnv1a(key, r->scope.bytes, r->scope.len);
}

static void on_begin(struct decoder *d)
{
	struct nx_framework_event event;

	if (!make_named_event(d, &event))
		return;
	if (!nx_framework_pairs_push(&d->pairs, pair_key(&d->record), &event))
		d->loss->overflow_count++;
}

static void on_end(struct decoder *d)
{
	uint64_t key = pair_key(&d->record);
	struct nx_framework_event end;
	struct nx_framework_event *event;

	if (!make_event(d, &end)) {
		d->loss->malformed_count++;
		return;
	}
	event = nx_framework_pairs_top(&d->pairs, key);
	if (!event) {
		d->loss->orphan_count++;
		end.row.flags = NX_EVENT_ORPHAN;
		if (d->record.has_name)
			deliver(d, &end);
		return;
	}
	if (end.row.start_ns >= event->row.start_ns)
		event->row.end_ns = end.row.start_ns;
	else
		d->loss->backwards_count++;
	if (event->row.stream_id == NX_FRAMEWORK_NO_STREAM)
		event->row.stream_id = end.row.stream_id;
	deliver(d, event);
	nx_framework_pairs_drop(&d->pairs, key);
}

static void deliver_unfinished(struct decoder *d)
{
	struct nx_framework_event *event;
	size_t at = 0;

	while ((event = nx_framework_pairs_next(&d->pairs, &at)))
		if (event->row.start_ns > d->last_ns)
			d->last_ns = event->row.start_ns;
	at = 0;
	while ((event = nx_framework_pairs_next(&d->pairs, &at))) {
		event->row.end_ns = d->last_ns;
		event->row.flags |= NX_EVENT_UNFINISHED;
		d->loss->unfinished_count++;
		deliver(d, event);
	}
}

static void name_thread(struct decoder *d, const struct nx_framework_text *text)
{
	struct nx_slice name = nx_framework_text_slice(text);
	struct nx_framework_event event = {.row = {.thread_id = d->record.thread_id},
					   .phase = d->record.phase,
					   .is_thread_name = true};

	while (name.len && name.data[name.len - 1] == ' ') /* as in Kineto's "stream 7 " */
		name.len--;
	event.name = name;
	if (name.len)
		d->fn(d->context, &event);
}

static void on_metadata(struct decoder *d)
{
	d->loss->metadata_count++;
	if (nx_slice_is(nx_framework_text_slice(&d->record.name), "thread_name"))
		name_thread(d, &d->record.label);
}

/* --- the text ----------------------------------------------------------- */

static void (*const on_phase[128])(struct decoder *d) = {
	['X'] = on_complete, ['B'] = on_begin,	 ['E'] = on_end,     ['b'] = on_begin,
	['e'] = on_end,	     ['i'] = on_instant, ['I'] = on_instant, ['n'] = on_instant,
	['s'] = on_flow,     ['t'] = on_flow,	 ['f'] = on_flow,    ['M'] = on_metadata,
};

static void on_record(struct decoder *d)
{
	uint8_t phase = (uint8_t)d->record.phase;

	if (!phase && !d->record.is_empty) {
		d->loss->malformed_count++;
		return;
	}
	if (phase >= 128 || !on_phase[phase]) {
		d->loss->skipped_count++;
		return;
	}
	if (d->record.thread.len && d->record.thread_id != d->named_thread_id) {
		d->named_thread_id = d->record.thread_id;
		name_thread(d, &d->record.thread);
	}
	on_phase[phase](d);
}

static void read_events(struct decoder *d)
{
	enum nx_json_token token;

	d->has_events = true;
	while ((token = nx_json_stream_next(&d->json)) > NX_TOKEN_DONE &&
	       token != NX_TOKEN_ARRAY_END) {
		if (token == NX_TOKEN_OBJECT) {
			if (!nx_framework_record_read(&d->json, &d->record))
				return;
			d->loss->event_count++;
			on_record(d);
		} else {
			nx_json_stream_skip(&d->json);
			d->loss->event_count++;
			d->loss->malformed_count++;
		}
	}
	d->ends_between =
		token == NX_TOKEN_CUT && d->json.token_at == nx_json_stream_offset(&d->json);
}

static void read_members(struct decoder *d)
{
	while (nx_json_stream_next(&d->json) == NX_TOKEN_KEY) {
		if (!nx_slice_is(d->json.text, "traceEvents"))
			nx_json_stream_skip(&d->json);
		else if (nx_json_stream_next(&d->json) == NX_TOKEN_ARRAY)
			read_events(d);
		else
			nx_json_stream_skip(&d->json);
	}
	d->ends_between = false;
}

static enum nx_status read_text(struct decoder *d, const char *path, struct nx_error *err)
{
	enum nx_json_token first = nx_json_stream_next(&d->json);

	if (first == NX_TOKEN_OBJECT)
		read_members(d);
	else if (first == NX_TOKEN_ARRAY)
		read_events(d);
	else if (first != NX_TOKEN_CUT)
		return nx_fail(err, NX_FORMAT,
			       "%s is not a framework trace: it does not begin like JSON; give the "
			       "trace.json or trace.json.gz that the framework's profiler wrote",
			       path);
	if (!d->has_events && nx_json_stream_next(&d->json) != NX_TOKEN_CUT)
		return nx_fail(err, NX_FORMAT,
			       "%s is not a framework trace: it has no traceEvents; give the "
			       "trace.json or trace.json.gz that the framework's profiler wrote",
			       path);
	return NX_OK;
}

enum nx_status nx_framework_decode(struct nx_slice file, const char *path, nx_framework_fn fn,
				   void *context, bool *is_epoch, struct nx_framework_loss *loss,
				   struct nx_error *err)
{
	struct decoder *d = nx_heap_alloc(sizeof(*d));
	enum nx_json_token last;
	enum nx_status st;
	bool is_whole;

	assert(path && fn && is_epoch && loss);
	memset(d, 0, sizeof(*d));
	*loss = (struct nx_framework_loss){0};
	d->fn = fn;
	d->context = context;
	d->loss = loss;
	d->first_ns = UINT64_MAX;
	nx_gzip_stream_open(&d->gzip, file);
	nx_json_stream_init(&d->json, next_piece, &d->gzip);
	*is_epoch = find_base(d);
	nx_gzip_stream_close(&d->gzip);
	nx_gzip_stream_open(&d->gzip, file);
	nx_json_stream_init(&d->json, next_piece, &d->gzip);
	st = read_text(d, path, err);
	if (st == NX_OK) {
		deliver_unfinished(d);
		last = nx_json_stream_next(&d->json);
		/* a writer that dies may leave out the bracket after a bare list of events */
		is_whole = last == NX_TOKEN_DONE || d->ends_between;
		loss->is_cut = !is_whole || d->gzip.is_cut || d->gzip.is_damaged;
		loss->is_damaged = last == NX_TOKEN_BROKEN || d->gzip.is_damaged;
		loss->read_bytes = nx_json_stream_offset(&d->json);
		*is_epoch |= d->first_ns >= FIRST_EPOCH_NS && d->first_ns != UINT64_MAX;
	}
	nx_framework_pairs_release(&d->pairs);
	nx_gzip_stream_close(&d->gzip);
	nx_heap_free(d);
	return st;
}
