/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "analyse/steps.h"

enum name { NAME_EXECUTE, NAME_BARRIER, NAME_RUNNING, NAME_TRAIN, NAME_STEP_7, NAME_COUNT };

static const char *names[NAME_COUNT] = {
	[NAME_EXECUTE] = "nrt_execute",	    [NAME_BARRIER] = "enc_barrier",
	[NAME_RUNNING] = "nc_exec_running", [NAME_TRAIN] = "train",
	[NAME_STEP_7] = "ProfilerStep#7",
};

struct fixture {
	struct nx_system_profile p;
	struct nx_system_process processes[2];
	struct nx_core_worker workers[2];
	struct nx_step_analysis a;
	NX_VEC(struct nx_execution_gap) gaps;
};

static void take_gap(void *context, const void *row)
{
	struct fixture *f = context;

	nx_vec_push(&f->gaps, *(const struct nx_execution_gap *)row);
}

static int setup(void **state)
{
	struct fixture *f = nx_heap_alloc(sizeof(*f));

	memset(f, 0, sizeof(*f));
	f->workers[0] = (struct nx_core_worker){0, 4};
	f->workers[1] = (struct nx_core_worker){3, 9};
	for (unsigned i = 0; i < 2; i++)
		f->processes[i] = (struct nx_system_process){.pid = 70 + i,
							     .instance_id = "i-a",
							     .names = names,
							     .name_count = NAME_COUNT,
							     .workers = f->workers,
							     .worker_count = 2};
	f->p.processes = f->processes;
	f->p.process_count = 2;
	f->a = (struct nx_step_analysis){.profile = &f->p, .on_gap = take_gap, .context = f};
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_release(&f->a);
	nx_vec_release(&f->gaps);
	nx_heap_free(f);
	return 0;
}

static void add(struct fixture *f, struct nx_system_event event)
{
	nx_step_analysis_add(&f->a, &event);
}

static void run(struct fixture *f, int32_t nc_idx, uint64_t start_ns, uint64_t end_ns)
{
	add(f, (struct nx_system_event){.name = NAME_RUNNING,
					.source = NX_SOURCE_HARDWARE,
					.nc_idx = nc_idx,
					.start_ns = start_ns,
					.end_ns = end_ns});
}

static void call(struct fixture *f, uint64_t start_ns, uint64_t end_ns)
{
	add(f, (struct nx_system_event){.name = NAME_EXECUTE,
					.source = NX_SOURCE_RUNTIME,
					.start_ns = start_ns,
					.end_ns = end_ns});
}

static void step(struct fixture *f, uint64_t step_num, uint64_t start_ns, uint64_t end_ns)
{
	add(f, (struct nx_system_event){.id = 100 + step_num,
					.name = NAME_TRAIN,
					.source = NX_SOURCE_FRAMEWORK,
					.flags = NX_EVENT_STEP,
					.step_num = step_num,
					.nc_idx = -1,
					.start_ns = start_ns,
					.end_ns = end_ns});
}

static void finish(struct fixture *f)
{
	nx_step_analysis_end(&f->a);
	nx_step_analysis_conclude(&f->a);
}

/* --- names ---------------------------------------------------------------------------- */

static void numbers_are_read_from_names(void **state)
{
	uint64_t number = 0;

	(void)state;
	assert_true(nx_step_number_of(nx_slice_text("ProfilerStep#12"), &number));
	assert_int_equal(number, 12);
	assert_true(nx_step_number_of(nx_slice_text("train#step_num=34,_r=1#"), &number));
	assert_int_equal(number, 34);
	assert_false(nx_step_number_of(nx_slice_text("ProfilerStep#"), &number));
	assert_false(nx_step_number_of(nx_slice_text("ProfilerStep#x"), &number));
	assert_false(nx_step_number_of(nx_slice_text("train#step_num=#"), &number));
	assert_false(nx_step_number_of(nx_slice_text("aten::addmm"), &number));
	assert_false(nx_step_number_of(nx_slice_text(""), &number));
}

static void a_kind_has_no_number(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	add(f, (struct nx_system_event){.name = NAME_STEP_7,
					.source = NX_SOURCE_FRAMEWORK,
					.flags = NX_EVENT_STEP,
					.step_num = 7,
					.start_ns = 1,
					.end_ns = 2});
	finish(f);
	assert_int_equal(f->a.steps.len, 1);
	assert_string_equal(f->a.steps.items[0].name, "ProfilerStep");
	assert_int_equal(f->a.steps.items[0].step_num, 7);
}

