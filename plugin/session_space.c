/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/session_space.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lanes.h"
#include "base/map.h"
#include "format/spans.h"

#define MAX_STATS 40
#define HOST_PLANE 0
#define RUNTIME_PLANE 1
#define FIRST_CORE_PLANE 2
#define COUNTER_LINE 0 /* no thread has this id */
#define FIRST_LANE_ID (INT64_C(1) << 32)

struct event {
	uint32_t plane; /* HOST_PLANE and so on */
	int64_t line;	/* thread id */
	uint64_t start_ns, end_ns;
	const char *name;
	struct nx_xspace_attribute *stats;
	size_t stat_count, stat_room;
	uint64_t key; /* of one that is open: what ends it */
};

struct events NX_VEC_BODY(struct event);

struct name { /* a definition of spans.pb */
	const char *text, *file;
	uint64_t line;
};

struct nx_session_space {
	const char *folder, *warning;
	uint64_t spans_at, trace_at; /* where the next reading starts */
	struct nx_map name_ids;	     /* of definitions -> index */
	struct nx_space_names NX_VEC_BODY(struct name) names;
	struct nx_map thread_ids;
	struct nx_space_texts NX_VEC_BODY(const char *) thread_names;
	struct events open;
	struct nx_arena arena;	/* names */
	struct nx_arena events; /* those of this reading, and those that are still open */
	uint64_t lost_count;
	struct events done;    /* of this reading */
	struct nx_arena piece; /* what is not needed after it */
};

struct nx_session_space *nx_session_space_new(const char *folder, const char *warning)
{
	struct nx_session_space *s = nx_heap_alloc(sizeof(*s));

	*s = (struct nx_session_space){0};
	s->folder = nx_arena_copy_text(&s->arena, folder);
	s->warning = warning ? nx_arena_copy_text(&s->arena, warning) : NULL;
	return s;
}

void nx_session_space_free(struct nx_session_space *s)
{
	if (!s)
		return;
	nx_map_release(&s->name_ids);
	nx_map_release(&s->thread_ids);
	nx_vec_release(&s->names);
	nx_vec_release(&s->thread_names);
	nx_vec_release(&s->open);
	nx_vec_release(&s->done);
	nx_arena_release(&s->arena);
	nx_arena_release(&s->events);
	nx_arena_release(&s->piece);
	nx_heap_free(s);
}

/* --- events ---------------------------------------------------------------- */

static struct nx_slice keep_slice(struct nx_arena *arena, struct nx_slice text)
{
	return nx_slice_of(nx_arena_copy(arena, text), text.len);
}

static void add_stat(struct nx_session_space *s, struct event *e, const char *name,
		     struct nx_xstat value)
{
	if (e->stat_count == MAX_STATS)
		return;
	if (e->stat_count == e->stat_room) {
		size_t room = e->stat_room ? 2 * e->stat_room : 4;
		struct nx_xspace_attribute *more =
			NX_NEW_ARRAY(&s->events, struct nx_xspace_attribute, room);

		if (e->stat_count)
			memcpy(more, e->stats, e->stat_count * sizeof(*more));
		e->stats = more;
		e->stat_room = room;
	}
	if (value.kind == NX_XSTAT_TEXT) /* the file is unmapped before the event is written */
		value.text = keep_slice(&s->events, value.text);
	e->stats[e->stat_count++] = (struct nx_xspace_attribute){name, value};
}

/* Forgets the events of this reading, but not those that have not ended. */
static void keep_open(struct nx_session_space *s)
{
	struct nx_arena kept = {0};

	for (size_t i = 0; i < s->open.len; i++) {
		struct event *e = &s->open.items[i];

		e->name = nx_arena_copy_text(&kept, e->name);
		if (!e->stat_count)
			continue;
		e->stats = NX_COPY_ARRAY(&kept, e->stats, e->stat_count);
		e->stat_room = e->stat_count;
		for (size_t k = 0; k < e->stat_count; k++) {
			e->stats[k].name = nx_arena_copy_text(&kept, e->stats[k].name);
			if (e->stats[k].value.kind == NX_XSTAT_TEXT)
				e->stats[k].value.text = keep_slice(&kept, e->stats[k].value.text);
		}
	}
	nx_arena_release(&s->events);
	s->events = kept;
	nx_arena_reset(&s->piece);
}

/* The latest that is open under this key; NULL if there is none. */
static struct event *find_open(struct nx_session_space *s, uint64_t key)
{
	for (size_t i = s->open.len; i-- > 0;)
		if (s->open.items[i].key == key)
			return &s->open.items[i];
	return NULL;
}

