/* SPDX-License-Identifier: Apache-2.0 */
#include "store/timeline/timeline_sink.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "store/timeline/step_counter.h"
#include "store/timeline/timeline_rules.h"

#define NS_PER_S 1e9
#define RECENT_BITS 10
#define RECENT_COUNT ((size_t)1 << RECENT_BITS)
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* One column below a level. */
struct share {
	uint32_t track; /* NX_TRACK_NONE until the value is not 0 */
	double value;
};

/* The tracks that a row is drawn on. Rows of one rule that agree in its columns share a place; the
 * first of them creates its tracks. */
struct place {
	uint64_t first_ns, last_ns; /* starts of rows */
	uint32_t tracks[NX_MAX_SERIES];
	struct nx_step_counter *steps[NX_MAX_SERIES]; /* of rates */
	struct share *shares;			      /* by column, the first share's at 0 */
};

struct recent_place {
	struct nx_bytes key; /* empty: not used yet */
	uint32_t place;
};

struct recent_name {
	bool is_used;
	struct nx_bytes text;
	uint32_t name;
};

struct nx_timeline_sink {
	struct nx_table_sink sink; /* first: ops cast it back to the whole */
	struct nx_table_sink *target;
	struct nx_timeline_writer *writer;
	/* of each table; the first NULL ends them */
	const struct nx_timeline_rule *rules[NX_SCHEMA_TABLE_COUNT][NX_MAX_TABLE_RULES + 1];
	uint64_t row_counts[NX_SCHEMA_TABLE_COUNT];
	struct nx_arena arena;
	struct nx_text_map group_tracks; /* by name */
	struct nx_text_map place_idxs;	 /* by key */
	NX_VEC(struct place) places;
	/* There are millions of rows for each new place or name: caches, indexed by a hash. */
	struct recent_place recent_places[RECENT_COUNT];
	struct recent_name recent_names[RECENT_COUNT];
};

static_assert(offsetof(struct nx_timeline_sink, sink) == 0, "ops cast the sink to the whole");

/* The cell as a time; 0 if it is not one or is before the epoch. */
static uint64_t time_of(const struct nx_row *row, unsigned column)
{
	int64_t ns = row->kinds[column] == NX_CELL_I64 ? row->cells[column].i64 : 0;

	return ns > 0 ? (uint64_t)ns : 0;
}

/* --- keys of places ---------------------------------------------------------- */

static void add_cells(struct nx_bytes *key, const struct nx_row *row,
		      const struct nx_rule_part *parts)
{
	for (; parts->prefix; parts++) {
		const union nx_cell *cell = &row->cells[parts->column];
		uint64_t head[2] = {row->kinds[parts->column], 0};

		if (head[0] == NX_CELL_I64)
			head[1] = (uint64_t)cell->i64;
		else if (head[0] == NX_CELL_TEXT)
			head[1] = cell->text.len;
		nx_bytes_append(key, head, sizeof(head));
		if (head[0] == NX_CELL_TEXT)
			nx_bytes_append(key, cell->text.data, cell->text.len);
	}
}

/* The rule's number, since rules may share columns, then the cells as they are. */
static void write_key(const struct nx_timeline_rule *rule, const struct nx_row *row,
		      struct nx_bytes *key)
{
	const uint64_t rule_idx = (uint64_t)(rule - nx_timeline_rules);

	nx_vec_clear(key);
	nx_bytes_append(key, &rule_idx, sizeof(rule_idx));
	add_cells(key, row, rule->group);
	add_cells(key, row, rule->track);
}

/* Whether add_cells would write what the key holds from at on; moves at past it. */
static bool are_cells(const struct nx_bytes *key, size_t *at, const struct nx_row *row,
		      const struct nx_rule_part *parts)
{
	for (; parts->prefix; parts++) {
		const union nx_cell *cell = &row->cells[parts->column];
		uint64_t head[2];

		if (key->len - *at < sizeof(head))
			return false;
		memcpy(head, key->items + *at, sizeof(head));
		*at += sizeof(head);
		if (head[0] != row->kinds[parts->column])
			return false;
		if (head[0] == NX_CELL_I64 && head[1] != (uint64_t)cell->i64)
			return false;
		if (head[0] != NX_CELL_TEXT)
			continue;
		if (head[1] != cell->text.len || key->len - *at < cell->text.len ||
		    (cell->text.len &&
		     memcmp(key->items + *at, cell->text.data, cell->text.len) != 0))
			return false;
		*at += cell->text.len;
	}
	return true;
}

/* Whether write_key would write this key. */
static bool is_key(const struct nx_timeline_rule *rule, const struct nx_row *row,
		   const struct nx_bytes *key)
{
	const uint64_t rule_idx = (uint64_t)(rule - nx_timeline_rules);
	size_t at = sizeof(rule_idx);

	return key->len >= at && !memcmp(key->items, &rule_idx, sizeof(rule_idx)) &&
	       are_cells(key, &at, row, rule->group) && are_cells(key, &at, row, rule->track);
}

/* Hashes texts by address: most are interned, and the others only miss the cache. */
static uint64_t hash_cells(uint64_t hash, const struct nx_row *row,
			   const struct nx_rule_part *parts)
{
	for (; parts->prefix; parts++) {
		const union nx_cell *cell = &row->cells[parts->column];
		unsigned kind = row->kinds[parts->column];

		hash *= HASH_FACTOR;
		if (kind == NX_CELL_I64)
			hash += (uint64_t)cell->i64;
		else if (kind == NX_CELL_TEXT)
			hash += (uint64_t)(uintptr_t)cell->text.data;
	}
	return hash * HASH_FACTOR;
}

