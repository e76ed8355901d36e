/* SPDX-License-Identifier: Apache-2.0 */
/*
 * system_profile.json. Rows have the keys, types and alphabetical order of the published samples,
 * and more keys where we know more.
 *
 * The samples call the group of a core "nrt-nc-000", the viewer "nrt-nc-003-<instance>": the
 * instance is added if there are several, because only then the short form is ambiguous.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/number.h"
#include "export/exporters.h"
#include "export/json_sections.h"
#include "model/system_event.h"

/* --- processes and devices ---------------------------------------------- */

void nx_json_key_digits(struct nx_json_writer *w, const char *key, uint64_t number)
{
	char digits[NX_NUMBER_MAX];

	nx_json_key(w, key);
	nx_json_slice(w, nx_slice_of(digits, nx_format_u64(digits, number)));
}

static void key_known_text(struct nx_json_writer *w, const char *key, const char *text)
{
	if (text)
		nx_json_key_text(w, key, text);
}

/* One element: readers of AWS's export expect a list. */
static void write_metadata(struct nx_json_writer *w, const struct nx_system_profile *p)
{
	nx_json_begin_array(w);
	nx_json_begin_object(w);
	nx_json_key_digits(w, "first_ts_ns", p->first_ns);
	nx_json_key_digits(w, "last_ts_ns", p->last_ns);
	nx_json_key_text(w, "profiler_version", NX_PRODUCT_VERSION);
	nx_json_end_object(w);
	nx_json_end_array(w);
}

static void write_workers(struct nx_json_writer *w, const struct nx_system_process *p)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < p->worker_count; i++) {
		nx_json_begin_object(w);
		nx_json_key(w, "lnc_idx");
		nx_json_i64(w, p->workers[i].nc_idx);
		if (p->workers[i].worker_gid != UINT32_MAX)
			nx_json_key_u64(w, "worker_gid", p->workers[i].worker_gid);
		nx_json_end_object(w);
	}
	nx_json_end_array(w);
}

static void write_process(struct nx_json_writer *w, const struct nx_system_process *p,
			  bool include_private)
{
	nx_json_begin_object(w);
	nx_json_key_u64(w, "arch", p->arch);
	nx_json_key_digits(w, "close_ts_ns", p->close_ns);
	nx_json_key_u64(w, "cpu_count", p->cpu_count);
	key_known_text(w, "folder", p->folder);
	nx_json_key_digits(w, "init_ts_ns", p->init_ns);
	if (include_private) {
		key_known_text(w, "instance_hostname", p->instance_hostname);
		key_known_text(w, "instance_ip", p->instance_ip);
	}
	nx_json_key_text(w, "instance_id", p->instance_id);
	key_known_text(w, "instance_type", p->instance_type);
	nx_json_key_u64(w, "logical_nc_size", p->logical_nc_size);
	nx_json_key_u64(w, "memory_capacity", p->memory_capacity_bytes);
	nx_json_key_digits(w, "process_id", p->pid);
	nx_json_key_u64(w, "stored_event_count", p->stored_event_count);
	nx_json_key_u64(w, "total_event_count", p->total_event_count);
	nx_json_key(w, "workers");
	write_workers(w, p);
	nx_json_end_object(w);
}

static void write_device(struct nx_json_writer *w, const struct nx_system_profile *p,
			 const struct nx_device_capture *d)
{
	nx_json_begin_object(w);
	if (d->process < p->process_count) {
		nx_json_key_text(w, "instance_id", p->processes[d->process].instance_id);
		nx_json_key_digits(w, "process_id", p->processes[d->process].pid);
	}
	nx_json_key_bool(w, "is_empty", d->is_empty);
	if (d->model_id)
		nx_json_key_digits(w, "model_id", d->model_id);
	key_known_text(w, "model_name", d->model_name);
	key_known_text(w, "neff_path", d->neff_path);
	if (d->other_neffs) {
		nx_json_key(w, "other_neff_paths");
		nx_json_begin_array(w);
		for (const char *const *neff = d->other_neffs; *neff; neff++)
			nx_json_text(w, *neff);
		nx_json_end_array(w);
	}
	if (d->rank != UINT32_MAX)
		nx_json_key_u64(w, "rank", d->rank);
	key_known_text(w, "session_path", d->session_path);
	nx_json_end_object(w);
}

