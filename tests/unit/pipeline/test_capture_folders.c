/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/capture_folders.h"
#include "trace_folder.h"

struct found {
	struct trace_folder folder;
	struct nx_arena arena;
	struct nx_capture_folders all;
	struct nx_error err;
};

static void find(struct found *f)
{
	assert_int_equal(nx_capture_folders_find(&f->all, f->folder.path, &f->arena, &f->err),
			 NX_OK);
}

static void done(struct found *f)
{
	nx_capture_folders_release(&f->all);
	nx_arena_release(&f->arena);
	folder_remove(&f->folder);
}

static void put(struct found *f, const char *name)
{
	folder_put(&f->folder, name, "x", 1);
}

/* --- what lies where --------------------------------------------------------- */

static void files_come_to_their_processes(void **state)
{
	struct found f = {0};

	(void)state;
	folder_make(&f.folder);
	put(&f, "i-2_pid_9/ntrace.pb");
	put(&f, "i-1_pid_8/ntrace.pb");
	put(&f, "i-1_pid_8/trace_info.pb");
	put(&f, "i-1_pid_8/cpu_util.pb");
	put(&f, "i-1_pid_8/host_mem.pb");
	put(&f, "i-1_pid_8/a/trace.json");
	put(&f, "i-1_pid_8/5_instid_0_vnc_0.ntff");
	put(&f, "neff_5.neff");
	put(&f, "notes.txt");
	find(&f);
	assert_int_equal(f.all.processes.len, 2);
	assert_string_equal(f.all.processes.items[0].name, "i-1_pid_8");
	assert_string_equal(f.all.processes.items[1].name, "i-2_pid_9");
	assert_non_null(f.all.processes.items[0].info_path);
	assert_non_null(f.all.processes.items[0].events_path);
	assert_non_null(f.all.processes.items[0].cpu_path);
	assert_non_null(f.all.processes.items[0].memory_path);
	assert_null(f.all.processes.items[1].info_path);
	assert_int_equal(f.all.sessions.len, 1);
	assert_string_equal(f.all.sessions.items[0].name, "5_instid_0_vnc_0.ntff");
	assert_int_equal(f.all.sessions.items[0].size_bytes, 1);
	assert_string_equal(f.all.sessions.items[0].folder, f.all.processes.items[0].folder);
	assert_int_equal(f.all.neffs.len, 1);
	assert_string_equal(f.all.neffs.items[0].folder, f.folder.path);
	assert_int_equal(f.all.frameworks.len, 1);
	done(&f);
}