static void finish(struct nx_session_space *s, struct event *e, uint64_t end_ns)
{
	e->end_ns = end_ns < e->start_ns ? e->start_ns : end_ns;
	nx_vec_push(&s->done, *e);
	*e = s->open.items[--s->open.len];
}

static struct nx_slice next_bytes(const struct nx_session_space *s, const char *name,
				  struct nx_file *file)
{
	char path[1536];

	snprintf(path, sizeof(path), "%s/%s", s->folder, name);
	*file = (struct nx_file){0};
	if (access(path, R_OK) || nx_file_map(file, path, NULL))
		return (struct nx_slice){0};
	return file->bytes;
}

/* --- spans.pb -------------------------------------------------------------- */

static const char *name_of(struct nx_session_space *s, uint64_t number)
{
	uint64_t at;

	return nx_map_get(&s->name_ids, number, &at) ? s->names.items[at].text : "";
}

static void define(struct nx_session_space *s, const struct nx_spans_record *r)
{
	struct name name = {.text = nx_arena_copy(&s->arena, r->text),
			    .file = r->file.len ? nx_arena_copy(&s->arena, r->file) : NULL,
			    .line = r->line};

	nx_map_put(&s->name_ids, r->name, s->names.len);
	nx_vec_push(&s->names, name);
}

static void name_thread(struct nx_session_space *s, const struct nx_spans_record *r)
{
	nx_map_put(&s->thread_ids, r->thread_id, s->thread_names.len);
	nx_vec_push(&s->thread_names, nx_arena_copy(&s->arena, r->text));
}

static void add_attributes(struct nx_session_space *s, struct event *e,
			   const struct nx_spans_record *r)
{
	for (size_t i = 0; i < r->attributes.count; i++) {
		const struct nx_spans_attribute *a = &r->attributes.items[i];
		struct nx_xstat value = {.kind = NX_XSTAT_I64, .integer = a->integer};

		if (a->type == NX_SPANS_U64)
			value.kind = NX_XSTAT_U64;
		else if (a->type == NX_SPANS_F64)
			value = (struct nx_xstat){.kind = NX_XSTAT_F64, .f64 = a->number};
		else if (a->type == NX_SPANS_TEXT)
			value = (struct nx_xstat){.kind = NX_XSTAT_TEXT, .text = a->text};
		else if (a->type == NX_SPANS_NAME)
			value = (struct nx_xstat){.kind = NX_XSTAT_TEXT,
						  .text = nx_slice_text(name_of(s, a->integer))};
		add_stat(s, e, name_of(s, a->key), value);
	}
}

static struct event span_of(struct nx_session_space *s, const struct nx_spans_record *r)
{
	struct event e = {.plane = HOST_PLANE,
			  .line = (int64_t)r->thread_id,
			  .start_ns = r->time_ns,
			  .end_ns = r->time_ns,
			  .key = r->id,
			  .name = r->text.len ? nx_arena_copy(&s->events, r->text)
					      : name_of(s, r->name)};
	uint64_t at;

	if (r->is_step) { /* as XProf marks the root of a step */
		add_stat(s, &e, "step_num",
			 (struct nx_xstat){.kind = NX_XSTAT_I64, .integer = (uint64_t)r->step_num});
		add_stat(s, &e, "_r", (struct nx_xstat){.kind = NX_XSTAT_I64, .integer = 1});
	}
	add_attributes(s, &e, r);
	if (nx_map_get(&s->name_ids, r->name, &at) && s->names.items[at].file) {
		char place[1200];

		snprintf(place, sizeof(place), "%.1000s:%llu", s->names.items[at].file,
			 (unsigned long long)s->names.items[at].line);
		add_stat(s, &e, "source",
			 (struct nx_xstat){.kind = NX_XSTAT_TEXT, .text = nx_slice_text(place)});
	}
	return e;
}

static void add_flow(struct nx_session_space *s, const struct nx_spans_record *r)
{
	enum nx_xflow_direction direction =
		r->what == NX_SPANS_FLOW_OUT ? NX_XFLOW_OUT : NX_XFLOW_IN;

	for (size_t i = s->open.len; i-- > 0;) {
		struct event *e = &s->open.items[i];

		if (e->plane != HOST_PLANE || e->line != (int64_t)r->thread_id)
			continue;
		add_stat(s, e, "flow",
			 (struct nx_xstat){.kind = NX_XSTAT_U64,
					   .integer = nx_xflow_make(r->flow, direction)});
		return;
	}
}

