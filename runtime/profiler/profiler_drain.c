/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that writes spans.pb. It takes records from the ring twenty times a second, so a
 * killed process loses little, and it alone encodes; threads that record never wait for it.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/thread.h"
#include "format/spans.h"
#include "runtime/profiler/profiler_internal.h"
#include "runtime/trace/guest_files.h"

#define PERIOD_NS UINT64_C(50000000)
#define FLUSH_BYTES ((size_t)256 << 10)
/* Longer than any record, so that the buffer never grows. */
#define RECORD_BYTES ((size_t)32 << 10)
#define MAX_SEEN_THREADS (1u << 16)

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wakes;
	bool is_on, is_ending;
	uint64_t flushes, flushed; /* asked for, done */
	struct nx_thread thread;
	struct nx_trace_tie first_tie, last_tie;   /* of the clock */
	uint64_t taken_count, stored_count, total; /* copies for nx_profiler_counts */
	uint64_t dropped;
	/* The thread's own while it runs: */
	struct nx_trace_ring *ring;
	struct nx_trace_clock clock;
	struct nx_guest_stream stream;
	struct nx_bytes pending;
	uint64_t pending_count;
	uint64_t unwritten_count; /* records that did not fit on the disk */
	uint64_t first_position;  /* of this session */
	uint64_t thread_generation;
	uint64_t defined[NX_PROFILER_MAX_NAMES / 64]; /* names that are in the file */
	uint32_t seen[MAX_SEEN_THREADS];	      /* hash table of threads in the file */
	uint32_t seen_count;
} drain = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .wakes = PTHREAD_COND_INITIALIZER, .stream = {.fd = -1}};

/* --- the file --------------------------------------------------------------------------------- */

static void flush(void)
{
	if (drain.pending.len &&
	    !nx_guest_stream_append(&drain.stream,
				    nx_slice_of(drain.pending.items, drain.pending.len))) {
		drain.unwritten_count += drain.pending_count;
		/* Definitions may have been among them. */
		memset(drain.defined, 0, sizeof(drain.defined));
	}
	drain.pending.len = 0;
	drain.pending_count = 0;
}

static void append(const struct nx_spans_record *record)
{
	nx_ntrace_append(&drain.pending, &nx_spans_record_message, record);
	if (drain.pending.len >= FLUSH_BYTES)
		flush();
}

static void append_session(void)
{
	struct nx_spans_record record = {.what = NX_SPANS_SESSION,
					 .version = NX_SPANS_VERSION,
					 .time_ns = drain.clock.ties[0].epoch_ns};

	append(&record);
}

/* Defines the name first if the file does not have it yet. */
static uint64_t use_name(uint64_t name)
{
	const struct nx_profiler_entry *entry = nx_profiler_entry_of((nx_name)name);
	struct nx_spans_record record = {.what = NX_SPANS_DEFINITION, .name = name};

	if (!name || !entry)
		return 0;
	if (drain.defined[name / 64] >> (name % 64) & 1)
		return name;
	drain.defined[name / 64] |= UINT64_C(1) << (name % 64);
	record.text = nx_slice_of(entry->text, entry->text_len);
	record.kind = entry->kind;
	record.file = nx_slice_of(entry->file, entry->file_len);
	record.line = entry->line;
	append(&record);
	return name;
}

static void append_thread(void *context, uint32_t thread_id, const char *name)
{
	struct nx_spans_record record = {
		.what = NX_SPANS_THREAD, .thread_id = thread_id, .text = nx_slice_text(name)};

	(void)context;
	append(&record);
}

/* The first record of a thread: its name goes before. */
static void see_thread(uint32_t thread_id)
{
	uint32_t slot = thread_id * 2654435761u % MAX_SEEN_THREADS;
	char name[64];

	while (drain.seen[slot] && drain.seen[slot] != thread_id)
		slot = (slot + 1) % MAX_SEEN_THREADS;
	if (drain.seen[slot] || drain.seen_count >= MAX_SEEN_THREADS / 2)
		return;
	drain.seen[slot] = thread_id;
	drain.seen_count++;
	if (nx_profiler_thread_name_of(thread_id, name, sizeof(name)))
		append_thread(NULL, thread_id, name);
}

