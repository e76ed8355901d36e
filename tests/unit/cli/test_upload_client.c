/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/upload_client.h"
#include "tests/unit/fake_http.h"
#include "tests/unit/store/workspace_fixture.h"

/* --- the plan ------------------------------------------------------------------------------ */

static void a_folder_becomes_its_files_in_order(void **state)
{
	struct nx_upload_plan plan = {0};
	struct nx_bytes json = {0};

	(void)state;
	assert_int_equal(system("mkdir -p run/b && printf 12 >run/b/z && printf 1 >run/a && "
				"ln -s a run/link && printf 123 >run/.hidden"),
			 0);
	assert_int_equal(nx_upload_plan_add(&plan, "run/", NX_UPLOAD_DIRECTORY, NULL), NX_OK);
	nx_upload_plan_describe(&plan, "n", NULL, true, &json);
	nx_vec_push(&json, '\0');
	assert_string_equal((const char *)json.items,
			    "{\"name\":\"n\",\"folder\":\"\",\"force\":true,\"files\":["
			    "{\"path\":\"run/.hidden\",\"role\":\"directory\",\"size_bytes\":3},"
			    "{\"path\":\"run/a\",\"role\":\"directory\",\"size_bytes\":1},"
			    "{\"path\":\"run/b/z\",\"role\":\"directory\",\"size_bytes\":2}]}");
	assert_int_equal(plan.size_bytes, 6);
	nx_vec_release(&json);
	nx_upload_plan_release(&plan);
}

static void hidden_source_code_is_left_out(void **state)
{
	struct nx_upload_plan plan = {0};

	(void)state;
	assert_int_equal(system("mkdir -p src/.git && echo x >src/.git/config && echo y >src/a.py"),
			 0);
	assert_int_equal(nx_upload_plan_add(&plan, "src", NX_UPLOAD_SOURCE, NULL), NX_OK);
	assert_int_equal(plan.files.len, 1);
	assert_string_equal(plan.files.items[0].path, "src/a.py");
	assert_int_equal(nx_upload_plan_add(&plan, "src/a.py", NX_UPLOAD_SOURCE, NULL), NX_OK);
	assert_string_equal(plan.files.items[1].path, "a.py");
	nx_upload_plan_release(&plan);
}

static void folders_and_files_are_not_confused(void **state)
{
	struct nx_upload_plan plan = {0};

	(void)state;
	put_file("f", "x");
	assert_int_equal(nx_upload_plan_add(&plan, ".", NX_UPLOAD_NTFF, NULL), NX_USAGE);
	assert_int_equal(nx_upload_plan_add(&plan, "f", NX_UPLOAD_DIRECTORY, NULL), NX_USAGE);
	assert_int_equal(nx_upload_plan_add(&plan, "none", NX_UPLOAD_NEFF, NULL), NX_NOT_FOUND);
	nx_upload_plan_release(&plan);
}

/* --- the client ----------------------------------------------------------------------------- */

static enum nx_status send_to(struct nx_fake_http *fake, const struct nx_fake_step *steps,
			      size_t count, bool waits, struct nx_error *err)
{
	struct nx_upload_plan plan = {0};
	struct nx_upload_client client;
	char endpoint[64];
	enum nx_status st;

	put_file("a.ntff", "hello");
	nx_fake_http_start(fake, steps, count);
	snprintf(endpoint, sizeof(endpoint), "http://127.0.0.1:%u//", fake->port);
	nx_upload_client_open(&client, endpoint, "secret", false);
	assert_int_equal(nx_upload_plan_add(&plan, "a.ntff", NX_UPLOAD_NTFF, NULL), NX_OK);
	st = nx_upload_client_send(&client, &plan, nx_slice_text("{}"), err);
	if (!st && waits)
		st = nx_upload_client_wait(&client, "my profile", err);
	nx_upload_client_close(&client);
	nx_upload_plan_release(&plan);
	nx_fake_http_stop(fake);
	return st;
}

#define BEGUN                                                                                      \
	{                                                                                          \
		.wants = "POST /api/v1/uploads HTTP", 201, "{\"id\":\"u-1\"}"                      \
	}
#define FINISHED                                                                                   \
	{                                                                                          \
		.wants = "POST /api/v1/uploads/u-1/finish", 202, "{}"                              \
	}

static void files_are_sent_and_finished(void **state)
{
	static const struct nx_fake_step steps[] = {
		BEGUN,
		{.wants = "PUT /api/v1/uploads/u-1/files/0?offset=0", 200, "{}"},
		FINISHED,
	};
	struct nx_fake_http fake;

	(void)state;
	assert_int_equal(send_to(&fake, steps, 3, false, NULL), NX_OK);
	assert_non_null(strstr(fake.last, "Authorization: Bearer secret"));
}

