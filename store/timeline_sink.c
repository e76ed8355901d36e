/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline_sink.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "store/timeline_writer.h"

#define NONE UINT16_MAX
#define LABEL_MAX ((size_t)512) /* bytes; longer ones are cut */
#define MAX_LABEL_COLUMNS 3
#define RECENT_BITS 10
#define PLACE_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* A column and what is written before its value. */
struct label_part {
	const char *prefix;
	uint16_t column;
};

struct rule {
	enum nx_schema_table_id table;
	enum nx_track_kind kind;
	const char *title; /* of the track, before its parts; may be "" */
	const char *unit;
	uint16_t start, end, duration; /* columns; of a span either end or duration, or none */
	uint16_t what;		       /* a span's name, a counter's value */
	struct label_part group[MAX_LABEL_COLUMNS], track[MAX_LABEL_COLUMNS];
};

#define C(table, column) NX_COL_##table##_##column
#define NO_PART                                                                                    \
	{                                                                                          \
		NULL, NONE                                                                         \
	}

/* Ranked in this order below their group. */
static const struct rule rules[] = {
	{NX_SCHEMA_Instruction,
	 NX_TRACK_SPANS,
	 "",
	 "",
	 C(Instruction, start_ts),
	 C(Instruction, end_ts),
	 NONE,
	 C(Instruction, opcode),
	 {{"core ", C(Instruction, pcore_idx)}, NO_PART},
	 {{"", C(Instruction, timeline_track)}, NO_PART}},
	{NX_SCHEMA_CcOp,
	 NX_TRACK_SPANS,
	 "collectives",
	 "",
	 C(CcOp, start_ts),
	 C(CcOp, end_ts),
	 NONE,
	 C(CcOp, operation),
	 {NO_PART},
	 {{"stream ", C(CcOp, stream_id)}, NO_PART}},
	{NX_SCHEMA_DmaPacketAggregated,
	 NX_TRACK_SPANS,
	 "transfers",
	 "",
	 C(DmaPacketAggregated, start_ts),
	 C(DmaPacketAggregated, end_ts),
	 NONE,
	 C(DmaPacketAggregated, variable),
	 {{"core ", C(DmaPacketAggregated, pcore_idx)}, NO_PART},
	 {{"", C(DmaPacketAggregated, queue_name)}, NO_PART}},
	{NX_SCHEMA_DmaPacket,
	 NX_TRACK_SPANS,
	 "DMA",
	 "",
	 C(DmaPacket, start_ts),
	 C(DmaPacket, end_ts),
	 NONE,
	 C(DmaPacket, queue_type),
	 {{"core ", C(DmaPacket, pcore_idx)}, NO_PART},
	 {{"engine ", C(DmaPacket, engine_idx)}, {"", C(DmaPacket, queue_name)}, NO_PART}},
	{NX_SCHEMA_PendingDma,
	 NX_TRACK_COUNTER,
	 "pending DMA",
	 "",
	 C(PendingDma, timestamp),
	 NONE,
	 NONE,
	 C(PendingDma, value),
	 {{"core ", C(PendingDma, pcore_idx)}, NO_PART},
	 {NO_PART}},
	{NX_SCHEMA_DmaUsage,
	 NX_TRACK_COUNTER,
	 "DMA throughput",
	 "bytes/s",
	 C(DmaUsage, timestamp),
	 NONE,
	 NONE,
	 C(DmaUsage, current_throughput),
	 {{"core ", C(DmaUsage, pcore_idx)}, NO_PART},
	 {NO_PART}},
	{NX_SCHEMA_HbmUsage,
	 NX_TRACK_COUNTER,
	 "HBM throughput",
	 "bytes/s",
	 C(HbmUsage, timestamp),
	 NONE,
	 NONE,
	 C(HbmUsage, current_throughput),
	 {{"core ", C(HbmUsage, pcore_idx)}, NO_PART},
	 {NO_PART}},
	{NX_SCHEMA_SbufUsage,
	 NX_TRACK_COUNTER,
	 "SBUF usage",
	 "",
	 C(SbufUsage, timestamp),
	 NONE,
	 NONE,
	 C(SbufUsage, avg_util_percent),
	 {{"core ", C(SbufUsage, pcore_idx)}, NO_PART},
	 {NO_PART}},
	{NX_SCHEMA_PsumUsage,
	 NX_TRACK_COUNTER,
	 "PSUM usage",
	 "",
	 C(PsumUsage, timestamp),
	 NONE,
	 NONE,
	 C(PsumUsage, avg_util_percent),
	 {{"core ", C(PsumUsage, pcore_idx)}, NO_PART},
	 {NO_PART}},
	{NX_SCHEMA_Throttle,
	 NX_TRACK_SPANS,
	 "throttling",
	 "",
	 C(Throttle, timestamp),
	 NONE,
	 C(Throttle, duration),
	 C(Throttle, type),
	 {{"core ", C(Throttle, pcore_idx)}, NO_PART},
	 {NO_PART}},
	{NX_SCHEMA_SemaphoreUpdate,
	 NX_TRACK_COUNTER,
	 "semaphore",
	 "",
	 C(SemaphoreUpdate, timestamp),
	 NONE,
	 NONE,
	 C(SemaphoreUpdate, value),
	 {{"core ", C(SemaphoreUpdate, pcore_idx)}, NO_PART},
	 {{"", C(SemaphoreUpdate, id)}, NO_PART}},
	{NX_SCHEMA_Error,
	 NX_TRACK_SPANS,
	 "errors",
	 "",
	 C(Error, timestamp),
	 NONE,
	 NONE,
	 C(Error, description),
	 {{"core ", C(Error, pcore_idx)}, NO_PART},
	 {NO_PART}},
	{NX_SCHEMA_SystemProfileEvents,
	 NX_TRACK_SPANS,
	 "",
	 "",
	 C(SystemProfileEvents, start_ts),
	 C(SystemProfileEvents, end_ts),
	 NONE,
	 C(SystemProfileEvents, name),
	 {{"", C(SystemProfileEvents, instance_id)},
	  {"pid ", C(SystemProfileEvents, process_id)},
	  NO_PART},
	 {{"", C(SystemProfileEvents, trace_event_source)},
	  {"nc ", C(SystemProfileEvents, nc_idx)},
	  {"thread ", C(SystemProfileEvents, thread_id)}}},
	{NX_SCHEMA_SystemProfileHbmUsage,
	 NX_TRACK_COUNTER,
	 "HBM",
	 "bytes",
	 C(SystemProfileHbmUsage, timestamp),
	 NONE,
	 NONE,
	 C(SystemProfileHbmUsage, total_bytes),
	 {{"", C(SystemProfileHbmUsage, instance_id)}, NO_PART},
	 {{"device ", C(SystemProfileHbmUsage, device_idx)},
	  {"", C(SystemProfileHbmUsage, hbm_idx)},
	  NO_PART}},
	{NX_SCHEMA_CpuUsage,
	 NX_TRACK_COUNTER,
	 "CPU",
	 "percent",
	 C(CpuUsage, timestamp),
	 NONE,
	 NONE,
	 C(CpuUsage, util_percent),
	 {{"", C(CpuUsage, instance_id)}, NO_PART},
	 {{"", C(CpuUsage, cpu_id)}, NO_PART}},
	{NX_SCHEMA_HostMemUsage,
	 NX_TRACK_COUNTER,
	 "host memory",
	 "bytes",
	 C(HostMemUsage, timestamp),
	 NONE,
	 NONE,
	 C(HostMemUsage, used_bytes),
	 {{"", C(HostMemUsage, instance_id)}, NO_PART},
	 {NO_PART}},
};

