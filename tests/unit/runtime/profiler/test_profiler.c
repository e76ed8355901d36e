/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <nx/profiler.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "format/spans.h"

#define THREADS 8
#define SPANS 5000

static char folder[64];

/* What a session left, decoded. */
struct left {
	struct nx_arena arena;
	struct nx_file file;
	struct NX_VEC_BODY(struct nx_spans_record) records;
};

static void start(void)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;

	options.output_dir = folder;
	if (nx_profiler_start(&options))
		fail_msg("%s", nx_profiler_error());
}

static void read_left(struct left *left)
{
	struct nx_ntrace_stream stream = {0};
	struct nx_slice message;
	char path[2000];

	memset(left, 0, sizeof(*left));
	snprintf(path, sizeof(path), "%s/" NX_SPANS_FILE, nx_profiler_directory());
	assert_int_equal(nx_file_map(&left->file, path, NULL), NX_OK);
	stream.file = left->file.bytes;
	while (nx_ntrace_next(&stream, &message)) {
		struct nx_spans_record record;

		assert_int_equal(nx_wire_decode(&nx_spans_record_message, message, &record,
						&left->arena, NULL, NULL),
				 NX_OK);
		nx_vec_push(&left->records, record);
	}
	assert_false(stream.is_torn);
	assert_true(left->records.len >= 2);
	assert_int_equal(left->records.items[0].what, NX_SPANS_SESSION);
	assert_int_equal(left->records.items[0].version, NX_SPANS_VERSION);
	assert_int_equal(left->records.items[left->records.len - 1].what, NX_SPANS_COUNTS);
}

static void stop(struct left *left)
{
	if (nx_profiler_stop())
		fail_msg("%s", nx_profiler_error());
	read_left(left);
}

static void release(struct left *left)
{
	nx_vec_release(&left->records);
	nx_file_unmap(&left->file);
	nx_arena_release(&left->arena);
}

static const struct nx_spans_record *find(const struct left *left, uint64_t what, unsigned nth)
{
	for (size_t i = 0; i < left->records.len; i++)
		if (left->records.items[i].what == what && nth-- == 0)
			return &left->records.items[i];
	fail_msg("no such record");
	return NULL;
}

static const struct nx_spans_record *definition(const struct left *left, uint64_t name)
{
	for (size_t i = 0; i < left->records.len; i++)
		if (left->records.items[i].what == NX_SPANS_DEFINITION &&
		    left->records.items[i].name == name)
			return &left->records.items[i];
	fail_msg("name %llu is not defined", (unsigned long long)name);
	return NULL;
}

static void without_a_session_nothing_is_recorded(void **state)
{
	(void)state;
	assert_false(nx_profiler_is_on());
	assert_int_equal(nx_profiler_begin(nx_profiler_name("a")), 0);
	nx_profiler_end(0);
	assert_int_equal(nx_profiler_stop(), NX_PROFILER_IDLE);
	assert_non_null(strstr(nx_profiler_error(), "start one"));
	assert_int_equal(nx_profiler_flush(), NX_PROFILER_IDLE);
}

static void one_session_at_a_time(void **state)
{
	uint64_t number = nx_profiler_session();
	struct left left;

	(void)state;
	start();
	assert_true(nx_profiler_is_on());
	assert_int_equal(nx_profiler_session(), number + 1);
	assert_int_equal(nx_profiler_start(NULL), NX_PROFILER_BUSY);
	assert_non_null(strstr(nx_profiler_error(), "already"));
	stop(&left);
	release(&left);
	assert_false(nx_profiler_is_on());
}

static void a_wrong_list_of_cores_is_refused(void **state)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;

	(void)state;
	options.output_dir = folder;
	options.cores = "0,5-2";
	assert_int_equal(nx_profiler_start(&options), NX_PROFILER_INVALID);
	assert_non_null(strstr(nx_profiler_error(), "\"2-5\""));
	assert_false(nx_profiler_is_on());
	/* a program that was built before there were cores */
	options.struct_size = offsetof(nx_profiler_options, cores);
	assert_int_equal(nx_profiler_start(&options), NX_PROFILER_OK);
	assert_int_equal(nx_profiler_stop(), NX_PROFILER_OK);
}

