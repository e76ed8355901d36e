/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "format/profiler_service.h"
#include "tests/unit/format/wire/fill_message.h"

#define BYTES(...)                                                                                 \
	nx_slice_of((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* The published schema: message, number of values with those of nested messages, lists twice. */
static const struct {
	const struct nx_wire_message *message;
	uint64_t value_count;
} messages[] = {
	{&nx_service_options_message, 18},
	/* 3 scalars, 2 tools, the options, 3 texts, 2 entries of 3, the last flag */
	{&nx_service_profile_request_message, 2 + 2 + 18 + 3 + 2 * 3 + 1},
	{&nx_service_profile_response_message, 2 * 2 + 2},
	{&nx_service_terminate_request_message, 1},
	{&nx_service_snapshot_request_message, 1 + 2},
	{&nx_service_monitor_request_message, 3},
	{&nx_service_monitor_response_message, 1 + 9},
	{&nx_service_new_session_request_message, 32 + 1 + 2 + 1},
	{&nx_service_new_session_response_message, 2},
	{&nx_service_enum_request_message, 1},
	{&nx_service_enum_response_message, 1 + 2 * 3},
	{&nx_service_tool_request_message, 3 + 2 * 2 + 1},
	{&nx_service_tool_response_message, 3},
};

static void every_message_survives_both_directions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		assert_int_equal(check_round_trip(messages[i].message), messages[i].value_count);
}

static void a_request_is_written_as_published(void **state)
{
	struct nx_slice tools[] = {nx_slice_text("t")};
	struct nx_service_profile_request request = {
		.duration_ms = 5,
		.tools = {tools, 1},
		.has_opts = true,
		.opts = {.version = 1, .duration_ms = 300},
		.session_id = nx_slice_text("s"),
		.emit_xspace = true,
	};
	const uint8_t expected[] = {
		0x08, 5,			    /* duration_ms */
		0x1a, 1, 't',			    /* tools */
		0x22, 5, 0x28, 1, 0x48, 0xac, 0x02, /* opts: version, duration_ms */
		0x32, 1, 's',			    /* session_id */
		0x48, 1,			    /* emit_xspace */
	};
	struct nx_bytes bytes = {0};

	(void)state;
	nx_wire_encode(&nx_service_profile_request_message, &request, &bytes);
	assert_int_equal(bytes.len, sizeof(expected));
	assert_memory_equal(bytes.items, expected, sizeof(expected));
	nx_vec_release(&bytes);
}

static void an_advanced_value_of_zero_is_not_absent(void **state)
{
	const struct nx_service_value off = {.kind = NX_SERVICE_VALUE_BOOL};
	const struct nx_service_value least = {.kind = NX_SERVICE_VALUE_I64, .integer = INT64_MIN};
	const struct nx_service_value text = {.kind = NX_SERVICE_VALUE_TEXT};
	struct nx_service_value value;
	struct nx_bytes bytes = {0};

	(void)state;
	nx_service_value_append(&bytes, &off);
	assert_int_equal(bytes.len, 2);
	assert_true(nx_service_value_read(nx_slice_of(bytes.items, bytes.len), &value));
	assert_int_equal(value.kind, NX_SERVICE_VALUE_BOOL);
	assert_int_equal(value.integer, 0);
	nx_vec_clear(&bytes);
	nx_service_value_append(&bytes, &least);
	assert_true(nx_service_value_read(nx_slice_of(bytes.items, bytes.len), &value));
	assert_int_equal(value.kind, NX_SERVICE_VALUE_I64);
	assert_true(value.integer == INT64_MIN);
	nx_vec_clear(&bytes);
	nx_service_value_append(&bytes, &text);
	assert_true(nx_service_value_read(nx_slice_of(bytes.items, bytes.len), &value));
	assert_int_equal(value.kind, NX_SERVICE_VALUE_TEXT);
	assert_true(nx_service_value_read((struct nx_slice){0}, &value));
	assert_int_equal(value.kind, NX_SERVICE_VALUE_NONE);
	nx_vec_release(&bytes);
}

static void a_damaged_advanced_value_keeps_what_came_before(void **state)
{
	struct nx_service_value value;

	(void)state;
	assert_false(nx_service_value_read(BYTES(0x10, 7, 0x0a, 9, 'x'), &value));
	assert_int_equal(value.kind, NX_SERVICE_VALUE_BOOL);
	assert_int_equal(value.integer, 1);
	/* a text where the number says bool, and a field that nobody defined */
	assert_true(nx_service_value_read(BYTES(0x12, 1, 'x', 0x20, 1), &value));
	assert_int_equal(value.kind, NX_SERVICE_VALUE_NONE);
}

static void the_last_of_equal_keys_counts(void **state)
{
	struct nx_service_advanced_entry entries[] = {
		{nx_slice_text("a"), BYTES(0x18, 1)},
		{nx_slice_text("b"), BYTES(0x18, 2)},
		{nx_slice_text("a"), BYTES(0x18, 3)},
	};
	struct nx_service_options options = {.advanced_configuration = {entries, 3}};

	(void)state;
	assert_int_equal(nx_service_options_find(&options, "a").integer, 3);
	assert_int_equal(nx_service_options_find(&options, "b").integer, 2);
	assert_int_equal(nx_service_options_find(&options, "c").kind, NX_SERVICE_VALUE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_survives_both_directions),
		cmocka_unit_test(a_request_is_written_as_published),
		cmocka_unit_test(an_advanced_value_of_zero_is_not_absent),
		cmocka_unit_test(a_damaged_advanced_value_keeps_what_came_before),
		cmocka_unit_test(the_last_of_equal_keys_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
