/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/timeline_rules.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/utf8.h"

#define C(table, column) NX_COL_##table##_##column

/* When a row begins and ends. */
#define FROM_TO(table, from, to)                                                                   \
	.start = C(table, from), .end = C(table, to), .duration = NX_NO_COLUMN
#define FROM_FOR(table, from, length)                                                              \
	.start = C(table, from), .end = NX_NO_COLUMN, .duration = C(table, length)
#define AT(table, moment) .start = C(table, moment), .end = NX_NO_COLUMN, .duration = NX_NO_COLUMN

#define SHOWN(prefix, table, column)                                                               \
	{                                                                                          \
		prefix, C(table, column), false                                                    \
	}
#define HIDDEN(table, column)                                                                      \
	{                                                                                          \
		"", C(table, column), true                                                         \
	}
#define CORE(table) SHOWN("core ", table, pcore_idx)

#define SPANS(title, table, name)                                                                  \
	{                                                                                          \
		NX_SERIES_SPANS, title, "", C(table, name), NULL                                   \
	}
#define LEVEL(title, unit, table, value)                                                           \
	{                                                                                          \
		NX_SERIES_LEVEL, title, unit, C(table, value), NULL                                \
	}
#define LEVEL_BY(title, unit, amount)                                                              \
	{                                                                                          \
		NX_SERIES_LEVEL, title, unit, NX_NO_COLUMN, amount                                 \
	}
#define RATE(title, unit, amount)                                                                  \
	{                                                                                          \
		NX_SERIES_RATE, title, unit, NX_NO_COLUMN, amount                                  \
	}

static double number_of(const struct nx_row *row, unsigned column)
{
	return row->kinds[column] == NX_CELL_I64 ? (double)row->cells[column].i64 : 0;
}

/* --- matmuls --------------------------------------------------------------- */

static bool is_matmul(const struct nx_row *row)
{
	return row->kinds[C(Instruction, tensor_elements)] == NX_CELL_I64;
}

/* Two for each element, so that all of a capture are Summary.hardware_flops: raw_flops counts a
 * pass of an fp32 product half. */
static double hardware_flops(const struct nx_row *row)
{
	return 2 * number_of(row, C(Instruction, tensor_elements));
}

static double model_flops(const struct nx_row *row)
{
	return hardware_flops(row) - 2 * number_of(row, C(Instruction, tensor_elements_transpose));
}

/* --- throttling ------------------------------------------------------------ */

/* 1 is no limit; a pattern without cycles is not a number, and counted as lost. */
static double allowed_frac(const struct nx_row *row)
{
	double n = number_of(row, C(Throttle, n));

	return n > 0 ? number_of(row, C(Throttle, k)) / n : (double)NAN;
}

/* --- transfers between host and device ------------------------------------- */

/* Whether the name is "dmem_buf_" and one of the two words. */
static bool is_copy(const struct nx_row *row, const char *one, const char *batch)
{
	static const char stem[] = "dmem_buf_";
	const size_t stem_len = sizeof(stem) - 1;
	struct nx_slice name = row->cells[C(SystemProfileEvents, name)].text;

	if (row->kinds[C(SystemProfileEvents, name)] != NX_CELL_TEXT || name.len <= stem_len ||
	    memcmp(name.data, stem, stem_len) != 0)
		return false;
	name = nx_slice_part(name, stem_len, name.len - stem_len);
	return nx_slice_is(name, one) || nx_slice_is(name, batch);
}

static bool is_to_device(const struct nx_row *row)
{
	return is_copy(row, "copyin", "batch_copyin");
}

static bool is_to_host(const struct nx_row *row)
{
	return is_copy(row, "copyout", "batch_copyout");
}

/*
 * What follows `"key":"` in an event's other attributes, up to the closing quote; empty if there is
 * none. All values of these objects are texts, and a quote inside of a text is written \", so the
 * bytes looked for cannot be anything else than that key. A text with escapes counts as none.
 */
static struct nx_slice attribute_text(const struct nx_row *row, const char *key)
{
	struct nx_slice json = row->cells[C(SystemProfileEvents, extra_attributes_json)].text;
	const uint8_t *at, *from, *end;

	if (row->kinds[C(SystemProfileEvents, extra_attributes_json)] != NX_CELL_TEXT || !json.len)
		return (struct nx_slice){0};
	end = json.data + json.len;
	at = memmem(json.data, json.len, key, strlen(key));
	if (!at)
		return (struct nx_slice){0};
	from = at += strlen(key);
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return nx_slice_of(from, at < end && *at == '"' ? (size_t)(at - from) : 0);
}

