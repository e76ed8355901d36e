/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/unit/decode/ntrace/ntrace_fixture.h"

#define EXECUTE 3
#define SYNC 25
#define ALLOC 34

static const char folder[] = "i-1_pid_1";
static const struct pair core_2[] = {{"nc_idx", "2"}, {NULL, NULL}};

/* --- merged ---------------------------------------------------------------------- */

static const struct pair alloc_start[] = {
	{"hbm_idx", "2"},    {"nc_idx", "0"}, {"usage_type", "tensor"},
	{"worker_gid", "0"}, {"size", "1"},   {"nc_timestamp_ns", "50"},
	{NULL, NULL},
};
static const struct pair alloc_stop[] = {
	{"allocated_bytes", "4"},  {"worker_gid", "0"}, {"size", "2"},
	{"nc_timestamp_ns", "60"}, {"nc_idx", "0"},	{NULL, NULL},
};

static void check_attribute(struct nx_event_attribute attribute, const char *key, const char *value)
{
	assert_true(nx_slice_is(attribute.key, key));
	assert_true(nx_slice_is(attribute.value, value));
}

/* START's, then STOP's; what the row tells is left out; the device's clock has two names. */
static void test_attributes(void **state)
{
	struct nx_event_attribute found[NX_MAX_ATTRIBUTES];
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_INSTANT, SYNC, 9, 10, alloc_start);
	put_event(&t, NX_PHASE_START, ALLOC, 1, 10, alloc_start);
	put_event(&t, NX_PHASE_STOP, ALLOC, 1, 20, alloc_stop);
	decode(&t, folder);
	assert_int_equal(nx_ntrace_event_attributes(&t.decoder, &t.rows.items[1], found, 32), 6);
	check_attribute(found[0], "hbm_idx", "2");
	check_attribute(found[1], "usage_type", "tensor");
	check_attribute(found[2], "size", "2");
	check_attribute(found[3], "nc_start_timestamp_ns", "50");
	check_attribute(found[4], "allocated_bytes", "4");
	check_attribute(found[5], "nc_stop_timestamp_ns", "60");
	assert_int_equal(nx_ntrace_event_attributes(&t.decoder, &t.rows.items[1], found, 2), 2);
	assert_int_equal(nx_ntrace_event_attributes(&t.decoder, &t.rows.items[1], NULL, 0), 0);
	assert_int_equal(nx_ntrace_event_attributes(&t.decoder, &t.rows.items[0], found, 32), 4);
	check_attribute(found[3], "nc_timestamp_ns", "50");
	release(&t);
}

/* Rows may point anywhere: nothing outside the file is read. */
static void test_attributes_out_of_bounds(void **state)
{
	struct nx_event_attribute found[4];
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_INSTANT, SYNC, 1, 10, core_2);
	decode(&t, folder);
	for (uint64_t at = 0; at < t.events.len + 8; at++) {
		struct nx_system_event row = {.handle = {{at, UINT64_MAX - at}}};

		(void)nx_ntrace_event_attributes(&t.decoder, &row, found, 4);
	}
	release(&t);
}

/* --- by shape -------------------------------------------------------------------- */

/* With a shape or without: as nx_ntrace_event_attributes has it. */
static const struct nx_event_shape *check_read(const struct trace *t,
					       const struct nx_system_event *row,
					       struct nx_event_shapes *shapes)
{
	struct nx_event_attribute found[NX_MAX_ATTRIBUTES];
	size_t count = nx_ntrace_event_attributes(&t->decoder, row, found, NX_MAX_ATTRIBUTES);
	struct nx_read_attributes read;

	nx_ntrace_read_event(&t->decoder, row, shapes, &read);
	assert_int_equal(read.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_true(nx_slice_equal(read.items[i].key, found[i].key));
		assert_true(nx_slice_equal(read.items[i].value, found[i].value));
		if (read.shape)
			assert_true(nx_slice_equal(read.shape->keys[i], found[i].key));
	}
	if (read.shape)
		assert_int_equal(read.shape->count, count);
	return read.shape;
}

static void test_first_event_teaches_its_shape(void **state)
{
	const struct nx_event_shape *shape;
	struct nx_event_shapes shapes = {0};
	struct trace t = {0};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		put_event(&t, NX_PHASE_INSTANT, ALLOC, 100 + i, 5 + i, alloc_start);
		put_event(&t, NX_PHASE_START, ALLOC, i, 10 + i, alloc_start);
		put_event(&t, NX_PHASE_STOP, ALLOC, i, 20 + i, alloc_stop);
	}
	decode(&t, folder);
	assert_int_equal(t.rows.len, 6);
	assert_null(check_read(&t, &t.rows.items[0], &shapes));
	assert_null(check_read(&t, &t.rows.items[1], &shapes));
	assert_int_equal(shapes.count, 2); /* an instant calls the device's clock by another name */
	shape = check_read(&t, &t.rows.items[3], &shapes);
	assert_non_null(shape);
	assert_ptr_equal(check_read(&t, &t.rows.items[5], &shapes), shape);
	assert_ptr_not_equal(check_read(&t, &t.rows.items[2], &shapes), shape);
	assert_int_equal(shape->start_count, 6);
	assert_int_equal(shape->stop_count, 5);
	assert_int_equal(shapes.count, 2);
	nx_event_shapes_release(&shapes);
	release(&t);
}

