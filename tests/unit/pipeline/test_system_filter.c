/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/system_run.h"

struct fixture {
	struct nx_arena arena;
	struct nx_system_filter filter;
	struct nx_error err;
};

static enum nx_status init(struct fixture *f, const char *cores, const char *types,
			   const char *instances)
{
	struct nx_system_filter_options options = {cores, types, instances};

	nx_arena_release(&f->arena);
	return nx_system_filter_init(&f->filter, &options, &f->arena, &f->err);
}

static bool keeps(struct fixture *f, int32_t nc_idx, uint8_t source, const char *name)
{
	struct nx_system_event e = {.nc_idx = nc_idx, .source = source};

	return nx_system_filter_keeps(&f->filter, &e, name);
}

static void without_a_filter_all_is_kept(void **state)
{
	static const char *const nothing[] = {NULL, "", ",", " , "};
	struct fixture f = {0};
	struct nx_system_process process = {.instance_id = "i-1"};
	struct nx_system_profile profile = {0};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(init(&f, nothing[i], nothing[i], nothing[i]), NX_OK);
		assert_true(keeps(&f, -1, NX_SOURCE_FRAMEWORK, "x"));
		assert_true(nx_system_filter_keeps_process(&f.filter, &process));
		assert_int_equal(nx_system_filter_check(&f.filter, &profile, &f.err), NX_OK);
	}
	nx_arena_release(&f.arena);
}

static void cores(void **state)
{
	struct fixture f = {0};

	(void)state;
	assert_int_equal(init(&f, "0, 12 ", NULL, NULL), NX_OK);
	assert_true(keeps(&f, 0, NX_SOURCE_RUNTIME, "x"));
	assert_true(keeps(&f, 12, NX_SOURCE_RUNTIME, "x"));
	assert_false(keeps(&f, 1, NX_SOURCE_RUNTIME, "x"));
	assert_false(keeps(&f, -1, NX_SOURCE_FRAMEWORK, "x"));
	assert_int_equal(init(&f, "4294967296", NULL, NULL), NX_OK);
	assert_false(keeps(&f, 0, NX_SOURCE_RUNTIME, "x"));
	nx_arena_release(&f.arena);
}

static void cores_that_are_no_numbers(void **state)
{
	static const char *const wrong[] = {"x", "0,x", "-1", "1-3", "0x1", "+1", "1 2"};
	struct fixture f = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(init(&f, wrong[i], NULL, NULL), NX_USAGE);
		assert_non_null(strstr(f.err.message, "is not a NeuronCore; give numbers"));
	}
	nx_arena_release(&f.arena);
}

static void types_asked_for_and_left_out(void **state)
{
	struct fixture f = {0};

	(void)state;
	assert_int_equal(init(&f, NULL, "nrt_execute,nrt_load", NULL), NX_OK);
	assert_true(keeps(&f, 0, NX_SOURCE_RUNTIME, "nrt_execute"));
	assert_false(keeps(&f, 0, NX_SOURCE_RUNTIME, "nrt_execute_2"));
	assert_int_equal(init(&f, NULL, "^nrt_execute", NULL), NX_OK);
	assert_false(keeps(&f, 0, NX_SOURCE_RUNTIME, "nrt_execute"));
	assert_true(keeps(&f, 0, NX_SOURCE_RUNTIME, "nrt_load"));
	assert_int_equal(init(&f, NULL, "software,^nrt_load", NULL), NX_OK);
	assert_false(keeps(&f, 0, NX_SOURCE_RUNTIME, "nrt_load"));
	assert_true(keeps(&f, 0, NX_SOURCE_RUNTIME, "nrt_execute"));
	assert_false(keeps(&f, 0, NX_SOURCE_HARDWARE, "nc_exec_running"));
	nx_arena_release(&f.arena);
}

static void kinds_of_events(void **state)
{
	struct fixture f = {0};

	(void)state;
	assert_int_equal(init(&f, NULL, "hardware", NULL), NX_OK);
	assert_true(keeps(&f, 0, NX_SOURCE_HARDWARE, "x"));
	assert_false(keeps(&f, 0, NX_SOURCE_RUNTIME, "x"));
	assert_int_equal(init(&f, NULL, "^hardware", NULL), NX_OK);
	assert_false(keeps(&f, 0, NX_SOURCE_HARDWARE, "x"));
	assert_true(keeps(&f, -1, NX_SOURCE_FRAMEWORK, "x"));
	nx_arena_release(&f.arena);
}