static void names_are_equal_if_all_of_them_is(void **state)
{
	nx_profiler_definition other = {sizeof(other), NX_PROFILER_PYTHON, "same", 4, NULL, 0};

	(void)state;
	assert_int_not_equal(nx_profiler_name("same"), 0);
	assert_int_equal(nx_profiler_name("same"), nx_profiler_name("same"));
	assert_int_not_equal(nx_profiler_name("same"), nx_profiler_define(&other));
	assert_int_not_equal(nx_profiler_name("same"), nx_profiler_source("same", "f.c", 1));
	assert_int_not_equal(nx_profiler_source("same", "f.c", 1),
			     nx_profiler_source("same", "f.c", 2));
	assert_int_equal(nx_profiler_name(NULL), 0);
	other.kind = (nx_profiler_kind)99;
	assert_int_equal(nx_profiler_define(&other), 0);
}

static void all_of_a_span_comes_back(void **state)
{
	nx_name name = nx_profiler_source("f", "dir/f.c", 77), key = nx_profiler_name("key");
	const nx_attribute attributes[] = {
		nx_attribute_i64(key, -5),	   nx_attribute_u64(key, UINT64_MAX),
		nx_attribute_f64(key, 0.25),	   nx_attribute_bool(key, true),
		nx_attribute_text(key, "text", 4), nx_attribute_name(key, name),
	};
	const nx_attribute late = nx_attribute_i64(key, 9);
	const struct nx_spans_record *begin, *end;
	struct left left;
	nx_span span;

	(void)state;
	start();
	span = nx_profiler_begin_with(name, attributes, 6);
	assert_int_not_equal(span, 0);
	nx_profiler_end_with(span, &late, 1);
	stop(&left);
	begin = find(&left, NX_SPANS_BEGIN, 0);
	end = find(&left, NX_SPANS_END, 0);
	assert_int_equal(begin->id, span);
	assert_int_equal(end->id, span);
	assert_true(begin->time_ns && begin->time_ns <= end->time_ns);
	assert_int_equal(begin->thread_id, getpid());
	assert_true(nx_slice_is(definition(&left, begin->name)->text, "f"));
	assert_true(nx_slice_is(definition(&left, begin->name)->file, "dir/f.c"));
	assert_int_equal(definition(&left, begin->name)->line, 77);
	assert_int_equal(begin->attributes.count, 6);
	assert_int_equal((int64_t)begin->attributes.items[0].integer, -5);
	assert_true(begin->attributes.items[1].integer == UINT64_MAX);
	assert_true(begin->attributes.items[2].number == 0.25);
	assert_int_equal(begin->attributes.items[3].integer, 1);
	assert_true(nx_slice_is(begin->attributes.items[4].text, "text"));
	assert_int_equal(begin->attributes.items[5].integer, begin->name);
	assert_int_equal(end->attributes.items[0].integer, 9);
	release(&left);
}

static void other_records_come_back(void **state)
{
	uint64_t ticks, flow = nx_profiler_new_flow();
	const struct nx_spans_record *record;
	struct left left;
	nx_span span;

	(void)state;
	assert_int_not_equal(flow, nx_profiler_new_flow());
	start();
	ticks = nx_profiler_ticks();
	span = nx_profiler_begin_text("made at run time", 16);
	nx_profiler_flow_out(flow);
	nx_profiler_flow_in(flow);
	nx_profiler_counter(nx_profiler_name("c"), 2.5);
	nx_profiler_instant(nx_profiler_name("i"), NULL, 0);
	nx_profiler_complete(nx_profiler_name("w"), ticks, nx_profiler_ticks(), NULL, 0);
	nx_profiler_complete_on(4711, nx_profiler_name("w"), ticks, ticks, NULL, 0);
	nx_profiler_step_end(nx_profiler_step_begin(nx_profiler_name("s"), -3));
	nx_profiler_end(span);
	stop(&left);
	assert_true(nx_slice_is(find(&left, NX_SPANS_BEGIN, 0)->text, "made at run time"));
	assert_int_equal(find(&left, NX_SPANS_FLOW_OUT, 0)->flow, flow);
	assert_int_equal(find(&left, NX_SPANS_FLOW_IN, 0)->flow, flow);
	assert_true(find(&left, NX_SPANS_COUNTER, 0)->value == 2.5);
	find(&left, NX_SPANS_INSTANT, 0);
	record = find(&left, NX_SPANS_COMPLETE, 0);
	assert_true(record->time_ns <= record->end_ns);
	assert_int_equal(find(&left, NX_SPANS_COMPLETE, 1)->thread_id, 4711);
	record = find(&left, NX_SPANS_BEGIN, 1);
	assert_true(record->is_step);
	assert_int_equal(record->step_num, -3);
	record = find(&left, NX_SPANS_COUNTS, 0);
	assert_int_equal(record->recorded_count, 10);
	assert_int_equal(record->lost_count, 0);
	release(&left);
}

