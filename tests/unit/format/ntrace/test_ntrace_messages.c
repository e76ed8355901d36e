/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "format/ntrace.h"
#include "tests/unit/format/wire/fill_message.h"

/* Values a message has when all its lists have two items, counted from the schema. */
static void test_round_trips(void **state)
{
	(void)state;
	/* 12 numbers and texts, 4 of the events' file, 5 + 2 * 4 of the host, 2 profiles,
	 * 2 tables of 1 + 2 * 2, 4 of the ultraserver */
	assert_int_equal(check_round_trip(&nx_ntrace_info_message), 12 + 4 + 13 + 2 + 10 + 4);
	assert_int_equal(check_round_trip(&nx_ntrace_event_message), 15 + 2 * 2);
	assert_int_equal(check_round_trip(&nx_ntrace_cpu_message), 3);
	assert_int_equal(check_round_trip(&nx_ntrace_memory_message), 2);
}

/* Field numbers as the runtime's schema has them, 0 where there is none. */
static void check_numbers(const struct nx_wire_message *message, const uint8_t *numbers)
{
	for (size_t i = 0; i < message->field_count; i++)
		assert_int_equal(message->fields[i].number, numbers[i]);
	assert_int_equal(numbers[message->field_count], 0);
}

static void test_numbers(void **state)
{
	static const uint8_t info[] = {1,  2,  4,  5,  6,  7,  8,  9,  10,
				       11, 12, 13, 14, 15, 16, 17, 18, 0};
	static const uint8_t event[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0};

	(void)state;
	check_numbers(&nx_ntrace_info_message, info);
	check_numbers(&nx_ntrace_event_message, event);
}

/* One hand-made message: {util 50.0, timestamp 300, cpu 2}. */
static void test_cpu_bytes(void **state)
{
	static const uint8_t bytes[] = {0x0d, 0x00, 0x00, 0x48, 0x42, 0x10, 0xac, 0x02, 0x18, 0x02};
	struct nx_arena arena = {0};
	struct nx_ntrace_cpu row;

	(void)state;
	assert_int_equal(nx_wire_decode(&nx_ntrace_cpu_message, nx_slice_of(bytes, sizeof(bytes)),
					&row, &arena, NULL, NULL),
			 NX_OK);
	assert_true(row.util_percent == 50.0f);
	assert_int_equal(row.timestamp_ns, 300);
	assert_int_equal(row.cpu_id, 2);
	nx_arena_release(&arena);
}

/* The old interface's events inside trace_info.pb are not read, and a warning says so. */
static void test_inline_events(void **state)
{
	struct nx_wire_loss loss = {0};
	struct nx_arena arena = {0};
	struct nx_ntrace_info info;
	struct nx_bytes bytes = {0};

	(void)state;
	nx_wire_put_u64(&bytes, 2, 45);
	nx_wire_put_bytes(&bytes, 3, nx_slice_text("\x10\x07"));
	assert_int_equal(nx_wire_decode(&nx_ntrace_info_message,
					nx_slice_of(bytes.items, bytes.len), &info, &arena, &loss,
					NULL),
			 NX_OK);
	assert_int_equal(info.pid, 45);
	assert_int_equal(loss.unknown_field_count, 1);
	assert_int_equal(loss.first_unknown_number, 3);
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_cpu_bytes),
		cmocka_unit_test(test_inline_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