static void a_broken_connection_goes_on_where_the_server_is(void **state)
{
	static const struct nx_fake_step steps[] = {
		BEGUN,
		{.wants = "offset=0", .harm = NX_FAKE_HANG_UP},
		{.wants = "GET /api/v1/uploads/u-1 HTTP",
		 200,
		 "{\"files\":[{\"index\":0,\"received\":\"2\"}]}"},
		{.wants = "offset=2", 503, "{}"},
		{.wants = "GET /api/v1/uploads/u-1 HTTP",
		 200,
		 "{\"files\":[{\"index\":0,\"received\":\"3\"}]}"},
		{.wants = "\r\n\r\nlo", 200, "{}"},
		FINISHED,
	};
	struct nx_fake_http fake;

	(void)state;
	assert_int_equal(send_to(&fake, steps, 7, false, NULL), NX_OK);
}

static void the_last_answer_may_get_lost(void **state)
{
	static const struct nx_fake_step steps[] = {
		BEGUN,
		{.wants = "offset=0", .harm = NX_FAKE_HANG_UP},
		{.wants = "GET /api/v1/uploads/u-1 HTTP",
		 200,
		 "{\"files\":[{\"index\":0,\"received\":\"5\"}]}"},
		{.wants = "finish", .harm = NX_FAKE_HANG_UP},
		FINISHED,
	};
	struct nx_fake_http fake;

	(void)state;
	assert_int_equal(send_to(&fake, steps, 5, false, NULL), NX_OK);
}

static void a_refusal_is_the_servers_sentence(void **state)
{
	static const struct {
		unsigned code;
		enum nx_status status;
		const char *body, *word;
	} cases[] = {
		{409, NX_MISMATCH, "{\"detail\":\"taken; replace it\"}",
		 "the server says: taken; replace it with --overwrite"},
		{507, NX_NO_SPACE, "{\"detail\":\"the disk is full\"}", "the disk is full"},
		{413, NX_LIMIT, "{\"detail\":\"too large\"}", "too large"},
		{401, NX_PERMISSION, "{\"detail\":\"no\"}", "--token"},
		{404, NX_NOT_FOUND, "<html>", "code 404"},
		{201, NX_FORMAT, "<html>", "unexpected response"},
		{200, NX_FORMAT, "{}", "unexpected response"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nx_fake_step step = {.wants = "POST", cases[i].code, cases[i].body};
		struct nx_error err = {0};
		struct nx_fake_http fake;

		assert_int_equal(send_to(&fake, &step, 1, false, &err), cases[i].status);
		if (!strstr(err.message, cases[i].word))
			fail_msg("'%s' does not say '%s'", err.message, cases[i].word);
	}
}

static void waiting_ends_when_the_upload_is_gone(void **state)
{
	static const struct nx_fake_step steps[] = {
		BEGUN,
		{.wants = "offset=0", 200, "{}"},
		FINISHED,
		{.wants = "GET /api/v1/uploads/u-1", 200, "{\"state\":\"processing\"}"},
		{.wants = "GET /api/v1/profiles/my profile", 200, "{\"fraction\":0.5}"},
		{.wants = "GET /api/v1/uploads/u-1", 404, "{}"},
		{.wants = "GET /api/v1/profiles/my profile", 200, "{}"},
	};
	struct nx_fake_http fake;

	(void)state;
	assert_int_equal(send_to(&fake, steps, 7, true, NULL), NX_OK);
}

static void what_cannot_be_processed_has_a_reason(void **state)
{
	static const struct nx_fake_step steps[] = {
		BEGUN,
		{.wants = "offset=0", 200, "{}"},
		FINISHED,
		{.wants = "GET /api/v1/uploads/u-1",
		 200,
		 "{\"state\":\"failed\",\"reason\":\"a.ntff is cut\"}"},
	};
	struct nx_error err = {0};
	struct nx_fake_http fake;

	(void)state;
	assert_int_equal(send_to(&fake, steps, 4, true, &err), NX_FORMAT);
	assert_non_null(strstr(err.message, "a.ntff is cut"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_folder_becomes_its_files_in_order),
		CASE(hidden_source_code_is_left_out),
		CASE(folders_and_files_are_not_confused),
		CASE(files_are_sent_and_finished),
		CASE(a_broken_connection_goes_on_where_the_server_is),
		CASE(the_last_answer_may_get_lost),
		CASE(a_refusal_is_the_servers_sentence),
		CASE(waiting_ends_when_the_upload_is_gone),
		CASE(what_cannot_be_processed_has_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