struct recent_track {
	const struct rule *rule; /* NULL: not used yet */
	struct nx_bytes key;	 /* as look_up_track writes it */
	uint32_t track;
};

struct recent_name {
	bool is_used;
	struct nx_bytes text;
	uint32_t name;
};

struct nx_timeline_sink {
	struct nx_table_sink sink;
	struct nx_table_sink *target;
	struct nx_timeline_writer *writer;
	const struct rule *rules[NX_SCHEMA_TABLE_COUNT];
	uint64_t row_counts[NX_SCHEMA_TABLE_COUNT];
	struct nx_text_map tracks; /* what look_up_track writes into key -> track */
	struct nx_text_map groups; /* by name */
	struct nx_arena arena;
	/* what rows asked for lately, each at a place that follows from what they ask with */
	struct recent_track recent_tracks[1 << RECENT_BITS];
	struct recent_name recent_names[1 << RECENT_BITS];
};

/* --- labels ---------------------------------------------------------------- */

struct label {
	char text[LABEL_MAX];
	size_t len;
};

static void add_text(struct label *label, struct nx_slice text)
{
	size_t room = LABEL_MAX - label->len, len = text.len < room ? text.len : room;

	/* Where it is cut no character is torn. */
	while (len && len < text.len && nx_utf8_is_tail(text.data[len]))
		len--;
	if (len)
		memcpy(label->text + label->len, text.data, len);
	label->len += len;
}

