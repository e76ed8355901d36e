/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/store/workspace_fixture.h"

static void put_record(const char *folder, const char *json)
{
	char path[200];

	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/profile.json", folder);
	put_file(path, json);
}

/* What every kind of killed process leaves. */
static void litter(void)
{
	put_record("ws/staging/s1",
		   "{\"store_version\":1,\"kind\":\"device\",\"state\":\"processing\","
		   "\"id\":\"s1\",\"begun_as\":\"half\"}");
	put_file("ws/staging/s1/Instruction.parquet", "12345");
	put_file("ws/staging/s1.lock", "");
	put_file("ws/staging/s9.lock", "");
	put_record("ws/trash/t1", "{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\","
				  "\"id\":\"v1\",\"begun_as\":\"gone\"}");
	put_file("ws/profiles/global/a@latest/profile.json.aside", "{");
}

static const struct nx_leftover *find(const struct nx_leftovers *l, const char *name)
{
	for (size_t i = 0; i < l->len; i++)
		if (!strcmp(l->items[i].name, name))
			return &l->items[i];
	return NULL;
}

static void leftovers_are_found_and_removed(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_leftovers dry = {0}, wet = {0}, none = {0};
	struct nx_arena arena = {0};

	(void)state;
	must_store(ws, "a", "rows");
	litter();
	assert_int_equal(nx_workspace_collect(ws, true, &arena, &dry, NULL), NX_OK);
	assert_int_equal(dry.len, 4);
	assert_string_equal(find(&dry, "half")->what, "unfinished");
	assert_true(find(&dry, "half")->size_bytes > 5);
	assert_string_equal(find(&dry, "gone")->what, "replaced or deleted");
	assert_string_equal(find(&dry, "s9.lock")->what, "temporary file");
	assert_non_null(find(&dry, "a@latest/profile.json.aside"));
	assert_true(is_there("ws/staging/s1"));
	assert_int_equal(nx_workspace_collect(ws, false, &arena, &wet, NULL), NX_OK);
	assert_int_equal(wet.len, 4);
	assert_int_equal(count_in("ws/staging"), 0);
	assert_int_equal(count_in("ws/trash"), 0);
	assert_int_equal(count_in("ws/profiles/global/a@latest"), 2);
	assert_int_equal(nx_workspace_collect(ws, false, &arena, &none, NULL), NX_OK);
	assert_int_equal(none.len, 0);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	nx_vec_release(&dry);
	nx_vec_release(&wet);
	nx_vec_release(&none);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

static void what_is_being_processed_stays(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_record record = {.name = "a"};
	struct nx_leftovers l = {0};
	struct nx_arena arena = {0};
	struct nx_staging *s;

	(void)state;
	assert_int_equal(nx_staging_begin(&s, ws, &record, false, NULL), NX_OK);
	put_table(s, "rows");
	assert_int_equal(nx_workspace_collect(ws, false, &arena, &l, NULL), NX_OK);
	assert_int_equal(l.len, 0);
	assert_int_equal(nx_staging_commit(s, NULL), NX_OK);
	assert_true(has_text("ws/profiles/global/a@latest/Instruction.parquet", "rows"));
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

static void a_failed_one_is_collected(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_profile_record record = {.name = "a"};
	struct nx_leftovers l = {0};
	struct nx_arena arena = {0};
	struct nx_staging *s;

	(void)state;
	assert_int_equal(nx_staging_begin(&s, ws, &record, false, NULL), NX_OK);
	nx_staging_fail(s, "no");
	assert_int_equal(nx_workspace_collect(ws, false, &arena, &l, NULL), NX_OK);
	assert_int_equal(l.len, 1);
	assert_string_equal(l.items[0].what, "failed");
	assert_int_equal(count_in("ws/staging"), 0);
	nx_vec_release(&l);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

/* Where names cannot be swapped: killed between the two renames. */
static void a_half_done_replacement_is_finished(void **state)
{
	struct nx_workspace *ws = open_workspace();

	(void)state;
	put_record("ws/staging/s1", "{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\","
				    "\"id\":\"s1\",\"begun_as\":\"a\"}");
	put_file("ws/staging/s1/Instruction.parquet", "new");
	put_record("ws/trash/s1", "{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\","
				  "\"id\":\"v0\",\"begun_as\":\"a\"}");
	nx_workspace_close(ws);
	ws = open_workspace();
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	assert_true(has_text("ws/profiles/global/a@latest/Instruction.parquet", "new"));
	nx_workspace_close(ws);
}

static void a_hostile_record_is_not_put_in_place(void **state)
{
	struct nx_workspace *ws = open_workspace();

	(void)state;
	put_record("ws/staging/s1", "{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\","
				    "\"id\":\"s1\",\"begun_as\":\"../../../escaped\"}");
	assert_int_equal(mkdir("ws/trash/s1", 0700), 0);
	nx_workspace_close(ws);
	ws = open_workspace();
	assert_true(is_there("ws/staging/s1"));
	assert_false(is_there("escaped@latest"));
	nx_workspace_close(ws);
}

static void a_swapped_out_version_is_put_away(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_catalogue c;

	(void)state;
	must_store(ws, "a", "new");
	put_record("ws/staging/s1", "{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\","
				    "\"id\":\"v0\",\"begun_as\":\"a\"}");
	assert_int_equal(nx_catalogue_load(&c, ws, NULL), NX_OK);
	assert_int_equal(c.records.len, 1);
	nx_catalogue_release(&c);
	nx_workspace_close(ws);
	nx_workspace_close(open_workspace());
	assert_false(is_there("ws/staging/s1"));
	assert_true(is_there("ws/trash/s1"));
}

/* A prepared workspace must not make us delete or write elsewhere. */
static void links_are_not_followed(void **state)
{
	static const char *const parts[] = {"ws/trash", "ws/staging", "ws/profiles",
					    "ws/profiles/global"};
	struct nx_workspace *ws = NULL;
	struct nx_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		nx_workspace_close(open_workspace());
		assert_int_equal(mkdir("elsewhere", 0777), 0);
		assert_int_equal(mkdir("elsewhere/precious", 0777), 0);
		assert_int_equal(rename(parts[i], "ws/kept"), 0);
		assert_int_equal(symlink(i == 3 ? "../../elsewhere" : "../elsewhere", parts[i]), 0);
		assert_int_equal(
			nx_workspace_open(&ws, &(struct nx_workspace_options){.path = "ws"}, &err),
			NX_PERMISSION);
		assert_non_null(strstr(err.message, "is a link"));
		assert_true(is_there("elsewhere/precious"));
		assert_int_equal(unlink(parts[i]), 0);
		assert_int_equal(rename("ws/kept", parts[i]), 0);
		assert_int_equal(rmdir("elsewhere/precious"), 0);
		assert_int_equal(rmdir("elsewhere"), 0);
	}
}

static void linked_uploads_and_profiles_are_left_alone(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_leftovers leftovers = {0};
	struct nx_profile_record r;
	struct nx_arena arena = {0};
	struct nx_error err;

	(void)state;
	put_record("elsewhere", "{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\","
				"\"id\":\"v0\",\"begun_as\":\"a\"}");
	assert_int_equal(symlink("../../../elsewhere", "ws/profiles/global/a@latest"), 0);
	assert_int_equal(symlink("../elsewhere", "ws/uploads"), 0);
	assert_int_equal(symlink("../../elsewhere", "ws/trash/x"), 0);
	assert_int_equal(nx_workspace_load(ws, "a", &arena, &r, &err), NX_PERMISSION);
	assert_non_null(strstr(err.message, "is a link"));
	nx_profile_record_release(&r);
	assert_int_equal(nx_workspace_collect(ws, false, &arena, &leftovers, &err), NX_OK);
	assert_false(is_there("ws/trash/x"));
	assert_true(is_there("elsewhere/profile.json"));
	nx_vec_release(&leftovers);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(leftovers_are_found_and_removed),
		CASE(what_is_being_processed_stays),
		CASE(a_failed_one_is_collected),
		CASE(a_half_done_replacement_is_finished),
		CASE(a_hostile_record_is_not_put_in_place),
		CASE(a_swapped_out_version_is_put_away),
		CASE(links_are_not_followed),
		CASE(linked_uploads_and_profiles_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
