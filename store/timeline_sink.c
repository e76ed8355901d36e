/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline_sink.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "store/row_place.h"
#include "store/step_counter.h"
#include "store/timeline_rules.h"
#include "store/timeline_writer.h"
#include "store/track_label.h"

#define NS_PER_S 1e9
#define RECENT_BITS 10
#define NAME_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Of one column below a level. */
struct share {
	uint32_t track; /* NX_TRACK_NONE until the value is not 0 */
	double value;
};

/* Where rows of one rule lie that agree in its columns. */
struct place {
	uint64_t first_ns, last_ns; /* starts of rows */
	uint32_t tracks[NX_MAX_SERIES];
	struct nx_step_counter *steps[NX_MAX_SERIES]; /* of rates */
	struct share *shares;			      /* by column, the first share's at 0 */
};

struct recent_place {
	struct nx_bytes key; /* nx_row_place_key; empty: not used yet */
	uint32_t place;
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
	/* of each table; the first NULL ends them */
	const struct nx_timeline_rule *rules[NX_SCHEMA_TABLE_COUNT][NX_MAX_TABLE_RULES + 1];
	uint64_t row_counts[NX_SCHEMA_TABLE_COUNT];
	struct nx_text_map place_idxs; /* nx_row_place_key -> places */
	NX_VEC(struct place) places;
	struct nx_text_map groups; /* by name */
	struct nx_arena arena;
	/* what rows asked for lately, each where a hash of what they ask with says */
	struct recent_place recent_places[1 << RECENT_BITS];
	struct recent_name recent_names[1 << RECENT_BITS];
};

/* --- places ---------------------------------------------------------------- */

static uint32_t group_track(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
			    const struct nx_row *row)
{
	struct nx_track_label label;
	struct nx_track track;
	uint64_t at;

	nx_track_label_group(&label, rule, row, &track);
	if (!track.name.len)
		return NX_TRACK_NONE;
	if (nx_text_map_get(&s->groups, track.name, &at))
		return (uint32_t)at;
	if (!track.rank)
		track.rank = (int64_t)s->groups.len;
	at = nx_timeline_writer_add_track(s->writer, &track);
	nx_text_map_put(&s->groups,
			nx_slice_of(nx_arena_copy(&s->arena, track.name), track.name.len), at);
	return (uint32_t)at;
}

static void add_series(struct nx_timeline_sink *s, struct place *place,
		       const struct nx_timeline_rule *rule, const struct nx_row *row,
		       uint32_t parent)
{
	for (unsigned i = 0; i < NX_MAX_SERIES && rule->series[i].kind; i++) {
		struct nx_track_label label;
		struct nx_track track;

		nx_track_label_series(&label, rule, row, i, s->places.len, &track);
		track.parent = parent;
		place->tracks[i] = nx_timeline_writer_add_track(s->writer, &track);
		if (rule->series[i].kind != NX_SERIES_RATE)
			continue;
		place->steps[i] = NX_NEW(&s->arena, struct nx_step_counter);
		*place->steps[i] =
			(struct nx_step_counter){.writer = s->writer, .track = place->tracks[i]};
	}
}

static uint64_t time_of(const struct nx_row *row, unsigned column)
{
	int64_t ns = row->kinds[column] == NX_CELL_I64 ? row->cells[column].i64 : 0;

	return ns > 0 ? (uint64_t)ns : 0;
}

static uint32_t new_place(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
			  const struct nx_row *row)
{
	struct place place = {.first_ns = time_of(row, rule->start)};
	size_t share_count = rule->last_share ? rule->last_share - rule->first_share + 1u : 0;

	add_series(s, &place, rule, row, group_track(s, rule, row));
	if (share_count)
		place.shares = NX_NEW_ARRAY(&s->arena, struct share, share_count);
	for (size_t i = 0; i < share_count; i++)
		place.shares[i] = (struct share){.track = NX_TRACK_NONE};
	nx_vec_push(&s->places, place);
	return (uint32_t)(s->places.len - 1);
}

static void look_up_place(struct nx_timeline_sink *s, struct recent_place *recent,
			  const struct nx_timeline_rule *rule, const struct nx_row *row)
{
	struct nx_slice key;
	uint64_t at;

	nx_row_place_key(rule, row, &recent->key);
	key = nx_slice_of(recent->key.items, recent->key.len);
	if (!nx_text_map_get(&s->place_idxs, key, &at)) {
		at = new_place(s, rule, row);
		key = nx_slice_of(nx_arena_copy(&s->arena, key), key.len);
		nx_text_map_put(&s->place_idxs, key, at);
	}
	recent->place = (uint32_t)at;
}