static double transfer_bytes(const struct nx_row *row)
{
	struct nx_slice digits = attribute_text(row, "\"size\":\"");
	uint64_t bytes;

	return nx_slice_to_u64(digits, &bytes) ? (double)bytes : 0;
}

/* --- the rules ------------------------------------------------------------- */

#define EVENT_PLACE                                                                                \
	{                                                                                          \
		SHOWN("", SystemProfileEvents, instance_id),                                       \
			SHOWN("pid ", SystemProfileEvents, process_id)                             \
	}
#define CORE_OF_PROCESS                                                                            \
	{                                                                                          \
		SHOWN("nc ", SystemProfileEvents, nc_idx), HIDDEN(SystemProfileEvents, worker_gid) \
	}

const struct nx_timeline_rule nx_timeline_rules[] = {
	/* --- a device: errors, DMA, engines, collectives --- */
	{
		.table = NX_SCHEMA_Error,
		AT(Error, timestamp),
		.group = {CORE(Error)},
		.track = {SHOWN("", Error, type)},
		.series = {SPANS("", Error, description)},
	},
	{
		.table = NX_SCHEMA_DmaPacketAggregated,
		FROM_TO(DmaPacketAggregated, start_ts, end_ts),
		.group = {CORE(DmaPacketAggregated)},
		.track = {SHOWN("", DmaPacketAggregated, queue_name),
			  HIDDEN(DmaPacketAggregated, queue_type)},
		.series = {SPANS("transfers", DmaPacketAggregated, variable)},
	},
	{
		.table = NX_SCHEMA_DmaPacket,
		FROM_TO(DmaPacket, start_ts, end_ts),
		.group = {CORE(DmaPacket)},
		.track = {SHOWN("engine ", DmaPacket, engine_idx),
			  SHOWN("", DmaPacket, queue_name)},
		.series = {SPANS("DMA", DmaPacket, queue_type)},
	},
	{
		.table = NX_SCHEMA_Instruction,
		FROM_TO(Instruction, start_ts, end_ts),
		.group = {CORE(Instruction)},
		.track = {SHOWN("", Instruction, timeline_track)},
		.series = {SPANS("", Instruction, opcode)},
	},
	{
		.table = NX_SCHEMA_CoreBarriers,
		FROM_TO(CoreBarriers, start_ts, end_ts),
		.group = {CORE(CoreBarriers)},
		.track = {SHOWN("", CoreBarriers, engine_name)},
		.series = {SPANS("barriers", CoreBarriers, compiler_opcode)},
	},
	{
		.table = NX_SCHEMA_CcOp,
		FROM_TO(CcOp, start_ts, end_ts),
		.track = {SHOWN("stream ", CcOp, stream_id)},
		.series = {SPANS("collectives", CcOp, operation)},
	},
	{
		.table = NX_SCHEMA_CcInstruction,
		FROM_TO(CcInstruction, start_ts, end_ts),
		.track = {SHOWN("", CcInstruction, core_idx)},
		.series = {SPANS("CC-core", CcInstruction, description)},
	},
	/* --- memories, throttling, semaphores --- */
	{
		.table = NX_SCHEMA_SbufUsage,
		AT(SbufUsage, timestamp),
		.group = {CORE(SbufUsage)},
		.series = {LEVEL("SBUF usage", "", SbufUsage, avg_util_percent)},
		.first_share = C(SbufUsage, partition_0_util_percent),
		.last_share = C(SbufUsage, partition_96_util_percent),
	},
	{
		.table = NX_SCHEMA_PsumUsage,
		AT(PsumUsage, timestamp),
		.group = {CORE(PsumUsage)},
		.series = {LEVEL("PSUM usage", "", PsumUsage, avg_util_percent)},
		.first_share = C(PsumUsage, bank_0_util_percent),
		.last_share = C(PsumUsage, bank_7_util_percent),
	},
	{
		.table = NX_SCHEMA_Throttle,
		FROM_FOR(Throttle, timestamp, duration),
		.group = {CORE(Throttle)},
		.series = {SPANS("throttling", Throttle, type),
			   LEVEL_BY("utilization limit", "", allowed_frac)},
	},
	{
		.table = NX_SCHEMA_SemaphoreUpdate,
		AT(SemaphoreUpdate, timestamp),
		.group = {CORE(SemaphoreUpdate)},
		.track = {SHOWN("", SemaphoreUpdate, id)},
		.series = {LEVEL("semaphore", "", SemaphoreUpdate, value)},
	},
	{
		.table = NX_SCHEMA_PendingDma,
		AT(PendingDma, timestamp),
		.group = {CORE(PendingDma)},
		.series = {LEVEL("pending DMA", "", PendingDma, value)},
	},
	/* --- throughputs --- */
	{
		.table = NX_SCHEMA_HbmUsage,
		AT(HbmUsage, timestamp),
		.group = {CORE(HbmUsage)},
		.series = {LEVEL("HBM throughput", "bytes/s", HbmUsage, current_throughput)},
	},
	{
		.table = NX_SCHEMA_DmaUsage,
		AT(DmaUsage, timestamp),
		.group = {CORE(DmaUsage)},
		.series = {LEVEL("DMA throughput", "bytes/s", DmaUsage, current_throughput)},
	},
	{
		.table = NX_SCHEMA_Instruction,
		.takes = is_matmul,
		FROM_TO(Instruction, start_ts, end_ts),
		.group = {CORE(Instruction)},
		.series = {RATE("model FLOPS", "FLOP/s", model_flops),
			   RATE("hardware FLOPS", "FLOP/s", hardware_flops)},
	},
	/* --- a system --- */
	{
		.table = NX_SCHEMA_SystemProfileEvents,
		FROM_TO(SystemProfileEvents, start_ts, end_ts),
		.is_by_process = true,
		.is_nested = true,
		.group = EVENT_PLACE,
		.track = {SHOWN("", SystemProfileEvents, trace_event_source),
			  SHOWN("nc ", SystemProfileEvents, nc_idx),
			  SHOWN("core ", SystemProfileEvents, pcore_idx),
			  SHOWN("stream ", SystemProfileEvents, framework_stream_id),
			  SHOWN("thread ", SystemProfileEvents, thread_id),
			  HIDDEN(SystemProfileEvents, worker_gid)},
		.label_key = "\"thread_name\":\"",
		.series = {SPANS("", SystemProfileEvents, name)},
	},
	{
		.table = NX_SCHEMA_SystemProfileEvents,
		.takes = is_to_device,
		FROM_TO(SystemProfileEvents, start_ts, end_ts),
		.is_by_process = true,
		.group = EVENT_PLACE,
		.track = CORE_OF_PROCESS,
		.key = "direction",
		.value = "host_to_device",
		.series = {SPANS("host_to_device transfers", SystemProfileEvents, name),
			   RATE("host_to_device bandwidth", "bytes/s", transfer_bytes)},
	},
	{
		.table = NX_SCHEMA_SystemProfileEvents,
		.takes = is_to_host,
		FROM_TO(SystemProfileEvents, start_ts, end_ts),
		.is_by_process = true,
		.group = EVENT_PLACE,
		.track = CORE_OF_PROCESS,
		.key = "direction",
		.value = "device_to_host",
		.series = {SPANS("device_to_host transfers", SystemProfileEvents, name),
			   RATE("device_to_host bandwidth", "bytes/s", transfer_bytes)},
	},
	{
		.table = NX_SCHEMA_Step,
		FROM_TO(Step, start_ts, end_ts),
		.is_by_process = true,
		.group = {SHOWN("", Step, instance_id), SHOWN("pid ", Step, process_id)},
		.track = {SHOWN("", Step, name)},
		.series = {SPANS("steps", Step, label)},
	},
	{
		.table = NX_SCHEMA_ExecutionGap,
		FROM_TO(ExecutionGap, start_ts, end_ts),
		.is_by_process = true,
		.group = {SHOWN("", ExecutionGap, instance_id),
			  SHOWN("pid ", ExecutionGap, process_id)},
		.track = {SHOWN("nc ", ExecutionGap, nc_idx), HIDDEN(ExecutionGap, worker_gid)},
		.series = {LEVEL("execution gap", "ns", ExecutionGap, duration_ns),
			   SPANS("execution gaps", ExecutionGap, waits_for)},
	},
	{
		.table = NX_SCHEMA_CpuUsage,
		AT(CpuUsage, timestamp),
		.group = {SHOWN("", CpuUsage, instance_id)},
		.track = {SHOWN("", CpuUsage, cpu_id)},
		.series = {LEVEL("CPU", "percent", CpuUsage, util_percent)},
	},
	{
		.table = NX_SCHEMA_ProgramCounter,
		AT(ProgramCounter, timestamp),
		.group = {SHOWN("", ProgramCounter, instance_id),
			  SHOWN("pid ", ProgramCounter, process_id)},
		.track = {SHOWN("", ProgramCounter, name)},
		.series = {LEVEL("counter", "", ProgramCounter, value)},
	},
	{
		.table = NX_SCHEMA_SystemProfileHbmUsage,
		AT(SystemProfileHbmUsage, timestamp),
		.group = {SHOWN("", SystemProfileHbmUsage, instance_id)},
		.track = {SHOWN("device ", SystemProfileHbmUsage, device_idx),
			  SHOWN("stack ", SystemProfileHbmUsage, hbm_idx)},
		.series = {LEVEL("HBM", "bytes", SystemProfileHbmUsage, total_bytes)},
		.first_share = C(SystemProfileHbmUsage, generic_bytes),
		.last_share = C(SystemProfileHbmUsage, unknown_bytes),
	},
	{
		.table = NX_SCHEMA_HostMemUsage,
		AT(HostMemUsage, timestamp),
		.group = {SHOWN("", HostMemUsage, instance_id)},
		.series = {LEVEL("host memory", "bytes", HostMemUsage, used_bytes)},
	},
};

