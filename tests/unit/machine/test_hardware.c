/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>

#include "machine/hardware.h"

static void known_generations_have_their_numbers(void **state)
{
	const struct nx_hardware *v2 = nx_hardware_of(NX_ARCH_V2);
	const struct nx_hardware *v3 = nx_hardware_of(NX_ARCH_V3);

	(void)state;
	assert_non_null(v2);
	assert_non_null(v3);
	assert_int_equal(v2->hbm_bytes_per_s, INT64_C(410000000000));
	assert_int_equal(v3->hbm_bytes_per_s, INT64_C(716000000000));
	assert_int_equal(v2->sbuf_partition_bytes, 192 * 1024);
	assert_int_equal(v3->sbuf_partition_bytes, 224 * 1024);
	assert_int_equal(v2->hbm_bytes, INT64_C(16) << 30);
	assert_int_equal(v3->hbm_bytes, INT64_C(24) << 30);
	assert_true(v2->vector_clock_ghz == 1.12 && v3->vector_clock_ghz == 0.96);
	assert_true(v2->tensor_clock_ghz == 2.8 && v2->engine_clock_ghz == 1.4);
	assert_true(v3->tensor_clock_ghz == 2.4 && v3->engine_clock_ghz == 1.2);
}

static void engines_have_short_labels(void **state)
{
	(void)state;
	assert_string_equal(nx_engine_label(NX_ENGINE_TENSOR), "PE");
	assert_string_equal(nx_engine_label(NX_ENGINE_GPSIMD), "Pool");
	assert_string_equal(nx_engine_label(NX_ENGINE_SYNC), "SP");
}

static void generations_without_published_numbers_are_null(void **state)
{
	(void)state;
	assert_null(nx_hardware_of(NX_ARCH_V1));
	assert_null(nx_hardware_of(NX_ARCH_V4));
	assert_null(nx_hardware_of(100));
	assert_null(nx_hardware_of(UINT_MAX));
}

static void an_address_on_chip_differs_by_generation(void **state)
{
	(void)state;
	assert_true(nx_address_is_on_chip(UINT64_C(0xfffc0000000), NX_ARCH_V2));
	assert_true(nx_address_is_on_chip(UINT64_C(0xfffc1ffffff), NX_ARCH_V2));
	assert_false(nx_address_is_on_chip(UINT64_C(0xfffc2000000), NX_ARCH_V2));
	assert_false(nx_address_is_on_chip(UINT64_C(0xfffbfffffff), NX_ARCH_V2));
	assert_true(nx_address_is_on_chip(NX_ON_CHIP_ADDRESS, NX_ARCH_V3));
	assert_true(nx_address_is_on_chip(NX_ON_CHIP_ADDRESS + 0xfffffff, NX_ARCH_V4));
	assert_false(nx_address_is_on_chip(NX_ON_CHIP_ADDRESS, NX_ARCH_V2));
	assert_false(nx_address_is_on_chip(0x1000, NX_ARCH_V3));
}

static void chips_are_found_by_every_name(void **state)
{
	(void)state;
	assert_int_equal(nx_chip_find(nx_slice_text("inf2"))->device, NX_DEVICE_INF2);
	assert_int_equal(nx_chip_find(nx_slice_text("cayman"))->device, NX_DEVICE_TRN2);
	assert_int_equal(nx_chip_find(nx_slice_text("v4"))->device, NX_DEVICE_TRN3);
	/* a target that two products share means the first */
	assert_string_equal(nx_chip_find(nx_slice_text("sunda"))->name, "trn1");
	assert_null(nx_chip_find(nx_slice_text("trn")));
	assert_null(nx_chip_find(nx_slice_text("")));
	assert_null(nx_chip_of(NX_DEVICE_ANY));
	assert_string_equal(nx_chip_of(NX_DEVICE_TRN3)->target, "mariana");
}

static void devices_and_targets_have_a_generation(void **state)
{
	(void)state;
	assert_int_equal(nx_device_generation(NX_DEVICE_TRN1), NX_ARCH_V2);
	assert_int_equal(nx_device_generation(NX_DEVICE_INF2), NX_ARCH_V2);
	assert_int_equal(nx_device_generation(NX_DEVICE_ANY), NX_ARCH_V3);
	assert_int_equal(nx_target_generation("sunda"), NX_ARCH_V2);
	assert_int_equal(nx_target_generation("mariana"), NX_ARCH_V4);
	assert_int_equal(nx_target_generation("*"), NX_ARCH_V3);
	assert_int_equal(nx_target_generation(""), NX_ARCH_V2);
	assert_int_equal(nx_device_sbuf_partition_bytes(NX_DEVICE_INF2), 192 * 1024);
	assert_int_equal(nx_device_sbuf_partition_bytes(NX_DEVICE_TRN3), 256 * 1024);
	assert_int_equal(nx_device_sbuf_partition_bytes(NX_DEVICE_ANY), 256 * 1024);
}

/* The numbers are those of capture files: POOL before DVE. */
static void engines_are_numbered_as_in_captures(void **state)
{
	static const char *const keys[] = {"pe", "act", "pool", "dve", "sp"};
	static const char *const labels[] = {"Tensor", "Scalar", "GpSimd", "Vector", "Sync"};
	static const char *const words[] = {"tensor", "scalar", "gpsimd", "vector", "sync"};
	static const char *const stems[] = {"PE", "Activation", "Pool", "DVE", "SP"};

	(void)state;
	assert_int_equal(NX_ENGINE_COUNT, 5);
	for (unsigned i = 0; i < NX_ENGINE_COUNT; i++) {
		assert_string_equal(nx_engines[i].neff_key, keys[i]);
		assert_string_equal(nx_engines[i].label, labels[i]);
		assert_string_equal(nx_engines[i].word, words[i]);
		assert_string_equal(nx_engines[i].stem, stems[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(engines_are_numbered_as_in_captures),
		cmocka_unit_test(known_generations_have_their_numbers),
		cmocka_unit_test(engines_have_short_labels),
		cmocka_unit_test(generations_without_published_numbers_are_null),
		cmocka_unit_test(an_address_on_chip_differs_by_generation),
		cmocka_unit_test(chips_are_found_by_every_name),
		cmocka_unit_test(devices_and_targets_have_a_generation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
