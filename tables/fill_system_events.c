/* SPDX-License-Identifier: Apache-2.0 */
/* SystemProfileEvents. Attributes without a column go into extra_attributes_json, under the keys of
 * the JSON export. */
#include <assert.h>
#include <string.h>

#include "base/json_text.h"
#include "base/json_writer.h"
#include "model/system_event.h"
#include "tables/fillers.h"

/* Keys up to this length are copied with a fixed size, so buffers have as much room. */
#define SHORT_KEY_BYTES ((size_t)32)
#define MEMBER_SLACK (SHORT_KEY_BYTES + 4)

struct prepared_key {
	struct nx_slice text; /* as in the JSON, with quotes and colon; empty for our own keys */
	bool is_ready;
};

struct event_rows {
	const struct nx_system_profile *profile;
	struct nx_table_sink *sink;
	struct nx_event_reader reader;
	struct nx_event_fields fields;
	const struct nx_event_key *core;  /* of the attribute with the physical core */
	NX_VEC(struct prepared_key) keys; /* by the reader's number */
	struct nx_arena arena;
	struct nx_bytes extra; /* JSON of the event at hand */
	struct nx_row row;
};

/* Keys of our own; an attribute of the same name is left out. */
enum { OWN_PARENT, OWN_SEQ, OWN_STEP, OWN_THREAD_NAME, OWN_FLAGS };
static const char *const own_keys[] = {"parent_id",  "nrta_seq_id",   "step_num", "thread_name",
				       "is_instant", "is_unfinished", "is_orphan"};
static const char own_members[][SHORT_KEY_BYTES + 1] = {
	"\"parent_id\":",  "\"nrta_seq_id\":",	 "\"step_num\":", "\"thread_name\":",
	"\"is_instant\":", "\"is_unfinished\":", "\"is_orphan\":"};
static const uint8_t own_flags[] = {
	0, 0, NX_EVENT_STEP, 0, NX_EVENT_INSTANT, NX_EVENT_UNFINISHED, NX_EVENT_ORPHAN};
#define OWN_KEYS (sizeof(own_keys) / sizeof(own_keys[0]))
static_assert(sizeof(own_members) / sizeof(own_members[0]) == OWN_KEYS, "a member for each key");
static_assert(sizeof(own_flags) == OWN_KEYS, "a flag for each key");

static struct nx_slice prepare_key(struct event_rows *rows, const struct nx_event_key *key)
{
	static const struct prepared_key unknown;
	struct nx_bytes quoted = {0};
	struct nx_json_writer w;
	struct prepared_key *prepared;
	char *text;

	while (rows->keys.len <= key->idx)
		nx_vec_push(&rows->keys, unknown);
	prepared = &rows->keys.items[key->idx];
	prepared->is_ready = true;
	for (size_t i = 0; i < OWN_KEYS; i++)
		if (!strcmp(own_keys[i], key->text))
			return prepared->text;
	nx_json_init_bytes(&w, &quoted, false);
	nx_json_text(&w, key->text);
	nx_vec_push(&quoted, ':');
	text = NX_NEW_ARRAY(&rows->arena, char, quoted.len + SHORT_KEY_BYTES);
	memcpy(text, quoted.items, quoted.len);
	prepared->text = nx_slice_of(text, quoted.len);
	nx_vec_release(&quoted);
	return prepared->text;
}

/* Nearly all values are digits or names, which need no escapes, and nearly all keys are short: both
 * are copied without a call. */
static inline void put_member(struct nx_bytes *out, struct nx_slice key, struct nx_slice value)
{
	struct nx_json_writer w;
	uint8_t *at;

	nx_vec_reserve(out, out->len + key.len + value.len + MEMBER_SLACK);
	at = out->items + out->len;
	*at++ = ',';
	if (key.len <= SHORT_KEY_BYTES)
		memcpy(at, key.data, SHORT_KEY_BYTES);
	else
		memcpy(at, key.data, key.len);
	at += key.len;
	out->len += 1 + key.len;
	*at++ = '"';
	if (nx_json_copy_plain(at, value.data, value.len)) {
		at[value.len] = '"';
		out->len += value.len + 2;
		return;
	}
	nx_json_init_bytes(&w, out, false);
	nx_json_slice(&w, value);
}

