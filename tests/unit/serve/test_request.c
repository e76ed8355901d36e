/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "serve/request.h"

static enum nx_status parse(struct nx_request *r, const char *target)
{
	static struct nx_error err;

	return nx_request_parse(r, NX_GET, target, &err);
}

static void a_target_is_split_before_it_is_decoded(void **state)
{
	struct nx_request r;

	(void)state;
	assert_int_equal(parse(&r, "/a%2Fb/c%20d/%C3%BC?x=1%262&y=a+b&x=&z"), NX_OK);
	assert_int_equal(r.segment_count, 3);
	assert_string_equal(r.segments[0], "a/b");
	assert_string_equal(r.segments[1], "c d");
	assert_string_equal(r.segments[2], "\xc3\xbc");
	assert_int_equal(r.parameter_count, 4);
	assert_string_equal(nx_request_find(&r, "x"), "1&2");
	assert_string_equal(nx_request_find(&r, "y"), "a b");
	assert_string_equal(nx_request_find(&r, "z"), "");
	assert_null(nx_request_find(&r, "w"));
	nx_request_release(&r);
}

static void the_root_has_no_parts(void **state)
{
	struct nx_request r;

	(void)state;
	assert_int_equal(parse(&r, "/"), NX_OK);
	assert_int_equal(r.segment_count, 0);
	assert_false(r.ends_in_slash);
	nx_request_release(&r);
	assert_int_equal(parse(&r, "/a/"), NX_OK);
	assert_int_equal(r.segment_count, 1);
	assert_true(r.ends_in_slash);
	nx_request_release(&r);
}

static void what_names_nothing_is_refused(void **state)
{
	static const char *const targets[] = {
		"",	"a",	   "*",	       "//",	   "/a//b",    "/./a",	  "/a/..",
		"/%2e", "/%2E%2e", "/a/%00",   "/a%0ab",   "/%ff",     "/%c3",	  "/%",
		"/%4",	"/%g0",	   "/a?b=%00", "/a?b=%ff", "/a?%80=1", "/a?b=%f", "/%7f",
	};
	struct nx_request r;

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		assert_int_equal(parse(&r, targets[i]), NX_USAGE);
		nx_request_release(&r);
	}
}

static void numbers_of_parts_are_bounded(void **state)
{
	struct nx_request r;
	char target[2048] = "/";

	(void)state;
	for (int i = 0; i < NX_REQUEST_SEGMENTS_MAX + 1; i++)
		strcat(target, "a/"); /* NOLINT: room for all of them */
	assert_int_equal(parse(&r, target), NX_USAGE);
	nx_request_release(&r);
	strcpy(target, "/?"); /* NOLINT */
	for (int i = 0; i < NX_REQUEST_PARAMETERS_MAX + 1; i++)
		strcat(target, "a&"); /* NOLINT */
	assert_int_equal(parse(&r, target), NX_USAGE);
	nx_request_release(&r);
}

static void numbers_are_checked(void **state)
{
	struct nx_request r;
	struct nx_error err;
	uint64_t value;

	(void)state;
	assert_int_equal(parse(&r, "/?a=18446744073709551615&b=18446744073709551616&c=-1&d=&e=7"),
			 NX_OK);
	assert_int_equal(nx_request_u64(&r, "a", 0, UINT64_MAX, &value, &err), NX_OK);
	assert_true(value == UINT64_MAX);
	assert_int_equal(nx_request_u64(&r, "a", 0, 5, &value, &err), NX_USAGE);
	assert_int_equal(nx_request_u64(&r, "b", 0, UINT64_MAX, &value, &err), NX_USAGE);
	assert_int_equal(nx_request_u64(&r, "c", 0, UINT64_MAX, &value, &err), NX_USAGE);
	assert_non_null(strstr(err.message, "'c'"));
	assert_int_equal(nx_request_u64(&r, "d", 3, 9, &value, &err), NX_OK);
	assert_true(value == 3);
	assert_int_equal(nx_request_need_u64(&r, "d", 9, &value, &err), NX_USAGE);
	assert_int_equal(nx_request_need_u64(&r, "none", 9, &value, &err), NX_USAGE);
	assert_int_equal(nx_request_need_u64(&r, "e", 7, &value, &err), NX_OK);
	assert_true(value == 7);
	nx_request_release(&r);
}

static void lists_have_parts_between_commas(void **state)
{
	struct nx_request r;
	struct nx_error err;
	const char **parts;
	size_t count;

	(void)state;
	assert_int_equal(parse(&r, "/?a=1,2:3,x&b=&c=1,,2&d=,&e=1,2,3,4"), NX_OK);
	assert_int_equal(nx_request_list(&r, "a", 3, &parts, &count, &err), NX_OK);
	assert_int_equal(count, 3);
	assert_string_equal(parts[1], "2:3");
	assert_int_equal(nx_request_list(&r, "b", 3, &parts, &count, &err), NX_OK);
	assert_int_equal(count, 0);
	assert_int_equal(nx_request_list(&r, "none", 3, &parts, &count, &err), NX_OK);
	assert_int_equal(count, 0);
	assert_int_equal(nx_request_list(&r, "c", 3, &parts, &count, &err), NX_USAGE);
	assert_int_equal(nx_request_list(&r, "d", 3, &parts, &count, &err), NX_USAGE);
	assert_int_equal(nx_request_list(&r, "e", 3, &parts, &count, &err), NX_USAGE);
	nx_request_release(&r);
}

static void repeated_parameters_come_one_by_one(void **state)
{
	struct nx_request r;
	size_t at = 0;

	(void)state;
	assert_int_equal(parse(&r, "/?where=a&x=1&where=b"), NX_OK);
	assert_string_equal(nx_request_next(&r, "where", &at), "a");
	assert_string_equal(nx_request_next(&r, "where", &at), "b");
	assert_null(nx_request_next(&r, "where", &at));
	nx_request_release(&r);
}

static void a_body_is_one_object(void **state)
{
	static const char *const bad[] = {"", "{", "[]", "3", "{} x", "nul"};
	const struct nx_json *object;
	struct nx_request r;
	struct nx_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(&r, "/"), NX_OK);
		nx_bytes_append(&r.body, bad[i], strlen(bad[i]));
		assert_int_equal(nx_request_json(&r, &object, &err), NX_USAGE);
		nx_request_release(&r);
	}
	assert_int_equal(parse(&r, "/"), NX_OK);
	nx_bytes_append(&r.body, "{\"a\":5}", 7);
	assert_int_equal(nx_request_json(&r, &object, &err), NX_OK);
	assert_int_equal(nx_json_as_u64(nx_json_get(object, "a"), 0), 5);
	nx_request_release(&r);
}

static void methods_have_words(void **state)
{
	enum nx_method method;

	(void)state;
	assert_true(nx_method_parse("HEAD", &method) && method == NX_GET);
	assert_true(nx_method_parse("PATCH", &method) && method == NX_PATCH);
	assert_false(nx_method_parse("get", &method));
	assert_false(nx_method_parse("OPTIONS", &method));
	assert_string_equal(nx_method_word(NX_DELETE), "DELETE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_target_is_split_before_it_is_decoded),
		cmocka_unit_test(the_root_has_no_parts),
		cmocka_unit_test(what_names_nothing_is_refused),
		cmocka_unit_test(numbers_of_parts_are_bounded),
		cmocka_unit_test(numbers_are_checked),
		cmocka_unit_test(lists_have_parts_between_commas),
		cmocka_unit_test(repeated_parameters_come_one_by_one),
		cmocka_unit_test(a_body_is_one_object),
		cmocka_unit_test(methods_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
