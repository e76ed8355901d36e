/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/system.h"

static void sources_have_the_names_of_the_tables(void **state)
{
	(void)state;
	assert_string_equal(nx_event_source_name(NX_SOURCE_RUNTIME), "neuron_rt");
	assert_string_equal(nx_event_source_name(NX_SOURCE_HARDWARE), "neuron_hw");
	assert_string_equal(nx_event_source_name(NX_SOURCE_FRAMEWORK), "framework");
}

static void names_are_those_of_the_event_s_process(void **state)
{
	const char *first[] = {"a", "b"}, *second[] = {"c"};
	struct nx_system_process processes[] = {{.names = first, .name_count = 2},
						{.names = second, .name_count = 1}};
	struct nx_system_profile p = {.processes = processes, .process_count = 2};
	struct nx_system_event e = {.process = 0, .name = 1};

	(void)state;
	assert_string_equal(nx_system_event_name(&p, &e), "b");
	e.process = 1;
	assert_string_equal(nx_system_event_name(&p, &e), "unknown");
	e.name = 0;
	assert_string_equal(nx_system_event_name(&p, &e), "c");
}

static void warnings_are_copied_and_cut(void **state)
{
	struct nx_system_profile p = {0};
	char text[] = "first", long_text[3000];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = 0;
	nx_system_warn(&p, "Loss", "%s %d", text, 7);
	text[0] = 'F';
	nx_system_warn(&p, "Missing", "%s", long_text);
	assert_int_equal(p.warnings.len, 2);
	assert_string_equal(p.warnings.items[0].category, "Loss");
	assert_string_equal(p.warnings.items[0].message, "first 7");
	assert_int_equal(strlen(p.warnings.items[1].message), 1023);
	nx_vec_release(&p.warnings);
	nx_arena_release(&p.arena);
}

/* --- the doors to the source ------------------------------------------------- */

struct asked {
	enum nx_system_table table;
	uint32_t process;
	uint64_t interned_id;
	size_t cap;
};

static enum nx_status scan(void *context, enum nx_system_table table, nx_row_fn fn,
			   void *fn_context, struct nx_error *err)
{
	struct asked *asked = context;

	asked->table = table;
	fn(fn_context, "row");
	return nx_fail(err, NX_IO, "told");
}

static enum nx_status scan_process(void *context, uint32_t process, nx_row_fn fn, void *fn_context,
				   struct nx_error *err)
{
	((struct asked *)context)->process = process;
	fn(fn_context, "row");
	return nx_fail(err, NX_IO, "told too");
}

static size_t attributes(void *context, const struct nx_system_event *event,
			 struct nx_event_attribute *out, size_t cap)
{
	struct asked *asked = context;

	(void)event;
	asked->cap = cap;
	out[0].key = nx_slice_text("key");
	return 1;
}

static struct nx_slice interned(void *context, uint32_t process, uint64_t id)
{
	struct asked *asked = context;

	asked->interned_id = id + process;
	return nx_slice_text("name");
}

static void count(void *context, const void *row)
{
	*(int *)context += !strcmp(row, "row");
}

static void questions_reach_the_source(void **state)
{
	struct asked asked = {0};
	struct nx_system_profile p = {
		.source = {scan, scan_process, attributes, interned, NULL, &asked}};
	struct nx_system_event e = {0};
	struct nx_event_attribute a[2];
	struct nx_error err;
	int rows = 0;

	(void)state;
	assert_int_equal(nx_system_scan(&p, NX_SYSTEM_HBM, count, &rows, &err), NX_IO);
	assert_int_equal(rows, 1);
	assert_int_equal(asked.table, NX_SYSTEM_HBM);
	assert_string_equal(err.message, "told");
	assert_int_equal(nx_system_scan_process(&p, 7, count, &rows, &err), NX_IO);
	assert_int_equal(rows, 2);
	assert_int_equal(asked.process, 7);
	assert_int_equal(nx_system_attributes(&p, &e, a, 2), 1);
	assert_int_equal(asked.cap, 2);
	assert_true(nx_slice_is(a[0].key, "key"));
	assert_true(nx_slice_is(nx_system_interned(&p, 1, 41), "name"));
	assert_int_equal(asked.interned_id, 42);
}

static void device_profiles_have_names_of_their_own(void **state)
{
	struct nx_system_profile p = {0};
	struct nx_device_capture captures[] = {
		{.session_path = "a/5_instid_0_vnc_0.ntff", .model_id = 5, .rank = UINT32_MAX},
		{.session_path = "a/5_instid_0_vnc_1.ntff", .model_id = 5, .rank = UINT32_MAX},
		{.session_path = "a/profile_rank_3.ntff", .model_id = 5, .rank = 3},
		{.session_path = "empty.ntff", .rank = UINT32_MAX, .is_empty = true},
		{.session_path = "model_5_2.ntff", .rank = UINT32_MAX},
		{.session_path = "b/5_instid_0_vnc_0.ntff", .model_id = 5, .rank = UINT32_MAX},
		{.session_path = "plain", .rank = UINT32_MAX},
	};
	struct nx_arena arena = {0};
	const char **names;

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++)
		nx_vec_push(&p.devices, captures[i]);
	names = nx_system_device_names(&p, &arena);
	assert_string_equal(names[0], "device_profile_model_5");
	assert_string_equal(names[1], "device_profile_model_5_1");
	assert_string_equal(names[2], "device_profile_rank_3");
	assert_null(names[3]);
	assert_string_equal(names[4], "device_profile_model_5_2");
	assert_string_equal(names[5], "device_profile_model_5_3");
	assert_string_equal(names[6], "device_profile_plain");
	nx_vec_release(&p.devices);
	nx_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_have_the_names_of_the_tables),
		cmocka_unit_test(names_are_those_of_the_event_s_process),
		cmocka_unit_test(warnings_are_copied_and_cut),
		cmocka_unit_test(questions_reach_the_source),
		cmocka_unit_test(device_profiles_have_names_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