static void take_span(struct nx_session_space *s, const struct nx_spans_record *r)
{
	struct event e, *open;

	switch (r->what) {
	case NX_SPANS_DEFINITION:
		define(s, r);
		break;
	case NX_SPANS_THREAD:
		name_thread(s, r);
		break;
	case NX_SPANS_BEGIN:
		nx_vec_push(&s->open, span_of(s, r));
		break;
	case NX_SPANS_END:
		open = find_open(s, r->id);
		if (!open)
			break;
		add_attributes(s, open, r);
		finish(s, open, r->time_ns);
		break;
	case NX_SPANS_COMPLETE:
	case NX_SPANS_INSTANT:
		e = span_of(s, r);
		e.end_ns = r->what == NX_SPANS_COMPLETE && r->end_ns > r->time_ns ? r->end_ns
										  : r->time_ns;
		nx_vec_push(&s->done, e);
		break;
	case NX_SPANS_COUNTER:
		e = (struct event){.plane = HOST_PLANE,
				   .line = COUNTER_LINE,
				   .start_ns = r->time_ns,
				   .end_ns = r->time_ns,
				   .name = name_of(s, r->name)};
		add_stat(s, &e, NX_XSTAT_COUNTER_VALUE,
			 (struct nx_xstat){.kind = NX_XSTAT_F64, .f64 = r->value});
		nx_vec_push(&s->done, e);
		break;
	case NX_SPANS_FLOW_OUT:
	case NX_SPANS_FLOW_IN:
		add_flow(s, r);
		break;
	case NX_SPANS_COUNTS:
		s->lost_count = r->lost_count;
		break;
	default:
		break;
	}
}

static void read_spans(struct nx_session_space *s)
{
	struct nx_file file;
	struct nx_ntrace_stream stream = {.file = next_bytes(s, NX_SPANS_FILE, &file),
					  .at = s->spans_at};
	struct nx_slice record;
	struct nx_spans_record r;

	while (nx_ntrace_next(&stream, &record))
		if (!nx_wire_decode(&nx_spans_record_message, record, &r, &s->piece, NULL, NULL))
			take_span(s, &r);
	s->spans_at = stream.at; /* a torn record is not complete yet */
	nx_file_unmap(&file);
}

/* --- ntrace.pb ------------------------------------------------------------- */

static void add_texts(struct nx_session_space *s, struct event *e, struct nx_slice record)
{
	struct nx_ntrace_attribute attributes[MAX_STATS];
	size_t count = nx_ntrace_read_attributes(record, attributes, MAX_STATS);

	for (size_t i = 0; i < count && i < MAX_STATS; i++) {
		const char *key = nx_arena_copy(&s->events, attributes[i].key);
		uint64_t number;
		struct nx_xstat value = {.kind = NX_XSTAT_TEXT, .text = attributes[i].value};

		if (nx_slice_to_u64(attributes[i].value, &number))
			value = (struct nx_xstat){.kind = number > INT64_MAX ? NX_XSTAT_U64
									     : NX_XSTAT_I64,
						  .integer = number};
		add_stat(s, e, key, value);
	}
}

static void take_trace(struct nx_session_space *s, struct nx_slice record,
		       const struct nx_ntrace_head *head)
{
	uint64_t words[] = {head->event_type, head->tracking_id, ~(uint64_t)0};
	const char *known = nx_ntrace_event_name(head->event_type);
	struct event e = {.start_ns = head->timestamp_ns,
			  .end_ns = head->timestamp_ns,
			  .line = (int64_t)head->thread_id,
			  .key = nx_hash_words(words, 3)};
	struct event *open = head->phase == NX_PHASE_STOP ? find_open(s, e.key) : NULL;

	if (open) {
		add_texts(s, open, record);
		finish(s, open, head->timestamp_ns);
		return;
	}
	e.name = known ? known
		       : nx_arena_printf(&s->events, "event %llu",
					 (unsigned long long)head->event_type);
	e.plane = RUNTIME_PLANE;
	if (known && nx_ntrace_is_hardware(known)) {
		e.plane = FIRST_CORE_PLANE + (uint32_t)(head->nc_idx > 0 ? head->nc_idx : 0);
		e.line = 1;
	}
	add_texts(s, &e, record);
	if (head->phase == NX_PHASE_START)
		nx_vec_push(&s->open, e);
	else
		nx_vec_push(&s->done, e);
}

static void read_trace(struct nx_session_space *s)
{
	struct nx_file file;
	struct nx_ntrace_stream stream = {.file = next_bytes(s, "ntrace.pb", &file),
					  .at = s->trace_at};
	struct nx_ntrace_head head;
	struct nx_slice record;

	while (nx_ntrace_next(&stream, &record))
		if (nx_ntrace_read_head(record, &head) && head.timestamp_ns)
			take_trace(s, record, &head);
	s->trace_at = stream.at;
	nx_file_unmap(&file);
}

/* --- the space ------------------------------------------------------------- */

static int in_order(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->plane != b->plane)
		return a->plane < b->plane ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return a->end_ns == b->end_ns ? 0 : a->end_ns > b->end_ns ? -1 : 1;
}

