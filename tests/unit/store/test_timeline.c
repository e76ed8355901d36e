/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "store/timeline/timeline_internal.h"
#include "tests/unit/store/timeline_case.h"

/* A group, a track of spans at two depths in it, and a counter. */
static void fill(struct timeline_case *c)
{
	const struct nx_track_attribute pairs[] = {
		{nx_slice_text("core"), nx_slice_text("0")},
		{nx_slice_text("engine"), nx_slice_text("Tensor")},
	};
	struct nx_track track = {
		.kind = NX_TRACK_GROUP,
		.parent = NX_TRACK_NONE,
		.name = nx_slice_text("core 0"),
		.unit = nx_slice_text(""),
	};
	uint32_t name;

	case_begin(c, 0);
	nx_timeline_writer_add_track(c->writer, &track);
	track.kind = NX_TRACK_SPANS;
	track.parent = 0;
	track.name = nx_slice_text("Tensor");
	track.rank = -3;
	track.keys[0] = 7;
	track.keys[1] = UINT64_MAX;
	track.attributes = pairs;
	track.attribute_count = 2;
	nx_timeline_writer_add_track(c->writer, &track);
	track.kind = NX_TRACK_COUNTER;
	track.parent = NX_TRACK_NONE;
	track.name = nx_slice_text("HBM");
	track.unit = nx_slice_text("bytes");
	track.attribute_count = 1;
	nx_timeline_writer_add_track(c->writer, &track);
	name = case_names(c, 1);
	for (uint64_t i = 0; i < 300; i++) {
		case_span(c, 1, (struct nx_span){1000 + 100 * i, 1090 + 100 * i, i, name});
		case_span(c, 1, (struct nx_span){1010 + 100 * i, 1020 + 100 * i, i, name});
		case_sample(c, 2, 500 + 100 * i, (double)i / 3);
	}
	case_open(c);
}

static void tracks_and_names_read_back(void **state)
{
	struct timeline_case c;
	struct nx_track track;
	uint64_t from_ns, to_ns;

	(void)state;
	fill(&c);
	assert_int_equal(nx_timeline_track_count(c.timeline), 3);
	assert_true(nx_timeline_track(c.timeline, 0, &track));
	assert_true(nx_slice_is(track.name, "core 0"));
	assert_int_equal(track.kind, NX_TRACK_GROUP);
	assert_int_equal(track.depth_count, 0);
	assert_int_equal(track.last_ns, 0);
	assert_int_equal(track.attribute_count, 0);
	assert_true(nx_timeline_track(c.timeline, 1, &track));
	assert_int_equal(track.parent, 0);
	assert_int_equal(track.rank, -3);
	assert_true(track.keys[0] == 7 && track.keys[1] == UINT64_MAX);
	assert_int_equal(track.depth_count, 2);
	assert_int_equal(track.row_count, 600);
	assert_int_equal(track.first_ns, 1000);
	assert_int_equal(track.last_ns, 1090 + 100 * 299);
	assert_int_equal(track.lost_count, 0);
	assert_int_equal(track.attribute_count, 2);
	assert_true(nx_slice_is(track.attributes[0].key, "core"));
	assert_true(nx_slice_is(track.attributes[0].value, "0"));
	assert_true(nx_slice_is(track.attributes[1].key, "engine"));
	assert_true(nx_slice_is(track.attributes[1].value, "Tensor"));
	assert_true(nx_timeline_track(c.timeline, 2, &track));
	assert_int_equal(track.attribute_count, 1);
	assert_true(nx_slice_is(track.attributes[0].key, "core"));
	assert_true(nx_slice_is(track.unit, "bytes"));
	assert_int_equal(track.row_count, 300);
	assert_int_equal(track.first_ns, 500);
	assert_int_equal(track.last_ns, 500 + 100 * 299);
	assert_false(nx_timeline_track(c.timeline, 3, &track));
	/* core 0, "", Tensor, core, 0, engine, HBM, bytes, n0 */
	assert_int_equal(nx_timeline_name_count(c.timeline), 9);
	assert_true(nx_slice_is(nx_timeline_name(c.timeline, 1), ""));
	assert_true(nx_slice_is(nx_timeline_name(c.timeline, 8), "n0"));
	assert_int_equal(nx_timeline_name(c.timeline, 9).len, 0);
	assert_true(nx_timeline_extent(c.timeline, &from_ns, &to_ns));
	assert_int_equal(from_ns, 500);
	assert_int_equal(to_ns, 1090 + 29900);
	case_end(&c);
}

