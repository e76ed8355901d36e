/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/xprof_trace.h"

#include <assert.h>

#include "base/number.h"
#include "export/row_sink.h"
#include "model/schema.h"

#define FIRST_DEVICE 1u
#define FIRST_HOST 701u
#define DEVICES_MAX 500u /* more are numbered behind all hosts */
#define FIRST_EXTRA_DEVICE (1u << 20)
#define TABLE_BITS 7
#define LIST_SPANS 512
#define WANTED_SPANS 65536u
#define NS_PER_MS 1e6
#define NS_PER_US 1000
#define TURNS_MAX 64

static_assert(NX_SCHEMA_TABLE_COUNT <= 1 << TABLE_BITS, "the number of an event has room");

struct walk {
	const struct nx_timeline *timeline;
	const struct nx_xprof_processes *processes;
	const struct nx_xprof_choice *choice;
	uint64_t zero_ns, end_ns; /* of the timeline */
	uint64_t from_ns, to_ns;
	uint64_t shortest_ns; /* 0: all are visible */
	uint64_t total_count, shown_count, sample_count;
	bool is_filtered; /* something is left out because it is too short */
	/* what becomes of a visible one; NULL: it is only counted */
	void (*fn)(struct walk *walk, const struct nx_track *track, uint32_t id,
		   const struct nx_span *span);
	struct nx_json_writer w;
	struct nx_bytes *body;
};

/* --- processes ------------------------------------------------------------------ */

static struct nx_slice attribute_of(const struct nx_track *track, const char *key)
{
	for (uint32_t i = 0; i < track->attribute_count; i++)
		if (nx_slice_is(track->attributes[i].key, key))
			return track->attributes[i].value;
	return (struct nx_slice){0};
}

static uint32_t next_pid(bool is_host, uint32_t *host_count, uint32_t *device_count)
{
	if (is_host)
		return FIRST_HOST + (*host_count)++;
	++*device_count;
	return *device_count <= DEVICES_MAX ? FIRST_DEVICE + *device_count - 1
					    : FIRST_EXTRA_DEVICE + *device_count;
}

/* A parent is declared before its children. */
void nx_xprof_processes_list(struct nx_xprof_processes *p, const struct nx_timeline *timeline,
			     const char *fallback, struct nx_arena *arena)
{
	uint32_t count = nx_timeline_track_count(timeline), host_count = 0, device_count = 0;

	*p = (struct nx_xprof_processes){
		.items = NX_NEW_ARRAY(arena, struct nx_xprof_process, (size_t)count + 1),
		.of_track = NX_NEW_ARRAY(arena, uint32_t, (size_t)count + 1),
	};
	for (uint32_t i = 0; i < count; i++) {
		struct nx_xprof_process *new = &p->items[p->count];
		struct nx_track track;

		nx_timeline_track(timeline, i, &track);
		if (track.parent != NX_TRACK_NONE) {
			p->of_track[i] = p->of_track[track.parent];
			continue;
		}
		*new = (struct nx_xprof_process){.track = i,
						 .name = track.name,
						 .host = attribute_of(&track, "instance_id")};
		new->pid = next_pid(new->host.len > 0, &host_count, &device_count);
		if (!new->host.len)
			new->host = nx_slice_text(fallback);
		p->of_track[i] = (uint32_t)p->count++;
	}
}

static const struct nx_xprof_process *process_of(const struct walk *walk, uint32_t track)
{
	return &walk->processes->items[walk->processes->of_track[track]];
}

static bool is_chosen(const struct walk *walk, uint32_t track)
{
	const struct nx_xprof_choice *choice = walk->choice;

	for (size_t i = 0; i < choice->host_count; i++)
		if (nx_slice_is(process_of(walk, track)->host, choice->hosts[i]))
			return true;
	return !choice->hosts;
}

/* --- events --------------------------------------------------------------------- */

static bool has_prefix(const struct walk *walk, uint32_t name)
{
	struct nx_slice prefix = walk->choice->prefix;

	return !prefix.len ||
	       nx_slice_equal(nx_slice_part(nx_timeline_name(walk->timeline, name), 0, prefix.len),
			      prefix);
}

static enum nx_status go_on(const struct walk *walk, struct nx_error *err)
{
	if (walk->choice->is_wanted && !walk->choice->is_wanted(walk->choice->context))
		return nx_fail(err, NX_CANCELLED, "the client no longer waits for the answer");
	return NX_OK;
}

/* The first span that ends after the range begins. */
static uint64_t first_span(const struct walk *walk, uint32_t id, uint32_t depth)
{
	uint64_t found = nx_timeline_find(walk->timeline, id, depth, walk->from_ns);

	return found != NX_SPAN_NONE ? found
				     : nx_timeline_next(walk->timeline, id, depth, walk->from_ns);
}

