/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the ring as spans.pb: a session's file, or that of a snapshot. */
#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "format/spans.h"
#include "runtime/profiler/profiler_internal.h"

#define FLUSH_BYTES ((size_t)256 << 10)
/* Longer than any record, so that the buffer never grows. */
#define RECORD_BYTES ((size_t)32 << 10)

/* --- the file --------------------------------------------------------------------------------- */

void nx_profiler_spans_flush(struct nx_profiler_spans *spans)
{
	if (spans->pending.len &&
	    !nx_guest_stream_append(&spans->stream,
				    nx_slice_of(spans->pending.items, spans->pending.len))) {
		spans->unwritten_count += spans->pending_count;
		/* Definitions may have been among them. */
		memset(spans->defined, 0, sizeof(spans->defined));
	}
	spans->pending.len = 0;
	spans->pending_count = 0;
}

static void append(struct nx_profiler_spans *spans, const struct nx_spans_record *record)
{
	nx_ntrace_append(&spans->pending, &nx_spans_record_message, record);
	if (spans->pending.len >= FLUSH_BYTES)
		nx_profiler_spans_flush(spans);
}

/* Defines the name first if the file does not have it yet. */
static uint64_t use_name(struct nx_profiler_spans *spans, uint64_t name)
{
	const struct nx_profiler_entry *entry = nx_profiler_entry_of((nx_name)name);
	struct nx_spans_record record = {.what = NX_SPANS_DEFINITION, .name = name};

	if (!name || !entry)
		return 0;
	if (spans->defined[name / 64] >> (name % 64) & 1)
		return name;
	spans->defined[name / 64] |= UINT64_C(1) << (name % 64);
	record.text = nx_slice_of(entry->text, entry->text_len);
	record.kind = entry->kind;
	record.file = nx_slice_of(entry->file, entry->file_len);
	record.line = entry->line;
	append(spans, &record);
	return name;
}

static void append_thread(void *context, uint32_t thread_id, const char *name)
{
	struct nx_spans_record record = {
		.what = NX_SPANS_THREAD, .thread_id = thread_id, .text = nx_slice_text(name)};

	append(context, &record);
}

/* The first record of a thread: its name goes before. */
static void see_thread(struct nx_profiler_spans *spans, uint32_t thread_id)
{
	uint32_t slot = thread_id * 2654435761u % NX_PROFILER_MAX_THREADS;
	char name[64];

	while (spans->seen[slot] && spans->seen[slot] != thread_id)
		slot = (slot + 1) % NX_PROFILER_MAX_THREADS;
	if (spans->seen[slot] || spans->seen_count >= NX_PROFILER_MAX_THREADS / 2)
		return;
	spans->seen[slot] = thread_id;
	spans->seen_count++;
	if (nx_profiler_thread_name_of(thread_id, name, sizeof(name)))
		append_thread(spans, thread_id, name);
}

/* --- from the ring to the file ------------------------------------------------------------------
 */

struct reading {
	struct nx_profiler_spans *spans;
	const uint64_t *words;
	unsigned at, end;
	struct nx_spans_attribute attributes[NX_PROFILER_MAX_ATTRIBUTES];
	size_t count;
};

/* Texts lie in the ring's words, which are copies. */
static struct nx_slice read_text(struct reading *r, size_t len)
{
	size_t words = (len + 7) / 8;
	struct nx_slice text = {0};

	if (words <= r->end - r->at)
		text = nx_slice_of(r->words + r->at, len);
	r->at += (unsigned)(words < r->end - r->at ? words : r->end - r->at);
	return text;
}

static void read_attributes(struct reading *r)
{
	while (r->at < r->end && r->count < NX_PROFILER_MAX_ATTRIBUTES) {
		uint64_t word = r->words[r->at++];
		struct nx_spans_attribute *a = &r->attributes[r->count];

		*a = (struct nx_spans_attribute){
			.key = use_name(r->spans, word & (NX_PROFILER_MAX_NAMES - 1)),
			.type = word >> 20 & 15};
		if (a->type == NX_SPANS_TEXT)
			a->text = read_text(r, (size_t)(word >> 32));
		else if (r->at == r->end)
			return;
		else if (a->type == NX_SPANS_F64)
			memcpy(&a->number, &r->words[r->at++], sizeof(a->number));
		else if (a->type == NX_SPANS_NAME)
			a->integer = use_name(r->spans, r->words[r->at++]);
		else
			a->integer = r->words[r->at++];
		r->count++;
	}
}

