/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serve/host_name.h"

static void test_this_machine(void **state)
{
	(void)state;
	assert_true(nx_host_name_is_ours("localhost", "127.0.0.1"));
	assert_true(nx_host_name_is_ours("LocalHost:3001", "127.0.0.1"));
	assert_true(nx_host_name_is_ours("127.0.0.1:1", "127.0.0.1"));
	assert_true(nx_host_name_is_ours("[::1]", "127.0.0.1"));
	assert_true(nx_host_name_is_ours("[::1]:3001", "127.0.0.1"));
}

static void test_strangers(void **state)
{
	static const char *const hosts[] = {"",		  ":",	   "[",	       "]",
					    "[::1",	  "[]",	   "::1",      "localhos",
					    "localhostx", "a.com", "10.0.0.1", "localhost.a.com"};

	(void)state;
	assert_false(nx_host_name_is_ours(NULL, "127.0.0.1"));
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		assert_false(nx_host_name_is_ours(hosts[i], "127.0.0.1"));
}

static void test_given_name(void **state)
{
	(void)state;
	assert_true(nx_host_name_is_ours("box.lan:3001", "box.lan"));
	assert_false(nx_host_name_is_ours("box.lan.evil", "box.lan"));
	assert_true(nx_host_name_is_ours("[fe80::1]:3001", "fe80::1"));
	assert_false(nx_host_name_is_ours("[fe80::2]:3001", "fe80::1"));
}

static void test_brackets_are_closed_and_hold_ipv6(void **state)
{
	(void)state;
	assert_false(nx_host_name_is_ours("[127.0.0.1y", "127.0.0.1"));
	assert_false(nx_host_name_is_ours("[127.0.0.1]", "127.0.0.1"));
	assert_false(nx_host_name_is_ours("[box.lan]", "box.lan"));
	assert_false(nx_host_name_is_ours("[fe80::1y", "fe80::1"));
}

static void test_everywhere_takes_addresses_only(void **state)
{
	(void)state;
	assert_true(nx_host_name_is_ours("192.168.1.20:3001", "0.0.0.0"));
	assert_true(nx_host_name_is_ours("[2001:db8::1]:3001", "::"));
	assert_false(nx_host_name_is_ours("evil.example", "0.0.0.0"));
	assert_false(nx_host_name_is_ours("192.168.1.20.nip.io", "0.0.0.0"));
	assert_false(nx_host_name_is_ours("[2001:db8::1", "::"));
	assert_false(nx_host_name_is_ours(
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
