/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in an archive that is a folder, and which of them may go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/archive.h"
#include "store/retention.h"
#include "tests/unit/store/workspace_fixture.h"

#define TABLE "ws/profiles/global/a@latest/Instruction.parquet"
#define DAY_MS (UINT64_C(86400) * 1000)

static const struct nx_archive_options to_folder = {.to = "cold"};

/* Changes the archived copy of the table. */
static void spoil(void)
{
	assert_int_equal(system("for f in cold/a@*/tables/Instruction.parquet; do printf spoilt "
				">\"$f\"; done"),
			 0);
}

static void a_profile_goes_and_comes_back(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_error err;

	(void)state;
	assert_int_equal(store_profile(ws, "a", "rows", false, NULL), NX_OK);
	assert_int_equal(nx_archive_store(ws, "a", &to_folder, &err), NX_OK);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_ARCHIVED);
	assert_false(is_there(TABLE));
	assert_int_equal(nx_archive_store(ws, "a", &to_folder, &err), NX_USAGE);
	assert_int_equal(nx_archive_fetch(ws, "a", &err), NX_OK);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	assert_true(has_text(TABLE, "rows"));
	assert_int_equal(nx_archive_fetch(ws, "a", &err), NX_OK);
	/* nothing is sent again, so what was spoilt meanwhile stays so */
	spoil();
	assert_int_equal(nx_archive_store(ws, "a", &to_folder, &err), NX_OK);
	assert_int_equal(nx_archive_fetch(ws, "a", &err), NX_MISMATCH);
	assert_non_null(strstr(err.message, "was changed in the archive"));
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_ARCHIVED);
	assert_int_equal(count_in("ws/staging"), 0);
	assert_int_equal(count_in("ws/trash"), 0);
	nx_workspace_close(ws);
}

static void a_place_that_refuses_changes_nothing(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_archive_options options = {.to = "file/below"};
	struct nx_error err;

	(void)state;
	put_file("file", "");
	assert_int_equal(store_profile(ws, "a", "rows", false, NULL), NX_OK);
	assert_true(nx_archive_store(ws, "a", &options, &err) != NX_OK);
	assert_int_equal(nx_archive_store(ws, "b", &to_folder, &err), NX_NOT_FOUND);
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_READY);
	assert_true(has_text(TABLE, "rows"));
	nx_workspace_close(ws);
}

static void choose(const struct nx_catalogue *catalogue, struct nx_retention rules,
		   const char *wanted)
{
	struct nx_retention_records chosen = {0};
	char names[64] = "";

	nx_retention_choose(catalogue, &rules, 100 * DAY_MS, &chosen);
	for (size_t i = 0; i < chosen.len; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s",
			 chosen.items[i]->name);
	assert_string_equal(names, wanted);
	nx_vec_release(&chosen);
}

#define RECORD(n, made, used, size, is_starred)                                                    \
	{                                                                                          \
		.name = n, .id = n, .key = "", .state = NX_PROFILE_READY,                          \
		.created_ms = (made)*DAY_MS, .opened_ms = (used)*DAY_MS, .size_bytes = size,       \
		.is_favourite = is_starred                                                         \
	}

/* By last use, not by age; favourites count, and stay. */
static void old_and_large_ones_go(void **state)
{
	struct nx_profile_record records[] = {RECORD("a", 10, 99, 10, false),
					      RECORD("b", 60, 0, 20, false),
					      RECORD("c", 50, 0, 40, true),
					      RECORD("d", 40, 80, 30, false)};
	struct nx_catalogue catalogue = {.records = {records, 4, 4}};

	(void)state;
	choose(&catalogue, (struct nx_retention){0}, "");
	choose(&catalogue, (struct nx_retention){.has_days = true, .keep_days = 40}, "b");
	choose(&catalogue, (struct nx_retention){.has_days = true, .keep_days = 20}, "bd");
	choose(&catalogue, (struct nx_retention){.has_days = true}, "bda");
	choose(&catalogue, (struct nx_retention){.has_bytes = true, .keep_bytes = 100}, "");
	choose(&catalogue, (struct nx_retention){.has_bytes = true, .keep_bytes = 99}, "b");
	choose(&catalogue, (struct nx_retention){.has_bytes = true, .keep_bytes = 51}, "bd");
	choose(&catalogue, (struct nx_retention){.has_bytes = true}, "bda");
}

static void rules_are_read_from_the_workspace(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_arena arena = {0};
	struct nx_retention rules;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_retention_read(ws, &arena, &rules, &err), NX_OK);
	assert_false(rules.has_days || rules.has_bytes);
	put_file("ws/" NX_RETENTION_FILE, "{\"keep_days\": 3, \"archive_to\": \"x\"}");
	assert_int_equal(nx_retention_read(ws, &arena, &rules, &err), NX_OK);
	assert_true(rules.has_days && rules.keep_days == 3 && !rules.has_bytes);
	assert_string_equal(rules.archive_to, "x");
	put_file("ws/" NX_RETENTION_FILE, "{\"keep_bytes\": -1}");
	assert_int_equal(nx_retention_read(ws, &arena, &rules, &err), NX_FORMAT);
	put_file("ws/" NX_RETENTION_FILE, "[]");
	assert_int_equal(nx_retention_read(ws, &arena, &rules, &err), NX_FORMAT);
	nx_arena_release(&arena);
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_profile_goes_and_comes_back),
		CASE(a_place_that_refuses_changes_nothing),
		CASE(old_and_large_ones_go),
		CASE(rules_are_read_from_the_workspace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