const size_t nx_timeline_rule_count = sizeof(nx_timeline_rules) / sizeof(nx_timeline_rules[0]);

/* --- texts ----------------------------------------------------------------- */

static void add_text(struct nx_track_label *label, struct nx_slice text)
{
	size_t room = NX_LABEL_MAX - label->len, len = text.len < room ? text.len : room;

	/* Do not cut inside a character. */
	while (len && len < text.len && nx_utf8_is_tail(text.data[len]))
		len--;
	if (len)
		memcpy(label->text + label->len, text.data, len);
	label->len += len;
}

static void add_attribute(struct nx_track_label *label, const char *key, struct nx_slice value)
{
	assert(label->attribute_count < sizeof(label->attributes) / sizeof(label->attributes[0]));
	label->attributes[label->attribute_count++] =
		(struct nx_track_attribute){nx_slice_text(key), value};
}

/* Leaves out cells that are null. */
static void add_parts(struct nx_track_label *label, const struct nx_row *row,
		      const struct nx_rule_part *parts, bool is_shown)
{
	const struct nx_schema_column *columns = nx_schema_tables[row->table].columns;

	for (; parts->prefix; parts++) {
		const union nx_cell *cell = &row->cells[parts->column];
		char *digits = label->digits[label->attribute_count];
		struct nx_slice value;

		if (row->kinds[parts->column] == NX_CELL_TEXT) {
			value = cell->text;
		} else if (row->kinds[parts->column] == NX_CELL_I64) {
			snprintf(digits, sizeof(label->digits[0]), "%lld", (long long)cell->i64);
			value = nx_slice_text(digits);
		} else {
			continue;
		}
		add_attribute(label, columns[parts->column].name, value);
		if (!is_shown || parts->is_hidden)
			continue;
		if (label->len)
			add_text(label, nx_slice_text(" "));
		add_text(label, nx_slice_text(parts->prefix));
		add_text(label, value);
	}
}

