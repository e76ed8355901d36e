/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/system_event.h"
#include "tests/unit/system_fixture.h"

static struct nx_event_fields *read_last(struct nx_system_fixture *f, struct nx_event_reader *r)
{
	struct nx_event_fields *fields = NX_NEW(&f->arena, struct nx_event_fields);

	nx_event_fields_read(r, &f->events[f->p.rows[NX_SYSTEM_EVENT] - 1], fields);
	return fields;
}

static void check(const struct nx_event_fields *fields, const char *key, const char *text)
{
	const struct nx_event_field *found = nx_event_fields_find(fields, key);

	if (!text) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_true(nx_slice_is(found->text, text));
}

static void an_execution_is_shown_with_its_model(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_event_reader r;

	nx_event_reader_open(&r, &f->p);
	nx_fixture_event(f, NAME_RUNNING, 3, 4)->model_id = 5;
	check(read_last(f, &r), "model_id", "5");
	check(read_last(f, &r), "model_name", "/m/net.neff");
	nx_fixture_event(f, NAME_RUNNING, 3, 4)->model_id = 6;
	check(read_last(f, &r), "model_id", "6");
	check(read_last(f, &r), "model_name", "_unknown_");
	nx_fixture_event(f, NAME_RUNNING, 5, 6);
	check(read_last(f, &r), "model_id", NULL);
	check(read_last(f, &r), "model_name", NULL);
	nx_event_reader_close(&r);
}

static void start_and_stop_have_a_time_of_the_device_each(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_event_reader r;
	struct nx_event_fields *fields;

	nx_fixture_event(f, NAME_RUNNING, 1, 2);
	nx_fixture_attribute(f, "nc_timestamp_ns", "11");
	nx_fixture_attribute(f, "nc_timestamp_ns", "22");
	nx_event_reader_open(&r, &f->p);
	fields = read_last(f, &r);
	check(fields, "nc_start_timestamp_ns", "11");
	check(fields, "nc_stop_timestamp_ns", "22");
	check(fields, "nc_timestamp_ns", NULL);
	nx_fixture_event(f, NAME_RUNNING, 2, 2)->flags = NX_EVENT_ORPHAN;
	nx_fixture_attribute(f, "nc_timestamp_ns", "33");
	fields = read_last(f, &r);
	check(fields, "nc_start_timestamp_ns", NULL);
	check(fields, "nc_stop_timestamp_ns", "33");
	nx_fixture_event(f, NAME_SYNC, 2, 2)->flags = NX_EVENT_INSTANT;
	nx_fixture_attribute(f, "nc_timestamp_ns", "44");
	check(read_last(f, &r), "nc_timestamp_ns", "44");
	nx_event_reader_close(&r);
}

static void numbers_are_those_that_can_be_written_back(void **state)
{
	static const struct {
		const char *text;
		bool is_number;
		uint64_t number;
	} cases[] = {
		{"0", true, 0},
		{"18446744073709551615", true, UINT64_MAX},
		{"18446744073709551616", false, 0},
		{"99999999999999999999999", false, 0},
		{"", false, 0},
		{"007", false, 0},
		{"-1", false, 0},
		{"0x10", false, 0},
		{"1 ", false, 0},
	};
	struct nx_system_fixture *f = *state;
	struct nx_event_reader r;
	uint64_t number;

	nx_event_reader_open(&r, &f->p);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct nx_event_field *field;
		struct nx_system_event *e = nx_fixture_event(f, NAME_EXECUTE, 1, 2);

		nx_fixture_attribute(f, "size", cases[i].text);
		field = nx_event_fields_find(read_last(f, &r), "size");
		assert_int_equal(nx_event_field_number(field, &number), cases[i].is_number);
		assert_int_equal(number, cases[i].number);
		assert_int_equal(nx_event_number(&f->p, e, "size", &number), cases[i].is_number);
		assert_false(nx_event_number(&f->p, e, "siz", &number));
	}
	nx_event_reader_close(&r);
}

static void keys_are_unique_and_the_later_value_counts(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_event_reader r;
	struct nx_event_fields *fields;

	nx_event_reader_open(&r, &f->p);
	nx_fixture_event(f, NAME_WRITE, 1, 2);
	nx_fixture_attribute(f, "tensor_id", "9");
	nx_fixture_attribute(f, "size", "4");
	nx_fixture_attribute(f, "size", "8");
	f->attributes[0][f->attribute_counts[0]++] =
		(struct nx_event_attribute){nx_slice_of("size\0more", 9), nx_slice_text("16")};
	fields = read_last(f, &r);
	assert_int_equal(fields->count, 3);
	check(fields, "size", "16");
	check(fields, "tensor_name", "_unknown_");
	nx_event_reader_close(&r);
}

/* The name of the last id is at hand, and must not be taken for another's. */
static void an_id_without_a_number_has_no_name(void **state)
{
	static const struct {
		const char *id, *name;
	} cases[] = {
		{"", NULL},
		{"5", "/m/net.neff"},
		{"", NULL},
		{"05", NULL},
		{"5x", NULL},
		{"5", "/m/net.neff"},
		{"55", "_unknown_"},
		{"5", "/m/net.neff"},
		{"99999999999999999999999999999999999999999999999999", NULL},
	};
	struct nx_system_fixture *f = *state;
	struct nx_event_reader r;

	nx_event_reader_open(&r, &f->p);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		nx_fixture_event(f, NAME_WRITE, 1, 2);
		nx_fixture_attribute(f, "tensor_id", cases[i].id);
		nx_fixture_attribute(f, "model_id", cases[i].id);
		check(read_last(f, &r), "tensor_name", cases[i].name);
		check(read_last(f, &r), "model_name", cases[i].name);
	}
	nx_event_reader_close(&r);
}

static void more_attributes_than_fit_do_no_harm(void **state)
{
	struct nx_system_fixture *f = *state;
	struct nx_event_reader r;

	nx_fixture_event(f, NAME_WRITE, 1, 2);
	nx_fixture_attribute(f, "tensor_id", "5");
	nx_fixture_attribute(f, "model_id", "5");
	for (unsigned i = 2; i < FIXTURE_ATTRIBUTES; i++)
		nx_fixture_attribute(f, nx_arena_printf(&f->arena, "k%u", i), "1");
	nx_event_reader_open(&r, &f->p);
	assert_int_equal(read_last(f, &r)->count, NX_MAX_ATTRIBUTES + 2);
	nx_event_reader_close(&r);
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_execution_is_shown_with_its_model),
		TEST(start_and_stop_have_a_time_of_the_device_each),
		TEST(numbers_are_those_that_can_be_written_back),
		TEST(keys_are_unique_and_the_later_value_counts),
		TEST(an_id_without_a_number_has_no_name),
		TEST(more_attributes_than_fit_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
