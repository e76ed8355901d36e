/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "tests/unit/runtime/device/core_fixture.h"

static struct core_fixture f;
static uint8_t words[2][2][NX_SLOT_BYTES]; /* core or engine, slot */
static struct nx_error err;

static int open_cores(void **state)
{
	(void)state;
	core_fixture_open(&f, 2);
	memset(words, 0, sizeof(words));
	return 0;
}

static int close_cores(void **state)
{
	(void)state;
	core_fixture_close(&f);
	return 0;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_cores, close_cores)

/* Two engines of core 0: the first waits for the second. */
static void set_pair(void)
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned s = 0; s < 2; s++)
			word_clear(words[i][s], NX_OP_NOP);
	word_wait(words[0][1], 5, 1);
	word_update(words[1][1], 5);
	core_fixture_set(&f, 0, NX_ENGINE_TENSOR, words[0], 2);
	core_fixture_set(&f, 0, NX_ENGINE_VECTOR, words[1], 2);
}

static void test_runs_to_the_end(void **state)
{
	(void)state;
	set_pair();
	assert_int_equal(nx_schedule_run(&f.machine, &err), NX_OK);
	assert_int_equal(f.report.executed_count, 4);
	assert_int_equal(f.cores[0].semaphores[5], 1);
}

static void test_deadlock_says_who_waits_for_what(void **state)
{
	(void)state;
	set_pair();
	word_wait(words[0][1], 5, 3);
	word_wait(words[1][0], 6, 1);
	assert_int_equal(nx_schedule_run(&f.machine, &err), NX_FORMAT);
	assert_non_null(strstr(err.message, "core 0 PE at slot 1 of 2 (NOP) waits for S[5] >= 3, "
					    "which is 0"));
	assert_non_null(strstr(err.message, "DVE at slot 0 of 2 (NOP) waits for S[6] >= 1"));
}

/* --- barriers ------------------------------------------------------------------------ */

static void set_barriers(unsigned core, unsigned count)
{
	for (unsigned s = 0; s < 2; s++) {
		word_clear(words[core][s], NX_OP_PSEUDO_CORE_BARRIER);
		word_update(words[core][s], 8);
	}
	core_fixture_set(&f, core, NX_ENGINE_GPSIMD, words[core], count);
}

static void test_cores_meet(void **state)
{
	(void)state;
	set_barriers(0, 2);
	set_barriers(1, 2);
	assert_false(nx_core_engine_is_ready(&f.cores[0], NX_ENGINE_GPSIMD));
	assert_int_equal(nx_schedule_run(&f.machine, &err), NX_OK);
	assert_int_equal(f.cores[0].semaphores[8], 2);
	assert_int_equal(f.cores[1].semaphores[8], 2);
}

static void test_a_core_that_never_comes(void **state)
{
	(void)state;
	set_barriers(0, 2);
	set_barriers(1, 1);
	assert_int_equal(nx_schedule_run(&f.machine, &err), NX_FORMAT);
	assert_non_null(strstr(err.message, "core 0 Pool at slot 1 of 2 (PSEUDO_CORE_BARRIER) "
					    "waits for the other core"));
	assert_int_equal(f.cores[1].semaphores[8], 1);
}

/* --- clocks -------------------------------------------------------------------------- */

struct watcher {
	struct nx_schedule_step steps[8];
	unsigned count;
	size_t choice;
};

static size_t choose(void *context, const struct nx_actor *ready, size_t count)
{
	struct watcher *w = context;

	assert_true(count > 0);
	assert_false(ready[0].is_queue);
	return w->choice == SIZE_MAX ? count - 1 : w->choice;
}

static void stepped(void *context, const struct nx_schedule_step *step)
{
	struct watcher *w = context;

	w->steps[w->count++] = *step;
}

static void test_clock_chooses_and_hears(void **state)
{
	struct watcher last = {.choice = SIZE_MAX};
	struct nx_device_clock clock = {&last, choose, stepped};

	(void)state;
	set_pair();
	f.options.clock = &clock;
	assert_int_equal(nx_schedule_run(&f.machine, &err), NX_OK);
	assert_int_equal(last.count, 4);
	/* the last of those ready goes first: both slots of the vector engine */
	assert_int_equal(last.steps[0].engine, NX_ENGINE_VECTOR);
	assert_int_equal(last.steps[1].engine, NX_ENGINE_VECTOR);
	assert_int_equal(last.steps[1].pc, 1);
	assert_int_equal(last.steps[1].semaphore, 5);
	assert_int_equal(last.steps[1].value, 1);
	assert_int_equal(last.steps[2].engine, NX_ENGINE_TENSOR);
	assert_int_equal(last.steps[2].semaphore, UINT32_MAX);
}

static void test_clock_stops(void **state)
{
	struct watcher beyond = {.choice = 100};
	struct nx_device_clock clock = {&beyond, choose, NULL};

	(void)state;
	set_pair();
	f.options.clock = &clock;
	assert_int_equal(nx_schedule_run(&f.machine, &err), NX_CANCELLED);
	assert_int_equal(f.report.executed_count, 0);
}

static void test_strict_stops_at_the_unknown(void **state)
{
	(void)state;
	set_pair();
	words[1][0][0] = 0x7e;
	f.options.is_strict = true;
	f.options.seed = 3;
	assert_int_equal(nx_schedule_run(&f.machine, &err), NX_UNSUPPORTED);
	assert_non_null(strstr(err.message, "IOTA"));
	assert_true(f.report.executed_count <= 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_runs_to_the_end),
		CASE(test_deadlock_says_who_waits_for_what),
		CASE(test_cores_meet),
		CASE(test_a_core_that_never_comes),
		CASE(test_clock_chooses_and_hears),
		CASE(test_clock_stops),
		CASE(test_strict_stops_at_the_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
