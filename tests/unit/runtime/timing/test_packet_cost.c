/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bare/bits.h"
#include "runtime/timing/hardware_table.h"

enum direction { LOAD, STORE, IN_HBM, ON_CHIP };

static struct nx_loaded_packet packet(enum direction direction, uint32_t elements,
				      uint32_t run_bytes)
{
	return (struct nx_loaded_packet){
		.bytes = elements * run_bytes,
		.elements = elements,
		.run_bytes = run_bytes,
		.is_from_hbm = direction == LOAD || direction == IN_HBM,
		.is_to_hbm = direction == STORE || direction == IN_HBM,
	};
}

static uint64_t cost(enum nx_device_arch arch, struct nx_loaded_packet p, bool is_burst)
{
	return nx_hardware_packet_ps(nx_device_hardware_of(arch), &p, is_burst);
}

/* 8.2 ns and 32 bytes in a cycle of 850 MHz, on every generation. */
static void test_alone_at_full_rate(void **state)
{
	(void)state;
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 1, 2720), false), 108200);
	assert_int_equal(cost(NX_DEVICE_TRN1, packet(STORE, 1, 2720), false), 108200);
	assert_int_equal(cost(NX_DEVICE_INF2, packet(ON_CHIP, 1, 2720), false), 108200);
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 8, 2720), false), 808200);
}

/* Memory's rate is that of whole packets, so the fixed part does not come on top of it. */
static void test_memory_stalls_in_a_burst(void **state)
{
	(void)state;
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 1, 2100), true), 100000);
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(STORE, 1, 5000), true), 200000);
	assert_int_equal(cost(NX_DEVICE_TRN1, packet(LOAD, 1, 1840), true), 100000);
	assert_int_equal(cost(NX_DEVICE_TRN1, packet(STORE, 1, 1700), true), 100000);
	assert_int_equal(cost(NX_DEVICE_INF2, packet(STORE, 1, 1600), true), 100000);
}

/* Short packets are bound by the engine also where memory is busy: 8.2 + 272 / 27.2. */
static void test_engine_bounds_short_packets(void **state)
{
	(void)state;
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 1, 272), true), 18200);
	assert_int_equal(cost(NX_DEVICE_TRN1, packet(STORE, 1, 272), true), 18200);
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(STORE, 1, 2448), true), 98200);
}

static void test_short_runs_cost_by_number(void **state)
{
	(void)state;
	/* 64 * (2.35 + 136 / 27.2) */
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(STORE, 64, 136), false), 478600);
	/* 64 * (7 + 100 / 20) */
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 64, 100), false), 776200);
	/* 64 * (9.3 + 18 / 20): 10.2 for each */
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 64, 18), false), 661000);
	/* a cycle for each, in place of 7 ns */
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 4, 4), false), 13000);
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(IN_HBM, 16, 2), false), 1768200);
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(IN_HBM, 16, 4), false), 1592200);
	/* one run is no gather: 272 / 27.2 */
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 1, 272), false), 18200);
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 2, 272), false), 49400);
	/* in a burst the slower of both counts: 64 * 500 / 21, not 64 * (7 + 500 / 20) */
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 64, 500), true), 2056200);
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 64, 1024), true), 3120762);
	/* Rows of 512 bytes: 8 * (8.1 + 512 / 27.2) and 8 * (5.6 + 512 / 27.2). */
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(LOAD, 8, 512), true), 223588);
	assert_int_equal(cost(NX_DEVICE_TRN2, packet(STORE, 8, 512), true), 203588);
}

static void test_semaphore_packets(void **state)
{
	struct nx_loaded_packet p = {
		.bytes = 4, .elements = 1, .run_bytes = 4, .is_semaphore = true};

	(void)state;
	assert_int_equal(cost(NX_DEVICE_TRN2, p, false), 8347);
	assert_int_equal(cost(NX_DEVICE_TRN2, p, true), 8347);
	p.is_from_hbm = p.is_to_hbm = true;
	assert_int_equal(cost(NX_DEVICE_TRN2, p, true), 8347);
}

