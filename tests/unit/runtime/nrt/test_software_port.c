/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nrt/nrt_experimental.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bare/bits.h"
#include "base/file.h"
#include "tests/data/synthetic.h"
#include "tests/unit/runtime/nrt/nrt_fixture.h"

#define KERNEL NX_TEST_DATA "/neuron-device/fused_bf16_s512/fused.neff"
#define ELEMENTS (512 * 128)
#define BF16_ONE 0x3f80

static void init_software(void)
{
	nx_fixture_init();
	setenv("NEURON_EXPLORER_DEVICE", "software", 1);
}

static void fill(nrt_tensor_t *tensor, uint16_t value)
{
	static uint8_t bytes[2 * ELEMENTS];

	for (size_t i = 0; i < ELEMENTS; i++)
		nx_store16(bytes + 2 * i, value);
	assert_int_equal(nrt_tensor_write(tensor, bytes, 0, sizeof(bytes)), NRT_SUCCESS);
}

static nrt_tensor_t *add(nrt_tensor_set_t *set, const char *name, uint16_t value)
{
	nrt_tensor_t *tensor;

	assert_int_equal(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, 2 * ELEMENTS, name,
					     &tensor),
			 NRT_SUCCESS);
	fill(tensor, value);
	assert_int_equal(nrt_add_tensor_to_tensor_set(set, name, tensor), NRT_SUCCESS);
	return tensor;
}

/* Queries of zero attend to everything alike: the result is the mean of the values, which are 1. */
static void a_real_kernel_computes(void **state)
{
	static uint8_t result[2 * ELEMENTS];
	nrt_tensor_set_t *inputs, *outputs;
	nrt_tensor_t *output;
	nrt_model_t *model;
	struct nx_file file;

	(void)state;
	if (access(KERNEL, R_OK) != 0) {
		print_message("no real NEFF beside the repository: not run\n");
		return;
	}
	assert_int_equal(nx_file_map(&file, KERNEL, NULL), NX_OK);
	init_software();
	assert_int_equal(nrt_load(file.bytes.data, file.bytes.len, 0, -1, &model), NRT_SUCCESS);
	assert_int_equal(nrt_allocate_tensor_set(&inputs), NRT_SUCCESS);
	assert_int_equal(nrt_allocate_tensor_set(&outputs), NRT_SUCCESS);
	add(inputs, "q_ref", 0);
	add(inputs, "k_ref", BF16_ONE);
	add(inputs, "v_ref", BF16_ONE);
	output = add(outputs, "kernel_out", 0x4242);
	for (int i = 0; i < 2; i++) {
		fill(output, 0x4242);
		assert_int_equal(nrt_execute(model, inputs, outputs), NRT_SUCCESS);
		assert_int_equal(nrt_tensor_read(output, result, 0, sizeof(result)), NRT_SUCCESS);
		for (size_t e = 0; e < ELEMENTS; e++)
			assert_int_equal(nx_load16(result + 2 * e), BF16_ONE);
	}
	nrt_close();
	nx_file_unmap(&file);
}

/* The NEFF of the demo looks real but is no program: its engines wait for each other. */
static void a_program_that_hangs_is_an_error(void **state)
{
	struct nx_bytes neff = {0}, ntff = {0};
	struct nx_fixture_run run;
	nrt_model_t *model;

	(void)state;
	nx_synthetic_capture(&nx_synthetic_demo, &neff, &ntff, NULL);
	init_software();
	run = nx_fixture_load(0);
	assert_int_equal(nrt_load(neff.items, neff.len, 0, -1, &model), NRT_SUCCESS);
	for (int i = 0; i < 2; i++)
		assert_int_equal(nrt_execute(model, run.inputs, run.outputs), NRT_TIMEOUT);
	nrt_close();
	nx_vec_release(&neff);
	nx_vec_release(&ntff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_kernel_computes),
		cmocka_unit_test(a_program_that_hangs_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