static void cores_come_in_the_order_of_their_numbers(void **state)
{
	static const char *const in_order[] = {"7_instid_0_vnc_0.ntff", "7_instid_0_vnc_2.ntff",
					       "7_instid_0_vnc_10.ntff"};
	struct found f = {0};

	(void)state;
	folder_make(&f.folder);
	for (size_t i = 3; i-- > 0;)
		put(&f, in_order[i]);
	find(&f);
	assert_int_equal(f.all.sessions.len, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(f.all.sessions.items[i].name, in_order[i]);
	done(&f);
}

static void traces_of_frameworks_have_many_names(void **state)
{
	static const char *const names[] = {
		"trace.json",	      "trace.json.gz",	      "host.17.pt.trace.json",
		"a.pt.trace.json.gz", "framework_trace.json", "my_framework_trace_0.json.gz",
	};
	static const char *const others[] = {"trace.json.bak", "framework_trace.txt", "json",
					     "system_profile.json"};
	struct found f = {0};

	(void)state;
	folder_make(&f.folder);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put(&f, names[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		put(&f, others[i]);
	find(&f);
	assert_int_equal(f.all.frameworks.len, sizeof(names) / sizeof(names[0]));
	assert_int_equal(f.all.processes.len, 0);
	done(&f);
}

/* Newer runtimes add a level; older ones do not name the process at all. */
static void json_of_any_name_is_a_trace_if_there_is_nothing_else(void **state)
{
	static const char trace[] = "{\"schemaVersion\": 1, \"traceEvents\": []}";
	static const char list[] = "[{\"ph\": \"X\"}]", other[] = "{\"name\": \"x\"}";
	struct found f = {0};

	(void)state;
	folder_make(&f.folder);
	folder_put(&f.folder, "rank10.json", trace, sizeof(trace) - 1);
	folder_put(&f.folder, "rank2.json", list, sizeof(list) - 1);
	folder_put(&f.folder, "package.json", other, sizeof(other) - 1);
	folder_put(&f.folder, "below/rank3.json", trace, sizeof(trace) - 1);
	find(&f);
	assert_int_equal(f.all.frameworks.len, 2);
	assert_string_equal(f.all.frameworks.items[0].name, "rank2.json");
	assert_string_equal(f.all.frameworks.items[1].name, "rank10.json");
	nx_capture_folders_release(&f.all);
	put(&f, "host.xplane.pb");
	find(&f);
	assert_int_equal(f.all.frameworks.len, 0);
	done(&f);
}

static void a_process_may_be_named_by_a_folder_above(void **state)
{
	struct found f = {0};

	(void)state;
	folder_make(&f.folder);
	put(&f, "i-1_pid_8/2026-01-02/ntrace.pb");
	put(&f, "plain/ntrace.pb");
	find(&f);
	assert_int_equal(f.all.processes.len, 2);
	assert_string_equal(f.all.processes.items[0].name, "i-1_pid_8");
	assert_string_equal(f.all.processes.items[1].name, "plain");
	done(&f);
}

static void a_process_s_own_folder_as_the_directory(void **state)
{
	struct found f = {0};
	char path[128], before[512];

	(void)state;
	folder_make(&f.folder);
	put(&f, "i-1_pid_8/ntrace.pb");
	snprintf(path, sizeof(path), "%s/i-1_pid_8", f.folder.path);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(path), 0);
	assert_int_equal(nx_capture_folders_find(&f.all, ".", &f.arena, &f.err), NX_OK);
	assert_int_equal(chdir(before), 0);
	assert_int_equal(f.all.processes.len, 1);
	assert_string_equal(f.all.processes.items[0].name, "i-1_pid_8");
	nx_capture_folders_release(&f.all);
	snprintf(path, sizeof(path), "%s/i-1_pid_8///", f.folder.path);
	assert_int_equal(nx_capture_folders_find(&f.all, path, &f.arena, &f.err), NX_OK);
	assert_string_equal(f.all.processes.items[0].name, "i-1_pid_8");
	assert_null(strstr(f.all.processes.items[0].folder, "//"));
	done(&f);
}

/* A folder between two files of a process must not tear it in two. */
static void folders_between_files(void **state)
{
	struct found f = {0};

	(void)state;
	folder_make(&f.folder);
	put(&f, "i-1_pid_8/cpu_util.pb");
	put(&f, "i-1_pid_8/d/ntrace.pb");
	put(&f, "i-1_pid_8/trace_info.pb");
	find(&f);
	assert_int_equal(f.all.processes.len, 2);
	assert_non_null(f.all.processes.items[0].cpu_path);
	assert_non_null(f.all.processes.items[0].info_path);
	assert_null(f.all.processes.items[0].events_path);
	assert_non_null(f.all.processes.items[1].events_path);
	done(&f);
}

/* --- links and refusals --------------------------------------------------------- */

static void links_stay_inside(void **state)
{
	struct found f = {0};

	(void)state;
	folder_make(&f.folder);
	put(&f, "a/neff_1.neff");
	folder_link(&f.folder, "b/neff_2.neff", "../a/neff_1.neff");
	folder_link(&f.folder, "b/neff_3.neff", "/etc/passwd");
	folder_link(&f.folder, "b/neff_4.neff", "nowhere");
	folder_link(&f.folder, "b/round", "..");
	find(&f);
	assert_int_equal(f.all.neffs.len, 2);
	assert_string_equal(f.all.neffs.items[1].name, "neff_2.neff");
	assert_int_equal(f.all.outside_link_count, 2);
	done(&f);
}

/* "/tmp/x-evil" begins like "/tmp/x" but is another folder. */
static void a_neighbour_is_outside(void **state)
{
	struct found f = {0};
	struct trace_folder other;
	char neighbour[80];

	(void)state;
	folder_make(&f.folder);
	other = f.folder;
	snprintf(neighbour, sizeof(neighbour), "%s-evil", f.folder.path);
	assert_int_equal(mkdir(neighbour, 0700), 0);
	snprintf(other.path, sizeof(other.path), "%.63s", neighbour);
	folder_put(&other, "x.neff", "x", 1);
	snprintf(neighbour, sizeof(neighbour), "%.63s/x.neff", other.path);
	folder_link(&f.folder, "y.neff", neighbour);
	find(&f);
	assert_int_equal(f.all.neffs.len, 0);
	assert_int_equal(f.all.outside_link_count, 1);
	folder_remove(&other);
	done(&f);
}

static void pipes_are_not_opened(void **state)
{
	struct found f = {0};
	char path[128];

	(void)state;
	folder_make(&f.folder);
	snprintf(path, sizeof(path), "%s/ntrace.pb", f.folder.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	find(&f);
	assert_int_equal(f.all.processes.len, 0);
	done(&f);
}

static void too_deep_is_told(void **state)
{
	struct found f = {0};
	char name[256] = "";

	(void)state;
	folder_make(&f.folder);
	for (int i = 0; i < 40; i++)
		strcat(name, "d/");
	strcat(name, "x.neff");
	put(&f, name);
	put(&f, "d/d/y.neff");
	find(&f);
	assert_int_equal(f.all.neffs.len, 1);
	assert_int_equal(f.all.unreadable_count, 1);
	done(&f);
}

static void what_is_no_directory(void **state)
{
	struct found f = {0};
	char path[128];

	(void)state;
	folder_make(&f.folder);
	put(&f, "x.ntff");
	snprintf(path, sizeof(path), "%s/x.ntff", f.folder.path);
	assert_int_equal(nx_capture_folders_find(&f.all, path, &f.arena, &f.err), NX_NOT_FOUND);
	assert_non_null(strstr(f.err.message, "is a file, not a directory"));
	snprintf(path, sizeof(path), "%s/none", f.folder.path);
	assert_int_equal(nx_capture_folders_find(&f.all, path, &f.arena, &f.err), NX_NOT_FOUND);
	assert_non_null(strstr(f.err.message, path));
	done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_come_to_their_processes),
		cmocka_unit_test(cores_come_in_the_order_of_their_numbers),
		cmocka_unit_test(traces_of_frameworks_have_many_names),
		cmocka_unit_test(json_of_any_name_is_a_trace_if_there_is_nothing_else),
		cmocka_unit_test(a_process_may_be_named_by_a_folder_above),
		cmocka_unit_test(a_process_s_own_folder_as_the_directory),
		cmocka_unit_test(folders_between_files),
		cmocka_unit_test(links_stay_inside),
		cmocka_unit_test(a_neighbour_is_outside),
		cmocka_unit_test(pipes_are_not_opened),
		cmocka_unit_test(too_deep_is_told),
		cmocka_unit_test(what_is_no_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
