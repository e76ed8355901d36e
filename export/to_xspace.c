/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system profile as an XSpace: a plane for the threads of the hosts, one for the runtime's calls
 * of each process and one for each core. Rows that came from another profiler's device keep its
 * plane. XProf draws flows from the stat "flow" and finds steps by "_r" and "step_num".
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/lanes.h"
#include "export/exporters.h"
#include "format/xspace_writer.h"
#include "model/sorted_rows.h"
#include "model/system_event.h"

/* Lanes, and threads of several processes with one id, get ids from here on. */
#define FIRST_OWN_ID (INT64_C(1) << 32)
#define COUNTER_LINE 0 /* no thread has this id */

struct row {
	uint32_t plane;
	struct nx_lanes layout;
	struct nx_xspace_lanes NX_VEC_BODY(uint32_t) lines; /* by lane */
	int64_t id;
	const char *name;
};

struct xspace_export {
	const struct nx_system_profile *profile;
	const struct nx_system_export_options *options;
	struct nx_xspace_writer *w;
	struct nx_event_reader reader;
	struct nx_text_map planes; /* name -> handle */
	struct nx_map rows;	   /* origin -> index */
	struct nx_map taken;	   /* ids of a plane's lines */
	struct nx_map counter_names;
	int64_t next_id; /* of a line whose id is taken */
	uint32_t process;
	NX_VEC(struct row) all;
	struct nx_arena arena;
};

/* --- planes and lines ------------------------------------------------------ */

static uint32_t plane_of(struct xspace_export *x, const char *name)
{
	uint64_t plane;

	if (nx_text_map_get(&x->planes, nx_slice_text(name), &plane))
		return (uint32_t)plane;
	/* viewers number processes by it; the host, which comes first, has 0 */
	plane = nx_xspace_writer_plane(x->w, (int64_t)x->planes.len, name);
	nx_text_map_put(&x->planes, nx_slice_text(nx_arena_copy_text(&x->arena, name)), plane);
	return (uint32_t)plane;
}

/* Several processes have a core 0 each. */
static const char *with_process(struct xspace_export *x, uint32_t process, const char *name)
{
	const struct nx_system_process *p = &x->profile->processes[process];

	if (x->profile->process_count == 1)
		return name;
	return nx_arena_printf(&x->arena, "%s (%s pid %" PRIu64 ")", name, p->instance_id, p->pid);
}

static uint32_t choose_plane(struct xspace_export *x, const struct nx_system_event *e,
			     const struct nx_thread_name *thread)
{
	if (thread && thread->plane)
		return plane_of(x, with_process(x, e->process, thread->plane));
	if (e->source == NX_SOURCE_FRAMEWORK)
		return plane_of(x, NX_XPLANE_HOST);
	if (e->source == NX_SOURCE_RUNTIME)
		return plane_of(x, with_process(x, e->process, NX_XPLANE_RUNTIME));
	return plane_of(x, with_process(x, e->process,
					nx_arena_printf(&x->arena, NX_XPLANE_CORE "%d",
							e->nc_idx < 0 ? 0 : e->nc_idx)));
}

static const char *row_name(struct xspace_export *x, const struct nx_system_event *e,
			    const struct nx_thread_name *thread)
{
	const char *name;

	if (e->source == NX_SOURCE_HARDWARE)
		return "Executions";
	if (thread && thread->line)
		return thread->line;
	if (e->stream_id != UINT32_MAX)
		name = nx_arena_printf(&x->arena, "stream %u", e->stream_id);
	else if (thread)
		name = thread->name;
	else
		name = nx_arena_printf(&x->arena, "thread %" PRIu64, e->thread_id);
	/* the host's plane is shared */
	return e->source == NX_SOURCE_FRAMEWORK ? with_process(x, e->process, name) : name;
}

/* The wished id, or one that no other line of the plane has. */
static int64_t take_id(struct xspace_export *x, uint32_t plane, int64_t id)
{
	for (;;) {
		uint64_t words[] = {plane, (uint64_t)id}, key = nx_hash_words(words, 2);

		if (!nx_map_get(&x->taken, key, NULL)) {
			nx_map_put(&x->taken, key, 1);
			return id;
		}
		id = x->next_id++;
	}
}

static struct row *row_of(struct xspace_export *x, const struct nx_system_event *e)
{
	bool is_core = e->source == NX_SOURCE_HARDWARE;
	uint64_t origin[] = {is_core ? 0 : e->thread_id, e->process,
			     (uint64_t)(uint32_t)(is_core ? e->nc_idx : 0) << 32 | e->stream_id,
			     e->source};
	uint64_t key = nx_hash_words(origin, sizeof(origin) / sizeof(origin[0])), at;
	const struct nx_thread_name *thread;
	struct row row = {0};

