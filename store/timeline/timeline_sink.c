/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/timeline_sink.h"

#include <assert.h>
#include <string.h>

#include "store/timeline/timeline_places.h"
#include "store/timeline/track_label.h"

#define NS_PER_S 1e9
#define RECENT_BITS 10
#define NAME_FACTOR UINT64_C(0x9e3779b97f4a7c15)

struct recent_name {
	bool is_used;
	struct nx_bytes text;
	uint32_t name;
};

struct nx_timeline_sink {
	struct nx_table_sink sink;
	struct nx_table_sink *target;
	struct nx_timeline_writer *writer;
	/* of each table; the first NULL ends them */
	const struct nx_timeline_rule *rules[NX_SCHEMA_TABLE_COUNT][NX_MAX_TABLE_RULES + 1];
	uint64_t row_counts[NX_SCHEMA_TABLE_COUNT];
	struct nx_timeline_places places;
	/* what rows asked for lately, each where a hash of it says */
	struct recent_name recent_names[1 << RECENT_BITS];
};

/* --- rows ------------------------------------------------------------------ */

static uint32_t find_name(struct nx_timeline_sink *s, struct nx_slice text)
{
	uint64_t hash = ((uint64_t)(uintptr_t)text.data + text.len) * NAME_FACTOR;
	struct recent_name *recent = &s->recent_names[hash >> (64 - RECENT_BITS)];

	if (recent->is_used &&
	    nx_slice_equal(nx_slice_of(recent->text.items, recent->text.len), text))
		return recent->name;
	recent->is_used = true;
	recent->text.len = 0;
	nx_bytes_append(&recent->text, text.data, text.len);
	recent->name = nx_timeline_writer_add_name(s->writer, text);
	return recent->name;
}

/* False if the cell is not a number. */
static bool number_of(const struct nx_row *row, unsigned column, double *value)
{
	if (row->kinds[column] == NX_CELL_I64)
		*value = (double)row->cells[column].i64;
	else if (row->kinds[column] == NX_CELL_F64)
		*value = row->cells[column].f64;
	else
		return false;
	return true;
}

static void times_of(const struct nx_timeline_rule *rule, const struct nx_row *row,
		     struct nx_span *span)
{
	span->start_ns = nx_row_time_ns(row, rule->start);
	span->end_ns = span->start_ns;
	if (rule->end != NX_NO_COLUMN)
		span->end_ns = nx_row_time_ns(row, rule->end);
	else if (rule->duration != NX_NO_COLUMN)
		span->end_ns += nx_row_time_ns(row, rule->duration);
	if (span->end_ns < span->start_ns)
		span->end_ns = span->start_ns;
}

static enum nx_status add_span(struct nx_timeline_sink *s, uint32_t track,
			       const struct nx_rule_series *series, const struct nx_row *row,
			       struct nx_span *span, struct nx_error *err)
{
	bool has_name = row->kinds[series->column] == NX_CELL_TEXT;

	span->row = s->row_counts[row->table];
	span->name = find_name(s, has_name ? row->cells[series->column].text : nx_slice_text(""));
	return nx_timeline_writer_add_span(s->writer, track, span, err);
}

static enum nx_status add_sample(struct nx_timeline_sink *s, uint32_t track,
				 const struct nx_rule_series *series, const struct nx_row *row,
				 const struct nx_span *span, struct nx_error *err)
{
	struct nx_sample sample = {.time_ns = span->start_ns};

	if (series->amount)
		sample.value = series->amount(row);
	else if (!number_of(row, series->column, &sample.value))
		return NX_OK;
	return nx_timeline_writer_add_sample(s->writer, track, &sample, err);
}

static enum nx_status add_rate(struct nx_step_counter *steps, const struct nx_rule_series *series,
			       const struct nx_row *row, const struct nx_span *span,
			       struct nx_error *err)
{
	double duration_ns = (double)(span->end_ns - span->start_ns), rate = 0;

	if (duration_ns > 0)
		rate = series->amount(row) * NS_PER_S / duration_ns;
	return nx_step_counter_add(steps, span->start_ns, span->end_ns, rate, err);
}

