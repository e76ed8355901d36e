/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/clickhouse/clickhouse_server.h"

static struct nx_arena arena;

static struct nx_clickhouse_url parse(const char *text)
{
	struct nx_clickhouse_url url;
	struct nx_error err;

	if (nx_clickhouse_url_parse(&url, text, &arena, &err))
		fail_msg("%s: %s", text, err.message);
	return url;
}

static int release(void **state)
{
	(void)state;
	nx_arena_release(&arena);
	return 0;
}

static void host_and_database_are_enough(void **state)
{
	struct nx_clickhouse_url url = parse("clickhouse://db.example/runs");

	(void)state;
	assert_string_equal(url.host, "db.example");
	assert_int_equal(url.port, 8123);
	assert_string_equal(url.database, "runs");
	assert_null(url.user);
	assert_null(url.cluster);
	assert_false(url.is_secure);
}

static void all_parts_are_read(void **state)
{
	struct nx_clickhouse_url url =
		parse("clickhouse://me:a%40b%3a/c:d@h-1:9000/my_db?cluster=big_1&secure=1");

	(void)state;
	assert_string_equal(url.user, "me");
	assert_string_equal(url.password, "a@b:/c:d");
	assert_string_equal(url.host, "h-1");
	assert_int_equal(url.port, 9000);
	assert_string_equal(url.database, "my_db");
	assert_string_equal(url.cluster, "big_1");
	assert_true(url.is_secure);
}

static void a_secure_port_is_another(void **state)
{
	(void)state;
	assert_int_equal(parse("clickhouse://h/d?secure=1").port, 8443);
	assert_int_equal(parse("clickhouse://h:1/d?secure=1").port, 1);
	assert_int_equal(parse("clickhouse://h/d?secure=0").port, 8123);
}

static void a_user_needs_no_password(void **state)
{
	struct nx_clickhouse_url url = parse("clickhouse://me@h/d");

	(void)state;
	assert_string_equal(url.user, "me");
	assert_string_equal(url.password, "");
}

static void an_ipv6_address_keeps_its_brackets(void **state)
{
	(void)state;
	assert_string_equal(parse("clickhouse://[::1]:9/d").host, "[::1]");
	assert_int_equal(parse("clickhouse://[::1]:9/d").port, 9);
	assert_string_equal(parse("clickhouse://[::1]/d").host, "[::1]");
	assert_int_equal(parse("clickhouse://[::1]/d").port, 8123);
}

static void half_an_escape_is_text(void **state)
{
	(void)state;
	assert_string_equal(parse("clickhouse://a%4:%zz@h/d").user, "a%4");
	assert_string_equal(parse("clickhouse://a:%zz%@h/d").password, "%zz%");
	assert_string_equal(parse("clickhouse://a:%00@h/d").password, "%00");
}

static void what_is_no_url_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"http://h/d",
		"clickhouse://",
		"clickhouse:///d",
		"clickhouse://h",
		"clickhouse://h/",
		"clickhouse://h/d`e",
		"clickhouse://h/d e",
		"clickhouse://h:0/d",
		"clickhouse://h:65536/d",
		"clickhouse://h:8x/d",
		"clickhouse://h:/d",
		"clickhouse://h#x/d",
		"clickhouse://h/d?cluster=",
		"clickhouse://h/d?cluster=a'b",
		"clickhouse://h/d?secure=yes",
		"clickhouse://h/d?other=1",
		"clickhouse://h/d?other=1&secure=1",
		"clickhouse://me:top-secret@/d",
		"clickhouse://me:top-secret@h/",
	};
	struct nx_clickhouse_url url;
	struct nx_error err;

	(void)state;
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (nx_clickhouse_url_parse(&url, texts[i], &arena, &err) != NX_USAGE)
			fail_msg("%s was taken", texts[i]);
		assert_non_null(strstr(err.message, "clickhouse://["));
		assert_null(strstr(err.message, "top-secret"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_and_database_are_enough),
		cmocka_unit_test(all_parts_are_read),
		cmocka_unit_test(a_secure_port_is_another),
		cmocka_unit_test(a_user_needs_no_password),
		cmocka_unit_test(an_ipv6_address_keeps_its_brackets),
		cmocka_unit_test(half_an_escape_is_text),
		cmocka_unit_test(what_is_no_url_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
