/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SystemProfileEvents. Attributes without a column go into extra_attributes_json, under the keys of
 * the JSON export.
 *
 * Two threads share the work: this one reads events and makes the JSON, batch by batch, and the
 * other one puts the rows of the batch before into the sink. Rows keep their order, because only
 * one batch is handed over at a time.
 */
#include <assert.h>
#include <string.h>

#include "base/json_text.h"
#include "base/json_writer.h"
#include "base/workers.h"
#include "model/system_event.h"
#include "tables/fillers.h"

/* Keys up to this length are copied with a fixed size, so buffers have as much room. */
#define SHORT_KEY_BYTES ((size_t)32)
#define MEMBER_SLACK (SHORT_KEY_BYTES + 4)

struct prepared_key {
	struct nx_slice text; /* as in the JSON, with quotes and colon; empty for our own keys */
	bool is_ready;
};

/* Large enough that handing one over costs nothing, small enough for the caches. */
#define BATCH_EVENTS ((size_t)2048)

struct made_event {
	struct nx_system_event event;
	size_t extra_at; /* in the batch's extra */
	uint32_t extra_len;
	bool has_core;
	uint64_t core_idx; /* physical */
};

struct event_batch {
	struct nx_job job;
	struct event_rows *rows;
	struct made_event *events;
	size_t count;
	struct nx_bytes extra; /* JSON of its events */
};

struct event_rows {
	const struct nx_system_profile *profile;
	struct nx_workers *workers; /* NULL: one thread does both */
	struct event_batch batches[2];
	unsigned filling; /* the batch that is being made; the other one may be in the sink's hands
			   */
	/* of the thread that makes batches */
	struct nx_event_reader reader;
	struct nx_event_fields fields;
	const struct nx_event_key *core;  /* of the attribute with the physical core */
	NX_VEC(struct prepared_key) keys; /* by the reader's number */
	struct nx_arena arena;
	/* of the thread that puts them */
	struct nx_table_sink *sink;
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

/* --- making batches -------------------------------------------------------------- */

/* Appends the JSON object of the event's attributes; nothing if there are none. */
static void write_extra(struct event_rows *rows, const struct nx_system_event *e,
			struct nx_bytes *out)
{
	size_t first = out->len;

	put_own(out, e, nx_system_thread_name(&rows->profile->processes[e->process], e->thread_id));
	for (size_t i = 0; i < rows->fields.count; i++) {
		const struct nx_event_key *name = rows->fields.items[i].key;
		bool is_ready = name->idx < rows->keys.len && rows->keys.items[name->idx].is_ready;
		struct nx_slice key =
			is_ready ? rows->keys.items[name->idx].text : prepare_key(rows, name);

		if (key.len)
			put_member(out, key, rows->fields.items[i].text);
	}
	if (out->len == first)
		return;
	out->items[first] = '{'; /* where the first member has its comma */
	nx_vec_push(out, '}');
}

static void hand_over(struct event_rows *rows)
{
	struct event_batch *batch = &rows->batches[rows->filling];

	if (!rows->workers) {
		batch->job.run(batch);
		return;
	}
	rows->filling = !rows->filling;
	nx_workers_await(rows->workers, &rows->batches[rows->filling].job);
	if (!nx_workers_add(rows->workers, &batch->job))
		batch->job.run(batch);
}

static void make_event(void *context, const void *item)
{
	struct event_rows *rows = context;
	struct event_batch *batch = &rows->batches[rows->filling];
	struct made_event *made = &batch->events[batch->count++];
	const struct nx_event_field *core = NULL;

	made->event = *(const struct nx_system_event *)item;
	nx_event_fields_read(&rows->reader, &made->event, &rows->fields);
	if (made->event.source == NX_SOURCE_HARDWARE)
		core = nx_event_fields_at(&rows->fields, rows->core);
	made->has_core = core && nx_event_field_number(core, &made->core_idx);
	made->extra_at = batch->extra.len;
	write_extra(rows, &made->event, &batch->extra);
	made->extra_len = (uint32_t)(batch->extra.len - made->extra_at);
	if (batch->count == BATCH_EVENTS)
		hand_over(rows);
}

/* --- putting them ---------------------------------------------------------------- */

static void put_place(struct nx_row *row, const struct nx_system_profile *profile,
		      const struct made_event *made)
{
	const struct nx_system_event *e = &made->event;
	const struct nx_system_process *process = &profile->processes[e->process];

	nx_row_put_text(row, NX_COL_SystemProfileEvents_instance_id, process->instance_id);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_process_id, process->pid);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_thread_id, e->thread_id);
	if (e->nc_idx >= 0)
		nx_row_put_i64(row, NX_COL_SystemProfileEvents_nc_idx, e->nc_idx);
	if (made->has_core)
		nx_row_put_u64(row, NX_COL_SystemProfileEvents_pcore_idx, made->core_idx);
	if (nx_event_has_worker(e))
		nx_row_put_i64(row, NX_COL_SystemProfileEvents_worker_gid, e->worker_gid);
}