/* --- shares --------------------------------------------------------------------------- */

static void every_moment_of_a_step_counts_once(void **state)
{
	struct fixture *f = *state;
	const struct nx_step *s;

	nx_step_analysis_begin(&f->a, 0);
	run(f, 0, 50, 120);    /* ends in the step */
	step(f, 1, 100, 1100); /* 20 busy before 120 */
	call(f, 200, 400);     /* 100 of the runtime, then the core runs */
	run(f, 0, 300, 700);
	call(f, 350, 900); /* goes on for 200 after the core */
	run(f, 3, 650, 680);
	finish(f);
	assert_int_equal(f->a.steps.len, 1);
	s = &f->a.steps.items[0];
	assert_true(s->has_shares);
	assert_int_equal(s->busy_ns, 20 + 400);
	assert_int_equal(s->runtime_ns, 100 + 200);
	assert_int_equal(s->host_ns, 1000 - 420 - 300);
	assert_int_equal(s->execution_count, 2);
	assert_int_equal(s->gap_ns, 180); /* core 0 from 120 to 300; core 3 never ran before */
	assert_int_equal(s->max_gap_ns, 180);
	assert_int_equal(s->first_execution_ns, 300);
	assert_int_equal(s->event_id, 101);
}

static void a_process_without_executions_has_no_shares(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	step(f, 1, 100, 200);
	call(f, 120, 150);
	finish(f);
	assert_false(f->a.steps.items[0].has_shares);
	assert_false(f->a.step_totals.items[0].has_shares);
	assert_int_equal(f->a.gap_totals.len, 0);
}

static void calls_that_never_ended_do_not_count(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	add(f, (struct nx_system_event){.name = NAME_EXECUTE,
					.source = NX_SOURCE_RUNTIME,
					.flags = NX_EVENT_UNFINISHED,
					.start_ns = 0,
					.end_ns = 1000});
	step(f, 1, 100, 200);
	run(f, 0, 110, 120);
	finish(f);
	assert_int_equal(f->a.steps.items[0].runtime_ns, 0);
	assert_int_equal(f->a.steps.items[0].host_ns, 90);
}

/* --- gaps ----------------------------------------------------------------------------- */

static void a_gap_is_between_executions_of_a_logical_core(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	run(f, 0, 100, 200); /* two physical cores */
	run(f, 0, 110, 210);
	run(f, 3, 150, 160);
	call(f, 220, 250);
	step(f, 5, 240, 400);
	run(f, 0, 300, 350);
	run(f, 0, 350, 360); /* at once: a gap of nothing */
	finish(f);
	assert_int_equal(f->gaps.len, 2);
	assert_int_equal(f->gaps.items[0].start_ns, 210);
	assert_int_equal(f->gaps.items[0].end_ns, 300);
	assert_int_equal(f->gaps.items[0].runtime_ns, 30);
	assert_int_equal(f->gaps.items[0].worker_gid, 4);
	assert_int_equal(f->gaps.items[0].step_num, 5);
	assert_string_equal(f->gaps.items[0].step_name, "train");
	assert_int_equal(f->gaps.items[1].start_ns, f->gaps.items[1].end_ns);
	assert_int_equal(f->a.gap_totals.len, 1); /* core 3 ran only once */
	assert_int_equal(f->a.gap_totals.items[0].count, 2);
	assert_int_equal(f->a.gap_totals.items[0].total_ns, 90);
	assert_int_equal(f->a.gap_totals.items[0].max_ns, 90);
}

static void run_with_gaps(struct fixture *f, uint64_t count, uint64_t (*gap)(uint64_t at))
{
	uint64_t now_ns = 1000;

	nx_step_analysis_begin(&f->a, 0);
	for (uint64_t i = 0; i < count; i++) {
		run(f, 0, now_ns, now_ns + 5000);
		now_ns += 5000 + gap(i);
	}
	finish(f);
}

static uint64_t growing(uint64_t at)
{
	return at < 5 ? 13000 : at < 15 ? 13000 + 17700 * (at - 5) : 190000;
}

static uint64_t even(uint64_t at)
{
	return 13000 + at % 2;
}

static uint64_t tiny(uint64_t at)
{
	return at < 50 ? 1 : 9000;
}