static void begin_label(struct nx_track_label *label)
{
	label->len = 0;
	label->attribute_count = 0;
}

static void describe(const struct nx_track_label *label, struct nx_track *track)
{
	track->name = nx_slice_of(label->text, label->len);
	track->attributes = label->attributes;
	track->attribute_count = label->attribute_count;
}

/* --- ranks ----------------------------------------------------------------- */

/* From top to bottom of the screen; other words come below. */
static const char *const ordered_words[] = {
	"Errors",    "Warnings",  "Custom Notification",
	"Sync",	     "Tensor",	  "TensorMatrix",
	"Vector",    "Scalar",	  "GpSimd",
	"average", /* of all processors */
	"framework", "neuron_rt", "neuron_hw",
};
#define WORD_COUNT (sizeof(ordered_words) / sizeof(ordered_words[0]))
#define PLACE_MAX ((uint64_t)0xffff)

static uint64_t place_of_text(struct nx_slice text)
{
	uint64_t number;

	for (size_t i = 0; i < WORD_COUNT; i++)
		if (nx_slice_is(text, ordered_words[i]))
			return i;
	if (nx_slice_to_u64(text, &number) && number < PLACE_MAX - WORD_COUNT)
		return WORD_COUNT + number;
	return PLACE_MAX;
}