static void long_texts_are_cut(void **state)
{
	static char text[5000];
	nx_attribute attributes[20];
	struct left left;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (int i = 0; i < 20; i++)
		attributes[i] = nx_attribute_text(nx_profiler_name("k"), text, sizeof(text));
	start();
	nx_profiler_end(nx_profiler_begin_text_with(NX_PROFILER_OPERATOR, text, sizeof(text),
						    attributes, 20));
	stop(&left);
	assert_int_equal(find(&left, NX_SPANS_BEGIN, 0)->text.len, NX_PROFILER_MAX_TEXT);
	assert_int_equal(find(&left, NX_SPANS_BEGIN, 0)->kind, NX_SPANS_OPERATOR);
	/* as many attributes as a record holds: 4 KiB with the name */
	assert_int_equal(find(&left, NX_SPANS_BEGIN, 0)->attributes.count, 2);
	release(&left);
}

static void the_end_of_an_earlier_sessions_span_is_left_out(void **state)
{
	struct left left;
	nx_span span;

	(void)state;
	start();
	span = nx_profiler_begin(nx_profiler_name("early"));
	stop(&left);
	release(&left);
	start();
	nx_profiler_end(span);
	nx_profiler_end(nx_profiler_begin(nx_profiler_name("late")));
	stop(&left);
	assert_true(
		nx_slice_is(definition(&left, find(&left, NX_SPANS_BEGIN, 0)->name)->text, "late"));
	assert_int_equal(find(&left, NX_SPANS_END, 0)->id, find(&left, NX_SPANS_BEGIN, 0)->id);
	release(&left);
}

/* --- threads ---------------------------------------------------------------------------------- */

static _Atomic bool is_over;

static void *record_spans(void *argument)
{
	nx_name name = nx_profiler_name("t");

	for (int i = 0; i < SPANS; i++)
		nx_profiler_end(nx_profiler_begin(name));
	return argument;
}

static void threads_record_at_once(void **state)
{
	pthread_t threads[THREADS];
	uint64_t recorded, lost, begins = 0;
	struct left left;

	(void)state;
	start();
	for (int round = 0; round < 2; round++) { /* the second round reuses what the first left */
		for (int i = 0; i < THREADS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, record_spans, NULL), 0);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	stop(&left);
	nx_profiler_counts(&recorded, &lost);
	assert_int_equal(recorded, 2 * 2 * THREADS * SPANS);
	for (size_t i = 0; i < left.records.len; i++)
		begins += left.records.items[i].what == NX_SPANS_BEGIN ||
			  left.records.items[i].what == NX_SPANS_END;
	assert_int_equal(begins + lost, recorded);
	release(&left);
}

static void *record_one_and_end(void *argument)
{
	nx_profiler_end(nx_profiler_begin(nx_profiler_name("short")));
	if (argument)
		pthread_exit(NULL);
	return NULL;
}

