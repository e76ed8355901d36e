/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/store/workspace_fixture.h"
#include <pthread.h>
#include <sys/wait.h>

#define TABLE "ws/profiles/global/a@latest/Instruction.parquet"

static void nothing_is_seen_before_commit(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_record record = {.name = "a"};
	struct nx_staging *s;

	(void)state;
	assert_int_equal(nx_staging_begin(&s, ws, &record, false, NULL), NX_OK);
	put_table(s, "rows");
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_PROCESSING);
	assert_false(is_there("ws/profiles/global/a@latest"));
	assert_int_equal(nx_staging_commit(s, NULL), NX_OK);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	assert_true(has_text(TABLE, "rows"));
	assert_int_equal(count_in("ws/staging"), 0);
	assert_int_equal(count_in("ws/trash"), 0);
	assert_int_equal(count_in("ws/profiles/global/a@latest"), 2);
	nx_workspace_close(ws);
}

static void a_taken_name_needs_force(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err;

	(void)state;
	assert_int_equal(store_profile(ws, "a", "old", false, NULL), NX_OK);
	assert_int_equal(store_profile(ws, "a", "new", false, &err), NX_USAGE);
	assert_string_equal(err.message, "there is a profile 'a' already; choose another name with "
					 "--display-name, or replace it with --force");
	assert_true(has_text(TABLE, "old"));
	assert_int_equal(store_profile(ws, "a", "new", true, NULL), NX_OK);
	assert_true(has_text(TABLE, "new"));
	assert_int_equal(count_in("ws/profiles/global"), 1);
	assert_int_equal(count_in("ws/staging"), 0);
	assert_int_equal(count_in("ws/trash"), 0);
	nx_workspace_close(ws);
}

static void a_replacement_keeps_what_the_user_said(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_marks marks = {.is_favourite = &(bool){true}, .label = "nightly"};
	struct nx_arena arena = {0};
	struct nx_profile_record r;

	(void)state;
	must_store(ws, "a", "old");
	assert_int_equal(nx_workspace_mark(ws, "a", &marks, NULL), NX_OK);
	must_store(ws, "a", "newer");
	assert_int_equal(nx_workspace_load(ws, "a", &arena, &r, NULL), NX_OK);
	assert_true(r.is_favourite);
	assert_string_equal(r.label, "nightly");
	assert_int_equal(nx_profile_record_rows(&r), 5);
	assert_int_equal(r.size_bytes > 5, true);
	nx_profile_record_release(&r);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

static void one_name_is_processed_once_at_a_time(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_record first = {.name = "a"}, second = {.name = "a"};
	struct nx_staging *one, *two;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_staging_begin(&one, ws, &first, false, NULL), NX_OK);
	assert_int_equal(nx_staging_begin(&two, ws, &second, false, &err), NX_USAGE);
	assert_non_null(strstr(err.message, "is being processed"));
	assert_int_equal(nx_staging_begin(&two, ws, &second, true, NULL), NX_OK);
	put_table(one, "one");
	put_table(two, "two");
	assert_int_equal(nx_staging_commit(two, NULL), NX_OK);
	/* The first began without force and finds the name taken now. */
	assert_int_equal(nx_staging_commit(one, &err), NX_USAGE);
	assert_true(has_text(TABLE, "two"));
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	nx_workspace_close(ws);
}

static void a_failure_is_kept_as_a_sentence(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_record record = {.name = "a"};
	struct nx_catalogue catalogue;
	struct nx_staging *s;

	(void)state;
	assert_int_equal(nx_staging_begin(&s, ws, &record, false, NULL), NX_OK);
	put_table(s, "many rows");
	nx_staging_fail(s, "a.ntff is cut off");
	assert_int_equal(nx_catalogue_load(&catalogue, ws, NULL), NX_OK);
	assert_int_equal(catalogue.records.len, 1);
	assert_int_equal(catalogue.records.items[0].state, NX_PROFILE_FAILED);
	assert_string_equal(catalogue.records.items[0].reason, "a.ntff is cut off");
	nx_catalogue_release(&catalogue);
	assert_int_equal(system("ls ws/staging/*/Instruction.parquet 2>/dev/null | grep -q ."),
			 256);
	/* The next try takes its place. */
	assert_int_equal(store_profile(ws, "a", "rows", false, NULL), NX_OK);
	assert_int_equal(count_in("ws/staging"), 0);
	nx_workspace_close(ws);
}

static void a_failed_replacement_leaves_the_old_profile(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_record record = {.name = "a"};
	struct nx_staging *s;

	(void)state;
	must_store(ws, "a", "old");
	assert_int_equal(nx_staging_begin(&s, ws, &record, true, NULL), NX_OK);
	put_table(s, "new");
	nx_staging_fail(s, "no");
	assert_true(has_text(TABLE, "old"));
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	nx_workspace_close(ws);
}

