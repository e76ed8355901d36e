/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "serve/reply.h"

static const struct nx_json *member(const struct nx_reply *reply, struct nx_arena *arena,
				    const char *key)
{
	struct nx_json *root;

	assert_int_equal(nx_json_parse(nx_slice_of(reply->body.items, reply->body.len), arena,
				       &root, NULL),
			 NX_OK);
	return nx_json_get(root, key);
}

static void check_problem(enum nx_status status, unsigned given, const char *sentence,
			  unsigned http_status, const char *shown)
{
	struct nx_reply reply = {.http_status = given};
	struct nx_error err;
	struct nx_arena arena = {0};

	nx_bytes_append(&reply.body, "half an answer", 14);
	nx_fail(&err, status, "%s", sentence);
	nx_reply_problem(&reply, &err, "/home/me/ws");
	assert_int_equal(reply.http_status, http_status);
	assert_string_equal(reply.type, "application/problem+json");
	assert_int_equal(nx_json_as_u64(member(&reply, &arena, "status"), 0), http_status);
	assert_string_equal(nx_json_as_text(member(&reply, &arena, "detail"), &arena, ""), shown);
	assert_int_equal(reply.header_count, http_status == 503);
	nx_reply_clear(&reply);
	nx_arena_release(&arena);
}

static void failures_are_problems(void **state)
{
	(void)state;
	check_problem(NX_USAGE, 0, "no", 400, "no");
	check_problem(NX_NOT_FOUND, 0, "no", 404, "no");
	check_problem(NX_FORMAT, 0, "a \"quote\"", 422, "a \"quote\"");
	check_problem(NX_IO, 0, "no", 500, "no");
	check_problem(NX_CANCELLED, 0, "no", 503, "no");
	check_problem(NX_USAGE, 409, "taken", 409, "taken");
}

static void the_folder_of_the_server_is_not_told(void **state)
{
	(void)state;
	check_problem(NX_IO, 0, "cannot read /home/me/ws/profiles/a: gone", 500,
		      "cannot read profiles/a: gone");
	check_problem(NX_IO, 0, "no profile 'a' in /home/me/ws", 500,
		      "no profile 'a' in the workspace");
	check_problem(NX_IO, 0, "/home/me/ws/a and /home/me/ws/b", 500, "a and b");
}

/* Every status has its own entry; one that is forgotten would be a fault of the server. */
static void every_failure_has_a_code(void **state)
{
	(void)state;
	for (int i = NX_OK + 1; i <= NX_CANCELLED; i++) {
		struct nx_reply reply = {0};
		struct nx_error err;

		nx_fail(&err, (enum nx_status)i, "no");
		nx_reply_problem(&reply, &err, "/");
		assert_true(reply.http_status >= 400 && reply.http_status < 600);
		assert_true(reply.http_status != 500 || i == NX_IO);
		nx_reply_clear(&reply);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(failures_are_problems),
		cmocka_unit_test(the_folder_of_the_server_is_not_told),
		cmocka_unit_test(every_failure_has_a_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