static struct recent_place *find_place(struct nx_timeline_sink *s,
				       const struct nx_timeline_rule *rule,
				       const struct nx_row *row)
{
	uint64_t hash = nx_row_place_hash(rule, row);
	struct recent_place *recent = &s->recent_places[hash >> (64 - RECENT_BITS)];

	if (!nx_row_place_is(rule, row, &recent->key))
		look_up_place(s, recent, rule, row);
	return recent;
}

/* For rows of that key from now on. */
static void replace_place(struct nx_timeline_sink *s, struct recent_place *recent,
			  const struct nx_timeline_rule *rule, const struct nx_row *row)
{
	recent->place = new_place(s, rule, row);
	nx_text_map_put(&s->place_idxs, nx_slice_of(recent->key.items, recent->key.len),
			recent->place);
}

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

/* --- rows ------------------------------------------------------------------ */

/* False when the cell is no number. */
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
	span->start_ns = time_of(row, rule->start);
	span->end_ns = span->start_ns;
	if (rule->end != NX_NO_COLUMN)
		span->end_ns = time_of(row, rule->end);
	else if (rule->duration != NX_NO_COLUMN)
		span->end_ns += time_of(row, rule->duration);
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
				  const struct nx_row *row, struct place *place, unsigned column,
				  struct nx_error *err)
{
	struct share *share = &place->shares[column - rule->first_share];
	struct nx_sample none = {.time_ns = place->first_ns};
	struct nx_track_label label;
	struct nx_track track;

	nx_track_label_share(&label, rule, row, column, &track);
	track.parent = place->tracks[0];
	share->track = nx_timeline_writer_add_track(s->writer, &track);
	if (time_of(row, rule->start) == place->first_ns)
		return NX_OK;
	return nx_timeline_writer_add_sample(s->writer, share->track, &none, err);
}

static enum nx_status add_shares(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
				 const struct nx_row *row, struct place *place,
				 struct nx_error *err)
{
	struct nx_sample sample = {.time_ns = time_of(row, rule->start)};
	enum nx_status st = NX_OK;

	for (unsigned i = rule->first_share; i <= rule->last_share && !st; i++) {
		struct share *share = &place->shares[i - rule->first_share];

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
	struct recent_place *recent = find_place(s, rule, row);
	struct place *place = &s->places.items[recent->place];
	enum nx_status st = NX_OK;
	struct nx_span span;

	times_of(rule, row, &span);
	if (rule->is_by_process && span.start_ns < place->last_ns) {
		replace_place(s, recent, rule, row);
		place = &s->places.items[recent->place];
	}
	place->last_ns = span.start_ns;
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
	s->writer = writer;
	for (size_t i = 0; i < nx_timeline_rule_count; i++)
		keep_rule(s, &nx_timeline_rules[i]);
	*sink = s;
	return NX_OK;
}

struct nx_table_sink *nx_timeline_sink_borrow(struct nx_timeline_sink *sink)
{
	return &sink->sink;
}

static enum nx_status finish_rates(struct nx_timeline_sink *s, struct nx_error *err)
{
	enum nx_status st = NX_OK;

	for (size_t i = 0; i < s->places.len && !st; i++)
		for (unsigned k = 0; k < NX_MAX_SERIES && !st; k++)
			if (s->places.items[i].steps[k])
				st = nx_step_counter_finish(s->places.items[i].steps[k], err);
	return st;
}

static void release(struct nx_timeline_sink *s)
{
	for (size_t i = 0; i < s->places.len; i++)
		for (unsigned k = 0; k < NX_MAX_SERIES; k++)
			if (s->places.items[i].steps[k])
				nx_step_counter_release(s->places.items[i].steps[k]);
	for (size_t i = 0; i < sizeof(s->recent_places) / sizeof(s->recent_places[0]); i++) {
		nx_vec_release(&s->recent_places[i].key);
		nx_vec_release(&s->recent_names[i].text);
	}
	nx_vec_release(&s->places);
	nx_text_map_release(&s->place_idxs);
	nx_text_map_release(&s->groups);
	nx_arena_release(&s->arena);
	nx_heap_free(s);
}

enum nx_status nx_timeline_sink_close(struct nx_timeline_sink *s, struct nx_error *err)
{
	enum nx_status st = nx_table_sink_status(&s->sink, err);

	if (!st)
		st = finish_rates(s, err);
	if (st)
		nx_timeline_writer_abort(s->writer);
	else
		st = nx_timeline_writer_commit(s->writer, err);
	release(s);
	return st;
}
