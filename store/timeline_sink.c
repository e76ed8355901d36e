/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline_sink.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "store/timeline_writer.h"

#define NONE UINT16_MAX
#define LABEL_MAX 512
#define MAX_LABEL_COLUMNS 3

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

struct nx_timeline_sink {
	struct nx_table_sink sink;
	struct nx_table_sink *target;
	struct nx_timeline_writer *writer;
	const struct rule *rules[NX_SCHEMA_TABLE_COUNT];
	uint64_t row_counts[NX_SCHEMA_TABLE_COUNT];
	struct nx_text_map tracks; /* rule, group and label -> track */
	struct nx_text_map groups;
	struct nx_arena arena;
	/* of the last row: rows of one track often follow each other */
	char last_label[LABEL_MAX];
	size_t last_len;
	uint32_t last_track;
};

/* --- tracks ---------------------------------------------------------------- */

static size_t add_cell(char *label, size_t len, const struct nx_row *row, unsigned column,
		       const char *prefix)
{
	const union nx_cell *cell = &row->cells[column];
	size_t room = LABEL_MAX - len;
	int added = 0;

	if (row->kinds[column] == NX_CELL_I64)
		added = snprintf(label + len, room, "%s%lld", prefix, (long long)cell->i64);
	else if (row->kinds[column] == NX_CELL_TEXT)
		added = snprintf(label + len, room, "%s%.*s", prefix,
				 (int)(cell->text.len < LABEL_MAX ? cell->text.len : LABEL_MAX),
				 (const char *)cell->text.data);
	return (size_t)added < room ? len + (size_t)added : LABEL_MAX - 1;
}

/* Parts are separated by blanks; what a row does not have is left out. */
static size_t add_parts(char *label, size_t len, const struct nx_row *row,
			const struct label_part *parts)
{
	for (size_t i = 0; i < MAX_LABEL_COLUMNS && parts[i].prefix; i++) {
		if (row->kinds[parts[i].column] == NX_CELL_NULL)
			continue;
		if (len && len < LABEL_MAX - 1 && label[len - 1] != '\n')
			label[len++] = ' ';
		len = add_cell(label, len, row, parts[i].column, parts[i].prefix);
	}
	label[len] = 0;
	return len;
}

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

static uint32_t new_track(struct nx_timeline_sink *s, const struct rule *rule, const char *label,
			  size_t group_len)
{
	struct nx_track track = {
		.kind = rule->kind,
		.parent = group_track(s, nx_slice_of(label, group_len)),
		.name = nx_slice_text(label + group_len + 1),
		.unit = nx_slice_text(rule->unit),
		.rank = (int64_t)(rule - rules) << 32 | (int64_t)(s->tracks.len & 0xffffffff),
		.keys = {rule->table},
	};

	return nx_timeline_writer_add_track(s->writer, &track);
}

/* The label is the group, a line break, and the track's own name. */
static uint32_t find_track(struct nx_timeline_sink *s, const struct rule *rule,
			   const struct nx_row *row)
{
	char label[LABEL_MAX + 8];
	size_t group_len = add_parts(label, 0, row, rule->group), len = group_len, key_len;
	uint64_t at;

	label[len++] = '\n';
	len += (size_t)snprintf(label + len, LABEL_MAX - len, "%s", rule->title);
	len = add_parts(label, len < LABEL_MAX ? len : LABEL_MAX - 1, row, rule->track);
	key_len = len + 1;
	label[key_len - 1] = (char)('A' + (rule - rules)); /* tables may share a label */
	if (key_len == s->last_len && !memcmp(label, s->last_label, key_len))
		return s->last_track;
	if (!nx_text_map_get(&s->tracks, nx_slice_of(label, key_len), &at)) {
		const char *key = nx_arena_copy(&s->arena, nx_slice_of(label, key_len));

		label[len] = 0;
		at = new_track(s, rule, label, group_len);
		nx_text_map_put(&s->tracks, nx_slice_of(key, key_len), at);
		memcpy(label, key, key_len);
	}
	memcpy(s->last_label, label, key_len < LABEL_MAX ? key_len : LABEL_MAX);
	s->last_len = key_len < LABEL_MAX ? key_len : 0;
	s->last_track = (uint32_t)at;
	return s->last_track;
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
			       .row = s->row_counts[row->table],
			       .name = NX_NAME_NONE};

	span.end_ns = span.start_ns;
	if (rule->end != NONE)
		span.end_ns = time_of(row, rule->end);
	else if (rule->duration != NONE)
		span.end_ns += time_of(row, rule->duration);
	if (span.end_ns < span.start_ns)
		span.end_ns = span.start_ns;
	if (row->kinds[rule->what] == NX_CELL_TEXT)
		span.name = nx_timeline_writer_add_name(s->writer, row->cells[rule->what].text);
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

static void take_failure(struct nx_timeline_sink *s)
{
	if (s->target->error.status)
		nx_table_sink_fail(&s->sink, &s->target->error);
}

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_timeline_sink *s = (struct nx_timeline_sink *)sink;

	nx_table_sink_begin(s->target, table);
	take_failure(s);
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_timeline_sink *s = (struct nx_timeline_sink *)sink;
	const struct rule *rule = s->rules[row->table];
	struct nx_error err = {0};
	enum nx_status st = NX_OK;

	if (rule && rule->kind == NX_TRACK_SPANS)
		st = add_span(s, rule, row, &err);
	else if (rule)
		st = add_sample(s, rule, row, &err);
	s->row_counts[row->table]++;
	if (st)
		nx_table_sink_fail(sink, &err);
	s->target->ops->put(s->target, row);
	take_failure(s);
}

static void end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	struct nx_timeline_sink *s = (struct nx_timeline_sink *)sink;

	nx_table_sink_end(s->target, table);
	take_failure(s);
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
	nx_arena_release(&s->arena);
	nx_heap_free(s);
	return st;
}
