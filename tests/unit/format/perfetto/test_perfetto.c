/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "perfetto_reader.h"

static int begin(void **state)
{
	static struct nx_perfetto_reading r;

	nx_perfetto_reading_begin(&r, false);
	*state = &r;
	return 0;
}

static int release(void **state)
{
	nx_perfetto_reading_release(*state);
	return 0;
}

/* Two packets that start the sequence, a begin that explains its name, an end. */
static void a_slice_is_four_packets(void **state)
{
	struct nx_perfetto_reading *r = *state;
	uint32_t row = nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "Tensor", 3);

	nx_perfetto_begin(r->p, row, 1000, "MATMUL", NULL, 0, NULL);
	nx_perfetto_end(r->p, row, 1200);
	assert_string_equal(
		nx_perfetto_reading_end(r),
		"8=1000 58=6 10=1 13=1 59{11{11=1} 58=64} 60{1=1 2='Tensor' 11=3 12=3}\n"
		"10=1 13=2 6{1{1=6 2=0} 1{1=64 2=0 3=1}}\n"
		"8=1000 10=1 13=2 12{2{1=1 2='MATMUL'}} 11{9=1 10=1}\n"
		"8=200 10=1 13=2 11{9=2}\n");
}

static void names_are_told_once_per_track(void **state)
{
	struct nx_perfetto_reading *r = *state;
	uint32_t a = nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "a", 0);
	uint32_t b = nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "b", 0);

	nx_perfetto_instant(r->p, a, 5, "x", NULL, 0);
	nx_perfetto_instant(r->p, a, 6, "y", NULL, 0);
	nx_perfetto_instant(r->p, a, 6, "x", NULL, 0);
	nx_perfetto_instant(r->p, b, 2, "y", NULL, 0);
	nx_perfetto_reading_end(r);
	assert_string_equal(nx_perfetto_reading_event(r, 0),
			    "8=5 10=1 13=2 12{2{1=1 2='x'}} 11{9=3 10=1}");
	assert_string_equal(nx_perfetto_reading_event(r, 1),
			    "8=1 10=1 13=2 12{2{1=2 2='y'}} 11{9=3 10=2}");
	assert_string_equal(nx_perfetto_reading_event(r, 2), "8=0 10=1 13=2 11{9=3 10=1}");
	assert_string_equal(nx_perfetto_reading_event(r, 3),
			    "8=2 10=2 13=2 12{2{1=1 2='y'}} 11{9=3 10=1}");
	assert_null(nx_perfetto_reading_event(r, 4));
}

static void arguments_keep_their_types(void **state)
{
	struct nx_perfetto_reading *r = *state;
	uint32_t row = nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "a", 0);
	const struct nx_perfetto_arg args[] = {
		{.name = "u", .kind = NX_PERFETTO_U64, .u64 = 300},
		{.name = "i", .kind = NX_PERFETTO_I64, .u64 = (uint64_t)-2},
		{.name = "f", .kind = NX_PERFETTO_F64, .f64 = 0.5},
		{.name = "b", .kind = NX_PERFETTO_BOOL, .u64 = 8},
		{.name = "t", .kind = NX_PERFETTO_TEXT, .text = nx_slice_text("hi")},
		{.name = "t", .kind = NX_PERFETTO_TEXT, .text = nx_slice_text("hi")},
		{.name = "once",
		 .kind = NX_PERFETTO_TEXT,
		 .is_unique = true,
		 .text = nx_slice_text("me")},
		{.name = "e", .kind = NX_PERFETTO_TEXT},
	};

	nx_perfetto_begin(r->p, row, 0, "n", args, sizeof(args) / sizeof(args[0]), NULL);
	nx_perfetto_reading_end(r);
	assert_string_equal(
		nx_perfetto_reading_event(r, 0),
		"8=0 10=1 13=2 12{2{1=1 2='n'} 3{1=1 2='u'} 3{1=2 2='i'} 3{1=3 2='f'} 3{1=4 2='b'} "
		"3{1=5 2='t'} 29{1=1 2='hi'} 3{1=6 2='once'} 3{1=7 2='e'} 29{1=2 2=''}} "
		"11{9=1 10=1 4{1=1 3=300} 4{1=2 4=-2} 4{1=3 5=0.5} 4{1=4 2=1} 4{1=5 17=1} "
		"4{1=5 17=1} 4{1=6 6='me'} 4{1=7 17=2}}");
}

static void flows_are_fixed_numbers(void **state)
{
	struct nx_perfetto_reading *r = *state;
	uint32_t row = nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "a", 0);
	const uint64_t out[] = {7, 8}, in[] = {9};
	const struct nx_perfetto_flows flows = {out, 2, in, 1};

	nx_perfetto_begin(r->p, row, 0, "n", NULL, 0, &flows);
	nx_perfetto_reading_end(r);
	assert_non_null(strstr(nx_perfetto_reading_event(r, 0), "11{9=1 10=1 47=7# 47=8# 48=9#}"));
}

static void counters_are_whole_numbers_where_they_can(void **state)
{
	struct nx_perfetto_reading *r = *state;
	uint32_t c = nx_perfetto_counter(r->p, NX_PERFETTO_ROOT, "c", NX_UNIT_BYTES, "x", 4);

	nx_perfetto_count(r->p, c, 1, 3);
	nx_perfetto_count(r->p, c, 2, -1);
	nx_perfetto_count(r->p, c, 3, 0.25);
	nx_perfetto_count(r->p, c, 4, 1e300);
	nx_perfetto_count(r->p, c, 5, (double)NAN);
	assert_non_null(strstr(nx_perfetto_reading_end(r), "60{1=1 2='c' 8{3=3 6='x'} 11=3 12=4}"));
	assert_string_equal(nx_perfetto_reading_event(r, 0), "8=1 10=1 13=2 11{9=4 30=3}");
	assert_string_equal(nx_perfetto_reading_event(r, 1), "8=1 10=1 13=2 11{9=4 30=-1}");
	assert_string_equal(nx_perfetto_reading_event(r, 2), "8=1 10=1 13=2 11{9=4 44=0.25}");
	assert_string_equal(nx_perfetto_reading_event(r, 3), "8=1 10=1 13=2 11{9=4 44=1e+300}");
	assert_non_null(strstr(nx_perfetto_reading_event(r, 4), "11{9=4 44="));
}