/* --- places ------------------------------------------------------------------ */

static uint32_t group_track(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
			    const struct nx_row *row)
{
	struct nx_track_label label;
	struct nx_track track;
	uint64_t at;

	nx_track_label_group(&label, rule, row, &track);
	if (!track.name.len)
		return NX_TRACK_NONE;
	if (nx_text_map_get(&s->group_tracks, track.name, &at))
		return (uint32_t)at;
	if (!track.rank)
		track.rank = (int64_t)s->group_tracks.len;
	at = nx_timeline_writer_add_track(s->writer, &track);
	nx_text_map_put(&s->group_tracks,
			nx_slice_of(nx_arena_copy(&s->arena, track.name), track.name.len), at);
	return (uint32_t)at;
}

static uint32_t new_place(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
			  const struct nx_row *row)
{
	struct place place = {.first_ns = time_of(row, rule->start)};
	size_t share_count = rule->last_share ? rule->last_share - rule->first_share + 1u : 0;
	uint32_t parent = group_track(s, rule, row);

	for (unsigned i = 0; i < NX_MAX_SERIES && rule->series[i].kind; i++) {
		struct nx_track_label label;
		struct nx_track track;

		nx_track_label_series(&label, rule, row, i, s->places.len, &track);
		track.parent = parent;
		place.tracks[i] = nx_timeline_writer_add_track(s->writer, &track);
		if (rule->series[i].kind != NX_SERIES_RATE)
			continue;
		place.steps[i] = NX_NEW(&s->arena, struct nx_step_counter);
		*place.steps[i] =
			(struct nx_step_counter){.writer = s->writer, .track = place.tracks[i]};
	}
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

	write_key(rule, row, &recent->key);
	key = nx_slice_of(recent->key.items, recent->key.len);
	if (!nx_text_map_get(&s->place_idxs, key, &at)) {
		at = new_place(s, rule, row);
		key = nx_slice_of(nx_arena_copy(&s->arena, key), key.len);
		nx_text_map_put(&s->place_idxs, key, at);
	}
	recent->place = (uint32_t)at;
}

/*
 * The place of a row; valid until the next call. If the rule separates processes, a row that starts
 * before the previous one belongs to another run, and it and later rows get a place of their own.
 */
static struct place *find_place(struct nx_timeline_sink *s, const struct nx_timeline_rule *rule,
				const struct nx_row *row, uint64_t start_ns)
{
	uint64_t hash = (uint64_t)(rule - nx_timeline_rules) + 1;
	struct recent_place *recent;

	hash = hash_cells(hash_cells(hash, row, rule->group), row, rule->track);
	recent = &s->recent_places[hash >> (64 - RECENT_BITS)];
	if (!is_key(rule, row, &recent->key))
		look_up_place(s, recent, rule, row);
	if (rule->is_by_process && start_ns < s->places.items[recent->place].last_ns) {
		recent->place = new_place(s, rule, row);
		nx_text_map_put(&s->place_idxs, nx_slice_of(recent->key.items, recent->key.len),
				recent->place);
	}
	s->places.items[recent->place].last_ns = start_ns;
	return &s->places.items[recent->place];
}

/* --- rows ------------------------------------------------------------------ */

static uint32_t find_name(struct nx_timeline_sink *s, struct nx_slice text)
{
	uint64_t hash = ((uint64_t)(uintptr_t)text.data + text.len) * HASH_FACTOR;
	struct recent_name *recent = &s->recent_names[hash >> (64 - RECENT_BITS)];

	if (recent->is_used &&
	    nx_slice_equal(nx_slice_of(recent->text.items, recent->text.len), text))
		return recent->name;
	recent->is_used = true;
	nx_vec_clear(&recent->text);
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

/* Emits a leading 0 so that stacked areas align. */
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
	struct place *place;
	enum nx_status st = NX_OK;
	struct nx_span span;

	times_of(rule, row, &span);
	place = find_place(s, rule, row, span.start_ns);
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

enum nx_status nx_timeline_sink_close(struct nx_timeline_sink *s, struct nx_error *err)
{
	enum nx_status st = nx_table_sink_status(&s->sink, err);

	for (size_t i = 0; i < s->places.len; i++)
		for (unsigned k = 0; k < NX_MAX_SERIES; k++) {
			struct nx_step_counter *steps = s->places.items[i].steps[k];

			if (steps && !st)
				st = nx_step_counter_finish(steps, err);
			if (steps)
				nx_step_counter_release(steps);
		}
	if (st)
		nx_timeline_writer_abort(s->writer);
	else
		st = nx_timeline_writer_commit(s->writer, err);
	for (size_t i = 0; i < RECENT_COUNT; i++) {
		nx_vec_release(&s->recent_names[i].text);
		nx_vec_release(&s->recent_places[i].key);
	}
	nx_vec_release(&s->places);
	nx_text_map_release(&s->place_idxs);
	nx_text_map_release(&s->group_tracks);
	nx_arena_release(&s->arena);
	nx_heap_free(s);
	return st;
}
