/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "format/parquet/parquet_thrift.h"

static struct nx_thrift_reader reader_of(const void *data, size_t len)
{
	return (struct nx_thrift_reader){.at = data, .end = (const uint8_t *)data + len};
}

static void bytes_are_those_of_the_compact_protocol(void **state)
{
	/* worked out by hand: step<<4|type, zigzag, lengths, stop */
	static const uint8_t want[] = {
		0x15, 0x02, /* 1: i32 1 */
		0x11,	    /* 2: true */
		0x06, 0x28, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* 20: i64 min */
		0x18, 0x02, 'h',  'i',		    /* 21: "hi" */
		0x1c, 0x14, 0x03, 0x00,		    /* 22: {1: i16 -2} */
		0x19, 0x25, 0x00, 0xac, 0x02,	    /* 23: list of i32 [0, 150] */
		0x12,				    /* 24: false */
		0x13, 0xfe,			    /* 25: byte -2 */
		0x00,
	};
	struct nx_bytes out = {0};
	struct nx_thrift_writer w = {.out = &out};

	(void)state;
	nx_thrift_begin(&w);
	nx_thrift_i32(&w, 1, 1);
	nx_thrift_bool(&w, 2, true);
	nx_thrift_i64(&w, 20, INT64_MIN);
	nx_thrift_bytes(&w, 21, nx_slice_text("hi"));
	nx_thrift_begin_field(&w, 22);
	nx_thrift_i16(&w, 1, -2);
	nx_thrift_end(&w);
	nx_thrift_list(&w, 23, NX_THRIFT_I32, 2);
	nx_thrift_item_int(&w, 0);
	nx_thrift_item_int(&w, 150);
	nx_thrift_bool(&w, 24, false);
	nx_thrift_byte(&w, 25, -2);
	nx_thrift_end(&w);
	assert_int_equal(out.len, sizeof(want));
	assert_memory_equal(out.items, want, sizeof(want));
	nx_vec_release(&out);
}

static void what_is_written_reads_back(void **state)
{
	struct nx_bytes out = {0};
	struct nx_thrift_writer w = {.out = &out};
	struct nx_thrift_field f = {0};
	struct nx_thrift_reader r;

	(void)state;
	nx_thrift_begin(&w);
	nx_thrift_i64(&w, 3, INT64_MAX);
	nx_thrift_list(&w, 4, NX_THRIFT_BINARY, 20);
	for (int i = 0; i < 20; i++)
		nx_thrift_item_bytes(&w, nx_slice_text("x"));
	nx_thrift_begin_field(&w, 5);
	nx_thrift_bool(&w, 1, true);
	nx_thrift_end(&w);
	nx_thrift_end(&w);

	r = reader_of(out.items, out.len);
	assert_true(nx_thrift_next(&r, &f));
	assert_int_equal(f.id, 3);
	assert_true(nx_thrift_take_int(&r, f, INT64_MIN, INT64_MAX) == INT64_MAX);
	assert_true(nx_thrift_next(&r, &f));
	assert_int_equal(nx_thrift_take_list(&r, f, NX_THRIFT_BINARY), 20);
	for (int i = 0; i < 20; i++) {
		struct nx_thrift_field item = {.type = NX_THRIFT_BINARY};

		assert_true(nx_slice_is(nx_thrift_take_bytes(&r, item), "x"));
	}
	assert_true(nx_thrift_next(&r, &f));
	nx_thrift_take_struct(&r, f);
	f = (struct nx_thrift_field){0};
	assert_true(nx_thrift_next(&r, &f));
	assert_true(nx_thrift_take_bool(&r, f));
	assert_false(nx_thrift_next(&r, &f));
	assert_false(nx_thrift_next(&r, &f));
	assert_false(r.is_broken);
	assert_ptr_equal(r.at, r.end);
	nx_vec_release(&out);
}

