/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot: the history as a session's folder.
 *
 * The history is copied segment by segment, so it is locked only for moments and recording goes on.
 * Files are written to a folder with a temporary name, which is renamed at the end.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "format/process_folder.h"
#include "runtime/profiler/profiler_internal.h"

#define EVENTS_FILE "ntrace.pb"
#define FLUSH_BYTES ((size_t)256 << 10)
#define EVENT_BYTES ((size_t)4096) /* longer than any event */
#define CLAIM_ATTEMPTS 100u
#define DATA_VERSION 2 /* of trace_info.pb */
#define DRAIN_PERIOD_NS UINT64_C(50000000)
#define OPEN_SLOTS (1u << 16) /* a power of two */

/* One at a time, under the lock of sessions. Static: a snapshot must not need much memory. */
static struct {
	struct nx_profiler_snapshot *snapshot;
	char folder[1280]; /* for now */
	struct nx_profiler_spans spans;
	struct nx_guest_stream events;
	struct nx_bytes pending;     /* of events */
	struct nx_trace_clock clock; /* of the segment */
	struct nx_trace_excerpt excerpt;
	struct nx_trace_place places[NX_TRACE_MAX_CORES];
	uint64_t drained_ns;
	/* What began and has not ended, to leave out ends without beginnings. */
	uint64_t open[OPEN_SLOTS]; /* hash table; 0: free */
	uint32_t open_count;
	bool is_open_full; /* too many: all ends are written */
} writing = {.spans = {.stream = {.fd = -1}}, .events = {.fd = -1}};

/* --- beginnings and ends ---------------------------------------------------------------------- */

static uint32_t slot_of(uint64_t key)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 48) % OPEN_SLOTS;
}

static void note_begin(uint64_t key)
{
	uint32_t slot = slot_of(key);

	writing.is_open_full |= writing.open_count >= OPEN_SLOTS / 2;
	if (writing.is_open_full)
		return;
	while (writing.open[slot])
		slot = (slot + 1) % OPEN_SLOTS;
	writing.open[slot] = key;
	writing.open_count++;
}

/* Closes the gap, so that a search still ends at a free slot. */
static void remove_slot(uint32_t slot)
{
	uint32_t gap = slot;

	for (slot = (slot + 1) % OPEN_SLOTS; writing.open[slot]; slot = (slot + 1) % OPEN_SLOTS) {
		uint32_t home = slot_of(writing.open[slot]);

		if ((slot - home) % OPEN_SLOTS >= (slot - gap) % OPEN_SLOTS) {
			writing.open[gap] = writing.open[slot];
			gap = slot;
		}
	}
	writing.open[gap] = 0;
	writing.open_count--;
}

/* False if the beginning is not in this snapshot. */
static bool note_end(uint64_t key)
{
	uint32_t slot = slot_of(key);

	while (writing.open[slot] && writing.open[slot] != key)
		slot = (slot + 1) % OPEN_SLOTS;
	if (writing.open[slot])
		remove_slot(slot);
	else if (!writing.is_open_full)
		return false;
	return true;
}

/* Keys differ by source; tracking of an event is that of its beginning. */
static uint64_t key_of(unsigned source, uint64_t number)
{
	return (uint64_t)(source + 1) << 56 | number;
}

/* --- records ---------------------------------------------------------------------------------- */

static void flush_events(void)
{
	if (writing.pending.len)
		(void)nx_guest_stream_append(&writing.events, nx_slice_of(writing.pending.items,
									  writing.pending.len));
	writing.pending.len = 0;
}

static void put_event(const struct nx_trace_kept *kept)
{
	struct nx_snapshot_file *file = &writing.snapshot->file;
	struct nx_trace_place place = writing.places[kept->source];
	struct nx_trace_record record;

	nx_trace_event_unpack(kept->position, kept->words, &record);
	if (record.phase == NX_PHASE_START) {
		note_begin(key_of(kept->source, record.position + 1));
	} else if (record.phase == NX_PHASE_STOP &&
		   !note_end(key_of(kept->source, record.tracking))) {
		file->cut_count++;
		return;
	}
	place.clock = &writing.clock;
	nx_trace_event_append(&place, &record, &writing.pending);
	file->event_count++;
	if (writing.pending.len >= FLUSH_BYTES)
		flush_events();
}

static void put_span(const struct nx_trace_kept *kept)
{
	struct nx_snapshot_file *file = &writing.snapshot->file;
	unsigned what = kept->words[0] >> NX_RECORD_WHAT_SHIFT & 15;
	bool is_begin = what == NX_RECORD_BEGIN || what == NX_RECORD_TEXT || what == NX_RECORD_STEP;
	bool is_cut = what == NX_RECORD_END && !note_end(key_of(kept->source, kept->words[2]));

	if (is_begin)
		note_begin(key_of(kept->source, kept->position));
	if (!is_cut && nx_profiler_spans_put(&writing.spans, kept))
		file->span_count++;
	else
		file->cut_count++;
}

