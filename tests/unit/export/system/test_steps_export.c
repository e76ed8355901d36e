/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and gaps between executions, in each output format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "system_export.h"

static const struct nx_system_export_options plain;
static const char kind[] = "train";

static struct nx_step *add_step(struct nx_system_fixture *f, uint64_t step_num, uint64_t start_ns,
				uint64_t end_ns)
{
	struct nx_step *step = &f->steps[f->p.rows[NX_SYSTEM_STEP]++];

	*step = (struct nx_step){.start_ns = start_ns,
				 .end_ns = end_ns,
				 .step_num = step_num,
				 .event_id = 90 + step_num,
				 .thread_id = 70,
				 .name = kind,
				 .duration_mads = (double)NAN,
				 .rank = (uint32_t)f->p.rows[NX_SYSTEM_STEP] + 1,
				 .has_shares = true,
				 .busy_ns = (end_ns - start_ns) / 4,
				 .runtime_ns = (end_ns - start_ns) / 4,
				 .host_ns = (end_ns - start_ns) / 2,
				 .execution_count = 3,
				 .max_gap_ns = 13};
	return step;
}

static void fill(struct nx_system_fixture *f)
{
	add_step(f, 1, 1000, 2000);
	add_step(f, 2, 2000, 5000)->is_outlier = true;
	f->step_totals[0] = (struct nx_step_total){.name = kind,
						   .step_count = 2,
						   .median_ns = 2000,
						   .mad_ns = 1000,
						   .slowest_num = 2,
						   .slowest_ns = 3000,
						   .outlier_count = 1,
						   .has_shares = true,
						   .total_ns = 4000,
						   .busy_ns = 1000,
						   .runtime_ns = 1000,
						   .host_ns = 2000,
						   .late_count = 2,
						   .median_late_ns = 7};
	f->p.rows[NX_SYSTEM_STEP_TOTAL] = 1;
	f->gaps[0] = (struct nx_execution_gap){.start_ns = 1200,
					       .end_ns = 1213,
					       .runtime_ns = 7,
					       .step_num = 1,
					       .step_name = kind,
					       .worker_gid = 3};
	f->gaps[1] = (struct nx_execution_gap){
		.start_ns = 1300, .end_ns = 1300, .worker_gid = UINT32_MAX};
	f->p.rows[NX_SYSTEM_GAP] = 2;
	f->gap_totals[0] = (struct nx_gap_total){.worker_gid = 3,
						 .is_growing = true,
						 .count = 2,
						 .total_ns = 203000,
						 .max_ns = 190000,
						 .first_median_ns = 13000,
						 .last_median_ns = 190000};
	f->p.rows[NX_SYSTEM_GAP_TOTAL] = 1;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void the_summary_prints_steps_and_gaps(void **state)
{
	struct nx_system_fixture *f = *state;
	const char *text;

	fill(f);
	text = nx_fixture_export(f, "summary-text", &plain, NULL);
	assert_has(text, "steps: train, i-a pid 70\n"
			 "  2 steps, median 2.000 us, MAD 1.000 us, slowest 3.000 us (step 2), "
			 "outliers 1\n"
			 "  host bound 50.0%, in the runtime 25.0%, device busy 25.0%\n"
			 "  launches the first execution of a step 7 ns after the first process, "
			 "waits 0 ns for others (medians)\n");
	assert_has(text,
		   "           1       1.000 us        50.0%      25.0%        25.0%           "
		   "3          13 ns            n/a\n");
	assert_has(text, "n/a  outlier\n");
	assert_has(text, "13.000 us     190.000 us     190.000 us  i-a pid 70 logical core 0: "
			 "grows\n");
}

static void of_many_steps_only_those_that_stand_out_are_printed(void **state)
{
	struct nx_system_fixture *f = *state;
	const char *text;

	for (unsigned i = 0; i < 30; i++)
		add_step(f, 100 + i, 1000 * i, 1000 * i + 999 - i);
	f->steps[29].is_outlier = true;
	f->step_totals[0] = (struct nx_step_total){.name = kind, .step_count = 30};
	f->p.rows[NX_SYSTEM_STEP_TOTAL] = 1;
	text = nx_fixture_export(f, "summary-text", &plain, NULL);
	assert_has(text, "\n           100 ");
	assert_null(strstr(text, "\n           120 "));
	assert_has(text, "\n           129 ");
	assert_has(text, "(the slowest and outliers)\n");
	assert_has(text, "host bound n/a");
}

static void json_has_the_published_columns(void **state)
{
	struct nx_system_fixture *f = *state;
	const char *text;

	fill(f);
	text = nx_fixture_export(f, "json", &plain, NULL);
	assert_has(text,
		   "\"steps\":[{\"name\":\"train\",\"step_num\":1,\"label\":\"train 1\","
		   "\"start_ts\":1000,\"end_ts\":2000,\"duration_ns\":1000,"
		   "\"instance_id\":\"i-a\",\"process_id\":70,\"thread_id\":70,"
		   "\"event_id\":91,\"device_busy_frac\":0.25,\"runtime_frac\":0.25,"
		   "\"host_bound_frac\":0.5,\"execution_count\":3,\"gap_ns\":0,"
		   "\"max_gap_ns\":13,\"rank_wait_ns\":0,\"duration_rank\":2,\"is_outlier\":false,"
		   "\"is_unfinished\":false}");
	assert_has(text, "\"execution_gaps\":[{\"start_ts\":1200,\"end_ts\":1213,"
			 "\"duration_ns\":13,\"runtime_ns\":7,\"waits_for\":\"runtime\","
			 "\"instance_id\":\"i-a\",\"process_id\":70,\"nc_idx\":0,"
			 "\"worker_gid\":3,\"step_name\":\"train\",\"step_num\":1}");
	assert_has(text, "\"median_late_ns\":7");
	assert_has(text, "\"is_growing\":true");
	text = nx_fixture_export(f, "summary-json", &plain, NULL);
	assert_has(text, "\"slowest_step_num\":2");
	assert_has(text, "\"first_quarter_median_ns\":13000,\"last_quarter_median_ns\":190000");
	assert_null(strstr(text, "\"execution_gaps\"")); /* there may be millions */
}

static void perfetto_has_a_track_of_steps_and_a_counter_of_gaps(void **state)
{
	struct nx_system_fixture *f = *state;
	const char *bytes, *text;
	size_t len;

	fill(f);
	add_step(f, 3, 4000, 6000); /* overlaps: a lane of its own */
	bytes = nx_fixture_export(f, "perfetto", &plain, &len);
	text = nx_trace_text(&f->arena, nx_slice_of(bytes, len), false);
	assert_has(text, "begin 1000 train 1\n");
	assert_has(text, "begin 2000 train 2\n");
	assert_has(text, "steps lane 2 begin 4000 train 3\n");
	assert_has(text, "i-a-pid70 steps/nc0 execution gap");
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, nx_system_fixture_setup, nx_system_fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_summary_prints_steps_and_gaps),
		TEST(of_many_steps_only_those_that_stand_out_are_printed),
		TEST(json_has_the_published_columns),
		TEST(perfetto_has_a_track_of_steps_and_a_counter_of_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
