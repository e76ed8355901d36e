/* SPDX-License-Identifier: Apache-2.0 */
/* Records of descriptors hold engines up, and nothing else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/runtime/timing/timing_fixture.h"

#define TRANSFERS 200u
#define COPIES 60u
#define RECORDS (&TRN2->records)

static void open_transfers(struct timing_fixture *f, bool has_descriptors)
{
	timing_fixture_open(f, NX_DEVICE_TRN2, 1);
	f->options.has_descriptors = has_descriptors;
	for (unsigned i = 0; i < TRANSFERS; i++)
		timing_fixture_add_direct2d(f, NX_ENGINE_GPSIMD, 128, 64, 8);
}

static uint64_t step_ps(const struct timing_fixture *f, uint32_t from, uint32_t to)
{
	return timing_fixture_row(f, 0, NX_ENGINE_GPSIMD, to)->start_ps -
	       timing_fixture_row(f, 0, NX_ENGINE_GPSIMD, from)->start_ps;
}

/* Start and end of a transfer need a turn each, and there is one turn between two descriptors. */
static void test_transfers_wait_for_places(void **state)
{
	uint64_t alone_ps, slowest_ps = 0;
	struct timing_fixture f;

	(void)state;
	open_transfers(&f, false);
	timing_fixture_must_run(&f);
	alone_ps = step_ps(&f, 0, TRANSFERS - 1);
	timing_fixture_close(&f);
	open_transfers(&f, true);
	timing_fixture_must_run(&f);
	assert_int_equal(step_ps(&f, 0, 1), TRN2->dma.software_step_ps);
	for (uint32_t i = 1; i < TRANSFERS; i++)
		if (step_ps(&f, i - 1, i) > slowest_ps)
			slowest_ps = step_ps(&f, i - 1, i);
	assert_true(alone_ps < (TRANSFERS - 1) * (uint64_t)TRN2->dma.software_ring_step_ps + 1);
	assert_int_equal(slowest_ps, 2 * RECORDS->descriptors_ps);
	/* All but those that still wait at the end have been written one after the other. */
	assert_true(step_ps(&f, 0, TRANSFERS - 1) > (TRANSFERS - RECORDS->depth[NX_ENGINE_GPSIMD]) *
							    (uint64_t)RECORDS->descriptors_ps);
	timing_fixture_close(&f);
}

static void add_copies(struct timing_fixture *f)
{
	for (unsigned i = 0; i < COPIES; i++)
		timing_fixture_add_copy(f, 0, NX_ENGINE_VECTOR, 0, 0, 9);
}

static uint64_t changed_ps(const struct timing_fixture *f, uint32_t value)
{
	for (size_t i = 0; i < f->run.semaphores.len; i++)
		if (f->run.semaphores.items[i].semaphore == 9 &&
		    f->run.semaphores.items[i].value == value)
			return f->run.semaphores.items[i].time_ps;
	fail_msg("the semaphore never was %u", value);
	return 0;
}

/* Without descriptors, records never fill a queue, so that times are those without them. */
static void test_other_records_hold_nobody_up(void **state)
{
	uint64_t last_ps[2];
	struct timing_fixture f;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		timing_fixture_open(&f, NX_DEVICE_TRN2, 1);
		f.options.has_descriptors = i;
		add_copies(&f);
		timing_fixture_must_run(&f);
		last_ps[i] = changed_ps(&f, COPIES);
		timing_fixture_close(&f);
	}
	assert_int_equal(last_ps[0], last_ps[1]);
}

/* An engine starts as long as there is a place; its semaphores then follow the writer's turns. */
static void test_semaphores_come_late(void **state)
{
	const struct nx_timed_instruction *row;
	uint32_t places = RECORDS->depth[NX_ENGINE_VECTOR], late = COPIES;
	struct timing_fixture f;

	(void)state;
	open_transfers(&f, true);
	word_wait(timing_fixture_add(&f, 0, NX_ENGINE_VECTOR, NX_OP_NOP), 8, 16);
	add_copies(&f);
	timing_fixture_must_run(&f);
	row = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, 1);
	assert_int_equal(changed_ps(&f, 1),
			 row->end_ps + TRN2->engines[NX_ENGINE_VECTOR].update_ps);
	for (uint32_t i = COPIES; i > 1 && late == COPIES; i--) {
		row = timing_fixture_row(&f, 0, NX_ENGINE_VECTOR, i);
		if (changed_ps(&f, i) > row->end_ps + RECORDS->descriptors_ps / 2)
			late = i;
	}
	assert_true(late > places / 2);
	assert_int_equal(changed_ps(&f, COPIES) - changed_ps(&f, COPIES - 1),
			 2 * RECORDS->descriptors_ps);
	timing_fixture_close(&f);
}

/* The same records on a device where they were not measured. */
static void test_older_devices_are_not_held_up(void **state)
{
	uint64_t last_ps[2];
	struct timing_fixture f;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		timing_fixture_open(&f, NX_DEVICE_INF2, 1);
		f.options.has_descriptors = i;
		for (unsigned k = 0; k < TRANSFERS; k++)
			timing_fixture_add_direct2d(&f, NX_ENGINE_GPSIMD, 128, 64, 8);
		timing_fixture_must_run(&f);
		last_ps[i] = step_ps(&f, 0, TRANSFERS - 1);
		timing_fixture_close(&f);
	}
	assert_int_equal(last_ps[0], last_ps[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transfers_wait_for_places),
		cmocka_unit_test(test_other_records_hold_nobody_up),
		cmocka_unit_test(test_semaphores_come_late),
		cmocka_unit_test(test_older_devices_are_not_held_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
