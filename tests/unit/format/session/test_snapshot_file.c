/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "format/snapshot_file.h"

static void what_is_written_is_read(void **state)
{
	const struct nx_snapshot_file given = {
		.trigger = NX_SNAPSHOT_SLOW_STEP,
		.reason = "step 7 of \"train\" took long",
		.number = 3,
		.recording_ns = 1787000000000000001,
		.time_ns = 1787000009000000001,
		.first_sequence = 100,
		.end_sequence = 350,
		.span_count = 200,
		.event_count = 48,
		.cut_count = 2,
		.device_count = 1,
		.overwritten_count = 60,
		.expired_count = 40,
		.lost_count = 5,
		.suppressed_count = 6,
		.missed_count = 7,
	};
	struct nx_snapshot_file read;
	struct nx_arena arena = {0};
	struct nx_bytes bytes = {0}, again = {0};

	(void)state;
	nx_snapshot_file_encode(&given, &bytes);
	assert_int_equal(nx_snapshot_file_decode(nx_slice_of(bytes.items, bytes.len), &arena, &read,
						 NULL),
			 NX_OK);
	assert_string_equal(read.reason, given.reason);
	assert_int_equal(read.trigger, given.trigger);
	assert_int_equal(read.time_ns, given.time_ns);
	assert_int_equal(read.missed_count, 7);
	nx_snapshot_file_encode(&read, &again);
	assert_int_equal(again.len, bytes.len);
	assert_memory_equal(again.items, bytes.items, bytes.len);
	nx_vec_release(&again);
	nx_vec_release(&bytes);
	nx_arena_release(&arena);
}

static void other_files_are_refused(void **state)
{
	static const struct {
		const char *text;
		enum nx_status status;
	} cases[] = {
		{"", NX_FORMAT},
		{"{}", NX_FORMAT},
		{"{\"version\": 1, \"trigger\": \"none\"}", NX_FORMAT},
		{"{\"version\": 2, \"trigger\": \"call\"}", NX_VERSION},
		{"{\"version\": 1, \"trigger\": \"call\"}", NX_OK},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct nx_snapshot_file read;
		struct nx_arena arena = {0};
		struct nx_error err;

		assert_int_equal(nx_snapshot_file_decode(nx_slice_text(cases[i].text), &arena,
							 &read, &err),
				 cases[i].status);
		nx_arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
