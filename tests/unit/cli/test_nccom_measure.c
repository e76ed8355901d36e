/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/nccom/nccom_measure.h"

#define MIB ((uint64_t)1 << 20)
#define UINT8 3

static const struct nx_nccom_groups no_groups;

static struct nx_nccom_case make_case(const char *op, uint64_t size_bytes, uint32_t rank_count)
{
	struct nx_nccom_case c = {
		.op = nx_nccom_op_find(op),
		.dtype = UINT8,
		.dtype_name = "uint8",
		.size_bytes = size_bytes,
		.rank_count = rank_count,
		.group_size = rank_count,
		.groups = &no_groups,
		.op_count = 1,
	};
	struct nx_error err;

	assert_int_equal(nx_nccom_case_measure(&c, &err), NX_OK);
	return c;
}

static uint64_t needed_mib(const char *op, struct nx_nccom_options options)
{
	struct nx_nccom_case c = make_case(op, 8 * MIB, 4);

	return nx_nccom_memory_needed_bytes(&c, &options) / MIB;
}

/* 16 MiB, and of each rank 2 MiB, what the device has of both sides, the output, messages. */
static void test_formula(void **state)
{
	const struct nx_nccom_options four = {.local_rank_count = 4};

	(void)state;
	assert_int_equal(needed_mib("allr", four), 16 + 4 * (2 + 8 + 8 + 8 + 8));
	assert_int_equal(needed_mib("allg", four), 16 + 4 * (2 + 2 + 8 + 8 + 8));
	assert_int_equal(needed_mib("redsct", four), 16 + 4 * (2 + 8 + 2 + 2 + 8 + 8));
}

static void test_options(void **state)
{
	const struct nx_nccom_options checked = {.local_rank_count = 4, .check = NX_NCCOM_RANDOM};
	const struct nx_nccom_options processes = {.local_rank_count = 4, .has_processes = true};
	const struct nx_nccom_options half = {.local_rank_count = 2, .first_rank = 2};

	(void)state;
	assert_int_equal(needed_mib("allr", checked), 16 + 4 * (2 + 5 * 8));
	assert_int_equal(needed_mib("allr", processes), 16 + 4 * (8 + 5 * 8));
	assert_int_equal(needed_mib("allr", half), 16 + 2 * (2 + 5 * 8));
}

static void test_too_large_for_a_number(void **state)
{
	const struct nx_nccom_options options = {.local_rank_count = 1024};
	struct nx_nccom_case c = make_case("allr", UINT64_MAX / 2, 1024);

	(void)state;
	assert_true(nx_nccom_memory_needed_bytes(&c, &options) == UINT64_MAX);
}

static void test_refused(void **state)
{
	const struct nx_nccom_options options = {.local_rank_count = 4};
	struct nx_nccom_case c = make_case("allr", 8 * MIB, 4);
	struct nx_error err = {0};

	(void)state;
	assert_int_equal(nx_nccom_memory_check(&c, &options, 152 * MIB, &err), NX_OK);
	assert_int_equal(nx_nccom_memory_check(&c, &options, 0, &err), NX_OK);
	assert_int_equal(nx_nccom_memory_check(&c, &options, 152 * MIB - 1, &err), NX_LIMIT);
	assert_non_null(strstr(err.message, "all_reduce of 8388608 bytes over 4 ranks"));
	assert_non_null(strstr(err.message, "fewer ranks"));
}

static void test_available(void **state)
{
	(void)state;
	assert_true(nx_memory_available_in("MemTotal: 9 kB\nMemAvailable:   24 kB\n") == 24 * 1024);
	assert_true(nx_memory_available_in("MemTotal: 9 kB\n") == 0);
	assert_true(nx_memory_available_in("MemAvailable: many") == 0);
	assert_true(nx_memory_available_in("") == 0);
	assert_true(nx_memory_available_in("MemAvailable: 18446744073709551615 kB") == UINT64_MAX);
}

static void expect_range(const char *ephemeral, uint32_t first, uint32_t last)
{
	struct nx_nccom_port_range range = nx_nccom_port_range(ephemeral);

	assert_int_equal(range.first, first);
	assert_int_equal(range.last, last);
}

static void ports_are_beside_the_ephemeral_ones(void **state)
{
	(void)state;
	expect_range("32768\t60999\n", 10000, 32767);
	expect_range("11000 65535", 10000, 10999);
	expect_range("10999 60999", 61000, 65535);
	expect_range("1024 64535", 64536, 65535);
	expect_range("1024 64536", 10000, 65535); /* too few are left */
	expect_range("1024 5000", 10000, 65535);
	expect_range("99999 99999", 10000, 65535);
	expect_range("", 10000, 32767);
	expect_range("nonsense", 10000, 32767);
}

/* Listens on a port of the loopback address; -1 if that is in use. */
static int listen_at(uint32_t port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
					    .sin_port = htons((uint16_t)port),
					    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 1) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Of 16 ports the first, sixth and eleventh are in use: four or five in a row are free, not six. */
static void only_free_ports_are_found(void **state)
{
	struct nx_nccom_port_range range = {0};
	int used[3];

	(void)state;
	range.first = nx_nccom_ports_find((struct nx_nccom_port_range){20000, 32000}, 16);
	assert_true(range.first >= 20000);
	range.last = range.first + 15;
	assert_in_range(range.last, 20015, 32000);
	for (uint32_t i = 0; i < 3; i++)
		assert_true((used[i] = listen_at(range.first + 5 * i)) >= 0);
	for (int i = 0; i < 50; i++) {
		uint32_t port = nx_nccom_ports_find(range, 4);

		assert_true(port == range.first + 1 || port == range.first + 6 ||
			    port == range.first + 11 || port == range.first + 12);
		assert_int_equal(nx_nccom_ports_find(range, 6), 0);
	}
	for (int i = 0; i < 3; i++)
		close(used[i]);
}

static void the_root_is_set(void **state)
{
	struct nx_error err = {0};
	const char *root;

	(void)state;
	unsetenv("NEURON_RT_ROOT_COMM_ID");
	assert_int_equal(nx_nccom_root_choose("trn7", 2, &err), NX_OK);
	root = getenv("NEURON_RT_ROOT_COMM_ID");
	assert_non_null(root);
	assert_memory_equal(root, "trn7:", 5);
	assert_in_range(strtoul(root + 5, NULL, 10), 10000, 65534);
	unsetenv("NEURON_RT_ROOT_COMM_ID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formula),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_too_large_for_a_number),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_available),
		cmocka_unit_test(ports_are_beside_the_ephemeral_ones),
		cmocka_unit_test(only_free_ports_are_found),
		cmocka_unit_test(the_root_is_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
