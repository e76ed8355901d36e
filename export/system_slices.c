/* SPDX-License-Identifier: Apache-2.0 */
#include "export/system_slices.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/lanes.h"
#include "model/system_event.h"

/* --- groups -------------------------------------------------------------- */

static const char *const field_names[NX_GROUP_FIELD_COUNT] = {
	[NX_GROUP_INSTANCE] = "instance_id", [NX_GROUP_PROCESS] = "process_id",
	[NX_GROUP_THREAD] = "thread_id",     [NX_GROUP_CORE] = "lnc_idx",
	[NX_GROUP_WORKER] = "worker_gid",
};

enum nx_status nx_group_parse(struct nx_group *group, const char *list, const char *option,
			      struct nx_error *err)
{
	const char *at = list;

	group->count = 0;
	for (;;) {
		struct nx_slice name = nx_slice_of(at, strcspn(at, ","));
		unsigned field = 0;
		size_t i;

		while (field < NX_GROUP_FIELD_COUNT && !nx_slice_is(name, field_names[field]))
			field++;
		if (field == NX_GROUP_FIELD_COUNT)
			return nx_fail(err, NX_USAGE,
				       "%s cannot group by '%.*s'; its fields are " NX_GROUP_FIELDS,
				       option, (int)(name.len < 64 ? name.len : 64), at);
		for (i = 0; i < group->count && group->fields[i] != field; i++)
			;
		if (i == group->count)
			group->fields[group->count++] = (enum nx_group_field)field;
		at += name.len;
		if (!*at++)
			return NX_OK;
	}
}

static void field_text(enum nx_group_field field, const struct nx_system_profile *profile,
		       const struct nx_system_event *e, char text[256])
{
	const struct nx_system_process *p = &profile->processes[e->process];
	const char *name;

	*text = 0;
	switch (field) {
	case NX_GROUP_INSTANCE:
		snprintf(text, 256, "%s", p->instance_id);
		break;
	case NX_GROUP_PROCESS:
		snprintf(text, 256, "pid%llu", (unsigned long long)p->pid);
		break;
	case NX_GROUP_THREAD:
		name = nx_system_thread_name(p, e->thread_id);
		snprintf(text, 256, "tid%llu%s%.100s", (unsigned long long)e->thread_id,
			 name ? " " : "", name ? name : "");
		break;
	case NX_GROUP_CORE:
		if (e->nc_idx >= 0)
			snprintf(text, 256, "nc%d", e->nc_idx);
		break;
	default:
		if (nx_event_has_worker(e))
			snprintf(text, 256, "gid%u", e->worker_gid);
	}
}

size_t nx_group_label(const struct nx_group *group, const struct nx_system_profile *profile,
		      const struct nx_system_event *event, char label[NX_GROUP_LABEL_MAX])
{
	size_t len = 0;

	*label = 0;
	for (size_t i = 0; i < group->count; i++) {
		char text[256];

		field_text(group->fields[i], profile, event, text);
		if (!*text)
			continue;
		/* only the name of an instance is long, and it occurs at most once */
		len += (size_t)snprintf(label + len, NX_GROUP_LABEL_MAX - len, "%s%s",
					len ? "-" : "", text);
	}
	return len;
}

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
	size_t first_lane; /* of the current process: lanes of earlier ones are ahead in time */
};

struct nx_slices {
	const struct nx_slices_plan *plan;
	struct nx_perfetto *p;
	const struct nx_system_profile *profile;
	struct nx_event_reader reader;
	struct nx_text_map processes; /* label -> track */
	struct nx_text_map rows_by_label;
	struct nx_map rows_by_origin; /* process, thread, core … of an event -> its row */
	uint32_t process;	      /* at hand */
	NX_VEC(struct row) rows;
	uint64_t event_count;
	struct nx_arena arena;
	struct nx_perfetto_arg args[MAX_ARGS];
	size_t arg_count;
	char slice_name[1024], device_file[64]; /* of the event at hand */
};

uint32_t nx_process_track(struct nx_perfetto *p, struct nx_map *groups,
			  const struct nx_system_profile *profile, uint32_t process,
			  const char *what)
{
	const struct nx_system_process *of = &profile->processes[process];
	char name[NX_GROUP_LABEL_MAX];
	uint64_t track;

	if (nx_map_get(groups, process, &track))
		return (uint32_t)track;
	snprintf(name, sizeof(name), "%.250s-pid%llu %s", of->instance_id,
		 (unsigned long long)of->pid, what);
	track = nx_perfetto_track(p, NX_PERFETTO_ROOT, name, process);
	nx_map_put(groups, process, track);
	return (uint32_t)track;
}