	if (nx_map_get(&x->rows, key, &at))
		return &x->all.items[at];
	thread = nx_system_thread_of(&x->profile->processes[e->process], e->thread_id);
	row.plane = choose_plane(x, e, thread);
	row.name = row_name(x, e, thread);
	row.id = is_core		  ? 1
		 : thread && thread->line ? (int64_t)(uint32_t)e->thread_id
					  : (int64_t)e->thread_id;
	nx_map_put(&x->rows, key, x->all.len);
	nx_vec_push(&x->all, row);
	return &x->all.items[x->all.len - 1];
}

static void ignore_end(void *context, size_t lane, uint64_t end)
{
	(void)context;
	(void)lane;
	(void)end;
}

/* Events of a line must nest; what only overlaps goes to another line. */
static uint32_t line_of(struct xspace_export *x, const struct nx_system_event *e, uint64_t end_ns)
{
	struct row *row = row_of(x, e);
	size_t lane = nx_lanes_put(&row->layout, e->start_ns, end_ns, ignore_end, NULL);

	while (row->lines.len <= lane) {
		bool is_first = !row->lines.len;
		int64_t id = take_id(x, row->plane, is_first ? row->id : x->next_id++);
		const char *name = is_first ? row->name
					    : nx_arena_printf(&x->arena, "%s lane %zu", row->name,
							      row->lines.len + 1);

		nx_vec_push(&row->lines, nx_xspace_writer_line(x->w, row->plane, id, name));
	}
	return row->lines.items[lane];
}

/* --- events ---------------------------------------------------------------- */

#define MAX_STATS (NX_MAX_EVENT_FIELDS + 4)

struct stats {
	struct nx_xspace_attribute items[MAX_STATS];
	size_t count;
};

static void add_number(struct stats *stats, const char *name, uint64_t number)
{
	enum nx_xstat_kind kind = number > INT64_MAX ? NX_XSTAT_U64 : NX_XSTAT_I64;

	assert(stats->count < MAX_STATS);
	stats->items[stats->count++] =
		(struct nx_xspace_attribute){name, {.kind = kind, .integer = number}};
}

static void add_fields(struct stats *stats, const struct nx_event_fields *fields)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct nx_event_field *f = &fields->items[i];
		uint64_t number;

		if (!strcmp(f->key->text, "flow"))
			continue; /* written anew */
		if (nx_event_field_number(f, &number)) {
			add_number(stats, f->key->text, number);
			continue;
		}
		stats->items[stats->count++] = (struct nx_xspace_attribute){
			f->key->text, {.kind = NX_XSTAT_TEXT, .text = f->text}};
	}
}

/* Leaves a framework's call, passes the runtime, arrives at a core. */
static void add_flow(struct stats *stats, const struct nx_system_event *e)
{
	static const enum nx_xflow_direction directions[] = {
		[NX_SOURCE_FRAMEWORK] = NX_XFLOW_OUT,
		[NX_SOURCE_RUNTIME] = NX_XFLOW_BOTH,
		[NX_SOURCE_HARDWARE] = NX_XFLOW_IN,
	};
	uint64_t flow = e->flow_id ^ (uint64_t)e->process << 48;

	if (!e->flow_id)
		return;
	stats->items[stats->count++] = (struct nx_xspace_attribute){
		"flow",
		{.kind = NX_XSTAT_U64, .integer = nx_xflow_make(flow, directions[e->source])}};
}

static void end_process(struct xspace_export *x)
{
	for (size_t i = 0; i < x->all.len; i++) {
		nx_lanes_finish(&x->all.items[i].layout, ignore_end, NULL);
		x->all.items[i].layout = (struct nx_lanes){0};
	}
}

static void put_event(void *context, const void *item)
{
	struct xspace_export *x = context;
	const struct nx_system_event *e = item;
	bool is_instant = e->flags & NX_EVENT_INSTANT;
	uint64_t end_ns = is_instant ? e->start_ns : e->start_ns + nx_event_duration_ns(e);
	struct nx_event_fields fields;
	struct stats stats = {.count = 0};
	uint32_t line;

	if (e->process != x->process) {
		end_process(x);
		x->process = e->process;
	}
	nx_event_fields_read(&x->reader, e, &fields);
	line = line_of(x, e, end_ns);
	add_fields(&stats, &fields);
	add_flow(&stats, e);
	if (nx_event_fields_find(&fields, "step_num") && !nx_event_fields_find(&fields, "_r"))
		add_number(&stats, "_r", 1);
	nx_xspace_writer_event(x->w, line, nx_system_event_name(x->profile, e), e->start_ns, end_ns,
			       stats.items, stats.count);
	nx_progress_add(x->options->progress, 1);
}