/* Rows of no decoder have no leads: the records are read from their beginning. */
static void test_shape_without_lead(void **state)
{
	struct nx_event_shapes shapes = {0};
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_START, ALLOC, 1, 10, alloc_start);
	put_event(&t, NX_PHASE_STOP, ALLOC, 1, 20, alloc_stop);
	decode(&t, folder);
	for (unsigned i = 0; i < 2; i++)
		assert_true(nx_event_record_lead_bytes(t.rows.items[0].handle.words[i]));
	assert_null(check_read(&t, &t.rows.items[0], &shapes));
	for (unsigned i = 0; i < 2; i++)
		t.rows.items[0].handle.words[i] =
			nx_event_record_at(t.rows.items[0].handle.words[i]);
	assert_non_null(check_read(&t, &t.rows.items[0], &shapes));
	nx_event_shapes_release(&shapes);
	release(&t);
}

/* Of one type come more lists of keys than are learnt: the others are read as ever. */
static void test_too_many_shapes(void **state)
{
	struct nx_event_shapes shapes = {0};
	struct trace t = {0};
	size_t known = 0;

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		char key[16];
		struct pair pairs[] = {{"size", "1"}, {key, "2"}, {"nc_idx", "0"}, {NULL, NULL}};

		snprintf(key, sizeof(key), "key_%u", i % 6);
		put_event(&t, NX_PHASE_INSTANT, ALLOC, i, i, pairs);
	}
	decode(&t, folder);
	for (size_t i = 0; i < t.rows.len; i++)
		known += check_read(&t, &t.rows.items[i], &shapes) != NULL;
	assert_int_equal(shapes.count, NX_SHAPES_PER_KIND);
	assert_int_equal(known, 9 * NX_SHAPES_PER_KIND);
	nx_event_shapes_release(&shapes);
	release(&t);
}

/* A value of 200 bytes is laid out as no shape expects; it is not tried for ever. */
static void test_events_without_shape(void **state)
{
	struct nx_event_shapes shapes = {0};
	struct trace t = {0};
	char value[201] = {0};
	const struct pair pairs[] = {{"size", value}, {NULL, NULL}};

	(void)state;
	memset(value, '7', sizeof(value) - 1);
	for (unsigned i = 0; i < 300; i++)
		put_event(&t, NX_PHASE_INSTANT, ALLOC, i, i, pairs);
	put_event(&t, NX_PHASE_INSTANT, EXECUTE, 1, 1000, NULL);
	put_event(&t, NX_PHASE_INSTANT, EXECUTE, 2, 1001, NULL);
	decode(&t, folder);
	for (size_t i = 0; i < 300; i++)
		assert_null(check_read(&t, &t.rows.items[i], &shapes));
	assert_int_equal(shapes.count, 0);
	assert_null(check_read(&t, &t.rows.items[300], &shapes));
	assert_non_null(check_read(&t, &t.rows.items[301], &shapes)); /* of no attributes */
	nx_event_shapes_release(&shapes);
	release(&t);
}

/* Changed since it was decoded: whatever rows say, nothing outside the file is read. */
static void test_shapes_of_rows_that_lie(void **state)
{
	struct nx_event_shapes shapes = {0};
	struct nx_read_attributes read;
	struct trace t = {0};

	(void)state;
	put_event(&t, NX_PHASE_INSTANT, ALLOC, 1, 10, alloc_start);
	decode(&t, folder);
	(void)check_read(&t, &t.rows.items[0], &shapes);
	for (uint64_t at = 0; at < t.events.len + 8; at++)
		for (unsigned lead = 0; lead < 256; lead += 5) {
			struct nx_system_event row = t.rows.items[0];

			row.handle = (struct nx_event_handle){
				{nx_event_record(at, (uint8_t)lead),
				 nx_event_record(t.events.len - at, (uint8_t)lead)}};
			nx_ntrace_read_event(&t.decoder, &row, &shapes, &read);
			assert_true(read.count <= NX_MAX_ATTRIBUTES);
		}
	nx_event_shapes_release(&shapes);
	release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_attributes_out_of_bounds),
		cmocka_unit_test(test_first_event_teaches_its_shape),
		cmocka_unit_test(test_shape_without_lead),
		cmocka_unit_test(test_too_many_shapes),
		cmocka_unit_test(test_events_without_shape),
		cmocka_unit_test(test_shapes_of_rows_that_lie),
	};

	return cmocka_run_group_tests_name("decode/ntrace_attributes", tests, NULL, NULL);
}