/* --- rows --------------------------------------------------------------- */

static uint32_t process_track(struct nx_slices *x, struct nx_slice label)
{
	uint64_t track;
	const char *name;

	if (nx_text_map_get(&x->processes, label, &track))
		return (uint32_t)track;
	name = nx_arena_copy(&x->arena, label);
	/* our own numbers, as in AWS's traces: pids repeat between instances */
	track = nx_perfetto_process(x->p, nx_perfetto_new_number(x->p), *name ? name : "other");
	nx_text_map_put(&x->processes, nx_slice_text(name), track);
	return (uint32_t)track;
}

/* Events of framework streams run beside their thread, not on it. */
static void secondary_label(struct nx_slices *x, const struct nx_system_event *e,
			    char label[NX_GROUP_LABEL_MAX])
{
	size_t len = nx_group_label(&x->plan->secondary, x->profile, e, label);
	const char *source = nx_event_source_name(e->source);

	if (e->stream_id != UINT32_MAX)
		len += (size_t)snprintf(label + len, NX_GROUP_LABEL_MAX - len, "%sstream%u",
					len ? "-" : "", e->stream_id);
	snprintf(label + len, NX_GROUP_LABEL_MAX - len, "%s%s", len ? "-" : "", source);
}

static size_t row_by_label(struct nx_slices *x, const struct nx_system_event *e)
{
	char primary[NX_GROUP_LABEL_MAX], secondary[NX_GROUP_LABEL_MAX];
	char both[2 * NX_GROUP_LABEL_MAX];
	struct row row = {.p = x->p};
	size_t primary_len = nx_group_label(&x->plan->primary, x->profile, e, primary);
	uint32_t by_source = e->source == NX_SOURCE_FRAMEWORK  ? 0
			     : e->source == NX_SOURCE_HARDWARE ? 2
							       : 1;
	uint32_t process;
	uint64_t at;

	secondary_label(x, e, secondary);
	snprintf(both, sizeof(both), "%s\n%s", primary, secondary);
	if (nx_text_map_get(&x->rows_by_label, nx_slice_text(both), &at))
		return at;
	process = process_track(x, nx_slice_of(primary, primary_len));
	row.label = nx_arena_copy_text(&x->arena, secondary);
	row.track = nx_perfetto_thread(x->p, process, nx_perfetto_new_number(x->p), row.label,
				       by_source << 20 | (uint32_t)(x->rows.len & 0xfffff));
	nx_text_map_put(&x->rows_by_label, nx_slice_text(nx_arena_copy_text(&x->arena, both)),
			x->rows.len);
	nx_vec_push(&x->rows, row);
	return x->rows.len - 1;
}

static struct row *find_row(struct nx_slices *x, const struct nx_system_event *e)
{
	uint64_t origin[] = {e->thread_id, (uint64_t)e->process << 32 | e->worker_gid,
			     (uint64_t)(uint32_t)e->nc_idx << 32 | e->stream_id, e->source};
	uint64_t key = nx_hash_words(origin, sizeof(origin) / sizeof(origin[0])), at;

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
	assert(at <= row->lanes.len);
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

/* Events come process by process. If the next one shares a row, it gets new lanes. */
static void end_process(struct nx_slices *x)
{
	for (size_t i = 0; i < x->rows.len; i++) {
		struct row *row = &x->rows.items[i];

		nx_lanes_finish(&row->layout, end_slice, row);
		row->layout = (struct nx_lanes){0};
		row->first_lane = row->lanes.len;
	}
}

/* --- events ------------------------------------------------------------- */

static void add_arg(struct nx_slices *x, struct nx_perfetto_arg arg)
{
	assert(x->arg_count < MAX_ARGS && arg.name);
	x->args[x->arg_count++] = arg;
}

static void add_number(struct nx_slices *x, const char *name, uint64_t number)
{
	add_arg(x, (struct nx_perfetto_arg){.name = name, .kind = NX_PERFETTO_U64, .u64 = number});
}

static void add_text(struct nx_slices *x, const char *name, struct nx_slice text)
{
	add_arg(x, (struct nx_perfetto_arg){.name = name,
					    .kind = NX_PERFETTO_TEXT,
					    /* addresses hardly ever repeat */
					    .is_unique = nx_slice_starts(text, "0x"),
					    .text = text});
}

static void add_flag(struct nx_slices *x, const char *name, bool is_set)
{
	if (is_set)
		add_arg(x,
			(struct nx_perfetto_arg){.name = name, .kind = NX_PERFETTO_BOOL, .u64 = 1});
}

/* Slices do not repeat what the names of their row and process say. */
static void add_columns(struct nx_slices *x, const struct nx_system_event *e)
{
	const struct nx_system_process *p = &x->profile->processes[e->process];
	const bool *is_said = x->plan->is_in_label;

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
	if (e->nrta_seq_id)
		add_number(x, "nrta_seq_id", e->nrta_seq_id);
	if (e->flags & NX_EVENT_STEP)
		add_number(x, "step_num", e->step_num);
	add_flag(x, "is_unfinished", e->flags & NX_EVENT_UNFINISHED);
	add_flag(x, "is_orphan", e->flags & NX_EVENT_ORPHAN);
}

static void add_fields(struct nx_slices *x, const struct nx_event_fields *fields, bool is_step)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct nx_event_field *f = &fields->items[i];
		uint64_t number;