void nx_json_system_devices(struct nx_json_writer *w, const struct nx_system_profile *profile)
{
	nx_json_begin_array(w);
	for (size_t i = 0; i < profile->devices.len; i++)
		write_device(w, profile, &profile->devices.items[i]);
	nx_json_end_array(w);
}

void nx_json_system_stated(struct nx_json_writer *w, const struct nx_system_profile *profile,
			   bool include_private)
{
	nx_json_key(w, "system_profile_metadata");
	write_metadata(w, profile);
	nx_json_key(w, "process_list");
	nx_json_begin_array(w);
	for (uint32_t i = 0; i < profile->process_count; i++)
		write_process(w, &profile->processes[i], include_private);
	nx_json_end_array(w);
	nx_json_key(w, "device_profile_list");
	nx_json_system_devices(w, profile);
}

/* --- the document ------------------------------------------------------- */

#define MAX_COLUMNS 24
#define GROUP_MAX 320

enum value_kind { VALUE_TEXT, VALUE_NUMBER, VALUE_TRUE };

struct member {
	const char *key;
	enum value_kind kind;
	struct nx_slice text;
	uint64_t number;
};

struct json_export {
	struct nx_json_writer w;
	const struct nx_system_profile *profile;
	const struct nx_system_export_options *options;
	struct nx_event_reader reader;
	bool many_instances;
	struct member members[MAX_COLUMNS + NX_MAX_EVENT_FIELDS];
	size_t member_count;
};

static void write_place(struct json_export *x, uint32_t process, int32_t nc_idx)
{
	const struct nx_system_process *p = &x->profile->processes[process];

	nx_json_key_text(&x->w, "instance_id", p->instance_id);
	if (nc_idx >= 0)
		nx_json_key_digits(&x->w, "lnc_idx", (uint64_t)nc_idx);
	nx_json_key_digits(&x->w, "process_id", p->pid);
}

/* --- events ------------------------------------------------------------- */

/* Sorted by key. The first value of a key stays: our columns win over attributes. */
static void add_member(struct json_export *x, struct member m)
{
	size_t at = x->member_count;
	int order = 1;

	assert(x->member_count < sizeof(x->members) / sizeof(x->members[0]));
	while (at && (order = strcmp(m.key, x->members[at - 1].key)) < 0)
		at--;
	if (at && !order)
		return;
	memmove(&x->members[at + 1], &x->members[at], (x->member_count - at) * sizeof(m));
	x->members[at] = m;
	x->member_count++;
}

static void add_number(struct json_export *x, const char *key, uint64_t number)
{
	add_member(x, (struct member){.key = key, .kind = VALUE_NUMBER, .number = number});
}

static void add_text(struct json_export *x, const char *key, struct nx_slice text)
{
	add_member(x, (struct member){.key = key, .kind = VALUE_TEXT, .text = text});
}

static void add_flag(struct json_export *x, const char *key, bool is_set)
{
	if (is_set)
		add_member(x, (struct member){.key = key, .kind = VALUE_TRUE});
}

static struct nx_slice group_name(const struct json_export *x, const struct nx_system_event *e,
				  char group[GROUP_MAX])
{
	const char *instance = x->profile->processes[e->process].instance_id;
	char row[64];
	int len;

	if (e->source == NX_SOURCE_FRAMEWORK)
		snprintf(row, sizeof(row), "framework-%llu", (unsigned long long)e->thread_id);
	else if (e->nc_idx >= 0)
		snprintf(row, sizeof(row), "nrt-nc-%03d", e->nc_idx);
	else
		snprintf(row, sizeof(row), "nrt");
	len = x->many_instances ? snprintf(group, GROUP_MAX, "%s-%.250s", row, instance)
				: snprintf(group, GROUP_MAX, "%s", row);
	return nx_slice_of(group, (size_t)len);
}

static bool is_integer_field(const char *key)
{
	static const char *const keys[] = {
		"exec_id",     "device_core_idx", "nc_start_timestamp_ns", "nc_stop_timestamp_ns",
		"source_line", "step_num"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

static void add_fields(struct json_export *x, const struct nx_event_fields *fields)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct nx_event_field *f = &fields->items[i];
		uint64_t number;

		if (is_integer_field(f->key->text) && nx_event_field_number(f, &number))
			add_number(x, f->key->text, number);
		else
			add_text(x, f->key->text, f->text);
	}
}