static void write_segment(void)
{
	const struct nx_trace_segment *segment = &writing.excerpt.segment;
	uint64_t end = writing.snapshot->file.end_sequence;
	struct nx_trace_kept kept;

	writing.clock.ties[0] = segment->from;
	writing.clock.ties[1] = segment->to;
	writing.clock.tie_count = segment->to.ticks > segment->from.ticks ? 2 : 1;
	while (nx_trace_excerpt_next(&writing.excerpt, &kept) && kept.sequence < end)
		if (kept.source == NX_PROFILER_SPANS)
			put_span(&kept);
		else if (kept.source < NX_TRACE_MAX_CORES)
			put_event(&kept);
}

/* If the caller is the thread that empties the rings, it does so between two segments. */
static void drain_meanwhile(void)
{
	uint64_t now_ns = nx_trace_clock_epoch_ns();

	if (!writing.snapshot->drains || now_ns - writing.drained_ns < DRAIN_PERIOD_NS)
		return;
	writing.drained_ns = now_ns;
	nx_profiler_drain_take();
	if (writing.snapshot->share)
		writing.snapshot->share->keep_take(false);
}

/* Segments that are overwritten meanwhile are missing, and counted. */
static void write_history(uint64_t number)
{
	struct nx_snapshot_file *file = &writing.snapshot->file;
	const struct nx_trace_segment *segment = &writing.excerpt.segment;
	uint64_t next = 0;
	bool is_first = true;

	for (;; number++) {
		uint64_t first;

		number = nx_profiler_history_copy(number, &writing.excerpt);
		first = segment->first_sequence < file->end_sequence ? segment->first_sequence
								     : file->end_sequence;
		if (is_first)
			file->first_sequence = next = first;
		is_first = false;
		file->missed_count += first - next;
		if (first == file->end_sequence)
			return;
		write_segment();
		next = first + segment->record_count;
		if (next >= file->end_sequence)
			return;
		drain_meanwhile();
	}
}

/* --- files ------------------------------------------------------------------------------------ */

static void encode_file(void *context)
{
	nx_snapshot_file_encode(&writing.snapshot->file, context);
}

static void encode_info(void *context)
{
	const struct nx_profiler_snapshot *snapshot = writing.snapshot;
	const struct nx_ntrace_info info = {
		.pid = (uint64_t)getpid(),
		.instance_id = nx_slice_text(snapshot->instance_id),
		.instance_hostname = nx_slice_text(snapshot->hostname),
		.data_version = DATA_VERSION,
		.init_ns = snapshot->begin_ns,
		.close_ns = snapshot->file.time_ns,
	};

	nx_wire_encode(&nx_ntrace_info_message, &info, context);
}

static enum nx_status write_encoded(const char *name, void (*encode)(void *), struct nx_error *err)
{
	struct nx_bytes bytes = {0};
	enum nx_status st;
	char path[sizeof(writing.folder) + 32];

	snprintf(path, sizeof(path), "%s/%s", writing.folder, name);
	if (nx_heap_guarded(encode, &bytes))
		st = nx_guest_write_file(path, nx_slice_of(bytes.items, bytes.len), err);
	else
		st = nx_fail(err, NX_LIMIT, "out of memory for %s", path);
	nx_vec_release(&bytes);
	return st;
}

static enum nx_status make_temporary(struct nx_error *err)
{
	struct nx_profiler_snapshot *snapshot = writing.snapshot;
	size_t cap = sizeof(writing.folder);
	int len = snprintf(writing.folder, cap, "%s/" NX_PROCESS_FOLDER, snapshot->output_dir,
			   snapshot->instance_id, (int)getpid());
	enum nx_status st;

	if (len < 0 || (size_t)len + 64 > cap)
		return nx_fail(err, NX_LIMIT, "the folder name %.60s... is too long",
			       snapshot->output_dir);
	st = nx_guest_make_folder(writing.folder, err);
	if (st)
		return st;
	for (unsigned attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
		unsigned long long stamp = snapshot->file.time_ns + attempt;

		snprintf(writing.folder + len, cap - (size_t)len, "/" NX_PROCESS_UNFINISHED "%llu",
			 stamp);
		snprintf(snapshot->folder, sizeof(snapshot->folder), "%.*s/%llu", len,
			 writing.folder, stamp);
		if (access(snapshot->folder, F_OK) != 0 && mkdir(writing.folder, 0777) == 0)
			return NX_OK;
		if (errno != EEXIST && access(snapshot->folder, F_OK) != 0)
			return nx_fail_errno(err, errno, "cannot make the folder %s",
					     writing.folder);
	}
	return nx_fail(err, NX_LIMIT, "%s and all alternative names exist already",
		       snapshot->folder);
}