static void growth_is_found(void **state)
{
	struct fixture *f = *state;

	run_with_gaps(f, 21, growing);
	assert_int_equal(f->a.gap_totals.items[0].count, 20);
	assert_int_equal(f->a.gap_totals.items[0].first_median_ns, 13000);
	assert_int_equal(f->a.gap_totals.items[0].last_median_ns, 190000);
	assert_true(f->a.gap_totals.items[0].is_growing);
}

static void even_and_tiny_gaps_do_not_grow(void **state)
{
	struct fixture *f = *state;

	run_with_gaps(f, 40, even);
	assert_false(f->a.gap_totals.items[0].is_growing);
	nx_step_analysis_release(&f->a);
	f->a = (struct nx_step_analysis){.profile = &f->p};
	run_with_gaps(f, 101, tiny); /* many times longer, but still short */
	assert_int_equal(f->a.gap_totals.items[0].last_median_ns, 9000);
	assert_false(f->a.gap_totals.items[0].is_growing);
}

static void few_gaps_are_no_growth(void **state)
{
	struct fixture *f = *state;

	run_with_gaps(f, 16, growing);
	assert_int_equal(f->a.gap_totals.items[0].count, 15);
	assert_false(f->a.gap_totals.items[0].is_growing);
}

static uint64_t late_growth(uint64_t at)
{
	return at < 50000 ? 13000 : 190000;
}

/* Beyond 16384 gaps medians are of a part of them. */
static void many_gaps_take_little_memory(void **state)
{
	struct fixture *f = *state;

	f->a.on_gap = NULL;
	run_with_gaps(f, 100001, late_growth);
	assert_int_equal(f->a.gap_totals.items[0].count, 100000);
	assert_int_equal(f->a.gap_totals.items[0].first_median_ns, 13000);
	assert_int_equal(f->a.gap_totals.items[0].last_median_ns, 190000);
}

/* --- comparisons ----------------------------------------------------------------------- */

static void a_slow_step_is_an_outlier(void **state)
{
	static const uint64_t lengths_ns[] = {1000, 1010, 990, 1500, 1005, 995};
	struct fixture *f = *state;
	const struct nx_step_total *t;
	uint64_t now_ns = 100;

	nx_step_analysis_begin(&f->a, 0);
	for (unsigned i = 0; i < 6; i++) {
		step(f, i, now_ns, now_ns + lengths_ns[i]);
		now_ns += lengths_ns[i];
	}
	finish(f);
	t = &f->a.step_totals.items[0];
	assert_int_equal(t->step_count, 6);
	assert_int_equal(t->median_ns, 1002); /* of 1000 and 1005 */
	/* distances 2 3 7 8 12 498: the mean of 7 and 8 */
	assert_int_equal(t->mad_ns, 7);
	assert_int_equal(t->slowest_num, 3);
	assert_int_equal(t->slowest_ns, 1500);
	assert_int_equal(t->outlier_count, 1);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(f->a.steps.items[i].is_outlier, i == 3);
	assert_int_equal(f->a.steps.items[3].rank, 1);
	assert_int_equal(f->a.steps.items[2].rank, 6);
	assert_true(fabs(f->a.steps.items[3].duration_mads - 498 / (1.4826 * 7)) < 1e-9);
}

/* 1 ns is many MADs beyond steps that are all alike, and nobody's problem. */
static void jitter_is_no_outlier(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	for (unsigned i = 0; i < 8; i++)
		step(f, i, 10000 * i, 10000 * i + 1000 + (i == 4 ? 90 : 0));
	finish(f);
	assert_int_equal(f->a.step_totals.items[0].outlier_count, 0);
	assert_true(isnan(f->a.steps.items[4].duration_mads));
}

static void alike_steps_still_have_outliers(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	for (unsigned i = 0; i < 8; i++)
		step(f, i, 10000 * i, 10000 * i + 1000 + (i == 4 ? 110 : 0));
	finish(f);
	assert_true(f->a.steps.items[4].is_outlier);
}

static void four_steps_are_too_few_to_judge(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	for (unsigned i = 0; i < 4; i++)
		step(f, i, 10000 * i, 10000 * i + (i == 2 ? 9000 : 1000));
	finish(f);
	assert_int_equal(f->a.step_totals.items[0].outlier_count, 0);
	assert_int_equal(f->a.steps.items[2].rank, 1);
}

