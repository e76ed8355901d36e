/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/store/workspace_fixture.h"

static void put_profile(const char *name, const char *json)
{
	char path[400];

	snprintf(path, sizeof(path), "ws/profiles/global/%s@latest", name);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "ws/profiles/global/%s@latest/profile.json", name);
	if (json)
		put_file(path, json);
}

#define READY(created, key)                                                                        \
	"{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\",\"created_ms\":" #created    \
	",\"key\":\"" key "\",\"id\":\"id" #created "\"}"

static void newest_comes_first(void **state)
{
	struct nx_workspace *ws = open_workspace();
	struct nx_catalogue c;

	(void)state;
	put_profile("old", READY(10, "n_1"));
	put_profile("b", READY(20, "n_2"));
	put_profile("a", READY(20, "n_3"));
	assert_int_equal(nx_catalogue_load(&c, ws, NULL), NX_OK);
	assert_int_equal(c.records.len, 3);
	assert_string_equal(c.records.items[0].name, "a");
	assert_string_equal(c.records.items[1].name, "b");
	assert_string_equal(c.records.items[2].name, "old");
	nx_catalogue_release(&c);
	nx_workspace_close(ws);
}

static void garbage_hides_nothing(void **state)
{
	struct nx_workspace *ws = open_workspace();
	const struct nx_profile_record *r;
	struct nx_catalogue c;

	(void)state;
	put_profile("good", READY(1, ""));
	put_profile("garbage", "\xff\xfe{{{");
	put_profile("missing", NULL);
	put_profile("folder", NULL);
	assert_int_equal(mkdir("ws/profiles/global/folder@latest/profile.json", 0700), 0);
	put_file("ws/profiles/global/file@latest", "not a folder");
	put_file("ws/profiles/global/readme.txt", "not ours");
	assert_int_equal(mkdir("ws/profiles/global/-x@latest", 0700), 0);
	assert_int_equal(mkdir("ws/profiles/global/@latest", 0700), 0);
	assert_int_equal(mkdir("ws/staging/junk", 0700), 0);
	put_file("ws/staging/junk/profile.json", "[]");
	put_file("ws/staging/stray", "x");
	assert_int_equal(nx_catalogue_load(&c, ws, NULL), NX_OK);
	assert_int_equal(c.records.len, 5);
	assert_int_equal(nx_catalogue_find(&c, "good")->state, NX_PROFILE_READY);
	r = nx_catalogue_find(&c, "garbage");
	assert_int_equal(r->state, NX_PROFILE_DAMAGED);
	assert_non_null(strstr(r->reason, "garbage@latest/profile.json"));
	assert_non_null(strstr(r->reason, "--force"));
	assert_int_equal(nx_catalogue_find(&c, "missing")->state, NX_PROFILE_DAMAGED);
	assert_int_equal(nx_catalogue_find(&c, "folder")->state, NX_PROFILE_DAMAGED);
	assert_int_equal(nx_catalogue_find(&c, "file")->state, NX_PROFILE_DAMAGED);
	nx_catalogue_release(&c);
	/* A damaged one can be replaced and deleted like any other. */
	must_store(ws, "garbage", "rows");
	assert_int_equal(state_of(ws, "garbage"), NX_PROFILE_READY);
	assert_int_equal(nx_workspace_remove(ws, "missing", NULL), NX_OK);
	assert_int_equal(nx_workspace_remove(ws, "file", NULL), NX_OK);
	nx_workspace_close(ws);
}

static void a_record_cannot_claim_another_place(void **state)
{
	struct nx_workspace *ws = open_workspace();

	(void)state;
	/* In staging whatever it says is not finished; in place whatever it says is. */
	assert_int_equal(mkdir("ws/staging/s1", 0700), 0);
	put_file("ws/staging/s1/profile.json",
		 "{\"store_version\":1,\"kind\":\"device\",\"state\":\"ready\",\"id\":\"s1\","
		 "\"begun_as\":\"a\"}");
	assert_int_equal(mkdir("ws/staging/s2", 0700), 0);
	put_file("ws/staging/s2/profile.json",
		 "{\"store_version\":1,\"kind\":\"device\",\"state\":\"processing\",\"id\":\"s2\","
		 "\"begun_as\":\"../../etc\"}");
	put_profile("b", "{\"store_version\":1,\"kind\":\"device\",\"state\":\"processing\"}");
	assert_int_equal(state_of(ws, "a"), NX_PROFILE_UNFINISHED);
	assert_int_equal(state_of(ws, "../../etc"), -1);
	assert_int_equal(state_of(ws, "b"), NX_PROFILE_READY);
	nx_workspace_close(ws);
}

static void names_keys_and_beginnings_find(void **state)
{
	struct nx_workspace *ws = open_workspace();
	const struct nx_profile_record *r;
	struct nx_catalogue c;
	struct nx_error err;

	(void)state;
	put_profile("bert", READY(1, "n_aa"));
	put_profile("bert-large", READY(2, "n_ab"));
	put_profile("resnet", READY(3, "n_b"));
	put_profile("n_ab-notes", READY(4, ""));
	assert_int_equal(nx_catalogue_load(&c, ws, NULL), NX_OK);
	assert_int_equal(nx_catalogue_match(&c, "bert", &r, NULL), NX_OK);
	assert_string_equal(r->name, "bert");
	assert_int_equal(nx_catalogue_match(&c, "bert@latest", &r, NULL), NX_OK);
	assert_string_equal(r->name, "bert");
	assert_int_equal(nx_catalogue_match(&c, "bert-", &r, NULL), NX_OK);
	assert_string_equal(r->name, "bert-large");
	assert_int_equal(nx_catalogue_match(&c, "n_ab", &r, NULL), NX_OK);
	assert_string_equal(r->name, "bert-large");
	assert_int_equal(nx_catalogue_match(&c, "id3", &r, NULL), NX_OK);
	assert_string_equal(r->name, "resnet");
	assert_int_equal(nx_catalogue_match(&c, "ber", &r, &err), NX_USAGE);
	assert_string_equal(err.message, "'ber' could be bert-large, bert; write the name in full");
	assert_int_equal(nx_catalogue_match(&c, "", &r, &err), NX_NOT_FOUND);
	assert_int_equal(nx_catalogue_match(&c, "@latest", &r, &err), NX_NOT_FOUND);
	assert_int_equal(nx_catalogue_match(&c, "vgg", &r, &err), NX_NOT_FOUND);
	assert_null(nx_catalogue_find(&c, "ber"));
	nx_catalogue_release(&c);
	nx_workspace_close(ws);
}

static void many_matches_fit_the_sentence(void **state)
{
	struct nx_workspace *ws = open_workspace();
	const struct nx_profile_record *r;
	struct nx_catalogue c;
	struct nx_error err;
	char name[160];

	(void)state;
	for (int i = 0; i < 9; i++) {
		memset(name, 'x', 149);
		name[149] = (char)('0' + i);
		name[150] = '\0';
		put_profile(name, READY(1, ""));
	}
	assert_int_equal(nx_catalogue_load(&c, ws, NULL), NX_OK);
	assert_int_equal(nx_catalogue_match(&c, "x", &r, &err), NX_USAGE);
	assert_non_null(strstr(err.message, " or others; "));
	nx_catalogue_release(&c);
	nx_workspace_close(ws);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(newest_comes_first),
		CASE(garbage_hides_nothing),
		CASE(a_record_cannot_claim_another_place),
		CASE(names_keys_and_beginnings_find),
		CASE(many_matches_fit_the_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
