/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/upgrade.h"
#include "tests/unit/store/workspace_fixture.h"

#define PROFILE "ws/profiles/global/a@latest/"

static int run_count;
static struct nx_workspace *meddler;

static enum nx_status add_column(const char *old_folder, const char *new_folder,
				 struct nx_profile_record *record, struct nx_error *err)
{
	char path[512];

	run_count++;
	snprintf(path, sizeof(path), "%s/Instruction.parquet", old_folder);
	if (!has_text(path, "old rows"))
		return nx_fail(err, NX_FORMAT, "the old table is not there");
	snprintf(path, sizeof(path), "%s/Instruction.parquet", new_folder);
	put_file(path, "new rows");
	record->schema_version = "8.0.0";
	if (meddler)
		must_store(meddler, "a", "meanwhile");
	return NX_OK;
}

static enum nx_status give_up(const char *old_folder, const char *new_folder,
			      struct nx_profile_record *record, struct nx_error *err)
{
	(void)old_folder, (void)new_folder, (void)record;
	return nx_fail(err, NX_FORMAT, "a column is missing");
}

static const struct nx_upgrade_step steps[] = {{0, add_column}, {0}};
static const struct nx_upgrade_step bad_steps[] = {{0, give_up}, {0}};

static void put_old(struct nx_workspace *ws)
{
	must_store(ws, "a", "old rows");
	put_file(PROFILE "profile.json",
		 "{\"store_version\":0,\"kind\":\"device\",\"state\":\"ready\",\"id\":\"v0\","
		 "\"created_ms\":77,\"favourite\":true,\"tables\":[{\"name\":\"Instruction\","
		 "\"row_count\":3}]}");
	run_count = 0;
	meddler = NULL;
}

static void an_older_profile_is_brought_up(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_arena arena = {0};
	struct nx_profile_record r;

	(void)state;
	put_old(ws);
	assert_int_equal(nx_upgrade_profile(ws, "a", steps, NULL), NX_OK);
	assert_int_equal(nx_workspace_load(ws, "a", &arena, &r, NULL), NX_OK);
	assert_int_equal(r.store_version, NX_STORE_VERSION);
	assert_string_equal(r.schema_version, "8.0.0");
	assert_int_equal(r.created_ms, 77);
	assert_true(r.is_favourite);
	assert_int_equal(nx_profile_record_rows(&r), 3);
	assert_true(has_text(PROFILE "Instruction.parquet", "new rows"));
	nx_profile_record_release(&r);
	/* Now it is current. */
	assert_int_equal(nx_upgrade_profile(ws, "a", steps, NULL), NX_OK);
	assert_int_equal(run_count, 1);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

static void without_a_step_it_has_to_be_processed_again(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err;

	(void)state;
	put_old(ws);
	assert_int_equal(nx_upgrade_profile(ws, "a", nx_upgrade_steps, &err), NX_VERSION);
	assert_non_null(strstr(err.message, "process the capture again"));
	assert_true(has_text(PROFILE "Instruction.parquet", "old rows"));
	assert_int_equal(nx_upgrade_profile(ws, "none", steps, &err), NX_NOT_FOUND);
	put_file(PROFILE "profile.json", "{\"store_version\":7}");
	assert_int_equal(nx_upgrade_profile(ws, "a", steps, &err), NX_VERSION);
	assert_non_null(strstr(err.message, "newer program"));
	assert_int_equal(run_count, 0);
	nx_workspace_close(ws);
}

static void a_failed_step_leaves_the_old_profile(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err;
	char want[128];

	(void)state;
	put_old(ws);
	assert_int_equal(nx_upgrade_profile(ws, "a", bad_steps, &err), NX_FORMAT);
	snprintf(want, sizeof(want),
		 "cannot bring profile 'a' to version %u of the store: a column is missing",
		 NX_STORE_VERSION);
	assert_string_equal(err.message, want);
	assert_true(has_text(PROFILE "Instruction.parquet", "old rows"));
	assert_int_equal(count_in("ws/staging"), 0);
	nx_workspace_close(ws);
}

static void a_profile_replaced_meanwhile_is_not_lost(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err;

	(void)state;
	put_old(ws);
	meddler = ws;
	assert_int_equal(nx_upgrade_profile(ws, "a", steps, &err), NX_MISMATCH);
	assert_true(has_text(PROFILE "Instruction.parquet", "meanwhile"));
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(an_older_profile_is_brought_up),
		CASE(without_a_step_it_has_to_be_processed_again),
		CASE(a_failed_step_leaves_the_old_profile),
		CASE(a_profile_replaced_meanwhile_is_not_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
