/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "format/instruction.h"

static void test_opcode_names(void **state)
{
	char buf[8];

	(void)state;
	assert_string_equal(nx_opcode_name(0x01), "LDWEIGHTS");
	assert_string_equal(nx_opcode_name(0x23), "ACT_TABLE_LOAD");
	assert_string_equal(nx_opcode_name(0x41), "TENSOR_TENSOR");
	assert_string_equal(nx_opcode_name(0x42), "TENSOR_REDUCE");
	assert_string_equal(nx_opcode_name(0x8c), "TENSOR_REDUCE_BF16");
	assert_string_equal(nx_opcode_name(0x43), "TENSOR_SCALAR");
	assert_string_equal(nx_opcode_name(0xb8), "DMA_DIRECT2D");
	assert_string_equal(nx_opcode_name(0xff), "INVALID");
	assert_null(nx_opcode_name(0x00));
	assert_null(nx_opcode_name(0x75));
	assert_string_equal(nx_opcode_label(0x02, buf), "MATMUL");
	assert_string_equal(nx_opcode_label(0x00, buf), "OP_00");
	assert_string_equal(nx_opcode_label(0xfe, buf), "OP_FE");
}

/* The table of the format document has 162 rows; a name is never used twice. */
static void test_opcode_table(void **state)
{
	unsigned count = 0;

	(void)state;
	for (unsigned a = 0; a < 256; a++) {
		const char *name = nx_opcode_name((uint8_t)a);

		count += name != NULL;
		for (unsigned b = a + 1; name && b < 256; b++)
			if (nx_opcode_name((uint8_t)b))
				assert_string_not_equal(name, nx_opcode_name((uint8_t)b));
	}
	assert_int_equal(count, 163);
}

static void test_dtypes(void **state)
{
	static const struct {
		const char *name;
		unsigned bytes;
	} expected[] = {{NULL, 0},    {"uint64", 8}, {"int8", 1},     {"uint8", 1},
			{"int16", 2}, {"uint16", 2}, {"bfloat16", 2}, {"fp16", 2},
			{"int32", 4}, {"uint32", 4}, {"fp32", 4},     {"fp32r", 4},
			{"int64", 8}, {"fp8e3", 1},  {"fp8e4", 1},    {"fp8e5", 1}};

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		assert_int_equal(nx_dtype_bytes(i), expected[i].bytes);
		if (expected[i].name)
			assert_string_equal(nx_dtype_name(i), expected[i].name);
		else
			assert_null(nx_dtype_name(i));
	}
	assert_null(nx_dtype_name(16));
	assert_null(nx_dtype_name(UINT32_MAX));
	assert_int_equal(nx_dtype_bytes(255), 0);
}

static void test_activation_names(void **state)
{
	char buf[4];

	(void)state;
	assert_string_equal(nx_activation_name(7, buf), "EXP");
	assert_string_equal(nx_activation_name(128, buf), "COPY");
	assert_string_equal(nx_activation_name(1, buf), "IDENTITY");
	assert_string_equal(nx_activation_name(0, buf), "0");
	assert_string_equal(nx_activation_name(255, buf), "255");
}

static void expect_queue(const char *name, const char *expected)
{
	char out[64];
	size_t len = nx_queue_display_name(name, strlen(name), out, sizeof(out));

	assert_string_equal(out, expected);
	assert_int_equal(len, strlen(expected));
}

static void test_queue_owners(void **state)
{
	(void)state;
	expect_queue("qPoolDynamic", "qGpSimdDynamic");
	expect_queue("qPooDynamic", "qGpSimdDynamic");
	expect_queue("qPooSpillReload0", "qGpSimdSpillReload0");
	expect_queue("qSPIO0", "qSyncIO0");
	expect_queue("qSP0DynamicHW", "qSync0DynamicHW");
	expect_queue("qActDynamicHW", "qScalarDynamicHW");
	expect_queue("qActTable", "qScalarTable");
	expect_queue("qDVESpillReload0", "qVectorSpillReload0");
	expect_queue("qDveSpillReload0", "qVectorSpillReload0");
	expect_queue("qPEIO0", "qTensorIO0");
	expect_queue("qPeIO0", "qTensorIO0");
	expect_queue("qDveTable", "qDveTable");
	expect_queue("qDveTable0", "qVectorTable0");
}

static void test_queue_without_owner(void **state)
{
	(void)state;
	expect_queue("", "");
	expect_queue("q", "q");
	expect_queue("q_grad", "q_grad");
	expect_queue("qP", "qP");
	expect_queue("xqPool", "xqPool");
}

static void test_queue_name_is_cut(void **state)
{
	char out[8] = "#######";

	(void)state;
	assert_int_equal(nx_queue_display_name("qPoolDynamic", 12, out, 0), 0);
	assert_int_equal(out[0], '#');
	assert_int_equal(nx_queue_display_name("qPoolDynamic", 12, out, 1), 0);
	assert_string_equal(out, "");
	assert_int_equal(nx_queue_display_name("qPoolDynamic", 12, out, 5), 4);
	assert_string_equal(out, "qGpS");
	assert_int_equal(nx_queue_display_name("qSPDynamic", 10, out, 8), 7);
	assert_string_equal(out, "qSyncDy");
	assert_int_equal(nx_queue_display_name(NULL, 0, out, 8), 0);
}

static void test_setup_opcodes(void **state)
{
	static const char *const names[] = {
		"NOP",
		"SET_ORDERING_MODE",
		"EVENT_SEMAPHORE",
		"EVENT_SEMAPHORE_RANGE_CLEAR",
		"NOTIFY",
		"COMPARE_BRANCH",
		"DRAIN",
		"WRITE",
		"TENSOR_LOAD",
		"MODIFY_POOL_CONFIG",
	};
	unsigned count = 0;

	(void)state;
	for (unsigned op = 0; op < 256; op++) {
		bool is_listed = false;

		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			is_listed |= nx_opcode_name((uint8_t)op) &&
				     !strcmp(nx_opcode_name((uint8_t)op), names[i]);
		assert_int_equal(nx_opcode_is_setup((uint8_t)op), is_listed);
		count += is_listed;
	}
	assert_int_equal(count, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opcode_names),
		cmocka_unit_test(test_opcode_table),
		cmocka_unit_test(test_setup_opcodes),
		cmocka_unit_test(test_dtypes),
		cmocka_unit_test(test_activation_names),
		cmocka_unit_test(test_queue_owners),
		cmocka_unit_test(test_queue_without_owner),
		cmocka_unit_test(test_queue_name_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
