/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system profile as a Perfetto trace. The primary group makes processes, the
 * secondary group and the source of events make threads. Events pass once, in
 * order of time; what is kept is a row's tracks and the ends of its open events.
 */
#include <stdio.h>
#include <string.h>

#include "base/lanes.h"
#include "export/system_event.h"
#include "export/system_exporters.h"
#include "export/system_groups.h"
#include "export/system_tracks.h"
#include "format/perfetto.h"

#define MAX_ARGS (NX_MAX_EVENT_FIELDS + 12)

struct lane {
	uint32_t track;
	bool instant_is_open; /* its end must not end a slice */
};

struct row { /* a Perfetto thread */
	struct nx_perfetto *p;
	uint32_t track;
	const char *label;
	struct nx_lanes layout; /* of the process at hand */
	struct nx_row_lanes NX_VEC_BODY(struct lane) lanes;
	size_t first_lane; /* that the process at hand may use: time goes on in those before */
};

struct perfetto_export {
	struct nx_perfetto *p;
	const struct nx_system_profile *profile;
	const struct nx_system_export_options *options;
	struct nx_event_reader reader;
	struct nx_group primary, secondary;
	struct nx_text_map processes; /* label -> track */
	struct nx_text_map rows_by_label;
	struct nx_map rows_by_origin; /* who an event is of -> its row, without making the label */
	bool is_in_label[NX_GROUP_FIELD_COUNT];
	uint32_t process;	       /* at hand */
	struct nx_map profiled_models; /* ids of models that have a device profile */
	NX_VEC(struct row) rows;
	/* AWS numbers processes and threads itself: pids repeat between instances */
	uint64_t last_number;
	struct nx_arena arena;
	struct nx_perfetto_arg args[MAX_ARGS];
	size_t arg_count;
	char slice_name[1024], device_file[64]; /* of the event at hand */
};

/* --- rows --------------------------------------------------------------- */

static uint32_t process_track(struct perfetto_export *x, struct nx_slice label)
{
	uint64_t track;
	const char *name;

	if (nx_text_map_get(&x->processes, label, &track))
		return (uint32_t)track;
	name = nx_arena_copy(&x->arena, label);
	track = nx_perfetto_process(x->p, ++x->last_number, *name ? name : "other");
	nx_text_map_put(&x->processes, nx_slice_text(name), track);
	return (uint32_t)track;
}

/* Events of framework streams run beside their thread, not on it. */
static void secondary_label(struct perfetto_export *x, const struct nx_system_event *e,
			    char label[NX_GROUP_LABEL_MAX])
{
	size_t len = nx_group_label(&x->secondary, x->profile, e, label);
	const char *source = nx_event_source_name(e->source);

	if (e->stream_id != UINT32_MAX)
		len += (size_t)snprintf(label + len, NX_GROUP_LABEL_MAX - len, "%sstream%u",
					len ? "-" : "", e->stream_id);
	snprintf(label + len, NX_GROUP_LABEL_MAX - len, "%s%s", len ? "-" : "", source);
}

static uint32_t row_rank(const struct perfetto_export *x, const struct nx_system_event *e)
{
	uint32_t by_source = e->source == NX_SOURCE_FRAMEWORK  ? 0
			     : e->source == NX_SOURCE_HARDWARE ? 2
							       : 1;

	return by_source << 20 | (uint32_t)(x->rows.len & 0xfffff);
}

static size_t row_by_label(struct perfetto_export *x, const struct nx_system_event *e)
{
	char primary[NX_GROUP_LABEL_MAX], secondary[NX_GROUP_LABEL_MAX];
	char both[2 * NX_GROUP_LABEL_MAX];
	struct row row = {.p = x->p};
	size_t primary_len = nx_group_label(&x->primary, x->profile, e, primary);
	uint32_t process;
	uint64_t at;

	secondary_label(x, e, secondary);
	snprintf(both, sizeof(both), "%s\n%s", primary, secondary);
	if (nx_text_map_get(&x->rows_by_label, nx_slice_text(both), &at))
		return at;
	process = process_track(x, nx_slice_of(primary, primary_len));
	row.label = nx_arena_copy_text(&x->arena, secondary);
	row.track = nx_perfetto_thread(x->p, process, ++x->last_number, row.label, row_rank(x, e));
	nx_text_map_put(&x->rows_by_label, nx_slice_text(nx_arena_copy_text(&x->arena, both)),
			x->rows.len);
	nx_vec_push(&x->rows, row);
	return x->rows.len - 1;
}

static struct row *find_row(struct perfetto_export *x, const struct nx_system_event *e)
{
	uint64_t origin[] = {e->thread_id, (uint64_t)e->process << 32 | e->worker_gid,
			     (uint64_t)(uint32_t)e->nc_idx << 32 | e->stream_id, e->source};
	uint64_t key = nx_fnv1a(NX_FNV_SEED, origin, sizeof(origin)), at;