static enum nx_status walk_depth(struct walk *walk, const struct nx_track *track, uint32_t id,
				 uint32_t depth, struct nx_error *err)
{
	uint64_t at = first_span(walk, id, depth), seen = 0, shown_end_ns = 0;
	struct nx_span spans[LIST_SPANS];
	enum nx_status st = NX_OK;
	bool is_first = true;
	size_t count;

	while (!st &&
	       (count = nx_timeline_list(walk->timeline, id, depth, at, spans, LIST_SPANS))) {
		for (size_t i = 0; i < count; i++) {
			const struct nx_span *s = &spans[i];

			if (s->start_ns >= walk->to_ns)
				return NX_OK;
			if (!has_prefix(walk, s->name))
				continue;
			walk->total_count++;
			if (!is_first && s->end_ns - s->start_ns < walk->shortest_ns &&
			    s->start_ns - shown_end_ns < walk->shortest_ns) {
				walk->is_filtered = true;
				continue;
			}
			is_first = false;
			shown_end_ns = s->end_ns;
			walk->shown_count++;
			if (walk->fn)
				walk->fn(walk, track, id, s);
		}
		at += count;
		seen += count;
		if (seen >= WANTED_SPANS) {
			seen = 0;
			st = go_on(walk, err);
		}
	}
	return st;
}

static enum nx_status walk_events(struct walk *walk, struct nx_error *err)
{
	uint32_t count = nx_timeline_track_count(walk->timeline);
	enum nx_status st = NX_OK;

	walk->total_count = walk->shown_count = 0;
	walk->is_filtered = false;
	for (uint32_t i = 0; i < count && !st; i++) {
		struct nx_track track;

		nx_timeline_track(walk->timeline, i, &track);
		if (track.kind != NX_TRACK_SPANS || !is_chosen(walk, i))
			continue;
		for (uint32_t d = 0; d < track.depth_count && !st; d++)
			st = walk_depth(walk, &track, i, d, err);
		if (!st)
			st = go_on(walk, err);
	}
	return st;
}

/* Many rows can have more events than a viewer can take even at the resolution asked for. */
static enum nx_status choose_shortest(struct walk *walk, struct nx_error *err)
{
	uint64_t range_ns = walk->to_ns - walk->from_ns;
	enum nx_status st;

	walk->shortest_ns = walk->choice->resolution ? range_ns / walk->choice->resolution : 0;
	st = walk_events(walk, err);
	for (int turn = 0; !st && walk->shown_count > NX_XPROF_EVENTS_MAX && turn < TURNS_MAX;
	     turn++) {
		walk->shortest_ns = walk->shortest_ns ? walk->shortest_ns * 2
						      : range_ns / NX_XPROF_RESOLUTION + 1;
		st = walk_events(walk, err);
	}
	return st;
}

static enum nx_status begin(struct walk *walk, struct nx_error *err)
{
	nx_timeline_extent(walk->timeline, &walk->zero_ns, &walk->end_ns);
	walk->from_ns =
		walk->choice->from_ns > walk->zero_ns ? walk->choice->from_ns : walk->zero_ns;
	walk->to_ns = walk->choice->to_ns <= walk->end_ns ? walk->choice->to_ns : walk->end_ns + 1;
	if (walk->from_ns >= walk->to_ns)
		return nx_fail(
			err, NX_USAGE,
			"the time range is empty or outside the trace; start_time_ms should be "
			"below end_time_ms");
	return choose_shortest(walk, err);
}

/* --- JSON ----------------------------------------------------------------------- */

uint64_t nx_xprof_event_number(uint64_t table, uint64_t row)
{
	assert(table < 1u << TABLE_BITS);
	return row << TABLE_BITS | table;
}

void nx_xprof_event_place(uint64_t number, uint64_t *table, uint64_t *row)
{
	*table = number & ((1u << TABLE_BITS) - 1);
	*row = number >> TABLE_BITS;
}

static struct nx_slice us_text(char *digits, uint64_t ns)
{
	size_t len = nx_format_u64(digits, ns / NS_PER_US);
	unsigned rest = (unsigned)(ns % NS_PER_US);

	if (rest) {
		digits[len++] = '.';
		digits[len++] = (char)('0' + rest / 100);
		digits[len++] = (char)('0' + rest / 10 % 10);
		digits[len++] = (char)('0' + rest % 10);
		while (digits[len - 1] == '0')
			len--;
	}
	return nx_slice_of(digits, len);
}

void nx_xprof_put_us(struct nx_json_writer *w, const char *key, uint64_t ns)
{
	char digits[NX_NUMBER_MAX + 4];

	nx_json_key(w, key);
	nx_json_digits(w, us_text(digits, ns));
}

