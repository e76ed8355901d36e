/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/nccom/nccom_ports.h"

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
		cmocka_unit_test(ports_are_beside_the_ephemeral_ones),
		cmocka_unit_test(only_free_ports_are_found),
		cmocka_unit_test(the_root_is_set),
	};

	return cmocka_run_group_tests_name("nccom_ports", tests, NULL, NULL);
}