static void unknown_fields_of_any_type_are_skipped(void **state)
{
	static const uint8_t bytes[] = {
		0x13, 0x7f,					     /* byte */
		0x17, 1,    2,	  3,	4,    5,    6,	  7,   8,    /* double */
		0x19, 0x21, 1,	  2,				     /* list of two bools */
		0x1a, 0x1c, 0x15, 0x02, 0x00,			     /* set of one struct */
		0x1b, 0x02, 0x85, 0x01, 'a',  0x02, 0x01, 'b', 0x04, /* map text -> i32 */
		0x1b, 0x00,					     /* empty map */
		0x11, 0x12,					     /* bools */
		0x15, 0x54,					     /* the one looked for: 42 */
		0x00,
	};
	struct nx_thrift_reader r = reader_of(bytes, sizeof(bytes));
	struct nx_thrift_field f = {0};
	int64_t found = 0;

	(void)state;
	while (nx_thrift_next(&r, &f)) {
		if (f.id == 9)
			found = nx_thrift_take_int(&r, f, 0, 100);
		else
			nx_thrift_skip(&r, f);
	}
	assert_false(r.is_broken);
	assert_int_equal(found, 42);
}

/* Cutting a valid message anywhere must be noticed, and every loop must end. */
static void a_cut_message_is_broken_wherever_it_is_cut(void **state)
{
	static const uint8_t bytes[] = {0x15, 0xac, 0x02, 0x18, 0x03, 'a',  'b',  'c',	0x19,
					0x2c, 0x15, 0x02, 0x00, 0x00, 0x1c, 0x11, 0x00, 0x00};

	(void)state;
	for (size_t len = 0; len < sizeof(bytes); len++) {
		struct nx_thrift_reader r = reader_of(bytes, len);
		struct nx_thrift_field f = {0};

		while (nx_thrift_next(&r, &f))
			nx_thrift_skip(&r, f);
		assert_true(r.is_broken);
	}
}

static bool is_refused(const void *bytes, size_t len)
{
	struct nx_thrift_reader r = reader_of(bytes, len);
	struct nx_thrift_field f = {0};

	while (nx_thrift_next(&r, &f))
		nx_thrift_skip(&r, f);
	return r.is_broken;
}

static void lies_are_refused(void **state)
{
	uint8_t deep[64];

	(void)state;
	memset(deep, 0x1c, sizeof(deep)); /* a struct in a struct in a struct ... */
	assert_true(is_refused(deep, sizeof(deep)));
	memset(deep, 0x19, sizeof(deep)); /* the same with lists */
	assert_true(is_refused(deep, sizeof(deep)));
	assert_true(is_refused("\x18\xff\xff\xff\xff\x0f", 6));	      /* 4 GB of text */
	assert_true(is_refused("\x19\xf3\xff\xff\xff\xff\x0f\0", 8)); /* 4 G items */
	assert_true(is_refused("\x1d\0", 2));			      /* no such type */
	assert_true(is_refused("\x05\x00\x02\0", 4));		      /* field 0 */
	assert_true(is_refused("\x16\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0", 13));
}

static void a_value_of_another_type_or_out_of_range_breaks(void **state)
{
	struct nx_thrift_reader r = reader_of("\x15\x54\0", 3);
	struct nx_thrift_field f = {0};

	(void)state;
	assert_true(nx_thrift_next(&r, &f));
	assert_int_equal(nx_thrift_take_int(&r, f, 0, 41), 0);
	assert_true(r.is_broken);

	r = reader_of("\x15\x54\0", 3);
	f = (struct nx_thrift_field){0};
	assert_true(nx_thrift_next(&r, &f));
	assert_int_equal(nx_thrift_take_bytes(&r, f).len, 0);
	assert_true(r.is_broken);

	r = reader_of("\x19\x15\x54\0", 4);
	f = (struct nx_thrift_field){0};
	assert_true(nx_thrift_next(&r, &f));
	assert_int_equal(nx_thrift_take_list(&r, f, NX_THRIFT_STRUCT), 0);
	assert_true(r.is_broken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_those_of_the_compact_protocol),
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(unknown_fields_of_any_type_are_skipped),
		cmocka_unit_test(a_cut_message_is_broken_wherever_it_is_cut),
		cmocka_unit_test(lies_are_refused),
		cmocka_unit_test(a_value_of_another_type_or_out_of_range_breaks),
	};

	return cmocka_run_group_tests_name("format/parquet_thrift", tests, NULL, NULL);
}
