/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and gaps of whole captures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "format/spans.h"
#include "tests/data/synthetic_system.h"
#include "trace_folder.h"

#define EXEC_RUNNING 7

static const struct nx_system_options plain;

struct found {
	struct nx_step steps[64];
	size_t step_count;
	struct nx_gap_total cores[8];
	size_t core_count;
	uint64_t gap_count, longest_ns;
};

static void take_step(void *context, const void *row)
{
	struct found *found = context;

	assert_true(found->step_count < 64);
	found->steps[found->step_count++] = *(const struct nx_step *)row;
}

static void take_core(void *context, const void *row)
{
	struct found *found = context;

	assert_true(found->core_count < 8);
	found->cores[found->core_count++] = *(const struct nx_gap_total *)row;
}

static void take_gap(void *context, const void *row)
{
	const struct nx_execution_gap *gap = row;
	struct found *found = context;

	found->gap_count++;
	if (gap->end_ns - gap->start_ns > found->longest_ns)
		found->longest_ns = gap->end_ns - gap->start_ns;
}

static void scan(struct trace_folder *f, struct found *found)
{
	*found = (struct found){0};
	assert_int_equal(nx_system_scan(f->profile, NX_SYSTEM_GAP, take_gap, found, &f->err),
			 NX_OK);
	assert_int_equal(nx_system_scan(f->profile, NX_SYSTEM_STEP, take_step, found, &f->err),
			 NX_OK);
	assert_int_equal(nx_system_scan(f->profile, NX_SYSTEM_GAP_TOTAL, take_core, found, &f->err),
			 NX_OK);
}

/* The growth that people once found by eye, from 13 to 190 us. */
static void planted_growth_is_found(void **state)
{
	static const struct nx_synthetic_system_options options = {
		.seed = 3,
		.instance_count = 1,
		.worker_count = 2,
		.event_count = 4000,
		.has_growing_gaps = true,
	};
	struct nx_synthetic_system_counts counts = {0};
	struct trace_folder f;
	struct found found;

	(void)state;
	folder_make(&f);
	assert_int_equal(nx_synthetic_system_write(&options, f.path, &counts, &f.err), NX_OK);
	folder_read(&f, plain);
	scan(&f, &found);
	assert_int_equal(found.core_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(found.cores[i].first_median_ns, 13000);
		assert_int_equal(found.cores[i].last_median_ns, 190000);
		assert_true(found.cores[i].is_growing);
	}
	assert_int_equal(found.longest_ns, 190000);
	assert_int_equal(f.profile->rows[NX_SYSTEM_GAP], found.gap_count);
	assert_int_equal(found.gap_count, 2 * (found.step_count - 1));
	for (size_t i = 0; i < found.step_count; i++) {
		assert_int_equal(found.steps[i].step_num, i);
		assert_string_equal(found.steps[i].name, "ProfilerStep");
		assert_int_equal(found.steps[i].is_outlier, i == NX_SYNTHETIC_SLOW_STEP);
		/* the slow one also has those of the step before, which it overlaps */
		assert_true(found.steps[i].execution_count >= 2);
	}
	folder_remove(&f);
}

static void a_capture_without_growth_has_none(void **state)
{
	static const struct nx_synthetic_system_options options = {
		.seed = 3, .instance_count = 1, .worker_count = 2, .event_count = 4000};
	struct nx_synthetic_system_counts counts = {0};
	struct trace_folder f;
	struct found found;

	(void)state;
	folder_make(&f);
	assert_int_equal(nx_synthetic_system_write(&options, f.path, &counts, &f.err), NX_OK);
	folder_read(&f, plain);
	scan(&f, &found);
	assert_int_equal(found.core_count, 2);
	assert_false(found.cores[0].is_growing || found.cores[1].is_growing);
	folder_remove(&f);
}