/* What a thread recorded just before its end is there, and its room is used again. */
static void threads_come_and_go(void **state)
{
	enum { WAVES = 40, WAVE = 25 };
	pthread_t threads[WAVE];
	struct nx_map seen = {0};
	uint64_t recorded, lost;
	struct left left;

	(void)state;
	start();
	for (int wave = 0; wave < WAVES; wave++) {
		for (int i = 0; i < WAVE; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, record_one_and_end,
							i % 2 ? &threads : NULL),
					 0);
		for (int i = 0; i < WAVE; i++)
			pthread_join(threads[i], NULL);
	}
	stop(&left);
	nx_profiler_counts(&recorded, &lost);
	assert_int_equal(recorded, 2 * WAVES * WAVE);
	assert_int_equal(lost, 0);
	for (size_t i = 0; i < left.records.len; i++)
		if (left.records.items[i].what == NX_SPANS_BEGIN)
			nx_map_put(&seen, left.records.items[i].id, 1);
	assert_int_equal(seen.len, WAVES * WAVE);
	nx_map_release(&seen);
	release(&left);
}

static void *record_until_over(void *argument)
{
	while (!atomic_load(&is_over)) {
		nx_span span = nx_profiler_begin_text("x", 1);

		nx_profiler_counter(nx_profiler_name("n"), 1);
		nx_profiler_end(span);
	}
	return argument;
}

static void sessions_may_start_and_stop_under_threads(void **state)
{
	pthread_t threads[3];
	struct left left;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, record_until_over, NULL), 0);
	for (int round = 0; round < 5; round++) {
		start();
		assert_int_equal(nx_profiler_flush(), NX_PROFILER_OK);
		stop(&left);
		release(&left);
	}
	atomic_store(&is_over, true);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

/* --- on demand -------------------------------------------------------------------------------- */

static int refuse(void *context, nx_profiler_request request, const nx_profiler_options *options)
{
	(void)options;
	*(int *)context = (int)request;
	return -77;
}

static void a_callback_decides_about_requests(void **state)
{
	nx_profiler_options options = NX_PROFILER_OPTIONS;
	int seen = 0;

	(void)state;
	options.output_dir = folder;
	nx_profiler_on_demand(refuse, &seen);
	assert_int_equal(nx_profiler_demand(NX_PROFILER_REQUEST_START, &options), -77);
	assert_int_equal(seen, NX_PROFILER_REQUEST_START);
	assert_false(nx_profiler_is_on());
	nx_profiler_on_demand(NULL, NULL);
	assert_int_equal(nx_profiler_demand(NX_PROFILER_REQUEST_START, &options), 0);
	assert_true(nx_profiler_is_on());
	assert_int_equal(nx_profiler_demand(NX_PROFILER_REQUEST_STOP, NULL), 0);
	assert_false(nx_profiler_is_on());
	assert_int_equal(nx_profiler_demand((nx_profiler_request)9, NULL), NX_PROFILER_INVALID);
}

static void times_of_the_caller_can_be_converted(void **state)
{
	struct timespec now;
	uint64_t epoch_ns, ticks, before, after;
	struct left left;

	(void)state;
	start();
	nx_profiler_instant(nx_profiler_name("a"), NULL, 0);
	before = nx_profiler_ticks();
	clock_gettime(CLOCK_REALTIME, &now);
	after = nx_profiler_ticks();
	epoch_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	nx_profiler_flush();
	ticks = nx_profiler_ticks_at(epoch_ns);
	/* within ten milliseconds at any rate of the counter */
	assert_true(ticks + 100000000 > before && ticks < after + 100000000);
	stop(&left);
	release(&left);
}

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/nx-profiler-XXXXXX");
	return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_session_nothing_is_recorded),
		cmocka_unit_test(one_session_at_a_time),
		cmocka_unit_test(a_wrong_list_of_cores_is_refused),
		cmocka_unit_test(names_are_equal_if_all_of_them_is),
		cmocka_unit_test(all_of_a_span_comes_back),
		cmocka_unit_test(other_records_come_back),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(the_end_of_an_earlier_sessions_span_is_left_out),
		cmocka_unit_test(threads_record_at_once),
		cmocka_unit_test(threads_come_and_go),
		cmocka_unit_test(sessions_may_start_and_stop_under_threads),
		cmocka_unit_test(a_callback_decides_about_requests),
		cmocka_unit_test(times_of_the_caller_can_be_converted),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