static void an_unfinished_step_is_not_compared(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	for (unsigned i = 0; i < 5; i++)
		step(f, i, 1000 * i, 1000 * i + 900);
	add(f, (struct nx_system_event){.name = NAME_TRAIN,
					.source = NX_SOURCE_FRAMEWORK,
					.flags = NX_EVENT_STEP | NX_EVENT_UNFINISHED,
					.step_num = 5,
					.start_ns = 5000,
					.end_ns = 90000});
	finish(f);
	assert_int_equal(f->a.step_totals.items[0].unfinished_count, 1);
	assert_int_equal(f->a.step_totals.items[0].slowest_ns, 900);
	assert_true(f->a.steps.items[5].is_unfinished);
	assert_false(f->a.steps.items[5].is_outlier);
	assert_int_equal(f->a.steps.items[5].rank, 0);
}

static void the_late_process_is_known(void **state)
{
	struct fixture *f = *state;

	for (uint32_t process = 0; process < 2; process++) {
		nx_step_analysis_begin(&f->a, process);
		for (unsigned i = 0; i < 3; i++) {
			step(f, i, 1000 * i, 1000 * i + 900);
			run(f, 0, 1000 * i + (process ? 400 : 100), 1000 * i + 800);
		}
		if (!process)
			step(f, 3, 3000, 3900); /* the other has none */
		nx_step_analysis_end(&f->a);
	}
	nx_step_analysis_conclude(&f->a);
	assert_int_equal(f->a.steps.items[0].late_ns, 0);
	assert_true(f->a.steps.items[0].has_late);
	assert_false(f->a.steps.items[3].has_late);
	assert_int_equal(f->a.steps.items[4].process, 1);
	assert_int_equal(f->a.steps.items[4].late_ns, 300);
	assert_int_equal(f->a.step_totals.len, 2);
	assert_int_equal(f->a.step_totals.items[0].median_late_ns, 0);
	assert_int_equal(f->a.step_totals.items[1].median_late_ns, 300);
	assert_int_equal(f->a.step_totals.items[1].late_count, 3);
}

/* The device may begin on all ranks at once: what counts is who was asked last. */
static void launches_tell_who_is_late(void **state)
{
	struct fixture *f = *state;

	for (uint32_t process = 0; process < 2; process++) {
		nx_step_analysis_begin(&f->a, process);
		step(f, 1, 1000, 2000);
		call(f, process ? 1500 : 1100, 1900);
		add(f, (struct nx_system_event){.name = NAME_BARRIER,
						.source = NX_SOURCE_RUNTIME,
						.start_ns = process ? 1510 : 1110,
						.end_ns = 1520});
		run(f, 0, 1600, 1700);
		nx_step_analysis_end(&f->a);
	}
	nx_step_analysis_conclude(&f->a);
	assert_int_equal(f->a.steps.items[0].late_ns, 0);
	assert_int_equal(f->a.steps.items[0].rank_wait_ns, 410);
	assert_int_equal(f->a.steps.items[1].late_ns, 400);
	assert_int_equal(f->a.steps.items[1].rank_wait_ns, 10);
	assert_int_equal(f->a.step_totals.items[0].median_rank_wait_ns, 410);
}

/* Steps may overlap and even enclose each other, as those of several threads. */
static void steps_may_overlap(void **state)
{
	struct fixture *f = *state;

	nx_step_analysis_begin(&f->a, 0);
	step(f, 1, 100, 500);
	step(f, 2, 200, 300);
	run(f, 0, 250, 400);
	step(f, 3, 450, 600);
	finish(f);
	assert_int_equal(f->a.steps.items[0].busy_ns, 150);
	assert_int_equal(f->a.steps.items[1].busy_ns, 50);
	assert_int_equal(f->a.steps.items[2].busy_ns, 0);
	assert_int_equal(f->a.steps.items[0].execution_count, 1);
	assert_int_equal(f->a.steps.items[1].execution_count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_are_read_from_names),
		TEST(a_kind_has_no_number),
		TEST(every_moment_of_a_step_counts_once),
		TEST(a_process_without_executions_has_no_shares),
		TEST(calls_that_never_ended_do_not_count),
		TEST(a_gap_is_between_executions_of_a_logical_core),
		TEST(growth_is_found),
		TEST(even_and_tiny_gaps_do_not_grow),
		TEST(few_gaps_are_no_growth),
		TEST(many_gaps_take_little_memory),
		TEST(a_slow_step_is_an_outlier),
		TEST(jitter_is_no_outlier),
		TEST(alike_steps_still_have_outliers),
		TEST(four_steps_are_too_few_to_judge),
		TEST(an_unfinished_step_is_not_compared),
		TEST(the_late_process_is_known),
		TEST(launches_tell_who_is_late),
		TEST(steps_may_overlap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
