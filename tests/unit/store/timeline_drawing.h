/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_drawing: rows put into a timeline_sink, and the timeline they became.
 *
 * Include after <cmocka.h>, in a test whose cases run in a folder of their own.
 */
#ifndef NX_TESTS_TIMELINE_DRAWING_H
#define NX_TESTS_TIMELINE_DRAWING_H

#include <stdio.h>

#include "store/timeline/timeline.h"
#include "store/timeline/timeline_sink.h"
#include "tests/unit/store/timeline_whole.h"
#include "tests/unit/table_memory.h"

#define FILE_PATH "timeline.nxl"
#define C(table, column) NX_COL_##table##_##column

struct drawing { /* a sink, what passes it and what it drew */
	struct nx_table_memory memory;
	struct nx_timeline_sink *opened;
	struct nx_table_sink *sink;
	struct nx_timeline *timeline;
	struct nx_row row;
};

static inline void begin(struct drawing *d)
{
	memset(d, 0, sizeof(*d));
	nx_table_memory_init(&d->memory);
	assert_int_equal(nx_timeline_sink_open(&d->opened, FILE_PATH, &d->memory.sink, NULL),
			 NX_OK);
	d->sink = nx_timeline_sink_borrow(d->opened);
}

static inline void begin_table(struct drawing *d, enum nx_schema_table_id table)
{
	nx_row_init(&d->row, table);
	nx_table_sink_begin(d->sink, table);
}

static inline void put(struct drawing *d)
{
	nx_table_sink_put(d->sink, &d->row);
}

static inline void put_instruction(struct drawing *d, const char *track, int64_t start, int64_t end)
{
	nx_row_put_i64(&d->row, C(Instruction, start_ts), start);
	nx_row_put_i64(&d->row, C(Instruction, end_ts), end);
	nx_row_put_text(&d->row, C(Instruction, timeline_track), track);
	put(d);
}

static inline void draw(struct drawing *d)
{
	struct nx_error err = {0};

	if (nx_timeline_sink_close(d->opened, &err))
		fail_msg("%s", err.message);
	d->opened = NULL;
	assert_int_equal(nx_timeline_open(&d->timeline, FILE_PATH, NULL), NX_OK);
}

static inline void end(struct drawing *d)
{
	nx_timeline_close(d->timeline);
	nx_table_memory_release(&d->memory);
}

static inline struct nx_track track_at(const struct drawing *d, uint32_t at)
{
	struct nx_track track;

	assert_true(nx_timeline_track(d->timeline, at, &track));
	return track;
}

/* The first of those on which the table's rows lie. */
static inline uint32_t track_of_table(const struct drawing *d, enum nx_schema_table_id table)
{
	for (uint32_t i = 0; i < nx_timeline_track_count(d->timeline); i++) {
		struct nx_track track = track_at(d, i);

		if (track.kind != NX_TRACK_GROUP && track.keys[0] == table && !track.keys[1])
			return i;
	}
	fail_msg("no track of table %s", nx_schema_tables[table].name);
	return NX_TRACK_NONE;
}

static inline struct nx_span span_at(const struct drawing *d, uint32_t track, uint64_t idx)
{
	struct nx_span span;

	assert_true(nx_timeline_span(d->timeline, track, 0, idx, &span));
	return span;
}

static inline void check_text(struct nx_slice text, const char *want)
{
	if (!nx_slice_is(text, want))
		fail_msg("'%.*s' instead of '%s'", (int)text.len, (const char *)text.data, want);
}

/* The first track of that name. */
static inline uint32_t track_named(const struct drawing *d, const char *name)
{
	for (uint32_t i = 0; i < nx_timeline_track_count(d->timeline); i++)
		if (nx_slice_is(track_at(d, i).name, name))
			return i;
	fail_msg("no track '%s'", name);
	return NX_TRACK_NONE;
}

/* Exactly these samples, no more. */
static inline void check_samples(const struct drawing *d, uint32_t track,
				 const struct nx_sample *want, size_t count)
{
	struct nx_timeline_window all = {.track = track, .to_ns = UINT64_MAX};
	struct nx_sample found[64];

	assert_true(count <= 64);
	assert_int_equal(whole_samples(d->timeline, &all, found, 64), count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(found[i].time_ns, want[i].time_ns);
		assert_float_equal(found[i].value, want[i].value, 1e-9);
	}
}

/* "key=value key=value", in order. */
static inline void check_attributes(const struct drawing *d, uint32_t at, const char *want)
{
	struct nx_track track = track_at(d, at);
	char text[1024];
	size_t len = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < track.attribute_count; i++) {
		const struct nx_track_attribute *a = &track.attributes[i];

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s=%.*s", i ? " " : "",
					(int)a->key.len, (const char *)a->key.data,
					(int)a->value.len, (const char *)a->value.data);
		assert_true(len < sizeof(text));
	}
	assert_string_equal(text, want);
}

#endif