static void add_columns(struct json_export *x, const struct nx_system_event *e)
{
	const char *thread =
		nx_system_thread_name(&x->profile->processes[e->process], e->thread_id);

	add_number(x, "duration", nx_event_duration_ns(e));
	add_text(x, "instance_id", nx_slice_text(x->profile->processes[e->process].instance_id));
	add_number(x, "id", e->id);
	add_text(x, "name", nx_slice_text(nx_system_event_name(x->profile, e)));
	add_number(x, "parent_id", e->parent_id);
	add_number(x, "thread_id", e->thread_id);
	if (thread)
		add_text(x, "thread_name", nx_slice_text(thread));
	add_number(x, "timestamp", e->start_ns);
	add_text(x, "timestamp_unit", nx_slice_text("ns"));
	add_text(x, "trace_event_source", nx_slice_text(nx_event_source_name(e->source)));
	add_number(x, "type", e->type);
	if (nx_event_has_worker(e))
		add_number(x, "worker_gid", e->worker_gid);
	if (e->flow_id)
		add_number(x, "flow_id", e->flow_id);
	if (e->nrta_seq_id)
		add_number(x, "nrta_seq_id", e->nrta_seq_id);
	if (e->call_flow_id)
		add_number(x, "call_flow_id", e->call_flow_id);
	if (e->stream_id != UINT32_MAX)
		add_number(x, "framework_stream_id", e->stream_id);
	if (e->flags & NX_EVENT_STEP)
		add_number(x, "step_num", e->step_num);
	add_flag(x, "is_instant", e->flags & NX_EVENT_INSTANT);
	add_flag(x, "is_unfinished", e->flags & NX_EVENT_UNFINISHED);
	add_flag(x, "is_orphan", e->flags & NX_EVENT_ORPHAN);
}

static void write_members(struct json_export *x)
{
	nx_json_begin_object(&x->w);
	for (size_t i = 0; i < x->member_count; i++) {
		const struct member *m = &x->members[i];

		nx_json_key(&x->w, m->key);
		if (m->kind == VALUE_NUMBER)
			nx_json_u64(&x->w, m->number);
		else if (m->kind == VALUE_TEXT)
			nx_json_slice(&x->w, m->text);
		else
			nx_json_bool(&x->w, true);
	}
	nx_json_end_object(&x->w);
}

static void write_event(void *context, const void *row)
{
	struct json_export *x = context;
	const struct nx_system_event *e = row;
	char group[GROUP_MAX], core[NX_NUMBER_MAX], pid[NX_NUMBER_MAX];
	struct nx_event_fields fields;

	x->member_count = 0;
	add_columns(x, e);
	add_text(x, "group", group_name(x, e, group));
	add_text(x, "process_id",
		 nx_slice_of(pid, nx_format_u64(pid, x->profile->processes[e->process].pid)));
	if (e->nc_idx >= 0)
		add_text(x, "lnc_idx", nx_slice_of(core, nx_format_i64(core, e->nc_idx)));
	nx_event_fields_read(&x->reader, e, &fields);
	add_fields(x, &fields);
	write_members(x);
	nx_progress_add(x->options->progress, 1);
}

/* --- samples ------------------------------------------------------------ */

/* The duration of a sample is its period: one second. */
static void write_memory(void *context, const void *row)
{
	struct json_export *x = context;
	const struct nx_memory_sample *s = row;
	const struct nx_system_process *p = &x->profile->processes[s->process];

	nx_json_begin_object(&x->w);
	nx_json_key_u64(&x->w, "duration", 1);
	nx_json_key_text(&x->w, "instance_id", p->instance_id);
	nx_json_key(&x->w, "percent_usage");
	if (p->memory_capacity_bytes)
		nx_json_f64(&x->w,
			    100.0 * (double)s->usage_bytes / (double)p->memory_capacity_bytes);
	else
		nx_json_null(&x->w);
	nx_json_key_u64(&x->w, "timestamp", s->time_ns);
	nx_json_key_u64(&x->w, "usage", s->usage_bytes);
	nx_json_end_object(&x->w);
}

static void write_cpu(void *context, const void *row)
{
	struct json_export *x = context;
	const struct nx_cpu_sample *s = row;

	nx_json_begin_object(&x->w);
	nx_json_key_digits(&x->w, "cpu_id", s->cpu_id);
	nx_json_key_u64(&x->w, "duration", 1);
	nx_json_key_text(&x->w, "instance_id", x->profile->processes[s->process].instance_id);
	nx_json_key_u64(&x->w, "timestamp", s->time_ns);
	nx_json_key_f32(&x->w, "util", s->util_percent);
	nx_json_end_object(&x->w);
}

