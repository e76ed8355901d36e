/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/trace/tracer.h"

struct seen {
	uint64_t count;
	uint64_t last_id, last_tracking, last_time;
	uint32_t cores[NX_TRACE_MAX_CORES];
	uint8_t last_type, last_phase;
};

static void note(void *context, const struct nx_trace_place *place,
		 const struct nx_trace_record *record)
{
	struct seen *seen = context;

	seen->count++;
	seen->cores[place->core_idx]++;
	seen->last_id = nx_trace_event_id(place, record->position + 1);
	seen->last_tracking = record->tracking;
	seen->last_type = record->type;
	seen->last_phase = record->phase;
	seen->last_time = nx_trace_event_time(place, record);
}

static struct nx_tracer_options options_of(uint32_t core_count, uint64_t max_events)
{
	struct nx_tracer_options options = {.core_count = core_count, .max_events = max_events};

	nx_trace_filter_set_all(&options.filter);
	return options;
}

static void begin(const struct nx_tracer_options *options)
{
	assert_int_equal(nx_tracer_begin(options, NULL), NX_OK);
}

static struct seen take_all(void)
{
	struct seen seen = {0};

	nx_tracer_take(NX_TRACER_ALL_CORES, UINT64_MAX, note, &seen);
	return seen;
}

static void off_means_off(void **state)
{
	(void)state;
	assert_false(nx_tracer_is_on());
	assert_false(nx_trace_wants(0, NX_TRACE_NRT_EXECUTE));
	assert_int_equal(nx_trace_start(0, NX_TRACE_NRT_EXECUTE, 0, 0, 0, 0), 0);
	nx_trace_stop(0, NX_TRACE_NRT_EXECUTE, 1, 0, 0, 0, 0);
	assert_int_equal(take_all().count, 0);
}

static void a_span_is_two_events(void **state)
{
	struct nx_tracer_options options = options_of(2, 100);
	uint64_t before = nx_trace_clock_epoch_ns(), span;
	struct seen seen;

	(void)state;
	begin(&options);
	span = nx_trace_start(1, NX_TRACE_NRT_EXECUTE, 5, 0, 0, 0);
	assert_int_not_equal(span, 0);
	nx_trace_stop(1, NX_TRACE_NRT_EXECUTE, span, 0, 0, 0, 0);
	nx_trace_stop(1, NX_TRACE_NRT_EXECUTE, 0, 0, 0, 0, 0); /* its start was filtered out */
	nx_tracer_end();
	assert_int_equal(nx_trace_start(1, NX_TRACE_NRT_EXECUTE, 5, 0, 0, 0), 0);
	seen = take_all();
	assert_int_equal(seen.count, 2);
	assert_int_equal(seen.cores[1], 2);
	assert_int_equal(seen.last_phase, NX_PHASE_STOP);
	assert_int_equal(seen.last_tracking, span);
	assert_int_equal(seen.last_id, (UINT64_C(1) << 50) + 2);
	assert_true(seen.last_time + 10000000 > before);
	assert_int_equal(take_all().count, 0);
}

static void note_worker(void *context, const struct nx_trace_place *place,
			const struct nx_trace_record *record)
{
	(void)record;
	((uint32_t *)context)[place->core_idx] = place->worker;
}

static void visible_cores_with_gaps_are_workers_of_their_own_numbers(void **state)
{
	static const uint8_t visible[] = {2, 5, 6};
	struct nx_tracer_options options = options_of(3, 100);
	uint32_t workers[3] = {0};

	(void)state;
	options.workers = visible;
	begin(&options);
	for (uint32_t core = 0; core < 3; core++)
		nx_trace_start(core, NX_TRACE_NRT_LOAD, 0, 0, 0, 0);
	nx_tracer_end();
	nx_tracer_take(NX_TRACER_ALL_CORES, UINT64_MAX, note_worker, workers);
	assert_int_equal(workers[0], 2);
	assert_int_equal(workers[1], 5);
	assert_int_equal(workers[2], 6);
}

static void only_wanted_cores_get_a_ring(void **state)
{
	struct nx_tracer_options options = options_of(4, 100);

	(void)state;
	assert_int_equal(nx_trace_filter_parse_cores(&options.filter, "1,3,9", NULL), NX_OK);
	begin(&options);
	assert_int_equal(nx_tracer_count().ring_count, 2);
	for (uint32_t core = 0; core < 4; core++)
		nx_trace_start(core, NX_TRACE_NRT_LOAD, 0, 0, 0, 0);
	nx_tracer_end();
	assert_int_equal(take_all().count, 2);
}

static void only_wanted_types_are_recorded(void **state)
{
	struct nx_tracer_options options = options_of(1, 100);
	struct seen seen;

	(void)state;
	assert_int_equal(nx_trace_filter_parse_types(&options.filter, "hardware", NULL), NX_OK);
	begin(&options);
	nx_trace_start(0, NX_TRACE_NRT_LOAD, 0, 0, 0, 0);
	nx_trace_hardware(0, NX_TRACE_NC_RUNNING, NX_PHASE_START, 123, 0,
			  (const uint64_t[]){4, 1, 2, 0});
	nx_trace_hardware(0, NX_TRACE_NC_RUNNING, NX_PHASE_STOP, 124, 0,
			  (const uint64_t[]){4, 1, 2, 0}); /* without a start: nothing */
	nx_tracer_end();
	seen = take_all();
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.last_type, NX_TRACE_NC_RUNNING);
	assert_int_equal(seen.last_time, 123);
}