static void test_empty_and_enormous_packets(void **state)
{
	struct nx_loaded_packet p = {0};

	(void)state;
	assert_int_equal(cost(NX_DEVICE_TRN2, p, false), 8200);
	for (unsigned direction = 0; direction < 4; direction++) {
		p = packet((enum direction)direction, UINT32_MAX, 1);
		assert_true(cost(NX_DEVICE_TRN2, p, true) < UINT64_C(1000000000000));
		p = packet((enum direction)direction, 1, UINT32_MAX);
		assert_true(cost(NX_DEVICE_TRN1, p, true) < UINT64_C(1000000000000));
	}
}

static uint64_t settle(enum nx_device_arch arch, struct nx_loaded_packet p)
{
	return nx_hardware_settle_ps(nx_device_hardware_of(arch), &p);
}

/* Each of 8 numbers is an access of its own to HBM, as in a gather there. */
static void test_short_stores_settle_late(void **state)
{
	struct nx_loaded_packet semaphore = {
		.bytes = 4, .elements = 1, .run_bytes = 4, .is_to_hbm = true, .is_semaphore = true};

	(void)state;
	assert_int_equal(settle(NX_DEVICE_TRN2, packet(STORE, 8, 2)), 880000);
	assert_int_equal(settle(NX_DEVICE_TRN2, packet(STORE, 8, 3)), 0);
	assert_int_equal(settle(NX_DEVICE_TRN2, packet(LOAD, 8, 2)), 0);
	/* there the engine itself waits */
	assert_int_equal(settle(NX_DEVICE_TRN2, packet(IN_HBM, 8, 2)), 0);
	assert_int_equal(settle(NX_DEVICE_TRN2, semaphore), 0);
	/* not seen there */
	assert_int_equal(settle(NX_DEVICE_TRN1, packet(STORE, 8, 2)), 0);
	assert_true(settle(NX_DEVICE_TRN2, packet(STORE, UINT32_MAX, 1)) < UINT64_C(1000000000000));
}

static int64_t software_more_ps(enum nx_device_arch arch, uint16_t outer, uint16_t inner)
{
	uint8_t word[64] = {0};

	nx_store16(word + 56, outer);
	nx_store16(word + 58, inner);
	return nx_hardware_software_more_ps(nx_device_hardware_of(arch), word);
}

/* A wait of 850 ns for 128 elements, 1,183 for 4 x 128 and 1,348 for 8 x 128. */
static void test_software_transfers_cost_by_element(void **state)
{
	(void)state;
	assert_int_equal(software_more_ps(NX_DEVICE_TRN2, 1, 128), 0);
	assert_int_equal(software_more_ps(NX_DEVICE_TRN2, 128, 1), 0);
	assert_int_equal(software_more_ps(NX_DEVICE_TRN2, 128, 4), 332648);
	assert_int_equal(software_more_ps(NX_DEVICE_TRN2, 128, 8), 497512);
	assert_int_equal(software_more_ps(NX_DEVICE_TRN2, 1, 1), -127 * 322);
	/* not known there */
	assert_int_equal(software_more_ps(NX_DEVICE_INF2, 128, 8), 0);
}

/* Whatever a word says, a step forward stays one. */
static void test_software_transfers_that_lie(void **state)
{
	const struct nx_dma_timing *dma = &nx_device_hardware_of(NX_DEVICE_TRN2)->dma;

	(void)state;
	assert_true(software_more_ps(NX_DEVICE_TRN2, 0, 0) + dma->software_step_ps > 0);
	assert_true(software_more_ps(NX_DEVICE_TRN2, UINT16_MAX, UINT16_MAX) <
		    INT64_C(1000000000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone_at_full_rate),
		cmocka_unit_test(test_memory_stalls_in_a_burst),
		cmocka_unit_test(test_engine_bounds_short_packets),
		cmocka_unit_test(test_short_runs_cost_by_number),
		cmocka_unit_test(test_short_stores_settle_late),
		cmocka_unit_test(test_software_transfers_cost_by_element),
		cmocka_unit_test(test_software_transfers_that_lie),
		cmocka_unit_test(test_semaphore_packets),
		cmocka_unit_test(test_empty_and_enormous_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