/* Each way to mark steps, and events that only look like one. */
static void all_kinds_of_steps_are_known(void **state)
{
	static const char trace[] =
		"[{\"ph\":\"X\",\"name\":\"ProfilerStep#5\",\"ts\":1,\"dur\":8,\"tid\":7},"
		"{\"ph\":\"X\",\"name\":\"train\",\"ts\":2,\"dur\":3,\"tid\":7,"
		"\"args\":{\"step_num\":\"12\"}},"
		"{\"ph\":\"X\",\"name\":\"eval#step_num=3#\",\"ts\":6,\"dur\":1,\"tid\":7},"
		"{\"ph\":\"B\",\"name\":\"loop\",\"ts\":9,\"tid\":7,\"args\":{\"step_num\":4}},"
		"{\"ph\":\"X\",\"name\":\"f\",\"ts\":2,\"dur\":1,\"tid\":7,"
		"\"args\":{\"step_num\":\"none\"}},"
		"{\"ph\":\"i\",\"name\":\"ProfilerStep#6\",\"ts\":9,\"tid\":7}]";
	struct attribute a[] = {{"nc_idx", "0"}, {"exec_id", "1"}, {NULL, NULL}};
	struct nx_bytes events = {0};
	struct trace_folder f;
	struct found found;

	(void)state;
	folder_make(&f);
	add_call(&events, EXEC_RUNNING, 1, 7, 3000, 4000, a);
	put_events(&f, "i-1_pid_5", &events);
	folder_put(&f, "i-1_pid_5/trace.json", trace, sizeof(trace) - 1);
	folder_read(&f, plain);
	scan(&f, &found);
	assert_int_equal(found.step_count, 4);
	assert_string_equal(found.steps[0].name, "ProfilerStep");
	assert_int_equal(found.steps[0].step_num, 5);
	assert_int_equal(found.steps[0].busy_ns, 1000);
	assert_string_equal(found.steps[1].name, "train");
	assert_int_equal(found.steps[1].step_num, 12);
	assert_int_equal(found.steps[1].start_ns, 2000);
	assert_string_equal(found.steps[2].name, "eval");
	assert_int_equal(found.steps[2].step_num, 3);
	assert_string_equal(found.steps[3].name, "loop");
	assert_true(found.steps[3].is_unfinished);
	for (size_t i = 0; i < f.events.len; i++)
		if (f.events.items[i].flags & NX_EVENT_STEP)
			found.step_count--;
	assert_int_equal(found.step_count, 0); /* events carry the mark, too */
	folder_remove(&f);
}

/* spans.pb, as a program leaves it that profiles itself; step 6 never ends. */
static void markers_of_the_program_are_steps(void **state)
{
	struct nx_spans_record records[] = {
		{.what = NX_SPANS_SESSION, .version = NX_SPANS_VERSION},
		{.what = NX_SPANS_DEFINITION, .name = 1, .text = nx_slice_text("train")},
		{.what = NX_SPANS_BEGIN,
		 .name = 1,
		 .id = 1,
		 .thread_id = 7,
		 .time_ns = 1000,
		 .is_step = true,
		 .step_num = 5},
		{.what = NX_SPANS_END, .id = 1, .thread_id = 7, .time_ns = 9000},
		{.what = NX_SPANS_BEGIN, .name = 1, .id = 2, .thread_id = 7, .time_ns = 9000},
		{.what = NX_SPANS_END, .id = 2, .thread_id = 7, .time_ns = 9500},
		{.what = NX_SPANS_BEGIN,
		 .name = 1,
		 .id = 3,
		 .thread_id = 7,
		 .time_ns = 10000,
		 .is_step = true,
		 .step_num = 6},
	};
	struct attribute a[] = {{"nc_idx", "0"}, {"exec_id", "1"}, {NULL, NULL}};
	struct nx_bytes events = {0}, spans = {0};
	struct trace_folder f;
	struct found found;

	(void)state;
	folder_make(&f);
	add_call(&events, EXEC_RUNNING, 1, 7, 3000, 5000, a);
	put_events(&f, "i-1_pid_5", &events);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		nx_ntrace_append(&spans, &nx_spans_record_message, &records[i]);
	folder_put(&f, "i-1_pid_5/spans.pb", spans.items, spans.len);
	nx_vec_release(&spans);
	folder_read(&f, plain);
	scan(&f, &found);
	assert_int_equal(found.step_count, 2);
	assert_string_equal(found.steps[0].name, "train");
	assert_int_equal(found.steps[0].step_num, 5);
	assert_int_equal(found.steps[0].busy_ns, 2000);
	assert_int_equal(found.steps[0].host_ns, 6000);
	assert_int_equal(found.steps[1].step_num, 6);
	assert_true(found.steps[1].is_unfinished);
	folder_remove(&f);
}

static void a_filter_leaves_steps_out(void **state)
{
	struct nx_system_options options = {.filter = {.event_types = "nc_exec_running"}};
	struct nx_synthetic_system_counts counts = {0};
	struct trace_folder f;
	struct found found;

	(void)state;
	folder_make(&f);
	assert_int_equal(nx_synthetic_system_write(&nx_synthetic_system_small, f.path, &counts,
						   &f.err),
			 NX_OK);
	folder_read(&f, options);
	scan(&f, &found);
	assert_int_equal(found.step_count, 0);
	assert_int_equal(found.core_count, 8);
	folder_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_growth_is_found),
		cmocka_unit_test(a_capture_without_growth_has_none),
		cmocka_unit_test(all_kinds_of_steps_are_known),
		cmocka_unit_test(markers_of_the_program_are_steps),
		cmocka_unit_test(a_filter_leaves_steps_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