static void add_cell(struct label *label, const struct nx_row *row, unsigned column)
{
	char digits[24];

	if (row->kinds[column] == NX_CELL_TEXT) {
		add_text(label, row->cells[column].text);
	} else if (row->kinds[column] == NX_CELL_I64) {
		snprintf(digits, sizeof(digits), "%lld", (long long)row->cells[column].i64);
		add_text(label, nx_slice_text(digits));
	}
}

/* Parts are separated by blanks; what a row does not have is left out. */
static struct nx_slice make_label(struct label *label, const char *title, const struct nx_row *row,
				  const struct label_part *parts)
{
	label->len = 0;
	add_text(label, nx_slice_text(title));
	for (size_t i = 0; i < MAX_LABEL_COLUMNS && parts[i].prefix; i++) {
		if (row->kinds[parts[i].column] == NX_CELL_NULL)
			continue;
		if (label->len)
			add_text(label, nx_slice_text(" "));
		add_text(label, nx_slice_text(parts[i].prefix));
		add_cell(label, row, parts[i].column);
	}
	return nx_slice_of(label->text, label->len);
}

/* --- tracks ---------------------------------------------------------------- */

static uint32_t group_track(struct nx_timeline_sink *s, struct nx_slice label)
{
	struct nx_track track = {.kind = NX_TRACK_GROUP, .parent = NX_TRACK_NONE, .name = label};
	uint64_t at;

	if (!label.len)
		return NX_TRACK_NONE;
	if (nx_text_map_get(&s->groups, label, &at))
		return (uint32_t)at;
	track.rank = (int64_t)s->groups.len;
	at = nx_timeline_writer_add_track(s->writer, &track);
	nx_text_map_put(&s->groups, nx_slice_of(nx_arena_copy(&s->arena, label), label.len), at);
	return (uint32_t)at;
}

static uint32_t new_track(struct nx_timeline_sink *s, const struct rule *rule,
			  const struct nx_row *row)
{
	struct label group, own;
	struct nx_track track = {
		.kind = rule->kind,
		.parent = group_track(s, make_label(&group, "", row, rule->group)),
		.name = make_label(&own, rule->title, row, rule->track),
		.unit = nx_slice_text(rule->unit),
		.rank = (int64_t)(rule - rules) << 32 | (int64_t)(s->tracks.len & 0xffffffff),
		.keys = {rule->table},
	};

	if (!track.name.len)
		track.name = nx_slice_text(nx_schema_tables[rule->table].name);
	return nx_timeline_writer_add_track(s->writer, &track);
}

/* Cells as they are: making a label for each row would take longer than all the rest. */
static void add_key(struct nx_bytes *key, const struct nx_row *row, const struct label_part *parts)
{
	for (size_t i = 0; i < MAX_LABEL_COLUMNS && parts[i].prefix; i++) {
		const union nx_cell *cell = &row->cells[parts[i].column];
		uint64_t head[2] = {row->kinds[parts[i].column], 0};

		if (head[0] == NX_CELL_I64)
			head[1] = (uint64_t)cell->i64;
		else if (head[0] == NX_CELL_TEXT)
			head[1] = cell->text.len;
		nx_bytes_append(key, head, sizeof(head));
		if (head[0] == NX_CELL_TEXT)
			nx_bytes_append(key, cell->text.data, cell->text.len);
	}
}

static bool is_text(const struct nx_bytes *known, size_t at, struct nx_slice text)
{
	return !text.len ||
	       (known->len - at >= text.len && !memcmp(known->items + at, text.data, text.len));
}

