/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/runtime_library.h"

/* All of the published ones but success. */
static const NRT_STATUS statuses[] = {
	NRT_FAILURE,
	NRT_INVALID,
	NRT_INVALID_HANDLE,
	NRT_RESOURCE,
	NRT_TIMEOUT,
	NRT_HW_ERROR,
	NRT_QUEUE_FULL,
	NRT_LOAD_NOT_ENOUGH_NC,
	NRT_UNSUPPORTED_NEFF_VERSION,
	NRT_FAIL_HOST_MEM_ALLOC,
	NRT_UNINITIALIZED,
	NRT_CLOSED,
	NRT_QUEUE_EMPTY,
	NRT_EXEC_UNIT_UNRECOVERABLE,
	NRT_EXEC_BAD_INPUT,
	NRT_EXEC_COMPLETED_WITH_NUM_ERR,
	NRT_EXEC_COMPLETED_WITH_ERR,
	NRT_EXEC_NC_BUSY,
	NRT_EXEC_OOB,
	NRT_COLL_PENDING,
	NRT_EXEC_HW_ERR_COLLECTIVES,
	NRT_EXEC_HW_ERR_HBM_UE,
	NRT_EXEC_HW_ERR_NC_UE,
	NRT_EXEC_HW_ERR_DMA_ABORT,
	NRT_EXEC_SW_NQ_OVERFLOW,
	NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE,
	NRT_NETWORK_PROXY_FAILURE,
};

static void test_every_status_has_a_sentence(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct nx_error err = {0};

		assert_int_not_equal(nx_runtime_fail(NULL, statuses[i], &err, "loading %s", "a"),
				     NX_OK);
		assert_int_equal(strncmp(err.message, "loading a failed with NRT_", 26), 0);
		assert_non_null(strstr(err.message, ": "));
		assert_null(strstr(err.message, "unknown"));
	}
}

static void test_what_comes_of_them(void **state)
{
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_runtime_fail(NULL, NRT_RESOURCE, &err, "x"), NX_LIMIT);
	assert_int_equal(nx_runtime_fail(NULL, NRT_UNSUPPORTED_NEFF_VERSION, &err, "x"),
			 NX_VERSION);
	assert_int_equal(nx_runtime_fail(NULL, NRT_EXEC_BAD_INPUT, &err, "x"), NX_MISMATCH);
	assert_string_equal(err.message, "x failed with NRT_EXEC_BAD_INPUT: an input is missing or "
					 "has the wrong size; try --io-from runtime");
}

static const char *name_it(NRT_STATUS status)
{
	return (int)status == 4242 ? "NRT_NEWER_THAN_WE" : NULL;
}

static void test_statuses_of_newer_runtimes(void **state)
{
	struct nx_runtime_library lib = {.nrt_get_status_as_str = name_it};
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_runtime_fail(&lib, (NRT_STATUS)4242, &err, "x"), NX_IO);
	assert_non_null(strstr(err.message, "x failed with NRT_NEWER_THAN_WE (4242); "));
	assert_string_equal(nx_runtime_status_name(&lib, (NRT_STATUS)4243), "an unknown status");
	assert_string_equal(nx_runtime_status_name(NULL, (NRT_STATUS)4243), "an unknown status");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_status_has_a_sentence),
		cmocka_unit_test(test_what_comes_of_them),
		cmocka_unit_test(test_statuses_of_newer_runtimes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
