/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/store/workspace_fixture.h"

static void a_profile_gets_a_new_name(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err;

	(void)state;
	must_store(ws, "a", "rows of a");
	must_store(ws, "b", "rows of b");
	assert_int_equal(nx_workspace_rename(ws, "a", "c", NULL), NX_OK);
	assert_true(has_text("ws/profiles/global/c@latest/Instruction.parquet", "rows of a"));
	assert_int_equal(state_of(ws, "a"), -1);
	assert_int_equal(state_of(ws, "c"), NX_PROFILE_READY);
	assert_int_equal(nx_workspace_rename(ws, "c", "b", &err), NX_USAGE);
	assert_non_null(strstr(err.message, "'b' already"));
	assert_true(has_text("ws/profiles/global/b@latest/Instruction.parquet", "rows of b"));
	assert_int_equal(nx_workspace_rename(ws, "none", "d", &err), NX_NOT_FOUND);
	assert_int_equal(nx_workspace_rename(ws, "c", "../d", &err), NX_USAGE);
	assert_int_equal(nx_workspace_rename(ws, "../c", "d", &err), NX_USAGE);
	assert_int_equal(nx_workspace_rename(ws, "c", "c", NULL), NX_OK);
	nx_workspace_close(ws);
}

static void a_deleted_profile_is_gone(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err;

	(void)state;
	must_store(ws, "a", "rows");
	must_store(ws, "b", "rows");
	assert_int_equal(nx_workspace_remove(ws, "a", NULL), NX_OK);
	assert_int_equal(count_in("ws/profiles/global"), 1);
	assert_int_equal(count_in("ws/trash"), 0);
	assert_int_equal(nx_workspace_remove(ws, "a", &err), NX_NOT_FOUND);
	assert_int_equal(nx_workspace_remove(ws, "..", &err), NX_USAGE);
	assert_int_equal(state_of(ws, "b"), NX_PROFILE_READY);
	nx_workspace_close(ws);
}

static void deleting_reaches_what_failed_but_not_what_runs(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_record record = {.name = "a"};
	struct nx_staging *s;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_staging_begin(&s, ws, &record, false, NULL), NX_OK);
	assert_int_equal(nx_workspace_remove(ws, "a", &err), NX_USAGE);
	assert_non_null(strstr(err.message, "is being processed"));
	nx_staging_fail(s, "no");
	assert_int_equal(nx_workspace_remove(ws, "a", NULL), NX_OK);
	assert_int_equal(state_of(ws, "a"), -1);
	assert_int_equal(count_in("ws/staging"), 0);
	nx_workspace_close(ws);
}

static void a_link_is_deleted_not_followed(void **state)
{
	struct nx_workspace *ws = open_workspace();

	(void)state;
	assert_int_equal(mkdir("outside", 0700), 0);
	put_file("outside/precious", "x");
	assert_int_equal(symlink("../../../outside", "ws/profiles/global/a@latest"), 0);
	assert_int_equal(nx_workspace_remove(ws, "a", NULL), NX_OK);
	assert_true(has_text("outside/precious", "x"));
	assert_false(is_there("ws/profiles/global/a@latest"));
	nx_workspace_close(ws);
}

static void marks_are_kept(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_arena arena = {0};
	struct nx_profile_record r;
	struct nx_error err;
	char label[200];

	(void)state;
	must_store(ws, "a", "rows");
	assert_int_equal(nx_workspace_touch(ws, "a", NULL), NX_OK);
	assert_int_equal(
		nx_workspace_mark(ws, "a",
				  &(struct nx_profile_marks){.is_favourite = &(bool){true}}, NULL),
		NX_OK);
	assert_int_equal(nx_workspace_mark(ws, "a", &(struct nx_profile_marks){.label = "x"}, NULL),
			 NX_OK);
	assert_int_equal(nx_workspace_load(ws, "a", &arena, &r, NULL), NX_OK);
	assert_true(r.is_favourite);
	assert_string_equal(r.label, "x");
	assert_true(r.opened_ms >= r.created_ms && r.created_ms);
	assert_int_equal(r.tables.len, 1);
	nx_profile_record_release(&r);
	memset(label, 'x', sizeof(label));
	label[101] = '\0';
	assert_int_equal(nx_workspace_mark(ws, "a", &(struct nx_profile_marks){.label = label},
					   &err),
			 NX_USAGE);
	assert_int_equal(nx_workspace_mark(ws, "a", &(struct nx_profile_marks){.label = "a b"},
					   &err),
			 NX_USAGE);
	assert_int_equal(nx_workspace_touch(ws, "none", &err), NX_NOT_FOUND);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

static void a_newer_record_is_not_rewritten(void **state)
{
	static const char newer[] = "{\"store_version\":99,\"kind\":\"device\",\"state\":\"ready\","
				    "\"future\":1}";
	static const char path[] = "ws/profiles/global/a@latest/profile.json";
	struct nx_workspace *ws = open_workspace();
	struct nx_error err;

	(void)state;
	must_store(ws, "a", "rows");
	put_file(path, newer);
	assert_int_equal(nx_workspace_touch(ws, "a", &err), NX_OK);
	assert_int_equal(nx_workspace_mark(ws, "a", &(struct nx_profile_marks){.label = "x"}, &err),
			 NX_VERSION);
	assert_true(has_text(path, newer));
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_profile_gets_a_new_name),
		CASE(a_deleted_profile_is_gone),
		CASE(deleting_reaches_what_failed_but_not_what_runs),
		CASE(a_link_is_deleted_not_followed),
		CASE(marks_are_kept),
		CASE(a_newer_record_is_not_rewritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