static void a_dead_process_leaves_something_unfinished(void **state)
{
	struct nx_workspace *ws;
	struct nx_catalogue catalogue;
	int status;
	pid_t pid;

	(void)state;
	put_file("a.ntff", "x");
	pid = fork();
	if (!pid) {
		struct nx_profile_record record = {.name = "a"};
		struct nx_arena arena = {0};
		struct nx_staging *s;

		ws = open_workspace();
		(void)!nx_profile_record_add_source(&record, "a.ntff", &arena, NULL);
		_exit(nx_staging_begin(&s, ws, &record, false, NULL) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	ws = open_workspace();
	assert_int_equal(nx_catalogue_load(&catalogue, ws, NULL), NX_OK);
	assert_int_equal(catalogue.records.len, 1);
	assert_int_equal(catalogue.records.items[0].state, NX_PROFILE_UNFINISHED);
	assert_non_null(strstr(catalogue.records.items[0].reason,
			       "/a.ntff again, or remove what is left with gc"));
	nx_catalogue_release(&catalogue);
	assert_int_equal(store_profile(ws, "a", "rows", false, NULL), NX_OK);
	assert_int_equal(count_in("ws/staging"), 0);
	nx_workspace_close(ws);
}

static void names_that_escape_are_refused(void **state)
{
	struct nx_workspace *ws = open_workspace();

	(void)state;
	assert_int_equal(store_profile(ws, "../../x", "rows", true, NULL), NX_USAGE);
	assert_int_equal(store_profile(ws, "..", "rows", true, NULL), NX_USAGE);
	assert_int_equal(store_profile(ws, "", "rows", true, NULL), NX_USAGE);
	assert_int_equal(count_in("ws/staging"), 0);
	nx_workspace_close(ws);
}

static void the_caller_keeps_its_record(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_marks marks = {.label = "nightly"};
	struct nx_profile_record record = {.name = "a", .label = NULL};
	struct nx_staging *s;

	(void)state;
	must_store(ws, "a", "old");
	assert_int_equal(nx_workspace_mark(ws, "a", &marks, NULL), NX_OK);
	assert_int_equal(nx_staging_begin(&s, ws, &record, true, NULL), NX_OK);
	assert_int_equal(nx_staging_commit(s, NULL), NX_OK);
	assert_null(record.label);
	assert_string_equal(record.id, "");
	nx_workspace_close(ws);
}

/* --- at once --------------------------------------------------------------- */

static void one_of_many_wins_a_free_name(void **state)
{
	int status, won = 0;

	(void)state;
	nx_workspace_close(open_workspace());
	for (int i = 0; i < 6; i++)
		if (!fork()) {
			struct nx_workspace *ws = open_workspace();
			char text[24];

			snprintf(text, sizeof(text), "writer %d", i);
			_exit(store_profile(ws, "a", text, false, NULL) ? 1 : 0);
		}
	while (wait(&status) > 0)
		won += status == 0;
	assert_int_equal(won, 1);
	assert_int_equal(count_in("ws/profiles/global"), 1);
}

static void all_who_force_win_one_after_another(void **state)
{
	int status, won = 0;
	struct nx_workspace *ws;

	(void)state;
	nx_workspace_close(open_workspace());
	for (int i = 0; i < 6; i++)
		if (!fork()) {
			char text[24];

			ws = open_workspace();
			snprintf(text, sizeof(text), "writer %d", i);
			_exit(store_profile(ws, "a", text, true, NULL) ? 1 : 0);
		}
	while (wait(&status) > 0)
		won += status == 0;
	assert_int_equal(won, 6);
	ws = open_workspace();
	assert_int_equal(count_in("ws/profiles/global"), 1);
	assert_int_equal(count_in("ws/staging"), 0);
	assert_int_equal(count_in("ws/trash"), 0);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	nx_workspace_close(ws);
}

static void *replace_often(void *context)
{
	for (int i = 0; i < 5; i++)
		if (store_profile(context, "a", "again", true, NULL))
			return context;
	return NULL;
}

static void threads_share_a_workspace(void **state)
{
	struct nx_workspace *ws = open_workspace();
	pthread_t threads[3];
	void *failed;

	(void)state;
	must_store(ws, "a", "first");
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, replace_often, ws), 0);
	for (int i = 0; i < 20; i++)
		assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	assert_int_equal(count_in("ws/profiles/global"), 1);
	assert_int_equal(count_in("ws/staging"), 0);
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nothing_is_seen_before_commit),
		CASE(a_taken_name_needs_force),
		CASE(a_replacement_keeps_what_the_user_said),
		CASE(one_name_is_processed_once_at_a_time),
		CASE(a_failure_is_kept_as_a_sentence),
		CASE(a_failed_replacement_leaves_the_old_profile),
		CASE(a_dead_process_leaves_something_unfinished),
		CASE(names_that_escape_are_refused),
		CASE(the_caller_keeps_its_record),
		CASE(one_of_many_wins_a_free_name),
		CASE(all_who_force_win_one_after_another),
		CASE(threads_share_a_workspace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
