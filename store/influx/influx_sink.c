/* SPDX-License-Identifier: Apache-2.0 */
#include "store/influx/influx_sink.h"

#include "store/influx/influx_line.h"
#include "store/influx/influx_ordinal.h"
#include "store/influx/influx_server.h"

#define BATCH_LINES 10000
#define BATCH_BYTES ((size_t)4 << 20)
#define PATIENCE_MS 60000

struct nx_influx_sink {
	struct nx_table_sink sink; /* first: ops get it and mean the whole */
	struct nx_influx_options options;
	struct nx_arena arena;
	struct nx_influx_server server;
	struct nx_slice profile;
	struct nx_influx_ordinals ordinals;
	struct nx_bytes lines; /* of all tables: a line names its own */
	uint32_t waiting_count;
	uint64_t line_count;
	uint64_t row_numbers[NX_SCHEMA_TABLE_COUNT];
	struct nx_track_columns tracks[NX_SCHEMA_TABLE_COUNT];
};

static struct nx_influx_sink *sink_of(struct nx_table_sink *sink)
{
	return (struct nx_influx_sink *)sink;
}

static enum nx_status flush(struct nx_influx_sink *s, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	if (s->waiting_count)
		st = nx_influx_server_write(&s->server, nx_slice_of(s->lines.items, s->lines.len),
					    s->options.patience_ms, err);
	nx_vec_clear(&s->lines);
	s->waiting_count = 0;
	return st;
}

static void begin(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	sink_of(sink)->tracks[table] = nx_track_columns_of(table);
}

static int64_t time_of(const struct nx_influx_sink *s, const struct nx_row *row)
{
	const struct nx_track_columns *track = &s->tracks[row->table];
	bool has_time = track->time >= 0 && row->kinds[track->time] == NX_CELL_I64;
	int64_t time_ns =
		has_time ? row->cells[track->time].i64 : (int64_t)s->row_numbers[row->table];

	if (has_time && nx_schema_tables[row->table].scope == NX_SCOPE_SYSTEM)
		return time_ns;
	/* Unsigned, because a hostile capture may overflow it; the sum is the same. */
	return (int64_t)((uint64_t)s->options.start_ns + (uint64_t)time_ns);
}

static void put(struct nx_table_sink *sink, const struct nx_row *row)
{
	struct nx_influx_sink *s = sink_of(sink);
	const struct nx_track_columns *track = &s->tracks[row->table];
	struct nx_influx_point point = {.profile = s->profile, .time_ns = time_of(s, row)};
	struct nx_error error;

	point.ordinal = nx_influx_ordinals_next(&s->ordinals, nx_influx_series_hash(row, track),
						point.time_ns);
	point.row_number = s->row_numbers[row->table]++;
	nx_influx_line_append(&s->lines, row, track, &point);
	s->line_count++;
	s->waiting_count++;
	if (s->waiting_count < s->options.batch_lines && s->lines.len < s->options.batch_bytes)
		return;
	if (flush(s, &error))
		nx_table_sink_fail(sink, &error);
}

/* Batches do not end with their table: many tables have a handful of rows. */
static void end(struct nx_table_sink *sink, enum nx_schema_table_id table)
{
	(void)sink;
	(void)table;
}

static void set_options(struct nx_influx_sink *s, const struct nx_influx_options *options)
{
	s->options = *options;
	if (!s->options.batch_lines)
		s->options.batch_lines = BATCH_LINES;
	if (!s->options.batch_bytes)
		s->options.batch_bytes = BATCH_BYTES;
	if (!s->options.patience_ms)
		s->options.patience_ms = PATIENCE_MS;
}

enum nx_status nx_influx_sink_open(const struct nx_influx_options *options, const char *profile,
				   struct nx_influx_sink **sink, struct nx_error *err)
{
	static const struct nx_table_sink_ops ops = {begin, put, end};
	struct nx_influx_sink *s = nx_heap_alloc(sizeof(*s));
	enum nx_status st;

	memset(s, 0, sizeof(*s));
	s->sink.ops = &ops;
	set_options(s, options);
	s->profile = nx_slice_text(nx_arena_copy_text(&s->arena, profile));
	st = nx_influx_server_open(&s->server, options, &s->arena, err);
	if (st) {
		nx_influx_sink_close(s);
		s = NULL;
	}
	*sink = s;
	return st;
}

struct nx_table_sink *nx_influx_sink_tables(struct nx_influx_sink *sink)
{
	return &sink->sink;
}

uint64_t nx_influx_sink_line_count(const struct nx_influx_sink *sink)
{
	return sink->line_count;
}

enum nx_status nx_influx_sink_commit(struct nx_influx_sink *sink, struct nx_error *err)
{
	enum nx_status st = nx_table_sink_status(&sink->sink, err);

	return st ? st : flush(sink, err);
}

void nx_influx_sink_close(struct nx_influx_sink *sink)
{
	if (!sink)
		return;
	nx_influx_server_close(&sink->server);
	nx_influx_ordinals_release(&sink->ordinals);
	nx_vec_release(&sink->lines);
	nx_arena_release(&sink->arena);
	nx_heap_free(sink);
}