/* A packet that went back would take all later ones of its track with it. */
static void time_stands_still_rather_than_going_back(void **state)
{
	struct nx_perfetto_reading *r = *state;
	uint32_t row = nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "a", 0);

	nx_perfetto_begin(r->p, row, 100, "n", NULL, 0, NULL);
	nx_perfetto_end(r->p, row, 90);
	nx_perfetto_begin(r->p, row, 130, "n", NULL, 0, NULL);
	nx_perfetto_end(r->p, row, UINT64_MAX);
	nx_perfetto_reading_end(r);
	assert_string_equal(nx_perfetto_reading_event(r, 1), "8=0 10=1 13=2 11{9=2}");
	assert_string_equal(nx_perfetto_reading_event(r, 2), "8=30 10=1 13=2 11{9=1 10=1}");
	assert_string_equal(nx_perfetto_reading_event(r, 3), "8=-131 10=1 13=2 11{9=2}");
}

static void ends_without_a_begin_are_dropped(void **state)
{
	struct nx_perfetto_reading *r = *state;
	uint32_t row = nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "a", 0);

	nx_perfetto_end(r->p, row, 1);
	nx_perfetto_begin(r->p, row, 2, "n", NULL, 0, NULL);
	nx_perfetto_end(r->p, row, 3);
	nx_perfetto_end(r->p, row, 4);
	nx_perfetto_reading_end(r);
	assert_non_null(nx_perfetto_reading_event(r, 1));
	assert_null(nx_perfetto_reading_event(r, 2));
}

static void texts_beyond_the_limit_are_written_in_place(void **state)
{
	struct nx_perfetto_reading *r = *state;
	uint32_t row = nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "a", 0);
	char name[32];

	for (unsigned i = 0; i < 4098; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		nx_perfetto_instant(r->p, row, i, name, NULL, 0);
	}
	nx_perfetto_instant(r->p, row, 5000, "n4095", NULL, 0);
	nx_perfetto_reading_end(r);
	assert_string_equal(nx_perfetto_reading_event(r, 4095),
			    "8=1 10=1 13=2 12{2{1=4096 2='n4095'}} 11{9=3 10=4096}");
	assert_string_equal(nx_perfetto_reading_event(r, 4097), "8=1 10=1 13=2 11{9=3 23='n4097'}");
	assert_string_equal(nx_perfetto_reading_event(r, 4098), "8=903 10=1 13=2 11{9=3 10=4096}");
}

static void write_many(struct nx_perfetto *p)
{
	uint32_t rows[3];
	char name[32];

	for (unsigned i = 0; i < 3; i++)
		rows[i] = nx_perfetto_track(p, NX_PERFETTO_ROOT, "row", i);
	for (uint64_t i = 0; i < 60000; i++) {
		snprintf(name, sizeof(name), "name %u", (unsigned)(i % 100));
		nx_perfetto_begin(p, rows[i % 3], i * 10, name, NULL, 0, NULL);
		nx_perfetto_end(p, rows[i % 3], i * 10 + i % 25);
	}
}

static void compressed_packets_are_the_same_packets(void **state)
{
	struct nx_perfetto_reading *plain = *state, deflated;
	uint64_t plain_bytes, deflated_bytes;

	nx_perfetto_reading_begin(&deflated, true);
	write_many(plain->p);
	write_many(deflated.p);
	nx_perfetto_reading_end(plain);
	nx_perfetto_reading_end(&deflated);
	plain_bytes = plain->out.written_bytes;
	deflated_bytes = deflated.out.written_bytes;
	assert_int_equal(plain->text.len, deflated.text.len);
	assert_memory_equal(plain->text.items, deflated.text.items, plain->text.len);
	assert_true(plain_bytes / 60000 <= 30);
	assert_true(deflated_bytes / 60000 <= 6);
	nx_perfetto_reading_release(&deflated);
}

static void nothing_is_an_empty_file(void **state)
{
	struct nx_perfetto_reading *r = *state, deflated;

	nx_perfetto_reading_begin(&deflated, true);
	nx_perfetto_track(r->p, NX_PERFETTO_ROOT, "no events", 0);
	assert_string_equal(nx_perfetto_reading_end(r), "");
	assert_string_equal(nx_perfetto_reading_end(&deflated), "");
	assert_int_equal(deflated.out.written_bytes, 0);
	nx_perfetto_reading_release(&deflated);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, release)
	const struct CMUnitTest tests[] = {
		CASE(a_slice_is_four_packets),
		CASE(names_are_told_once_per_track),
		CASE(arguments_keep_their_types),
		CASE(flows_are_fixed_numbers),
		CASE(counters_are_whole_numbers_where_they_can),
		CASE(time_stands_still_rather_than_going_back),
		CASE(ends_without_a_begin_are_dropped),
		CASE(texts_beyond_the_limit_are_written_in_place),
		CASE(compressed_packets_are_the_same_packets),
		CASE(nothing_is_an_empty_file),
	};

	return cmocka_run_group_tests_name("format/perfetto", tests, NULL, NULL);
}