/* False if there is nothing to write, as for the end of a span of an earlier session. */
static bool read_record(struct reading *r, struct nx_spans_record *record, unsigned what,
			uint64_t position)
{
	static const uint8_t whats[] = {
		[NX_RECORD_BEGIN] = NX_SPANS_BEGIN,	[NX_RECORD_TEXT] = NX_SPANS_BEGIN,
		[NX_RECORD_END] = NX_SPANS_END,		[NX_RECORD_COMPLETE] = NX_SPANS_COMPLETE,
		[NX_RECORD_INSTANT] = NX_SPANS_INSTANT, [NX_RECORD_STEP] = NX_SPANS_BEGIN,
		[NX_RECORD_COUNTER] = NX_SPANS_COUNTER, [NX_RECORD_FLOW_OUT] = NX_SPANS_FLOW_OUT,
		[NX_RECORD_FLOW_IN] = NX_SPANS_FLOW_IN,
	};
	uint64_t word = r->end > 2 ? r->words[2] : 0;

	if (what >= sizeof(whats) || !whats[what])
		return false;
	record->what = whats[what];
	r->at = what == NX_RECORD_BEGIN || what == NX_RECORD_INSTANT ? 2 : 3;
	if (what == NX_RECORD_BEGIN || what == NX_RECORD_TEXT || what == NX_RECORD_STEP)
		record->id = position;
	if (what == NX_RECORD_TEXT) {
		record->kind = word >> 32;
		record->text = read_text(r, (size_t)(word & UINT32_MAX));
	} else if (what == NX_RECORD_END) {
		record->id = word;
		if (word < r->spans->first_position)
			return false;
	} else if (what == NX_RECORD_COMPLETE) {
		record->end_ns = record->time_ns;
		record->time_ns = nx_trace_clock_convert(r->spans->clock, word);
	} else if (what == NX_RECORD_STEP) {
		record->is_step = true;
		record->step_num = (int64_t)word;
	} else if (what == NX_RECORD_COUNTER) {
		memcpy(&record->value, &word, sizeof(word));
	} else if (what == NX_RECORD_FLOW_OUT || what == NX_RECORD_FLOW_IN) {
		record->flow = word;
	}
	read_attributes(r);
	return true;
}

bool nx_profiler_spans_put(struct nx_profiler_spans *spans, const struct nx_trace_kept *kept)
{
	const uint64_t *words = kept->words;
	struct nx_spans_record record = {.sequence = kept->sequence};
	struct reading r = {.spans = spans, .words = words, .end = kept->count};

	record.thread_id = words[0] & ((1u << NX_RECORD_THREAD_BITS) - 1);
	record.time_ns = nx_trace_clock_convert(spans->clock, words[1]);
	see_thread(spans, (uint32_t)record.thread_id);
	record.name =
		use_name(spans, words[0] >> NX_RECORD_NAME_SHIFT & (NX_PROFILER_MAX_NAMES - 1));
	if (!read_record(&r, &record, words[0] >> NX_RECORD_WHAT_SHIFT & 15, kept->position))
		return false;
	record.attributes.items = r.attributes;
	record.attributes.count = r.count;
	spans->pending_count++;
	append(spans, &record);
	return true;
}

void nx_profiler_spans_name_threads(struct nx_profiler_spans *spans)
{
	nx_profiler_thread_names(&spans->thread_generation, append_thread, spans);
}

/* --- life ------------------------------------------------------------------------------------- */

static void reserve_pending(void *context)
{
	struct nx_profiler_spans *spans = context;

	nx_vec_reserve(&spans->pending, FLUSH_BYTES + RECORD_BYTES);
}

enum nx_status nx_profiler_spans_open(struct nx_profiler_spans *spans, const char *folder,
				      const struct nx_trace_clock *clock, uint64_t first_position,
				      struct nx_error *err)
{
	struct nx_spans_record record = {.what = NX_SPANS_SESSION,
					 .version = NX_SPANS_VERSION,
					 .time_ns = clock->ties[0].epoch_ns};
	enum nx_status st;

	spans->pending.len = 0;
	if (!nx_heap_guarded(reserve_pending, spans))
		return nx_fail(err, NX_LIMIT, "out of memory for a buffer of 288 KB");
	st = nx_guest_stream_open(&spans->stream, folder, NX_SPANS_FILE, err);
	if (st)
		return st;
	spans->clock = clock;
	spans->first_position = first_position;
	spans->pending_count = spans->unwritten_count = 0;
	spans->thread_generation = 0;
	spans->seen_count = 0;
	memset(spans->defined, 0, sizeof(spans->defined));
	memset(spans->seen, 0, sizeof(spans->seen));
	append(spans, &record);
	nx_profiler_spans_flush(spans);
	return NX_OK;
}

bool nx_profiler_spans_close(struct nx_profiler_spans *spans, uint64_t recorded, uint64_t lost,
			     struct nx_error *err)
{
	struct nx_spans_record record = {
		.what = NX_SPANS_COUNTS, .recorded_count = recorded, .lost_count = lost};
	bool is_whole;

	record.time_ns = nx_trace_clock_convert(spans->clock, nx_trace_clock_ticks());
	append(spans, &record);
	nx_profiler_spans_flush(spans);
	is_whole = !spans->stream.has_failed;
	if (!is_whole)
		(void)nx_fail(err, NX_IO, "%s", spans->stream.failure);
	nx_guest_stream_close(&spans->stream);
	nx_vec_release(&spans->pending);
	return is_whole;
}

void nx_profiler_spans_abandon(struct nx_profiler_spans *spans)
{
	spans->pending.len =
		0; /* has its full size since the file was opened; the next one uses it */
	nx_guest_stream_close(&spans->stream);
}
