/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "trace_folder.h"

static const struct nx_system_options plain;

static void put(struct trace_folder *f, const char *name)
{
	folder_put(f, name, "x", 1);
}

static void put_trace(struct trace_folder *f, const char *name)
{
	struct nx_bytes events = {0};

	add_call(&events, 3, 1, 7, 100, 200, NULL);
	put_events(f, name, &events);
}

static const struct nx_device_capture *device(const struct trace_folder *f, const char *session)
{
	for (size_t i = 0; i < f->profile->devices.len; i++)
		if (strstr(f->profile->devices.items[i].session_path, session))
			return &f->profile->devices.items[i];
	fail_msg("no device %s", session);
	return NULL;
}

static void assert_neff(const struct trace_folder *f, const char *session, const char *neff)
{
	const char *path = device(f, session)->neff_path;

	if (!neff) {
		assert_null(path);
		return;
	}
	assert_non_null(path);
	assert_string_equal(path + strlen(f->path) + 1, neff);
}

static void models_find_their_neff(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	put(&f, "a/5_instid_0_vnc_0.ntff");
	put(&f, "a/neff_5.neff");
	put(&f, "a/neff_55.neff");
	put(&f, "b/5_instid_1_vnc_0.ntff"); /* has none of its own beside it */
	put(&f, "b/6_instid_1_vnc_0.ntff");
	put(&f, "b/other.neff");
	folder_read(&f, plain);
	assert_int_equal(f.profile->devices.len, 3);
	assert_neff(&f, "a/5_instid_0", "a/neff_5.neff");
	assert_neff(&f, "b/5_instid_1", "a/neff_5.neff");
	assert_neff(&f, "b/6_instid_1", NULL);
	assert_int_equal(device(&f, "b/6_")->model_id, 6);
	assert_int_equal(device(&f, "b/6_")->process, UINT32_MAX);
	assert_int_equal(device(&f, "b/6_")->nc_idx, 0);
	folder_remove(&f);
}

static void the_virtual_core_decides_between_two(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	put(&f, "5_instid_0_vnc_0.ntff");
	put(&f, "5_instid_0_vnc_1.ntff");
	put(&f, "5_instid_0_vnc_2.ntff");
	put(&f, "neff_5_vnc_0.neff");
	put(&f, "neff_5_vnc_1.neff");
	folder_read(&f, plain);
	assert_neff(&f, "vnc_0.ntff", "neff_5_vnc_0.neff");
	assert_neff(&f, "vnc_1.ntff", "neff_5_vnc_1.neff");
	assert_neff(&f, "vnc_2.ntff", "neff_5_vnc_0.neff");
	assert_int_equal(device(&f, "vnc_2.ntff")->nc_idx, 2);
	assert_int_equal(device(&f, "vnc_2.ntff")->session, UINT32_MAX);
	folder_remove(&f);
}

static void a_whole_session_belongs_to_the_only_neff(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	put(&f, "a/profile_nc_0_session_3.ntff");
	put(&f, "a/neff_77.neff");
	put(&f, "b/profile_nc_7_session_4.ntff");
	put(&f, "b/x.neff");
	put(&f, "b/y.neff");
	folder_read(&f, plain);
	assert_neff(&f, "session_3", "a/neff_77.neff");
	assert_int_equal(device(&f, "session_3")->model_id, 77);
	assert_neff(&f, "session_4", NULL);
	assert_int_equal(device(&f, "session_4")->model_id, 0);
	assert_int_equal(device(&f, "session_4")->rank, UINT32_MAX);
	assert_int_equal(device(&f, "session_4")->nc_idx, 7);
	assert_int_equal(device(&f, "session_4")->session, 4);
	folder_remove(&f);
}

static void ranks_share_the_neff_that_was_given(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	put(&f, "profile_rank_0.ntff");
	put(&f, "profile_rank_12.ntff");
	put(&f, "profile_rank_4294967295.ntff");
	put(&f, "beside.neff");
	folder_read(&f, (struct nx_system_options){.neff_path = "given.neff"});
	assert_string_equal(device(&f, "rank_0.ntff")->neff_path, "given.neff");
	assert_int_equal(device(&f, "rank_0.ntff")->rank, 0);
	assert_int_equal(device(&f, "rank_12.ntff")->rank, 12);
	assert_int_equal(device(&f, "rank_4294967295")->rank, UINT32_MAX); /* no rank can be */
	folder_remove(&f);
}

static void processes_and_empty_files(void **state)
{
	struct trace_folder f;

	(void)state;
	folder_make(&f);
	put_trace(&f, "i-1_pid_4");
	put_trace(&f, "i-1_pid_5");
	folder_put(&f, "i-1_pid_5/5_instid_0_vnc_0.ntff", "", 0);
	put(&f, "i-1_pid_4/5_instid_0_vnc_1.ntff");
	folder_read(&f, plain);
	assert_true(device(&f, "vnc_0")->is_empty);
	assert_int_equal(device(&f, "vnc_0")->process, 1);
	assert_false(device(&f, "vnc_1")->is_empty);
	assert_int_equal(device(&f, "vnc_1")->process, 0);
	assert_string_equal(device(&f, "vnc_1")->model_name, "_unknown_");
	folder_read(&f, (struct nx_system_options){.skip_device = true});
	assert_int_equal(f.profile->devices.len, 0);
	folder_read(&f, (struct nx_system_options){.skip_system = true});
	assert_int_equal(f.profile->devices.len, 2);
	assert_int_equal(f.profile->process_count, 0);
	assert_int_equal(device(&f, "vnc_1")->process, UINT32_MAX);
	folder_remove(&f);
}

/* Took minutes when every session file was compared with every NEFF and process. */
static void thousands_of_folders(void **state)
{
	const unsigned count = 3000;
	struct trace_folder f;
	char name[80];

	(void)state;
	folder_make(&f);
	for (unsigned i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "i-1_pid_%u", i + 1);
		put_trace(&f, name);
		snprintf(name, sizeof(name), "i-1_pid_%u/%u_instid_0_vnc_0.ntff", i + 1, i + 1);
		put(&f, name);
		snprintf(name, sizeof(name), "i-1_pid_%u/neff_%u.neff", i + 1, i + 1);
		put(&f, name);
	}
	folder_read(&f, plain);
	assert_int_equal(f.profile->devices.len, count);
	assert_int_equal(f.events.len, count);
	assert_neff(&f, "/2999_instid", "i-1_pid_2999/neff_2999.neff");
	folder_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models_find_their_neff),
		cmocka_unit_test(the_virtual_core_decides_between_two),
		cmocka_unit_test(a_whole_session_belongs_to_the_only_neff),
		cmocka_unit_test(ranks_share_the_neff_that_was_given),
		cmocka_unit_test(processes_and_empty_files),
		cmocka_unit_test(thousands_of_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
