/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/session_space.h"

#include <stdlib.h>

#include "base/lanes.h"
#include "runtime/session/session_internal.h"

#define EVENT_BUFFER_BYTES ((size_t)1 << 20)
#define FIRST_LANE_ID (INT64_C(1) << 32)

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
	nx_vec_release(&s->input);
	nx_map_release(&s->planes);
	nx_map_release(&s->lines);
	nx_arena_release(&s->arena);
	nx_arena_release(&s->events);
	nx_arena_release(&s->piece);
	nx_heap_free(s);
}

/* --- order and names --------------------------------------------------------- */

static int in_order(const void *left, const void *right)
{
	const struct nx_session_event *a = left, *b = right;

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

static const char *line_name(struct nx_session_space *s, const struct nx_session_event *e,
			     size_t lane)
{
	const char *name;
	uint64_t at;

	if (e->plane >= NX_SESSION_FIRST_CORE_PLANE)
		name = "Executions";
	else if (e->line == NX_SESSION_COUNTER_LINE)
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

/* --- planes and lines -------------------------------------------------------- */

static uint32_t plane_of(struct nx_session_space *s, struct nx_xspace_writer *w, uint32_t plane)
{
	const char *name = NX_XPLANE_HOST;
	uint64_t handle;

	if (nx_map_get(&s->planes, plane, &handle))
		return (uint32_t)handle;
	if (plane == NX_SESSION_RUNTIME_PLANE)
		name = NX_XPLANE_RUNTIME;
	else if (plane >= NX_SESSION_FIRST_CORE_PLANE)
		name = nx_arena_printf(&s->piece, NX_XPLANE_CORE "%u",
				       plane - NX_SESSION_FIRST_CORE_PLANE);
	handle = nx_xspace_writer_plane(w, plane, name);
	nx_map_put(&s->planes, plane, handle);
	return (uint32_t)handle;
}

static uint32_t line_of(struct nx_session_space *s, struct nx_xspace_writer *w,
			const struct nx_session_event *e, size_t lane)
{
	const uint64_t words[] = {e->plane, (uint64_t)e->line, lane};
	uint64_t key = nx_hash_words(words, 3), handle;

	if (nx_map_get(&s->lines, key, &handle))
		return (uint32_t)handle;
	handle = nx_xspace_writer_line(w, plane_of(s, w, e->plane),
				       lane ? s->next_lane_id++ : e->line, line_name(s, e, lane));
	nx_map_put(&s->lines, key, handle);
	return (uint32_t)handle;
}

static void write_events(struct nx_session_space *s, struct nx_xspace_writer *w)
{
	const struct nx_session_event *events = s->done.items;
	struct nx_lanes layout = {0};

	for (size_t i = 0; i < s->done.len; i++) {
		const struct nx_session_event *e = &events[i];
		size_t lane;

		if (i && (e[-1].plane != e->plane || e[-1].line != e->line)) {
			nx_lanes_finish(&layout, ignore_end, NULL);
			layout = (struct nx_lanes){0};
		}
		lane = nx_lanes_put(&layout, e->start_ns, e->end_ns, ignore_end, NULL);
		nx_xspace_writer_event(w, line_of(s, w, e, lane), e->name, e->start_ns, e->end_ns,
				       e->stats, e->stat_count);
	}
	nx_lanes_finish(&layout, ignore_end, NULL);
}

/* --- the space --------------------------------------------------------------- */

static void sum_up(struct nx_session_space *s, const struct nx_session_event *e)
{
	struct nx_session_summary *sum = &s->summary;
	uint64_t took_ns = e->end_ns - e->start_ns;

	sum->event_count++;
	if (e->is_step) {
		if (!sum->step_count++ || took_ns < sum->step_min_ns)
			sum->step_min_ns = took_ns;
		if (took_ns > sum->step_max_ns)
			sum->step_max_ns = took_ns;
		sum->step_sum_ns += took_ns;
	}
	if (e->plane < NX_SESSION_FIRST_CORE_PLANE)
		return;
	sum->busy_ns += took_ns;
	if (e->plane - NX_SESSION_FIRST_CORE_PLANE < NX_SESSION_MAX_CORES &&
	    !s->has_core[e->plane - NX_SESSION_FIRST_CORE_PLANE]) {
		s->has_core[e->plane - NX_SESSION_FIRST_CORE_PLANE] = 1;
		sum->core_count++;
	}
}

/* What was read goes to the writer, if there is one, and out of memory. */
static void pass_on(struct nx_session_space *s, struct nx_xspace_writer *w)
{
	if (s->done.len)
		qsort(s->done.items, s->done.len, sizeof(*s->done.items), in_order);
	for (size_t i = 0; i < s->done.len; i++)
		sum_up(s, &s->done.items[i]);
	if (w) {
		nx_xspace_writer_cut(w);
		write_events(s, w);
	}
	nx_session_events_forget(s);
}

static void begin_space(struct nx_session_space *s, struct nx_xspace_writer *w)
{
	nx_map_release(&s->planes);
	nx_map_release(&s->lines);
	s->next_lane_id = FIRST_LANE_ID;
	(void)plane_of(s, w, NX_SESSION_HOST_PLANE); /* also of a space without events */
}

/* The first piece was read already. */
static void read_rest(struct nx_session_space *s, struct nx_xspace_writer *w, bool has_more,
		      bool is_end)
{
	while (has_more) {
		pass_on(s, w);
		has_more = nx_session_events_next(s);
	}
	if (is_end)
		nx_session_events_end(s);
	pass_on(s, w);
	if (w)
		describe_host(s, w, plane_of(s, w, NX_SESSION_HOST_PLANE));
}

static void write_bytes(void *context, const void *data, size_t len)
{
	nx_bytes_append(context, data, len);
}

enum nx_status nx_session_space_read(struct nx_session_space *s, bool is_end, struct nx_bytes *out,
				     struct nx_error *err)
{
	struct nx_xspace_writer_options how = {
		.write = write_bytes, .context = out, .buffer_bytes = EVENT_BUFFER_BYTES};
	bool has_more = nx_session_events_next(s);
	struct nx_xspace_writer *w = nx_xspace_writer_new(&how);

	begin_space(s, w);
	read_rest(s, w, has_more, is_end);
	return nx_xspace_writer_finish(w, err);
}

/* --- a whole session ------------------------------------------------------------ */

static uint64_t first_ns(const struct nx_session_events *events, uint64_t least)
{
	for (size_t i = 0; i < events->len; i++)
		if (events->items[i].start_ns < least)
			least = events->items[i].start_ns;
	return least;
}

static void describe_task(struct nx_xspace_writer *w, uint64_t start_ns, uint64_t stop_ns)
{
	uint32_t plane = nx_xspace_writer_plane(w, 0, NX_XPLANE_TASK);

	nx_xspace_writer_stat(
		w, plane,
		&(struct nx_xspace_attribute){NX_XSTAT_START_TIME,
					      {.kind = NX_XSTAT_U64, .integer = start_ns}});
	nx_xspace_writer_stat(
		w, plane,
		&(struct nx_xspace_attribute){NX_XSTAT_STOP_TIME,
					      {.kind = NX_XSTAT_U64, .integer = stop_ns}});
}

enum nx_status nx_session_space_save(struct nx_session_space *s,
				     const struct nx_session_target *target,
				     struct nx_session_summary *summary, struct nx_error *err)
{
	bool has_more = nx_session_events_next(s);
	/* files are nearly in order of time: the earliest event is in the first piece */
	uint64_t start_ns = first_ns(&s->open, first_ns(&s->done, target->start_ns));
	struct nx_xspace_writer_options how = {.write = target->write,
					       .context = target->context,
					       .buffer_bytes = EVENT_BUFFER_BYTES,
					       .max_bytes = target->max_bytes};
	struct nx_xspace_writer *w = NULL;
	enum nx_status st = NX_OK;

	if (start_ns == UINT64_MAX) /* no event at all */
		start_ns = target->stop_ns;
	how.start_ns = start_ns;
	if (target->write) {
		w = nx_xspace_writer_new(&how);
		begin_space(s, w);
		describe_task(w, start_ns, target->stop_ns);
		nx_xspace_writer_host(w, target->hostname);
	}
	read_rest(s, w, has_more, true);
	if (w)
		st = nx_xspace_writer_finish(w, err);
	if (summary)
		*summary = s->summary;
	return st;
}
