/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/xspace.h"

#define BYTES(...)                                                                                 \
	nx_slice_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void a_stat_is_read_by_its_kind(void **state)
{
	struct nx_xstat stat;

	(void)state;
	assert_true(nx_xstat_read(BYTES(0x08, 3, 0x18, 200, 1), &stat));
	assert_int_equal(stat.metadata_id, 3);
	assert_int_equal(stat.kind, NX_XSTAT_U64);
	assert_int_equal(stat.integer, 200);
	assert_true(nx_xstat_read(BYTES(0x08, 4, 0x2a, 2, 'h', 'i'), &stat));
	assert_int_equal(stat.kind, NX_XSTAT_TEXT);
	assert_true(nx_slice_is(stat.text, "hi"));
	assert_true(nx_xstat_read(BYTES(0x08, 4, 0x38, 9), &stat));
	assert_int_equal(stat.kind, NX_XSTAT_REF);
	assert_int_equal(stat.integer, 9);
	/* 1.5 */
	assert_true(nx_xstat_read(BYTES(0x11, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f), &stat));
	assert_int_equal(stat.kind, NX_XSTAT_F64);
	assert_true(stat.f64 == 1.5);
}

static void a_negative_number_has_ten_bytes(void **state)
{
	struct nx_xstat stat;
	struct nx_xevent event;

	(void)state;
	assert_true(nx_xstat_read(BYTES(0x08, 1, 0x20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 1),
				  &stat));
	assert_int_equal((int64_t)stat.integer, -1);
	assert_true(nx_xevent_read(
		BYTES(0x10, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), &event));
	assert_int_equal(event.offset_ps, -2);
}

static void of_a_oneof_the_last_counts(void **state)
{
	struct nx_xstat stat;
	struct nx_xevent event;

	(void)state;
	nx_xstat_read(BYTES(0x18, 7, 0x2a, 1, 'x'), &stat);
	assert_int_equal(stat.kind, NX_XSTAT_TEXT);
	nx_xevent_read(BYTES(0x28, 5, 0x10, 9), &event);
	assert_false(event.is_aggregated);
	nx_xevent_read(BYTES(0x10, 9, 0x28, 5), &event);
	assert_true(event.is_aggregated);
	assert_int_equal(event.occurrence_count, 5);
}

static void a_field_of_the_wrong_type_is_ignored(void **state)
{
	struct nx_xstat stat;
	struct nx_xevent event;

	(void)state;
	assert_true(nx_xstat_read(BYTES(0x1a, 1, 7, 0x08, 2), &stat));
	assert_int_equal(stat.kind, NX_XSTAT_NONE);
	assert_int_equal(stat.metadata_id, 2);
	assert_true(nx_xevent_read(BYTES(0x0a, 1, 7, 0x18, 2), &event));
	assert_int_equal(event.metadata_id, 0);
	assert_int_equal(event.duration_ps, 2);
}

static void what_ends_early_is_told(void **state)
{
	struct nx_xstat stat;
	struct nx_xevent event;

	(void)state;
	assert_false(nx_xstat_read(BYTES(0x08, 2, 0x2a, 9, 'x'), &stat));
	assert_int_equal(stat.metadata_id, 2);
	assert_false(nx_xevent_read(BYTES(0x08, 0x80), &event));
}

static void events_come_back_as_they_were_written(void **state)
{
	const struct nx_xstat stats[] = {
		{.metadata_id = 1, .kind = NX_XSTAT_I64, .integer = 0},
		{.metadata_id = 2, .kind = NX_XSTAT_TEXT, .text = nx_slice_text("a\xff")},
		{.metadata_id = 3, .kind = NX_XSTAT_F64, .f64 = -0.25},
		{.metadata_id = 4, .kind = NX_XSTAT_BYTES, .text = nx_slice_text("\xff")},
	};
	const struct nx_xevent written = {.metadata_id = 300, .offset_ps = 0, .duration_ps = 70000};
	struct nx_bytes bytes = {0};
	struct nx_wire_reader reader;
	struct nx_wire_value field;
	struct nx_xevent event;
	struct nx_xstat stat;

	(void)state;
	nx_xevent_append(&bytes, &written, stats, 4);
	reader = nx_wire_reader_of(nx_slice_of(bytes.items, bytes.len));
	assert_true(nx_wire_next(&reader, &field));
	assert_int_equal(field.number, NX_XLINE_EVENTS);
	assert_ptr_equal(reader.at, reader.end); /* the length is right */
	assert_true(nx_xevent_read(field.bytes, &event));
	assert_int_equal(event.metadata_id, 300);
	assert_int_equal(event.duration_ps, 70000);
	assert_true(event.stats.len);
	reader = nx_wire_reader_of(event.stats);
	assert_true(nx_xevent_next_stat(&reader, &stat));
	assert_int_equal(stat.kind, NX_XSTAT_I64); /* zero is not absent */
	assert_true(nx_xevent_next_stat(&reader, &stat));
	assert_true(nx_slice_is(stat.text, "a?")); /* texts are UTF-8 */
	assert_true(nx_xevent_next_stat(&reader, &stat));
	assert_true(stat.f64 == -0.25);
	assert_true(nx_xevent_next_stat(&reader, &stat));
	assert_true(nx_slice_is(stat.text, "\xff"));
	assert_false(nx_xevent_next_stat(&reader, &stat));
	nx_vec_release(&bytes);
}

static void a_flow_has_direction_id_and_category(void **state)
{
	(void)state;
	/* seen in a real file: async copies of a TPU */
	assert_int_equal(nx_xflow_id(616168039), 616168039 >> 2);
	assert_int_equal(nx_xflow_id(nx_xflow_make(12345, NX_XFLOW_IN)), 12345);
	assert_int_equal(nx_xflow_make(12345, NX_XFLOW_OUT) & 3, 2);
	assert_int_equal(nx_xflow_id(UINT64_C(14) << 58 | 77 << 2 | 3), 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stat_is_read_by_its_kind),
		cmocka_unit_test(a_negative_number_has_ten_bytes),
		cmocka_unit_test(of_a_oneof_the_last_counts),
		cmocka_unit_test(a_field_of_the_wrong_type_is_ignored),
		cmocka_unit_test(what_ends_early_is_told),
		cmocka_unit_test(events_come_back_as_they_were_written),
		cmocka_unit_test(a_flow_has_direction_id_and_category),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