static void an_empty_timeline_opens(void **state)
{
	struct timeline_case c;
	uint64_t from_ns, to_ns;

	(void)state;
	case_begin(&c, 0);
	case_open(&c);
	assert_int_equal(nx_timeline_track_count(c.timeline), 0);
	assert_false(nx_timeline_extent(c.timeline, &from_ns, &to_ns));
	assert_true(from_ns == 0 && to_ns == 0);
	case_end(&c);
}

static void a_path_without_a_timeline_is_refused(void **state)
{
	struct nx_timeline *t;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_timeline_open(&t, "/nowhere/timeline.nxl", &err), NX_NOT_FOUND);
	assert_null(t);
	assert_int_equal(nx_timeline_open(&t, "/proc/self/exe", &err), NX_FORMAT);
	assert_string_equal(err.message, "cannot read /proc/self/exe: not a timeline");
	nx_timeline_close(NULL);
}

/* A copy of the file in memory, to be damaged. */
struct copy {
	uint8_t *bytes;
	size_t len;
	struct nx_timeline_footer *footer;
};

static struct copy copy_file(const struct timeline_case *c)
{
	struct nx_slice bytes = c->timeline->bytes;
	struct copy copy = {nx_heap_alloc(bytes.len), bytes.len, NULL};

	memcpy(copy.bytes, bytes.data, bytes.len);
	copy.footer = (void *)(copy.bytes + bytes.len - sizeof(*copy.footer));
	return copy;
}

static enum nx_status open_copy(const struct copy *copy, size_t len)
{
	struct nx_timeline *t;
	struct nx_error err = {0};
	enum nx_status status = nx_timeline_open_bytes(&t, nx_slice_of(copy->bytes, len), &err);

	assert_true(status == NX_OK ? t != NULL : t == NULL && err.message[0]);
	nx_timeline_close(t);
	return status;
}

/* Makes the checksum right again, so that only what the bytes say is wrong. */
static void seal(const struct copy *copy)
{
	struct nx_slice whole = nx_slice_of(copy->bytes, copy->len);

	copy->footer->checksum = nx_timeline_checksum(
		nx_slice_part(whole, copy->footer->directory_at, copy->footer->directory_bytes),
		copy->footer);
}

static void a_cut_file_is_refused(void **state)
{
	struct timeline_case c;
	struct copy copy;

	(void)state;
	fill(&c);
	copy = copy_file(&c);
	assert_int_equal(open_copy(&copy, copy.len), NX_OK);
	for (size_t len = 0; len < copy.len; len++)
		assert_int_equal(open_copy(&copy, len), NX_FORMAT);
	nx_heap_free(copy.bytes);
	case_end(&c);
}

static void another_version_is_refused(void **state)
{
	struct timeline_case c;
	struct copy copy;

	(void)state;
	fill(&c);
	copy = copy_file(&c);
	copy.bytes[8] = NX_TIMELINE_VERSION - 1;
	assert_int_equal(open_copy(&copy, copy.len), NX_VERSION);
	nx_heap_free(copy.bytes);
	case_end(&c);
}

static void any_wrong_byte_of_the_directory_is_noticed(void **state)
{
	struct timeline_case c;
	struct copy copy;

	(void)state;
	fill(&c);
	copy = copy_file(&c);
	for (size_t i = copy.footer->directory_at; i < copy.len; i++) {
		copy.bytes[i] ^= 0x10;
		assert_int_equal(open_copy(&copy, copy.len), NX_FORMAT);
		copy.bytes[i] ^= 0x10;
	}
	nx_heap_free(copy.bytes);
	case_end(&c);
}

