/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/http_client.h"
#include "tests/unit/fake_http.h"

struct fixture {
	struct nx_fake_http fake;
	struct nx_http_client *http;
	struct nx_http_answer answer;
	struct nx_error err;
	char url[128];
};

static void begin(struct fixture *f, const struct nx_fake_step *steps, size_t count)
{
	memset(f, 0, sizeof(*f));
	nx_fake_http_start(&f->fake, steps, count);
	snprintf(f->url, sizeof(f->url), "http://127.0.0.1:%u/path?x=1", f->fake.port);
	f->http = nx_http_client_new();
}

static void end(struct fixture *f)
{
	nx_http_answer_release(&f->answer);
	nx_http_client_free(f->http);
	nx_fake_http_stop(&f->fake);
}

static enum nx_status ask(struct fixture *f, struct nx_http_request request)
{
	request.url = f->url;
	return nx_http_client_ask(f->http, &request, &f->answer, &f->err);
}

static void a_get_brings_code_and_body(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "GET /path?x=1 HTTP", 200, "hello"}};
	struct fixture f;

	(void)state;
	begin(&f, steps, 1);
	assert_int_equal(ask(&f, (struct nx_http_request){0}), NX_OK);
	assert_int_equal(f.answer.code, 200);
	assert_int_equal(f.answer.body.len, 5);
	assert_memory_equal(f.answer.body.items, "hello", 5);
	end(&f);
}

static void a_body_is_posted_with_header_and_user(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "\r\n\r\na?b", 204, ""}};
	struct nx_http_request request = {.body = nx_slice_of("a\0b", 3),
					  .header = "X-Token: t 1",
					  .user = "me",
					  .password = "a:b"};
	struct fixture f;

	(void)state;
	begin(&f, steps, 1);
	assert_int_equal(ask(&f, request), NX_OK);
	assert_int_equal(f.answer.code, 204);
	assert_non_null(strstr(f.fake.last, "POST /path?x=1 HTTP"));
	assert_non_null(strstr(f.fake.last, "X-Token: t 1\r\n"));
	assert_non_null(strstr(f.fake.last, "Authorization: Basic bWU6YTpi\r\n"));
	assert_non_null(strstr(f.fake.last, "Content-Length: 3\r\n"));
	assert_null(strstr(f.fake.last, "Expect:"));
	end(&f);
}

static size_t give_letters(void *context, void *to, size_t room)
{
	size_t *left = context, len = room < 2 ? room : 2;

	len = *left < len ? *left : len;
	memset(to, 'b', len);
	*left -= len;
	return len;
}

static void a_body_is_put_piece_by_piece(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "\r\n\r\nbb", 200, ""}};
	size_t left = 5;
	struct nx_http_request request = {.give = give_letters,
					  .give_context = &left,
					  .give_bytes = 5,
					  .content_type = "text/plain"};
	struct fixture f;

	(void)state;
	begin(&f, steps, 1);
	assert_int_equal(ask(&f, request), NX_OK);
	assert_non_null(strstr(f.fake.last, "PUT /path?x=1 HTTP"));
	assert_non_null(strstr(f.fake.last, "Content-Length: 5\r\n"));
	assert_non_null(strstr(f.fake.last, "Content-Type: text/plain\r\n"));
	assert_null(strstr(f.fake.last, "Expect:"));
	assert_null(strstr(f.fake.last, "Transfer-Encoding"));
	end(&f);
}

static void a_method_may_be_named(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "DELETE /path", 204, ""}};
	struct fixture f;

	(void)state;
	begin(&f, steps, 1);
	assert_int_equal(ask(&f, (struct nx_http_request){.method = "DELETE"}), NX_OK);
	end(&f);
}

static void an_empty_body_is_still_a_post(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "POST", 204, ""}};
	struct fixture f;

	(void)state;
	begin(&f, steps, 1);
	assert_int_equal(ask(&f, (struct nx_http_request){.body = nx_slice_of("", 0)}), NX_OK);
	end(&f);
}

static void failures_of_the_server_are_answers(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "GET", 500, "Code: 60"},
						    {.wants = "GET", 404, ""}};
	struct fixture f;

	(void)state;
	begin(&f, steps, 2);
	assert_int_equal(ask(&f, (struct nx_http_request){0}), NX_OK);
	assert_int_equal(f.answer.code, 500);
	assert_int_equal(ask(&f, (struct nx_http_request){0}), NX_OK);
	assert_int_equal(f.answer.code, 404);
	assert_int_equal(f.answer.body.len, 0);
	end(&f);
}