/* --- from the ring to the file ------------------------------------------------------------------
 */

struct reading {
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

		*a = (struct nx_spans_attribute){.key = use_name(word &
								 (NX_PROFILER_MAX_NAMES - 1)),
						 .type = word >> 20 & 15};
		if (a->type == NX_SPANS_TEXT)
			a->text = read_text(r, (size_t)(word >> 32));
		else if (r->at == r->end)
			return;
		else if (a->type == NX_SPANS_F64)
			memcpy(&a->number, &r->words[r->at++], sizeof(a->number));
		else if (a->type == NX_SPANS_NAME)
			a->integer = use_name(r->words[r->at++]);
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
		if (word < drain.first_position)
			return false;
	} else if (what == NX_RECORD_COMPLETE) {
		record->end_ns = record->time_ns;
		record->time_ns = nx_trace_clock_convert(&drain.clock, word);
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

static void take(void *context, uint64_t position, const uint64_t *words, unsigned count)
{
	struct nx_spans_record record = {0};
	struct reading r = {.words = words, .end = count};

	(void)context;
	record.thread_id = words[0] & ((1u << NX_RECORD_THREAD_BITS) - 1);
	record.time_ns = nx_trace_clock_convert(&drain.clock, words[1]);
	see_thread((uint32_t)record.thread_id);
	record.name = use_name(words[0] >> NX_RECORD_NAME_SHIFT & (NX_PROFILER_MAX_NAMES - 1));
	if (!read_record(&r, &record, words[0] >> NX_RECORD_WHAT_SHIFT & 15, position))
		return;
	record.attributes.items = r.attributes;
	record.attributes.count = r.count;
	drain.pending_count++;
	append(&record);
}

static void publish_counts(void)
{
	struct nx_trace_ring_counts counts = nx_trace_ring_count(drain.ring);

	pthread_mutex_lock(&drain.lock);
	drain.total = counts.total;
	drain.dropped = counts.dropped + drain.unwritten_count;
	drain.first_tie = drain.clock.ties[0];
	drain.last_tie = drain.clock.ties[drain.clock.tie_count - 1];
	pthread_mutex_unlock(&drain.lock);
}

static void take_all(void)
{
	if (nx_trace_ring_count(drain.ring).pending)
		nx_trace_clock_tie(&drain.clock);
	nx_profiler_thread_names(&drain.thread_generation, append_thread, NULL);
	nx_trace_ring_take(drain.ring, UINT64_MAX, take, NULL);
	flush();
	publish_counts();
}

/* --- the thread ---------------------------------------------------------------------------------
 */

static void keep_draining(void *unused)
{
	bool is_over = false;

	(void)unused;
	while (!is_over) {
		uint64_t then_ns = nx_trace_clock_epoch_ns() + PERIOD_NS, asked;
		const struct timespec then = {(time_t)(then_ns / 1000000000u),
					      (long)(then_ns % 1000000000u)};

		pthread_mutex_lock(&drain.lock);
		asked = drain.flushes;
		pthread_mutex_unlock(&drain.lock);
		take_all();
		nx_profiler_look_for_runtime();
		pthread_mutex_lock(&drain.lock);
		drain.flushed = asked;
		pthread_cond_broadcast(&drain.wakes);
		if (!drain.is_ending && drain.flushes == drain.flushed)
			pthread_cond_timedwait(&drain.wakes, &drain.lock, &then);
		is_over = drain.is_ending;
		pthread_mutex_unlock(&drain.lock);
	}
}

static void reserve_pending(void *context)
{
	(void)context;
	nx_vec_reserve(&drain.pending, FLUSH_BYTES + RECORD_BYTES);
}

enum nx_status nx_profiler_drain_begin(const struct nx_profiler_drain_options *options,
				       struct nx_error *err)
{
	enum nx_status st;

	if (!nx_heap_guarded(reserve_pending, NULL))
		return nx_fail(err, NX_LIMIT, "out of memory for a buffer of 288 KB");
	st = nx_guest_stream_open(&drain.stream, options->folder, NX_SPANS_FILE, err);
	if (st)
		goto fail;
	drain.ring = options->ring;
	drain.first_position = options->ring->first_ticket * NX_TRACE_CHUNK_WORDS;
	nx_trace_clock_begin(&drain.clock, options->epoch_offset_ns);
	drain.is_ending = false;
	drain.flushes = drain.flushed = 0;
	drain.total = drain.dropped = drain.unwritten_count = drain.pending_count = 0;
	drain.thread_generation = 0;
	drain.seen_count = 0;
	memset(drain.defined, 0, sizeof(drain.defined));
	memset(drain.seen, 0, sizeof(drain.seen));
	append_session();
	flush();
	publish_counts();
	st = nx_thread_start(&drain.thread, "nx-profiler", keep_draining, NULL, err);
	if (st)
		goto fail;
	pthread_mutex_lock(&drain.lock);
	drain.is_on = true;
	pthread_mutex_unlock(&drain.lock);
	return NX_OK;
fail:
	nx_guest_stream_close(&drain.stream);
	nx_vec_release(&drain.pending);
	return st;
}

void nx_profiler_drain_flush(void)
{
	uint64_t turn;

	pthread_mutex_lock(&drain.lock);
	turn = ++drain.flushes;
	pthread_cond_broadcast(&drain.wakes);
	while (drain.is_on && !drain.is_ending && drain.flushed < turn)
		pthread_cond_wait(&drain.wakes, &drain.lock);
	pthread_mutex_unlock(&drain.lock);
}

bool nx_profiler_drain_end(struct nx_error *err)
{
	const struct timespec moment = {0, 1000000}; /* for threads inside a call */
	struct nx_spans_record record = {.what = NX_SPANS_COUNTS};
	bool is_whole;

	pthread_mutex_lock(&drain.lock);
	drain.is_ending = true;
	drain.is_on = false;
	pthread_cond_broadcast(&drain.wakes);
	pthread_mutex_unlock(&drain.lock);
	nx_thread_join(&drain.thread);
	nanosleep(&moment, NULL);
	take_all();
	record.time_ns = nx_trace_clock_convert(&drain.clock, nx_trace_clock_ticks());
	record.recorded_count = drain.total;
	record.lost_count = drain.dropped;
	append(&record);
	flush();
	is_whole = !drain.stream.has_failed;
	if (!is_whole)
		(void)nx_fail(err, NX_IO, "%s", drain.stream.failure);
	nx_guest_stream_close(&drain.stream);
	nx_vec_release(&drain.pending);
	return is_whole;
}

void nx_profiler_drain_counts(uint64_t *recorded, uint64_t *lost)
{
	pthread_mutex_lock(&drain.lock);
	*recorded = drain.total;
	*lost = drain.dropped;
	pthread_mutex_unlock(&drain.lock);
}

void nx_profiler_drain_abandon(void)
{
	pthread_mutex_init(&drain.lock, NULL);
	pthread_cond_init(&drain.wakes, NULL);
	drain.is_on = drain.thread.is_running = false;
	drain.pending.len = 0; /* has its full size since the session began; the next one uses it */
	nx_guest_stream_close(&drain.stream);
}

NX_PROFILER_EXPORT uint64_t nx_profiler_ticks_at(uint64_t epoch_ns)
{
	struct nx_trace_tie first, last;
	double ticks_per_ns;

	nx_profiler_drain_flush(); /* ties are made where events are taken */
	pthread_mutex_lock(&drain.lock);
	first = drain.first_tie;
	last = drain.last_tie;
	pthread_mutex_unlock(&drain.lock);
	if (last.epoch_ns <= first.epoch_ns)
		return nx_trace_clock_ticks();
	ticks_per_ns =
		(double)(last.ticks - first.ticks) / (double)(last.epoch_ns - first.epoch_ns);
	return last.ticks +
	       (uint64_t)(int64_t)(((double)epoch_ns - (double)last.epoch_ns) * ticks_per_ns);
}
