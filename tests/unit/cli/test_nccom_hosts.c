/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/nccom/nccom_hosts.h"

static struct nx_nccom_hosts hosts;
static struct nx_arena arena;
static struct nx_error err;

static int clear(void **state)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK",   "PMI_RANK",
					    "SLURM_PROCID",	      "SLURM_STEP_NODELIST",
					    "NEURON_RT_ROOT_COMM_ID", "SLURM_JOB_NODELIST"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	nx_vec_release(&hosts);
	nx_arena_release(&arena);
	return 0;
}

/* --- lists --------------------------------------------------------------------------------- */

static void lists(void **state)
{
	(void)state;
	assert_int_equal(nx_nccom_hosts_add(&hosts, "a,b c,,[::1],10.0.0.1", &arena, &err), NX_OK);
	assert_int_equal(hosts.len, 5);
	assert_string_equal(hosts.items[0], "a");
	assert_string_equal(hosts.items[2], "c");
	assert_string_equal(hosts.items[4], "10.0.0.1");
	assert_int_equal(nx_nccom_hosts_add(&hosts, "", &arena, &err), NX_OK);
	assert_int_equal(hosts.len, 5);
}

static void names_that_are_none(void **state)
{
	static const char *const wrong[] = {"-rf", "a,$(id)", "a;b", "a/b", "a\nb"};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(nx_nccom_hosts_add(&hosts, wrong[i], &arena, &err), NX_USAGE);
	assert_string_equal(err.message, "'a\nb' is not a host name");
	memset(longest, 'a', sizeof(longest));
	longest[254] = '\0';
	assert_int_equal(nx_nccom_hosts_add(&hosts, longest, &arena, &err), NX_USAGE);
	longest[253] = '\0';
	assert_int_equal(nx_nccom_hosts_add(&hosts, longest, &arena, &err), NX_OK);
}

static void too_many(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NX_NCCOM_MAX_HOSTS; i++)
		assert_int_equal(nx_nccom_hosts_add(&hosts, "a", &arena, &err), NX_OK);
	assert_int_equal(nx_nccom_hosts_add(&hosts, "a", &arena, &err), NX_LIMIT);
}

static enum nx_status read_text(const void *text, size_t len)
{
	char path[] = "/tmp/test_nccom_hosts.XXXXXX";
	int fd = mkstemp(path);
	enum nx_status st;