/* Whether add_key would write what is known from at on; moves at behind it. */
static bool is_key(const struct nx_bytes *known, size_t *at, const struct nx_row *row,
		   const struct label_part *parts)
{
	for (size_t i = 0; i < MAX_LABEL_COLUMNS && parts[i].prefix; i++) {
		const union nx_cell *cell = &row->cells[parts[i].column];
		uint64_t head[2];

		if (known->len - *at < sizeof(head))
			return false;
		memcpy(head, known->items + *at, sizeof(head));
		*at += sizeof(head);
		if (head[0] != row->kinds[parts[i].column])
			return false;
		if (head[0] == NX_CELL_I64 && head[1] != (uint64_t)cell->i64)
			return false;
		if (head[0] != NX_CELL_TEXT)
			continue;
		if (head[1] != cell->text.len || !is_text(known, *at, cell->text))
			return false;
		*at += cell->text.len;
	}
	return true;
}

static bool is_track(const struct recent_track *recent, const struct rule *rule,
		     const struct nx_row *row)
{
	size_t at = sizeof(uint64_t);

	return recent->rule == rule && is_key(&recent->key, &at, row, rule->group) &&
	       is_key(&recent->key, &at, row, rule->track);
}

/* Texts count by their address: most are interned, and the others only miss. */
static uint64_t add_place(uint64_t place, const struct nx_row *row, const struct label_part *parts)
{
	for (size_t i = 0; i < MAX_LABEL_COLUMNS && parts[i].prefix; i++) {
		const union nx_cell *cell = &row->cells[parts[i].column];
		unsigned kind = row->kinds[parts[i].column];

		place *= PLACE_FACTOR;
		if (kind == NX_CELL_I64)
			place += (uint64_t)cell->i64;
		else if (kind == NX_CELL_TEXT)
			place += (uint64_t)(uintptr_t)cell->text.data;
	}
	return place * PLACE_FACTOR;
}

static uint32_t look_up_track(struct nx_timeline_sink *s, struct recent_track *recent,
			      const struct rule *rule, const struct nx_row *row)
{
	const uint64_t rule_idx = (uint64_t)(rule - rules); /* tables may share a label */
	struct nx_slice key;
	uint64_t at;

	recent->rule = rule;
	recent->key.len = 0;
	nx_bytes_append(&recent->key, &rule_idx, sizeof(rule_idx));
	add_key(&recent->key, row, rule->group);
	add_key(&recent->key, row, rule->track);
	key = nx_slice_of(recent->key.items, recent->key.len);
	if (!nx_text_map_get(&s->tracks, key, &at)) {
		at = new_track(s, rule, row);
		key = nx_slice_of(nx_arena_copy(&s->arena, key), key.len);
		nx_text_map_put(&s->tracks, key, at);
	}
	recent->track = (uint32_t)at;
	return recent->track;
}

static uint32_t find_track(struct nx_timeline_sink *s, const struct rule *rule,
			   const struct nx_row *row)
{
	uint64_t place = add_place(add_place(row->table, row, rule->group), row, rule->track);
	struct recent_track *recent = &s->recent_tracks[place >> (64 - RECENT_BITS)];

	return is_track(recent, rule, row) ? recent->track : look_up_track(s, recent, rule, row);
}

static uint32_t find_name(struct nx_timeline_sink *s, struct nx_slice text)
{
	uint64_t place = ((uint64_t)(uintptr_t)text.data + text.len) * PLACE_FACTOR;
	struct recent_name *recent = &s->recent_names[place >> (64 - RECENT_BITS)];

	if (recent->is_used && recent->text.len == text.len && is_text(&recent->text, 0, text))
		return recent->name;
	recent->is_used = true;
	recent->text.len = 0;
	nx_bytes_append(&recent->text, text.data, text.len);
	recent->name = nx_timeline_writer_add_name(s->writer, text);
	return recent->name;
}

/* --- rows ------------------------------------------------------------------ */

static uint64_t time_of(const struct nx_row *row, unsigned column)
{
	int64_t ns = row->kinds[column] == NX_CELL_I64 ? row->cells[column].i64 : 0;

	return ns > 0 ? (uint64_t)ns : 0;
}

