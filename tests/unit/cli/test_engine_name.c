/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/engine_name.h"

static void test_spellings(void **state)
{
	(void)state;
	assert_int_equal(nx_engine_find("Tensor"), NX_ENGINE_TENSOR);
	assert_int_equal(nx_engine_find("pe"), NX_ENGINE_TENSOR);
	assert_int_equal(nx_engine_find("PE"), NX_ENGINE_TENSOR);
	assert_int_equal(nx_engine_find("act"), NX_ENGINE_SCALAR);
	assert_int_equal(nx_engine_find("activation"), NX_ENGINE_SCALAR);
	assert_int_equal(nx_engine_find("SCALAR"), NX_ENGINE_SCALAR);
	assert_int_equal(nx_engine_find("Pool"), NX_ENGINE_GPSIMD);
	assert_int_equal(nx_engine_find("gpsimd"), NX_ENGINE_GPSIMD);
	assert_int_equal(nx_engine_find("dve"), NX_ENGINE_VECTOR);
	assert_int_equal(nx_engine_find("SP"), NX_ENGINE_SYNC);
}

static void test_none(void **state)
{
	enum nx_engine engine;
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_engine_find(""), NX_ENGINE_COUNT);
	assert_int_equal(nx_engine_find("tens"), NX_ENGINE_COUNT);
	assert_int_equal(nx_engine_parse("gpu", &engine, &err), NX_USAGE);
	assert_int_equal(nx_engine_parse("sync", &engine, &err), NX_OK);
	assert_int_equal(engine, NX_ENGINE_SYNC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