static void put_own(struct nx_bytes *out, const struct nx_system_event *e, const char *thread)
{
	char digits[NX_NUMBER_MAX];

	if (e->parent_id)
		put_member(out, nx_slice_text(own_members[OWN_PARENT]),
			   nx_slice_of(digits, nx_format_u64(digits, e->parent_id)));
	if (thread)
		put_member(out, nx_slice_text(own_members[OWN_THREAD_NAME]), nx_slice_text(thread));
	if (!e->flags)
		return;
	if (e->nrta_seq_id)
		put_member(out, nx_slice_text(own_members[OWN_SEQ]),
			   nx_slice_of(digits, nx_format_u64(digits, e->nrta_seq_id)));
	if (e->flags & NX_EVENT_STEP)
		put_member(out, nx_slice_text(own_members[OWN_STEP]),
			   nx_slice_of(digits, nx_format_i64(digits, (int64_t)e->step_num)));
	for (size_t i = OWN_FLAGS; i < OWN_KEYS; i++)
		if (e->flags & own_flags[i])
			put_member(out, nx_slice_text(own_members[i]), nx_slice_text("true"));
}

/* False if there is nothing to write. */
static bool write_extra(struct event_rows *rows, const struct nx_system_event *e)
{
	struct nx_bytes *out = &rows->extra;

	nx_vec_clear(out);
	put_own(out, e, nx_system_thread_name(&rows->profile->processes[e->process], e->thread_id));
	for (size_t i = 0; i < rows->fields.count; i++) {
		const struct nx_event_key *name = rows->fields.items[i].key;
		bool is_ready = name->idx < rows->keys.len && rows->keys.items[name->idx].is_ready;
		struct nx_slice key =
			is_ready ? rows->keys.items[name->idx].text : prepare_key(rows, name);

		if (key.len)
			put_member(out, key, rows->fields.items[i].text);
	}
	if (!out->len)
		return false;
	out->items[0] = '{'; /* where the first member has its comma */
	nx_vec_push(out, '}');
	return true;
}

static void put_place(struct event_rows *rows, const struct nx_system_event *e)
{
	const struct nx_system_process *process = &rows->profile->processes[e->process];
	const struct nx_event_field *core = NULL;
	struct nx_row *row = &rows->row;
	uint64_t core_idx;

	nx_row_put_text(row, NX_COL_SystemProfileEvents_instance_id, process->instance_id);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_process_id, process->pid);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_thread_id, e->thread_id);
	if (e->nc_idx >= 0)
		nx_row_put_i64(row, NX_COL_SystemProfileEvents_nc_idx, e->nc_idx);
	if (e->source == NX_SOURCE_HARDWARE)
		core = nx_event_fields_at(&rows->fields, rows->core);
	if (core && nx_event_field_number(core, &core_idx))
		nx_row_put_u64(row, NX_COL_SystemProfileEvents_pcore_idx, core_idx);
	if (nx_event_has_worker(e))
		nx_row_put_i64(row, NX_COL_SystemProfileEvents_worker_gid, e->worker_gid);
}

static void put_event(void *context, const void *item)
{
	struct event_rows *rows = context;
	const struct nx_system_event *e = item;
	struct nx_row *row = &rows->row;
	uint64_t duration_ns = nx_event_duration_ns(e);
	char flow_digits[2][NX_NUMBER_MAX], stream_digits[NX_NUMBER_MAX];
	struct nx_slice flows[2];

	nx_event_fields_read(&rows->reader, e, &rows->fields);
	nx_row_put_i64(row, NX_COL_SystemProfileEvents_id, (int64_t)e->id);
	nx_row_put_text(row, NX_COL_SystemProfileEvents_name,
			nx_system_event_name(rows->profile, e));
	nx_row_put_text(row, NX_COL_SystemProfileEvents_trace_event_source,
			nx_event_source_name(e->source));
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_start_ts, e->start_ns);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_end_ts, e->start_ns + duration_ns);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_duration_ns, duration_ns);
	put_place(rows, e);
	if (e->flow_id) {
		flows[0] = nx_slice_of(flow_digits[0], nx_format_u64(flow_digits[0], e->flow_id));
		flows[1] =
			nx_slice_of(flow_digits[1], nx_format_u64(flow_digits[1], e->call_flow_id));
		nx_row_put_list_text(row, NX_COL_SystemProfileEvents_flow_id, flows,
				     e->call_flow_id ? 2 : 1);
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
	rows.core = nx_event_reader_key(&rows.reader, "device_core_idx");
	nx_begin_table(fill->sink, &rows.row, NX_SCHEMA_SystemProfileEvents);
	st = nx_system_scan(fill->profile, NX_SYSTEM_EVENT, put_event, &rows, fill->err);
	nx_table_sink_end(fill->sink, NX_SCHEMA_SystemProfileEvents);
	nx_event_reader_close(&rows.reader);
	nx_vec_release(&rows.extra);
	nx_vec_release(&rows.keys);
	nx_arena_release(&rows.arena);
	return st;
}
