/* SPDX-License-Identifier: Apache-2.0 */
/* Triggers see records that the test makes, on a clock of its own: a tick is a nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "runtime/profiler/profiler_internal.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

static struct nx_profiler_alarm alarm_seen;
static struct nx_trace_clock test_clock;
static uint64_t position;

/* The only function of the rest of the library that triggers call. */
const struct nx_profiler_entry *nx_profiler_entry_of(nx_name name)
{
	static const struct nx_profiler_entry entry = {.text = "train", .text_len = 5};

	return name ? &entry : NULL;
}

static void begin(nx_profiler_continuous_options options)
{
	if (!options.min_interval_ms)
		options.min_interval_ms = 60000;
	if (!options.max_snapshots)
		options.max_snapshots = 100;
	test_clock.ties[0] = (struct nx_trace_tie){SECOND, SECOND};
	test_clock.ties[1] = (struct nx_trace_tie){2 * SECOND, 2 * SECOND};
	test_clock.tie_count = 2;
	nx_profiler_triggers_begin(&options);
}

static bool check_at(uint64_t now_ns, const struct nx_trace_share_state *state)
{
	memset(&alarm_seen, 0, sizeof(alarm_seen));
	return nx_profiler_triggers_check(now_ns, state, &test_clock, &alarm_seen);
}

static void step(nx_name name, int64_t number, uint64_t start, uint64_t duration)
{
	uint64_t words[3] = {nx_trace_head((uint64_t)name << NX_RECORD_NAME_SHIFT |
						   (uint64_t)NX_RECORD_STEP << NX_RECORD_WHAT_SHIFT,
					   0, 3),
			     start, (uint64_t)number};

	position += 16;
	nx_profiler_triggers_see(NX_PROFILER_SPANS, position, words);
	words[0] = nx_trace_head((uint64_t)NX_RECORD_END << NX_RECORD_WHAT_SHIFT, 0, 3);
	words[1] = start + duration;
	words[2] = position;
	nx_profiler_triggers_see(NX_PROFILER_SPANS, position + 8, words);
}

static void a_step_slower_than_the_99th_percentile_times_the_factor(void **state)
{
	(void)state;
	begin((nx_profiler_continuous_options){.slow_step_factor = 1.5});
	for (int i = 0; i < 99; i++)
		step(1, i, 0, 10 * MS);
	step(1, 99, 0, 1000 * MS); /* too few to judge */
	assert_false(check_at(SECOND, NULL));
	for (int i = 100; i < 300; i++)
		step(1, i, 0, 10 * MS);
	step(1, 300, 0, 15 * MS); /* within 1.5 times the end of the bucket */
	assert_false(check_at(SECOND, NULL));
	step(1, 301, 0, 18 * MS);
	assert_true(check_at(SECOND, NULL));
	assert_int_equal(alarm_seen.trigger, NX_SNAPSHOT_SLOW_STEP);
	assert_non_null(strstr(alarm_seen.reason, "step 301 of \"train\" took 18.000 ms"));
	assert_false(check_at(SECOND, NULL));
}

static void each_name_of_steps_has_a_percentile_of_its_own(void **state)
{
	(void)state;
	begin((nx_profiler_continuous_options){.slow_step_factor = 2});
	for (int i = 0; i < 200; i++) {
		step(1, i, 0, 10 * MS);
		step(2, i, 0, 100 * MS);
	}
	assert_false(check_at(SECOND, NULL));
	step(1, 200, 0, 90 * MS);
	assert_true(check_at(SECOND, NULL));
}

static void triggers_are_limited_and_those_left_out_are_counted(void **state)
{
	(void)state;
	begin((nx_profiler_continuous_options){
		.slow_step_factor = 2, .min_interval_ms = 10000, .max_snapshots = 2});
	for (int i = 0; i < 1000; i++)
		step(1, i, 0, 10 * MS);
	step(1, 1, 0, 90 * MS);
	assert_true(check_at(100 * SECOND, NULL));
	step(1, 2, 0, 90 * MS);
	assert_false(check_at(109 * SECOND, NULL));
	assert_int_equal(nx_profiler_triggers_suppressed(), 1);
	step(1, 3, 0, 90 * MS);
	assert_true(check_at(110 * SECOND, NULL));
	step(1, 4, 0, 90 * MS);
	assert_false(check_at(200 * SECOND, NULL));
	assert_int_equal(nx_profiler_triggers_suppressed(), 2);
}

