/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formula),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_too_large_for_a_number),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_available),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
