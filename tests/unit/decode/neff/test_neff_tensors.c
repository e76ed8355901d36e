/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/decode/neff/neff_fixture.h"

static void check_tensor(const struct nx_neff_fixture *f, size_t i, const char *name,
			 enum nx_tensor_kind kind, const char *format, const char *shape,
			 const char *dtype)
{
	const struct nx_tensor *t = &f->binary.tensors[i];

	assert_true(i < f->binary.tensor_count);
	assert_string_equal(t->name, name);
	assert_int_equal(t->kind, kind);
	assert_string_equal(t->format, format);
	assert_string_equal(t->shape, shape);
	assert_string_equal(t->dtype, dtype);
}

/* Inputs, outputs, weights of each graph, sorted by name, each once over all graphs. */
static void test_order_and_description(void **state)
{
	struct nx_neff_fixture *f = *state;

	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	assert_int_equal(f->binary.tensor_count, 5);
	check_tensor(f, 0, "in_a", NX_TENSOR_INPUT, "NC", "[1 8]", "float32");
	check_tensor(f, 1, "in_b", NX_TENSOR_INPUT, "NHC", "[128 2 512]", "bfloat16");
	check_tensor(f, 2, "out", NX_TENSOR_OUTPUT, "N", "[1024]", "float32");
	check_tensor(f, 3, "eye", NX_TENSOR_WEIGHT, "CRSM", "[2 3]", "float16");
	check_tensor(f, 4, "extra", NX_TENSOR_OUTPUT, "", "[]", "");
	assert_int_equal(f->binary.tensors[1].size_bytes, 262144);
	assert_int_equal(f->binary.tensors[0].graph, 0);
	assert_int_equal(f->binary.tensors[4].graph, 1);
	assert_int_equal(f->binary.missing_count, 0);
}

static void test_weight_without_its_file(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_drop(f, "sg00/value_eye_CRSM.npy");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	check_tensor(f, 3, "eye", NX_TENSOR_WEIGHT, "CRSM", "[9]", "float16");
	assert_non_null(nx_neff_fixture_missing(f, "sg00/value_eye_CRSM.npy"));
}

static void test_weight_that_is_no_npy(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_add_text(f, "sg00/value_eye_CRSM.npy", "junk");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	check_tensor(f, 3, "eye", NX_TENSOR_WEIGHT, "CRSM", "[9]", "float16");
	assert_non_null(
		strstr(nx_neff_fixture_missing(f, "sg00/value_eye_CRSM.npy"), "not a .npy"));
}

static void test_without_tensor_map(void **state)
{
	struct nx_neff_fixture *f = *state;

	nx_neff_fixture_drop(f, "sg00/tensor_map.json");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	check_tensor(f, 0, "in_a", NX_TENSOR_INPUT, "", "[]", "");
	check_tensor(f, 3, "eye", NX_TENSOR_WEIGHT, "CRSM", "[2 3]", "");
	assert_non_null(nx_neff_fixture_missing(f, "sg00/tensor_map.json"));
	nx_neff_fixture_add_text(f, "sg00/tensor_map.json", "[{\"in_a\":1}, 5]");
	assert_int_equal(nx_neff_fixture_decode(f), NX_OK);
	check_tensor(f, 0, "in_a", NX_TENSOR_INPUT, "", "[]", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_and_description, nx_neff_fixture_setup,
						nx_neff_fixture_teardown),
		cmocka_unit_test_setup_teardown(test_weight_without_its_file, nx_neff_fixture_setup,
						nx_neff_fixture_teardown),
		cmocka_unit_test_setup_teardown(test_weight_that_is_no_npy, nx_neff_fixture_setup,
						nx_neff_fixture_teardown),
		cmocka_unit_test_setup_teardown(test_without_tensor_map, nx_neff_fixture_setup,
						nx_neff_fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