		if (is_step && !strcmp(f->key->text, "step_num"))
			continue; /* it is among the columns */
		if (nx_event_field_number(f, &number))
			add_number(x, f->key->text, number);
		else
			add_text(x, f->key->text, f->text);
	}
}

/* Executions are named after their model and point to its device profile. */
static const char *name_execution(struct nx_slices *x, const struct nx_event_fields *fields,
				  const char *name)
{
	const struct nx_event_field *model = nx_event_fields_find(fields, "model_id");
	const struct nx_event_field *path = nx_event_fields_find(fields, "model_name");
	uint64_t id;

	if (model && nx_event_field_number(model, &id) &&
	    nx_map_get(&x->plan->profiled_models, id, NULL)) {
		snprintf(x->device_file, sizeof(x->device_file),
			 "device_profile_model_%llu.pftrace", (unsigned long long)id);
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

static void put_event(struct nx_slices *x, const struct nx_system_event *e, const char *name)
{
	struct row *row = find_row(x, e);
	bool is_instant = e->flags & NX_EVENT_INSTANT;
	uint64_t end_ns = is_instant ? e->start_ns : e->start_ns + nx_event_duration_ns(e);
	size_t at = nx_lanes_put(&row->layout, e->start_ns, end_ns, end_slice, row);
	struct lane *lane = find_lane(row, at);
	/* flows are numbered per process */
	uint64_t process = (uint64_t)e->process << 48;
	uint64_t ids[] = {e->flow_id ^ process, e->call_flow_id ^ process};
	/* not ended anywhere: one call may lead to several cores */
	struct nx_perfetto_flows flows = {.out_ids = ids, .out_count = e->call_flow_id ? 2 : 1};

	if (is_instant) {
		lane->instant_is_open = true;
		nx_perfetto_instant(x->p, lane->track, e->start_ns, name, x->args, x->arg_count);
		return;
	}
	nx_perfetto_begin(x->p, lane->track, e->start_ns, name, x->args, x->arg_count,
			  e->flow_id ? &flows : NULL);
}

void nx_slices_add(void *slices, const void *event)
{
	struct nx_slices *x = slices;
	const struct nx_system_event *e = event;
	const char *name = nx_system_event_name(x->profile, e);
	struct nx_event_fields fields;

	if (e->process != x->process) {
		end_process(x);
		x->process = e->process;
	}
	add_columns(x, e);
	nx_event_fields_read(&x->reader, e, &fields);
	add_fields(x, &fields, e->flags & NX_EVENT_STEP);
	if (e->source == NX_SOURCE_HARDWARE && !strcmp(name, "nc_exec_running"))
		name = name_execution(x, &fields, name);
	put_event(x, e, name);
	x->event_count++;
}

struct nx_slices *nx_slices_new(const struct nx_slices_plan *plan, struct nx_perfetto *p)
{
	struct nx_slices *x = nx_heap_alloc(sizeof(*x));

	assert(plan->primary.count && plan->secondary.count);
	*x = (struct nx_slices){.plan = plan, .p = p, .profile = plan->profile};
	nx_event_reader_open(&x->reader, plan->profile);
	return x;
}

uint64_t nx_slices_finish(struct nx_slices *slices)
{
	uint64_t event_count = slices->event_count;

	end_process(slices);
	for (size_t i = 0; i < slices->rows.len; i++)
		nx_vec_release(&slices->rows.items[i].lanes);
	nx_event_reader_close(&slices->reader);
	nx_text_map_release(&slices->processes);
	nx_text_map_release(&slices->rows_by_label);
	nx_map_release(&slices->rows_by_origin);
	nx_vec_release(&slices->rows);
	nx_arena_release(&slices->arena);
	nx_heap_free(slices);
	return event_count;
}