static void write_counter(void *context, const void *row)
{
	struct json_export *x = context;
	const struct nx_counter_sample *s = row;

	nx_json_begin_object(&x->w);
	nx_json_key_text(&x->w, "name", x->profile->processes[s->process].names[s->name]);
	write_place(x, s->process, -1);
	nx_json_key_u64(&x->w, "timestamp", s->time_ns);
	nx_json_key(&x->w, "value");
	nx_json_f64(&x->w, s->value);
	nx_json_end_object(&x->w);
}

static void write_hbm(void *context, const void *row)
{
	struct json_export *x = context;
	const struct nx_hbm_sample *s = row;
	const struct nx_system_process *p = &x->profile->processes[s->process];

	nx_json_begin_object(&x->w);
	nx_json_key_text(&x->w, "category",
			 s->category < p->name_count ? p->names[s->category] : "unknown");
	nx_json_key_u64(&x->w, "device_idx", s->device_idx);
	nx_json_key_u64(&x->w, "hbm_idx", s->hbm_idx);
	write_place(x, s->process, s->nc_idx);
	nx_json_key_u64(&x->w, "timestamp", s->time_ns);
	nx_json_key_u64(&x->w, "total_usage", s->total_bytes);
	nx_json_key_u64(&x->w, "usage", s->category_bytes);
	nx_json_end_object(&x->w);
}

static void write_transfer(void *context, const void *row)
{
	struct json_export *x = context;
	const struct nx_host_transfer *t = row;
	uint64_t duration_ns = t->end_ns > t->start_ns ? t->end_ns - t->start_ns : 0;

	nx_json_begin_object(&x->w);
	nx_json_key(&x->w, "bandwidth"); /* bytes per second */
	if (duration_ns)
		nx_json_f64(&x->w, (double)t->size_bytes * 1e9 / (double)duration_ns);
	else
		nx_json_null(&x->w);
	nx_json_key_text(&x->w, "direction", nx_direction_name(t->direction));
	nx_json_key_u64(&x->w, "duration", duration_ns);
	write_place(x, t->process, t->nc_idx);
	nx_json_key_u64(&x->w, "size", t->size_bytes);
	nx_json_key_u64(&x->w, "timestamp", t->start_ns);
	nx_json_end_object(&x->w);
}

static enum nx_status write_tables(struct json_export *x, struct nx_error *err)
{
	static const struct {
		const char *section;
		enum nx_system_table table;
		nx_row_fn write;
	} tables[] = {
		{"trace_events", NX_SYSTEM_EVENT, write_event},
		{"mem_usage", NX_SYSTEM_MEMORY, write_memory},
		{"cpu_util", NX_SYSTEM_CPU, write_cpu},
		{"hbm_usage", NX_SYSTEM_HBM, write_hbm},
		{"host_device_transfers", NX_SYSTEM_TRANSFER, write_transfer},
		{"counters", NX_SYSTEM_COUNTER, write_counter},
	};
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !st; i++) {
		/* only programs that profile themselves have counters */
		if (tables[i].table == NX_SYSTEM_COUNTER && !x->profile->rows[NX_SYSTEM_COUNTER])
			continue;
		nx_json_key(&x->w, tables[i].section);
		nx_json_begin_array(&x->w);
		st = nx_system_scan(x->profile, tables[i].table, tables[i].write, x, err);
		nx_json_end_array(&x->w);
	}
	return st ? st : nx_json_system_steps(&x->w, x->profile, true, err);
}

enum nx_status nx_system_export_json(const struct nx_system_profile *profile,
				     const struct nx_system_export_options *options,
				     struct nx_output *out, struct nx_error *err)
{
	struct json_export x = {.profile = profile, .options = options};
	enum nx_status st;

	nx_event_reader_open(&x.reader, profile);
	for (uint32_t i = 1; i < profile->process_count; i++)
		x.many_instances |= strcmp(profile->processes[i].instance_id,
					   profile->processes[0].instance_id) != 0;
	nx_json_init_output(&x.w, out, options->pretty);
	nx_json_begin_object(&x.w);
	nx_json_system_stated(&x.w, profile, options->include_private);
	st = write_tables(&x, err);
	nx_json_key(&x.w, "warnings");
	nx_json_warnings(&x.w, &profile->warnings);
	nx_json_end_object(&x.w);
	nx_output_write(out, "\n", 1);
	nx_event_reader_close(&x.reader);
	return st;
}
