/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyse/event_roles.h"

enum { WEIGHTS, IO };

static struct nx_hbm_sample sample(uint32_t process, int32_t nc_idx, uint32_t hbm_idx,
				   uint64_t total_bytes, uint64_t category_bytes)
{
	return (struct nx_hbm_sample){.process = process,
				      .nc_idx = nc_idx,
				      .hbm_idx = hbm_idx,
				      .total_bytes = total_bytes,
				      .category_bytes = category_bytes};
}

static const struct nx_hbm_place *add(struct nx_hbm_places *p, struct nx_hbm_sample s,
				      unsigned purpose)
{
	s.category = purpose;
	return nx_hbm_places_add(p, 0, &s, purpose);
}

static void assert_place(const struct nx_hbm_place *place, uint64_t total_bytes,
			 uint64_t weights_bytes, uint64_t io_bytes)
{
	assert_int_equal(place->total_bytes, total_bytes);
	assert_int_equal(place->bytes[WEIGHTS], weights_bytes);
	assert_int_equal(place->bytes[IO], io_bytes);
}

static void purposes_of_a_memory_stand_side_by_side(void **state)
{
	struct nx_hbm_places p = {0};

	(void)state;
	assert_place(add(&p, sample(0, 0, 2, 100, 100), WEIGHTS), 100, 100, 0);
	assert_place(add(&p, sample(0, 0, 2, 108, 8), IO), 108, 100, 8);
	assert_place(add(&p, sample(0, 0, 2, 68, 60), WEIGHTS), 68, 60, 8);
	nx_hbm_places_release(&p);
}

/* Cores 0 and 1 of one process, and core 0 of another, all in one memory. */
static void cores_and_processes_share_a_memory(void **state)
{
	struct nx_hbm_places p = {0};

	(void)state;
	add(&p, sample(0, 0, 2, 100, 100), WEIGHTS);
	assert_place(add(&p, sample(0, 1, 2, 10, 10), WEIGHTS), 110, 110, 0);
	assert_place(add(&p, sample(1, 0, 2, 1, 1), WEIGHTS), 111, 111, 0);
	assert_place(add(&p, sample(0, 0, 2, 0, 0), WEIGHTS), 11, 11, 0);
	nx_hbm_places_release(&p);
}

/* The core's sums are over both memories; each change is of the one it names. */
static void a_core_may_use_two_memories(void **state)
{
	struct nx_hbm_places p = {0};

	(void)state;
	assert_place(add(&p, sample(0, 0, 2, 100, 100), WEIGHTS), 100, 100, 0);
	assert_place(add(&p, sample(0, 0, 3, 130, 130), WEIGHTS), 30, 30, 0);
	assert_place(add(&p, sample(0, 0, 2, 90, 90), WEIGHTS), 60, 60, 0);
	nx_hbm_places_release(&p);
}

static void instances_and_devices_are_apart(void **state)
{
	struct nx_hbm_places p = {0};
	struct nx_hbm_sample s = sample(0, 0, 2, 100, 100);

	(void)state;
	assert_place(nx_hbm_places_add(&p, 0, &s, WEIGHTS), 100, 100, 0);
	s.process = 1;
	assert_place(nx_hbm_places_add(&p, 1, &s, WEIGHTS), 100, 100, 0);
	s.device_idx = 1;
	s.nc_idx = 5;
	assert_place(nx_hbm_places_add(&p, 1, &s, WEIGHTS), 100, 100, 0);
	nx_hbm_places_release(&p);
}

static void what_was_taken_before_is_in_the_total_alone(void **state)
{
	struct nx_hbm_places p = {0};

	(void)state;
	assert_place(add(&p, sample(0, 0, 2, 1000, 4), IO), 1000, 0, 4);
	assert_place(add(&p, sample(0, 0, 2, 1010, 900), WEIGHTS), 1010, 900, 4);
	nx_hbm_places_release(&p);
}

static void more_comes_out_than_went_in(void **state)
{
	struct nx_hbm_places p = {0};

	(void)state;
	add(&p, sample(0, 0, 2, 100, 100), WEIGHTS);
	assert_place(add(&p, sample(0, 0, 3, 20, 20), WEIGHTS), 0, 0, 0);
	nx_hbm_places_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(purposes_of_a_memory_stand_side_by_side),
		cmocka_unit_test(cores_and_processes_share_a_memory),
		cmocka_unit_test(a_core_may_use_two_memories),
		cmocka_unit_test(instances_and_devices_are_apart),
		cmocka_unit_test(what_was_taken_before_is_in_the_total_alone),
		cmocka_unit_test(more_comes_out_than_went_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
