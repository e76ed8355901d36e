/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/guard.h"
#include "serve/routes.h"

static const struct nx_guard ours = {.listening_on = "127.0.0.1", .ports = {3001, 3002}};
static const struct nx_guard closed = {
	.listening_on = "127.0.0.1", .ports = {3001, 3002}, .token = "secret"};

static unsigned check(const char *host, const char *origin)
{
	struct nx_head head = {.host = host, .origin = origin};
	struct nx_error err;
	unsigned http_status = 0;

	return nx_guard_check(&ours, &head, &http_status, &err) ? http_status : 200;
}

static void other_addresses_are_refused(void **state)
{
	(void)state;
	assert_int_equal(check("localhost:3001", NULL), 200);
	assert_int_equal(check(NULL, NULL), 421);
	assert_int_equal(check("evil.example", NULL), 421);
	assert_int_equal(check("evil.example", "http://localhost:3001"), 421);
}

static void other_pages_are_refused(void **state)
{
	static const char *const good[] = {"http://localhost:3001", "http://localhost:3002",
					   "http://127.0.0.1:3001", "https://localhost:3001",
					   "http://[::1]:3002"};
	static const char *const bad[] = {
		"",
		"null",
		"localhost:3001",
		"http://",
		"http://localhost",
		"http://localhost:300",
		"http://localhost:30011",
		"http://a.example:3001",
		"ftp://localhost:3001",
		"http://localhost.a.example:3001",
		"http://localhost:3003",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(check("localhost:3001", good[i]), 200);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(check("localhost:3001", bad[i]), 403);
	/* behind a proxy both have its port */
	assert_int_equal(check("localhost:8080", "http://localhost:8080"), 200);
}

static unsigned check_token(const char *authorization, const char *cookie, unsigned flags)
{
	struct nx_route route = {.flags = flags};
	struct nx_request request = {.route = &route};
	struct nx_head head = {.authorization = authorization, .cookie_token = cookie};
	struct nx_error err;
	unsigned http_status = 0;

	return nx_guard_check_token(&closed, &request, &head, &http_status, &err) ? http_status
										  : 200;
}

static void only_the_token_opens(void **state)
{
	static const char *const bad[] = {"",
					  "secret",
					  "Bearer",
					  "Bearer ",
					  "Bearer secre",
					  "Bearer secrets",
					  "Bearer  secret",
					  "Basic secret",
					  "Bearer secretsecret"};

	(void)state;
	assert_int_equal(check_token("Bearer secret", NULL, 0), 200);
	assert_int_equal(check_token("bearer secret", NULL, 0), 200);
	assert_int_equal(check_token(NULL, "secret", 0), 200);
	assert_int_equal(check_token(NULL, "secrets", 0), 401);
	assert_int_equal(check_token(NULL, "", 0), 401);
	assert_int_equal(check_token(NULL, NULL, 0), 401);
	assert_int_equal(check_token(NULL, NULL, NX_ROUTE_OPEN), 200);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(check_token(bad[i], NULL, 0), 401);
}

static unsigned check_body(unsigned flags, const char *type, const char *length, bool is_chunked)
{
	struct nx_route route = {.flags = flags, .body_bytes_max = flags ? 100 : 0};
	struct nx_request request = {.route = &route};
	struct nx_head head = {
		.content_type = type, .content_length = length, .is_chunked = is_chunked};
	struct nx_error err;
	unsigned http_status = 0;

	return nx_guard_check_body(&request, &head, &http_status, &err) ? http_status : 200;
}

static void bodies_are_as_long_as_allowed(void **state)
{
	const char *json = "application/json";

	(void)state;
	assert_int_equal(check_body(0, NULL, NULL, false), 200);
	assert_int_equal(check_body(0, NULL, "0", false), 200);
	assert_int_equal(check_body(0, NULL, "1", false), 413);
	assert_int_equal(check_body(0, NULL, NULL, true), 413);
	assert_int_equal(check_body(NX_ROUTE_JSON_BODY, json, "100", false), 200);
	assert_int_equal(check_body(NX_ROUTE_JSON_BODY, json, "101", false), 413);
	assert_int_equal(check_body(NX_ROUTE_JSON_BODY, json, NULL, true), 200);
	assert_int_equal(check_body(NX_ROUTE_JSON_BODY, json, "99999999999999999999", false), 400);
	assert_int_equal(check_body(NX_ROUTE_JSON_BODY, json, "-1", false), 400);
}

static void bodies_of_forms_are_refused(void **state)
{
	(void)state;
	assert_int_equal(
		check_body(NX_ROUTE_JSON_BODY, "Application/JSON; charset=utf-8", "1", false), 200);
	assert_int_equal(check_body(NX_ROUTE_JSON_BODY, "application/jsonx", "1", false), 415);
	assert_int_equal(check_body(NX_ROUTE_JSON_BODY, "text/plain", "1", false), 415);
	assert_int_equal(check_body(NX_ROUTE_JSON_BODY, NULL, "1", false), 415);
}

static void test_this_machine(void **state)
{
	(void)state;
	assert_true(nx_guard_is_our_host("localhost", "127.0.0.1"));
	assert_true(nx_guard_is_our_host("LocalHost:3001", "127.0.0.1"));
	assert_true(nx_guard_is_our_host("127.0.0.1:1", "127.0.0.1"));
	assert_true(nx_guard_is_our_host("[::1]", "127.0.0.1"));
	assert_true(nx_guard_is_our_host("[::1]:3001", "127.0.0.1"));
}

static void test_strangers(void **state)
{
	static const char *const hosts[] = {"",		  ":",	   "[",	       "]",
					    "[::1",	  "[]",	   "::1",      "localhos",
					    "localhostx", "a.com", "10.0.0.1", "localhost.a.com"};

	(void)state;
	assert_false(nx_guard_is_our_host(NULL, "127.0.0.1"));
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		assert_false(nx_guard_is_our_host(hosts[i], "127.0.0.1"));
}

static void test_given_name(void **state)
{
	(void)state;
	assert_true(nx_guard_is_our_host("box.lan:3001", "box.lan"));
	assert_false(nx_guard_is_our_host("box.lan.evil", "box.lan"));
	assert_true(nx_guard_is_our_host("[fe80::1]:3001", "fe80::1"));
	assert_false(nx_guard_is_our_host("[fe80::2]:3001", "fe80::1"));
}

static void test_brackets_are_closed_and_hold_ipv6(void **state)
{
	(void)state;
	assert_false(nx_guard_is_our_host("[127.0.0.1y", "127.0.0.1"));
	assert_false(nx_guard_is_our_host("[127.0.0.1]", "127.0.0.1"));
	assert_false(nx_guard_is_our_host("[box.lan]", "box.lan"));
	assert_false(nx_guard_is_our_host("[fe80::1y", "fe80::1"));
}

static void test_everywhere_takes_addresses_only(void **state)
{
	(void)state;
	assert_true(nx_guard_is_our_host("192.168.1.20:3001", "0.0.0.0"));
	assert_true(nx_guard_is_our_host("[2001:db8::1]:3001", "::"));
	assert_false(nx_guard_is_our_host("evil.example", "0.0.0.0"));
	assert_false(nx_guard_is_our_host("192.168.1.20.nip.io", "0.0.0.0"));
	assert_false(nx_guard_is_our_host("[2001:db8::1", "::"));
	assert_false(nx_guard_is_our_host(
		"1111111111111111111111111111111111111111111111111111111111111111", "0.0.0.0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_this_machine),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_given_name),
		cmocka_unit_test(test_brackets_are_closed_and_hold_ipv6),
		cmocka_unit_test(test_everywhere_takes_addresses_only),
		cmocka_unit_test(other_addresses_are_refused),
		cmocka_unit_test(other_pages_are_refused),
		cmocka_unit_test(only_the_token_opens),
		cmocka_unit_test(bodies_are_as_long_as_allowed),
		cmocka_unit_test(bodies_of_forms_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