static void an_error_status_counts_once(void **state)
{
	struct nx_trace_share_state runtime = {.error_count = 0};

	(void)state;
	begin((nx_profiler_continuous_options){.on_error = true, .min_interval_ms = 1});
	assert_false(check_at(SECOND, &runtime));
	runtime.error_count = 2;
	runtime.error_status = 1003;
	assert_true(check_at(2 * SECOND, &runtime));
	assert_int_equal(alarm_seen.trigger, NX_SNAPSHOT_ERROR);
	assert_non_null(strstr(alarm_seen.reason, "status 1003"));
	assert_false(check_at(3 * SECOND, &runtime));
	begin((nx_profiler_continuous_options){.on_error = false});
	assert_false(check_at(SECOND, &runtime));
	runtime.error_count = 3;
	assert_false(check_at(2 * SECOND, &runtime));
}

static void device_memory_over_the_limit_counts_once_until_it_is_below(void **state)
{
	struct nx_trace_share_state runtime = {.memory_bytes = 100, .memory_core = 3};

	(void)state;
	begin((nx_profiler_continuous_options){.device_memory_bytes = 1000, .min_interval_ms = 1});
	assert_false(check_at(SECOND, &runtime));
	runtime.memory_bytes = 1001;
	assert_true(check_at(2 * SECOND, &runtime));
	assert_int_equal(alarm_seen.trigger, NX_SNAPSHOT_MEMORY);
	assert_non_null(strstr(alarm_seen.reason, "core 3 uses 1001 bytes"));
	assert_false(check_at(3 * SECOND, &runtime));
	runtime.memory_bytes = 1000;
	assert_false(check_at(4 * SECOND, &runtime));
	runtime.memory_bytes = 2000;
	assert_true(check_at(5 * SECOND, &runtime));
}

static void see_wait(uint64_t at, unsigned phase, uint64_t ticks, uint64_t tracking)
{
	const uint64_t words[NX_TRACE_RECORD_WORDS] = {
		nx_trace_pack(1, NX_TRACE_ENC_BARRIER_RECV, phase, 0), ticks, tracking, 7, 42, 2};

	nx_profiler_triggers_see(0, at * NX_TRACE_RECORD_WORDS, words);
}

static void a_rank_that_waits_too_long_is_noticed_while_it_waits(void **state)
{
	uint64_t now = nx_trace_clock_ticks();

	(void)state;
	begin((nx_profiler_continuous_options){.collective_timeout_ms = 1000,
					       .min_interval_ms = 1});
	see_wait(1, NX_PHASE_START, now - 5 * SECOND, 0);
	see_wait(2, NX_PHASE_STOP, now - 4 * SECOND, 2);
	assert_false(check_at(SECOND, NULL));
	see_wait(3, NX_PHASE_START, now - 5 * SECOND, 0);
	assert_true(check_at(SECOND, NULL));
	assert_int_equal(alarm_seen.trigger, NX_SNAPSHOT_COLLECTIVE);
	assert_non_null(strstr(alarm_seen.reason, "rank 2 has waited"));
	assert_non_null(strstr(alarm_seen.reason, "for rank 7 (execution 42)"));
	assert_false(check_at(2 * SECOND, NULL)); /* once per wait */
}

static void another_process_may_ask(void **state)
{
	(void)state;
	begin((nx_profiler_continuous_options){.min_interval_ms = 1});
	nx_profiler_triggers_request();
	assert_true(check_at(SECOND, NULL));
	assert_int_equal(alarm_seen.trigger, NX_SNAPSHOT_PEER);
	assert_false(check_at(2 * SECOND, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_slower_than_the_99th_percentile_times_the_factor),
		cmocka_unit_test(each_name_of_steps_has_a_percentile_of_its_own),
		cmocka_unit_test(triggers_are_limited_and_those_left_out_are_counted),
		cmocka_unit_test(an_error_status_counts_once),
		cmocka_unit_test(device_memory_over_the_limit_counts_once_until_it_is_below),
		cmocka_unit_test(a_rank_that_waits_too_long_is_noticed_while_it_waits),
		cmocka_unit_test(another_process_may_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
