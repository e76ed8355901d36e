/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SystemProfileEvents. What has no column of its own goes into extra_attributes_json, under the
 * keys of the JSON export: all attributes, and what we found out about the event.
 */
#include <string.h>

#include "base/json_writer.h"
#include "model/system_event.h"
#include "tables/system_fillers.h"

struct event_rows {
	const struct nx_system_profile *profile;
	struct nx_table_sink *sink;
	struct nx_event_reader reader;
	struct nx_event_fields fields;
	struct nx_bytes extra; /* JSON of the event at hand */
	struct nx_row row;
};

/* Our own findings; an attribute called like one of them gives way to it. */
static const char *const own_keys[] = {"parent_id", "is_instant", "is_unfinished", "is_orphan"};
static const uint8_t own_flags[] = {0, NX_EVENT_INSTANT, NX_EVENT_UNFINISHED, NX_EVENT_ORPHAN};
#define OWN_KEYS (sizeof(own_keys) / sizeof(own_keys[0]))

static void write_own(struct nx_json_writer *w, const struct nx_system_event *e)
{
	char digits[NX_NUMBER_MAX];

	if (e->parent_id) {
		nx_json_key(w, own_keys[0]);
		nx_json_slice(w, nx_slice_of(digits, nx_format_u64(digits, e->parent_id)));
	}
	for (size_t i = 1; i < OWN_KEYS; i++)
		if (e->flags & own_flags[i])
			nx_json_key_text(w, own_keys[i], "true");
}

static bool is_own(const char *key)
{
	for (size_t i = 0; i < OWN_KEYS; i++)
		if (!strcmp(own_keys[i], key))
			return true;
	return false;
}

/* False when there is nothing to tell. */
static bool write_extra(struct event_rows *rows, const struct nx_system_event *e)
{
	struct nx_json_writer w;
	size_t empty_len;

	nx_vec_clear(&rows->extra);
	nx_json_init_bytes(&w, &rows->extra, false);
	nx_json_begin_object(&w);
	empty_len = rows->extra.len;
	write_own(&w, e);
	for (size_t i = 0; i < rows->fields.count; i++) {
		const struct nx_event_field *f = &rows->fields.items[i];

		if (is_own(f->key))
			continue;
		nx_json_key(&w, f->key);
		nx_json_slice(&w, f->text);
	}
	if (rows->extra.len == empty_len)
		return false;
	nx_json_end_object(&w);
	return true;
}

static void put_times(struct nx_row *row, const struct nx_system_event *e)
{
	uint64_t duration_ns = nx_event_duration_ns(e);

	nx_row_put_u64(row, NX_COL_SystemProfileEvents_start_ts, e->start_ns);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_end_ts, e->start_ns + duration_ns);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_duration_ns, duration_ns);
}

static void put_place(struct event_rows *rows, const struct nx_system_event *e)
{
	const struct nx_system_process *process = &rows->profile->processes[e->process];
	const struct nx_event_field *core = NULL;
	struct nx_row *row = &rows->row;

	nx_row_put_text(row, NX_COL_SystemProfileEvents_instance_id, process->instance_id);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_process_id, process->pid);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_thread_id, e->thread_id);
	if (e->nc_idx >= 0)
		nx_row_put_i64(row, NX_COL_SystemProfileEvents_nc_idx, e->nc_idx);
	if (e->source == NX_SOURCE_HARDWARE)
		core = nx_event_fields_find(&rows->fields, "device_core_idx");
	if (core && core->is_number)
		nx_row_put_u64(row, NX_COL_SystemProfileEvents_pcore_idx, core->number);
	if (nx_event_has_worker(e))
		nx_row_put_i64(row, NX_COL_SystemProfileEvents_worker_gid, e->worker_gid);
}

static void put_event(void *context, const void *item)
{
	struct event_rows *rows = context;
	const struct nx_system_event *e = item;
	struct nx_row *row = &rows->row;
	char flow_digits[NX_NUMBER_MAX], stream_digits[NX_NUMBER_MAX];
	struct nx_slice flow;

	nx_event_fields_read(&rows->reader, e, &rows->fields);
	nx_row_put_i64(row, NX_COL_SystemProfileEvents_id, (int64_t)e->id);
	nx_row_put_text(row, NX_COL_SystemProfileEvents_name,
			nx_system_event_name(rows->profile, e));
	nx_row_put_text(row, NX_COL_SystemProfileEvents_trace_event_source,
			nx_event_source_name(e->source));
	put_times(row, e);
	put_place(rows, e);
	if (e->flow_id) {
		flow = nx_slice_of(flow_digits, nx_format_u64(flow_digits, e->flow_id));
		nx_row_put_list_text(row, NX_COL_SystemProfileEvents_flow_id, &flow, 1);
	}
	if (e->stream_id != UINT32_MAX)
		nx_row_put_slice(row, NX_COL_SystemProfileEvents_framework_stream_id,
				 nx_slice_of(stream_digits,
					     nx_format_u64(stream_digits, e->stream_id)));
	if (write_extra(rows, e))
		nx_row_put_slice(row, NX_COL_SystemProfileEvents_extra_attributes_json,
				 nx_slice_of(rows->extra.items, rows->extra.len));
	nx_table_sink_put(rows->sink, row);
}

enum nx_status nx_fill_system_events(struct nx_system_fill *fill)
{
	struct event_rows rows = {.profile = fill->profile, .sink = fill->sink};
	enum nx_status st;

	nx_event_reader_open(&rows.reader, fill->profile);
	nx_row_init(&rows.row, NX_SCHEMA_SystemProfileEvents);
	nx_table_sink_begin(fill->sink, NX_SCHEMA_SystemProfileEvents);
	st = nx_system_scan(fill->profile, NX_SYSTEM_EVENT, put_event, &rows, fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_SystemProfileEvents);
	nx_event_reader_close(&rows.reader);
	nx_vec_release(&rows.extra);
	return st;
}