static void ignore_end(void *context, size_t lane, uint64_t end)
{
	(void)context;
	(void)lane;
	(void)end;
}

static const char *line_name(struct nx_session_space *s, const struct event *e, size_t lane)
{
	const char *name;
	uint64_t at;

	if (e->plane >= FIRST_CORE_PLANE)
		name = "Executions";
	else if (e->line == COUNTER_LINE)
		name = NX_XLINE_COUNTERS;
	else if (nx_map_get(&s->thread_ids, (uint64_t)e->line, &at))
		name = s->thread_names.items[at];
	else
		name = nx_arena_printf(&s->piece, "thread %lld", (long long)e->line);
	return lane ? nx_arena_printf(&s->piece, "%s lane %zu", name, lane + 1) : name;
}

static void describe_host(struct nx_session_space *s, struct nx_xspace_writer *w, uint32_t plane)
{
	/* of a plugin's space, hosts keep only the planes */
	if (s->warning)
		nx_xspace_writer_stat(
			w, plane,
			&(struct nx_xspace_attribute){"warning",
						      {.kind = NX_XSTAT_TEXT,
						       .text = nx_slice_text(s->warning)}});
	if (s->lost_count)
		nx_xspace_writer_stat(w, plane,
				      &(struct nx_xspace_attribute){"dropped_traces",
								    {.kind = NX_XSTAT_U64,
								     .integer = s->lost_count}});
}

static uint32_t begin_plane(struct nx_session_space *s, struct nx_xspace_writer *w, uint32_t plane)
{
	if (plane == HOST_PLANE)
		return nx_xspace_writer_plane(w, 0, NX_XPLANE_HOST);
	if (plane == RUNTIME_PLANE)
		return nx_xspace_writer_plane(w, RUNTIME_PLANE, NX_XPLANE_RUNTIME);
	return nx_xspace_writer_plane(w, plane,
				      nx_arena_printf(&s->piece, NX_XPLANE_CORE "%u",
						      plane - FIRST_CORE_PLANE));
}

static void write_events(struct nx_session_space *s, struct nx_xspace_writer *w)
{
	struct nx_lanes layout = {0};
	NX_VEC(uint32_t) lines = {0};
	uint32_t host = begin_plane(s, w, HOST_PLANE), plane = host;
	int64_t next_id = FIRST_LANE_ID;

	describe_host(s, w, host);
	for (size_t i = 0; i < s->done.len; i++) {
		const struct event *e = &s->done.items[i], *before = i ? e - 1 : NULL;
		size_t lane;

		if (e->plane != HOST_PLANE && (!before || before->plane != e->plane))
			plane = begin_plane(s, w, e->plane);
		if (!before || before->plane != e->plane || before->line != e->line) {
			nx_lanes_finish(&layout, ignore_end, NULL);
			layout = (struct nx_lanes){0};
			nx_vec_clear(&lines);
		}
		lane = nx_lanes_put(&layout, e->start_ns, e->end_ns, ignore_end, NULL);
		while (lines.len <= lane) {
			int64_t id = lines.len ? next_id++ : e->line;
			uint32_t line =
				nx_xspace_writer_line(w, plane, id, line_name(s, e, lines.len));

			nx_vec_push(&lines, line);
		}
		nx_xspace_writer_event(w, lines.items[lane], e->name, e->start_ns, e->end_ns,
				       e->stats, e->stat_count);
	}
	nx_lanes_finish(&layout, ignore_end, NULL);
	nx_vec_release(&lines);
}

static void write_bytes(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
}

enum nx_status nx_session_space_read(struct nx_session_space *s, bool is_end, struct nx_bytes *out,
				     struct nx_error *err)
{
	struct nx_xspace_writer_options how = {.write = write_bytes, .context = out};
	struct nx_xspace_writer *w;
	uint64_t last_ns = 0;
	enum nx_status st;

	nx_vec_clear(&s->done);
	read_spans(s);
	read_trace(s);
	for (size_t i = 0; i < s->done.len; i++)
		if (s->done.items[i].end_ns > last_ns)
			last_ns = s->done.items[i].end_ns;
	while (is_end && s->open.len) {
		struct event *e = &s->open.items[s->open.len - 1];

		add_stat(s, e, "is_unfinished",
			 (struct nx_xstat){.kind = NX_XSTAT_I64, .integer = 1});
		finish(s, e, last_ns);
	}
	if (s->done.len)
		qsort(s->done.items, s->done.len, sizeof(*s->done.items), in_order);
	w = nx_xspace_writer_new(&how);
	write_events(s, w);
	st = nx_xspace_writer_finish(w, err);
	keep_open(s);
	return st;
}
