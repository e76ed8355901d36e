/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>

#include "model/binary.h"

static void edges_have_names(void **state)
{
	(void)state;
	assert_string_equal(nx_edge_name(1), "ORDERED");
	assert_string_equal(nx_edge_name(2), "ANTI_DEPENDENCE");
	assert_string_equal(nx_edge_name(3), "OUTPUT_DEPENDENCE");
	assert_string_equal(nx_edge_name(4), "FLOW_DEPENDENCE");
	assert_string_equal(nx_edge_name(0), "INVALID");
	assert_string_equal(nx_edge_name(5), "INVALID");
	assert_string_equal(nx_edge_name(UINT_MAX), "INVALID");
}

static void instruction_types_have_names(void **state)
{
	(void)state;
	assert_string_equal(nx_instruction_type_name(0), "");
	assert_string_equal(nx_instruction_type_name(1), "REGULAR");
	assert_string_equal(nx_instruction_type_name(2), "SPILL");
	assert_string_equal(nx_instruction_type_name(3), "TRANSPOSE");
	assert_string_equal(nx_instruction_type_name(4), "");
	assert_string_equal(nx_instruction_type_name(UINT_MAX), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_have_names),
		cmocka_unit_test(instruction_types_have_names),
	};

	return cmocka_run_group_tests_name("model/binary", tests, NULL, NULL);
}