static void put_event(struct walk *walk, const struct nx_track *track, uint32_t id,
		      const struct nx_span *span)
{
	struct nx_json_writer *w = &walk->w;

	nx_json_begin_object(w);
	nx_json_key_u64(w, "pid", process_of(walk, id)->pid);
	nx_json_key_u64(w, "tid", id);
	nx_json_key(w, "name");
	nx_json_slice(w, nx_timeline_name(walk->timeline, span->name));
	nx_xprof_put_us(w, "ts", span->start_ns - walk->zero_ns);
	nx_xprof_put_us(w, "dur", span->end_ns - span->start_ns);
	if (track->keys[0] < NX_SCHEMA_TABLE_COUNT)
		nx_json_key_u64(w, "z", nx_xprof_event_number(track->keys[0], span->row));
	nx_json_key_text(w, "ph", "X");
	nx_json_end_object(w);
}

static void begin_metadata(struct nx_json_writer *w, const char *name, uint32_t pid)
{
	nx_json_begin_object(w);
	nx_json_key_text(w, "ph", "M");
	nx_json_key_text(w, "name", name);
	nx_json_key_u64(w, "pid", pid);
}

static void end_metadata_text(struct nx_json_writer *w, struct nx_slice text)
{
	nx_json_key(w, "args");
	nx_json_begin_object(w);
	nx_json_key(w, "name");
	nx_json_slice(w, text);
	nx_json_end_object(w);
	nx_json_end_object(w);
}

static void end_metadata_rank(struct nx_json_writer *w, int64_t rank)
{
	nx_json_key(w, "args");
	nx_json_begin_object(w);
	nx_json_key_i64(w, "sort_index", rank);
	nx_json_end_object(w);
	nx_json_end_object(w);
}

static struct nx_slice thread_name(const struct nx_track *track)
{
	struct nx_slice name = attribute_of(track, "thread_name");

	return name.len ? name : track->name;
}

static void put_names(struct walk *walk)
{
	struct nx_json_writer *w = &walk->w;
	uint32_t count = nx_timeline_track_count(walk->timeline);

	for (size_t i = 0; i < walk->processes->count; i++) {
		const struct nx_xprof_process *process = &walk->processes->items[i];

		if (!is_chosen(walk, process->track))
			continue;
		begin_metadata(w, "process_name", process->pid);
		end_metadata_text(w, process->name);
		begin_metadata(w, "process_sort_index", process->pid);
		end_metadata_rank(w, process->pid);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct nx_track track;

		nx_timeline_track(walk->timeline, i, &track);
		if (track.kind != NX_TRACK_SPANS || !is_chosen(walk, i))
			continue;
		begin_metadata(w, "thread_name", process_of(walk, i)->pid);
		nx_json_key_u64(w, "tid", i);
		end_metadata_text(w, thread_name(&track));
		begin_metadata(w, "thread_sort_index", process_of(walk, i)->pid);
		nx_json_key_u64(w, "tid", i);
		end_metadata_rank(w, track.rank);
	}
}

/* One record for all samples of a counter, as XProf groups them. */
static void put_samples(struct walk *walk, const struct nx_track *track, uint32_t id,
			const struct nx_counter_bucket *buckets, uint32_t count)
{
	uint64_t range_ns = walk->to_ns - walk->from_ns;
	struct nx_json_writer *w = &walk->w;

	nx_json_begin_object(w);
	nx_json_key_u64(w, "pid", process_of(walk, id)->pid);
	nx_json_key(w, "name");
	nx_json_slice(w, track->name);
	nx_json_key_text(w, "ph", "C");
	nx_json_key(w, "event_stats");
	nx_json_slice(w, track->unit.len ? track->unit : nx_slice_text("value"));
	nx_json_key(w, "entries");
	nx_json_begin_array(w);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at_ns = (uint64_t)((unsigned __int128)range_ns * i / count);
		char digits[NX_NUMBER_MAX + 4];

		if (!buckets[i].has_value || (i && !buckets[i].count))
			continue;
		nx_json_begin_array(w);
		nx_json_digits(w, us_text(digits, walk->from_ns - walk->zero_ns + at_ns));
		nx_json_f64(w, buckets[i].last);
		nx_json_end_array(w);
		walk->sample_count++;
	}
	nx_json_end_array(w);
	nx_json_end_object(w);
}

static enum nx_status put_counters(struct walk *walk, struct nx_error *err)
{
	uint32_t count = nx_timeline_track_count(walk->timeline);
	uint64_t parts = walk->choice->resolution ? walk->choice->resolution : NX_XPROF_RESOLUTION;
	struct nx_counter_bucket *buckets = nx_heap_alloc(parts * sizeof(*buckets));
	enum nx_status st = NX_OK;