/* Directories that are wrong on purpose: the checksum is good, the contents lie. */
static void lies_in_the_directory_are_noticed(void **state)
{
	struct timeline_case c;
	struct copy copy;
	struct nx_track_record *tracks;
	struct nx_strip_record *strips;
	struct nx_attribute_record *pairs;
	uint64_t *ends;

	(void)state;
	fill(&c);
	copy = copy_file(&c);
	tracks = (void *)(copy.bytes + copy.footer->directory_at);
	strips = (void *)(tracks + copy.footer->track_count);
	pairs = (void *)(strips + copy.footer->strip_count);
	ends = (void *)(pairs + copy.footer->attribute_count);
#define LIE(place, value)                                                                          \
	do {                                                                                       \
		__typeof__(place) truth = (place);                                                 \
                                                                                                   \
		(place) = (value);                                                                 \
		seal(&copy);                                                                       \
		assert_int_equal(open_copy(&copy, copy.len), NX_FORMAT);                           \
		(place) = truth;                                                                   \
		seal(&copy);                                                                       \
		assert_int_equal(open_copy(&copy, copy.len), NX_OK);                               \
	} while (0)
	LIE(tracks[1].kind, NX_TRACK_KIND_COUNT);
	LIE(tracks[1].kind, NX_TRACK_GROUP);
	LIE(tracks[1].kind, NX_TRACK_COUNTER);
	LIE(tracks[0].parent, 0);
	LIE(tracks[1].parent, 2);
	LIE(tracks[1].name, 9);
	LIE(tracks[2].unit, UINT32_MAX);
	LIE(tracks[1].first_strip, 1);
	LIE(tracks[1].depth_count, 1);
	LIE(tracks[1].depth_count, UINT32_MAX);
	LIE(strips[0].row_count, 0);
	LIE(strips[0].row_count, 100000);
	LIE(strips[0].row_count, UINT64_MAX);
	LIE(strips[0].index_at, strips[0].index_at + 4);
	LIE(strips[0].index_at, copy.len);
	LIE(strips[0].index_at, UINT64_MAX & ~7);
	LIE(strips[0].name_values, UINT64_MAX);
	LIE(strips[2].name_values, 1);
	LIE(tracks[0].attribute_count, 1);
	LIE(tracks[1].attribute_count, 3);
	LIE(tracks[1].attribute_count, UINT32_MAX);
	LIE(tracks[2].attribute_count, 0);
	LIE(tracks[1].first_attribute, 1);
	LIE(tracks[2].first_attribute, UINT32_MAX);
	LIE(pairs[0].key, 9);
	LIE(pairs[2].value, UINT32_MAX);
	LIE(copy.footer->attribute_count, 2);
	LIE(copy.footer->attribute_count, UINT32_MAX);
	LIE(ends[2], ends[3] + 1);
	LIE(ends[8], UINT64_MAX);
#undef LIE
	nx_heap_free(copy.bytes);
	case_end(&c);
}

static void an_index_is_as_long_as_its_rows_say(void **state)
{
	(void)state;
	/* one chunk: start, busy, place, row of the longest */
	assert_int_equal(nx_index_bytes(NX_TRACK_SPANS, 1, 0), 32);
	/* the full chunk has a longest span and a list of names too */
	assert_int_equal(nx_index_bytes(NX_TRACK_SPANS, NX_CHUNK_ROWS, 3), 48 + 24);
	/* a counter's chunk is full with the sample after it */
	assert_int_equal(nx_index_bytes(NX_TRACK_COUNTER, NX_CHUNK_ROWS, 0), 16);
	assert_int_equal(nx_index_bytes(NX_TRACK_COUNTER, NX_CHUNK_ROWS + 1, 0), 32 + 24);
	/* 17 chunks: two nodes of starts above, one full node of sixteen, four of names */
	assert_int_equal(nx_index_bytes(NX_TRACK_SPANS, 17 * NX_CHUNK_ROWS, 0),
			 8 * (17 + 2 + 17 + 17 + 17 + 17 + 1 + 17 + 4 + 1));
	assert_int_equal(nx_index_bytes(NX_TRACK_GROUP, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracks_and_names_read_back),
		cmocka_unit_test(an_empty_timeline_opens),
		cmocka_unit_test(a_path_without_a_timeline_is_refused),
		cmocka_unit_test(a_cut_file_is_refused),
		cmocka_unit_test(another_version_is_refused),
		cmocka_unit_test(any_wrong_byte_of_the_directory_is_noticed),
		cmocka_unit_test(lies_in_the_directory_are_noticed),
		cmocka_unit_test(an_index_is_as_long_as_its_rows_say),
	};

	return cmocka_run_group_tests_name("store/timeline", tests, NULL, NULL);
}