static void names_of_older_guides(void **state)
{
	static const struct {
		const char *old, *now;
	} names[] = {
		{"model_load", "nrt_load"},	    {"runtime_execute", "nrt_execute"},
		{"tensor_read", "nrt_tensor_read"}, {"tensor_write", "nrt_tensor_write"},
		{"cc_exec", "cc_running"},	    {"device_exec", "nc_exec_running"},
	};
	struct fixture f = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(init(&f, NULL, names[i].old, NULL), NX_OK);
		assert_true(keeps(&f, 0, NX_SOURCE_RUNTIME, names[i].now));
		assert_true(keeps(&f, 0, NX_SOURCE_RUNTIME, names[i].old));
		assert_false(keeps(&f, 0, NX_SOURCE_RUNTIME, "nrt_model_submit"));
	}
	nx_arena_release(&f.arena);
}

/* --- words that match nothing ----------------------------------------------------- */

static void check_fails(struct fixture *f, const struct nx_system_profile *p, const char *sentence)
{
	assert_int_equal(nx_system_filter_check(&f->filter, p, &f->err), NX_NOT_FOUND);
	assert_string_equal(f->err.message, sentence);
}

static void words_that_match_nothing_are_told(void **state)
{
	const char *names[] = {"nrt_load", "nrt_execute", "later"};
	bool used[] = {false, true};
	struct nx_core_worker workers[] = {{.nc_idx = 0}, {.nc_idx = 10}, {.nc_idx = 1}};
	struct nx_system_process processes[] = {
		{.instance_id = "i-1",
		 .names = names,
		 .name_count = 3,
		 .name_is_used = used,
		 .recorded_name_count = 2,
		 .workers = workers,
		 .worker_count = 3},
		{.instance_id = "i-1", .workers = workers, .worker_count = 1},
		{.instance_id = "i-12"},
	};
	struct nx_system_profile p = {.processes = processes, .process_count = 3};
	struct fixture f = {0};

	(void)state;
	assert_int_equal(init(&f, NULL, NULL, "i-1,i-9"), NX_OK);
	assert_true(nx_system_filter_keeps_process(&f.filter, &processes[0]));
	assert_false(nx_system_filter_keeps_process(&f.filter, &processes[2]));
	check_fails(&f, &p, "no instance is called 'i-9'; there are: i-1, i-12");
	assert_int_equal(init(&f, "0,7", NULL, NULL), NX_OK);
	assert_true(keeps(&f, 0, NX_SOURCE_RUNTIME, "x"));
	check_fails(&f, &p, "NeuronCore 7 has no events; there are: 0, 10, 1");
	assert_int_equal(init(&f, NULL, "nrt_execute,^nothing", NULL), NX_OK);
	assert_true(keeps(&f, 0, NX_SOURCE_RUNTIME, "nrt_execute"));
	check_fails(&f, &p,
		    "no event is of type 'nothing'; there are: hardware, software, nrt_execute, "
		    "later");
	nx_arena_release(&f.arena);
}

/* Thousands of instances must not make a page of a sentence. */
static void long_lists_are_cut(void **state)
{
	static char ids[500][16];
	static struct nx_system_process processes[500];
	struct nx_system_profile p = {.processes = processes, .process_count = 500};
	struct fixture f = {0};

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		snprintf(ids[i], sizeof(ids[i]), "i-%08u", i);
		processes[i].instance_id = ids[i];
	}
	assert_int_equal(init(&f, NULL, NULL, "i-x"), NX_OK);
	assert_int_equal(nx_system_filter_check(&f.filter, &p, &f.err), NX_NOT_FOUND);
	assert_in_range(strlen(f.err.message), 100, 800);
	nx_arena_release(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_filter_all_is_kept),
		cmocka_unit_test(cores),
		cmocka_unit_test(cores_that_are_no_numbers),
		cmocka_unit_test(types_asked_for_and_left_out),
		cmocka_unit_test(kinds_of_events),
		cmocka_unit_test(names_of_older_guides),
		cmocka_unit_test(words_that_match_nothing_are_told),
		cmocka_unit_test(long_lists_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
