/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format/parquet/parquet.h"
#include "serve/open_profiles.h"
#include "tests/unit/store/workspace_fixture.h"

/* A profile whose one table has the given number of rows. */
static void store_rows(struct nx_workspace *ws, const char *name, int row_count)
{
	static const struct nx_parquet_field fields[] = {
		{.name = "start_ts", .type = NX_PARQUET_I64},
		{.name = "opcode", .type = NX_PARQUET_TEXT, .is_optional = true},
		{.name = "a/b", .type = NX_PARQUET_TEXT, .is_optional = true},
	};
	struct nx_profile_record record = {.name = name, .schema_version = "7.4.0"};
	struct nx_parquet_writer *writer;
	struct nx_staging *s;
	struct nx_output out;
	char path[512];

	assert_int_equal(nx_staging_begin(&s, ws, &record, true, NULL), NX_OK);
	snprintf(path, sizeof(path), "%s/Instruction.parquet", nx_staging_path(s));
	assert_int_equal(nx_output_open(&out, path, NULL), NX_OK);
	assert_int_equal(
		nx_parquet_open(&writer, nx_parquet_to_output(&out), fields, 3, NULL, NULL), NX_OK);
	for (int i = 0; i < row_count; i++) {
		nx_parquet_put_i64(writer, 0, i);
		if (i % 3)
			nx_parquet_put_text(writer, 1, i % 3 == 1 ? "MATMUL" : "COPY");
		assert_int_equal(nx_parquet_end_row(writer, NULL), NX_OK);
	}
	assert_int_equal(nx_parquet_close(writer, NULL), NX_OK);
	assert_int_equal(nx_output_commit(&out, NULL), NX_OK);
	assert_int_equal(nx_staging_commit(s, NULL), NX_OK);
	nx_profile_record_release(&record);
}

static struct nx_open_profile *take(struct nx_open_profiles *all, const char *name)
{
	struct nx_open_profile *profile;
	struct nx_error err = {0};

	if (nx_open_profiles_take(all, name, &profile, &err))
		fail_msg("%s", err.message);
	return profile;
}

static void a_profile_is_opened_once(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_open_profiles *all = nx_open_profiles_new(ws);
	struct nx_open_profile *a, *b;
	const bool is_favourite = true;

	(void)state;
	store_rows(ws, "one", 10);
	a = take(all, "one");
	b = take(all, "one");
	assert_ptr_equal(a, b);
	nx_open_profiles_return(b);
	/* a mark is another profile.json of the same profile */
	assert_int_equal(
		nx_workspace_mark(ws, "one",
				  &(struct nx_profile_marks){.is_favourite = &is_favourite}, NULL),
		NX_OK);
	b = take(all, "one");
	assert_ptr_equal(a, b);
	nx_open_profiles_return(a);
	nx_open_profiles_return(b);
	nx_open_profiles_free(all);
	nx_workspace_close(ws);
}

static void a_profile_stored_again_is_another_one(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_open_profiles *all = nx_open_profiles_new(ws);
	const struct nx_stored_table *old, *new;
	struct nx_open_profile *a, *b, *none;
	struct nx_error err;

	(void)state;
	store_rows(ws, "one", 10);
	a = take(all, "one");
	assert_int_equal(nx_open_profile_table(a, "instruction", &old, &err), NX_OK);
	store_rows(ws, "one", 20);
	b = take(all, "one");
	assert_int_equal(nx_open_profile_table(b, "Instruction", &new, &err), NX_OK);
	assert_int_equal(old->row_count, 10);
	assert_int_equal(new->row_count, 20);
	nx_open_profiles_return(a);
	nx_open_profiles_return(b);
	assert_int_equal(nx_workspace_remove(ws, "one", NULL), NX_OK);
	assert_int_equal(nx_open_profiles_take(all, "one", &none, &err), NX_NOT_FOUND);
	assert_null(none);
	nx_open_profiles_return(none);
	nx_open_profiles_free(all);
	nx_workspace_close(ws);
}

/* More than are kept, of which one is held all the time. */
static void the_least_used_are_closed(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_open_profiles *all = nx_open_profiles_new(ws);
	struct nx_open_profile *held;
	char name[16];

	(void)state;
	for (int i = 0; i < NX_OPEN_PROFILES_MAX + 4; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		store_rows(ws, name, 3);
	}
	held = take(all, "p0");
	for (int i = 1; i < NX_OPEN_PROFILES_MAX + 4; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		nx_open_profiles_return(take(all, name));
	}
	assert_ptr_equal(take(all, "p0"), held);
	assert_string_equal(held->name, "p0");
	nx_open_profiles_return(held);
	nx_open_profiles_return(held);
	nx_open_profiles_free(all);
	nx_workspace_close(ws);
}

static void colours_are_made_when_asked_for(void **state)
{
	static const uint32_t wanted[] = {NX_CODE_NONE, 0, 1, NX_CODE_NONE, 0};
	struct nx_workspace *ws = open_workspace();
	struct nx_open_profiles *all = nx_open_profiles_new(ws);
	struct nx_open_profile *profile;
	const struct nx_column_codes *codes;
	struct nx_request request = {0}; /* of nobody: it is never given up */
	struct nx_error err;

	(void)state;
	store_rows(ws, "one", 5);
	profile = take(all, "one");
	assert_int_equal(
		nx_open_profile_codes(profile, "Instruction", "opcode", NULL, &codes, &err), NX_OK);
	assert_null(codes);
	assert_int_equal(nx_open_profile_codes(profile, "Instruction", "OPCODE", &request, &codes,
					       &err),
			 NX_OK);
	for (uint64_t i = 0; i < 5; i++)
		assert_int_equal(nx_column_codes_at(codes, i), wanted[i]);
	assert_int_equal(nx_column_codes_at(codes, 5), NX_CODE_NONE);
	assert_true(nx_slice_is(nx_column_codes_value(codes, 1), "COPY"));
	assert_int_equal(nx_open_profile_codes(profile, "Instruction", "nope", &request, &codes,
					       &err),
			 NX_NOT_FOUND);
	assert_int_equal(nx_open_profile_codes(profile, "Instruction", "a/b", &request, &codes,
					       &err),
			 NX_NOT_FOUND);
	assert_int_equal(nx_open_profile_codes(profile, "Nope", "a", &request, &codes, &err),
			 NX_NOT_FOUND);
	nx_open_profiles_return(profile);
	nx_open_profiles_free(all);
	assert_int_equal(nx_workspace_remove(ws, "one", NULL), NX_OK);
	assert_false(is_there("ws/profiles/global/one@latest"));
	nx_workspace_close(ws);
}

static void a_profile_without_a_timeline_says_so(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_open_profiles *all = nx_open_profiles_new(ws);
	const struct nx_timeline *timeline;
	struct nx_open_profile *profile;
	struct nx_error err;

	(void)state;
	store_rows(ws, "one", 5);
	profile = take(all, "one");
	assert_int_equal(nx_open_profile_timeline(profile, &timeline, &err), NX_NOT_FOUND);
	assert_null(timeline);
	nx_open_profiles_return(profile);
	put_file("ws/profiles/global/one@latest/timeline.nxl", "nonsense");
	nx_open_profiles_free(all);
	all = nx_open_profiles_new(ws);
	assert_int_equal(nx_open_profiles_take(all, "one", &profile, &err), NX_FORMAT);
	nx_open_profiles_free(all);
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_profile_is_opened_once),
		CASE(a_profile_stored_again_is_another_one),
		CASE(the_least_used_are_closed),
		CASE(colours_are_made_when_asked_for),
		CASE(a_profile_without_a_timeline_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