static enum nx_status add_span(struct nx_timeline_sink *s, const struct rule *rule,
			       const struct nx_row *row, struct nx_error *err)
{
	struct nx_span span = {.start_ns = time_of(row, rule->start),
			       .row = s->row_counts[row->table]};
	bool has_name = row->kinds[rule->what] == NX_CELL_TEXT;

	span.end_ns = span.start_ns;
	if (rule->end != NONE)
		span.end_ns = time_of(row, rule->end);
	else if (rule->duration != NONE)
		span.end_ns += time_of(row, rule->duration);
	if (span.end_ns < span.start_ns)
		span.end_ns = span.start_ns;
	span.name = find_name(s, has_name ? row->cells[rule->what].text : nx_slice_text(""));
	return nx_timeline_writer_add_span(s->writer, find_track(s, rule, row), &span, err);
}

static enum nx_status add_sample(struct nx_timeline_sink *s, const struct rule *rule,
				 const struct nx_row *row, struct nx_error *err)
{
	struct nx_sample sample = {.time_ns = time_of(row, rule->start)};

	if (row->kinds[rule->what] == NX_CELL_I64)
		sample.value = (double)row->cells[rule->what].i64;
	else if (row->kinds[rule->what] == NX_CELL_F64)
		sample.value = row->cells[rule->what].f64;
	else
		return NX_OK;
	return nx_timeline_writer_add_sample(s->writer, find_track(s, rule, row), &sample, err);
}

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_timeline_sink *s = (struct nx_timeline_sink *)sink;

	nx_table_sink_begin(s->target, table);
	nx_table_sink_follow(&s->sink, s->target);
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_timeline_sink *s = (struct nx_timeline_sink *)sink;
	const struct rule *rule = s->rules[row->table];
	struct nx_error err; /* a kilobyte: clearing it would cost more than the span */
	enum nx_status st = NX_OK;

	if (rule && rule->kind == NX_TRACK_SPANS)
		st = add_span(s, rule, row, &err);
	else if (rule)
		st = add_sample(s, rule, row, &err);
	s->row_counts[row->table]++;
	if (st)
		nx_table_sink_fail(sink, &err);
	s->target->ops->put(s->target, row);
	nx_table_sink_follow(&s->sink, s->target);
}

static void end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_timeline_sink *s = (struct nx_timeline_sink *)sink;

	nx_table_sink_end(s->target, table);
	nx_table_sink_follow(&s->sink, s->target);
}

/* --- life ------------------------------------------------------------------ */

enum nx_status nx_timeline_sink_open(struct nx_timeline_sink **sink, const char *path,
				     struct nx_table_sink *target, struct nx_error *err)
{
	static const struct nx_table_sink_ops ops = {begin, put, end};
	struct nx_timeline_writer *writer;
	struct nx_timeline_sink *s;
	enum nx_status st = nx_timeline_writer_open(&writer, path, 0, err);

	if (st)
		return st;
	s = nx_heap_alloc(sizeof(*s));
	memset(s, 0, sizeof(*s));
	s->sink.ops = &ops;
	s->target = target;
	s->writer = writer;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		s->rules[rules[i].table] = &rules[i];
	*sink = s;
	return NX_OK;
}

struct nx_table_sink *nx_timeline_sink_borrow(struct nx_timeline_sink *sink)
{
	return &sink->sink;
}

enum nx_status nx_timeline_sink_close(struct nx_timeline_sink *s, struct nx_error *err)
{
	enum nx_status st = nx_table_sink_status(&s->sink, err);

	if (st)
		nx_timeline_writer_abort(s->writer);
	else
		st = nx_timeline_writer_commit(s->writer, err);
	nx_text_map_release(&s->tracks);
	nx_text_map_release(&s->groups);
	for (size_t i = 0; i < sizeof(s->recent_tracks) / sizeof(s->recent_tracks[0]); i++)
		nx_vec_release(&s->recent_tracks[i].key);
	for (size_t i = 0; i < sizeof(s->recent_names) / sizeof(s->recent_names[0]); i++)
		nx_vec_release(&s->recent_names[i].text);
	nx_arena_release(&s->arena);
	nx_heap_free(s);
	return st;
}