static void remove_temporary(void)
{
	DIR *dir = opendir(writing.folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		(void)unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	(void)rmdir(writing.folder);
}

static void reserve_pending(void *context)
{
	(void)context;
	nx_vec_reserve(&writing.pending, FLUSH_BYTES + EVENT_BYTES);
}

static enum nx_status open_files(const struct nx_trace_history *history, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	writing.pending.len = 0;
	writing.excerpt.words = nx_heap_try_alloc(history->segment_words * sizeof(uint64_t));
	memset(writing.open, 0, sizeof(writing.open));
	writing.open_count = 0;
	writing.is_open_full = false;
	if (!writing.excerpt.words || !nx_heap_guarded(reserve_pending, NULL))
		return nx_fail(err, NX_LIMIT, "out of memory for a snapshot");
	writing.clock.ties[0] = history->segments[history->oldest % NX_TRACE_HISTORY_SEGMENTS].from;
	writing.clock.tie_count = 1;
	st = nx_profiler_spans_open(&writing.spans, writing.folder, &writing.clock, 0, err);
	if (!st && writing.snapshot->share)
		st = nx_guest_stream_open(&writing.events, writing.folder, EVENTS_FILE, err);
	for (uint32_t core = 0; !st && writing.snapshot->share && core < NX_TRACE_MAX_CORES;
	     core++) {
		writing.places[core] = writing.snapshot->share->place(core);
		writing.places[core].first = 0; /* the same ids in all snapshots */
	}
	return st;
}

static enum nx_status close_files(struct nx_error *err)
{
	struct nx_snapshot_file *file = &writing.snapshot->file;
	enum nx_status st = NX_OK;

	flush_events();
	if (writing.events.has_failed)
		st = nx_fail(err, NX_IO, "%s", writing.events.failure);
	/* A snapshot has all it should have, so nothing counts as lost. */
	if (!nx_profiler_spans_close(&writing.spans, file->span_count, 0, err))
		st = NX_IO;
	nx_guest_stream_close(&writing.events);
	return st;
}

static enum nx_status describe(struct nx_error *err)
{
	struct nx_profiler_snapshot *snapshot = writing.snapshot;
	struct nx_trace_share_snapshot runtime = {
		.folder = writing.folder,
		.final_folder = snapshot->folder,
		.begin_ns = snapshot->begin_ns,
		.end_ns = snapshot->file.time_ns,
		.event_count = snapshot->file.event_count,
	};
	enum nx_status st = NX_OK;

	if (!snapshot->share || !snapshot->share->snapshot(&runtime))
		st = write_encoded("trace_info.pb", encode_info, err);
	snapshot->file.device_count = runtime.device_count;
	return st ? st : write_encoded(NX_SNAPSHOT_FILE, encode_file, err);
}

enum nx_status nx_profiler_snapshot_write(struct nx_profiler_snapshot *snapshot,
					  struct nx_error *err)
{
	struct nx_trace_history history;
	enum nx_status st;

	nx_profiler_history_hold(true);
	history = nx_profiler_history_look();
	writing.snapshot = snapshot;
	writing.drained_ns = snapshot->file.time_ns;
	snapshot->file.end_sequence = history.sequence;
	snapshot->file.overwritten_count = history.overwritten_count;
	snapshot->file.expired_count = history.expired_count;
	snapshot->begin_ns = snapshot->file.time_ns;
	if (history.oldest < history.next)
		snapshot->begin_ns =
			history.segments[history.oldest % NX_TRACE_HISTORY_SEGMENTS].from.epoch_ns;
	st = make_temporary(err);
	if (st) {
		nx_profiler_history_hold(false);
		return st;
	}
	st = open_files(&history, err);
	if (!st) {
		write_history(history.oldest);
		if (snapshot->file.first_sequence > snapshot->previous_end)
			snapshot->file.missed_count +=
				snapshot->file.first_sequence - snapshot->previous_end;
		st = close_files(err);
	}
	if (!st)
		st = describe(err);
	if (!st && rename(writing.folder, snapshot->folder))
		st = nx_fail_errno(err, errno, "cannot rename %s to %s", writing.folder,
				   snapshot->folder);
	nx_profiler_history_hold(false);
	if (st) {
		nx_profiler_spans_abandon(&writing.spans);
		nx_guest_stream_close(&writing.events);
		remove_temporary();
	}
	nx_vec_release(&writing.pending);
	nx_heap_free(writing.excerpt.words);
	writing.excerpt.words = NULL;
	return st;
}

void nx_profiler_snapshot_abandon(void)
{
	nx_profiler_spans_abandon(&writing.spans);
	nx_guest_stream_close(&writing.events);
	/* Not released: a thread of the parent may have been changing it. */
	writing.pending = (struct nx_bytes){0};
	writing.excerpt.words = NULL;
}