	for (uint32_t i = 0; i < count && !st; i++) {
		struct nx_timeline_window window = {i, 0, walk->from_ns, walk->to_ns,
						    (uint32_t)parts};
		struct nx_track track;

		nx_timeline_track(walk->timeline, i, &track);
		if (track.kind != NX_TRACK_COUNTER || !is_chosen(walk, i) ||
		    walk->choice->prefix.len)
			continue;
		st = nx_timeline_counter(walk->timeline, &window, buckets, err);
		if (!st)
			put_samples(walk, &track, i, buckets, (uint32_t)parts);
		if (!st)
			st = go_on(walk, err);
	}
	nx_heap_free(buckets);
	return st;
}

/* What the viewer reads before the events. */
static void put_head(struct walk *walk)
{
	struct nx_json_writer *w = &walk->w;

	nx_json_key_text(w, "displayTimeUnit", "ns");
	nx_json_key(w, "metadata");
	nx_json_begin_object(w);
	nx_json_key_bool(w, "highres-ticks", true);
	nx_json_end_object(w);
	nx_json_key_text(w, "codeLink", "");
	nx_json_key_bool(w, "useNewBackend", true);
	nx_json_key(w, "details");
	nx_json_begin_array(w);
	nx_json_end_array(w);
	nx_json_key_u64(w, "returnedEventsSize", walk->shown_count);
	nx_json_key_bool(w, "filteredByVisibility", walk->is_filtered);
	nx_json_key(w, "fullTimespan");
	nx_json_begin_array(w);
	nx_json_f64(w, 0);
	nx_json_f64(w, (double)(walk->end_ns - walk->zero_ns) / NS_PER_MS);
	nx_json_end_array(w);
	nx_json_key(w, "tasks");
	nx_json_begin_array(w);
	nx_json_end_array(w);
	nx_json_key(w, "stackFrames");
	nx_json_begin_object(w);
	nx_json_end_object(w);
}

enum nx_status nx_xprof_trace_json(const struct nx_timeline *timeline,
				   const struct nx_xprof_processes *processes,
				   const struct nx_xprof_choice *choice, struct nx_bytes *body,
				   struct nx_error *err)
{
	struct walk walk = {.timeline = timeline, .processes = processes, .choice = choice};
	enum nx_status st = begin(&walk, err);

	if (st)
		return st;
	nx_json_init_bytes(&walk.w, body, false);
	nx_json_begin_object(&walk.w);
	put_head(&walk);
	nx_json_key(&walk.w, "traceEvents");
	nx_json_begin_array(&walk.w);
	put_names(&walk);
	walk.fn = put_event;
	st = walk_events(&walk, err);
	if (!st)
		st = put_counters(&walk, err);
	nx_json_end_array(&walk.w);
	nx_json_key_bool(&walk.w, "showCounterMessage", false);
	nx_json_key_u64(&walk.w, "totalCounterEvents", walk.sample_count);
	nx_json_end_object(&walk.w);
	return st;
}

/* --- CSV ------------------------------------------------------------------------ */

static void put_line(struct walk *walk, const struct nx_track *track, uint32_t id,
		     const struct nx_span *span)
{
	const struct nx_xprof_process *process = process_of(walk, id);
	char start[NX_NUMBER_MAX + 4], length[NX_NUMBER_MAX + 4];
	struct nx_value row[] = {
		{.kind = NX_VALUE_TEXT, .text = process->host},
		{.kind = NX_VALUE_TEXT, .text = process->name},
		{.kind = NX_VALUE_TEXT, .text = thread_name(track)},
		{.kind = NX_VALUE_TEXT, .text = nx_timeline_name(walk->timeline, span->name)},
		{.kind = NX_VALUE_DIGITS, .text = us_text(start, span->start_ns - walk->zero_ns)},
		{.kind = NX_VALUE_DIGITS, .text = us_text(length, span->end_ns - span->start_ns)},
	};

	nx_csv_append_row_safe(walk->body, row, sizeof(row) / sizeof(row[0]));
}

enum nx_status nx_xprof_trace_csv(const struct nx_timeline *timeline,
				  const struct nx_xprof_processes *processes,
				  const struct nx_xprof_choice *choice, struct nx_bytes *body,
				  struct nx_error *err)
{
	static const char head[] = "host,process,thread,name,start_us,duration_us\n";
	struct walk walk = {
		.timeline = timeline, .processes = processes, .choice = choice, .body = body};
	enum nx_status st = begin(&walk, err);

	if (st)
		return st;
	nx_bytes_append(body, head, sizeof(head) - 1);
	walk.fn = put_line;
	return walk_events(&walk, err);
}
