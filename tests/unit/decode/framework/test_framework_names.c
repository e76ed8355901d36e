/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/framework/framework_names.h"

static void test_processes_and_threads_are_apart(void **state)
{
	struct nx_arena arena = {0};
	struct nx_framework_names names = {.arena = &arena};
	struct nx_framework_name *name;

	(void)state;
	assert_null(nx_framework_names_process(&names, 7));
	name = nx_framework_names_take(&names, false, 7, 99);
	nx_framework_name_set(&names, name, nx_slice_text("python"), true);
	name = nx_framework_names_take(&names, true, 7, 0);
	nx_framework_name_set(&names, name, nx_slice_text("main"), true);
	assert_int_equal(names.list.len, 2);
	assert_string_equal(nx_framework_names_process(&names, 7)->text, "python");
	assert_string_equal(nx_framework_names_thread(&names, 7, 0)->text, "main");
	assert_null(nx_framework_names_thread(&names, 7, 1));
	assert_null(nx_framework_names_thread(&names, 8, 0));
	/* A process is one, whatever thread its metadata stands under. */
	assert_ptr_equal(nx_framework_names_take(&names, false, 7, 1), &names.list.items[0]);
	nx_framework_names_release(&names);
	nx_arena_release(&arena);
}

static void test_metadata_wins_over_ids(void **state)
{
	struct nx_arena arena = {0};
	struct nx_framework_names names = {.arena = &arena};
	struct nx_framework_name *name;
	size_t used;

	(void)state;
	name = nx_framework_names_take(&names, true, 0, 7);
	nx_framework_name_set(&names, name, nx_slice_text("stream 7"), false);
	used = arena.used_bytes;
	nx_framework_name_set(&names, name, nx_slice_text("stream 8"), false);
	assert_int_equal(arena.used_bytes, used);
	assert_string_equal(name->text, "stream 7");
	assert_int_equal(name->stream_id, 7);
	nx_framework_name_set(&names, name, nx_slice_text("kernels"), true);
	assert_string_equal(name->text, "kernels");
	assert_int_equal(name->stream_id, 7);
	nx_framework_name_set(&names, name, nx_slice_text("stream 7"), false);
	assert_string_equal(name->text, "kernels");
	nx_framework_names_release(&names);
	nx_arena_release(&arena);
}

static void test_there_is_a_limit(void **state)
{
	struct nx_arena arena = {0};
	struct nx_framework_names names = {.arena = &arena};

	(void)state;
	for (uint64_t i = 0; i < NX_FRAMEWORK_NAMES_MAX; i++)
		assert_non_null(nx_framework_names_take(&names, true, 1, i));
	assert_null(nx_framework_names_take(&names, true, 1, NX_FRAMEWORK_NAMES_MAX));
	assert_non_null(nx_framework_names_take(&names, true, 1, 5));
	assert_int_equal(names.list.len, NX_FRAMEWORK_NAMES_MAX);
	nx_framework_names_release(&names);
	nx_arena_release(&arena);
}

static void test_streams(void **state)
{
	(void)state;
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 7")), 7);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("  stream 20 ")), 20);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 0")), 0);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 4294967294")), 4294967294);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 4294967295")),
			 NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream -1")),
			 NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream")), NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream ")), NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("stream 7 (x)")),
			 NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of(nx_slice_text("upstream 7")),
			 NX_FRAMEWORK_NO_STREAM);
	assert_int_equal(nx_framework_stream_of((struct nx_slice){0}), NX_FRAMEWORK_NO_STREAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_and_threads_are_apart),
		cmocka_unit_test(test_metadata_wins_over_ids),
		cmocka_unit_test(test_there_is_a_limit),
		cmocka_unit_test(test_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