/* --- counters -------------------------------------------------------------- */

/* XProf draws the events of a line "_counters_" as counters. The line is shared by name, so
 * counters of several processes have them in their names. */
static void put_sample(void *context, const void *item)
{
	struct xspace_export *x = context;
	const struct nx_counter_sample *s = item;
	const struct nx_system_process *process = &x->profile->processes[s->process];
	uint64_t origin[] = {s->process, UINT64_MAX}, line, name;
	struct nx_xspace_attribute value = {NX_XSTAT_COUNTER_VALUE,
					    {.kind = NX_XSTAT_F64, .f64 = s->value}};

	if (!nx_map_get(&x->rows, nx_hash_words(origin, 2), &line)) {
		uint32_t plane = plane_of(x, NX_XPLANE_HOST);

		line = nx_xspace_writer_line(x->w, plane, take_id(x, plane, COUNTER_LINE),
					     NX_XLINE_COUNTERS);
		nx_map_put(&x->rows, nx_hash_words(origin, 2), line);
	}
	origin[1] = s->name;
	if (!nx_map_get(&x->counter_names, nx_hash_words(origin, 2), &name)) {
		name = (uintptr_t)with_process(x, s->process, process->names[s->name]);
		nx_map_put(&x->counter_names, nx_hash_words(origin, 2), name);
	}
	nx_xspace_writer_event(x->w, (uint32_t)line, (const char *)(uintptr_t)name, s->time_ns,
			       s->time_ns, &value, 1);
}

/* A line is in order of time; threads report their samples in their own order. */
static enum nx_status put_counters(struct xspace_export *x, struct nx_error *err)
{
	struct nx_sorted_rows rows;
	enum nx_status st, sorted;

	nx_sorted_rows_init(&rows, sizeof(struct nx_counter_sample));
	st = nx_system_scan(x->profile, NX_SYSTEM_COUNTER, nx_sorted_rows_add, &rows, err);
	sorted = nx_sorted_rows_finish(&rows, put_sample, x, st ? NULL : err);
	return st ? st : sorted;
}

/* --- the space ------------------------------------------------------------- */

static void write_out(void *context, const void *data, size_t len)
{
	nx_output_write(context, data, len);
}

static void write_session(struct xspace_export *x)
{
	uint32_t plane = nx_xspace_writer_plane(x->w, 0, NX_XPLANE_TASK);
	const struct nx_system_profile *p = x->profile;

	nx_xspace_writer_stat(
		x->w, plane,
		&(struct nx_xspace_attribute){NX_XSTAT_START_TIME,
					      {.kind = NX_XSTAT_U64, .integer = p->first_ns}});
	nx_xspace_writer_stat(
		x->w, plane,
		&(struct nx_xspace_attribute){NX_XSTAT_STOP_TIME,
					      {.kind = NX_XSTAT_U64, .integer = p->last_ns}});
	for (uint32_t i = 0; i < p->process_count; i++)
		if (!i || strcmp(p->processes[i].instance_id, p->processes[i - 1].instance_id) != 0)
			nx_xspace_writer_host(x->w, p->processes[i].instance_id);
	for (size_t i = 0; i < p->warnings.len; i++)
		nx_xspace_writer_warn(x->w, p->warnings.items[i].message);
}

enum nx_status nx_system_export_xspace(const struct nx_system_profile *profile,
				       const struct nx_system_export_options *options,
				       struct nx_output *out, struct nx_error *err)
{
	struct nx_xspace_writer_options how = {
		.write = write_out, .context = out, .start_ns = profile->first_ns};
	struct xspace_export x = {.profile = profile,
				  .options = options,
				  .w = nx_xspace_writer_new(&how),
				  .next_id = FIRST_OWN_ID};
	enum nx_status st;

	nx_event_reader_open(&x.reader, profile);
	plane_of(&x, NX_XPLANE_HOST);
	st = nx_system_scan(profile, NX_SYSTEM_EVENT, put_event, &x, err);
	end_process(&x);
	if (!st && profile->rows[NX_SYSTEM_COUNTER])
		st = put_counters(&x, err);
	write_session(&x);
	if (st)
		nx_xspace_writer_abort(x.w);
	else
		st = nx_xspace_writer_finish(x.w, err);
	for (size_t i = 0; i < x.all.len; i++)
		nx_vec_release(&x.all.items[i].lines);
	nx_vec_release(&x.all);
	nx_map_release(&x.rows);
	nx_map_release(&x.taken);
	nx_map_release(&x.counter_names);
	nx_text_map_release(&x.planes);
	nx_event_reader_close(&x.reader);
	nx_arena_release(&x.arena);
	return st;
}