static void redirects_are_not_followed(void **state)
{
	static const struct nx_fake_step steps[] = {
		{.wants = "GET", 302, "", .header = "Location: http://127.0.0.1:1/"}};
	struct fixture f;

	(void)state;
	begin(&f, steps, 1);
	assert_int_equal(ask(&f, (struct nx_http_request){0}), NX_OK);
	assert_int_equal(f.answer.code, 302);
	end(&f);
}

static void no_answer_is_a_sentence(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "GET", .harm = NX_FAKE_HANG_UP},
						    {.wants = "GET", 200, "part", NX_FAKE_CUT}};
	struct fixture f;

	(void)state;
	begin(&f, steps, 2);
	assert_int_equal(ask(&f, (struct nx_http_request){0}), NX_IO);
	assert_int_equal(f.answer.code, 0);
	assert_true(f.err.message[0]);
	assert_int_equal(ask(&f, (struct nx_http_request){0}), NX_IO);
	assert_false(f.answer.is_refused);
	end(&f);
	f.http = nx_http_client_new();
	assert_int_equal(ask(&f, (struct nx_http_request){0}), NX_IO);
	nx_http_client_free(f.http);
}

static void other_protocols_are_refused(void **state)
{
	struct nx_http_client *http = nx_http_client_new();
	struct nx_http_request request = {.url = "file:///etc/passwd"};
	struct nx_http_answer answer = {0};
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_http_client_ask(http, &request, &answer, &err), NX_IO);
	assert_int_equal(answer.body.len, 0);
	nx_http_answer_release(&answer);
	nx_http_client_free(http);
}

struct taker {
	char text[64];
	size_t len;
	bool refuses;
};

static enum nx_status take(void *context, struct nx_slice piece, struct nx_error *err)
{
	struct taker *taker = context;

	if (taker->refuses)
		return nx_fail(err, NX_FORMAT, "not to my taste");
	memcpy(taker->text + taker->len, piece.data, piece.len);
	taker->len += piece.len;
	return NX_OK;
}

static void a_taker_gets_what_is_fine_only(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "GET", 500, "trouble"},
						    {.wants = "GET", 200, "rows"}};
	struct taker taker = {0};
	struct nx_http_request request = {.take = take, .context = &taker};
	struct fixture f;

	(void)state;
	begin(&f, steps, 2);
	assert_int_equal(ask(&f, request), NX_OK);
	assert_int_equal(taker.len, 0);
	assert_int_equal(f.answer.body.len, 7);
	assert_int_equal(ask(&f, request), NX_OK);
	assert_string_equal(taker.text, "rows");
	assert_int_equal(f.answer.body.len, 0);
	end(&f);
}

static void a_taker_can_end_the_call(void **state)
{
	static const struct nx_fake_step steps[] = {{.wants = "GET", 200, "rows"}};
	struct taker taker = {.refuses = true};
	struct fixture f;

	(void)state;
	begin(&f, steps, 1);
	assert_int_equal(ask(&f, (struct nx_http_request){.take = take, .context = &taker}),
			 NX_FORMAT);
	assert_string_equal(f.err.message, "not to my taste");
	assert_true(f.answer.is_refused);
	end(&f);
}

static void kept_bodies_are_bounded(void **state)
{
	static char large[NX_HTTP_KEPT_BYTES + 1000];
	struct nx_fake_step steps[] = {{.wants = "GET", 200, large}};
	struct fixture f;

	(void)state;
	memset(large, 'x', sizeof(large) - 1);
	begin(&f, steps, 1);
	assert_int_equal(ask(&f, (struct nx_http_request){0}), NX_OK);
	assert_int_equal(f.answer.body.len, NX_HTTP_KEPT_BYTES);
	assert_true(f.answer.is_cut);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_get_brings_code_and_body),
		cmocka_unit_test(a_body_is_posted_with_header_and_user),
		cmocka_unit_test(a_body_is_put_piece_by_piece),
		cmocka_unit_test(a_method_may_be_named),
		cmocka_unit_test(an_empty_body_is_still_a_post),
		cmocka_unit_test(failures_of_the_server_are_answers),
		cmocka_unit_test(redirects_are_not_followed),
		cmocka_unit_test(no_answer_is_a_sentence),
		cmocka_unit_test(other_protocols_are_refused),
		cmocka_unit_test(a_taker_gets_what_is_fine_only),
		cmocka_unit_test(a_taker_can_end_the_call),
		cmocka_unit_test(kept_bodies_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