	if (!nx_map_get(&x->rows_by_origin, key, &at)) {
		at = row_by_label(x, e);
		nx_map_put(&x->rows_by_origin, key, at);
	}
	return &x->rows.items[at];
}

static struct lane *find_lane(struct row *row, size_t at)
{
	char name[NX_GROUP_LABEL_MAX + 32];
	struct lane lane = {.track = row->track};

	at += row->first_lane;
	if (at == row->lanes.len) {
		snprintf(name, sizeof(name), "%s lane %zu", row->label, at + 1);
		if (at)
			lane.track = nx_perfetto_track(row->p, row->track, name, (uint32_t)at);
		nx_vec_push(&row->lanes, lane);
	}
	return &row->lanes.items[at];
}

static void end_slice(void *context, size_t at, uint64_t end_ns)
{
	struct row *row = context;
	struct lane *lane = &row->lanes.items[row->first_lane + at];

	/* nothing begins inside an instant, so it is the first to end */
	if (lane->instant_is_open)
		lane->instant_is_open = false;
	else
		nx_perfetto_end(row->p, lane->track, end_ns);
}

/* Events come process by process. A row that the next one shares gets further lanes. */
static void end_process(struct perfetto_export *x)
{
	for (size_t i = 0; i < x->rows.len; i++) {
		struct row *row = &x->rows.items[i];

		nx_lanes_finish(&row->layout, end_slice, row);
		row->layout = (struct nx_lanes){0};
		row->first_lane = row->lanes.len;
	}
}

/* --- events ------------------------------------------------------------- */

static void add_arg(struct perfetto_export *x, struct nx_perfetto_arg arg)
{
	x->args[x->arg_count++] = arg;
}

static void add_number(struct perfetto_export *x, const char *name, uint64_t number)
{
	add_arg(x, (struct nx_perfetto_arg){.name = name, .kind = NX_PERFETTO_U64, .u64 = number});
}

static void add_text(struct perfetto_export *x, const char *name, struct nx_slice text)
{
	add_arg(x, (struct nx_perfetto_arg){.name = name,
					    .kind = NX_PERFETTO_TEXT,
					    /* addresses hardly ever come twice */
					    .is_unique = nx_slice_starts(text, "0x"),
					    .text = text});
}

static void add_flag(struct perfetto_export *x, const char *name, bool is_set)
{
	if (is_set)
		add_arg(x,
			(struct nx_perfetto_arg){.name = name, .kind = NX_PERFETTO_BOOL, .u64 = 1});
}

/* What the row's and its process's names say is not said again by each of their slices. */
static void add_columns(struct perfetto_export *x, const struct nx_system_event *e)
{
	const struct nx_system_process *p = &x->profile->processes[e->process];
	const bool *is_said = x->is_in_label;

	x->arg_count = 0;
	add_number(x, "id", e->id);
	if (e->parent_id)
		add_number(x, "parent_id", e->parent_id);
	if (!is_said[NX_GROUP_INSTANCE])
		add_text(x, "instance_id", nx_slice_text(p->instance_id));
	if (!is_said[NX_GROUP_PROCESS])
		add_number(x, "process_id", p->pid);
	if (!is_said[NX_GROUP_THREAD])
		add_number(x, "thread_id", e->thread_id);
	if (!is_said[NX_GROUP_CORE] && e->nc_idx >= 0)
		add_number(x, "lnc_idx", (uint64_t)e->nc_idx);
	if (!is_said[NX_GROUP_WORKER] && nx_event_has_worker(e))
		add_number(x, "worker_gid", e->worker_gid);
	add_flag(x, "is_unfinished", e->flags & NX_EVENT_UNFINISHED);
	add_flag(x, "is_orphan", e->flags & NX_EVENT_ORPHAN);
}

static void add_fields(struct perfetto_export *x, const struct nx_event_fields *fields)
{
	for (size_t i = 0; i < fields->count; i++) {
		if (fields->items[i].is_number)
			add_number(x, fields->items[i].key, fields->items[i].number);
		else
			add_text(x, fields->items[i].key, fields->items[i].text);
	}
}

/* Executions are named after their model and lead to its device profile. */
static const char *name_execution(struct perfetto_export *x, const struct nx_event_fields *fields,
				  const char *name)
{
	const struct nx_event_field *model = nx_event_fields_find(fields, "model_id");
	const struct nx_event_field *path = nx_event_fields_find(fields, "model_name");

	if (model && model->is_number && nx_map_get(&x->profiled_models, model->number, NULL)) {
		snprintf(x->device_file, sizeof(x->device_file),
			 "device_profile_model_%llu.pftrace", (unsigned long long)model->number);
		add_text(x, "device_profile", nx_slice_text(x->device_file));
	}
	if (!path || !path->text.len || nx_slice_is(path->text, "_unknown_"))
		return name;
	snprintf(x->slice_name, sizeof(x->slice_name), "%s %.*s", name,
		 (int)(path->text.len < sizeof(x->slice_name) ? path->text.len
							      : sizeof(x->slice_name)),
		 (const char *)path->text.data);
	return x->slice_name;
}