	assert_true(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	close(fd);
	nx_vec_clear(&hosts);
	st = nx_nccom_hosts_read(&hosts, path, &arena, &err);
	remove(path);
	return st;
}

static void files(void **state)
{
	static const char text[] = "# all\na\n\n  b slots=4\r\n\tc#first\n#d\nlast";
	char *large = nx_arena_zalloc(&arena, 1, ((size_t)1 << 20) + 1);

	(void)state;
	assert_int_equal(read_text(text, strlen(text)), NX_OK);
	assert_int_equal(hosts.len, 4);
	assert_string_equal(hosts.items[1], "b");
	assert_string_equal(hosts.items[2], "c");
	assert_string_equal(hosts.items[3], "last");
	assert_int_equal(read_text("", 0), NX_OK);
	assert_int_equal(hosts.len, 0);
	assert_int_equal(read_text("a\nb\n-c\n", 7), NX_USAGE);
	assert_non_null(strstr(err.message, ": line 3: '-c' is not a host name"));
	assert_int_equal(read_text("a\0b\n\0\0\nc", 9), NX_OK);
	assert_int_equal(read_text(large, ((size_t)1 << 20) + 1), NX_LIMIT);
	assert_int_equal(nx_nccom_hosts_read(&hosts, "/nonexistent/hosts", &arena, &err),
			 NX_NOT_FOUND);
}

static void this_machine(void **state)
{
	(void)state;
	assert_true(nx_nccom_host_is_here("127.0.0.1") && nx_nccom_host_is_here("127.9.0.1"));
	assert_true(nx_nccom_host_is_here("localhost") && nx_nccom_host_is_here("::1"));
	assert_false(nx_nccom_host_is_here("localhost.example") ||
		     nx_nccom_host_is_here("128.0.0.1"));
}

/* --- which one ------------------------------------------------------------------------------- */

static void a_machine_by_number(void **state)
{
	uint32_t node = 7;

	(void)state;
	assert_int_equal(nx_nccom_node_read("3", &node, &err), NX_OK);
	assert_int_equal(node, 3);
	assert_int_equal(nx_nccom_node_read("-1", &node, &err), NX_USAGE);
	assert_int_equal(nx_nccom_node_read("4294967296", &node, &err), NX_USAGE);
	assert_int_equal(nx_nccom_node_read("", &node, &err), NX_USAGE);
	assert_int_equal(node, 3);
}

static void a_machine_by_its_starter(void **state)
{
	uint32_t node = 7;

	(void)state;
	assert_int_equal(nx_nccom_node_read("auto", &node, &err), NX_USAGE);
	setenv("SLURM_PROCID", "1", 1);
	assert_int_equal(nx_nccom_node_read("auto", &node, &err), NX_OK);
	assert_int_equal(node, 1);
	setenv("PMI_RANK", "2", 1);
	assert_int_equal(nx_nccom_node_read("auto", &node, &err), NX_OK);
	assert_int_equal(node, 2);
	setenv("OMPI_COMM_WORLD_RANK", "x", 1);
	assert_int_equal(nx_nccom_node_read("auto", &node, &err), NX_USAGE);
	assert_string_equal(
		err.message,
		"OMPI_COMM_WORLD_RANK must be the number of a machine, from 0, not 'x'");
}

static void first_of_slurms_list(void **state)
{
	static const struct {
		const char *list, *first;
	} cases[] = {
		{"trn[007-010],x", "trn007"},
		{"a,b", "a"},
		{"a", "a"},
		{"n[3,5-9]", "n3"},
		{"r[1-2]n[4-5]", "r1n4"},
		{"n[12", "n12"},
		{"a-b-[01-02].x", "a-b-01.x"},
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(nx_nccom_hosts_first(cases[i].list, out, sizeof(out)));
		assert_string_equal(out, cases[i].first);
	}
	assert_false(nx_nccom_hosts_first("", out, sizeof(out)));
	assert_false(nx_nccom_hosts_first(",a", out, sizeof(out)));
	assert_true(nx_nccom_hosts_first("abc", out, 4));
	assert_false(nx_nccom_hosts_first("abcd", out, 4));
}

static void root_on_the_first(void **state)
{
	(void)state;
	assert_int_equal(nx_nccom_root_complete(&err), NX_OK);
	assert_null(getenv("NEURON_RT_ROOT_COMM_ID"));
	setenv("NEURON_RT_ROOT_COMM_ID", ":4000", 1);
	assert_int_equal(nx_nccom_root_complete(&err), NX_USAGE);
	setenv("SLURM_JOB_NODELIST", "q[5-6]", 1);
	assert_int_equal(nx_nccom_root_complete(&err), NX_OK);
	assert_string_equal(getenv("NEURON_RT_ROOT_COMM_ID"), "q5:4000");
	setenv("NEURON_RT_ROOT_COMM_ID", ":40001", 1);
	setenv("SLURM_STEP_NODELIST", "q[6,9]", 1);
	assert_int_equal(nx_nccom_root_complete(&err), NX_OK);
	assert_string_equal(getenv("NEURON_RT_ROOT_COMM_ID"), "q6:40001");
	setenv("NEURON_RT_ROOT_COMM_ID", ":4000000", 1);
	assert_int_equal(nx_nccom_root_complete(&err), NX_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lists),
		TEST(names_that_are_none),
		TEST(too_many),
		TEST(files),
		TEST(this_machine),
		TEST(a_machine_by_number),
		TEST(a_machine_by_its_starter),
		TEST(first_of_slurms_list),
		TEST(root_on_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