static uint64_t place_of(const struct nx_row *row, const struct nx_rule_part *part)
{
	const union nx_cell *cell = &row->cells[part->column];

	if (!part->prefix)
		return 0;
	if (row->kinds[part->column] == NX_CELL_TEXT)
		return place_of_text(cell->text);
	if (row->kinds[part->column] == NX_CELL_I64 && cell->i64 >= 0 &&
	    (uint64_t)cell->i64 < PLACE_MAX)
		return (uint64_t)cell->i64;
	return PLACE_MAX;
}

/* The last core is on top. */
static uint64_t place_of_core(const struct nx_timeline_rule *rule, const struct nx_row *row)
{
	bool is_number = rule->group[0].prefix && row->kinds[rule->group[0].column] == NX_CELL_I64;

	return is_number ? PLACE_MAX - place_of(row, &rule->group[0]) : 0;
}

/* Comparable over all groups, so that a page may leave the groups out: rule, what it sorts by,
 * core, order of appearance, series. */
static int64_t rank_of(const struct nx_timeline_rule *rule, const struct nx_row *row,
		       uint64_t sequence, unsigned series)
{
	const uint64_t most = ((uint64_t)1 << 20) - 1;
	uint64_t rank = (uint64_t)(rule - nx_timeline_rules);

	assert(rank < 1 << 9 && series < 4);
	rank = rank << 16 | place_of(row, &rule->track[0]);
	rank = rank << 16 | place_of_core(rule, row);
	rank = rank << 20 | (sequence < most ? sequence : most);
	return (int64_t)(rank << 2 | series);
}

/* --- tracks ---------------------------------------------------------------- */

void nx_track_label_group(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			  const struct nx_row *row, struct nx_track *track)
{
	begin_label(label);
	add_parts(label, row, rule->group, true);
	*track = (struct nx_track){.kind = NX_TRACK_GROUP,
				   .parent = NX_TRACK_NONE,
				   .unit = nx_slice_text(""),
				   .rank = (int64_t)place_of_core(rule, row)};
	describe(label, track);
}

void nx_track_label_series(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			   const struct nx_row *row, unsigned series, uint64_t sequence,
			   struct nx_track *track)
{
	const struct nx_rule_series *s = &rule->series[series];

	begin_label(label);
	add_parts(label, row, rule->group, false);
	add_text(label, nx_slice_text(s->title));
	add_parts(label, row, rule->track, true);
	if (rule->label_key) {
		struct nx_slice text = attribute_text(row, rule->label_key);

		if (text.len) {
			add_text(label, nx_slice_text(" "));
			add_text(label, text);
			add_attribute(label, "thread_name", text);
		}
	}
	if (rule->key)
		add_attribute(label, rule->key, nx_slice_text(rule->value));
	if (!label->len)
		add_text(label, nx_slice_text(nx_schema_tables[rule->table].name));
	*track = (struct nx_track){
		.kind = s->kind == NX_SERIES_SPANS ? NX_TRACK_SPANS : NX_TRACK_COUNTER,
		.unit = nx_slice_text(s->unit),
		.rank = rank_of(rule, row, sequence, series),
		.keys = {rule->table, series || rule->takes},
		.is_nested = rule->is_nested,
	};
	describe(label, track);
}

/* "partition_32_util_percent" is "partition 32". */
static void add_share_name(struct nx_track_label *label, const char *column)
{
	static const char *const endings[] = {"_util_percent", "_bytes"};
	struct nx_slice name = nx_slice_text(column);

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t len = strlen(endings[i]);

		if (name.len > len && !memcmp(name.data + name.len - len, endings[i], len))
			name.len -= len;
	}
	add_text(label, name);
	for (size_t i = 0; i < label->len; i++)
		if (label->text[i] == '_')
			label->text[i] = ' ';
}

void nx_track_label_share(struct nx_track_label *label, const struct nx_timeline_rule *rule,
			  const struct nx_row *row, unsigned column, struct nx_track *track)
{
	const char *name = nx_schema_tables[rule->table].columns[column].name;

	begin_label(label);
	add_share_name(label, name);
	add_parts(label, row, rule->group, false);
	add_parts(label, row, rule->track, false);
	add_attribute(label, "column", nx_slice_text(name));
	*track = (struct nx_track){
		.kind = NX_TRACK_COUNTER,
		.unit = nx_slice_text(rule->series[0].unit),
		.rank = column,
		.keys = {rule->table, 1},
	};
	describe(label, track);
}