static void overflow_is_counted_exactly(void **state)
{
	struct nx_tracer_options options = options_of(1, 50);

	(void)state;
	begin(&options);
	for (int i = 0; i < 1051; i++)
		nx_trace_start(0, NX_TRACE_NRT_LOAD, 0, 0, 0, 0);
	nx_tracer_end();
	assert_int_equal(take_all().count, 50);
	assert_int_equal(nx_tracer_count().total, 1051);
	assert_int_equal(nx_tracer_count().dropped, 1001);
}

static void a_few_can_be_taken_at_a_time(void **state)
{
	struct nx_tracer_options options = options_of(2, 1000);
	struct seen seen = {0};

	(void)state;
	begin(&options);
	for (int i = 0; i < 600; i++) {
		nx_trace_start(0, NX_TRACE_NRT_LOAD, 0, 0, 0, 0);
		nx_trace_start(1, NX_TRACE_NRT_LOAD, 0, 0, 0, 0);
	}
	assert_int_equal(nx_tracer_take(1, 7, note, &seen), 7);
	assert_int_equal(seen.cores[1], 7);
	assert_int_equal(nx_tracer_take(0, 512, note, &seen), 512);
	assert_int_equal(nx_tracer_take(5, 512, note, &seen), 0);
	assert_int_equal(nx_tracer_take(NX_TRACER_ALL_CORES, UINT64_MAX, note, &seen), 681);
	nx_tracer_end();
}

static void one_session_at_a_time(void **state)
{
	struct nx_tracer_options options = options_of(1, 100);
	struct nx_error err;

	(void)state;
	begin(&options);
	assert_int_equal(nx_tracer_begin(&options, &err), NX_MISMATCH);
	assert_non_null(strstr(err.message, "already"));
	nx_tracer_end();
	begin(&options);
	nx_tracer_end();
}

static void sessions_do_not_mix(void **state)
{
	struct nx_tracer_options options = options_of(1, 100);
	struct seen seen;

	(void)state;
	begin(&options);
	nx_trace_start(0, NX_TRACE_NRT_LOAD, 0, 0, 0, 0);
	nx_tracer_end();
	options.max_events = 5000; /* a larger ring takes its place */
	begin(&options);
	nx_trace_start(0, NX_TRACE_NRT_EXECUTE, 0, 0, 0, 0);
	nx_tracer_end();
	seen = take_all();
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.last_type, NX_TRACE_NRT_EXECUTE);
	assert_int_equal(seen.last_id, 1);
	begin(&options);
	nx_trace_start(0, NX_TRACE_NRT_EXECUTE, 0, 0, 0, 0);
	nx_tracer_end();
	nx_tracer_forget();
	assert_int_equal(take_all().count, 0);
}

static void too_many_events_are_refused(void **state)
{
	struct nx_tracer_options options = options_of(1, UINT64_MAX);
	struct nx_error err;

	(void)state;
	assert_int_equal(nx_tracer_begin(&options, &err), NX_LIMIT);
	assert_non_null(strstr(err.message, "fewer"));
	assert_false(nx_tracer_is_on());
}

static void a_child_of_fork_traces_nothing(void **state)
{
	struct nx_tracer_options options = options_of(1, 100);
	int status;
	pid_t child;

	(void)state;
	begin(&options);
	child = fork();
	if (child == 0) {
		nx_tracer_abandon();
		_exit(nx_trace_start(0, NX_TRACE_NRT_LOAD, 0, 0, 0, 0) == 0 && !nx_tracer_is_on() &&
				      nx_trace_thread_id() == (uint32_t)getpid()
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	nx_tracer_end();
}

/* Threads trace while sessions come and go: what TSan is to look at. */

static _Atomic bool is_over;

static void *trace_on(void *argument)
{
	uint32_t core = *(uint32_t *)argument;

	while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
		uint64_t span = nx_trace_start(core, NX_TRACE_NRT_EXECUTE, core, 0, 0, 0);

		nx_trace_stop(core, NX_TRACE_NRT_EXECUTE, span, 0, 0, 0, 0);
	}
	return NULL;
}

static void sessions_may_end_under_writers(void **state)
{
	uint32_t cores[3] = {0, 1, 1};
	pthread_t threads[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, trace_on, &cores[i]), 0);
	for (int round = 0; round < 20; round++) {
		struct nx_tracer_options options = options_of(2, round % 2 ? 64 : 300);
		uint64_t taken = 0;

		begin(&options);
		for (int i = 0; i < 5; i++) {
			struct seen seen = {0};

			taken += nx_tracer_take(NX_TRACER_ALL_CORES, UINT64_MAX, note, &seen);
		}
		nx_tracer_end();
		taken += take_all().count;
		/* Each thread may have a record that can be taken and is counted next. */
		assert_true(taken + nx_tracer_count().dropped <= nx_tracer_count().total + 3);
	}
	atomic_store(&is_over, true);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_means_off),
		cmocka_unit_test(a_span_is_two_events),
		cmocka_unit_test(visible_cores_with_gaps_are_workers_of_their_own_numbers),
		cmocka_unit_test(only_wanted_cores_get_a_ring),
		cmocka_unit_test(only_wanted_types_are_recorded),
		cmocka_unit_test(overflow_is_counted_exactly),
		cmocka_unit_test(a_few_can_be_taken_at_a_time),
		cmocka_unit_test(one_session_at_a_time),
		cmocka_unit_test(sessions_do_not_mix),
		cmocka_unit_test(too_many_events_are_refused),
		cmocka_unit_test(a_child_of_fork_traces_nothing),
		cmocka_unit_test(sessions_may_end_under_writers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