/* What was 0 until now is so from the beginning on, or areas could not be put on each other. */
static enum nx_status begin_share(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
				  const struct nx_row *row, struct nx_timeline_place *place,
				  unsigned column, struct nx_error *err)
{
	struct nx_place_share *share = &place->shares[column - rule->first_share];
	struct nx_sample none = {.time_ns = place->first_ns};
	struct nx_track_label label;
	struct nx_track track;

	nx_track_label_share(&label, rule, row, column, &track);
	track.parent = place->tracks[0];
	share->track = nx_timeline_writer_add_track(s->writer, &track);
	if (nx_row_time_ns(row, rule->start) == place->first_ns)
		return NX_OK;
	return nx_timeline_writer_add_sample(s->writer, share->track, &none, err);
}

static enum nx_status add_shares(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
				 const struct nx_row *row, struct nx_timeline_place *place,
				 struct nx_error *err)
{
	struct nx_sample sample = {.time_ns = nx_row_time_ns(row, rule->start)};
	enum nx_status st = NX_OK;

	for (unsigned i = rule->first_share; i <= rule->last_share && !st; i++) {
		struct nx_place_share *share = &place->shares[i - rule->first_share];

		if (!number_of(row, i, &sample.value) || sample.value == share->value)
			continue;
		if (share->track == NX_TRACK_NONE)
			st = begin_share(s, rule, row, place, i, err);
		share->value = sample.value;
		if (!st)
			st = nx_timeline_writer_add_sample(s->writer, share->track, &sample, err);
	}
	return st;
}

static enum nx_status add_row(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
			      const struct nx_row *row, struct nx_error *err)
{
	struct nx_timeline_place *place;
	enum nx_status st = NX_OK;
	struct nx_span span;

	times_of(rule, row, &span);
	place = nx_timeline_places_find(&s->places, rule, row, span.start_ns);
	for (unsigned i = 0; i < NX_MAX_SERIES && rule->series[i].kind && !st; i++) {
		const struct nx_rule_series *series = &rule->series[i];

		if (series->kind == NX_SERIES_SPANS)
			st = add_span(s, place->tracks[i], series, row, &span, err);
		else if (series->kind == NX_SERIES_LEVEL)
			st = add_sample(s, place->tracks[i], series, row, &span, err);
		else
			st = add_rate(place->steps[i], series, row, &span, err);
	}
	if (!st && place->shares)
		st = add_shares(s, rule, row, place, err);
	return st;
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
	const struct nx_timeline_rule **rule = s->rules[row->table];
	struct nx_error err; /* a kilobyte: clearing it would cost more than the span */
	enum nx_status st = NX_OK;

	for (; *rule && !st; rule++)
		if (!(*rule)->takes || (*rule)->takes(row))
			st = add_row(s, *rule, row, &err);
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

static void keep_rule(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule)
{
	const struct nx_timeline_rule **rules = s->rules[rule->table];
	size_t at = 0;

	while (rules[at])
		at++;
	assert(at < NX_MAX_TABLE_RULES);
	rules[at] = rule;
}

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
	s->writer = s->places.writer = writer;
	for (size_t i = 0; i < nx_timeline_rule_count; i++)
		keep_rule(s, &nx_timeline_rules[i]);
	*sink = s;
	return NX_OK;
}

struct nx_table_sink *nx_timeline_sink_borrow(struct nx_timeline_sink *sink)
{
	return &sink->sink;
}

static void release(struct nx_timeline_sink *s)
{
	for (size_t i = 0; i < sizeof(s->recent_names) / sizeof(s->recent_names[0]); i++)
		nx_vec_release(&s->recent_names[i].text);
	nx_timeline_places_release(&s->places);
	nx_heap_free(s);
}

enum nx_status nx_timeline_sink_close(struct nx_timeline_sink *s, struct nx_error *err)
{
	enum nx_status st = nx_table_sink_status(&s->sink, err);

	if (!st)
		st = nx_timeline_places_finish(&s->places, err);
	if (st)
		nx_timeline_writer_abort(s->writer);
	else
		st = nx_timeline_writer_commit(s->writer, err);
	release(s);
	return st;
}