static void put_event(struct event_rows *rows, const struct made_event *made,
		      const struct nx_bytes *extra)
{
	const struct nx_system_event *e = &made->event;
	struct nx_row *row = &rows->row;
	uint64_t duration_ns = nx_event_duration_ns(e);
	char flow_digits[2][NX_NUMBER_MAX], stream_digits[NX_NUMBER_MAX];
	struct nx_slice flows[2];

	nx_row_put_i64(row, NX_COL_SystemProfileEvents_id, (int64_t)e->id);
	nx_row_put_text(row, NX_COL_SystemProfileEvents_name,
			nx_system_event_name(rows->profile, e));
	nx_row_put_text(row, NX_COL_SystemProfileEvents_trace_event_source,
			nx_event_source_name(e->source));
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_start_ts, e->start_ns);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_end_ts, e->start_ns + duration_ns);
	nx_row_put_u64(row, NX_COL_SystemProfileEvents_duration_ns, duration_ns);
	put_place(row, rows->profile, made);
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
	if (made->extra_len)
		nx_row_put_slice(row, NX_COL_SystemProfileEvents_extra_attributes_json,
				 nx_slice_of(extra->items + made->extra_at, made->extra_len));
	nx_table_sink_put(rows->sink, row);
}

static void put_batch(void *context)
{
	struct event_batch *batch = context;

	for (size_t i = 0; i < batch->count; i++)
		put_event(batch->rows, &batch->events[i], &batch->extra);
	batch->count = 0;
	nx_vec_clear(&batch->extra);
}

/* --- life ------------------------------------------------------------------------ */

static void begin(struct event_rows *rows, struct nx_system_fill *fill)
{
	rows->profile = fill->profile;
	rows->sink = fill->sink;
	if (fill->profile->rows[NX_SYSTEM_EVENT] > BATCH_EVENTS && nx_workers_default_count(2) > 1)
		rows->workers = nx_workers_new("nx-rows", 1, 0);
	for (size_t i = 0; i < 2; i++) {
		struct event_batch *batch = &rows->batches[i];

		batch->rows = rows;
		batch->events = nx_heap_alloc(BATCH_EVENTS * sizeof(*batch->events));
		batch->job = (struct nx_job){.run = put_batch, .context = batch};
	}
	nx_event_reader_open(&rows->reader, fill->profile);
	rows->core = nx_event_reader_key(&rows->reader, "device_core_idx");
}

/* Puts what is left. */
static void end(struct event_rows *rows)
{
	hand_over(rows);
	for (size_t i = 0; i < 2; i++) {
		if (rows->workers)
			nx_workers_await(rows->workers, &rows->batches[i].job);
		nx_heap_free(rows->batches[i].events);
		nx_vec_release(&rows->batches[i].extra);
	}
	nx_workers_free(rows->workers);
	nx_event_reader_close(&rows->reader);
	nx_vec_release(&rows->keys);
	nx_arena_release(&rows->arena);
}

enum nx_status nx_fill_system_events(struct nx_system_fill *fill)
{
	struct event_rows *rows = nx_heap_alloc(sizeof(*rows));
	enum nx_status st;

	memset(rows, 0, sizeof(*rows));
	begin(rows, fill);
	nx_begin_table(fill->sink, &rows->row, NX_SCHEMA_SystemProfileEvents);
	st = nx_system_scan(fill->profile, NX_SYSTEM_EVENT, make_event, rows, fill->err);
	end(rows);
	nx_table_sink_end(fill->sink, NX_SCHEMA_SystemProfileEvents);
	nx_heap_free(rows);
	return st;
}
