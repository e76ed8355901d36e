/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timeline_case: a timeline made of rows that the test knows, in a file that goes away.
 *
 * Include after <cmocka.h>.
 */
#ifndef NX_TESTS_TIMELINE_CASE_H
#define NX_TESTS_TIMELINE_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/timeline/timeline_writer.h"

struct timeline_case {
	char folder[64];
	char path[96];
	struct nx_timeline_writer *writer;
	struct nx_timeline *timeline;
	struct nx_error err;
};

static inline void case_begin(struct timeline_case *c, size_t memory_bytes)
{
	*c = (struct timeline_case){.folder = "/tmp/timeline-XXXXXX"};
	assert_non_null(mkdtemp(c->folder));
	snprintf(c->path, sizeof(c->path), "%s/timeline.nxl", c->folder);
	assert_int_equal(nx_timeline_writer_open(&c->writer, c->path, memory_bytes, &c->err),
			 NX_OK);
}

static inline uint32_t case_track(struct timeline_case *c, enum nx_track_kind kind)
{
	struct nx_track track = {
		.kind = kind,
		.parent = NX_TRACK_NONE,
		.name = nx_slice_text("track"),
		.unit = nx_slice_text(""),
	};

	return nx_timeline_writer_add_track(c->writer, &track);
}

/* Names "n0", "n1", ... get ids of their own; this returns the first. */
static inline uint32_t case_names(struct timeline_case *c, uint32_t count)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < count; i++) {
		char text[16];
		uint32_t id;

		snprintf(text, sizeof(text), "n%u", i);
		id = nx_timeline_writer_add_name(c->writer, nx_slice_text(text));
		first = i ? first : id;
	}
	return first;
}

/* Most cases: one track of spans, which this returns, and names, of which it tells the first. */
static inline uint32_t case_begin_spans(struct timeline_case *c, size_t memory_bytes,
					uint32_t name_count, uint32_t *first_name)
{
	uint32_t track;

	case_begin(c, memory_bytes);
	track = case_track(c, NX_TRACK_SPANS);
	*first_name = case_names(c, name_count);
	return track;
}

static inline void case_span(struct timeline_case *c, uint32_t track, struct nx_span span)
{
	assert_int_equal(nx_timeline_writer_add_span(c->writer, track, &span, &c->err), NX_OK);
}

static inline void case_sample(struct timeline_case *c, uint32_t track, uint64_t time_ns,
			       double value)
{
	struct nx_sample sample = {time_ns, value};

	assert_int_equal(nx_timeline_writer_add_sample(c->writer, track, &sample, &c->err), NX_OK);
}

static inline void case_open(struct timeline_case *c)
{
	assert_int_equal(nx_timeline_writer_commit(c->writer, &c->err), NX_OK);
	c->writer = NULL;
	assert_int_equal(nx_timeline_open(&c->timeline, c->path, &c->err), NX_OK);
}

static inline void case_end(struct timeline_case *c)
{
	nx_timeline_writer_abort(c->writer);
	nx_timeline_close(c->timeline);
	unlink(c->path);
	assert_int_equal(rmdir(c->folder), 0);
}

/* xorshift: the same numbers everywhere. */
static inline uint64_t case_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545f4914f6cdd1d) >> 11;
}

#endif