static void put_event(struct perfetto_export *x, const struct nx_system_event *e, const char *name)
{
	struct row *row = find_row(x, e);
	bool is_instant = e->flags & NX_EVENT_INSTANT;
	uint64_t end_ns = is_instant ? e->start_ns : e->start_ns + nx_event_duration_ns(e);
	size_t at = nx_lanes_put(&row->layout, e->start_ns, end_ns, end_slice, row);
	struct lane *lane = find_lane(row, at);
	/* flows are numbered per process */
	uint64_t flow = e->flow_id ^ (uint64_t)e->process << 48;
	/* not ended anywhere: one call may lead to several cores */
	struct nx_perfetto_flows flows = {.out_ids = &flow, .out_count = 1};

	if (is_instant) {
		lane->instant_is_open = true;
		nx_perfetto_instant(x->p, lane->track, e->start_ns, name, x->args, x->arg_count);
		return;
	}
	nx_perfetto_begin(x->p, lane->track, e->start_ns, name, x->args, x->arg_count,
			  e->flow_id ? &flows : NULL);
}

static void add_event(void *context, const void *row)
{
	struct perfetto_export *x = context;
	const struct nx_system_event *e = row;
	const char *name = nx_system_event_name(x->profile, e);
	struct nx_event_fields fields;

	if (e->process != x->process) {
		end_process(x);
		x->process = e->process;
	}
	add_columns(x, e);
	nx_event_fields_read(&x->reader, e, &fields);
	add_fields(x, &fields);
	if (e->source == NX_SOURCE_HARDWARE && !strcmp(name, "nc_exec_running"))
		name = name_execution(x, &fields, name);
	put_event(x, e, name);
	if (x->options->progress)
		nx_progress_add(x->options->progress, 1);
}

static enum nx_status write_trace(struct perfetto_export *x, struct nx_error *err)
{
	enum nx_status st = nx_system_scan(x->profile, NX_SYSTEM_EVENT, add_event, x, err);

	end_process(x);
	for (size_t i = 0; i < x->rows.len; i++)
		nx_vec_release(&x->rows.items[i].lanes);
	if (!st)
		st = nx_system_counters_write(x->p, x->profile, x->options->cpu_per_core, err);
	if (!st)
		st = nx_system_transfers_write(x->p, x->profile, err);
	return st;
}

static enum nx_status parse_groups(struct perfetto_export *x, struct nx_error *err)
{
	const struct nx_system_export_options *o = x->options;
	enum nx_status st;

	st = nx_group_parse(&x->primary,
			    o->primary_group ? o->primary_group : NX_DEFAULT_PRIMARY_GROUP,
			    "--system-trace-primary-group", err);
	if (st)
		return st;
	st = nx_group_parse(&x->secondary,
			    o->secondary_group ? o->secondary_group : NX_DEFAULT_SECONDARY_GROUP,
			    "--system-trace-secondary-group", err);
	if (st)
		return st;
	for (size_t i = 0; i < x->primary.count; i++)
		x->is_in_label[x->primary.fields[i]] = true;
	for (size_t i = 0; i < x->secondary.count; i++)
		x->is_in_label[x->secondary.fields[i]] = true;
	return NX_OK;
}

enum nx_status nx_system_export_perfetto(const struct nx_system_profile *profile,
					 const struct nx_system_export_options *options,
					 struct nx_output *out, struct nx_error *err)
{
	struct perfetto_export x = {.profile = profile, .options = options};
	enum nx_status st = parse_groups(&x, err);

	if (st)
		return st;
	nx_event_reader_open(&x.reader, profile);
	for (size_t i = 0; i < profile->devices.len; i++)
		if (profile->devices.items[i].model_id && !profile->devices.items[i].is_empty)
			nx_map_put(&x.profiled_models, profile->devices.items[i].model_id, 1);
	x.p = nx_perfetto_new(out, options->compress);
	st = write_trace(&x, err);
	nx_perfetto_finish(x.p);
	nx_event_reader_close(&x.reader);
	nx_text_map_release(&x.processes);
	nx_text_map_release(&x.rows_by_label);
	nx_map_release(&x.rows_by_origin);
	nx_map_release(&x.profiled_models);
	nx_vec_release(&x.rows);
	nx_arena_release(&x.arena);
	return st;
}
