/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/timing/cost_rows.h"

static const enum nx_device_arch arches[] = {NX_DEVICE_TRN1, NX_DEVICE_INF2, NX_DEVICE_TRN2,
					     NX_DEVICE_TRN3};
#define ARCH_COUNT (sizeof(arches) / sizeof(arches[0]))

static void expect_source(const struct nx_source *source)
{
	assert_in_range(source->evidence, NX_MEASURED, NX_ASSUMED);
	assert_non_null(source->text);
	assert_true(source->text[0] != '\0');
}

static void test_each_group_has_a_source(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARCH_COUNT; i++) {
		const struct nx_hardware_timing *h = nx_device_hardware_of(arches[i]);

		for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
			expect_source(&h->engines[e].source);
		expect_source(&h->array.source);
		expect_source(&h->records.source);
		expect_source(&h->dma.packet_source);
		expect_source(&h->dma.rate_source);
		expect_source(&h->dma.static_source);
		expect_source(&h->dma.software_source);
		expect_source(&h->dma.hardware_source);
		expect_source(&h->dma.notify_source);
		expect_source(&h->throttle.source);
		expect_source(&h->frame.source);
	}
}

static void test_each_row_has_a_source(void **state)
{
	(void)state;
	for (size_t i = 0; i < nx_compute_row_count; i++)
		expect_source(&nx_compute_rows[i].source);
	for (size_t i = 0; i < nx_array_row_count; i++)
		expect_source(&nx_array_rows[i].source);
	for (size_t i = 0; i < nx_control_row_count; i++)
		expect_source(&nx_control_rows[i].source);
	for (size_t i = 0; i < nx_element_row_count; i++)
		expect_source(&nx_element_rows[i].source);
	for (size_t i = 0; i < nx_lanes_row_count; i++)
		expect_source(&nx_lanes_rows[i].source);
}

static bool is_shadowed(const struct nx_compute_row *later, const struct nx_compute_row *earlier)
{
	return (earlier->opcode == 0 || earlier->opcode == later->opcode) &&
	       (later->engines & ~earlier->engines) == 0 &&
	       (later->generations & ~earlier->generations) == 0 &&
	       (later->has & earlier->has) == earlier->has &&
	       (later->lacks & earlier->lacks) == earlier->lacks;
}

/* The first row that fits counts, so one behind a row that fits all it fits is never used. */
static void test_no_row_is_hidden_by_one_before_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < nx_compute_row_count; i++)
		for (size_t k = 0; k < i; k++)
			if (is_shadowed(&nx_compute_rows[i], &nx_compute_rows[k]))
				fail_msg("row %zu (0x%02x) hides behind row %zu", i,
					 nx_compute_rows[i].opcode, k);
}

/* Lists are walked without a bound: their last rows must fit whatever is left. */
static void test_last_rows_fit_everything(void **state)
{
	const struct nx_compute_row *compute = &nx_compute_rows[nx_compute_row_count - 1];
	const struct nx_array_row *array = &nx_array_rows[nx_array_row_count - 1];
	const struct nx_control_row *control = &nx_control_rows[nx_control_row_count - 1];

	(void)state;
	assert_int_equal(compute->opcode | compute->has | compute->lacks, 0);
	assert_int_equal(compute->engines, (1u << NX_ENGINE_COUNT) - 1);
	assert_int_equal(compute->generations, NX_ON_ANY);
	assert_int_equal(array->opcode | array->has | array->lacks, 0);
	assert_int_equal(array->generations, NX_ON_ANY);
	assert_int_equal(control->opcode | control->has, 0);
	assert_int_equal(control->generations, NX_ON_ANY);
}

static void expect_sane(const struct nx_hardware_timing *h)
{
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++) {
		const struct nx_engine_timing *t = &h->engines[e];

		assert_true(t->queue_depth > 0);
		/* a semaphore that changes before its record ends still wakes nobody before it */
		assert_true(t->update_ps + (int64_t)t->wake_ps > 0);
		assert_true(t->first_instruction_ps >= h->frame.start_ps);
	}
	assert_int_equal(h->engines[NX_ENGINE_SYNC].first_instruction_ps, h->frame.start_ps);
	assert_true(h->dma.bytes_per_ns > h->dma.load_bytes_per_ns);
	assert_true(h->dma.bytes_per_ns > h->dma.store_bytes_per_ns);
	assert_true(h->dma.packet_ps > h->dma.packet_step_ps);
}

static void test_generations(void **state)
{
	static const char *const names[] = {"trn1", "inf2", "trn2", "trn3"};

	(void)state;
	for (size_t i = 0; i < ARCH_COUNT; i++) {
		const struct nx_hardware_timing *h = nx_device_hardware_of(arches[i]);

		assert_string_equal(h->name, names[i]);
		assert_int_equal(h->arch, arches[i]);
		expect_sane(h);
	}
	assert_ptr_equal(nx_device_hardware_of(NX_DEVICE_ANY),
			 nx_device_hardware_of(NX_DEVICE_TRN2));
	assert_ptr_equal(nx_device_hardware_of((enum nx_device_arch)99),
			 nx_device_hardware_of(NX_DEVICE_TRN2));
}

static void test_nothing_of_trn3_is_known(void **state)
{
	const struct nx_hardware_timing *trn2 = nx_device_hardware_of(NX_DEVICE_TRN2);
	const struct nx_hardware_timing *trn3 = nx_device_hardware_of(NX_DEVICE_TRN3);

	(void)state;
	for (unsigned e = 0; e < NX_ENGINE_COUNT; e++)
		assert_int_equal(trn3->engines[e].source.evidence, NX_ASSUMED);
	assert_int_equal(trn3->array.source.evidence, NX_ASSUMED);
	assert_int_equal(trn3->frame.source.evidence, NX_ASSUMED);
	assert_int_equal(trn3->dma.rate_source.evidence, NX_ASSUMED);
	assert_int_equal(trn2->dma.rate_source.evidence, NX_MEASURED);
}

static void test_nanoseconds_become_picoseconds(void **state)
{
	(void)state;
	assert_int_equal(NX_NS(1283.3), 1283300);
	assert_int_equal(NX_NS(-33.6), -33600);
	assert_int_equal(NX_NS(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_group_has_a_source),
		cmocka_unit_test(test_each_row_has_a_source),
		cmocka_unit_test(test_no_row_is_hidden_by_one_before_it),
		cmocka_unit_test(test_last_rows_fit_everything),
		cmocka_unit_test(test_generations),
		cmocka_unit_test(test_nothing_of_trn3_is_known),
		cmocka_unit_test(test_nanoseconds_become_picoseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
