/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a session as events: spans.pb and ntrace.pb, piece by piece. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "format/spans.h"
#include "runtime/session/session_internal.h"

#define PIECE_BYTES ((size_t)256 << 10)	  /* of a file, at a time */
#define MAX_PIECE_BYTES ((size_t)4 << 20) /* longer than any record */
#define MAX_STATS 40

/* --- events ---------------------------------------------------------------- */

static struct nx_slice keep_slice(struct nx_arena *arena, struct nx_slice text)
{
	return nx_slice_of(nx_arena_copy(arena, text), text.len);
}

static void add_stat(struct nx_session_space *s, struct nx_session_event *e, const char *name,
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

void nx_session_events_forget(struct nx_session_space *s)
{
	struct nx_arena kept = {0};

	for (size_t i = 0; i < s->open.len; i++) {
		struct nx_session_event *e = &s->open.items[i];

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
static struct nx_session_event *find_open(struct nx_session_space *s, uint64_t key)
{
	for (size_t i = s->open.len; i-- > 0;)
		if (s->open.items[i].key == key)
			return &s->open.items[i];
	return NULL;
}

static void finish(struct nx_session_space *s, struct nx_session_event *e, uint64_t end_ns)
{
	e->end_ns = end_ns < e->start_ns ? e->start_ns : end_ns;
	nx_vec_push(&s->done, *e);
	*e = s->open.items[--s->open.len];
}

/* The piece of the file from this offset on; empty at the end. */
static struct nx_slice next_bytes(struct nx_session_space *s, const char *name, uint64_t at,
				  size_t want)
{
	char path[1536];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", s->folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return (struct nx_slice){0};
	nx_vec_reserve(&s->input, want);
	len = pread(fd, s->input.items, want, (off_t)at);
	close(fd);
	return nx_slice_of(s->input.items, len > 0 ? (size_t)len : 0);
}

/* Calls take for each whole record of the next piece, and moves *at past them. False at the end:
 * a torn record is not complete yet. */
static bool read_piece(struct nx_session_space *s, const char *name, uint64_t *at,
		       void (*take)(struct nx_session_space *s, struct nx_slice record))
{
	struct nx_ntrace_stream stream = {0};
	struct nx_slice record;

	for (size_t want = PIECE_BYTES; want <= MAX_PIECE_BYTES; want *= 4) {
		stream = (struct nx_ntrace_stream){.file = next_bytes(s, name, *at, want)};
		while (nx_ntrace_next(&stream, &record))
			take(s, record);
		*at += stream.at;
		/* a record that is longer than the piece needs a larger one */
		if (stream.at || stream.file.len < want)
			break;
	}
	return stream.at > 0;
}

/* --- spans.pb -------------------------------------------------------------- */

static const char *name_of(struct nx_session_space *s, uint64_t number)
{
	uint64_t at;

	return nx_map_get(&s->name_ids, number, &at) ? s->names.items[at].text : "";
}

static void define(struct nx_session_space *s, const struct nx_spans_record *r)
{
	struct nx_session_name name = {.text = nx_arena_copy(&s->arena, r->text),
				       .file = r->file.len ? nx_arena_copy(&s->arena, r->file)
							   : NULL,
				       .line = r->line};

	nx_map_put(&s->name_ids, r->name, s->names.len);
	nx_vec_push(&s->names, name);
}

static void name_thread(struct nx_session_space *s, const struct nx_spans_record *r)
{
	nx_map_put(&s->thread_ids, r->thread_id, s->thread_names.len);
	nx_vec_push(&s->thread_names, nx_arena_copy(&s->arena, r->text));
}

static void add_attributes(struct nx_session_space *s, struct nx_session_event *e,
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

static struct nx_session_event span_of(struct nx_session_space *s, const struct nx_spans_record *r)
{
	struct nx_session_event e = {.plane = NX_SESSION_HOST_PLANE,
				     .line = (int64_t)r->thread_id,
				     .start_ns = r->time_ns,
				     .end_ns = r->time_ns,
				     .key = r->id,
				     .name = r->text.len ? nx_arena_copy(&s->events, r->text)
							 : name_of(s, r->name)};
	uint64_t at;

	e.is_step = r->is_step;
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
		struct nx_session_event *e = &s->open.items[i];

		if (e->plane != NX_SESSION_HOST_PLANE || e->line != (int64_t)r->thread_id)
			continue;
		add_stat(s, e, "flow",
			 (struct nx_xstat){.kind = NX_XSTAT_U64,
					   .integer = nx_xflow_make(r->flow, direction)});
		return;
	}
}

static void take_span(struct nx_session_space *s, const struct nx_spans_record *r)
{
	struct nx_session_event e, *open;

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
		e = (struct nx_session_event){.plane = NX_SESSION_HOST_PLANE,
					      .line = NX_SESSION_COUNTER_LINE,
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

static void take_span_record(struct nx_session_space *s, struct nx_slice record)
{
	struct nx_spans_record r;

	if (!nx_wire_decode(&nx_spans_record_message, record, &r, &s->piece, NULL, NULL))
		take_span(s, &r);
}

/* --- ntrace.pb ------------------------------------------------------------- */

static void add_texts(struct nx_session_space *s, struct nx_session_event *e,
		      struct nx_slice record)
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
	struct nx_session_event e = {.start_ns = head->timestamp_ns,
				     .end_ns = head->timestamp_ns,
				     .line = (int64_t)head->thread_id,
				     .key = nx_hash_words(words, 3)};
	struct nx_session_event *open = head->phase == NX_PHASE_STOP ? find_open(s, e.key) : NULL;

	if (open) {
		add_texts(s, open, record);
		finish(s, open, head->timestamp_ns);
		return;
	}
	e.name = known ? known
		       : nx_arena_printf(&s->events, "event %llu",
					 (unsigned long long)head->event_type);
	e.plane = NX_SESSION_RUNTIME_PLANE;
	if (known && nx_ntrace_is_hardware(known)) {
		e.plane = NX_SESSION_FIRST_CORE_PLANE +
			  (uint32_t)(head->nc_idx > 0 ? head->nc_idx : 0);
		e.line = 1;
	}
	add_texts(s, &e, record);
	if (head->phase == NX_PHASE_START)
		nx_vec_push(&s->open, e);
	else
		nx_vec_push(&s->done, e);
}

static void take_trace_record(struct nx_session_space *s, struct nx_slice record)
{
	struct nx_ntrace_head head;

	if (nx_ntrace_read_head(record, &head) && head.timestamp_ns)
		take_trace(s, record, &head);
}

/* --- both files ---------------------------------------------------------------- */

bool nx_session_events_next(struct nx_session_space *s)
{
	bool has_spans, has_trace;

	nx_vec_clear(&s->done);
	has_spans = read_piece(s, NX_SPANS_FILE, &s->spans_at, take_span_record);
	has_trace = read_piece(s, "ntrace.pb", &s->trace_at, take_trace_record);
	for (size_t i = 0; i < s->done.len; i++)
		if (s->done.items[i].end_ns > s->last_ns)
			s->last_ns = s->done.items[i].end_ns;
	return has_spans || has_trace;
}

void nx_session_events_end(struct nx_session_space *s)
{
	while (s->open.len) {
		struct nx_session_event *e = &s->open.items[s->open.len - 1];

		add_stat(s, e, "is_unfinished",
			 (struct nx_xstat){.kind = NX_XSTAT_I64, .integer = 1});
		finish(s, e, s->last_ns);
	}
}
